//! fio's JSON, key by key as fio 3.33 writes it, always one valid document.
//!
//! What differs from fio: `job options` is there even when it is empty; `eta` is 0 when nothing is left to do; status
//! intervals are members of an array `status` and not documents of their own; what fsbench knows more is in `fsbench`.

use super::Shown;
use super::buckets::{Buckets, LIMITS, MILLISECONDS};
use super::clock::end;
use super::normal::group_share;
use super::number::{milliseconds, per_second, share};
use super::shape::{Block, GroupWay, Way, blocks, disks, elapsed_ns, groups, utilization};
use super::stat::Stat;
use super::value::{Members, Value, member};
use super::{extra, header, latency, steady};
use fsbench_results::{DiskRecord, LatencyRecord, Record};

/// `json`, or `json+` with its `bins`.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Bins(bool);

/// The document of `--output-format=json`.
#[must_use]
pub fn json(record: &Record, options: &Shown) -> String {
    json_with_status(record, &[], options)
}

/// The document of `--output-format=json+`: with every bucket that is not empty.
#[must_use]
pub fn json_plus(record: &Record, options: &Shown) -> String {
    json_plus_with_status(record, &[], options)
}

/// Like [`json`], with what had been measured at each `--status-interval` in an array `status`, oldest first.
#[must_use]
pub fn json_with_status(record: &Record, snapshots: &[Record], options: &Shown) -> String {
    whole(record, snapshots, Bins(false), options)
}

/// The same for [`json_plus`].
#[must_use]
pub fn json_plus_with_status(record: &Record, snapshots: &[Record], options: &Shown) -> String {
    whole(record, snapshots, Bins(true), options)
}

fn whole(record: &Record, snapshots: &[Record], bins: Bins, options: &Shown) -> String {
    let mut members = document(record, bins, options);
    if !snapshots.is_empty() {
        let at = members.iter().position(|(key, _)| key == "fsbench").unwrap_or(members.len());
        let status = snapshots.iter().map(|snapshot| document(snapshot, bins, &Shown { extras: false })).collect();
        members.insert(at, member("status", Value::Array(status_values(status))));
    }
    Value::Object(members).document()
}

fn status_values(all: Vec<Members>) -> Vec<Value> {
    all.into_iter().map(Value::Object).collect()
}

fn document(record: &Record, bins: Bins, options: &Shown) -> Members {
    let (end, blocks) = (end(record), blocks(record));
    let groups = groups(&blocks);
    let mut members: Members = vec![
        member("fio version", header::version(&record.environment.fsbench)),
        member("timestamp", Value::Integer((end.unix_ms / 1000).into())),
        member("timestamp_ms", Value::Integer(end.unix_ms.into())),
        member("time", end.text),
    ];
    // Each job has the global options above it; the last has all.
    let globals = header::jobs(&record.plan).last().map(|job| job.globals.as_slice()).unwrap_or_default();
    if !globals.is_empty() {
        members.push(member("global options", pairs(globals)));
    }
    let elapsed = milliseconds(elapsed_ns(record)).div_ceil(1000);
    let jobs = blocks.iter().map(|block| job(block, &groups[&block.plan().group].ways, elapsed, bins, options));
    members.push(member("jobs", jobs.collect::<Value>()));
    let disks = disks(record, &blocks);
    if !disks.is_empty() {
        members.push(member("disk_util", disks.iter().map(disk).collect::<Value>()));
    }
    if options.extras {
        members.push(member("fsbench", extra::of_record(record)));
    }
    members
}

fn pairs(options: &[(String, String)]) -> Members {
    options.iter().map(|(key, value)| member(key.as_str(), value.as_str())).collect()
}

fn job(block: &Block<'_>, group: &[GroupWay; 3], elapsed: u64, bins: Bins, options: &Shown) -> Members {
    let plan = block.plan();
    let mut members: Members = vec![
        member("jobname", plan.name.as_str()),
        member("groupid", plan.group),
        member("error", block.error().map_or(0, |(number, _)| number)),
        member("eta", 0u32),
        member("elapsed", elapsed),
        member("job options", pairs(&plan.typed)),
    ];
    let shown = if block.is_mixed() { 1 } else { 3 };
    for (way, of_group) in block.ways.iter().zip(group).take(shown) {
        members.push(member(way.name, direction(block, way, of_group, bins)));
    }
    if !block.is_mixed() {
        members.push(member("sync", sync(block, bins)));
    }
    members.extend(block.mixed.iter().map(|way| member(way.name, direction(block, way, &group[0], bins))));
    members.extend(processor(block));
    members.extend(depths(block));
    members.extend(spread(block));
    if plan.output.errors {
        members.push(member("total_err", block.totals.errors));
        members.push(member("first_error", block.totals.first_error));
    }
    members.extend(depth(block));
    members.extend(plan.description.as_deref().map(|text| member("desc", text)));
    members.extend(steady::object(block).map(|object| member("steadystate", object)));
    if options.extras {
        members.push(member("fsbench", extra::of_block(block)));
    }
    members
}

