//! The console: Google Benchmark's table.

use super::number::{human, time};
use super::{Counter, Row, chosen, rows};
use fsbench_results::Record;

/// How the table is shown; the flags of the same names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConsoleOptions {
    /// Counters as columns (`--benchmark_counters_tabular`).
    pub tabular: bool,
    /// ANSI colours (`--benchmark_color`, decided by the caller).
    pub color: bool,
    /// Only aggregates where there are any (`--benchmark_report_aggregates_only`).
    pub aggregates_only: bool,
    /// The same for the console alone (`--benchmark_display_aggregates_only`).
    pub display_aggregates_only: bool,
}

/// The longest name of a statistic, and the underscore before it.
const SUFFIX_WIDTH: usize = "_stddev".len();

const GREEN: &str = "\x1b[0;32m";
const RED: &str = "\x1b[0;31m";
const YELLOW: &str = "\x1b[0;33m";
const CYAN: &str = "\x1b[0;36m";
const PLAIN: &str = "";

/// The table, each line ended. Empty when there is no row.
#[must_use]
pub fn console(record: &Record, options: &ConsoleOptions) -> String {
    let mut table = Table { out: String::new(), options: *options, name_width: name_width(record) };
    let mut header_of: Option<Vec<&'static str>> = None;
    for row in chosen(record, options.aggregates_only || options.display_aggregates_only) {
        let names: Vec<&'static str> = row.counters.keys().copied().collect();
        let is_new = header_of.as_ref().is_none_or(|old| options.tabular && *old != names);
        if is_new {
            table.header(&names);
            header_of = Some(names);
        }
        table.row(&row);
    }
    table.out
}

/// Room for the longest name, and for a suffix when any phase is repeated.
fn name_width(record: &Record) -> usize {
    let all = rows(record);
    let longest = all.iter().map(|row| row.run_name.chars().count()).max().unwrap_or(0).max(10);
    let is_repeated = all.iter().any(|row| row.repetitions > 1);
    longest + if is_repeated { SUFFIX_WIDTH } else { 0 }
}

struct Table {
    out: String,
    options: ConsoleOptions,
    name_width: usize,
}

impl Table {
    fn header(&mut self, names: &[&str]) {
        let width = self.name_width;
        let mut line = format!("{:<width$} {:>13} {:>15} {:>12}", "Benchmark", "Time", "CPU", "Iterations");
        if self.options.tabular {
            names.iter().for_each(|name| line.push_str(&format!(" {name:>10}")));
        } else if !names.is_empty() {
            line.push_str(" UserCounters...");
        }
        let rule = "-".repeat(line.chars().count());
        self.out.push_str(&format!("{rule}\n{line}\n{rule}\n"));
    }

    fn row(&mut self, row: &Row) {
        self.piece(GREEN, &format!("{:<width$} ", row.name, width = self.name_width));
        if let Some(error) = &row.error {
            self.piece(RED, &format!("ERROR OCCURRED: '{}'", error.replace('\n', " ")));
            return self.piece(PLAIN, "\n");
        }
        self.piece(YELLOW, &times(row));
        self.piece(CYAN, &format!("{:>10}", row.iterations));
        for (name, counter) in &row.counters {
            let value = counter_text(row, counter);
            let text = match self.options.tabular {
                true => format!(" {value:>width$}", width = name.len().max(10)),
                false => format!(" {name}={value}"),
            };
            self.piece(PLAIN, &text);
        }
        self.piece(PLAIN, "\n");
    }

    /// Google Benchmark ends every piece with a reset, also those that have no colour.
    fn piece(&mut self, color: &str, text: &str) {
        match self.options.color {
            true => self.out.push_str(&format!("{color}{text}\x1b[m")),
            false => self.out.push_str(text),
        }
    }
}

fn times(row: &Row) -> String {
    match row.is_fraction() {
        true => format!("{:10.2} {:<4} {:10.2} {:<4} ", row.real_time_ms * 100.0, "%", row.cpu_time_ms * 100.0, "%"),
        false => format!("{} {:<4} {} {:<4} ", time(row.real_time_ms), "ms", time(row.cpu_time_ms), "ms"),
    }
}

fn counter_text(row: &Row, counter: &Counter) -> String {
    match row.is_fraction() {
        true => format!("{:.2}%", counter.value * 100.0),
        false => format!("{}{}", human(counter.value), counter.flags.unit()),
    }
}
