//! Where results go and how they look: everything that is no part of the plan.

use super::error::UsageError;
use super::values::Values;

/// A format of Google Benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The table.
    Console,
    /// One JSON object.
    Json,
    /// CSV.
    Csv,
}

/// When the table is coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Color {
    /// When it goes to a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where results go and how they look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// `--benchmark_format`: what is printed.
    pub format: Format,
    /// `--benchmark_out`: a file that gets the results too.
    pub out: Option<String>,
    /// `--benchmark_out_format`.
    pub out_format: Format,
    /// `--benchmark_counters_tabular`.
    pub counters_tabular: bool,
    /// `--benchmark_color`.
    pub color: Color,
    /// `--benchmark_context`, in the order given.
    pub context: Vec<(String, String)>,
    /// `--benchmark_report_aggregates_only`: printed and written.
    pub report_aggregates_only: bool,
    /// `--benchmark_display_aggregates_only`: printed.
    pub display_aggregates_only: bool,
    /// `--benchmark_list_tests`: print [`super::row_name`] of each phase and stop.
    pub list_tests: bool,
    /// `--record`: the file that gets the Record.
    pub record: Option<String>,
    /// `--quiet`: no progress and no notes.
    pub quiet: bool,
    /// `--dry_run`: print the plan and stop.
    pub dry_run: bool,
}

impl Outputs {
    pub(super) fn of(values: &Values) -> Result<Self, UsageError> {
        Ok(Outputs {
            format: format(values, "benchmark_format"),
            out: values.text("benchmark_out").map(String::from),
            out_format: format(values, "benchmark_out_format"),
            counters_tabular: values.is_on("benchmark_counters_tabular"),
            color: color(values),
            context: context(values)?,
            report_aggregates_only: values.is_on("benchmark_report_aggregates_only"),
            display_aggregates_only: values.is_on("benchmark_display_aggregates_only"),
            list_tests: values.is_on("benchmark_list_tests"),
            record: values.text("record").map(String::from),
            quiet: values.is_on("quiet"),
            dry_run: values.is_on("dry_run"),
        })
    }
}

fn format(values: &Values, name: &str) -> Format {
    match values.word(name) {
        Some("json") => Format::Json,
        Some("csv") => Format::Csv,
        _ => Format::Console,
    }
}

fn color(values: &Values) -> Color {
    match values.word("benchmark_color") {
        Some("yes" | "true") => Color::Always,
        Some("no" | "false") => Color::Never,
        _ => Color::Auto,
    }
}

fn context(values: &Values) -> Result<Vec<(String, String)>, UsageError> {
    let Some(text) = values.text("benchmark_context") else { return Ok(Vec::new()) };
    let pair = |part: &str| match part.split_once('=') {
        Some((key, value)) if !key.is_empty() => Ok((key.to_string(), value.to_string())),
        _ => {
            let what = format!("'{part}' is not key=value");
            Err(UsageError::new(values.place("benchmark_context"), what, "write key=value,key=value"))
        }
    };
    text.split(',').map(pair).collect()
}
