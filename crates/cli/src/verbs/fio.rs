//! `fsbench fio`: job files and fio's command line in, fio's output and exit codes out.

use crate::exit::Exit;
use crate::fio_line::Line;
use crate::output::{self, ResultFile};
use crate::verbs::VERSION;
use crate::{interrupt, stores};
use anyhow::Context;
use fsbench_report::fio::{self as report, Shown, TerseVersion};
use fsbench_results::{Ending, Record};
use fsbench_runner::{Clock, Control, Live, Status, Stop};
use fsbench_suites::fio::{Command, Format, Found, Machine, Outputs, Run, World, command};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// Runs a command line of fio.
pub(crate) fn run(args: &[String]) -> anyhow::Result<Exit> {
    match understood(args) {
        Ok(Command::Text(text)) => output::print(&text).map(|()| Exit::Ok),
        Ok(Command::Run(run)) if run.outputs.dry_run => print_plan(&run),
        Ok(Command::Run(run)) => Ok(measure(*run).unwrap_or_else(|error| {
            output::tell(&format!("fio: {error:#}\n"));
            Exit::Errors
        })),
        // fio ends with 1 when it does not understand its input, and scripts depend on that.
        Err(error) => {
            output::tell(&format!("{error:#}\n"));
            Ok(Exit::Errors)
        }
    }
}

/// Prints the plan of a command line of fio.
pub(crate) fn plan(args: &[String]) -> anyhow::Result<Exit> {
    match understood(args)? {
        Command::Text(text) => output::print(&text).map(|()| Exit::Ok),
        Command::Run(run) => print_plan(&run),
    }
}

fn print_plan(run: &Run) -> anyhow::Result<Exit> {
    output::print(&(serde_json::to_string_pretty(&run.plan)? + "\n"))?;
    Ok(Exit::Ok)
}

fn understood(args: &[String]) -> anyhow::Result<Command> {
    let environment: BTreeMap<String, String> = std::env::vars().collect();
    let directory = std::env::current_dir().context("cannot tell the current directory")?;
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let world = World {
        read: &read_text,
        find: &find,
        environment: &environment,
        directory: &directory.to_string_lossy(),
        machine: machine(),
        entropy: since.as_nanos() as u64,
    };
    Ok(command(args, &world)?)
}

