//! What happens before the clock starts: the base is checked or made, foreign files are found, the ledger is written.

use crate::ledger::{self, Ledger};
use fsbench_model::{FileNames, Phase, Plan, Program};
use fsbench_target::{Error, ErrorKind, Session, Target};
use std::collections::BTreeSet;

/// What preparation found out.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    /// Every name that fsbench made below the base, this run's included.
    pub(crate) owned: BTreeSet<String>,
    /// This run's ledger, when it creates anything.
    pub(crate) ledger: Option<Ledger>,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

/// Names that a phase creates: written files, and what renaming makes of files that are ours.
fn creates(phase: &Phase, owned: &BTreeSet<String>) -> BTreeSet<String> {
    let per_worker = |files: &FileNames| (0..phase.workers).map(|w| files.of_worker(w)).collect::<BTreeSet<_>>();
    match &phase.program {
        Program::Write(plan) => per_worker(&plan.files),
        Program::Rename(plan) => per_worker(&plan.files)
            .into_iter()
            .filter(|name| owned.contains(name))
            .map(|name| format!("{name}{}", plan.suffix))
            .collect(),
        _ => BTreeSet::new(),
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
    let writes = plan.phases.iter().any(|p| matches!(p.program, Program::Write(_)));
    let made_base = base(target, session, writes)?;
    if plan.phases.iter().any(|p| matches!(p.program, Program::Write(_) | Program::Rename(_) | Program::Delete(_))) {
        known(session, &mut prepared)?;
    }
    let mut names = BTreeSet::new();
    for phase in &plan.phases {
        refuse_foreign(phase, session, &prepared.owned)?;
        let created = creates(phase, &prepared.owned);
        prepared.owned.extend(created.iter().cloned());
        names.extend(created);
    }
    if !names.is_empty() {
        let ledger = Ledger::new(run, made_base, names);
        ledger::save(session, &ledger)?;
        prepared.ledger = Some(ledger);
    }
    Ok(prepared)
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

fn refuse_foreign(phase: &Phase, session: &mut dyn Session, owned: &BTreeSet<String>) -> Result<(), Error> {
    let Program::Write(plan) = &phase.program else { return Ok(()) };
    if plan.overwrite_foreign {
        return Ok(());
    }
    for name in (0..phase.workers).map(|w| plan.files.of_worker(w)) {
        if !owned.contains(&name) && session.exists(&name)? {
            let detail = "it exists and fsbench did not make it";
            return Err(Error::new(ErrorKind::AlreadyExists, "prepare", "write", name, detail)
                .with_hint("choose another base_dir, or pass --overwrite to replace such files"));
        }
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
    fn own_files_are_replaced_and_renamed_names_are_owned() {
        let target = MemTarget::default();
        let mut session = target.session(Rc::new(NoProbe)).expect("a session");
        prepare(&plan(write()), &target, session.as_mut(), "r1").expect("an empty base");
        touch(session.as_mut(), "test_0");
        let again = prepare(&plan(write()), &target, session.as_mut(), "r2").expect("test_0 is ours");
        assert!(again.owned.contains("test_1"));
        let rename = RenameFile { files: FileNames::PerWorker("test_".into()), suffix: "_new".into() };
        let renamed = prepare(&plan(Program::Rename(rename)), &target, session.as_mut(), "r3").expect("prepares");
        assert!(renamed.ledger.expect("it creates names").files.contains("test_0_new"));
    }
}
