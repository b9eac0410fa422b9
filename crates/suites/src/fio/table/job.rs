//! Options of jobs as a whole: how many, when, how long.

use super::super::options::{Kind, Opt, SECOND, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt("description", "", Kind::Text, "", "Text about the job, shown in reports."),
    opt("name", "", Kind::Text, "", "Name of the job; on the command line it starts a job."),
    opt("wait_for", "", Kind::Text, "", "Start when the job of this name, all its clones, has ended."),
    opt("loops", "", Kind::Number(1, U32), "1", "Passes."),
    opt("numjobs", "", Kind::Number(1, 65536), "1", "Clones of the job."),
    opt("startdelay", "", Kind::TimeRange(SECOND), "0", "Start so much later; a range is a random delay."),
    opt("runtime", "timeout", Kind::Time(SECOND), "0", "End after this."),
    opt("time_based", "", Kind::Flag, "", "Go on until runtime is over.")
        .differs("Without runtime it is an error, where fio ignores it."),
    opt("ramp_time", "", Kind::Time(SECOND), "", "Do not measure this much of the beginning."),
    opt("ramp_size", "", Kind::Part, "", "Do not measure so many bytes of the beginning.")
        .rejected("Only a time is implemented; use ramp_time."),
    opt("exitall", "", Kind::Flag, "", "When this job ends, others end, too."),
    opt("exit_what", "", Kind::Word(&["group", "stonewall", "all"]), "group", "Which others."),
    opt("exitall_on_error", "", Kind::Flag, "", "When this job fails, others end."),
    opt(
        "stonewall",
        "wait_for_previous",
        Kind::Flag,
        "",
        "Start when all jobs before have ended; begins a reporting group.",
    ),
    opt("new_group", "", Kind::Flag, "", "Begin a reporting group."),
    opt("thread", "", Kind::Flag, "", "Threads instead of processes.")
        .noted("Workers are always threads of one process."),
    opt("threads", "", Kind::Flag, "", "An old spelling of thread.")
        .noted("Workers are always threads of one process."),
    opt("profile", "", Kind::Word(&["tiobench", "act"]), "", "A built-in set of jobs.")
        .rejected("Profiles are not built in; write their jobs, or see --list-jobs."),
];
