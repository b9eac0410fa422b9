//! Jobs: block I/O on a set of files, as fio describes it. Names and meanings are fio's (HOWTO, fio 3.42), resolved:
//! every clone of a job is a [`Job`] of its own with its own files, seed and limits, and nothing is left to defaults.

mod control;
mod data;
mod engine;
mod files;
mod output;
mod pattern;

pub use control::{Amount, Exit, ExitScope, LatencyTarget, Rate, Start, Steady, SteadyOf, Think, ThinkAfter};
pub use data::{Check, CheckKind, Fill, OnError, PatternBytes, Replay, SyncRange, Syncs, VerifyPlan, WriteData};
pub use engine::{Engine, EngineName, Ring, WriteSync};
pub use files::{Advice, Allocate, JobFile, Layout, Serve, ServeOrder};
pub use output::{JobLog, Logs, Output, Unified};
pub use pattern::{BlockSizes, Direction, Distribution, Mode, Pattern, PerDirection, Sequencer, Strided, Weighted};

use serde::{Deserialize, Serialize};

/// All jobs that run between two stonewalls, each on a worker of its own: the program of one phase.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Jobs {
    /// The jobs in the order of their workers.
    pub jobs: Vec<Job>,
    /// Lay files out one job after the other (`create_serialize`).
    pub serial_layout: bool,
}

impl Eq for Jobs {}

/// One job, or one clone of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// The section's name, `$jobname`.
    pub name: String,
    /// `description`.
    pub description: Option<String>,
    /// The reporting group, counted over the whole plan (`groupid`).
    pub group: u32,
    /// Which clone of the section this is, from 0 (`$jobnum` counts differently: over all jobs of a section).
    pub clone: u32,
    /// How many clones the section has (`numjobs`).
    pub clones: u32,
    /// Show the whole reporting group as one (`group_reporting`).
    pub grouped: bool,
    /// The section's own options as they were typed, in order: fio's "job options".
    pub typed: Vec<(String, String)>,
    /// Options of the global sections that apply: fio's "global options".
    pub globals: Vec<(String, String)>,
    /// A thread was asked for (`thread`); fsbench's workers are always threads.
    pub thread: bool,
    /// When it starts.
    pub start: Start,
    /// What ends when it ends.
    pub exit: Exit,
    /// How requests reach the files.
    pub engine: Engine,
    /// The files.
    pub files: Vec<JobFile>,
    /// Files open at the same time at most (`openfiles`).
    pub open_files_max: u32,
    /// Which file is next.
    pub serve: Serve,
    /// How files come to be.
    pub layout: Layout,
    /// Which blocks, in which order.
    pub pattern: Pattern,
    /// How much, how long.
    pub amount: Amount,
    /// How fast.
    pub rate: Rate,
    /// What is written.
    pub data: WriteData,
    /// Syncs between writes.
    pub syncs: Syncs,
    /// What is verified.
    pub verify: Option<VerifyPlan>,
    /// A trace to replay instead of the pattern.
    pub replay: Option<Replay>,
    /// Where to write a trace of what was done (`write_iolog`), as a path on this host.
    pub record_trace: Option<String>,
    /// Which errors do not end the job.
    pub on_error: OnError,
    /// Logs over time.
    pub logs: Logs,
    /// What reports show.
    pub output: Output,
    /// Processors it may run on (`cpus_allowed`), empty for all.
    pub processors: Vec<u32>,
    /// Shell command before (`exec_prerun`), and after (`exec_postrun`).
    pub exec_before: Option<String>,
    /// Shell command after it ended.
    pub exec_after: Option<String>,
    /// `nice`.
    pub nice: i32,
    /// Share of activity among the jobs of one flow (`flow`, `flow_id`, `flow_sleep` in microseconds).
    pub flow: Option<Flow>,
}

impl Eq for Job {}

/// How active a job is compared with others of the same flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flow {
    /// Which flow.
    pub id: u32,
    /// Its share.
    pub share: u32,
    /// How long to sleep when ahead, before looking again.
    pub sleep: crate::Span,
}
