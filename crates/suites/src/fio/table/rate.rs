//! Options of rates, pauses and latency limits.

use super::super::options::{Kind, MICROSECOND, Opt, SECOND, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt("thinktime", "", Kind::Time(MICROSECOND), "0", "Pause between requests."),
    opt("thinktime_spin", "", Kind::Time(MICROSECOND), "0", "How much of the pause is spent busy.")
        .differs("More than thinktime is an error, where fio shortens it."),
    opt("thinkcycles", "", Kind::Number(0, U32), "0", "Cycles to burn while thinking.").rejected("Use thinktime_spin."),
    opt("thinktime_blocks", "", Kind::Number(1, U32), "1", "Requests between two pauses."),
    opt(
        "thinktime_blocks_type",
        "",
        Kind::Word(&["complete", "issue"]),
        "complete",
        "Whether completions or submissions are counted.",
    ),
    opt("thinktime_iotime", "", Kind::Time(SECOND), "0", "Pause after so much time of I/O."),
    opt("rate", "", Kind::Sizes(0, u64::MAX), "", "Bytes a second."),
    opt("rate_min", "ratemin", Kind::Sizes(0, u64::MAX), "", "The job fails below this many bytes a second."),
    opt(
        "rate_process",
        "",
        Kind::Word(&["linear", "poisson"]),
        "linear",
        "Distances between requests: equal, or exponentially distributed.",
    ),
    opt("rate_cycle", "ratecycle", Kind::Millis, "1000", "Over what time rate_min is looked at."),
    opt("rate_ignore_thinktime", "", Kind::Bool, "", "Do not catch up with the rate after thinking."),
    opt("rate_iops", "", Kind::Numbers(0, U32), "", "Requests a second."),
    opt("rate_iops_min", "", Kind::Numbers(0, U32), "", "The job fails below this many requests a second."),
    opt("max_latency", "", Kind::Times(MICROSECOND), "", "The job fails when a request takes longer."),
    opt("latency_target", "", Kind::Time(MICROSECOND), "", "Look for the depth that meets this latency."),
    opt("latency_window", "", Kind::Time(MICROSECOND), "", "In windows of this."),
    opt("latency_percentile", "", Kind::Floats(0, 100), "100", "For so many percent of the requests."),
    opt("latency_run", "", Kind::Bool, "0", "Go on after the depth was found."),
    opt("flow_id", "", Kind::Number(0, U32), "0", "Which flow the job is part of."),
    opt("flow", "", Kind::Number(0, 1000), "0", "Share of activity among the jobs of a flow."),
    opt("flow_sleep", "", Kind::Number(0, U32), "0", "Microseconds to sleep when ahead of the others."),
];
