//! The lines below a phase's latencies, each with a label.

use super::{PhaseView, counted, jobs};
use fsbench_results::model::{Bytes, Program, Span};
use fsbench_results::{CacheState, ErrorCount, Kind, KindRecord, Repetition};

const MIB: f64 = 1_048_576.0;

/// All that there are, in order.
pub(super) fn all(phase: &PhaseView<'_>) -> Vec<(&'static str, String)> {
    let mut lines: Vec<(&'static str, String)> = Vec::new();
    let mut add = |label, text: Option<String>| lines.extend(text.map(|text| (label, text)));
    add("throughput", throughput(phase));
    add("durability", durability(phase));
    add("repetitions", first_repetition(phase));
    add("warm-up", first_operations(phase));
    add("exists", found(phase));
    add("listed", listed(phase));
    add("verified", verified(phase));
    add("verified", jobs::verified(phase));
    let errors = [errors(phase), jobs::errors(phase)].concat();
    for (label, texts) in [("from due", jobs::due(phase)), ("errors", errors), ("jobs", jobs::notes(phase))] {
        for (index, text) in texts.into_iter().enumerate() {
            add(if index == 0 { label } else { "" }, Some(text));
        }
    }
    add("recovery", recovery(phase));
    add("page cache", page_cache(phase));
    add("devices", devices(phase));
    add("network", network(phase));
    add("client", client(phase));
    lines
}

/// `16.6 MiB/s (15.1 to 17.3), 4.2 operations/s (…)`: all over all wall time, and the least and most of a repetition.
fn throughput(phase: &PhaseView<'_>) -> Option<String> {
    let bytes = rate(phase, MIB, "MiB/s", |r| r.bytes);
    let operations = rate(phase, 1.0, "operations/s", |r| r.operations.saturating_sub(r.failed));
    let parts: Vec<String> = [bytes, operations].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn rate(phase: &PhaseView<'_>, scale: f64, unit: &str, of: impl Fn(&Repetition) -> u64) -> Option<String> {
    let measured: Vec<&Repetition> = phase.repetitions().iter().filter(|r| r.elapsed_ns > 0).collect();
    let total: u64 = measured.iter().map(|r| of(r)).sum();
    if total == 0 {
        return None;
    }
    let per_second = |amount: u64, ns: u64| amount as f64 / scale / Span(ns).seconds();
    let each: Vec<f64> = measured.iter().map(|r| per_second(of(r), r.elapsed_ns)).collect();
    let overall = per_second(total, measured.iter().map(|r| r.elapsed_ns).sum());
    let least = each.iter().copied().fold(f64::MAX, f64::min);
    let most = each.iter().copied().fold(0.0, f64::max);
    let spread = match each.len() {
        1 => String::new(),
        _ => format!(" ({} to {})", short(least), short(most)),
    };
    Some(format!("{} {unit}{spread}", short(overall)))
}

/// Three to four digits that matter.
pub(crate) fn short(value: f64) -> String {
    match value {
        v if v >= 1000.0 => format!("{v:.0}"),
        v if v >= 100.0 => format!("{v:.1}"),
        v if v >= 0.1 || v == 0.0 => format!("{v:.2}"),
        v => format!("{v:.4}"),
    }
}

/// Which of sync, close and completion a write's time and rate include.
fn durability(phase: &PhaseView<'_>) -> Option<String> {
    if !matches!(phase.plan?.program, Program::Write(_)) {
        return None;
    }
    let included: Vec<&str> = [Kind::Sync, Kind::Close, Kind::Complete]
        .into_iter()
        .filter(|kind| phase.kind(*kind).is_some())
        .map(Kind::name)
        .collect();
    let unsynced = if phase.kind(Kind::Sync).is_none() { "; nothing was synced" } else { "" };
    match included.is_empty() {
        true => None,
        false => Some(format!("time and rate include {}{unsynced}", included.join(", "))),
    }
}

/// The first repetition's mean latency against the later ones'.
fn first_repetition(phase: &PhaseView<'_>) -> Option<String> {
    let mut operations = phase.repetitions().iter().filter_map(|r| r.kind(Kind::Operation)).filter(|k| k.count > 0);
    let first = operations.next()?;
    let mut later = KindRecord::default();
    operations.for_each(|kind| later.merge(kind));
    (later.count > 0).then(|| format!("mean of the first {}, of later ones {}", mean(first), mean(&later)))
}

fn mean(kind: &KindRecord) -> Span {
    Span(kind.mean_ns().round() as u64)
}

/// Each worker's very first operation against all that came later: connections, handles and caches are cold only once.
fn first_operations(phase: &PhaseView<'_>) -> Option<String> {
    let first = phase.repetitions().first()?.kind(Kind::Operation).filter(|kind| kind.firsts > 0)?;
    let all = phase.kind(Kind::Operation)?;
    let later = all.count.checked_sub(first.firsts).filter(|count| *count > 0)?;
    let later = Span(all.busy_ns.saturating_sub(first.first_ns) / later);
    let first = Span(first.first_ns / first.firsts);
    Some(format!("mean of each worker's first operation {first}, of all later ones {later}"))
}

fn found(phase: &PhaseView<'_>) -> Option<String> {
    let (found, missing) = (phase.counted("found"), phase.counted("missing"));
    (found + missing > 0).then(|| format!("found {found} of {}", found + missing))
}

fn listed(phase: &PhaseView<'_>) -> Option<String> {
    let (entries, pages) = (phase.counted("entries"), phase.counted("pages"));
    (entries + pages > 0).then(|| format!("{} in {}", entries_text(entries), counted(pages, "page")))
}

fn entries_text(entries: u64) -> String {
    if entries == 1 { "1 entry".into() } else { format!("{entries} entries") }
}

fn verified(phase: &PhaseView<'_>) -> Option<String> {
    let bytes = phase.counted("verified_bytes");
    (bytes > 0).then(|| format!("{} compared with what was written", Bytes(bytes)))
}

/// How many operations failed, then each error by operation and kind with the first of its texts.
fn errors(phase: &PhaseView<'_>) -> Vec<String> {
    let mut merged: Vec<ErrorCount> = Vec::new();
    for error in phase.repetitions().iter().flat_map(|r| &r.errors) {
        match merged.iter_mut().find(|old| (&old.operation, &old.kind) == (&error.operation, &error.kind)) {
            Some(old) => old.count += error.count,
            None => merged.push(error.clone()),
        }
    }
    let (failed, operations) = (phase.sum(|r| r.failed), phase.sum(|r| r.operations));
    let mut lines = Vec::new();
    if failed > 0 {
        lines.push(format!("{failed} of {} failed", counted(operations, "operation")));
    }
    lines.extend(merged.iter().map(|e| format!("{} x {} ({}): {}", e.count, e.operation, e.kind, e.first)));
    lines
}

fn recovery(phase: &PhaseView<'_>) -> Option<String> {
    let nouns =
        [("retries", "retry", "retries"), ("reconnects", "reconnect", "reconnects"), ("aborts", "abort", "aborts")];
    let parts = nouns.into_iter().filter_map(|(name, one, many)| match phase.counted(name) {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    });
    let parts: Vec<String> = parts.collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// How much of the data was cached when the first and the later repetitions began.
fn page_cache(phase: &PhaseView<'_>) -> Option<String> {
    let states: Vec<CacheState> =
        phase.repetitions().iter().filter_map(|r| r.cache).filter(|cache| cache.of_bytes > 0).collect();
    let (first, later) = states.split_first()?;
    let evicted = if first.evicted { " (after evicting it)" } else { "" };
    let mut text = format!("{} of {} in page cache before reading{evicted}", share(first), Bytes(first.of_bytes));
    let shares: Vec<String> = later.iter().map(share).collect();
    if shares.iter().any(|other| *other != share(first)) {
        let least = later.iter().min_by(|a, b| fraction(a).total_cmp(&fraction(b))).map(share).unwrap_or_default();
        let most = later.iter().max_by(|a, b| fraction(a).total_cmp(&fraction(b))).map(share).unwrap_or_default();
        let range = if least == most { least } else { format!("{least} to {most}") };
        text.push_str(&format!("; before later repetitions {range}"));
    }
    Some(text)
}

fn fraction(cache: &CacheState) -> f64 {
    cache.cached_bytes as f64 / cache.of_bytes.max(1) as f64
}

fn share(cache: &CacheState) -> String {
    format!("{:.0} %", fraction(cache) * 100.0)
}

/// What really went to and came from devices; a read phase with a page cache says so even when it was nothing.
fn devices(phase: &PhaseView<'_>) -> Option<String> {
    let read = phase.sum(|r| r.resources.device_read_bytes);
    let written = phase.sum(|r| r.resources.device_write_bytes);
    let is_cached = phase.repetitions().iter().any(|r| r.cache.is_some());
    let mut parts = Vec::new();
    if read > 0 || is_cached {
        parts.push(format!("{} read from devices", Bytes(read)));
    }
    if written > 0 {
        parts.push(format!("{} sent to devices", Bytes(written)));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// The host's traffic, where it can have to do with the phase: a network store, or as much as the file system moved.
fn network(phase: &PhaseView<'_>) -> Option<String> {
    let received = phase.sum(|r| r.resources.network_received_bytes);
    let sent = phase.sum(|r| r.resources.network_sent_bytes);
    let is_network = !matches!(phase.scheme, "file" | "null" | "mem");
    let moved = phase.sum(|r| r.bytes);
    let counts = received + sent > 0 && (is_network || (moved > 0 && received + sent >= moved / 10));
    counts.then(|| format!("{} received, {} sent (all interfaces of this host)", Bytes(received), Bytes(sent)))
}

/// What the phase cost this host: CPU for each GB and each 10,000 requests, memory.
fn client(phase: &PhaseView<'_>) -> Option<String> {
    let cpu_seconds = Span(phase.sum(|r| r.resources.cpu_ns())).seconds();
    // Of small files it is the number that costs, not the bytes.
    let is_small = phase.plan.is_some_and(|plan| matches!(plan.program, Program::SmallFiles(_)));
    let bytes = if is_small { 0 } else { phase.sum(|r| r.bytes) };
    // Only S3's client sees every request; HDFS' library reads ahead in requests of its own.
    let (requests, noun) = match phase.kind(Kind::Request).filter(|_| phase.scheme == "s3") {
        Some(kind) => (kind.count, "requests"),
        None => (phase.sum(|r| r.operations), "operations"),
    };
    let mut parts = Vec::new();
    if cpu_seconds > 0.0 && bytes > 0 {
        parts.push(format!("CPU {} s per GB", short(cpu_seconds / (bytes as f64 / 1e9))));
    }
    if cpu_seconds > 0.0 && requests > 0 {
        let word = if parts.is_empty() { "CPU " } else { "" };
        parts.push(format!("{word}{} s per 10,000 {noun}", short(cpu_seconds / (requests as f64 / 1e4))));
    }
    let peak = phase.repetitions().iter().map(|r| r.resources.peak_rss_bytes).max().unwrap_or(0);
    if peak > 0 {
        parts.push(format!("peak memory {}", Bytes(peak)));
    }
    (!parts.is_empty()).then(|| parts.join(", "))
}
