//! The check as JSON, for programs. Everything else that was measured is in the Record.

use super::half::{Half, halves};
use super::is_good;
use fsbench_results::model::SmallStep;
use fsbench_results::{Kind, KindRecord, Record, findings};
use serde_json::{Map, Value, json};

const SCHEMA: &str = "fsbench.smallfiles";
const SCHEMA_VERSION: u32 = 1;
const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99_9", 0.999)];

/// One object: what was checked, `good`, and each half by its name with `verdict`, `seconds`, `files_per_second`,
/// errors, and latencies in nanoseconds.
#[must_use]
pub fn json(record: &Record) -> String {
    let all = halves(record);
    let mut document = json!({
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "run_id": record.run_id,
        "started": record.started,
        "target": record.plan.target.uri,
        "ending": record.ending,
        "failure": record.failure,
        "good": is_good(record),
        "findings": findings(record),
        "notes": record.notes,
    });
    let members = document.as_object_mut().expect("it was made as an object");
    if let Some(first) = all.first() {
        let sync = matches!(first.plan.step, SmallStep::Write { sync: true });
        members.insert("count".into(), first.plan.files.into());
        members.insert("size_bytes".into(), first.plan.size.0.into());
        members.insert("sync".into(), sync.into());
        members.insert("limit_seconds".into(), first.plan.limit.seconds().into());
        members.insert("threads".into(), record.plan.phases[first.index].workers.into());
    }
    members.extend(all.iter().map(|half| (half.name.replace(' ', "_"), of_half(half))));
    let mut text = serde_json::to_string_pretty(&document).expect("numbers, texts and lists");
    text.push('\n');
    text
}

fn of_half(half: &Half<'_>) -> Value {
    let measured = half.measured();
    let kinds = measured.map(|repetition| &repetition.kinds);
    let latencies: Map<String, Value> = Kind::ALL
        .iter()
        .filter_map(|kind| Some((name(*kind).to_string(), of_kind(kinds?.get(kind.name())?))))
        .filter(|_| half.plan.shell.is_none())
        .collect();
    json!({
        "verdict": half.verdict().word(),
        "seconds": half.elapsed().map(|span| span.seconds()),
        "files": half.done(),
        "files_per_second": half.rate(),
        "failed": half.failed(),
        "shell": half.shell(),
        "errors": measured.map(|repetition| &repetition.errors),
        "cache": measured.and_then(|repetition| repetition.cache),
        "latency_ns": latencies,
    })
}

/// A file's whole way is called `file` here.
pub(super) fn name(kind: Kind) -> &'static str {
    if kind == Kind::Operation { "file" } else { kind.name() }
}

fn of_kind(kind: &KindRecord) -> Value {
    let mut members = Map::new();
    members.insert("count".into(), kind.count.into());
    members.insert("mean".into(), (kind.mean_ns().round() as u64).into());
    members.extend(QUANTILES.map(|(name, quantile)| (name.to_string(), kind.quantile_ns(quantile).into())));
    members.insert("max".into(), kind.max_ns.into());
    Value::Object(members)
}
