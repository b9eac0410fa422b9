//! What fio prints before a job runs: each job in a line, the version, how many start, what is laid out.

use super::number::{Unit, number};
use super::shape::style;
use fsbench_results::model::job::{BlockSizes, Job, Mode, Pattern};
use fsbench_results::model::{Plan, Program};

/// The version of fio whose options and output these are; tools look for `fio-3`.
const FIO: &str = "fio-3.42";

/// `fio-3.42-fsbench-1.2.3`.
#[must_use]
pub fn version(fsbench: &str) -> String {
    format!("{FIO}-fsbench-{fsbench}")
}

/// The lines before a run: the jobs, the version, `Starting 3 threads`, and the notes on depths that an engine cannot
/// have. `fsbench` is the program's version. The results follow after an empty line, which is theirs.
#[must_use]
pub fn header(plan: &Plan, fsbench: &str) -> String {
    let jobs: Vec<&Job> = jobs(plan).collect();
    let mut out = String::new();
    for job in &jobs {
        match job.clone {
            0 => out.push_str(&format!("{}\n", line(job))),
            1 => out.push_str("...\n"),
            _ => {}
        }
    }
    let plural = if jobs.len() == 1 { "" } else { "s" };
    out.push_str(&format!("{}\nStarting {} thread{plural}\n", version(fsbench), jobs.len()));
    if jobs.iter().any(|job| is_capped(job)) {
        out.push_str("note: both iodepth >= 1 and synchronous I/O engine are selected, ");
        out.push_str("queue depth will be capped at 1\n");
    }
    out
}

/// The line that fio prints when it makes a job's files: `files` of `bytes` together.
#[must_use]
pub fn laying_out(job: &str, files: u64, bytes: u64) -> String {
    let (plural, total) = if files == 1 { ("", "") } else { ("s", "total ") };
    format!("{job}: Laying out IO file{plural} ({files} file{plural} / {total}{}MiB)\n", bytes >> 20)
}

/// All jobs of a plan.
pub(super) fn jobs(plan: &Plan) -> impl Iterator<Item = &Job> {
    plan.phases.iter().flat_map(|phase| match &phase.program {
        Program::Jobs(jobs) => jobs.jobs.as_slice(),
        _ => &[],
    })
}

/// Whether a depth was asked for that the engine cannot have.
pub(super) fn is_capped(job: &Job) -> bool {
    job.engine.name.is_synchronous() && job.engine.depth > 1
}

fn line(job: &Job) -> String {
    let sizes = job.pattern.blocks.each_ref().map(|sizes| range(job, sizes));
    let last = if job.pattern.size_by_randomness { "bs_is_seq_rand".into() } else { format!("(T) {}", sizes[2]) };
    format!(
        "{}: (g={}): rw={}, bs=(R) {}, (W) {}, {last}, ioengine={}, iodepth={}",
        job.name,
        job.group,
        direction(&job.pattern),
        sizes[0],
        sizes[1],
        job.engine.name.name(),
        job.engine.depth
    )
}

fn range(job: &Job, sizes: &BlockSizes) -> String {
    let style = style(job);
    let text = |bytes| number(bytes, style.figures, style.binary, Unit::Byte);
    format!("{}-{}", text(sizes.min()), text(sizes.max()))
}

/// fio's `rw`, without a suffix.
pub(super) fn direction(pattern: &Pattern) -> &'static str {
    match (pattern.mode, pattern.random) {
        (Mode::Read, false) => "read",
        (Mode::Write, false) => "write",
        (Mode::Trim, false) => "trim",
        (Mode::ReadWrite, false) => "rw",
        (Mode::TrimWrite, false) => "trimwrite",
        (Mode::Read, true) => "randread",
        (Mode::Write, true) => "randwrite",
        (Mode::Trim, true) => "randtrim",
        (Mode::ReadWrite, true) => "randrw",
        (Mode::TrimWrite, true) => "randtrimwrite",
    }
}
