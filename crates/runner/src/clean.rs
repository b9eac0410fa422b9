//! Removing what fsbench made below a base, and nothing else.

use crate::ledger::{self, FileSet, Ledger};
use fsbench_target::{Cursor, Error, ErrorKind, NoProbe, Session, Target};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Sessions that remove a set of files together, at most: one removal of a network store is a round trip.
const HANDS_MAX: usize = 16;
/// Files for which another session is worth opening.
const FILES_OF_A_HAND: usize = 100;
/// Names that are held in memory at a time.
const NAMES_MAX: usize = 100_000;

/// What cleaning did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanReport {
    /// Files removed, ledgers not counted.
    pub removed: u64,
    /// Files that were listed but were not there any more.
    pub absent: u64,
    /// Ledgers, and so runs, that were cleaned up after.
    pub runs: u64,
    /// Unfinished uploads that were aborted.
    pub uploads: u64,
    /// Why unfinished uploads could not be looked for, on a store that may have some.
    pub uploads_unseen: Option<String>,
}

/// Removes everything that the ledgers below the session's base list, then the ledgers, then the directories that
/// fsbench made, if they are empty.
///
/// # Errors
/// The first name that could not be removed; the ledgers stay, so that cleaning can be tried again.
pub fn clean(target: &dyn Target, session: &mut dyn Session) -> Result<CleanReport, Error> {
    let ledgers = ledger::load(session)?;
    let names = ledgers.iter().flat_map(|ledger| ledger.files.iter().cloned()).collect();
    let sets = ledgers.iter().flat_map(|ledger| ledger.sets.iter().cloned()).collect();
    remove(target, session, ledgers, &Made { names, sets, run: None })
}

/// What is to be removed.
#[derive(Debug, Default)]
pub(crate) struct Made {
    pub(crate) names: BTreeSet<String>,
    pub(crate) sets: Vec<FileSet>,
    /// The run that removes, if it is one.
    pub(crate) run: Option<String>,
}

/// Removes what was `made`, and takes every name that is gone out of the ledgers. Nothing at all only does the latter.
pub(crate) fn remove(
    target: &dyn Target,
    session: &mut dyn Session,
    ledgers: Vec<Ledger>,
    made: &Made,
) -> Result<CleanReport, Error> {
    let mut report = CleanReport::default();
    // First: without the ledgers nobody could tell any more whose they are.
    let listed = |name: &str| made.names.contains(name) || ledgers.iter().any(|ledger| ledger.lists(name));
    match session.abort_unfinished(&listed) {
        Ok(uploads) => report.uploads = uploads,
        Err(error) if error.kind == ErrorKind::Unsupported => report.uploads_unseen = Some(error.to_string()),
        Err(error) => return Err(error),
    }
    for set in &made.sets {
        report.removed += remove_set(target, session, set)?;
    }
    for name in &made.names {
        if session.exists(name)? && removed(session.delete(name))? {
            report.removed += 1;
        } else {
            report.absent += 1;
        }
    }
    let made_base = ledgers.iter().any(|ledger| ledger.made_base);
    let mut left = false;
    for ledger in ledgers {
        let settled = settle(session, &ledger, made, made_base)?;
        left |= settled;
        report.runs += u64::from(!settled);
    }
    if !left && target.capabilities().directories {
        // A directory that still holds something refuses; that is how the user's files are kept.
        let emptied = session.delete(ledger::DIRECTORY).is_ok();
        if emptied && made_base {
            drop(session.delete(""));
        }
    }
    Ok(report)
}

/// Removes those files of a set that are there, and its directory unless somebody else's file is in it. How many.
fn remove_set(target: &dyn Target, session: &mut dyn Session, set: &FileSet) -> Result<u64, Error> {
    let mut removed = 0;
    // As often as all files need, and no more: a store may go on listing what it has removed.
    for _ in 0..=set.count / NAMES_MAX as u64 {
        let names = names_of(session, set)?;
        let hands = (names.len() / FILES_OF_A_HAND).clamp(1, HANDS_MAX);
        removed += match hands {
            1 => remove_names(session, &names)?,
            _ => remove_together(target, names.chunks(names.len().div_ceil(hands)))?,
        };
        if names.len() < NAMES_MAX {
            break;
        }
    }
    if target.capabilities().directories {
        drop(session.delete(&set.directory));
    }
    Ok(removed)
}

