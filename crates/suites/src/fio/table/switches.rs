//! Switches of the command line: fio's own, and ours.

use super::super::options::{Kind, Opt, SECOND, U32, opt};

const REMOTE: &str = "fsbench has no daemon that takes orders; run it on each host, as in: ssh HOST fsbench fio …";
const TRIGGER: &str = "Triggers are not implemented; send SIGINT from outside, what was measured is kept.";

pub(in super::super) const SWITCHES: &[Opt] = &[
    opt("output", "", Kind::Text, "", "Write results to this file."),
    opt("output-format", "", Kind::Text, "normal", "normal, terse, json, json+; several, separated by commas."),
    opt("minimal", "", Kind::Flag, "", "The same as --output-format=terse."),
    opt("append-terse", "", Kind::Flag, "", "Add terse to the formats."),
    opt("terse-version", "", Kind::Number(2, 5), "3", "Version of the terse format."),
    opt("bandwidth-log", "", Kind::LogName, "", "Write logs of the bandwidth of all jobs together.")
        .rejected("Use write_bw_log with per_job_logs=0 and group_reporting; the Record has all bandwidths over time."),
    opt("parse-only", "", Kind::Flag, "", "Check the options and stop."),
    opt("showcmd", "", Kind::Flag, "", "Show job files as a command line and stop."),
    opt("cmdhelp", "", Kind::LogName, "", "Show what an option means; all, or nothing, lists them."),
    opt("enghelp", "", Kind::LogName, "", "List the engines, or the options of one."),
    opt("version", "", Kind::Flag, "", "Show the version.").differs("It ends with fsbench's own version."),
    opt("help", "", Kind::LogName, "", "Show this help; --help=man is a page for man, --help=all has every option."),
    opt("readonly", "", Kind::Flag, "", "Refuse jobs that write or trim."),
    opt("eta", "", Kind::Word(&["always", "never", "auto"]), "auto", "When the progress line is shown."),
    opt("eta-interval", "", Kind::Time(SECOND / 1000), "1000", "Time between two progress lines, 250 ms or more."),
    opt("eta-newline", "", Kind::Time(SECOND), "", "Begin a new progress line after so much time."),
    opt("status-interval", "", Kind::Time(SECOND), "", "Show results so far after each such time.")
        .differs("The result file always holds one whole document, the newest."),
    opt("section", "", Kind::Text, "", "Run only this section of the job files; may be repeated."),
    opt("alloc-size", "", Kind::Number(0, U32), "", "Size of fio's shared memory.").noted("There is none."),
    opt("warnings-fatal", "", Kind::Flag, "", "Any note is an error."),
    opt("max-jobs", "", Kind::Number(1, 65_536), "4096", "Most jobs, clones counted."),
    opt("aux-path", "", Kind::Text, "", "Directory of the files that a run makes besides its data.")
        .rejected("Such files are made in the current directory; start fsbench in another one."),
    opt("idle-prof", "", Kind::Word(&["system", "percpu", "calibrate"]), "", "Show how idle the processors were.")
        .rejected("The Record has the processors' use over time."),
    opt("inflate-log", "", Kind::Text, "", "Show a compressed log.").rejected("Logs are not compressed."),
    opt("debug", "", Kind::Text, "", "Show what happens inside.").rejected("See --dry-run, which shows the plan."),
    opt("merge-blktrace-only", "", Kind::Flag, "", "Merge traces and stop.")
        .rejected("Traces of blktrace are not read."),
    opt("cpuclock-test", "", Kind::Flag, "", "Test the processor's clock.").rejected("The monotonic clock is used."),
    opt("crctest", "", Kind::LogName, "", "Measure checksums.").rejected("See fsbench selftest."),
    opt("server", "", Kind::LogName, "", "Wait for orders of other hosts.").rejected(REMOTE),
    opt("daemonize", "", Kind::Text, "", "Run --server in the background.").rejected(REMOTE),
    opt("client", "", Kind::Text, "", "Run on other hosts.").rejected(REMOTE),
    opt("remote-config", "", Kind::Text, "", "A job file of the other host.").rejected(REMOTE),
    opt("trigger-file", "", Kind::Text, "", "Run a command when this file appears.").rejected(TRIGGER),
    opt("trigger-timeout", "", Kind::Text, "", "Run a command after this time.").rejected(TRIGGER),
    opt("trigger", "", Kind::Text, "", "The command.").rejected(TRIGGER),
    opt("trigger-remote", "", Kind::Text, "", "The command of other hosts.").rejected(TRIGGER),
    opt("override", "", Kind::Text, "", "OPT=VALUE for all jobs, whatever the job files say; may be repeated.").ours(),
    opt("job", "", Kind::Text, "", "Run a ready-made job; may be repeated.").ours(),
    opt("list-jobs", "", Kind::Flag, "", "List the ready-made jobs and stop.").ours(),
    opt("scale", "", Kind::Text, "", "Multiply size, filesize and io_size by this, as in 0.01.").ours(),
    opt("cold", "", Kind::Flag, "", "Evict files from the page cache before each phase, and check that it was done.")
        .ours(),
    opt("mkdir", "", Kind::Flag, "", "Make missing directories.").ours(),
    opt("allow-destroy", "", Kind::Flag, "", "Write to devices that hold data.").ours(),
    opt("conf", "", Kind::Text, "", "File of key=value lines: how to reach a store.").ours(),
    opt("set", "", Kind::Text, "", "KEY=VALUE as in the conf file; may be repeated.").ours(),
    opt("record", "", Kind::Text, "", "Write the Record here: everything measured, as JSON.").ours(),
    opt("dry-run", "", Kind::Flag, "", "Show the plan and stop.").ours(),
];
