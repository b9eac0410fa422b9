//! The real fio and `fsbench fio`, called alike; what they print and log, read as data.

use super::call::{Call, Ended, fsbench, program};
use super::room::Room;
use super::skip;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

/// Who runs a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    Fio,
    Ours,
}

pub const BOTH: [Tool; 2] = [Tool::Fio, Tool::Ours];

impl Tool {
    /// The program with these arguments.
    pub fn call<S: AsRef<std::ffi::OsStr>>(self, args: &[S]) -> Call {
        match self {
            Self::Fio => program("fio", args),
            Self::Ours => fsbench(&["fio"]).args(args),
        }
    }

    /// A name for its own directory.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fio => "fio",
            Self::Ours => "ours",
        }
    }

    /// Runs a job file in a directory of its own (`directory` is put before the text) and gives its JSON.
    #[track_caller]
    pub fn json_of(self, room: &Room, text: &str) -> Value {
        let dir = room.at(self.name());
        std::fs::create_dir_all(&dir).expect("a directory");
        let file = room.file(&format!("{}.fio", self.name()), &format!("[global]\ndirectory={dir}\n{text}"));
        let ended = self.call(&["--output-format=json", &file]).in_dir(&room.path(self.name())).run();
        json(&ended.expect(0))
    }
}

/// `fsbench fio ARGS`.
pub fn ours<S: AsRef<std::ffi::OsStr>>(args: &[S]) -> Call {
    Tool::Ours.call(args)
}

/// Whether the real fio is there; says so if not.
pub fn has_fio() -> bool {
    has("fio", "apt-get install fio")
}

/// Whether a program is there; says so if not.
pub fn has(name: &str, how: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    if !found {
        skip(&format!("{name} is not installed ({how})"));
    }
    found
}

/// Whether loop devices and mounts can be made; says so if not.
pub fn is_root() -> bool {
    let root = rustix::process::geteuid().is_root();
    if !root {
        skip("mounts and loop devices need root");
    }
    root
}

/// The one JSON document on standard output.
#[track_caller]
pub fn json(ended: &Ended) -> Value {
    let start = if ended.stdout.starts_with("fio: ") { ended.stdout.find('{').unwrap_or(0) } else { 0 };
    serde_json::from_str(&ended.stdout[start..]).unwrap_or_else(|error| panic!("no JSON: {error}: {ended}"))
}

/// I/Os and bytes of a job and its clones, by direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub ios: [u64; 3],
    pub bytes: [u64; 3],
}

/// Counts of all jobs by their names.
pub fn counts(document: &Value) -> BTreeMap<String, Counts> {
    let mut all = BTreeMap::<String, Counts>::new();
    for job in document["jobs"].as_array().expect("jobs") {
        let counts = all.entry(job["jobname"].as_str().expect("a name").into()).or_default();
        for (at, direction) in ["read", "write", "trim"].into_iter().enumerate() {
            counts.ios[at] += job[direction]["total_ios"].as_u64().expect("total_ios");
            counts.bytes[at] += job[direction]["io_bytes"].as_u64().expect("io_bytes");
        }
    }
    all
}

/// One I/O of a trace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Traced {
    pub file: String,
    pub offset: u64,
    pub length: u64,
    pub action: String,
}

/// The reads, writes and trims of an iolog of version 2 or 3, in order; directories of files left away.
#[track_caller]
pub fn iolog(path: &Path) -> Vec<Traced> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let timed = text.starts_with("fio version 3 iolog");
    assert!(timed || text.starts_with("fio version 2 iolog"), "{text:.40}");
    let lines = text.lines().skip(1).map(|line| line.split(' ').skip(usize::from(timed)).collect::<Vec<_>>());
    lines.filter_map(|words| traced(&words)).collect()
}

fn traced(words: &[&str]) -> Option<Traced> {
    let [file, action @ ("read" | "write" | "trim"), offset, length] = words else { return None };
    Some(Traced {
        file: file.rsplit('/').next().unwrap_or(file).to_string(),
        offset: offset.parse().expect("an offset"),
        length: length.parse().expect("a length"),
        action: (*action).to_string(),
    })
}
