//! The rows of Google Benchmark's table: what each number means.

use super::number::finite;
use fsbench_results::model::{Phase, Program, Stop};
use fsbench_results::{Kind, PhaseRecord, Record, Repetition, Statistic, aggregate};
use std::collections::BTreeMap;

/// One repetition, or one aggregate of several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunType {
    /// One repetition of a phase.
    Iteration,
    /// A statistic over its repetitions.
    Aggregate,
}

/// How a counter is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags {
    /// Something per second: unit `/s`.
    pub rate: bool,
    /// Seconds per something (together with `rate`): unit `s`.
    pub inverted: bool,
}

impl Flags {
    /// The unit in the console.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match (self.rate, self.inverted) {
            (true, false) => "/s",
            (true, true) => "s",
            (false, _) => "",
        }
    }
}

/// One user counter.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counter {
    /// The finished value; a fraction in a `cv` row.
    pub value: f64,
    /// How it is shown.
    pub flags: Flags,
}

/// What fsbench knows of a repetition beyond Google Benchmark's columns, for the CSV.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extra {
    /// p50, p90, p99 and p99.9 of the operation's latency, `None` when none ended well.
    pub quantiles_ns: Option<[u64; 4]>,
    /// The longest operation.
    pub max_ns: u64,
    /// Errors of all kinds.
    pub errors: u64,
    /// Requests that were tried again.
    pub retries: u64,
    /// CPU time of the client process.
    pub client_cpu_ns: u64,
}

/// One row.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name as printed, with the aggregate's suffix.
    pub name: String,
    /// Name without it.
    pub run_name: String,
    /// Number of the phase.
    pub family_index: usize,
    /// Always 0: a phase has one instance.
    pub per_family_instance_index: usize,
    /// Repetition or aggregate.
    pub run_type: RunType,
    /// Repetitions that were planned.
    pub repetitions: u32,
    /// Which repetition it is; `None` in aggregates.
    pub repetition_index: Option<u32>,
    /// Workers.
    pub threads: u32,
    /// Which statistic it is; `None` in repetitions.
    pub statistic: Option<Statistic>,
    /// Operations that ended well; in aggregates the repetitions that they are computed from.
    pub iterations: u64,
    /// Mean latency of one operation in ms; a fraction in a `cv` row.
    pub real_time_ms: f64,
    /// CPU time of the whole client process for each operation in ms; a fraction in a `cv` row.
    pub cpu_time_ms: f64,
    /// User counters in order of name.
    pub counters: BTreeMap<&'static str, Counter>,
    /// Why there is no number: no operation of the repetition ended well.
    pub error: Option<String>,
    /// More about a repetition; `None` in aggregates.
    pub extra: Option<Extra>,
}

impl Row {
    /// `mean`, `median`, `stddev`, `cv`, `max` or `min`; `None` in repetitions.
    #[must_use]
    pub fn aggregate_name(&self) -> Option<&'static str> {
        self.statistic.map(Statistic::name)
    }

    /// `time` or `percentage`; `None` in repetitions.
    #[must_use]
    pub fn aggregate_unit(&self) -> Option<&'static str> {
        self.statistic.map(|s| if s == Statistic::Cv { "percentage" } else { "time" })
    }

    /// Whether its numbers are fractions, shown as percentages.
    #[must_use]
    pub fn is_fraction(&self) -> bool {
        self.statistic == Some(Statistic::Cv)
    }
}

