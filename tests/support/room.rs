//! A directory of a test's own, and what can be found there afterwards.

use fsbench_results::{Record, Repetition};
use std::path::{Path, PathBuf};

/// Removed when the test ends.
pub struct Room {
    dir: tempfile::TempDir,
}

impl Room {
    pub fn new() -> Self {
        Self { dir: tempfile::tempdir().expect("a temporary directory") }
    }

    /// A path in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The same as text.
    pub fn at(&self, name: &str) -> String {
        self.path(name).to_str().expect("temporary paths are UTF-8").into()
    }

    /// `--base_dir=…/data`.
    pub fn base(&self) -> String {
        format!("--base_dir={}", self.at("data"))
    }

    /// `--record=…/record.json`.
    pub fn record_flag(&self) -> String {
        format!("--record={}", self.at("record.json"))
    }

    /// Writes a file and gives its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("it has a parent")).expect("directories");
        std::fs::write(path, text).expect("a file in a temporary directory");
        self.at(name)
    }

    /// The Record of `--record`.
    #[track_caller]
    pub fn record(&self) -> Record {
        let text = std::fs::read_to_string(self.path("record.json")).expect("a Record was written");
        let record = Record::from_json(&text).expect("it is a Record");
        repetitions(&record).into_iter().for_each(Repetition::assert_consistent);
        record
    }

    /// The Record, if there is a whole one already.
    pub fn record_so_far(&self) -> Option<Record> {
        Record::from_json(&std::fs::read_to_string(self.path("record.json")).ok()?).ok()
    }

    /// Names of all files below `data`, sorted, ledgers apart.
    pub fn data(&self) -> Vec<String> {
        files_below(&self.path("data")).into_iter().filter(|name| !name.contains(".fsbench/")).collect()
    }
}

/// Every file below `dir`, relative to it, sorted.
pub fn files_below(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut left = vec![dir.to_path_buf()];
    while let Some(current) = left.pop() {
        for entry in std::fs::read_dir(&current).into_iter().flatten() {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
            } else {
                let name = path.strip_prefix(dir).expect("it is below");
                names.push(name.to_string_lossy().into_owned());
            }
        }
    }
    names.sort();
    names
}

/// All repetitions of all phases.
pub fn repetitions(record: &Record) -> Vec<&Repetition> {
    record.phases.iter().flat_map(|phase| &phase.repetitions).collect()
}

/// A count, over all repetitions.
pub fn counted(record: &Record, name: &str) -> u64 {
    repetitions(record).iter().map(|r| r.counted(name)).sum()
}

/// How many operations ended well, over all repetitions.
pub fn succeeded(record: &Record) -> u64 {
    repetitions(record).iter().filter_map(|r| r.kinds.get("operation")).map(|kind| kind.count).sum()
}

/// How many errors of a kind there are, over all repetitions.
pub fn errors_of(record: &Record, kind: &str) -> u64 {
    repetitions(record).iter().flat_map(|r| &r.errors).filter(|e| e.kind == kind).map(|e| e.count).sum()
}

/// Kinds of all errors, each once.
pub fn error_kinds(record: &Record) -> Vec<String> {
    let mut kinds: Vec<String> = repetitions(record).iter().flat_map(|r| &r.errors).map(|e| e.kind.clone()).collect();
    kinds.sort();
    kinds.dedup();
    kinds
}
