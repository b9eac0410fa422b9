//! What fio printed, read back into a Record.

use crate::testing::{job, of_jobs};
use fsbench_results::model::Bytes;
use fsbench_results::model::job::{BlockSizes, Engine, EngineName, Job, Mode, Unified};
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

    pub(super) fn rich() -> Self {
        Self::read(include_str!("../../../tests/fio/rich.jsonplus"))
    }

    fn job(&self, index: usize) -> JobRecord {
        let value = &self.0["jobs"][index];
        let runtime_ns = int(value, "job_runtime") * 1_000_000;
        let of_way = |way: &&str| value[*way]["total_ios"].as_u64();
        let apart: u64 = ["read", "write", "trim"].iter().filter_map(of_way).sum();
        let reads = if value["read"].is_object() { &value["read"] } else { &value["mixed"] };
        let requests = if apart > 0 { apart } else { int(reads, "total_ios") };
        let time = |key| (float(value, key) / 100.0 * runtime_ns as f64).round() as u64;
        JobRecord {
            runtime_ns,
            read: direction(reads),
            write: direction(&value["write"]),
            trim: direction(&value["trim"]),
            sync: syncs(&value["sync"]),
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
    let missing = total.saturating_sub(counts.iter().sum());
    if let Some(small) = counts.iter_mut().find(|count| **count == 1) {
        *small += missing;
    }
    counts.try_into().expect("seven")
}

fn syncs(value: &Value) -> DirectionRecord {
    let requests = value["total_ios"].as_u64().unwrap_or(0);
    let lat = if requests > 0 { latency(&value["lat_ns"]) } else { LatencyRecord::default() };
    DirectionRecord { requests, lat, ..DirectionRecord::default() }
}

fn direction(value: &Value) -> DirectionRecord {
    if value.is_null() {
        return DirectionRecord::default();
    }
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

/// The options of a section of a job file, in their order, which a parser of JSON does not keep.
fn options(file: &str, section: &str) -> Vec<(String, String)> {
    let lines = file.lines().skip_while(|line| *line != format!("[{section}]")).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let pairs = lines.map(|line| line.split_once('=').unwrap_or((line, "1")));
    pairs.filter(|(key, _)| *key != "stonewall").map(|(key, value)| (key.into(), value.into())).collect()
}

/// A job as it stands in a file.
fn named(file: &str, name: &str) -> Job {
    Job { typed: options(file, name), globals: options(file, "global"), ..job(name) }
}

/// The two jobs of `mixed.fio`.
pub(super) fn plans() -> [Job; 2] {
    let file = include_str!("../../../tests/fio/mixed.fio");
    let [mut mix, mut seqw] = ["mix", "seqw"].map(|name| named(file, name));
    mix.pattern.mode = Mode::ReadWrite;
    mix.engine.name = EngineName::Libaio;
    mix.grouped = true;
    mix.clones = 2;
    seqw.pattern.mode = Mode::Write;
    seqw.pattern.random = false;
    seqw.group = 1;
    seqw.description = Some("hello world".into());
    (mix.engine.depth, seqw.engine.depth) = (8, 8);
    [mix, seqw]
}

/// The five jobs of `rich.fio`.
fn rich_plans() -> [Job; 5] {
    let file = include_str!("../../../tests/fio/rich.fio");
    let mut all = ["grouped", "synced", "both", "bits", "slow"].map(|name| named(file, name));
    all.iter_mut().zip(0..).for_each(|(plan, group)| plan.group = group);
    let [grouped, synced, both, bits, slow] = &mut all;
    grouped.pattern.mode = Mode::ReadWrite;
    grouped.engine = Engine { name: EngineName::Libaio, depth: 8, direct: true, ..Engine::default() };
    (grouped.grouped, grouped.clones) = (true, 2);
    (synced.pattern.mode, synced.pattern.random) = (Mode::Write, false);
    synced.pattern.blocks = [16_384; 3].map(|bytes| BlockSizes::Fixed(Bytes(bytes)));
    synced.description = Some("every sixteenth is synced".into());
    synced.output.percentiles = vec![50.0, 99.0, 99.999];
    (synced.output.slat_percentiles, synced.output.lat_percentiles, synced.output.errors) = (true, true, true);
    (both.pattern.mode, both.pattern.random) = (Mode::ReadWrite, false);
    both.pattern.blocks = [4096, 32_768, 32_768].map(|bytes| BlockSizes::Fixed(Bytes(bytes)));
    both.output.unified = Unified::Both;
    bits.pattern.mode = Mode::Trim;
    (bits.output.kb_base, bits.output.bits) = (1000, true);
    slow.pattern.random = false;
    slow.engine.depth = 4;
    slow.output.unified = Unified::Mixed;
    [both, bits, slow].into_iter().for_each(|plan| plan.engine.name = EngineName::Null);
    all
}

/// A Record of what `sample` says of `rich.fio`. fio put both jobs of the group together: all is in the first.
pub(super) fn rich(sample: &Sample) -> Record {
    let mut phases: Vec<Vec<(Job, JobRecord)>> =
        rich_plans().into_iter().enumerate().map(|(at, plan)| vec![(plan, sample.job(at))]).collect();
    let mut second = phases[0][0].0.clone();
    second.clone = 1;
    phases[0].push((second, JobRecord { depth: 8, ..JobRecord::default() }));
    for (phase, id) in phases.iter_mut().zip([26_069, 26_130, 26_149, 26_158, 26_164]) {
        phase[0].1.thread_id = id;
    }
    let mut record = of_jobs(phases);
    record.phases[0].repetitions[0].disks = vec![disk(sample)];
    record
}

/// A Record of what `sample` says of `mixed.fio`.
pub(super) fn mixed(sample: &Sample) -> Record {
    let [mix, seqw] = plans();
    let mut record = of_jobs(vec![vec![(mix, sample.job(0))], vec![(seqw, sample.job(1))]]);
    record.phases[0].repetitions[0].disks = vec![disk(sample)];
    record
}

fn disk(sample: &Sample) -> DiskRecord {
    let value = &sample.0["disk_util"][0];
    let span_ms = 1_000_000_000;
    DiskRecord {
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
    }
}

/// The lines that differ, theirs and ours, without shares of latencies, which hang on a bucket at a limit.
pub(super) fn difference(theirs: &str, ours: &str) -> String {
    let (theirs, ours) = (without_shares(theirs), without_shares(ours));
    let count = theirs.len().max(ours.len());
    let line = |lines: &[String], at: usize| lines.get(at).map_or("(no line)", String::as_str).to_string();
    let pairs = (0..count).map(|at| (line(&theirs, at), line(&ours, at)));
    pairs.filter(|(a, b)| a != b).map(|(a, b)| format!("- {}\n+ {}\n", a.trim_start(), b.trim_start())).collect()
}

fn without_shares(text: &str) -> Vec<String> {
    let mut is_share = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        is_share = (is_share || line.contains("\"latency_ns\" : {")) && !line.contains("\"latency_depth\"");
        if !is_share && !line.starts_with("  lat (") {
            lines.push(line.to_string());
        }
    }
    lines
}
