//! What cannot run as it was typed, though each option by itself is fine; and what should be known.

use super::super::error::FioError;
use super::super::options;
use super::super::typed::Typed;
use super::super::world::World;
use super::build::Switches;
use super::place::Site;
use super::{Draft, Made, data, engine, pattern, store};
use fsbench_model::job::{BlockSizes, EngineName, Mode, Pattern};
use std::collections::BTreeSet;

/// Looks at one job, and adds notes to it.
pub(super) fn job(draft: &mut Draft<'_>, site: &Site, switches: &Switches) -> Result<(), FioError> {
    let pattern = pattern::pattern(&draft.values, 0)?;
    let name = engine::name(&draft.values, site)?;
    readonly(draft, &pattern, switches)?;
    match site {
        Site::Store(uri) => store::check(&draft.values, &pattern, uri)?,
        _ => local(draft, name, site)?,
    }
    verify(draft, &pattern)?;
    notes(draft, name, &pattern);
    Ok(())
}

fn readonly(draft: &Draft<'_>, pattern: &Pattern, switches: &Switches) -> Result<(), FioError> {
    let engine = draft.values.word("ioengine");
    if switches.readonly && draft.values.has("read_iolog") {
        let what =
            "fio is in read-only mode, and what a trace does is not known before it is read; take --readonly away";
        return Err(draft.values.refuse("read_iolog", what));
    }
    if !switches.readonly || !(pattern::changes(pattern.mode) || matches!(engine.as_str(), "filecreate" | "filedelete"))
    {
        return Ok(());
    }
    let what = format!("job <{}> has write or trim bit set, but fio is in read-only mode", draft.section.name);
    Err(draft.values.refuse(if pattern::changes(pattern.mode) { "rw" } else { "ioengine" }, what))
}

fn local(draft: &Draft<'_>, name: EngineName, site: &Site) -> Result<(), FioError> {
    let values = &draft.values;
    if name == EngineName::Store {
        return Err(values.refuse("ioengine", "it is for stores; give filename=hdfs://… or filename=s3://…"));
    }
    if *site == Site::Nowhere && name != EngineName::Null {
        return Err(values.refuse("ioengine", "this job needs files, and another of the run has ioengine=null without"));
    }
    if name == EngineName::Mmap && engine::direct(values) {
        return Err(values.refuse("direct", "mmap always goes through the page cache; take one of them away"));
    }
    own_options(draft, name)
}

/// Options of single engines, with the engines that honour them.
const OWN: [(&str, &[EngineName]); 7] = [
    ("fixedbufs", &[EngineName::IoUring]),
    ("registerfiles", &[EngineName::IoUring]),
    ("sqthread_poll", &[EngineName::IoUring]),
    ("sqthread_poll_cpu", &[EngineName::IoUring]),
    ("force_async", &[EngineName::IoUring]),
    ("hipri", &[EngineName::IoUring, EngineName::Pvsync2]),
    ("uncached", &[EngineName::IoUring, EngineName::Pvsync2]),
];

fn own_options(draft: &Draft<'_>, name: EngineName) -> Result<(), FioError> {
    let nowait: (&str, &[EngineName]) = ("nowait", &[EngineName::IoUring, EngineName::Pvsync2, EngineName::Libaio]);
    for (option, engines) in OWN.into_iter().chain([nowait]) {
        if draft.values.has(option) && !engines.contains(&name) {
            let names: Vec<_> = engines.iter().map(|engine| engine.name()).collect();
            let what = format!("engine {} does not have it; it is for {}", name.name(), names.join(", "));
            return Err(draft.values.refuse(option, what));
        }
    }
    Ok(())
}

fn verify(draft: &Draft<'_>, pattern: &Pattern) -> Result<(), FioError> {
    let values = &draft.values;
    if !data::is_verified(values) {
        let needs = ["verify_only", "verify_backlog", "verify_state_load", "verify_async", "verify_interval"];
        return match needs.into_iter().find(|name| values.has(name)) {
            Some(name) if values.is_on(name) || values.number(name).unwrap_or(0) > 0 => {
                Err(values.refuse(name, "it needs verify=…, as in verify=crc32c"))
            }
            _ => Ok(()),
        };
    }
    let varies = pattern.blocks.iter().any(|sizes| !matches!(sizes, BlockSizes::Fixed(_)));
    if varies && pattern.random && !pattern.map {
        let what = "blocks of several sizes overlap without a random map, so that they cannot be verified";
        return Err(values.refuse("verify", format!("{what}; use one bs, or take norandommap away")));
    }
    if matches!(pattern.mode, Mode::Trim) {
        return Err(values.refuse("verify", "nothing is written that could be verified"));
    }
    Ok(())
}

