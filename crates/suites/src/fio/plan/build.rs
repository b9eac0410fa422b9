//! One clone of a section, with every field decided.

use super::super::error::FioError;
use super::super::expand::expand;
use super::super::ini::Item;
use super::super::options;
use super::super::typed::{Section, Typed};
use super::super::values::Values;
use super::super::world::World;
use super::place::Site;
use super::{control, data, engine, files, output, pattern, seed};
use fsbench_model::job::Job;
use std::collections::BTreeSet;

/// Switches of the command line that change jobs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Switches {
    pub(super) jobs_max: u32,
    pub(super) readonly: bool,
    pub(super) mkdir: bool,
    pub(super) allow_destroy: bool,
    pub(super) cold: bool,
    pub(super) notes_are_errors: bool,
    /// `--scale`, 1 when not given.
    pub(super) scale: f64,
}

impl Switches {
    pub(super) fn of(typed: &Typed) -> Result<Self, FioError> {
        Ok(Self {
            jobs_max: typed.number("max-jobs").and_then(|number| u32::try_from(number).ok()).unwrap_or(4096),
            readonly: typed.has("readonly"),
            mkdir: typed.has("mkdir"),
            allow_destroy: typed.has("allow-destroy"),
            cold: typed.has("cold"),
            notes_are_errors: typed.has("warnings-fatal"),
            scale: scale(typed)?,
        })
    }
}

fn scale(typed: &Typed) -> Result<f64, FioError> {
    let Some(switch) = typed.switch("scale") else { return Ok(1.0) };
    let refuse = |why: &str| FioError::at(&switch.place, format!("--scale: {why}; accepted: above 0, as in 0.01 or 4"));
    let value = super::super::numbers::decimal(switch.value.as_deref().unwrap_or_default());
    match value {
        Ok(value) if value > 0.0 => Ok(value),
        Ok(_) => Err(refuse("it is 0")),
        Err(why) => Err(refuse(&why)),
    }
}

/// A clone of a section, and all that is needed to make its job.
pub(super) struct Clone<'a> {
    pub(super) section: &'a Section,
    pub(super) values: &'a Values,
    /// From 0.
    pub(super) index: u32,
    pub(super) clones: u32,
    pub(super) group: u32,
    /// Its number in the plan, from 0.
    pub(super) number: u32,
    pub(super) site: &'a Site,
    pub(super) switches: &'a Switches,
    /// Files of the jobs before: they will be there.
    pub(super) before: &'a BTreeSet<String>,
    pub(super) world: &'a World<'a>,
}

/// Makes the job of one clone.
pub(super) fn job(clone: &Clone<'_>) -> Result<Job, FioError> {
    let values = clone.values;
    let seed = seed::of_job(values, clone.number, clone.world);
    let pattern = pattern::pattern(values, seed)?;
    let files = files::files(clone, &pattern, seed)?;
    let amount = control::amount(clone, &files)?;
    let flag = |name: &str| values.is_on(name);
    Ok(Job {
        name: clone.section.title().into(),
        description: values.text("description"),
        group: clone.group,
        clone: clone.index,
        clones: clone.clones,
        grouped: flag("group_reporting"),
        typed: typed(&clone.section.own, clone.world),
        globals: typed(&clone.section.globals, clone.world),
        thread: flag("thread"),
        start: control::start(values),
        exit: control::exit(values),
        engine: engine::engine(values, clone.site, clone.world)?,
        open_files_max: open_files(values, files.len()),
        serve: files::serve(values)?,
        layout: files::layout(values, clone.switches),
        amount,
        rate: control::rate(values)?,
        data: data::written(values, clone.world)?,
        syncs: data::syncs(values)?,
        verify: data::verify(values, &pattern, clone.world)?,
        replay: data::replay(clone)?,
        record_trace: values.text("write_iolog"),
        on_error: data::on_error(values)?,
        logs: output::logs(values, clone.section.title()),
        output: output::output(values)?,
        processors: control::processors(values, clone.index, clone.world)?,
        exec_before: values.text("exec_prerun"),
        exec_after: values.text("exec_postrun"),
        nice: i32::try_from(values.signed("nice")).unwrap_or(0),
        flow: control::flow(values),
        files,
        pattern,
    })
}

/// Options as they were typed, under fio's own names and with variables replaced, as fio's JSON has them; of several
/// assignments the last.
fn typed(items: &[Item], world: &World<'_>) -> Vec<(String, String)> {
    let mut out: Vec<(String, String)> = Vec::new();
    for item in items {
        let name = options::find(&item.name).map_or(item.name.clone(), |opt| opt.name.into());
        let text = item.value.clone().unwrap_or_default();
        let text = expand(&text, world).unwrap_or(text);
        match out.iter_mut().find(|(before, _)| *before == name) {
            Some((_, before)) => *before = text,
            None => out.push((name, text)),
        }
    }
    out
}

fn open_files(values: &Values, files: usize) -> u32 {
    let files = u32::try_from(files).unwrap_or(u32::MAX).max(1);
    match values.count("openfiles") {
        0 => files,
        open => open.min(files),
    }
}
