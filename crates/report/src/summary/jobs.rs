//! Phases of block I/O: a line for each job and direction, and what the jobs say of themselves.

use super::{PhaseView, counted};
use fsbench_results::model::job::{Direction, Job};
use fsbench_results::model::{Program, Span};
use fsbench_results::{DirectionRecord, JobRecord, LatencyRecord, Repetition};

const MIB: f64 = 1_048_576.0;
/// Columns of a job's name; what is longer stands in a line of its own.
const NAME: usize = 24;

/// All clones of a job in one direction, over all repetitions.
struct Line<'a> {
    job: &'a str,
    way: &'static str,
    record: DirectionRecord,
}

/// The table; empty for other phases.
pub(super) fn table(phase: &PhaseView<'_>) -> String {
    let lines = lines(phase);
    if lines.is_empty() {
        return String::new();
    }
    let mut out = row("job", ["requests", "MiB/s", "IOPS", "mean", "p50", "p99", "max"].map(String::from));
    lines.iter().for_each(|line| out.push_str(&row(&format!("{} {}", line.job, line.way), values(&line.record))));
    out
}

fn plans<'a>(phase: &PhaseView<'a>) -> &'a [Job] {
    match phase.plan.map(|plan| &plan.program) {
        Some(Program::Jobs(jobs)) => &jobs.jobs,
        _ => &[],
    }
}

fn lines<'a>(phase: &PhaseView<'a>) -> Vec<Line<'a>> {
    let mut all: Vec<Line<'a>> = Vec::new();
    for repetition in &phase.phase.repetitions {
        for line in of_repetition(plans(phase), repetition) {
            match all.iter_mut().find(|old| (old.job, old.way) == (line.job, line.way)) {
                Some(old) => {
                    let runtime_ns = old.record.runtime_ns + line.record.runtime_ns;
                    old.record.merge(&line.record);
                    old.record.runtime_ns = runtime_ns;
                }
                None => all.push(line),
            }
        }
    }
    all
}

fn of_repetition<'a>(plans: &'a [Job], repetition: &Repetition) -> Vec<Line<'a>> {
    let mut all: Vec<Line<'a>> = Vec::new();
    for record in &repetition.jobs {
        let Some(job) = plans.get(record.job as usize).map(|job| job.name.as_str()) else { continue };
        for (way, record) in ways(record).into_iter().filter(|(_, record)| record.requests > 0) {
            match all.iter_mut().find(|old| (old.job, old.way) == (job, way)) {
                Some(old) => old.record.merge(record),
                None => all.push(Line { job, way, record: record.clone() }),
            }
        }
    }
    all
}

fn ways(record: &JobRecord) -> [(&'static str, &DirectionRecord); 4] {
    let [read, write, trim] = Direction::ALL.map(Direction::name);
    [(read, &record.read), (write, &record.write), (trim, &record.trim), ("sync", &record.sync)]
}

fn values(record: &DirectionRecord) -> [String; 7] {
    let latency = if record.clat.moments.count > 0 { &record.clat } else { &record.lat };
    let seconds = Span(record.runtime_ns).seconds();
    let rate = |amount: f64| if seconds > 0.0 { super::facts::short(amount / seconds) } else { "-".into() };
    let bandwidth = if record.bytes == 0 { "-".into() } else { rate(record.bytes as f64 / MIB) };
    let moments = &latency.moments;
    let time = |ns: Option<u64>| ns.map_or("-".into(), |ns| Span(ns).to_string());
    let measured = |ns: u64| time((moments.count > 0).then_some(ns));
    [
        record.requests.to_string(),
        bandwidth,
        rate(record.requests as f64),
        measured(moments.mean().round() as u64),
        time(quantile(latency, 0.5)),
        time(quantile(latency, 0.99)),
        measured(moments.max),
    ]
}

/// Never outside of the exact extremes.
fn quantile(record: &LatencyRecord, quantile: f64) -> Option<u64> {
    let found = record.latencies.as_ref()?.quantile(quantile)?;
    Some(found.max(record.moments.min).min(record.moments.max))
}

fn row(name: &str, values: [String; 7]) -> String {
    let values: Vec<String> =
        values.iter().zip([10, 8, 8, 9, 9, 9, 9]).map(|(value, width)| format!(" {value:>width$}")).collect();
    match name.chars().count() > NAME {
        true => format!("  {name}\n  {:<NAME$}{}\n", "", values.concat()),
        false => format!("  {name:<NAME$}{}\n", values.concat()),
    }
}

/// Latency from when the schedule wanted a request, for jobs with a rate.
pub(super) fn due(phase: &PhaseView<'_>) -> Vec<String> {
    let with_rate = lines(phase).into_iter().filter(|line| line.record.due.moments.count > 0);
    let text = |line: Line<'_>| {
        let due = &line.record.due;
        let quantile = |share| quantile(due, share).map_or("-".into(), |ns| Span(ns).to_string());
        let (median, high) = (quantile(0.5), quantile(0.99));
        format!("{} {}: p50 {median}, p99 {high}, max {}", line.job, line.way, Span(due.moments.max))
    };
    with_rate.map(text).collect()
}

/// What was verified, of all jobs.
pub(super) fn verified(phase: &PhaseView<'_>) -> Option<String> {
    let sum = |of: fn(&JobRecord) -> u64| phase.sum(|repetition| repetition.jobs.iter().map(of).sum());
    let (blocks, bad) = (sum(|job| job.verified), sum(|job| job.verify_failures));
    (blocks + bad > 0).then(|| format!("{}, {bad} of them wrong", counted(blocks, "block")))
}

/// What ended a job, and how many errors it survived; each sentence once.
pub(super) fn errors(phase: &PhaseView<'_>) -> Vec<String> {
    let records = phase.phase.repetitions.iter().flat_map(|repetition| &repetition.jobs);
    distinct(records.flat_map(|record| {
        let name = plans(phase).get(record.job as usize).map_or("?", |job| job.name.as_str());
        let ended =
            (record.error != 0).then(|| format!("{name} ended by error {}: {}", record.error, record.error_text));
        let survived = (record.errors > 0).then(|| format!("{name} survived {}", counted(record.errors, "error")));
        ended.into_iter().chain(survived)
    }))
}

/// What the jobs want the user to know.
pub(super) fn notes(phase: &PhaseView<'_>) -> Vec<String> {
    let records = phase.phase.repetitions.iter().flat_map(|repetition| &repetition.jobs);
    distinct(records.flat_map(|record| {
        let name = plans(phase).get(record.job as usize).map_or("?", |job| job.name.as_str());
        record.notes.iter().map(move |note| format!("{name}: {note}"))
    }))
}

fn distinct(all: impl Iterator<Item = String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    all.for_each(|text| {
        if !kept.contains(&text) {
            kept.push(text);
        }
    });
    kept
}
