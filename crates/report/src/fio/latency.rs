//! A latency in normal output: the line of its moments, the table of its percentiles.

use super::buckets::Buckets;
use super::number::{Unit, number};
use super::shape::Block;
use super::stat::Stat;
use fsbench_results::{LatencyRecord, Moments};

/// `min=…, max=…, avg=…, stdev=…` and its unit: `nsec`, or `usec` or `msec` when all four are large enough.
pub(super) fn moments(moments: &Moments) -> (&'static str, String) {
    let stat = Stat::from(moments);
    let deviation = stat.deviation();
    let is_above = |unit: u64| stat.min > 2 * unit && stat.max >= 100 * unit && deviation > unit as f64;
    let (name, divisor) = match () {
        () if is_above(1_000_000) => ("msec", 1_000_000),
        () if is_above(1000) => ("usec", 1000),
        () => ("nsec", 1),
    };
    let text = |ns: u64| number(ns / divisor, 6, false, Unit::None);
    let (mean, deviation) = (stat.mean / divisor as f64, deviation / divisor as f64);
    (name, format!("min={}, max={}, avg={mean:5.2}, stdev={deviation:5.2}", text(stat.min), text(stat.max)))
}

/// `    clat (usec): min=…`; nothing when there is none.
pub(super) fn line(name: &str, of: &Moments) -> String {
    if of.count == 0 {
        return String::new();
    }
    let (unit, text) = moments(of);
    format!("    {name} ({unit}): {text}\n")
}

/// The table of percentiles; nothing without a distribution.
pub(super) fn percentiles(name: &str, record: &LatencyRecord, percents: &[f64]) -> String {
    let values = Buckets::of(record).map(|buckets| buckets.percentiles(percents)).unwrap_or_default();
    let (Some(least), Some(most)) = (values.first(), values.last()) else { return String::new() };
    let (unit, thousands) = match () {
        () if *least > 2_000_000 && *most >= 100_000_000 => ("msec", 2),
        () if *least > 2000 && *most >= 100_000 => ("usec", 1),
        () => ("nsec", 0),
    };
    let digits = (most / 1000u64.pow(thousands)).checked_ilog10().unwrap_or(0) as usize + 1;
    let (width, decimals) = (digits.max(5), decimals(percents));
    let cell = |(percent, ns): (&f64, &u64)| {
        let value = (0..thousands).fold(*ns, |value, _| value.div_ceil(1000));
        format!(" {percent:>head$.decimals$}th=[{value:>width$}]", head = decimals + 3)
    };
    let cells: Vec<String> = percents.iter().zip(&values).map(cell).collect();
    let lines: Vec<String> =
        cells.chunks(73 / (decimals + 10 + width)).map(|line| format!("     |{}", line.join(","))).collect();
    format!("    {name} percentiles ({unit}):\n{}\n", lines.join(",\n"))
}

/// The most decimals that any percent was given with, as far as its shortest form tells.
fn decimals(percents: &[f64]) -> usize {
    let of = |percent: &f64| percent.to_string().split_once('.').map_or(0, |(_, decimals)| decimals.len());
    percents.iter().map(of).max().unwrap_or(0).min(20)
}

/// `latency_target` in ns, its window in us, and its percentile; fio shows zeros without one, and 100 %.
pub(super) fn target(block: &Block<'_>) -> (u64, u64, f64) {
    let target = block.plan().rate.target;
    target.map_or((0, 0, 100.0), |target| (target.latency.0, target.window.0 / 1000, target.percent))
}
