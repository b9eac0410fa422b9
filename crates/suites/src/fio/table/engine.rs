//! Options of engines.

use super::super::options::{Kind, Opt, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt("ioengine", "", Kind::Text, "psync", "How requests reach the files.").differs(
        "Those that fsbench has, others are refused by name; files of a store have an engine \
         of their own, store.",
    ),
    opt("iodepth", "", Kind::Number(1, 1048576), "1", "Requests in flight."),
    opt(
        "iodepth_batch",
        "iodepth_batch_submit",
        Kind::Number(0, U32),
        "1",
        "Requests handed over in one go; 0 is iodepth.",
    )
    .differs("Not given, all requests that are due are handed over in one call; fio then makes a call for each."),
    opt(
        "iodepth_batch_complete_min",
        "iodepth_batch_complete",
        Kind::Number(0, U32),
        "1",
        "Completions to wait for; 0 polls.",
    ),
    opt("iodepth_batch_complete_max", "", Kind::Number(0, U32), "", "Completions taken in one go.")
        .differs("Neither this nor iodepth_batch_complete_min given, up to a quarter of the depth (4 at most) is taken; fio takes one."),
    opt("iodepth_low", "", Kind::Number(0, U32), "", "When the depth was reached, wait until so few are left."),
    opt("serialize_overlap", "", Kind::Bool, "0", "A request waits for one in flight that overlaps it.")
        .rejected("Requests in flight are not compared; with iodepth=1 or a random map none overlap."),
    opt(
        "io_submit_mode",
        "",
        Kind::Word(&["inline", "offload"]),
        "inline",
        "offload submits from threads of its own, by the schedule and never by completions.",
    )
    .differs("Latency counts from when a request was due, and no engine hangs."),
    opt("direct", "", Kind::Bool, "0", "Bypass the page cache."),
    opt("atomic", "", Kind::Bool, "0", "Atomic writes.").rejected("Atomic writes are not implemented."),
    opt("buffered", "", Kind::Bool, "1", "The opposite of direct."),
    opt(
        "mem",
        "iomem",
        Kind::Word(&["malloc", "shm", "shmhuge", "mmap", "mmapshared", "mmaphuge"]),
        "malloc",
        "Kind of memory for buffers.",
    )
    .rejected("Buffers are ordinary memory."),
    opt("fdp", "", Kind::Bool, "0", "Flexible data placement.").rejected("NVMe data placement is not supported."),
    opt("dataplacement", "data_placement", Kind::Word(&["none", "fdp", "streams"]), "none", "Data placement.")
        .rejected("NVMe data placement is not supported."),
    opt(
        "plid_select",
        "fdp_pli_select",
        Kind::Word(&["random", "roundrobin", "scheme"]),
        "roundrobin",
        "Which placement identifier is next.",
    )
    .rejected("NVMe data placement is not supported."),
    opt("plids", "fdp_pli", Kind::Text, "", "Placement identifiers.").rejected("NVMe data placement is not supported."),
    opt("dp_scheme", "", Kind::Text, "", "File with placement identifiers.")
        .rejected("NVMe data placement is not supported."),
    opt(
        "sync",
        "",
        Kind::Word(&["none", "0", "sync", "1", "dsync"]),
        "none",
        "Each write is durable before it returns.",
    ),
    opt("hugepage-size", "", Kind::Size(0, u64::MAX), "2097152", "Bytes of a huge page.")
        .rejected("Buffers are ordinary memory."),
    opt("iomem_align", "mem_align", Kind::Size(1, 1 << 30), "", "Alignment of buffers in memory."),
];
