//! Options of the pattern of requests.

use super::super::options::{Kind, Opt, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt(
        "rw",
        "readwrite",
        Kind::Words(&[
            "read",
            "write",
            "trim",
            "randread",
            "randwrite",
            "randtrim",
            "rw",
            "readwrite",
            "randrw",
            "trimwrite",
            "randtrimwrite",
        ]),
        "read",
        "What is done, in which order; :N after a random one is the requests for each new \
         offset, after a sequential one the bytes skipped.",
    ),
    opt(
        "bs",
        "blocksize",
        Kind::Sizes(1, U32),
        "4096",
        "Bytes of a request: for reads, writes and trims, separated by commas.",
    ),
    opt("ba", "blockalign", Kind::Sizes(1, U32), "", "Alignment of random offsets; not given: the smallest bs."),
    opt(
        "bsrange",
        "blocksize_range",
        Kind::Ranges,
        "",
        "Bytes of a request, random in a range, in steps of the smallest.",
    ),
    opt("bssplit", "", Kind::Split, "", "Bytes of a request by weight: size/percent:size/percent."),
    opt(
        "bs_unaligned",
        "blocksize_unaligned",
        Kind::Flag,
        "",
        "Sizes of bsrange need not be multiples of the smallest.",
    ),
    opt("randrepeat", "allrandrepeat", Kind::Bool, "1", "The same random sequence in every run."),
    opt("randseed", "", Kind::Number(0, u64::MAX), "0x89", "Seed of everything random.")
        .differs("The sequences are fsbench's own: the same in every run, but not fio's."),
    opt("norandommap", "", Kind::Flag, "", "Any random offset at any time, rather than every block once in a pass."),
    opt("sprandom", "", Kind::Bool, "0", "Precondition an SSD in one pass.").rejected(
        "SSD preconditioning is not implemented; write the device twice, rw=write and then \
         rw=randwrite.",
    ),
    opt(
        "rw_sequencer",
        "",
        Kind::Word(&["sequential", "identical"]),
        "sequential",
        "What rw's :N repeats: the next blocks, or the same block.",
    ),
    opt("number_ios", "", Kind::Number(0, u64::MAX), "0", "End after so many requests."),
    opt("num_range", "", Kind::Number(0, 256), "1", "Ranges in one trim request.")
        .rejected("Trims have one range each."),
    opt(
        "random_generator",
        "",
        Kind::Word(&["tausworthe", "lfsr", "tausworthe64"]),
        "tausworthe",
        "Generator of random offsets.",
    )
    .differs(
        "fsbench has one generator, which needs no memory for its map: all three name it, and \
         the sequences are not fio's.",
    ),
    opt(
        "random_distribution",
        "",
        Kind::Words(&["random", "zipf", "pareto", "normal", "zoned", "zoned_abs", "sequence"]),
        "random",
        "How likely the blocks are.",
    )
    .differs("sequence is refused."),
    opt("random_sequence_stride", "", Kind::Bool, "0", "Stride of a random sequence.")
        .rejected("It belongs to random_distribution=sequence."),
    opt(
        "percentage_random",
        "",
        Kind::Numbers(0, 100),
        "100,100,100",
        "Percentage of a random job's requests that are random.",
    ),
    opt("trim_percentage", "", Kind::Number(0, 100), "0", "Percentage of the written blocks that are trimmed.")
        .rejected("Trims of what was just written are not implemented; use rw=randtrim or rw=trimwrite."),
    opt("trim_verify_zero", "", Kind::Bool, "1", "Trimmed blocks must read as zeros.")
        .rejected("It belongs to trim_percentage."),
    opt("trim_backlog", "", Kind::Number(0, u64::MAX), "", "Trim after so many writes.")
        .rejected("It belongs to trim_percentage."),
    opt("trim_backlog_batch", "", Kind::Number(0, U32), "", "Trim so many then.")
        .rejected("It belongs to trim_percentage."),
    opt("zonemode", "", Kind::Word(&["none", "strided", "zbd"]), "none", "How the file is divided into zones.")
        .differs("Zoned block devices (zbd) are refused."),
    opt("zonesize", "", Kind::Size(0, u64::MAX), "0", "strided: bytes done in a zone before the next."),
    opt("zonecapacity", "", Kind::Size(0, u64::MAX), "0", "Usable bytes of a zone.")
        .rejected("Zoned block devices are not supported."),
    opt("zonerange", "", Kind::Size(0, u64::MAX), "0", "strided: bytes of the zone that requests stay in."),
    opt("zoneskip", "", Kind::Part, "0", "strided: bytes skipped between zones."),
    opt("read_beyond_wp", "", Kind::Bool, "0", "Read behind the write pointer.")
        .rejected("Zoned block devices are not supported."),
    opt("max_open_zones", "", Kind::Number(0, 4096), "0", "Zones open at the same time.")
        .rejected("Zoned block devices are not supported."),
    opt("job_max_open_zones", "", Kind::Number(0, 4096), "0", "Zones a job has open at the same time.")
        .rejected("Zoned block devices are not supported."),
    opt("ignore_zone_limits", "", Kind::Bool, "0", "Ignore the device's limits.")
        .rejected("Zoned block devices are not supported."),
    opt("zone_reset_threshold", "", Kind::Floats(0, 1), "", "When to reset zones.")
        .rejected("Zoned block devices are not supported."),
    opt("zone_reset_frequency", "", Kind::Floats(0, 1), "", "How often to reset zones.")
        .rejected("Zoned block devices are not supported."),
    opt("recover_zbd_write_error", "", Kind::Bool, "", "Go on after a failed write to a zone.")
        .rejected("Zoned block devices are not supported."),
    opt("write_zone_remainder", "", Kind::Bool, "", "Write what is left of a zone.")
        .rejected("Zoned block devices are not supported."),
    opt("rwmixread", "", Kind::Number(0, 100), "50", "Percentage of reads in a mix."),
    opt("rwmixwrite", "", Kind::Number(0, 100), "50", "Percentage of writes in a mix; of both the last counts."),
    opt(
        "bs_is_seq_rand",
        "blocksize_is_seq_rand",
        Kind::Bool,
        "0",
        "The first size of bs is for sequential, the second for random requests.",
    ),
    opt("softrandommap", "", Kind::Bool, "0", "Go without a map when memory is short.")
        .noted("The map costs no memory."),
];
