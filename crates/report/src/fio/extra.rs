//! What fsbench knows and fio does not print: when requests were due, what came from devices and what from the page
//! cache, how the engine really worked, what was verified, notes.
//!
//! In normal output these are lines after a block's last, with a label in fio's column; in JSON one member `fsbench`.

use super::buckets::Buckets;
use super::header::is_capped;
use super::latency;
use super::shape::{Block, Way};
use super::value::{Members, Value, member};
use fsbench_results::model::job::Job;
use fsbench_results::model::{Bytes, Span};
use fsbench_results::{CacheState, Ending, LatencyRecord, Record};

const QUANTILES: [f64; 4] = [50.0, 90.0, 99.0, 99.9];

fn labelled(label: &str, text: &str) -> String {
    format!("     {label:<10}: {}\n", text.replace('\n', " "))
}

/// The lines of a block.
pub(super) fn lines(block: &Block<'_>) -> String {
    let mut out: String = block.ways.iter().map(|way| due(block, way)).collect();
    if !out.is_empty() {
        out.push_str(&labelled("schedule", schedule(block.plan())));
    }
    out.extend(engine(block.plan()).map(|text| labelled("engine", &text)));
    out.extend(cache(block).map(|text| labelled("cache", &text)));
    let totals = &block.totals;
    if totals.verified + totals.verify_failures > 0 {
        out.push_str(&labelled("verified", &format!("blocks={}, bad={}", totals.verified, totals.verify_failures)));
    }
    out.extend(verdicts(block).iter().map(|text| labelled("verdict", text)));
    out.extend(notes(block).iter().map(|note| labelled("note", note)));
    out
}

/// Whether the rates are what was wanted (`iops_wanted`): `read: 71600 IOPS, 8000 wanted: good`.
fn verdicts(block: &Block<'_>) -> Vec<String> {
    let wanted = block.plan().output.iops_wanted;
    let ways = block.ways.iter().zip(wanted).filter(|(way, wanted)| *wanted > 0 && way.record.requests > 0);
    ways.map(|(way, wanted)| {
        let iops = rate(way);
        let word = if iops >= wanted as f64 { "good" } else { "too slow" };
        format!("{}: {iops:.0} IOPS, {wanted} wanted: {word}", way.name)
    })
    .collect()
}

/// Requests a second of a direction.
fn rate(way: &Way) -> f64 {
    let seconds = way.record.runtime_ns as f64 / 1e9;
    if seconds > 0.0 { way.record.requests as f64 / seconds } else { 0.0 }
}

/// `     due read  (usec): min=…, p99=…`.
fn due(block: &Block<'_>, way: &Way) -> String {
    let record = &way.record.due;
    if record.moments.count == 0 {
        return String::new();
    }
    let (unit, mut text) = latency::moments(&record.moments);
    for (percent, ns) in quantiles(record) {
        text.push_str(&format!(", p{percent}={}", Span(ns).to_string().replace(' ', "")));
    }
    let name = if block.is_mixed() { "" } else { way.name };
    format!("     due {name:<6}({unit}): {text}\n")
}

fn quantiles(record: &LatencyRecord) -> Vec<(f64, u64)> {
    let values = Buckets::of(record).map(|buckets| buckets.percentiles(&QUANTILES)).unwrap_or_default();
    QUANTILES.into_iter().zip(values).collect()
}

fn schedule(job: &Job) -> &'static str {
    match job.engine.offload {
        true => "due is from the start that the rate wanted to completion; requests start by the schedule alone",
        false => "due is from the start that the rate wanted to completion; clat begins when a request was submitted",
    }
}

/// What an engine made of its options.
fn engine(job: &Job) -> Option<String> {
    let (name, depth) = (job.engine.name.name(), job.engine.depth);
    is_capped(job).then(|| format!("{name} does one request at a time, depth {depth} is capped at 1"))
}

/// The cache state of the block's phase and what the phase read from devices, if the block read.
fn cache(block: &Block<'_>) -> Option<String> {
    let state = cache_state(block)?;
    let percent = state.cached_bytes as f64 / state.of_bytes as f64 * 100.0;
    let evicted = if state.evicted { " (after evicting it)" } else { "" };
    Some(format!(
        "{percent:.0}% of {} in page cache before{evicted}; {} read from devices by all jobs",
        Bytes(state.of_bytes),
        Bytes(block.repetition.resources.device_read_bytes)
    ))
}

fn cache_state(block: &Block<'_>) -> Option<CacheState> {
    let has_read = block.ways[0].record.requests > 0;
    block.repetition.cache.filter(|state| has_read && state.of_bytes > 0)
}