fn read_text(path: &str) -> Result<String, String> {
    if path == "-" {
        let mut text = String::new();
        return std::io::stdin().read_to_string(&mut text).map(|_| text).map_err(|error| error.to_string());
    }
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

fn find(path: &str) -> Option<Found> {
    let metadata = std::fs::metadata(path).ok()?;
    Some(Found { bytes: metadata.is_file().then_some(metadata.len()), is_directory: metadata.is_dir() })
}

fn machine() -> Machine {
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kib = total.and_then(|rest| rest.split_whitespace().next()).and_then(|number| number.parse::<u64>().ok());
    Machine {
        page_bytes: rustix::param::page_size() as u64,
        memory_mib: kib.unwrap_or(0) / 1024,
        processors: std::thread::available_parallelism().map_or(1, |count| count.get() as u32),
    }
}

fn measure(run: Run) -> anyhow::Result<Exit> {
    let Run { mut plan, outputs } = run;
    let store = stores::open(&plan.target)?;
    plan.notes.extend(store.notes);
    let sink = Sink::open(&outputs)?;
    sink.header(&plan);
    let (stop, live, clock) = (Arc::new(Stop::default()), Arc::new(Live::default()), Clock::start());
    interrupt::listen(stop.clone(), live.clone())?;
    let line = Line::show(live.clone(), clock.clone(), &plan, &outputs);
    let mut failure = None;
    let mut save = |record: &Record| failure = sink.save_record(record).err().or(failure.take());
    let mut snapshots = Vec::new();
    let mut show = |record: &Record| sink.status(record, &mut snapshots);
    let status = Some(Status { every: outputs.status_interval, show: &mut show });
    let mut control = Control { stop, live, clock, version: VERSION, save: &mut save, status };
    let run = fsbench_runner::run(plan, &store.target, &mut control);
    drop(line);
    if let Some(error) = &run.refusal {
        output::tell(&format!("fio: {error}\n"));
        return Ok(Exit::Errors);
    }
    sink.results(&run.record, &snapshots)?;
    if let Some(error) = failure {
        return Err(error.context("the Record could not be saved"));
    }
    Ok(exit_of(&run.record))
}

/// fio's codes: 128 after a signal, 1 after any error.
fn exit_of(record: &Record) -> Exit {
    let jobs = record.phases.iter().flat_map(|phase| &phase.repetitions).flat_map(|repetition| &repetition.jobs);
    let failed = jobs.into_iter().any(|job| job.error != 0 || job.verify_failures > 0);
    match record.ending {
        Ending::Interrupted => Exit::FioSignal,
        Ending::Finished if !failed && record.error_count() == 0 => Exit::Ok,
        _ => Exit::Errors,
    }
}

/// Where results go.
struct Sink {
    outputs: Outputs,
    file: Option<ResultFile>,
    record: Option<ResultFile>,
}

impl Sink {
    fn open(outputs: &Outputs) -> anyhow::Result<Self> {
        if outputs.record.is_some() && outputs.record == outputs.file {
            anyhow::bail!("--record and --output name the same file; the one would overwrite the other");
        }
        Ok(Self {
            file: outputs.file.as_deref().map(ResultFile::at).transpose()?,
            record: outputs.record.as_deref().map(ResultFile::at).transpose()?,
            outputs: outputs.clone(),
        })
    }

    /// What normal output says before a run.
    fn header(&self, plan: &fsbench_model::Plan) {
        if self.file.is_none() && self.outputs.formats.first() == Some(&Format::Normal) {
            drop(output::print(&report::header(plan, VERSION)));
        }
        for note in &plan.notes {
            output::tell(&format!("fio: {note}\n"));
        }
    }

    fn save_record(&self, record: &Record) -> anyhow::Result<()> {
        match &self.record {
            Some(file) => file.save(&record.to_json()?),
            None => Ok(()),
        }
    }

    /// What was measured so far: shown at once in text formats, kept for the one document of JSON.
    fn status(&self, record: &Record, snapshots: &mut Vec<Record>) {
        let shown = Shown::default();
        for format in &self.outputs.formats {
            match format {
                Format::Normal if self.file.is_none() => drop(output::print(&report::results(record, &shown))),
                Format::Terse if self.file.is_none() => {
                    drop(output::print(&report::terse(record, self.terse_version(), &shown)));
                }
                _ => {}
            }
        }
        snapshots.push(record.clone());
    }

    fn terse_version(&self) -> TerseVersion {
        match self.outputs.terse_version {
            2 => TerseVersion::V2,
            4 => TerseVersion::V4,
            5 => TerseVersion::V5,
            _ => TerseVersion::V3,
        }
    }

    fn results(&self, record: &Record, snapshots: &[Record]) -> anyhow::Result<()> {
        let mut text = String::new();
        for (nth, format) in self.outputs.formats.iter().enumerate() {
            text += &self.render(*format, record, snapshots, nth == 0);
        }
        match &self.file {
            Some(file) => file.save(&text)?,
            None => output::print(&text)?,
        }
        if let Some(sentence) = &record.failure {
            output::tell(&format!("fio: {sentence}\n"));
        }
        let repetitions = record.phases.iter().flat_map(|phase| &phase.repetitions);
        for error in repetitions.flat_map(|repetition| &repetition.errors) {
            let times = if error.count > 1 { format!(" ({} times)", error.count) } else { String::new() };
            output::tell(&format!("fio: {}{times}\n", error.first));
        }
        if let Some(file) = &self.record {
            output::tell(&format!("Record: {}\n", file.path().display()));
        }
        Ok(())
    }

    fn render(&self, format: Format, record: &Record, snapshots: &[Record], is_first: bool) -> String {
        let shown = Shown::default();
        match format {
            Format::Normal if self.file.is_none() && is_first => report::results(record, &shown),
            Format::Normal => report::normal(record, &shown),
            Format::Terse => report::terse(record, self.terse_version(), &shown),
            Format::Json => report::json_with_status(record, snapshots, &shown),
            Format::JsonPlus => report::json_plus_with_status(record, snapshots, &shown),
        }
    }
}

/// Whether the binary was called by this name as fio.
pub(crate) fn is_name(name: &str) -> bool {
    Path::new(name).file_name().is_some_and(|name| name == "fio")
}
