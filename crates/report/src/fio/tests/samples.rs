//! What fio printed, read back into a Record.

use crate::testing::{job, of_jobs};
use fsbench_results::model::job::{EngineName, Job, Mode};
use fsbench_results::{DirectionRecord, DiskRecord, JobRecord, Latencies, LatencyRecord, Moments, Record};
use serde_json::Value;

/// A document of fio's, with its members in their order.
pub(super) struct Sample(pub(super) Value);

impl Sample {
    pub(super) fn json() -> Self {
        Self::read(include_str!("../../../tests/fio/mixed.json"))
    }

    pub(super) fn read(text: &str) -> Self {
        Self(serde_json::from_str(text).expect("JSON"))
    }

    fn job(&self, index: usize) -> JobRecord {
        let value = &self.0["jobs"][index];
        let runtime_ns = int(value, "job_runtime") * 1_000_000;
        let requests = ["read", "write", "trim"].map(|way| int(&value[way], "total_ios")).iter().sum();
        let time = |key| (float(value, key) / 100.0 * runtime_ns as f64).round() as u64;
        JobRecord {
            runtime_ns,
            read: direction(&value["read"]),
            write: direction(&value["write"]),
            trim: direction(&value["trim"]),
            sync: DirectionRecord { lat: latency(&value["sync"]["lat_ns"]), ..DirectionRecord::default() },
            user_ns: time("usr_cpu"),
            system_ns: time("sys_cpu"),
            context_switches: int(value, "ctx"),
            major_faults: int(value, "majf"),
            minor_faults: int(value, "minf"),
            depths: counts(&value["iodepth_level"], requests),
            submits: counts(&value["iodepth_submit"], requests),
            completes: counts(&value["iodepth_complete"], requests),
            depth: int(value, "latency_depth") as u32,
            ..JobRecord::default()
        }
    }
}

fn int(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or_else(|| panic!("{key} is an integer"))
}

fn float(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("{key} is a number"))
}

/// Sums that give these means and deviations again.
fn moments(count: u64, extremes: (u64, u64), mean: f64, deviation: f64) -> Moments {
    let n = count as f64;
    let sum = (mean * n).round();
    let exact = if count == 0 { 0.0 } else { sum / n };
    let squares = deviation * deviation * (n - 1.0).max(0.0) + n * exact * exact;
    Moments { count, min: extremes.0, max: extremes.1, sum: sum as u128, squares }
}

fn latency(value: &Value) -> LatencyRecord {
    let extremes = (int(value, "min"), int(value, "max"));
    let mut record = LatencyRecord {
        moments: moments(int(value, "N"), extremes, float(value, "mean"), float(value, "stddev")),
        latencies: None,
    };
    let ns = |text: &str| text.parse().expect("nanoseconds");
    let mut latencies = Latencies::default();
    if let Some(bins) = value["bins"].as_object() {
        bins.iter().for_each(|(text, count)| latencies.record_many(ns(text), count.as_u64().expect("a count")));
    } else if let Some(percentiles) = value["percentile"].as_object() {
        let values = percentiles.iter().map(|(text, ns)| (text.parse().expect("a percent"), ns.as_u64().expect("ns")));
        percentile_counts(values, record.moments.count).for_each(|(ns, count)| latencies.record_many(ns, count));
    } else {
        return record;
    }
    record.latencies = Some(latencies);
    record
}

/// As many at each value as it takes for a percentile to be there; what is above the last has its value.
fn percentile_counts(values: impl Iterator<Item = (f64, u64)>, count: u64) -> impl Iterator<Item = (u64, u64)> {
    let mut values: Vec<(f64, u64)> = values.collect();
    values.sort_by(|a, b| a.0.total_cmp(&b.0));
    let last = values.len() - 1;
    let mut below = 0;
    values.into_iter().enumerate().map(move |(at, (percent, ns))| {
        let until = if at == last { count } else { (percent / 100.0 * count as f64).ceil() as u64 };
        let here = until - below;
        below = until;
        (ns, here)
    })
}

/// Counts that give these shares of `total` again; of what was raised to 0.1 % there is one each, and the first has
/// what is missing.
fn counts(shares: &Value, total: u64) -> [u64; 7] {
    let keys = ["0", "1", "2", "4", "8", "16", "32", "64", ">=64"];
    let shares: Vec<f64> = keys.iter().filter_map(|key| shares[key].as_f64()).collect();
    let of =
        |share: &f64| if *share <= 0.1 { share.ceil() as u64 } else { (share / 100.0 * total as f64).round() as u64 };
    let mut counts: Vec<u64> = shares.iter().map(of).collect();
    let missing = total - counts.iter().sum::<u64>();
    if let Some(small) = counts.iter_mut().find(|count| **count == 1) {
        *small += missing;
    }
    counts.try_into().expect("seven")
}

