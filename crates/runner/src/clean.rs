//! Removing what fsbench made below a base, and nothing else.

use crate::ledger::{self, Ledger};
use fsbench_target::{Error, ErrorKind, Session, Target};
use std::collections::BTreeSet;

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
    remove(target, session, ledgers, &names)
}

/// Removes `names`, and takes every name that is gone out of the ledgers. No names at all only does the latter.
pub(crate) fn remove(
    target: &dyn Target,
    session: &mut dyn Session,
    ledgers: Vec<Ledger>,
    names: &BTreeSet<String>,
) -> Result<CleanReport, Error> {
    let mut report = CleanReport::default();
    // First: without the ledgers nobody could tell any more whose they are.
    let listed = |name: &str| names.contains(name) || ledgers.iter().any(|ledger| ledger.files.contains(name));
    match session.abort_unfinished(&listed) {
        Ok(uploads) => report.uploads = uploads,
        Err(error) if error.kind == ErrorKind::Unsupported => report.uploads_unseen = Some(error.to_string()),
        Err(error) => return Err(error),
    }
    for name in names {
        if session.exists(name)? && removed(session.delete(name))? {
            report.removed += 1;
        } else {
            report.absent += 1;
        }
    }
    let made_base = ledgers.iter().any(|ledger| ledger.made_base);
    let mut left = false;
    for ledger in ledgers {
        let settled = settle(session, &ledger, names, made_base)?;
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

/// Brings one ledger up to date. Whether anything is left of it.
fn settle(session: &mut dyn Session, ledger: &Ledger, gone: &BTreeSet<String>, made_base: bool) -> Result<bool, Error> {
    let mut kept = BTreeSet::new();
    for name in ledger.files.iter().filter(|name| !gone.contains(*name)) {
        if session.exists(name)? {
            kept.insert(name.clone());
        }
    }
    let settled = Ledger::new(&ledger.run, made_base, kept);
    if settled.files.is_empty() {
        removed(session.delete(&ledger.path()))?;
        return Ok(false);
    }
    if settled != *ledger {
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
}
