//! Google Benchmark's CSV, with columns of our own behind its last one.
//!
//! The columns after the counters are empty in aggregate rows: `p50_ns`, `p90_ns`, `p99_ns`, `p999_ns`, `max_ns` (the
//! latency of one operation; empty when none ended well), `errors`, `retries`, `client_cpu_ns`.

use super::number::general;
use super::{Extra, FileOptions, Row, chosen};
use fsbench_results::Record;
use std::collections::BTreeSet;

const HEADER: &str =
    "name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message";
const EXTRA: &str = "p50_ns,p90_ns,p99_ns,p999_ns,max_ns,errors,retries,client_cpu_ns";

/// Header and rows. Every row has every column.
#[must_use]
pub fn csv(record: &Record, options: &FileOptions) -> String {
    let rows = chosen(record, options.aggregates_only);
    let names: BTreeSet<&'static str> = rows.iter().flat_map(|row| row.counters.keys().copied()).collect();
    let mut out = String::from(HEADER);
    names.iter().for_each(|name| out.push_str(&format!(",{}", quoted(name))));
    out.push_str(&format!(",{EXTRA}\n"));
    for row in &rows {
        out.push_str(&standard(row));
        for name in &names {
            let value = row.counters.get(name).map(|counter| general(counter.value));
            out.push_str(&format!(",{}", value.unwrap_or_default()));
        }
        out.push_str(&format!(",{}\n", extra(row.extra.as_ref())));
    }
    out
}

fn standard(row: &Row) -> String {
    let name = quoted(&row.name);
    if let Some(error) = &row.error {
        return format!("{name},,,,,,,,true,{}", quoted(error));
    }
    let unit = if row.is_fraction() { "" } else { "ms" };
    format!("{name},{},{},{},{unit},,,,,", row.iterations, general(row.real_time_ms), general(row.cpu_time_ms))
}

fn extra(extra: Option<&Extra>) -> String {
    let Some(extra) = extra else { return ",".repeat(EXTRA.matches(',').count()) };
    let latencies = match extra.quantiles_ns {
        Some([p50, p90, p99, p999]) => format!("{p50},{p90},{p99},{p999},{}", extra.max_ns),
        None => ",,,,".into(),
    };
    format!("{latencies},{},{},{}", extra.errors, extra.retries, extra.client_cpu_ns)
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}