/// All rows of a Record, phase by phase, repetitions first and then their aggregates.
///
/// Time is the mean latency of the operations that ended well. CPU is the CPU time of the whole client process for
/// each operation. Rates are all bytes of all workers over the wall time of the repetition; totals are all bytes;
/// `ReadTime(S)`, `WriteTime(S)` and `OpenReaderTime(S)` are sums over all workers; a `…Cost` is the mean time of one
/// call. Aggregates are over the repetitions that ran to their end and are not in error, when there are two or more.
/// Jobs that counted no operations have no rows: [`crate::fio`] shows them.
#[must_use]
pub fn rows(record: &Record) -> Vec<Row> {
    let mut all = Vec::new();
    for (index, phase) in record.phases.iter().enumerate() {
        if is_of_jobs_alone(record, index, phase) {
            continue;
        }
        let family = Family::new(record, index, phase);
        let runs: Vec<Row> = phase.repetitions.iter().map(|repetition| family.run(repetition)).collect();
        let whole: Vec<&Row> = runs
            .iter()
            .zip(&phase.repetitions)
            .filter(|(row, repetition)| row.error.is_none() && !repetition.interrupted)
            .map(|(row, _)| row)
            .collect();
        let aggregates = aggregates(&whole);
        all.extend(runs);
        all.extend(aggregates);
    }
    all
}

/// Whether a phase ran jobs, and nothing in it was counted as an operation.
fn is_of_jobs_alone(record: &Record, index: usize, phase: &PhaseRecord) -> bool {
    let plan = super::planned(record, index, &phase.name);
    let is_of_jobs = plan.is_some_and(|plan| matches!(plan.program, Program::Jobs(_)));
    is_of_jobs && phase.repetitions.iter().all(|repetition| repetition.kind(Kind::Operation).is_none())
}

/// What the rows of one phase share.
struct Family<'a> {
    index: usize,
    run_name: String,
    plan: Option<&'a Phase>,
    repetitions: u32,
    threads: u32,
    is_s3: bool,
}

impl<'a> Family<'a> {
    fn new(record: &'a Record, index: usize, phase: &PhaseRecord) -> Self {
        let plan = super::planned(record, index, &phase.name);
        let repetitions = plan.map_or(phase.repetitions.len() as u32, |p| p.repetitions);
        let threads = plan.map_or(1, |p| p.workers);
        let iterations = match plan.map(|p| p.stop) {
            Some(Stop::Iterations(n)) => format!("/iterations:{n}"),
            _ => String::new(),
        };
        Self {
            index,
            run_name: format!("{}{iterations}/repeats:{repetitions}/manual_time/threads:{threads}", phase.name),
            plan,
            repetitions,
            threads,
            is_s3: record.plan.target.uri.starts_with("s3:"),
        }
    }

    fn run(&self, repetition: &Repetition) -> Row {
        let error = error_of(repetition);
        let done = repetition.operations.saturating_sub(repetition.failed);
        let cpu_ms = repetition.resources.cpu_ns() as f64 / repetition.operations.max(1) as f64 / 1e6;
        let has_numbers = error.is_none();
        Row {
            name: self.run_name.clone(),
            run_name: self.run_name.clone(),
            family_index: self.index,
            per_family_instance_index: 0,
            run_type: RunType::Iteration,
            repetitions: self.repetitions,
            repetition_index: Some(repetition.index),
            threads: self.threads,
            statistic: None,
            iterations: done,
            real_time_ms: if has_numbers { mean_seconds(repetition) * 1e3 } else { 0.0 },
            cpu_time_ms: if has_numbers { cpu_ms } else { 0.0 },
            counters: if has_numbers { self.counters(repetition) } else { BTreeMap::new() },
            error,
            extra: Some(extra_of(repetition)),
        }
    }

