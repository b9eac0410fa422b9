//! `fsbench report`: any report, again, from a saved Record.

use crate::exit::{self, Exit};
use crate::output;
use anyhow::Context;
use clap::ValueEnum;
use fsbench_report::fio::{self, Shown, TerseVersion};
use fsbench_report::gbench::{self, ConsoleOptions, FileOptions};
use fsbench_report::smallfiles;
use fsbench_results::Record;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// A file written by --record
    record: PathBuf,
    /// What to make of it
    #[arg(long, value_enum, default_value_t = Format::Console)]
    format: Format,
}

#[derive(Clone, Copy, ValueEnum)]
enum Format {
    /// Google Benchmark's table, and what it cannot say; the check's own report for a Record of smallfiles
    Console,
    /// Google Benchmark's JSON with the Record inside
    Json,
    /// Google Benchmark's CSV
    Csv,
    /// fio's normal output, for a Record of fio jobs
    Fio,
    /// fio's JSON
    FioJson,
    /// fio's JSON with every bucket of latencies
    #[value(name = "fio-json+")]
    FioJsonPlus,
    /// fio's terse lines, version 3
    FioTerse,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<Exit> {
    let path = args.record.display();
    let text = std::fs::read_to_string(&args.record).with_context(|| format!("cannot read {path}"))?;
    let record = Record::from_json(&text).with_context(|| format!("{path} cannot be reported"))?;
    let options = FileOptions::default();
    let is_check = smallfiles::is_check(&record);
    let report = match args.format {
        Format::Console if is_check => smallfiles::text(&record),
        Format::Json if is_check => smallfiles::json(&record),
        Format::Console => gbench::console(&record, &ConsoleOptions::default()) + &fsbench_report::summary(&record),
        Format::Fio | Format::FioJson | Format::FioJsonPlus | Format::FioTerse => fio_report(&record, args.format)?,
        Format::Json => gbench::json(&record, &options),
        Format::Csv => gbench::csv(&record, &options),
    };
    output::print(&report)?;
    Ok(if is_check { super::smallfiles::of_check(&record) } else { exit::of_record(&record) })
}

fn fio_report(record: &Record, format: Format) -> anyhow::Result<String> {
    let has_jobs = record.phases.iter().flat_map(|phase| &phase.repetitions).any(|one| !one.jobs.is_empty());
    anyhow::ensure!(has_jobs, "the Record has no fio jobs; use --format=console, json or csv");
    let shown = Shown::default();
    Ok(match format {
        Format::FioJson => fio::json(record, &shown),
        Format::FioJsonPlus => fio::json_plus(record, &shown),
        Format::FioTerse => fio::terse(record, TerseVersion::V3, &shown),
        _ => fio::normal(record, &shown),
    })
}
