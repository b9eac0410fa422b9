//! The ledger: which names below a base fsbench made.
//!
//! Before a run creates anything it writes `.fsbench/<run>.json` below its base, with every new name that it may create.
//! What is in no ledger is foreign: it is never replaced, deleted or cleaned. A name that is gone, or was never made, is
//! taken out again ([`crate::clean`]), so that nobody's later file of that name is taken for fsbench's. The format is
//! `{"schema": "fsbench.ledger", "version": 1, "run": "…", "made_base": false, "files": ["test_0", …]}`. Version 2 has
//! `sets` besides: many files that differ in a number, in a directory that the run made.

use fsbench_target::{Buffer, Cursor, Error, ErrorKind, Io, IoKind, OpenMode, OpenOptions, Session};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The directory of ledgers below a base.
pub const DIRECTORY: &str = ".fsbench";

const SCHEMA: &str = "fsbench.ledger";
const VERSION: u32 = 2;
/// Without sets a ledger is what older versions of fsbench read, too.
const VERSION_WITHOUT_SETS: u32 = 1;

/// One run's ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ledger {
    schema: String,
    version: u32,
    /// The run that wrote it.
    pub run: String,
    /// Whether the run made the base directory itself.
    pub made_base: bool,
    /// Names, relative to the base, that the run creates.
    pub files: BTreeSet<String>,
    /// Numbered files, each set in a directory of its own that the run creates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sets: Vec<FileSet>,
}

/// The files `<directory>/<prefix><number><suffix>`, numbers from 0 to `count` - 1, and their directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileSet {
    /// The directory, relative to the base. The run made it: it was not there before.
    pub directory: String,
    /// Before the number.
    pub prefix: String,
    /// Behind the number.
    pub suffix: String,
    /// How many.
    pub count: u64,
}

impl FileSet {
    /// Whether a name is one of the set.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        let inside = name.strip_prefix(&self.directory).and_then(|rest| rest.strip_prefix('/'));
        let number = inside.and_then(|rest| rest.strip_prefix(&self.prefix)?.strip_suffix(&self.suffix));
        // `007` and `+7` are nobody's number.
        let parsed = number.and_then(|text| text.parse::<u64>().ok().filter(|number| number.to_string() == text));
        parsed.is_some_and(|number| number < self.count)
    }
}

impl Ledger {
    /// A ledger of `run`.
    #[must_use]
    pub fn new(run: &str, made_base: bool, files: BTreeSet<String>) -> Self {
        let (schema, version) = (SCHEMA.into(), VERSION_WITHOUT_SETS);
        Self { schema, version, run: run.into(), made_base, files, sets: Vec::new() }
    }

    /// The same with these sets.
    #[must_use]
    pub fn with_sets(mut self, sets: Vec<FileSet>) -> Self {
        self.version = if sets.is_empty() { VERSION_WITHOUT_SETS } else { VERSION };
        self.sets = sets;
        self
    }

    /// Whether nothing is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.sets.is_empty()
    }

    /// Whether it lists a name.
    #[must_use]
    pub fn lists(&self, name: &str) -> bool {
        self.files.contains(name) || self.sets.iter().any(|set| set.contains(name))
    }

    /// Where it is kept.
    #[must_use]
    pub fn path(&self) -> String {
        format!("{DIRECTORY}/{}.json", self.run)
    }
}

/// Whether a name is one of fsbench's own ledgers rather than data.
#[must_use]
pub fn is_own(path: &str) -> bool {
    path.split('/').any(|part| part == DIRECTORY)
}

/// Writes a ledger, or writes it anew. It is there, whole, before this returns.
///
/// # Errors
/// Of the store.
pub fn save(session: &mut dyn Session, ledger: &Ledger) -> Result<(), Error> {
    let text = serde_json::to_vec(ledger).expect("a ledger is plain data");
    session.mkdir(DIRECTORY)?;
    let options = OpenOptions { mode: OpenMode::CreateOrReplace, size_hint: Some(text.len() as u64) };
    let file = session.open(&ledger.path(), options)?;
    let mut buffer = Buffer::new(text.len());
    buffer.as_mut().copy_from_slice(&text);
    let io = Io { tag: 0, file, kind: IoKind::Write, offset: 0, len: text.len(), buffer };
    let written = transfer(session, io).and_then(|_| session.close(file));
    written.inspect_err(|_| drop(session.abandon(file)))
}

