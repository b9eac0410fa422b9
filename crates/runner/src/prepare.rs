//! What happens before the clock starts: the base is checked or made, foreign files are found, the ledger is written.

use crate::clean::Made;
use crate::ledger::{self, FileSet, Ledger};
use fsbench_model::{FileNames, Phase, Plan, Program, SmallFiles};
use fsbench_target::{Error, ErrorKind, Session, Target};
use std::collections::BTreeSet;

/// What preparation found out.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    /// Every name that fsbench made below the base, this run's included.
    pub(crate) owned: BTreeSet<String>,
    /// The names that this run creates.
    pub(crate) created: BTreeSet<String>,
    /// The numbered files that this run creates.
    pub(crate) sets: Vec<FileSet>,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

impl Prepared {
    /// All that this run creates.
    pub(crate) fn made(&self) -> Made {
        Made { names: self.created.clone(), sets: self.sets.clone(), run: None }
    }
}

/// Gives the directories of small files the names that they have in this run, and in no other.
pub(crate) fn name_directories(plan: &mut Plan, run: &str) {
    for phase in &mut plan.phases {
        if let Program::SmallFiles(files) = &mut phase.program {
            files.directory.push_str(run);
        }
    }
}

/// Whether a target keeps what is written: on one that does not, nothing can be owned or foreign.
pub(crate) fn keeps_data(target: &dyn Target) -> bool {
    target.scheme() != "null"
}

/// Checks and prepares. After an error nothing has been changed but, at most, directories made.
pub(crate) fn prepare(
    plan: &Plan,
    target: &dyn Target,
    session: &mut dyn Session,
    run: &str,
) -> Result<Prepared, Error> {
    let mut prepared = Prepared::default();
    if !keeps_data(target) {
        return Ok(prepared);
    }
    let writes = plan.phases.iter().any(|p| matches!(p.program, Program::Write(_) | Program::SmallFiles(_)));
    let made_base = base(target, session, writes)?;
    if plan.phases.iter().any(changes_names) {
        known(session, &mut prepared)?;
    }
    let mut new = BTreeSet::new();
    for phase in &plan.phases {
        let claimed = claims(phase, session, &prepared.owned)?;
        new.extend(claimed.difference(&prepared.owned).cloned());
        prepared.owned.extend(claimed.iter().cloned());
        prepared.created.extend(claimed);
    }
    prepared.sets = sets(plan);
    let ledger = Ledger::new(run, made_base, new).with_sets(prepared.sets.clone());
    if !ledger.is_empty() {
        ledger::save(session, &ledger)
            .and_then(|()| directories(session, &prepared.sets))
            .inspect_err(|_| take_back(session, &ledger))?;
    }
    Ok(prepared)
}

/// The numbered files that a plan makes.
fn sets(plan: &Plan) -> Vec<FileSet> {
    let written = plan.phases.iter().filter_map(|phase| match &phase.program {
        Program::SmallFiles(files) if files.writes() => Some(files),
        _ => None,
    });
    let set = |files: &SmallFiles| FileSet {
        directory: files.directory.clone(),
        prefix: SmallFiles::PREFIX.into(),
        suffix: SmallFiles::SUFFIX.into(),
        count: files.files,
    };
    written.map(set).collect()
}

/// Makes the directories of numbered files.
fn directories(session: &mut dyn Session, sets: &[FileSet]) -> Result<(), Error> {
    for set in sets {
        if session.exists(&set.directory)? {
            return Err(foreign("make", &set.directory, "try again"));
        }
        session.mkdir(&set.directory)?;
    }
    Ok(())
}

/// Takes back what preparing made before it failed, as far as it goes.
fn take_back(session: &mut dyn Session, ledger: &Ledger) {
    for set in &ledger.sets {
        drop(session.delete(&set.directory));
    }
    drop(session.delete(&ledger.path()));
    if session.delete(ledger::DIRECTORY).is_ok() && ledger.made_base {
        drop(session.delete(""));
    }
}

/// Whether a phase creates, moves or deletes files.
pub(crate) fn changes_names(phase: &Phase) -> bool {
    matches!(phase.program, Program::Write(_) | Program::Rename(_) | Program::Delete(_) | Program::SmallFiles(_))
}

/// The names that a phase will make and may therefore replace or delete later. Foreign files are refused, or, where
/// the user lets them be replaced, not claimed.
fn claims(phase: &Phase, session: &mut dyn Session, owned: &BTreeSet<String>) -> Result<BTreeSet<String>, Error> {
    let mut claimed = BTreeSet::new();
    let of_workers = |files: &FileNames| (0..phase.workers).map(|w| files.of_worker(w)).collect::<BTreeSet<_>>();
    match &phase.program {
        Program::Write(plan) => {
            for name in of_workers(&plan.files) {
                match is_foreign(session, owned, &name)? {
                    true if plan.overwrite_foreign => {}
                    true => return Err(foreign("write", &name, "pass --overwrite to replace such files")),
                    false => drop(claimed.insert(name)),
                }
            }
        }
        Program::Rename(plan) => {
            for here in of_workers(&plan.files) {
                let there = format!("{here}{}", plan.suffix);
                if !owned.contains(&here) && !owned.contains(&there) {
                    continue;
                }
                for name in [here, there] {
                    if is_foreign(session, owned, &name)? {
                        return Err(foreign("rename to", &name, "move it away first"));
                    }
                    claimed.insert(name);
                }
            }
        }
        _ => {}
    }
    Ok(claimed)
}