/// Each note once.
fn notes<'a>(block: &Block<'a>) -> Vec<&'a str> {
    let mut all: Vec<&str> = Vec::new();
    for note in block.jobs.iter().flat_map(|(_, record)| &record.notes) {
        if !all.contains(&note.as_str()) {
            all.push(note);
        }
    }
    all
}

/// Notes of the run and how it ended, after everything else; nothing if there is nothing to say.
pub(super) fn closing(record: &Record) -> String {
    let mut said: Vec<String> = record.notes.iter().map(|note| format!("note: {}", note.replace('\n', " "))).collect();
    said.extend(match record.ending {
        Ending::Finished | Ending::Running => None,
        Ending::Interrupted => Some("note: a signal ended the run; these are the results until then".to_string()),
        Ending::Failed => {
            Some(format!("note: the run failed: {}", record.failure.as_deref().unwrap_or("it could not go on")))
        }
    });
    if said.is_empty() { String::new() } else { format!("\n{}\n", said.join("\n")) }
}

/// The member `fsbench` of a job.
pub(super) fn of_block(block: &Block<'_>) -> Members {
    let job = block.plan();
    let first = block.jobs[0].1;
    let mut members: Members = vec![
        member("phase", block.phase as u64),
        member("jobs", block.jobs.len() as u64),
        member("thread_ids", block.jobs.iter().map(|(_, record)| record.thread_id).collect::<Value>()),
        member("job_start", first.started_unix_ms),
        member("rw", super::header::direction(&job.pattern)),
        member("engine", engine_members(block)),
    ];
    if let Some((_, text)) = block.error() {
        members.push(member("error_text", text));
    }
    let dues: Members = block
        .ways
        .iter()
        .filter(|way| way.record.due.moments.count > 0)
        .map(|way| member(way.name, due_members(way)))
        .collect();
    if !dues.is_empty() {
        members.push(member("due_ns", dues));
        members.push(member("schedule", schedule(job)));
    }
    members.extend(cache_state(block).map(|state| member("cache", cache_members(block, state))));
    members.push(member("verified_blocks", block.totals.verified));
    members.push(member("bad_blocks", block.totals.verify_failures));
    let counts = counts(block);
    if !counts.is_empty() {
        members.push(member("counts", counts));
    }
    members.push(member("notes", notes(block).into_iter().collect::<Value>()));
    let verdicts = verdicts(block);
    if !verdicts.is_empty() {
        members.push(member("verdict", verdicts.iter().map(String::as_str).collect::<Value>()));
    }
    members
}

fn engine_members(block: &Block<'_>) -> Members {
    let engine = &block.plan().engine;
    let depth = if is_capped(block.plan()) { 1 } else { engine.depth };
    vec![
        member("name", engine.name.name()),
        member("depth", depth),
        member("asked_depth", engine.depth),
        member("direct", engine.direct),
    ]
}

fn due_members(way: &Way) -> Members {
    let record = &way.record.due;
    let moments = &record.moments;
    let percentiles: Members =
        quantiles(record).into_iter().map(|(percent, ns)| member(format!("{percent:.6}"), ns)).collect();
    vec![
        member("min", moments.min),
        member("max", moments.max),
        member("mean", moments.mean()),
        member("stddev", moments.deviation()),
        member("N", moments.count),
        member("percentile", percentiles),
    ]
}

fn cache_members(block: &Block<'_>, state: CacheState) -> Members {
    vec![
        member("cached_bytes", state.cached_bytes),
        member("of_bytes", state.of_bytes),
        member("evicted", state.evicted),
        member("device_read_bytes", block.repetition.resources.device_read_bytes),
    ]
}

fn counts(block: &Block<'_>) -> Members {
    let mut sums = std::collections::BTreeMap::<&str, u64>::new();
    for (name, count) in block.jobs.iter().flat_map(|(_, record)| &record.counts) {
        *sums.entry(name).or_default() += count;
    }
    sums.into_iter().map(|(name, count)| member(name, count)).collect()
}

/// The member `fsbench` of the document.
pub(super) fn of_record(record: &Record) -> Members {
    let ending = match record.ending {
        Ending::Running => "running",
        Ending::Finished => "finished",
        Ending::Interrupted => "interrupted",
        Ending::Failed => "failed",
    };
    let mut members = vec![
        member("version", record.environment.fsbench.as_str()),
        member("run_id", record.run_id.as_str()),
        member("record", record.schema.as_str()),
        member("record_version", record.schema_version),
        member("suite", record.plan.suite.as_str()),
        member("target", record.plan.target.uri.as_str()),
        member("host", record.environment.host.as_str()),
        member("started", record.started.as_str()),
        member("ending", ending),
        member("complete", record.complete),
    ];
    members.extend(record.failure.as_deref().map(|failure| member("failure", failure)));
    members.push(member("notes", record.notes.iter().map(String::as_str).collect::<Value>()));
    members
}
