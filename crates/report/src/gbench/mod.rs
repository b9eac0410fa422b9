//! Google Benchmark's output: rows, computed once, and the console, JSON and CSV renderers over them.
//!
//! Layout and number formats are those of Google Benchmark 1.8.0 (which `fs_benchmark_tool` links) and, for the JSON
//! context, 1.9 (`json_schema_version` 1), so that parsers and its `tools/compare.py` work. The meanings are our own,
//! the documented ones, and are described at [`rows`]. What differs on purpose: the CSV row of a `_cv` has fractions
//! and no unit (as 1.9.5 has; 1.8.0 printed a wrong number there), every CSV row has every column, and no output ever
//! holds `nan` or `inf`.

mod console;
mod context;
mod csv;
mod json;
mod number;
mod row;
#[cfg(test)]
mod tests;

pub use console::{ConsoleOptions, console};
pub use context::context;
pub use csv::csv;
pub use json::{FileOptions, json};
pub use row::{Counter, Extra, Flags, Row, RunType, rows};

/// The rows that a reader asked for: those of a family that has aggregates may be reduced to them.
fn chosen(record: &fsbench_results::Record, aggregates_only: bool) -> Vec<Row> {
    let mut all = rows(record);
    if aggregates_only {
        let aggregated: Vec<usize> =
            all.iter().filter(|row| row.run_type == RunType::Aggregate).map(|row| row.family_index).collect();
        all.retain(|row| row.run_type == RunType::Aggregate || !aggregated.contains(&row.family_index));
    }
    all
}

/// The plan of a phase: the one at its place, or else the one of its name.
pub(crate) fn planned<'a>(
    record: &'a fsbench_results::Record,
    index: usize,
    name: &str,
) -> Option<&'a fsbench_results::model::Phase> {
    let phases = &record.plan.phases;
    phases.get(index).filter(|phase| phase.name == name).or_else(|| phases.iter().find(|phase| phase.name == name))
}