fn notes(draft: &mut Draft<'_>, name: EngineName, pattern: &Pattern) {
    let values = &mut draft.values;
    if name.is_synchronous() && values.count("iodepth") > 1 {
        values.note(
            "both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1".to_string(),
        );
    }
    if pattern.unaligned && engine::direct(values) {
        values.note("bs_unaligned may not work with direct=1: devices want whole sectors".to_string());
    }
    let shared = draft.clones > 1 && values.has("filename") && !values.has("offset_increment");
    if shared && data::is_verified(values) && pattern::changes(pattern.mode) {
        values.note("several writers may overwrite each other's blocks, which then cannot be verified".to_string());
    }
    let text = values.entry("runtime").map(|entry| entry.text.clone()).unwrap_or_default();
    if text.starts_with('(') && !text.contains('s') {
        values.note(format!("runtime={text} is in microseconds, as in fio: inside parentheses that is the unit"));
    }
    binary_units(values);
}

/// `4kib` is 4000 bytes, which nobody expects who does not know fio.
fn binary_units(values: &mut super::super::values::Values) {
    if values.base() != 1024 {
        return;
    }
    for name in ["bs", "size", "filesize", "io_size", "offset"] {
        let Some(text) = values.entry(name).map(|entry| entry.text.to_ascii_lowercase()) else { continue };
        if let Some(unit) = ["kib", "mib", "gib", "tib", "pib"].into_iter().find(|unit| text.contains(unit)) {
            let short = &unit[..1];
            values
                .note(format!("{name}={text}: {unit} is a power of 1000, as in fio (kb_base); {short} is one of 1024"));
        }
    }
}

/// Names that `wait_for` could mean must be single, as in fio.
pub(super) fn names(drafts: &[Draft<'_>]) -> Result<(), FioError> {
    for (at, draft) in drafts.iter().enumerate() {
        let Some(wanted) = draft.values.text("wait_for").filter(|wanted| wanted != "none") else { continue };
        let refuse = |what: &str| Err(draft.values.refuse("wait_for", what));
        let count = drafts.iter().filter(|other| other.section.title() == wanted).count();
        let before = drafts[..at].iter().any(|other| other.section.title() == wanted);
        match (draft.section.title() == wanted, count, before) {
            (true, ..) => return refuse("a job cannot wait for itself"),
            (_, 0, _) => return refuse("there is no such job"),
            (_, 2.., _) => return refuse("there are several jobs of this name; give them names of their own"),
            (_, _, false) => return refuse("this job stands behind; a job waits for one before it"),
            _ => {}
        }
    }
    Ok(())
}

/// Finds the workers that each job waits for. Those of an earlier phase have ended anyway.
pub(super) fn waits(drafts: &[Draft<'_>], phases: &mut [Vec<Made>]) {
    for phase in phases {
        let names: Vec<String> = phase.iter().map(|made| made.job.name.clone()).collect();
        for made in phase.iter_mut() {
            let Some(wanted) = drafts[made.draft].values.text("wait_for") else { continue };
            let after = names.iter().enumerate().filter(|(_, name)| **name == wanted);
            made.job.start.after = after.filter_map(|(at, _)| u32::try_from(at).ok()).collect();
        }
    }
}

/// A job that only reads and verifies needs something that was written before.
pub(super) fn reads_of_nothing(
    drafts: &[Draft<'_>],
    phases: &[Vec<Made>],
    site: &Site,
    world: &World<'_>,
) -> Result<(), FioError> {
    let mut written: BTreeSet<&str> = BTreeSet::new();
    for Made { draft, job } in phases.iter().flatten() {
        let writes = pattern::changes(job.pattern.mode);
        let missing =
            |path: &str| *site == Site::Local && !written.contains(path) && (world.find)(&format!("/{path}")).is_none();
        if let Some(plan) = &job.verify
            && (!writes || plan.only)
            && let Some(file) = job.files.iter().find(|file| missing(&file.path))
        {
            let what = format!("/{} does not exist, and no job before writes it: nothing is known of it", file.path);
            let values = &drafts[*draft].values;
            return Err(values.refuse(if values.has("verify") { "verify" } else { "verify_pattern" }, what));
        }
        if writes {
            written.extend(job.files.iter().map(|file| file.path.as_str()));
        }
    }
    Ok(())
}

/// As in fio a job file's options beat those of the command line, which surprises: say so.
pub(super) fn beaten_defaults(typed: &Typed, drafts: &[Draft<'_>], notes: &mut Vec<String>) {
    let overridden = |name: &str| {
        let prefix = format!("{name}=");
        typed.all("override").iter().any(|o| o.value.as_deref().is_some_and(|text| text.starts_with(&prefix)))
    };
    for default in typed.defaults.iter().filter(|item| !overridden(&item.name)) {
        let canonical = |name: &str| options::find(name).map_or(name.to_string(), |opt| opt.name.into());
        let name = canonical(&default.name);
        let beaten = drafts.iter().filter(|draft| !draft.section.place.file.is_empty()).find_map(|draft| {
            let mut behind = draft.section.items().filter(|item| item.place != default.place);
            behind.find(|item| canonical(&item.name) == name && !item.place.file.is_empty())
        });
        if let Some(item) = beaten {
            let value = |value: &Option<String>| value.as_deref().map(|text| format!("={text}")).unwrap_or_default();
            notes.push(format!(
                "--{name}{} of the command line is only a default, as in fio: {} has {name}{}; \
                 --override={name}{} would win",
                value(&default.value),
                item.place,
                value(&item.value),
                value(&default.value),
            ));
        }
    }
}