/// The files of a set that are there, at most [`NAMES_MAX`].
fn names_of(session: &mut dyn Session, set: &FileSet) -> Result<Vec<String>, Error> {
    let mut names = Vec::new();
    let mut from: Option<Cursor> = None;
    loop {
        let page = match session.list(&set.directory, from) {
            Err(error) if error.kind == ErrorKind::NotFound => return Ok(names),
            page => page?,
        };
        names.extend(page.entries.into_iter().map(|entry| entry.path).filter(|name| set.contains(name)));
        from = page.next;
        if from.is_none() || names.len() >= NAMES_MAX {
            names.truncate(NAMES_MAX);
            return Ok(names);
        }
    }
}

fn remove_names(session: &mut dyn Session, names: &[String]) -> Result<u64, Error> {
    let mut count = 0;
    for name in names {
        count += u64::from(removed(session.delete(name))?);
    }
    Ok(count)
}

/// Each part by a session of its own.
fn remove_together<'a>(target: &dyn Target, parts: impl Iterator<Item = &'a [String]>) -> Result<u64, Error> {
    let remove_part = |names: &[String]| remove_names(target.session(Rc::new(NoProbe))?.as_mut(), names);
    std::thread::scope(|scope| {
        let hands: Vec<_> = parts.map(|names| scope.spawn(move || remove_part(names))).collect();
        hands.into_iter().map(|hand| hand.join().expect("removing does not panic")).sum()
    })
}

/// Brings one ledger up to date. Whether anything is left of it.
fn settle(session: &mut dyn Session, ledger: &Ledger, gone: &Made, made_base: bool) -> Result<bool, Error> {
    let mut kept = BTreeSet::new();
    for name in ledger.files.iter().filter(|name| !gone.names.contains(*name)) {
        if session.exists(name)? {
            kept.insert(name.clone());
        }
    }
    let sets = ledger.sets.iter().filter(|set| !gone.sets.contains(set)).cloned().collect();
    let settled = Ledger::new(&ledger.run, made_base, kept).with_sets(sets);
    if settled.is_empty() {
        removed(session.delete(&ledger.path()))?;
        return Ok(false);
    }
    // That somebody else made the base is no reason to write the ledger of another run again: it may end at this moment,
    // and take its ledger away before it would be written.
    let is_own = gone.run.as_ref().is_none_or(|run| *run == ledger.run);
    let changed = (&settled.files, &settled.sets) != (&ledger.files, &ledger.sets);
    if changed || is_own && settled != *ledger {
        ledger::save(session, &settled)?;
    }
    Ok(true)
}

/// A name that is gone already needs no removing.
fn removed(result: Result<(), Error>) -> Result<bool, Error> {
    match result {
        Ok(()) => Ok(true),
        Err(error) if error.kind == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsbench_target::{MemTarget, NoProbe, OpenMode, OpenOptions};
    use std::rc::Rc;

    #[test]
    fn only_what_is_listed_goes() {
        let target = MemTarget::default();
        let mut session = target.session(Rc::new(NoProbe)).expect("a session");
        let session = session.as_mut();
        ledger::save(session, &Ledger::new("r", false, ["test_0".into(), "test_1".into()].into())).expect("saves");
        for name in ["test_0", "precious"] {
            let file = session.open(name, OpenOptions { mode: OpenMode::CreateNew, size_hint: None }).expect("opens");
            session.close(file).expect("closes");
        }
        assert_eq!(
            clean(&target, session),
            Ok(CleanReport { removed: 1, absent: 1, runs: 1, ..CleanReport::default() })
        );
        assert!(session.exists("precious").expect("exists works"));
        assert!(!session.exists(".fsbench").expect("exists works"));
        assert_eq!(clean(&target, session), Ok(CleanReport::default()));
    }

    #[test]
    fn of_a_set_only_its_own_files_go() {
        let target = MemTarget::default();
        let mut session = target.session(Rc::new(NoProbe)).expect("a session");
        let session = session.as_mut();
        let of = |directory: &str| FileSet {
            directory: directory.into(),
            prefix: "test".into(),
            suffix: ".txt".into(),
            count: 1000,
        };
        let sets = vec![of("a"), of("b"), of("never-made")];
        ledger::save(session, &Ledger::new("r", false, BTreeSet::new()).with_sets(sets)).expect("saves");
        let many = (0..1000).map(|number| format!("a/test{number}.txt"));
        for name in many.chain(["b/test0.txt".into(), "b/test1000.txt".into()]) {
            session.mkdir(&name[..1]).expect("makes");
            let file = session.open(&name, OpenOptions { mode: OpenMode::CreateNew, size_hint: None }).expect("opens");
            session.close(file).expect("closes");
        }
        assert_eq!(clean(&target, session), Ok(CleanReport { removed: 1001, runs: 1, ..CleanReport::default() }));
        let left = ["a", "b", "b/test1000.txt", ".fsbench"].map(|name| session.exists(name).expect("exists works"));
        assert_eq!(left, [false, true, true, false]);
    }
}
