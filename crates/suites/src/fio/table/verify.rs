//! Options of verification.

use super::super::options::{Kind, Opt, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt("verify_only", "", Kind::Flag, "", "Write nothing; verify what an earlier run wrote."),
    opt(
        "verify",
        "",
        Kind::Word(&[
            "0",
            "md5",
            "crc64",
            "crc32",
            "crc32c-intel",
            "crc32c",
            "crc16",
            "crc7",
            "sha1",
            "sha256",
            "sha512",
            "sha3-224",
            "sha3-256",
            "sha3-384",
            "sha3-512",
            "xxhash",
            "meta",
            "pattern",
            "pattern_hdr",
            "null",
        ]),
        "0",
        "What is compared when a block is verified.",
    ),
    opt("do_verify", "", Kind::Bool, "1", "Read everything back after writing."),
    opt("verify_policy", "", Kind::Word(&["completed", "fsynced"]), "completed", "Which writes are verified.")
        .rejected("What was written is verified, however it was synced."),
    opt("verify_interval", "", Kind::Size(0, U32), "", "Bytes of a unit with a header of its own."),
    opt("verify_offset", "", Kind::Size(0, U32), "", "Where in the unit the header is."),
    opt("verify_pattern", "", Kind::Pattern, "", "Bytes to repeat: 0xdeadbeef, \"text\", 'file', %o for the offset."),
    opt("verify_pattern_interval", "", Kind::Size(0, U32), "0", "Bytes after which the pattern begins anew.")
        .rejected("A pattern is repeated over the whole block."),
    opt("verify_fatal", "", Kind::Bool, "0", "The first bad block ends the job."),
    opt("verify_dump", "", Kind::Bool, "0", "Save bad blocks to files."),
    opt("verify_async", "", Kind::Number(0, 1024), "0", "Threads that check blocks.")
        .noted("Blocks are checked by the job's own thread."),
    opt("verify_backlog", "", Kind::Number(0, u64::MAX), "", "Verify after so many writes."),
    opt("verify_backlog_batch", "", Kind::Number(0, u64::MAX), "", "Verify so many then."),
    opt("experimental_verify", "", Kind::Bool, "", "Another way to remember what was written.")
        .rejected("It was taken out of fio, too."),
    opt("verify_state_load", "", Kind::Bool, "", "Verify only what the saved state says was written."),
    opt("verify_state_save", "", Kind::Bool, "1", "Save at the end what was written, for verify_state_load."),
    opt("verify_write_sequence", "", Kind::Bool, "1", "Check the sequence number of headers.")
        .rejected("Headers always have their sequence checked."),
    opt("verify_header_seed", "", Kind::Bool, "1", "Check the seed of headers.")
        .rejected("Headers always have their seed checked."),
];
