//! Google Benchmark's JSON, with the whole Record behind it.

use super::context::{custom, date};
use super::number::{finite, general, scientific};
use super::{Row, RunType, chosen};
use fsbench_results::{Cache, Record};

/// What goes into the JSON, the CSV and the context block; the flags of the same names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileOptions {
    /// Only aggregates where there are any (`--benchmark_report_aggregates_only`).
    pub aggregates_only: bool,
    /// Pairs of `--benchmark_context`.
    pub context: Vec<(String, String)>,
}

/// The version of the layout that `tools/compare.py` asks for.
const JSON_SCHEMA_VERSION: u32 = 1;

/// The document: `context`, `benchmarks`, and `fsbench_record`, the entire Record, which readers of Google Benchmark's
/// JSON ignore.
#[must_use]
pub fn json(record: &Record, options: &FileOptions) -> String {
    let rows: Vec<String> =
        chosen(record, options.aggregates_only).iter().map(|row| object(4, &benchmark(row))).collect();
    let benchmarks = if rows.is_empty() { String::new() } else { format!("{}\n", rows.join(",\n")) };
    let whole = record.to_json().expect("a Record holds nothing that JSON cannot");
    format!(
        "{{\n  \"context\": {},\n  \"benchmarks\": [\n{benchmarks}  ],\n  \"fsbench_record\": {}\n}}\n",
        object(2, &context(record, options)).trim_start(),
        whole.trim_end().replace('\n', "\n  ")
    )
}

/// Members, `"key": value`, as an object that is indented by `indent`.
fn object(indent: usize, members: &[String]) -> String {
    let outer = " ".repeat(indent);
    format!("{outer}{{\n{outer}  {}\n{outer}}}", members.join(&format!(",\n{outer}  ")))
}

fn text(key: &str, value: &str) -> String {
    plain(key, serde_json::Value::from(value))
}

fn plain(key: &str, value: impl std::fmt::Display) -> String {
    format!("{}: {value}", serde_json::Value::from(key))
}

fn double(key: &str, value: f64) -> String {
    plain(key, scientific(value, 16))
}

fn context(record: &Record, options: &FileOptions) -> Vec<String> {
    let environment = &record.environment;
    let cpu = &environment.cpu;
    let mut members = vec![
        text("date", &date(record)),
        text("host_name", &environment.host),
        text("executable", &environment.executable),
        plain("num_cpus", cpu.count),
        plain("mhz_per_cpu", finite(cpu.mhz).round()),
    ];
    members.extend(cpu.scaling.map(|is_on| plain("cpu_scaling_enabled", is_on)));
    let caches: Vec<String> = cpu.caches.iter().map(|c| object(6, &cache(c))).collect();
    let caches = if caches.is_empty() { String::new() } else { format!("{}\n", caches.join(",\n")) };
    members.push(format!("\"caches\": [\n{caches}    ]"));
    let loads: Vec<String> = environment.load_average.iter().map(|load| general(*load)).collect();
    members.push(format!("\"load_avg\": [{}]", loads.join(",")));
    members.push(text("library_version", &format!("fsbench {}", environment.fsbench)));
    members.push(text("library_build_type", "release"));
    members.push(plain("json_schema_version", JSON_SCHEMA_VERSION));
    members.extend(custom(options).into_iter().map(|(key, value)| text(key, value)));
    members
}

fn cache(cache: &Cache) -> Vec<String> {
    vec![
        text("type", &cache.kind),
        plain("level", cache.level),
        plain("size", cache.size_bytes),
        plain("num_sharing", cache.num_sharing),
    ]
}

fn benchmark(row: &Row) -> Vec<String> {
    let run_type = if row.run_type == RunType::Iteration { "iteration" } else { "aggregate" };
    let mut members = vec![
        text("name", &row.name),
        plain("family_index", row.family_index),
        plain("per_family_instance_index", row.per_family_instance_index),
        text("run_name", &row.run_name),
        text("run_type", run_type),
        plain("repetitions", row.repetitions),
    ];
    members.extend(row.repetition_index.map(|index| plain("repetition_index", index)));
    members.push(plain("threads", row.threads));
    members.extend(row.aggregate_name().map(|name| text("aggregate_name", name)));
    members.extend(row.aggregate_unit().map(|unit| text("aggregate_unit", unit)));
    if let Some(error) = &row.error {
        members.push(plain("error_occurred", true));
        members.push(text("error_message", error));
    }
    members.push(plain("iterations", row.iterations));
    members.push(double("real_time", row.real_time_ms));
    members.push(double("cpu_time", row.cpu_time_ms));
    members.push(text("time_unit", "ms"));
    members.extend(row.counters.iter().map(|(name, counter)| double(name, counter.value)));
    members
}
