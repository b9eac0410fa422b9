//! Options of processes, processors, and what runs around a job.

use super::super::options::{Kind, Opt, U32, opt};

pub(super) const ROWS: &[Opt] = &[
    opt("clocksource", "", Kind::Word(&["gettimeofday", "clock_gettime", "cpu"]), "", "Which clock measures.")
        .noted("fsbench has one clock, the monotonic one."),
    opt("exec_prerun", "", Kind::Text, "", "Shell command before the job."),
    opt("exec_postrun", "", Kind::Text, "", "Shell command after the job."),
    opt("ioscheduler", "", Kind::Text, "", "Set the device's I/O scheduler.")
        .rejected("It would change the whole machine; write the name to /sys/block/DEV/queue/scheduler."),
    opt("lockmem", "", Kind::Size(0, u64::MAX), "0", "Lock so much memory.")
        .rejected("Memory is not taken away from the machine; start fsbench in a cgroup with a limit."),
    opt("comm", "", Kind::Text, "", "Name of the process.").noted("Workers are threads with names of their own."),
    opt("nice", "", Kind::Signed(-20, 19), "0", "Niceness of the worker."),
    opt("prio", "", Kind::Number(0, 7), "", "I/O priority.").rejected("I/O priorities are not set; use ionice."),
    opt("prioclass", "", Kind::Number(0, 3), "", "I/O priority class.")
        .rejected("I/O priorities are not set; use ionice."),
    opt("priohint", "", Kind::Number(0, 1023), "", "I/O priority hint.")
        .rejected("I/O priorities are not set; use ionice."),
    opt("cpumask", "", Kind::Number(0, u64::MAX), "", "Processors as a mask of bits."),
    opt("cpus_allowed", "", Kind::Processors, "", "Processors that the job may run on: 0,2-5."),
    opt(
        "cpus_allowed_policy",
        "",
        Kind::Word(&["shared", "split"]),
        "",
        "Clones share the processors, or each has one.",
    ),
    opt("numa_cpu_nodes", "", Kind::Text, "", "NUMA nodes of the processors.")
        .rejected("Nodes are not looked up; use cpus_allowed, or start fsbench with numactl."),
    opt("numa_mem_policy", "", Kind::Text, "", "NUMA policy of memory.").rejected("Start fsbench with numactl."),
    opt("gtod_cpu", "", Kind::Number(0, U32), "", "Processor that reads the clock.")
        .rejected("Each worker reads the clock itself."),
    opt("job_start_clock_id", "", Kind::Number(0, U32), "", "Clock of the start time in reports.")
        .rejected("Start times are of the real-time clock."),
    opt("cgroup", "", Kind::Text, "", "cgroup of the job.")
        .rejected("Start fsbench in a cgroup: systemd-run --scope -p IOWeight=100 fsbench fio …"),
    opt("cgroup_nodelete", "", Kind::Bool, "0", "Keep the cgroup.").rejected("cgroups are not made."),
    opt("cgroup_weight", "", Kind::Number(100, 1000), "", "Weight of the cgroup.").rejected("cgroups are not made."),
    opt("uid", "", Kind::Number(0, U32), "", "User of the job.").rejected("Start fsbench as that user."),
    opt("gid", "", Kind::Number(0, U32), "", "Group of the job.").rejected("Start fsbench as that group."),
];