/// All ledgers below the session's base. One that cannot be read is an error: what it lists must not be guessed.
///
/// # Errors
/// Of the store, or [`ErrorKind::Corrupt`] naming the ledger.
pub fn load(session: &mut dyn Session) -> Result<Vec<Ledger>, Error> {
    let mut ledgers = Vec::new();
    let mut from: Option<Cursor> = None;
    loop {
        let page = match session.list(DIRECTORY, from) {
            Err(error) if error.kind == ErrorKind::NotFound => return Ok(ledgers),
            page => page?,
        };
        for entry in page.entries.iter().filter(|e| is_ledger(&e.path)) {
            match read(session, &entry.path, entry.size) {
                // A run that ended meanwhile took its ledger away.
                Err(error) if error.kind == ErrorKind::NotFound => {}
                ledger => ledgers.push(ledger?),
            }
        }
        from = page.next;
        if from.is_none() {
            return Ok(ledgers);
        }
    }
}

fn is_ledger(path: &str) -> bool {
    path.strip_prefix(DIRECTORY).is_some_and(|rest| rest.ends_with(".json") && rest.matches('/').count() == 1)
}

fn read(session: &mut dyn Session, path: &str, size: u64) -> Result<Ledger, Error> {
    let corrupt = |why: String| {
        Error::new(ErrorKind::Corrupt, "ledger", "read the ledger", path, why)
            .with_hint("remove it by hand after looking at what it lists")
    };
    let len = usize::try_from(size).map_err(|_| corrupt(format!("it is {size} bytes long")))?;
    let file = session.open(path, OpenOptions { mode: OpenMode::Read, size_hint: Some(size) })?;
    let io = Io { tag: 0, file, kind: IoKind::Read, offset: 0, len, buffer: Buffer::new(len) };
    let text = transfer(session, io);
    session.close(file)?;
    let ledger: Ledger = serde_json::from_slice(&text?).map_err(|e| corrupt(e.to_string()))?;
    if ledger.schema != SCHEMA || ledger.version > VERSION {
        return Err(corrupt(format!(
            "schema {} version {} is not known to this fsbench",
            ledger.schema, ledger.version
        )));
    }
    Ok(ledger)
}

/// One whole transfer; the bytes that are then in the buffer.
fn transfer(session: &mut dyn Session, io: Io) -> Result<Vec<u8>, Error> {
    if io.len == 0 {
        return Ok(Vec::new());
    }
    session.submit(io)?;
    let mut done = Vec::new();
    session.reap(1, &mut done)?;
    let completion = done.pop().expect("reap(1) returns the one request that is in flight");
    let count = completion.result?;
    Ok(completion.buffer.as_ref()[..count].to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsbench_target::{MemTarget, NoProbe, Target};
    use std::rc::Rc;

    #[test]
    fn a_ledger_comes_back_and_garbage_is_an_error() {
        let target = MemTarget::default();
        let mut session = target.session(Rc::new(NoProbe)).expect("a session");
        assert_eq!(load(session.as_mut()), Ok(vec![]));
        let ledger = Ledger::new("run-1", true, ["test_0".to_string()].into());
        save(session.as_mut(), &ledger).expect("saves");
        assert_eq!(load(session.as_mut()), Ok(vec![ledger]));
        let mut odd = Ledger::new("run-2", true, BTreeSet::new());
        odd.version = VERSION + 1;
        save(session.as_mut(), &odd).expect("saves");
        assert_eq!(load(session.as_mut()).expect_err("a newer ledger").kind, ErrorKind::Corrupt);
    }

    #[test]
    fn a_set_comes_back_and_holds_its_names_only() {
        let target = MemTarget::default();
        let mut session = target.session(Rc::new(NoProbe)).expect("a session");
        let set = FileSet { directory: "small-1".into(), prefix: "test".into(), suffix: ".txt".into(), count: 11 };
        let ledger = Ledger::new("run-1", false, BTreeSet::new()).with_sets(vec![set]);
        save(session.as_mut(), &ledger).expect("saves");
        assert_eq!(load(session.as_mut()), Ok(vec![ledger.clone()]));
        assert!(["small-1/test0.txt", "small-1/test10.txt"].iter().all(|name| ledger.lists(name)));
        let foreign = ["test0.txt", "small-1", "small-1/test11.txt", "small-1/test01.txt", "small-1/test+1.txt"];
        for name in foreign.into_iter().chain(["small-1/test.txt", "small-1/test1.txt.bak", "small-1/x/test1.txt"]) {
            assert!(!ledger.lists(name), "{name}");
        }
    }

    #[test]
    fn own_names_are_told_from_data() {
        assert!(is_own(".fsbench/run.json") && is_own("a/.fsbench/run.json"));
        assert!(!is_own("test_0") && !is_own("a.fsbench"));
    }
}