fn direction(block: &Block<'_>, way: &Way, group: &GroupWay, bins: Bins) -> Members {
    let record = &way.record;
    let output = &block.plan().output;
    let iops = match record.runtime_ns {
        0 => 0.0,
        ns => record.requests as f64 * 1e9 / ns as f64,
    };
    let rate = per_second(record.bytes, record.runtime_ns);
    let kind = |kind, has_percentiles| latency_object(block, kind, has_percentiles, bins);
    let mut members: Members = vec![
        member("io_bytes", record.bytes),
        member("io_kbytes", record.bytes >> 10),
        member("bw_bytes", rate),
        member("bw", rate / 1024),
        member("iops", iops),
        member("runtime", milliseconds(record.runtime_ns)),
        member("total_ios", record.requests),
        member("short_ios", record.short),
        member("drop_ios", 0u32),
        member("slat_ns", kind(&record.slat, output.slat_percentiles)),
        member("clat_ns", kind(&record.clat, output.clat_percentiles)),
        member("lat_ns", kind(&record.lat, output.lat_percentiles)),
    ];
    members.extend(windows(&way.bandwidth, &way.iops, group));
    members
}

fn windows(bandwidth: &Stat, iops: &Stat, group: &GroupWay) -> Members {
    let of_group = if bandwidth.count == 0 { 0.0 } else { group_share(bandwidth.mean, group) };
    vec![
        member("bw_min", bandwidth.min),
        member("bw_max", bandwidth.max),
        member("bw_agg", of_group),
        member("bw_mean", bandwidth.mean),
        member("bw_dev", bandwidth.deviation()),
        member("bw_samples", bandwidth.count),
        member("iops_min", iops.min),
        member("iops_max", iops.max),
        member("iops_mean", iops.mean),
        member("iops_stddev", iops.deviation()),
        member("iops_samples", iops.count),
    ]
}

fn latency_object(block: &Block<'_>, record: &LatencyRecord, has_percentiles: bool, bins: Bins) -> Members {
    let stat = Stat::from(&record.moments);
    let mut members: Members = vec![
        member("min", stat.min),
        member("max", stat.max),
        member("mean", stat.mean),
        member("stddev", stat.deviation()),
        member("N", stat.count),
    ];
    let buckets = Buckets::of(record).filter(|buckets| has_percentiles && !buckets.0.is_empty());
    let Some(buckets) = buckets else { return members };
    let percents = block.percents();
    let values = percents.iter().zip(buckets.percentiles(&percents));
    let values: Members = values.map(|(percent, ns)| member(format!("{percent:.6}"), ns)).collect();
    members.push(member("percentile", values));
    if bins == Bins(true) {
        let all: Members = buckets.0.iter().map(|(ns, count)| member(ns.to_string(), *count)).collect();
        members.push(member("bins", all));
    }
    members
}

fn sync(block: &Block<'_>, bins: Bins) -> Members {
    let output = &block.plan().output;
    let has_percentiles = output.clat_percentiles || output.lat_percentiles;
    vec![
        member("total_ios", block.sync.requests),
        member("lat_ns", latency_object(block, &block.sync.lat, has_percentiles, bins)),
    ]
}

fn processor(block: &Block<'_>) -> Members {
    let totals = &block.totals;
    let [user, system] = block.cpu();
    vec![
        member("job_runtime", milliseconds(totals.runtime_ns)),
        member("usr_cpu", user),
        member("sys_cpu", system),
        member("ctx", totals.context_switches),
        member("majf", totals.major_faults),
        member("minf", totals.minor_faults),
    ]
}

fn depths(block: &Block<'_>) -> Members {
    let totals = &block.totals;
    let batches = ["0", "4", "8", "16", "32", "64", ">=64"];
    vec![
        member("iodepth_level", shares(["1", "2", "4", "8", "16", "32", ">=64"], &totals.depths)),
        member("iodepth_submit", shares(batches, &totals.submits)),
        member("iodepth_complete", shares(batches, &totals.completes)),
    ]
}

fn shares(names: [&str; 7], counts: &[u64; 7]) -> Members {
    let total = counts.iter().sum();
    names.into_iter().zip(counts).map(|(name, count)| member(name, share(*count, total, 0.1))).collect()
}

fn spread(block: &Block<'_>) -> Members {
    let [ns, us, ms] = block.spread.shares(block.requests());
    let small = |shares: Vec<f64>| -> Members {
        LIMITS.iter().zip(shares).map(|(limit, share)| member(limit.to_string(), share)).collect()
    };
    let large: Members = MILLISECONDS.into_iter().zip(ms).map(|(name, share)| member(name, share)).collect();
    vec![member("latency_ns", small(ns)), member("latency_us", small(us)), member("latency_ms", large)]
}

fn depth(block: &Block<'_>) -> Members {
    let (target, window, percent) = latency::target(block);
    vec![
        member("latency_depth", block.jobs.last().map_or(0, |(_, record)| record.depth)),
        member("latency_target", target),
        member("latency_percentile", percent),
        member("latency_window", window),
    ]
}

fn disk(disk: &DiskRecord) -> Members {
    vec![
        member("name", disk.name.as_str()),
        member("read_ios", disk.reads),
        member("write_ios", disk.writes),
        member("read_merges", disk.read_merges),
        member("write_merges", disk.write_merges),
        member("read_ticks", disk.read_ticks),
        member("write_ticks", disk.write_ticks),
        member("in_queue", disk.in_queue),
        member("util", utilization(disk)),
    ]
}
