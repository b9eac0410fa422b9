//! Removing what fsbench made below a base, and nothing else.

use crate::ledger::{self, Ledger};
use fsbench_target::{Error, ErrorKind, Session, Target};

/// What cleaning did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CleanReport {
    /// Files removed, ledgers not counted.
    pub removed: u64,
    /// Files that were listed but were not there any more.
    pub absent: u64,
    /// Ledgers, and so runs, that were cleaned up after.
    pub runs: u64,
}

/// Removes everything that the ledgers below the session's base list, then the ledgers, then the directories that
/// fsbench made, if they are empty.
///
/// # Errors
/// The first name that could not be removed; its ledger stays, so that cleaning can be tried again.
pub fn clean(target: &dyn Target, session: &mut dyn Session) -> Result<CleanReport, Error> {
    let mut report = CleanReport::default();
    let ledgers = ledger::load(session)?;
    // Which of them made the base does not matter here: the last one to go takes it along.
    let made_base = ledgers.iter().any(|ledger| ledger.made_base);
    for mut ledger in ledgers {
        ledger.made_base = made_base;
        clean_run(target, session, &ledger, &mut report)?;
    }
    Ok(report)
}

/// Removes what one run made, and its ledger.
pub(crate) fn clean_run(
    target: &dyn Target,
    session: &mut dyn Session,
    ledger: &Ledger,
    report: &mut CleanReport,
) -> Result<(), Error> {
    for name in &ledger.files {
        if session.exists(name)? && removed(session.delete(name))? {
            report.removed += 1;
        } else {
            report.absent += 1;
        }
    }
    removed(session.delete(&ledger.path()))?;
    report.runs += 1;
    if target.capabilities().directories {
        // A directory that still holds something refuses; that is how other runs' and the user's files are kept.
        let emptied = session.delete(ledger::DIRECTORY).is_ok();
        if emptied && ledger.made_base {
            drop(session.delete(""));
        }
    }
    Ok(())
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
        assert_eq!(clean(&target, session), Ok(CleanReport { removed: 1, absent: 1, runs: 1 }));
        assert!(session.exists("precious").expect("exists works"));
        assert!(!session.exists(".fsbench").expect("exists works"));
        assert_eq!(clean(&target, session), Ok(CleanReport::default()));
    }
}
