//! The check for people: both times side by side, latencies, what stands out, and the verdict as the last lines.

use super::half::{Half, Verdict, halves};
use super::json::name;
use crate::summary::{Facts, ending, facts_of, labelled, sentences, short};
use fsbench_results::model::Span;
use fsbench_results::{Kind, KindRecord, Record, findings};
use std::fmt::Write;

const QUANTILES: [(&str, f64); 4] = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("p99.9", 0.999)];

/// Facts that say nothing about small files.
const WITHOUT: [&str; 4] = ["throughput", "durability", "repetitions", "warm-up"];
/// Of these fsbench sees nothing when a shell does the work.
const WITHOUT_OF_SHELL: [&str; 1] = ["client"];
/// Beside so few bytes of a local file system the host's other traffic is all there is.
const WITHOUT_OF_FILES: [&str; 1] = ["network"];

/// The report. The last lines are the verdict, one for each half.
#[must_use]
pub fn text(record: &Record) -> String {
    let all = halves(record);
    let mut out = heading(record, &all);
    out.push_str(&times(&all));
    for half in all.iter().filter(|half| half.phase.is_some()) {
        out.push_str(&block(record, half));
    }
    out.push_str(&sentences("Findings", &findings(record)));
    out.push_str(&sentences("Notes", &record.notes));
    out.push_str(&sentences("Incomplete", &ending(record)));
    out.push('\n');
    all.iter().for_each(|half| out.push_str(&verdict(half)));
    out
}

fn heading(record: &Record, all: &[Half<'_>]) -> String {
    let fact = |name: &str| record.environment.target.iter().find(|fact| fact.name == name).map(|fact| &fact.value);
    let device = fact("device").map(|device| format!(" on {device}")).unwrap_or_default();
    let system = fact("file system").map(|system| format!(", {system}{device}")).unwrap_or_default();
    let what = all.first().map_or_else(String::new, |half| {
        let workers = record.plan.phases[half.index].workers;
        let plural = if workers == 1 { "" } else { "s" };
        format!("{} files of {}, {workers} thread{plural}, ", half.plan.files, half.plan.size)
    });
    format!("Small files: {what}{}{system}\n", record.plan.target.uri)
}

/// Seconds and rate of each half; the shell's beside fsbench's.
fn times(all: &[Half<'_>]) -> String {
    let (by_shell, own): (Vec<_>, Vec<_>) = all.iter().partition(|half| half.plan.shell.is_some());
    let mut out = String::from("\n");
    let columns = format!("{:>11} {:>11}", "seconds", "files/s");
    if by_shell.is_empty() {
        let _ = writeln!(out, "  {:<10} {columns}", "");
    } else {
        let shell = by_shell.iter().find_map(|half| half.shell()).unwrap_or("bash");
        let _ = writeln!(out, "  {:<10} {:>23}   {:>23}", "", "fsbench", format!("GitLab's loop in {shell}"));
        let _ = writeln!(out, "  {:<10} {columns}   {columns} {:>9}", "", "ratio");
    }
    for (index, half) in own.iter().enumerate() {
        let beside = by_shell.get(index).map(|other| beside(half, other)).unwrap_or_default();
        let _ = writeln!(out, "{}", format!("  {:<10} {}{beside}", half.name, time(half)).trim_end());
    }
    out
}

fn time(half: &Half<'_>) -> String {
    match half.elapsed() {
        Some(span) => format!("{:>11} {:>11.0}", short(span.seconds()), half.rate()),
        None => format!("{:>11} {:>11}", "-", "-"),
    }
}

/// The shell's half, and how many times as long it took.
fn beside(own: &Half<'_>, by_shell: &Half<'_>) -> String {
    let ratio = match (own.elapsed(), by_shell.elapsed()) {
        (Some(own), Some(shell)) if own.0 > 0 => format!("{} x", short(shell.seconds() / own.seconds())),
        _ => "-".to_string(),
    };
    format!("   {} {ratio:>9}", time(by_shell))
}

/// One half's latencies and facts.
fn block(record: &Record, half: &Half<'_>) -> String {
    let is_local = record.plan.target.uri.starts_with("file:");
    let is_out = |label: &str| {
        WITHOUT.contains(&label)
            || (half.plan.shell.is_some() && WITHOUT_OF_SHELL.contains(&label))
            || (is_local && WITHOUT_OF_FILES.contains(&label))
    };
    let facts: Facts = facts_of(record, half.index).into_iter().filter(|(label, _)| !is_out(label)).collect();
    let table = if half.plan.shell.is_some() { String::new() } else { latencies(half) };
    if facts.is_empty() && table.is_empty() {
        return String::new();
    }
    let mut out = format!("\n{}\n{table}", half.name);
    facts.iter().for_each(|(label, fact)| out.push_str(&labelled(label, fact)));
    out
}

fn latencies(half: &Half<'_>) -> String {
    let Some(measured) = half.measured().filter(|repetition| !repetition.kinds.is_empty()) else {
        return String::new();
    };
    let mut out = line("latency", "count", "mean", &QUANTILES.map(|(name, _)| name.to_string()), "max");
    for kind in Kind::ALL {
        if let Some(of_kind) = measured.kind(kind) {
            out.push_str(&values(kind, of_kind));
        }
    }
    out
}

fn values(kind: Kind, of_kind: &KindRecord) -> String {
    let quantiles = QUANTILES.map(|(_, quantile)| Span(of_kind.quantile_ns(quantile).unwrap_or(0)).to_string());
    let mean = Span(of_kind.mean_ns().round() as u64).to_string();
    let max = Span(of_kind.max_ns).to_string();
    line(&name(kind).replace('_', " "), &of_kind.count.to_string(), &mean, &quantiles, &max)
}

fn line(name: &str, count: &str, mean: &str, quantiles: &[String; 4], max: &str) -> String {
    let mut line = format!("  {name:<10} {count:>10} {mean:>11}");
    quantiles.iter().for_each(|value| line.push_str(&format!(" {value:>11}")));
    format!("{line} {max:>11}\n")
}

/// `write: 0.42 s, limit 10 s: good`.
fn verdict(half: &Half<'_>) -> String {
    let name = half.name;
    let limit = half.plan.limit.seconds();
    let seconds = half.elapsed().map_or_else(|| "-".to_string(), |span| short(span.seconds()));
    let count = format!("{} of {} files", half.done(), half.plan.files);
    match half.verdict() {
        Verdict::Good => format!("{name}: {seconds} s, limit {limit} s: good\n"),
        Verdict::TooSlow => format!("{name}: {seconds} s, limit {limit} s: too slow\n"),
        Verdict::Failed => format!("{name}: {count} in {seconds} s: failed\n"),
        Verdict::Interrupted => format!("{name}: {count} in {seconds} s: interrupted\n"),
        Verdict::NotMeasured => format!("{name}: not measured\n"),
    }
}
