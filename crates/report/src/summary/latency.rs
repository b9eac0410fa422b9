//! The table of latencies: one line for each kind of operation, over all repetitions.

use super::PhaseView;
use fsbench_results::model::Span;
use fsbench_results::{Kind, KindRecord};

const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999)];

/// Header and lines; empty when nothing ended well.
pub(super) fn table(phase: &PhaseView<'_>) -> String {
    if phase.kinds.is_empty() {
        return String::new();
    }
    let names = QUANTILES.map(|(name, _)| name);
    let mut out = line("latency", "count", &[&["mean"], &names[..], &["max"]].concat());
    for kind in Kind::ALL {
        if let Some(record) = phase.kind(kind) {
            let values = values(record);
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            out.push_str(&line(&kind.name().replace('_', " "), &record.count.to_string(), &values));
        }
    }
    out
}

fn values(record: &KindRecord) -> Vec<String> {
    let mean = Span(record.mean_ns().round() as u64);
    let quantiles = QUANTILES.map(|(_, q)| Span(record.quantile_ns(q).unwrap_or(0)));
    [mean].into_iter().chain(quantiles).chain([Span(record.max_ns)]).map(|span| span.to_string()).collect()
}

fn line(name: &str, count: &str, values: &[&str]) -> String {
    let mut line = format!("  {name:<10} {count:>10}");
    values.iter().for_each(|value| line.push_str(&format!(" {value:>11}")));
    line.push('\n');
    line
}
