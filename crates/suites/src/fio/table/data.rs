//! Options of what is written, syncs, and which errors are survived.

use super::super::options::{Kind, Opt, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt(
        "ignore_error",
        "",
        Kind::Text,
        "",
        "Error names or numbers that are no errors: of reads, writes and verifications, \
         separated by commas; in each list by colons.",
    ),
    opt("fsync", "", Kind::Number(0, U32), "0", "fsync after so many writes."),
    opt("fdatasync", "", Kind::Number(0, U32), "0", "fdatasync after so many writes."),
    opt("write_barrier", "", Kind::Number(0, U32), "0", "Every n-th write is a barrier.")
        .rejected("No engine of fsbench has write barriers; fdatasync=N orders writes."),
    opt(
        "sync_file_range",
        "",
        Kind::Words(&["wait_before", "write", "wait_after"]),
        "",
        "sync_file_range after so many writes: its parts, separated by commas, then :N.",
    ),
    opt("end_fsync", "", Kind::Bool, "0", "fsync at the end."),
    opt("fsync_on_close", "", Kind::Bool, "0", "fsync before each close."),
    opt("end_syncfs", "", Kind::Bool, "0", "syncfs at the end.")
        .rejected("Use end_fsync, which syncs every file of the job."),
    opt("zero_buffers", "", Kind::Flag, "", "Write zeros."),
    opt("refill_buffers", "", Kind::Flag, "", "New random data for each write."),
    opt("scramble_buffers", "", Kind::Bool, "1", "Change a few bytes for each write."),
    opt("buffer_pattern", "", Kind::Pattern, "", "Write these bytes, repeated: 0xdeadbeef, \"text\", 'file'."),
    opt(
        "buffer_compress_percentage",
        "",
        Kind::Number(0, 100),
        "",
        "Percentage of each chunk that can be compressed away.",
    ),
    opt("buffer_compress_chunk", "", Kind::Size(1, U32), "512", "Bytes of a chunk."),
    opt("dedupe_percentage", "", Kind::Number(0, 100), "", "Percentage of the writes that repeat a block."),
    opt(
        "dedupe_mode",
        "",
        Kind::Word(&["repeat", "working_set"]),
        "repeat",
        "Repeat the last block, or blocks of a working set.",
    ),
    opt("dedupe_working_set_percentage", "", Kind::Number(0, 100), "5", "Size of the working set."),
    opt("dedupe_global", "", Kind::Bool, "0", "One working set for all jobs.")
        .rejected("Each job has a working set of its own."),
    opt(
        "continue_on_error",
        "",
        Kind::Word(&["none", "read", "write", "io", "verify", "all", "0", "1"]),
        "none",
        "Which errors do not end the job.",
    )
    .differs(
        "The exit code is 1 when there was any error, where fio's is 0 after failed \
         verifications.",
    ),
    opt("error_dump", "", Kind::Bool, "0", "Print ignored errors."),
];