fn is_foreign(session: &mut dyn Session, owned: &BTreeSet<String>, name: &str) -> Result<bool, Error> {
    Ok(!owned.contains(name) && session.exists(name)?)
}

fn foreign(operation: &'static str, name: &str, remedy: &str) -> Error {
    let detail = "it exists and fsbench did not make it";
    Error::new(ErrorKind::AlreadyExists, "prepare", operation, name, detail)
        .with_hint(format!("choose another base_dir, or {remedy}"))
}

/// Makes the base when the run writes, and otherwise makes sure that it is there. True when it was made.
fn base(target: &dyn Target, session: &mut dyn Session, writes: bool) -> Result<bool, Error> {
    if !target.capabilities().directories {
        return Ok(false);
    }
    match session.stat("") {
        Ok(stat) if stat.directory => Ok(false),
        Ok(_) => Err(Error::new(ErrorKind::WrongType, target.scheme(), "use", target.uri(), "it is a file")
            .with_hint("base_dir must be a directory")),
        Err(error) if error.kind == ErrorKind::NotFound && writes => session.mkdir("").map(|()| true),
        Err(error) if error.kind == ErrorKind::NotFound => {
            Err(error.with_hint("fsbench remote --operation=create_write makes it and the files in it"))
        }
        Err(error) => Err(error),
    }
}

/// Loads the ledgers. Who may not list can still run; then every file counts as foreign.
fn known(session: &mut dyn Session, prepared: &mut Prepared) -> Result<(), Error> {
    match ledger::load(session) {
        Ok(ledgers) => prepared.owned.extend(ledgers.into_iter().flat_map(|l| l.files)),
        Err(error) if error.kind == ErrorKind::Denied => {
            prepared.notes.push(format!("earlier runs' files cannot be recognised: {error}"));
        }
        Err(error) => return Err(error),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsbench_model::{Bytes, Content, RenameFile, Settings, Stop, TargetSpec, WriteFile};
    use fsbench_target::{MemTarget, NoProbe, OpenMode, OpenOptions};
    use std::rc::Rc;

    fn phase(program: Program) -> Phase {
        Phase { name: "p".into(), workers: 2, repetitions: 1, stop: Stop::Iterations(1), program }
    }

    fn plan(program: Program) -> Plan {
        let target = TargetSpec { uri: "mem:".into(), settings: Settings::default() };
        let phases = vec![phase(program)];
        Plan { suite: "remote".into(), target, phases, cleanup: false, cold: false, notes: vec![] }
    }

    fn write() -> Program {
        Program::Write(WriteFile {
            files: FileNames::PerWorker("test_".into()),
            size: Bytes(10),
            buffer: Bytes(10),
            content: Content::default(),
            sync: false,
            overwrite_foreign: false,
        })
    }

    fn touch(session: &mut dyn Session, name: &str) {
        let file = session.open(name, OpenOptions { mode: OpenMode::CreateNew, size_hint: None }).expect("opens");
        session.close(file).expect("closes");
    }

    #[test]
    fn foreign_files_are_refused_before_anything_is_written() {
        let target = MemTarget::default();
        let mut session = target.session(Rc::new(NoProbe)).expect("a session");
        touch(session.as_mut(), "test_1");
        let error = prepare(&plan(write()), &target, session.as_mut(), "r1").expect_err("test_1 is foreign");
        assert_eq!(error.kind, ErrorKind::AlreadyExists);
        assert!(error.to_string().contains("test_1"), "{error}");
        assert!(!session.exists(ledger::DIRECTORY).expect("exists works"));
    }

    #[test]
    fn what_may_be_overwritten_is_not_claimed_and_foreign_targets_of_a_rename_are_refused() {
        let target = MemTarget::default();
        let mut session = target.session(Rc::new(NoProbe)).expect("a session");
        touch(session.as_mut(), "test_1");
        let mut overwrite = write();
        if let Program::Write(plan) = &mut overwrite {
            plan.overwrite_foreign = true;
        }
        let prepared = prepare(&plan(overwrite), &target, session.as_mut(), "r1").expect("it may be replaced");
        assert_eq!(prepared.created, ["test_0".to_string()].into());
        touch(session.as_mut(), "test_0");
        touch(session.as_mut(), "test_0_new");
        let rename = RenameFile { files: FileNames::PerWorker("test_".into()), suffix: "_new".into() };
        let error = prepare(&plan(Program::Rename(rename)), &target, session.as_mut(), "r2").expect_err("foreign");
        assert!(error.kind == ErrorKind::AlreadyExists && error.path == "test_0_new", "{error}");
    }

    #[test]
    fn own_files_are_replaced_and_renamed_names_are_owned() {
        let target = MemTarget::default();
        let mut session = target.session(Rc::new(NoProbe)).expect("a session");
        prepare(&plan(write()), &target, session.as_mut(), "r1").expect("an empty base");
        touch(session.as_mut(), "test_0");
        let again = prepare(&plan(write()), &target, session.as_mut(), "r2").expect("test_0 is ours");
        assert!(again.owned.contains("test_1"));
        let rename = RenameFile { files: FileNames::PerWorker("test_".into()), suffix: "_new".into() };
        let renamed = prepare(&plan(Program::Rename(rename)), &target, session.as_mut(), "r3").expect("prepares");
        assert!(renamed.created.contains("test_0_new"));
    }
}