    fn counters(&self, repetition: &Repetition) -> BTreeMap<&'static str, Counter> {
        let Some(phase) = self.plan else { return BTreeMap::new() };
        let rate = || Counter { value: per_second(repetition), flags: Flags { rate: true, inverted: false } };
        let plain = |value| Counter { value, flags: Flags::default() };
        let busy = plain(busy_seconds(repetition, Kind::Operation));
        let total = plain(repetition.bytes as f64);
        let cost = |name| {
            let flags = Flags { rate: true, inverted: true };
            BTreeMap::from([(name, Counter { value: mean_seconds(repetition), flags })])
        };
        match phase.program {
            Program::Read(_) => {
                let mut counters =
                    BTreeMap::from([("ReadRate(B/S)", rate()), ("ReadTime(S)", busy), ("ReadTotal(B)", total)]);
                if !self.is_s3 {
                    counters.insert("OpenReaderTime(S)", plain(busy_seconds(repetition, Kind::Open)));
                }
                counters
            }
            Program::Write(_) => {
                BTreeMap::from([("WriteRate(B/S)", rate()), ("WriteTime(S)", busy), ("WriteTotal(B)", total)])
            }
            Program::Exists(_) => cost("ExistsCost"),
            Program::List(_) => cost("ListCost"),
            Program::Rename(_) => cost("RenameCost"),
            Program::Delete(_) => cost("DeleteCost"),
            Program::SmallFiles(_) => cost("FileCost"),
            Program::Jobs(_) => BTreeMap::from([("IoRate(B/S)", rate()), ("IoTotal(B)", total)]),
        }
    }
}

/// Why a repetition has no numbers, if it has none.
fn error_of(repetition: &Repetition) -> Option<String> {
    if repetition.operations > repetition.failed {
        return None;
    }
    let first = repetition.errors.first().map(|e| e.first.clone());
    Some(first.unwrap_or_else(|| match repetition.interrupted {
        true => "interrupted before the first operation ended".into(),
        false => "no operation ended".into(),
    }))
}

fn extra_of(repetition: &Repetition) -> Extra {
    let operation = repetition.kind(Kind::Operation);
    let quantile = |q| operation.and_then(|kind| kind.quantile_ns(q));
    let quantiles = [quantile(0.5), quantile(0.9), quantile(0.99), quantile(0.999)];
    Extra {
        quantiles_ns: match quantiles {
            [Some(a), Some(b), Some(c), Some(d)] => Some([a, b, c, d]),
            _ => None,
        },
        max_ns: operation.map_or(0, |kind| kind.max_ns),
        errors: repetition.error_count(),
        retries: repetition.counted("retries"),
        client_cpu_ns: repetition.resources.cpu_ns(),
    }
}

fn mean_seconds(repetition: &Repetition) -> f64 {
    repetition.kind(Kind::Operation).map_or(0.0, |kind| kind.mean_ns() / 1e9)
}

fn busy_seconds(repetition: &Repetition, kind: Kind) -> f64 {
    repetition.kind(kind).map_or(0.0, |kind| kind.busy_ns as f64 / 1e9)
}

/// Bytes of all workers over wall time, 0 for no time.
fn per_second(repetition: &Repetition) -> f64 {
    match repetition.elapsed_ns {
        0 => 0.0,
        ns => repetition.bytes as f64 / (ns as f64 / 1e9),
    }
}

/// The six aggregates, or nothing for fewer than two runs.
fn aggregates(runs: &[&Row]) -> Vec<Row> {
    let [first, _, ..] = runs else { return Vec::new() };
    Statistic::ALL.into_iter().map(|statistic| aggregated(first, runs, statistic)).collect()
}

fn aggregated(first: &Row, runs: &[&Row], statistic: Statistic) -> Row {
    let over = |value: &dyn Fn(&Row) -> f64| {
        let values: Vec<f64> = runs.iter().map(|row| value(row)).collect();
        finite(aggregate(statistic, &values))
    };
    let counters = first.counters.iter().map(|(name, counter)| {
        let value = over(&|row| row.counters.get(name).map_or(0.0, |c| c.value));
        (*name, Counter { value, flags: counter.flags })
    });
    Row {
        name: format!("{}_{}", first.run_name, statistic.name()),
        run_type: RunType::Aggregate,
        repetition_index: None,
        statistic: Some(statistic),
        iterations: runs.len() as u64,
        real_time_ms: over(&|row| row.real_time_ms),
        cpu_time_ms: over(&|row| row.cpu_time_ms),
        counters: counters.collect(),
        error: None,
        extra: None,
        ..first.clone()
    }
}
