//! When a job starts, how fast it goes, and when it has done enough.

use crate::{Bytes, Span, job::PerDirection};
use serde::{Deserialize, Serialize};

/// When a job starts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// After these jobs of the same phase have ended (`wait_for`), by their place in the list.
    pub after: Vec<u32>,
    /// And this much later, at least (`startdelay`).
    pub delay: Span,
    /// With a random delay up to this, if it is more than `delay`.
    pub delay_max: Span,
}

/// Who ends with a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitScope {
    /// The jobs of its reporting group.
    #[default]
    Group,
    /// The jobs between the same stonewalls.
    Stonewall,
    /// All.
    All,
}

/// What ends when a job ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// When it ends at all (`exitall`).
    pub at_end: bool,
    /// When it fails (`exitall_on_error`).
    pub on_error: bool,
    /// Who (`exit_what`).
    pub scope: ExitScope,
}

/// How much, how long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amount {
    /// Bytes of one pass over all files together (`size`); `None` is what the files have.
    pub size: Option<Bytes>,
    /// Bytes to transfer, if not one pass (`io_size`).
    pub io_size: Option<Bytes>,
    /// Requests to do, if not by bytes (`number_ios`).
    pub requests: Option<u64>,
    /// Passes (`loops`), at least 1.
    pub loops: u64,
    /// Go on until `runtime` is over.
    pub time_based: bool,
    /// End after this, whatever was done.
    pub runtime: Option<Span>,
    /// Do not measure this much of the beginning (`ramp_time`); comes before `runtime`.
    pub ramp: Span,
}

/// When to think.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkAfter {
    /// After so many completions.
    #[default]
    Complete,
    /// After so many submissions.
    Issue,
}

/// Pauses between requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Think {
    /// How long (`thinktime`).
    pub time: Span,
    /// How much of it busy (`thinktime_spin`).
    pub spin: Span,
    /// After how many requests (`thinktime_blocks`), at least 1.
    pub blocks: u32,
    /// Counted when.
    pub after: ThinkAfter,
    /// Or after this much time doing I/O (`thinktime_iotime`), if not 0.
    pub io_time: Span,
}

/// How fast, and what is too slow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rate {
    /// Bytes a second (`rate`), 0 without limit.
    pub bytes: PerDirection<u64>,
    /// Requests a second (`rate_iops`), 0 without limit.
    pub iops: PerDirection<u64>,
    /// The job fails below this many bytes a second (`rate_min`).
    pub bytes_min: PerDirection<u64>,
    /// The job fails below this many requests a second (`rate_iops_min`).
    pub iops_min: PerDirection<u64>,
    /// Over what time the minima are looked at (`rate_cycle`).
    pub cycle: Span,
    /// Exponentially distributed distances (`rate_process=poisson`).
    pub poisson: bool,
    /// Catch up after thinking (`rate_ignore_thinktime`).
    pub ignore_think: bool,
    /// Pauses.
    pub think: Think,
    /// The job fails when a request takes longer (`max_latency`), 0 without limit.
    pub max_latency: PerDirection<Span>,
    /// Look for the depth that meets a latency.
    pub target: Option<LatencyTarget>,
}

/// `latency_target` and its kin.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LatencyTarget {
    /// This latency …
    pub latency: Span,
    /// … must hold for so many percent of the requests …
    pub percent: f64,
    /// … in windows of this.
    pub window: Span,
    /// Go on after the depth was found (`latency_run`).
    pub run_on: bool,
}

impl Eq for LatencyTarget {}

/// What must be steady.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SteadyOf {
    /// Requests a second.
    #[default]
    Iops,
    /// Bytes a second.
    Bandwidth,
    /// Mean completion latency.
    Latency,
}

/// `steadystate`: end when the rate no longer moves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Steady {
    /// Of what.
    pub of: SteadyOf,
    /// The slope of a fitted line, else the largest deviation from the mean.
    pub slope: bool,
    /// The limit …
    pub limit: f64,
    /// … in percent of the mean.
    pub percent: bool,
    /// Over what time.
    pub duration: Span,
    /// After what time.
    pub ramp: Span,
    /// How often to look.
    pub interval: Span,
}
