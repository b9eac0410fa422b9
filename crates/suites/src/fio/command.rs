//! One call of `fsbench fio`: what is asked for, and what comes of it.

use super::arguments;
use super::error::{FioError, Place};
use super::help;
use super::ini;
use super::outputs::Outputs;
use super::plan;
use super::ready;
use super::showcmd;
use super::typed::{Section, Typed, sections, select};
use super::world::World;
use fsbench_model::Plan;

/// What a command line asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Run jobs.
    Run(Box<Run>),
    /// Print this and end with 0; it may be empty.
    Text(String),
}

/// Jobs to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// What runs.
    pub plan: Plan,
    /// Where its results go.
    pub outputs: Outputs,
}

/// Understands the arguments behind the program's name, reading job files through `world`.
///
/// # Errors
/// Anything that could not be run as it was typed; the exit code is [`super::EXIT_BAD_INPUT`].
pub fn command(args: &[String], world: &World<'_>) -> Result<Command, FioError> {
    let typed = arguments::parse(args)?;
    if let Some(text) = help::asked(&typed) {
        return text.map(Command::Text);
    }
    let jobs = jobs(&typed, world)?;
    if typed.has("showcmd") {
        return Ok(Command::Text(showcmd::text(&jobs)));
    }
    let outputs = Outputs::of(&typed)?;
    let plan = plan::plan(&typed, &jobs, world)?;
    if typed.has("parse-only") {
        return Ok(Command::Text(String::new()));
    }
    Ok(Command::Run(Box::new(Run { plan, outputs })))
}

/// All jobs: those of the command line, of job files, and a ready-made one.
fn jobs(typed: &Typed, world: &World<'_>) -> Result<Vec<Section>, FioError> {
    let mut jobs = typed.jobs.clone();
    for (at, (path, place)) in typed.files.iter().enumerate() {
        let text = (world.read)(path).map_err(|why| {
            FioError::at(place, format!("cannot read the job file {path}: {why}; give an existing file"))
        })?;
        jobs.extend(sections(ini::parse(path, &text, world.read)?, &typed.defaults, at > 0));
    }
    for (at, switch) in typed.all("job").iter().enumerate() {
        let name = switch.value.as_deref().unwrap_or_default();
        let job = ready::find(name).ok_or_else(|| FioError::at(&switch.place, ready::unknown(name)))?;
        let blocks = ini::parse(&format!("{name}.fio"), job.text, world.read)?;
        jobs.extend(sections(blocks, &typed.defaults, at > 0 || !typed.files.is_empty()));
    }
    select(&mut jobs, typed)?;
    let overrides = arguments::overrides(typed)?;
    for job in &mut jobs {
        job.own.extend(overrides.iter().cloned());
    }
    if jobs.is_empty() {
        return Err(none(typed));
    }
    Ok(jobs)
}

fn none(typed: &Typed) -> FioError {
    let what = "No job(s) defined; give a job file, --name=NAME with options, or --job=NAME (see --list-jobs)";
    match typed.files.first() {
        Some((path, _)) => FioError::at(&Place { file: path.clone(), line: 1, column: 1 }, what),
        None => FioError::of_all(what),
    }
}
