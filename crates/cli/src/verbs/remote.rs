//! `fsbench remote`: parse, plan, run, save, report.

use crate::exit::{self, Exit};
use crate::output::{self, ResultFile};
use crate::progress::Line;
use crate::verbs::VERSION;
use crate::{interrupt, stores};
use anyhow::Context;
use fsbench_model::TargetSpec;
use fsbench_report::gbench::{self, ConsoleOptions, FileOptions};
use fsbench_results::Record;
use fsbench_runner::{Clock, Control, Live, Run, Stop};
use fsbench_suites::remote::{self as suite, Ask, Color, Conf, Format, Outputs, Remote, Sources};
use std::io::IsTerminal;
use std::sync::Arc;

/// Where a command line without results to come leads: to a target, for other verbs.
pub(crate) fn target(args: &[String]) -> anyhow::Result<TargetSpec> {
    match request(args)? {
        Request::Work(remote) => Ok(remote.plan.target),
        Request::Answered => anyhow::bail!("no target"),
    }
}

/// Runs the flags.
pub(crate) fn run(args: &[String]) -> anyhow::Result<Exit> {
    match request(args)? {
        Request::Answered => Ok(Exit::Ok),
        Request::Work(remote) if remote.outputs.dry_run => print_plan(&remote),
        Request::Work(remote) => measure(*remote),
    }
}

/// Prints the plan of the flags.
pub(crate) fn plan(args: &[String]) -> anyhow::Result<Exit> {
    match request(args)? {
        Request::Answered => Ok(Exit::Ok),
        Request::Work(remote) => print_plan(&remote),
    }
}

/// What was asked for, understood.
enum Request {
    /// Help, the version or the tests' names were printed.
    Answered,
    Work(Box<Remote>),
}

fn read_text(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| error.to_string())
}

fn request(args: &[String]) -> anyhow::Result<Request> {
    let env = |name: &str| std::env::var(name).ok();
    let typed = suite::parse(args, &Sources { read: &read_text, env: &env })?;
    match typed.asks() {
        Some(Ask::Help) => output::print(&suite::help()).map(|()| Request::Answered),
        Some(Ask::Version) => output::print(&format!("fsbench {VERSION}\n")).map(|()| Request::Answered),
        None => {
            let conf = typed.conf_path().map(read_conf).transpose()?;
            let remote = suite::plan(&typed, conf.as_ref())?;
            if let Some(conf) = conf.as_ref().filter(|_| !remote.outputs.quiet) {
                output::tell(&conf.echo());
            }
            if remote.outputs.list_tests {
                let names: Vec<String> = remote.plan.phases.iter().map(|p| suite::row_name(p) + "\n").collect();
                return output::print(&names.concat()).map(|()| Request::Answered);
            }
            Ok(Request::Work(Box::new(remote)))
        }
    }
}

fn read_conf(path: &str) -> anyhow::Result<Conf> {
    let text = std::fs::read_to_string(path).with_context(|| format!("failed to open conf file: {path}"))?;
    Ok(Conf::parse(path, &text)?)
}

fn print_plan(remote: &Remote) -> anyhow::Result<Exit> {
    output::print(&(serde_json::to_string_pretty(&remote.plan)? + "\n"))?;
    Ok(Exit::Ok)
}

fn measure(remote: Remote) -> anyhow::Result<Exit> {
    let Remote { mut plan, outputs } = remote;
    let store = stores::open(&plan.target)?;
    plan.notes.extend(store.notes);
    let mut sink = Sink::open(&outputs)?;
    let (stop, live, clock) = (Arc::new(Stop::default()), Arc::new(Live::default()), Clock::start());
    interrupt::listen(stop.clone(), live.clone())?;
    let line = Line::show(live.clone(), clock.clone(), outputs.quiet);
    let mut save = |record: &Record| sink.save(record);
    let mut control = Control { stop, live, clock, version: VERSION, save: &mut save, status: None };
    let run = fsbench_runner::run(plan, &store.target, &mut control);
    drop(line);
    // The input was right and something was measured: what goes wrong from here on is no mistake of the user's.
    Ok(conclude(&run, &outputs, &sink).unwrap_or_else(|error| {
        output::tell(&format!("fsbench: {error:#}\n"));
        Exit::Errors
    }))
}

/// Prints the report and says how it ended.
fn conclude(run: &Run, outputs: &Outputs, sink: &Sink) -> anyhow::Result<Exit> {
    if let Some(error) = &run.refusal {
        output::tell(&format!("fsbench: {error}\n"));
        return Ok(exit::of_run(run));
    }
    if outputs.format != Format::Csv {
        output::tell(&gbench::context(&run.record, &file_options(outputs)));
    }
    output::print(&render(&run.record, outputs, outputs.format))?;
    if outputs.format == Format::Console {
        output::print(&summary(&run.record, outputs.quiet))?;
    }
    if let Some(failure) = &sink.failure {
        anyhow::bail!("the measurements above could not all be saved: {failure}");
    }
    if let Some(sentence) = &run.record.failure {
        output::tell(&format!("fsbench: {sentence}\n"));
    }
    if let (Some(file), false) = (&sink.record, outputs.quiet) {
        output::tell(&format!("Record: {}\n", file.path().display()));
    }
    Ok(exit::of_run(run))
}

fn summary(record: &Record, quiet: bool) -> String {
    let notes = if quiet { Vec::new() } else { record.notes.clone() };
    fsbench_report::summary(&Record { notes, ..record.clone() })
}

fn file_options(outputs: &Outputs) -> FileOptions {
    FileOptions { aggregates_only: outputs.report_aggregates_only, context: outputs.context.clone() }
}

fn render(record: &Record, outputs: &Outputs, format: Format) -> String {
    match format {
        Format::Json => gbench::json(record, &file_options(outputs)),
        Format::Csv => gbench::csv(record, &file_options(outputs)),
        Format::Console => gbench::console(record, &console_options(outputs)),
    }
}

fn console_options(outputs: &Outputs) -> ConsoleOptions {
    ConsoleOptions {
        tabular: outputs.counters_tabular,
        color: match outputs.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => std::io::stdout().is_terminal(),
        },
        aggregates_only: outputs.report_aggregates_only,
        display_aggregates_only: outputs.display_aggregates_only,
    }
}

/// The files that results are saved to after every repetition.
struct Sink {
    record: Option<ResultFile>,
    out: Option<(ResultFile, Outputs)>,
    /// The first thing that went wrong while saving; told when the run is over.
    failure: Option<String>,
}

impl Sink {
    fn open(outputs: &Outputs) -> anyhow::Result<Self> {
        if outputs.record.is_some() && outputs.record == outputs.out {
            anyhow::bail!("--record and --benchmark_out name the same file; the one would overwrite the other");
        }
        let record = outputs.record.as_deref().map(ResultFile::at).transpose()?;
        let out = outputs.out.as_deref().map(ResultFile::at).transpose()?;
        Ok(Self { record, out: out.map(|file| (file, outputs.clone())), failure: None })
    }

    fn save(&mut self, record: &Record) {
        if let Err(error) = self.try_save(record)
            && self.failure.is_none()
        {
            self.failure = Some(format!("{error:#}"));
        }
    }

    fn try_save(&self, record: &Record) -> anyhow::Result<()> {
        if let Some(file) = &self.record {
            file.save(&record.to_json()?)?;
        }
        if let Some((file, outputs)) = &self.out {
            let plain = Outputs { color: Color::Never, ..outputs.clone() };
            file.save(&render(record, &plain, outputs.out_format))?;
        }
        Ok(())
    }
}
