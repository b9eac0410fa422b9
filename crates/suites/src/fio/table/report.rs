//! Options of measuring, logs and reports.

use super::super::options::{Kind, Opt, SECOND, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt("per_job_logs", "", Kind::Bool, "1", "One log file for each job."),
    opt("write_bw_log", "", Kind::LogName, "", "Write a log of bandwidth."),
    opt("bwavgtime", "", Kind::Millis, "500", "Window of a sample of bandwidth."),
    opt("write_lat_log", "", Kind::LogName, "", "Write logs of submission, completion and total latency."),
    opt("write_iops_log", "", Kind::LogName, "", "Write a log of IOPS."),
    opt("iopsavgtime", "", Kind::Millis, "500", "Window of a sample of IOPS."),
    opt("log_entries", "", Kind::Number(1024, 1048576), "1024", "Entries of a log's first piece.")
        .noted("Logs grow as they need to."),
    opt("log_avg_msec", "", Kind::Millis, "0", "Average log entries over this; 0 is an entry for each request."),
    opt("log_hist_msec", "", Kind::Millis, "0", "Time between two histograms of a log."),
    opt("log_hist_coarseness", "", Kind::Number(0, 6), "0", "Merge a histogram's buckets by this power of two."),
    opt("write_hist_log", "", Kind::LogName, "", "Write a log of histograms."),
    opt(
        "log_window_value",
        "log_max_value",
        Kind::Word(&["avg", "max", "both", "0", "1"]),
        "avg",
        "Averages, maxima or both in log entries.",
    ),
    opt("log_offset", "", Kind::Bool, "0", "Offsets in log entries."),
    opt("log_prio", "", Kind::Bool, "0", "Priorities in log entries.").rejected("I/O priorities are not set."),
    opt("log_issue_time", "", Kind::Bool, "0", "Times of submission in log entries.")
        .rejected("A log entry has the time of its completion only."),
    opt("log_compression", "", Kind::Number(0, 536870912), "", "Compress logs in memory from this size on.")
        .rejected("Logs are not compressed; compress them when they are written."),
    opt("log_compression_cpus", "", Kind::Text, "", "Processors that compress logs.")
        .rejected("Logs are not compressed."),
    opt("log_store_compressed", "", Kind::Bool, "", "Store logs compressed.").rejected("Logs are not compressed."),
    opt("log_alternate_epoch", "log_unix_epoch", Kind::Bool, "", "Times of logs since 1970."),
    opt("log_alternate_epoch_clock_id", "", Kind::Number(0, U32), "", "Clock of log_alternate_epoch.")
        .rejected("Only the real-time clock (0) is used."),
    opt("block_error_percentiles", "", Kind::Bool, "0", "Percentiles of errors of blocks.")
        .rejected("Errors are counted by kind instead."),
    opt("group_reporting", "", Kind::Flag, "", "Show a reporting group as one."),
    opt("stats", "", Kind::Bool, "1", "Count this job."),
    opt("clat_percentiles", "", Kind::Bool, "1", "Percentiles of completion latency."),
    opt("lat_percentiles", "", Kind::Bool, "0", "Percentiles of total latency."),
    opt("slat_percentiles", "", Kind::Bool, "0", "Percentiles of submission latency."),
    opt(
        "percentile_list",
        "",
        Kind::Floats(0, 100),
        "1:5:10:20:30:40:50:60:70:80:90:95:99:99.5:99.9:99.95:99.99",
        "Which percentiles.",
    ),
    opt("significant_figures", "", Kind::Number(1, 10), "4", "Digits in text."),
    opt("disk_util", "", Kind::Bool, "1", "Show how busy the disks were."),
    opt("gtod_reduce", "", Kind::Bool, "0", "Measure no latency and no bandwidth over time."),
    opt("disable_lat", "", Kind::Bool, "0", "Do not measure total latency."),
    opt("disable_clat", "", Kind::Bool, "0", "Do not measure completion latency."),
    opt("disable_slat", "", Kind::Bool, "0", "Do not measure submission latency."),
    opt("disable_bw_measurement", "disable_bw", Kind::Bool, "0", "Do not measure bandwidth over time."),
    opt(
        "unified_rw_reporting",
        "",
        Kind::Word(&["none", "mixed", "both", "0", "1", "2"]),
        "none",
        "Reads, writes and trims together, apart, or both.",
    ),
    opt("kb_base", "", Kind::Word(&["1024", "1000"]), "1024", "What k means: 1024, or 1000."),
    opt("unit_base", "", Kind::Word(&["0", "8", "1"]), "", "Bytes (8), bits (1), or what suits (0), in text."),
    opt(
        "steadystate",
        "ss",
        Kind::Words(&["iops", "iops_slope", "bw", "bw_slope", "lat", "lat_slope"]),
        "iops_slope:0.01%",
        "End when this no longer moves: what, and a limit, in percent of the mean with %.",
    ),
    opt("steadystate_duration", "ss_dur", Kind::Time(SECOND), "0", "Over what time it must be steady."),
    opt("steadystate_ramp_time", "ss_ramp", Kind::Time(SECOND), "0", "After what time to look."),
    opt("steadystate_check_interval", "ss_interval", Kind::Time(SECOND), "1", "How often to look."),
    opt("iops_wanted", "", Kind::Numbers(0, U32), "", "Requests a second that a verdict below the job compares with.")
        .differs("fsbench's own; fio has no such option."),
];
