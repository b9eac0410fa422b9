//! `fsbench smallfiles`: parse, plan, run, save, report, and the verdict as exit code.

use crate::exit::{self, Exit};
use crate::output::{self, ResultFile};
use crate::progress::Line;
use crate::verbs::VERSION;
use crate::{interrupt, stores};
use anyhow::Context;
use fsbench_report::smallfiles as report;
use fsbench_results::Record;
use fsbench_runner::{Clock, Control, Live, Run, Stop};
use fsbench_suites::remote::Conf;
use fsbench_suites::smallfiles::{self as suite, Check, Format};
use fsbench_target::{Error, ErrorKind};
use std::path::Path;
use std::sync::Arc;

/// Runs the arguments.
pub(crate) fn run(args: &[String]) -> anyhow::Result<Exit> {
    match request(args)? {
        None => output::print(&suite::help()).map(|()| Exit::Ok),
        Some(check) if check.dry_run => print_plan(&check),
        Some(check) => measure(check),
    }
}

/// Prints the plan of the arguments.
pub(crate) fn plan(args: &[String]) -> anyhow::Result<Exit> {
    match request(args)? {
        None => output::print(&suite::help()).map(|()| Exit::Ok),
        Some(check) => print_plan(&check),
    }
}

/// What was asked for; `None` is help.
fn request(args: &[String]) -> anyhow::Result<Option<Check>> {
    let typed = suite::parse(args)?;
    if typed.asks() {
        return Ok(None);
    }
    let conf = typed.conf_path().map(read_conf).transpose()?;
    Ok(Some(suite::plan(&typed, conf.as_ref())?))
}

fn read_conf(path: &str) -> anyhow::Result<Conf> {
    let text = std::fs::read_to_string(path).with_context(|| format!("failed to open conf file: {path}"))?;
    Ok(Conf::parse(path, &text)?)
}

fn print_plan(check: &Check) -> anyhow::Result<Exit> {
    output::print(&(serde_json::to_string_pretty(&check.plan)? + "\n"))?;
    Ok(Exit::Ok)
}

fn measure(check: Check) -> anyhow::Result<Exit> {
    let mut plan = check.plan.clone();
    let store = stores::open(&plan.target)?;
    parent_of_directory(&plan.target.uri)?;
    plan.notes.extend(store.notes);
    let file = check.record.as_deref().map(ResultFile::at).transpose()?;
    let (stop, live, clock) = (Arc::new(Stop::default()), Arc::new(Live::default()), Clock::start());
    interrupt::listen(stop.clone(), live.clone())?;
    let line = Line::show(live.clone(), clock.clone(), check.quiet);
    let mut unsaved = None;
    let mut save = |record: &Record| unsaved = save_record(file.as_ref(), record).err().or(unsaved.take());
    let mut control = Control { stop, live, clock, version: VERSION, save: &mut save, status: None };
    let run = fsbench_runner::run(plan, &store.target, &mut control);
    drop(line);
    let exit = conclude(&run, &check).and_then(|exit| match unsaved {
        None => Ok(exit),
        Some(error) => Err(error.context("the Record could not be saved")),
    });
    // Something was measured: what goes wrong from here on is no mistake of the user's.
    Ok(exit.unwrap_or_else(|error| {
        output::tell(&format!("fsbench: {error:#}\n"));
        Exit::Errors
    }))
}

/// A local directory may be missing, and is then made; where the one above it is missing too, the name is a mistake, and
/// making it all would measure another file system than the one that was meant.
fn parent_of_directory(uri: &str) -> Result<(), Error> {
    let Some(path) = uri.strip_prefix("file:") else { return Ok(()) };
    let path = Path::new(path.strip_prefix("//").unwrap_or(path));
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.exists() || parent.is_dir() {
        return Ok(());
    }
    let detail = format!("there is no such directory, nor {} above it", parent.display());
    Err(Error::new(ErrorKind::NotFound, "posix", "use", uri, detail).with_hint("mount or make it first"))
}

fn save_record(file: Option<&ResultFile>, record: &Record) -> anyhow::Result<()> {
    match file {
        Some(file) => file.save(&record.to_json()?),
        None => Ok(()),
    }
}

/// Prints the report and says how it ended.
fn conclude(run: &Run, check: &Check) -> anyhow::Result<Exit> {
    if let Some(error) = &run.refusal {
        output::tell(&format!("fsbench: {error}\n"));
        return Ok(exit::of_run(run));
    }
    let notes = if check.quiet { Vec::new() } else { run.record.notes.clone() };
    let record = Record { notes, ..run.record.clone() };
    output::print(&match check.format {
        Format::Text => report::text(&record),
        Format::Json => report::json(&record),
    })?;
    if let Some(sentence) = &record.failure {
        output::tell(&format!("fsbench: {sentence}\n"));
    }
    Ok(of_check(&record))
}

/// The code of a check: not good is 1, whether it was too slow or failed.
pub(crate) fn of_check(record: &Record) -> Exit {
    match exit::of_record(record) {
        Exit::Ok if !report::is_good(record) => Exit::Errors,
        exit => exit,
    }
}
