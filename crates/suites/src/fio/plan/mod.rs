//! Sections into a plan: one phase between two stonewalls, one worker for each clone.

mod build;
mod checks;
mod control;
mod data;
mod engine;
mod errors;
mod files;
mod output;
mod pattern;
mod patterns;
mod place;
mod seed;
mod sizes;
mod store;

pub(super) use engine::ENGINES;

use super::error::FioError;
use super::typed::{Section, Typed};
use super::values::Values;
use super::world::World;
use build::{Clone, Switches};
use fsbench_model::job::{Job, Jobs};
use fsbench_model::{Phase, Plan, Program, Stop};
use place::Site;
use std::collections::BTreeSet;

/// More files than this would need gigabytes for the plan alone.
const FILES_MAX: usize = 2_000_000;

/// A section with its options understood.
struct Draft<'a> {
    section: &'a Section,
    values: Values,
    clones: u32,
    /// Whether it waits for everything before.
    barrier: bool,
    group: u32,
    /// How many jobs, clones counted, stand before it.
    first: u32,
}

/// A job, and the index of the draft that it was made from.
struct Made {
    draft: usize,
    job: Job,
}

/// Makes the plan.
pub(super) fn plan(typed: &Typed, sections: &[Section], world: &World<'_>) -> Result<Plan, FioError> {
    let switches = Switches::of(typed)?;
    let mut drafts = drafts(sections, &switches, world)?;
    checks::names(&drafts)?;
    let site = place::site(&drafts)?;
    let mut files = 0;
    let (mut phases, mut before): (Vec<Vec<Made>>, BTreeSet<String>) = Default::default();
    for (at, draft) in drafts.iter_mut().enumerate() {
        if draft.barrier || phases.is_empty() {
            phases.push(Vec::new());
        }
        let made = clones(draft, &site, &switches, &before, world)?;
        files += made.iter().map(|job| job.files.len()).sum::<usize>();
        if files > FILES_MAX {
            return Err(draft.values.refuse("nrfiles", format!("more than {FILES_MAX} files in one run; use fewer")));
        }
        before.extend(made.iter().flat_map(|job| job.files.iter().map(|file| file.path.clone())));
        if let Some(phase) = phases.last_mut() {
            phase.extend(made.into_iter().map(|job| Made { draft: at, job }));
        }
    }
    checks::waits(&drafts, &mut phases);
    checks::reads_of_nothing(&drafts, &phases, &site, world)?;
    let notes = notes(typed, &drafts, &site, &switches)?;
    let target = store::target(typed, &site, world)?;
    let phases = phases.into_iter().map(|jobs| phase(jobs, &drafts)).collect();
    Ok(Plan { suite: "fio".into(), target, phases, cleanup: false, cold: switches.cold, notes })
}

fn drafts<'a>(sections: &'a [Section], switches: &Switches, world: &World<'_>) -> Result<Vec<Draft<'a>>, FioError> {
    let mut drafts: Vec<Draft<'a>> = Vec::new();
    let (mut group, mut first) = (0, 0u32);
    for section in sections {
        engine::is_there(section)?;
        let values = Values::read(&section.place, section.items(), world)?;
        let barrier = !drafts.is_empty() && (values.is_on("stonewall") || section.starts_file);
        if !drafts.is_empty() && (barrier || values.is_on("new_group")) {
            group += 1;
        }
        let clones = values.count("numjobs");
        if first.saturating_add(clones) > switches.jobs_max {
            let what = format!("more than {} jobs; raise --max-jobs", switches.jobs_max);
            return Err(values.refuse("numjobs", what));
        }
        drafts.push(Draft { section, values, clones, barrier, group, first });
        first += clones;
    }
    Ok(drafts)
}

/// The jobs of one section.
fn clones(
    draft: &mut Draft<'_>,
    site: &Site,
    switches: &Switches,
    before: &BTreeSet<String>,
    world: &World<'_>,
) -> Result<Vec<Job>, FioError> {
    checks::job(draft, site, switches)?;
    let make = |index| {
        build::job(&Clone {
            section: draft.section,
            values: &draft.values,
            index,
            clones: draft.clones,
            group: draft.group,
            number: draft.first + index,
            site,
            switches,
            before,
            world,
        })
    };
    (0..draft.clones).map(make).collect()
}

fn phase(made: Vec<Made>, drafts: &[Draft<'_>]) -> Phase {
    let mut names: Vec<&str> = Vec::new();
    for made in &made {
        if !names.contains(&made.job.name.as_str()) {
            names.push(&made.job.name);
        }
    }
    Phase {
        name: names.join(","),
        workers: u32::try_from(made.len()).unwrap_or(u32::MAX),
        repetitions: 1,
        stop: Stop::Iterations(1),
        program: Program::Jobs(Jobs {
            serial_layout: made.iter().any(|made| drafts[made.draft].values.is_on("create_serialize")),
            jobs: made.into_iter().map(|made| made.job).collect(),
        }),
    }
}

fn notes(typed: &Typed, drafts: &[Draft<'_>], site: &Site, switches: &Switches) -> Result<Vec<String>, FioError> {
    let mut notes = Vec::new();
    if let Some(switch) = typed.switch("alloc-size") {
        notes.push(format!("{}: --alloc-size has no effect: fsbench has no shared memory", switch.place));
    }
    if let Some(switch) = typed.switch("conf").filter(|_| !matches!(site, Site::Store(_))) {
        notes.push(format!("{}: --conf has no effect: no file of the run is in a store", switch.place));
    }
    let unimportant = notes.len();
    checks::beaten_defaults(typed, drafts, &mut notes);
    for draft in drafts {
        for note in &draft.values.notes {
            let note = format!("{}: {note}", draft.section.name);
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    match notes[unimportant..].iter().find(|note| !note.contains(" has no effect: ")) {
        Some(note) if switches.notes_are_errors => Err(FioError::of_all(format!("{note} (--warnings-fatal)"))),
        _ => Ok(notes),
    }
}