fn direction(value: &Value) -> DirectionRecord {
    let windows = |name: &str, deviation: &str| {
        let key = |end: &str| format!("{name}_{end}");
        let extremes = (int(value, &key("min")), int(value, &key("max")));
        moments(int(value, &key("samples")), extremes, float(value, &key("mean")), float(value, &key(deviation)))
    };
    DirectionRecord {
        bytes: int(value, "io_bytes"),
        requests: int(value, "total_ios"),
        short: int(value, "short_ios"),
        runtime_ns: int(value, "runtime") * 1_000_000,
        slat: latency(&value["slat_ns"]),
        clat: latency(&value["clat_ns"]),
        lat: latency(&value["lat_ns"]),
        due: LatencyRecord::default(),
        bandwidth: windows("bw", "dev"),
        iops: windows("iops", "stddev"),
    }
}

/// `a=1 b=2` as options in that order, which a parser of JSON does not keep.
fn options(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(' ').map(|pair| pair.split_once('=').expect("a value"));
    pairs.map(|(key, value)| (key.into(), value.replace('_', " "))).collect()
}

/// The two jobs of `mixed.fio`.
pub(super) fn plans() -> [Job; 2] {
    let [mut mix, mut seqw] = [job("mix"), job("seqw")];
    mix.pattern.mode = Mode::ReadWrite;
    mix.engine.name = EngineName::Libaio;
    mix.grouped = true;
    mix.clones = 2;
    seqw.pattern.mode = Mode::Write;
    seqw.pattern.random = false;
    seqw.group = 1;
    seqw.description = Some("hello world".into());
    mix.typed = options("rw=randrw rwmixread=70 numjobs=2 group_reporting=1");
    seqw.typed = options("rw=write ioengine=psync end_fsync=1 description=hello_world");
    for job in [&mut mix, &mut seqw] {
        job.engine.depth = 8;
        job.globals = options("directory=d size=16m bs=4k ioengine=libaio iodepth=8 direct=1 runtime=2 time-based=1");
        job.globals[7].0 = "time_based".into();
    }
    [mix, seqw]
}

/// A Record of what `sample` says of `mixed.fio`.
pub(super) fn mixed(sample: &Sample) -> Record {
    let [mix, seqw] = plans();
    let mut record = of_jobs(vec![vec![(mix, sample.job(0))], vec![(seqw, sample.job(1))]]);
    let value = &sample.0["disk_util"][0];
    let span_ms = 1_000_000_000;
    record.phases[0].repetitions[0].disks = vec![DiskRecord {
        name: value["name"].as_str().expect("a name").into(),
        reads: int(value, "read_ios"),
        writes: int(value, "write_ios"),
        read_merges: int(value, "read_merges"),
        write_merges: int(value, "write_merges"),
        read_ticks: int(value, "read_ticks"),
        write_ticks: int(value, "write_ticks"),
        in_queue: int(value, "in_queue"),
        busy_ms: (float(value, "util") / 100.0 * span_ms as f64).round() as u64,
        span_ms,
        ..DiskRecord::default()
    }];
    record
}

/// The lines that differ, theirs and ours.
pub(super) fn difference(theirs: &str, ours: &str) -> String {
    let without_shares = |text: &str| {
        let shown = text.split("\"latency_ns\" : {").map(|part| match part.split_once("\"latency_depth\"") {
            Some((_, rest)) => rest.to_string(),
            None => part.to_string(),
        });
        shown.collect::<Vec<String>>().join("")
    };
    let (theirs, ours) = (without_shares(theirs), without_shares(ours));
    let (theirs, ours) = (theirs.as_str(), ours.as_str());
    let count = theirs.lines().count().max(ours.lines().count());
    let line = |text: &str, at| text.lines().nth(at).unwrap_or("(no line)").to_string();
    let pairs = (0..count).map(|at| (at, line(theirs, at), line(ours, at)));
    pairs.filter(|(_, a, b)| a != b).map(|(at, a, b)| format!("{}: {a} | {b}\n", at + 1)).collect()
}
