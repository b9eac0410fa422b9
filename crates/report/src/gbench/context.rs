//! The context block that Google Benchmark prints before the table.

use super::FileOptions;
use super::number::{finite, general};
use fsbench_results::{Cpu, Record};
use std::collections::BTreeMap;

/// Date, program, processors, caches, load and the pairs of `--benchmark_context`, each line ended.
#[must_use]
pub fn context(record: &Record, options: &FileOptions) -> String {
    let environment = &record.environment;
    let cpu = &environment.cpu;
    let plural = if cpu.count > 1 { "s" } else { "" };
    let mut out = format!("{}\nRunning {}\n", date(record), environment.executable);
    out.push_str(&format!("Run on ({} X {} MHz CPU {plural})\n", cpu.count, general(cpu.mhz)));
    out.push_str(&caches(cpu));
    if !environment.load_average.is_empty() {
        let loads: Vec<String> = environment.load_average.iter().map(|load| format!("{:.2}", finite(*load))).collect();
        out.push_str(&format!("Load Average: {}\n", loads.join(", ")));
    }
    for (key, value) in custom(options) {
        out.push_str(&format!("{key}: {value}\n"));
    }
    if cpu.scaling == Some(true) {
        out.push_str(
            "***WARNING*** CPU scaling is enabled, the benchmark real time measurements may be noisy and will ",
        );
        out.push_str("incur extra overhead.\n");
    }
    out
}

fn caches(cpu: &Cpu) -> String {
    let mut out = String::new();
    for cache in &cpu.caches {
        let shared = match cache.num_sharing {
            0 => String::new(),
            sharing => format!(" (x{})", cpu.count / sharing),
        };
        out.push_str(&format!("  L{} {} {} KiB{shared}\n", cache.level, cache.kind, cache.size_bytes / 1024));
    }
    if out.is_empty() { out } else { format!("CPU Caches:\n{out}") }
}

/// The start to the second, as Google Benchmark writes it.
pub(super) fn date(record: &Record) -> String {
    let started = &record.started;
    let Some((whole, fraction)) = started.split_once('.') else { return started.clone() };
    format!("{whole}{}", fraction.trim_start_matches(|c: char| c.is_ascii_digit()))
}

/// Custom pairs in order of key; of equal keys the first wins, as in Google Benchmark.
pub(super) fn custom(options: &FileOptions) -> BTreeMap<&str, &str> {
    let mut pairs = BTreeMap::new();
    for (key, value) in &options.context {
        pairs.entry(key.as_str()).or_insert(value.as_str());
    }
    pairs
}
