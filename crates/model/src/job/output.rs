//! What a job logs over time, and what reports show of it.

use crate::{
    Span,
    job::{PerDirection, Steady},
};
use serde::{Deserialize, Serialize};

/// One log over time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobLog {
    /// Path on this host, without fio's suffix (`_bw.1.log`).
    pub prefix: String,
}

/// Logs over time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Logs {
    /// `write_bw_log`.
    pub bandwidth: Option<JobLog>,
    /// `write_lat_log`: makes slat, clat and lat.
    pub latency: Option<JobLog>,
    /// `write_iops_log`.
    pub iops: Option<JobLog>,
    /// `write_hist_log`.
    pub histogram: Option<JobLog>,
    /// Average over this (`log_avg_msec`); 0 is a line for each request.
    pub average: Span,
    /// Maxima instead of averages (`log_window_value=max`).
    pub maximum: bool,
    /// Averages and maxima (`log_window_value=both`).
    pub both: bool,
    /// Offsets in the lines (`log_offset`).
    pub offset: bool,
    /// Time between histograms (`log_hist_msec`).
    pub histogram_every: Span,
    /// Buckets are merged by this power of two (`log_hist_coarseness`), 0 to 6.
    pub histogram_coarseness: u32,
    /// Times are since 1970 (`log_unix_epoch`).
    pub unix_epoch: bool,
    /// One file for each job (`per_job_logs`).
    pub per_job: bool,
    /// Window of bandwidth samples (`bwavgtime`).
    pub bandwidth_window: Span,
    /// Window of IOPS samples (`iopsavgtime`).
    pub iops_window: Span,
}

/// `unified_rw_reporting`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unified {
    /// Reads, writes and trims apart.
    #[default]
    None,
    /// Together.
    Mixed,
    /// Both.
    Both,
}

/// What is measured and shown.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// Measure submission latency (`disable_slat=0`).
    pub slat: bool,
    /// Measure completion latency.
    pub clat: bool,
    /// Measure total latency.
    pub lat: bool,
    /// Measure bandwidth and IOPS over time.
    pub bandwidth: bool,
    /// Percentiles of submission latency.
    pub slat_percentiles: bool,
    /// Percentiles of completion latency.
    pub clat_percentiles: bool,
    /// Percentiles of total latency.
    pub lat_percentiles: bool,
    /// Which (`percentile_list`).
    pub percentiles: Vec<f64>,
    /// Digits (`significant_figures`).
    pub figures: u32,
    /// Base of units in text (`kb_base`): 1024 or 1000.
    pub kb_base: u32,
    /// Bits instead of bytes (`unit_base=1`).
    pub bits: bool,
    /// `unified_rw_reporting`.
    pub unified: Unified,
    /// Show disk utilisation.
    pub disk_util: bool,
    /// Count this job (`stats`).
    pub stats: bool,
    /// `continue_on_error` was given: show totals of errors.
    pub errors: bool,
    /// `steadystate`.
    pub steady: Option<Steady>,
    /// Requests a second that a verdict compares with (`iops_wanted`), 0 for none.
    #[serde(default)]
    pub iops_wanted: PerDirection<u64>,
}

impl Eq for Output {}
