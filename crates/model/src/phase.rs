//! A phase: so many workers, each running one program until a rule says stop, so many times.

use crate::{Bytes, Content, Span};
use serde::{Deserialize, Serialize};

/// One measured phase of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Name of the benchmark in reports, `HdfsReadBenchmark`.
    pub name: String,
    /// Workers that start together, each a thread with a session of its own.
    pub workers: u32,
    /// How often the whole phase is measured; sessions stay open in between.
    pub repetitions: u32,
    /// When a worker has done enough in one repetition.
    pub stop: Stop,
    /// What each worker does.
    pub program: Program,
}

/// When a worker stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// After so many operations, back to back.
    Iterations(u64),
    /// After the first operation that ends this long after the start.
    After(Span),
}

/// A worker's program: what one operation of the phase is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Program {
    /// Create a file, write it from start to end, close it.
    Write(WriteFile),
    /// Open a file, read it from the start.
    Read(ReadFile),
    /// Ask whether a file exists.
    Exists(ExistsFile),
    /// List everything below the base, page by page.
    List(ListFiles),
    /// Rename a file, there and back in turn.
    Rename(RenameFile),
    /// Delete a file that fsbench made.
    Delete(DeleteFile),
    /// Write many small files, or read them back.
    SmallFiles(crate::SmallFiles),
    /// Block I/O on files, each worker its own job.
    Jobs(crate::job::Jobs),
}

/// Which file a worker works on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileNames {
    /// `<prefix><worker>`, one for each worker, counted from 0.
    PerWorker(String),
    /// The same file for all workers.
    Shared(String),
}

impl FileNames {
    /// The file of worker `worker`, relative to the target's base.
    #[must_use]
    pub fn of_worker(&self, worker: u32) -> String {
        match self {
            FileNames::PerWorker(prefix) => format!("{prefix}{worker}"),
            FileNames::Shared(name) => name.clone(),
        }
    }
}

/// Create and write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteFile {
    /// Which files.
    pub files: FileNames,
    /// Size of each file.
    pub size: Bytes,
    /// Bytes of one write call.
    pub buffer: Bytes,
    /// What is written.
    pub content: Content,
    /// Ask the store to make the data durable before closing, where it can.
    pub sync: bool,
    /// Replace a file that exists and that fsbench did not make.
    pub overwrite_foreign: bool,
}

/// Open and read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadFile {
    /// Which files.
    pub files: FileNames,
    /// Read at most this much of each; `None` is the whole file.
    pub limit: Option<Bytes>,
    /// Bytes of one read call.
    pub buffer: Bytes,
    /// Keep a window of ranged reads in flight; `None` reads one buffer after the other.
    pub prefetch: Option<Prefetch>,
    /// Compare what is read with the content that the write program makes.
    pub verify: Option<Content>,
}

/// A read-ahead window. Memory of one worker: `size * concurrency`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prefetch {
    /// Bytes of one ranged read.
    pub size: Bytes,
    /// Ranged reads in flight.
    pub concurrency: u32,
}

/// Ask whether a file exists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExistsFile {
    /// Which files.
    pub files: FileNames,
}

/// List everything below the base.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListFiles {}

/// Rename there and back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RenameFile {
    /// Which files.
    pub files: FileNames,
    /// Added to the name on the way there, taken off on the way back.
    pub suffix: String,
}

/// Delete what fsbench made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeleteFile {
    /// Which files.
    pub files: FileNames,
    /// The rename program's suffix: a file that was renamed is deleted too.
    pub suffix: String,
}
