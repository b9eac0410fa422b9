//! What one job of a [`fsbench_model::job::Jobs`] phase did: everything that fio reports of a job, and more.
//!
//! Sums are exact integers, so that jobs merge without loss; means and deviations are computed when they are shown.

use crate::Latencies;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Count, extremes and moments of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Moments {
    /// How many.
    pub count: u64,
    /// Smallest; 0 when there is none.
    pub min: u64,
    /// Largest.
    pub max: u64,
    /// Sum.
    pub sum: u128,
    /// Sum of squares.
    pub squares: f64,
}

impl Moments {
    /// Adds a value.
    #[inline]
    pub fn add(&mut self, value: u64) {
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += 1;
        self.sum += u128::from(value);
        self.squares += value as f64 * value as f64;
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Moments) {
        self.min = match (self.count, other.count) {
            (0, _) => other.min,
            (_, 0) => self.min,
            _ => self.min.min(other.min),
        };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
        self.squares += other.squares;
    }

    /// Mean, 0 when there is none.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum as f64 / self.count as f64 }
    }

    /// Sample deviation (n-1), 0 below two values.
    #[must_use]
    pub fn deviation(&self) -> f64 {
        if self.count < 2 {
            return 0.0;
        }
        let (n, mean) = (self.count as f64, self.mean());
        ((self.squares - n * mean * mean).max(0.0) / (n - 1.0)).sqrt()
    }
}

/// One kind of latency: moments always, the distribution where it was asked for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyRecord {
    /// Moments in nanoseconds.
    pub moments: Moments,
    /// The distribution; `None` where only the moments were kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latencies: Option<Latencies>,
}

impl LatencyRecord {
    /// Adds all of `other`.
    pub fn merge(&mut self, other: &LatencyRecord) {
        self.moments.merge(&other.moments);
        match (&mut self.latencies, &other.latencies) {
            (Some(mine), Some(theirs)) => mine.merge(theirs),
            (mine @ None, Some(theirs)) => *mine = Some(theirs.clone()),
            _ => {}
        }
    }
}

/// One direction of a job: reads, writes or trims.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DirectionRecord {
    /// Bytes moved.
    pub bytes: u64,
    /// Requests that ended well.
    pub requests: u64,
    /// Requests that moved fewer bytes than asked.
    pub short: u64,
    /// Time that the job spent with this direction measured (fio's `runtime`).
    pub runtime_ns: u64,
    /// From making a request to its submission (asynchronous engines).
    pub slat: LatencyRecord,
    /// From submission to completion.
    pub clat: LatencyRecord,
    /// From making the request to completion.
    pub lat: LatencyRecord,
    /// From when the schedule wanted the request to start to its completion: what a user of the storage would have
    /// waited. Only with a rate.
    pub due: LatencyRecord,
    /// Bandwidth of each window (`bwavgtime`), KiB/s.
    pub bandwidth: Moments,
    /// Requests a second of each window (`iopsavgtime`).
    pub iops: Moments,
}

impl DirectionRecord {
    /// Adds all of `other`; the runtime is the longer one, as fio has it for groups.
    pub fn merge(&mut self, other: &DirectionRecord) {
        self.bytes += other.bytes;
        self.requests += other.requests;
        self.short += other.short;
        self.runtime_ns = self.runtime_ns.max(other.runtime_ns);
        self.slat.merge(&other.slat);
        self.clat.merge(&other.clat);
        self.lat.merge(&other.lat);
        self.due.merge(&other.due);
        self.bandwidth.merge(&other.bandwidth);
        self.iops.merge(&other.iops);
    }
}

/// How a `steadystate` ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SteadyRecord {
    /// What was asked for, as it was typed.
    pub asked: String,
    /// Whether it was reached.
    pub attained: bool,
    /// Slope or deviation at the end, in the unit of the limit.
    pub criterion: f64,
    /// Largest deviation from the mean.
    pub deviation_max: f64,
    /// Slope of the fitted line.
    pub slope: f64,
    /// Length of the window in seconds.
    pub duration_s: u64,
    /// Requests a second, second by second in the last window.
    pub iops: Vec<u64>,
    /// Bytes a second, likewise.
    pub bytes: Vec<u64>,
}

/// One job.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct JobRecord {
    /// Its place in the phase's list of jobs.
    pub job: u32,
    /// Thread id.
    pub thread_id: u32,
    /// When it began, Unix milliseconds.
    pub started_unix_ms: u64,
    /// From its first request to its end, ramp time not included.
    pub runtime_ns: u64,
    /// From the phase's start to its end, ramp time included.
    pub elapsed_ns: u64,
    /// Reads.
    pub read: DirectionRecord,
    /// Writes.
    pub write: DirectionRecord,
    /// Trims.
    pub trim: DirectionRecord,
    /// Syncs: `bytes` is 0.
    pub sync: DirectionRecord,
    /// CPU time of its thread in user mode.
    pub user_ns: u64,
    /// CPU time of its thread in the kernel.
    pub system_ns: u64,
    /// Context switches, voluntary and not.
    pub context_switches: u64,
    /// Major page faults.
    pub major_faults: u64,
    /// Minor page faults.
    pub minor_faults: u64,
    /// Requests by the depth at their submission: 1, 2-3, 4-7, 8-15, 16-31, 32-63, 64 and more.
    pub depths: [u64; 7],
    /// Submissions by how many they handed over: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more.
    pub submits: [u64; 7],
    /// Reaps by how many they took: 0, 1-4, 5-8, 9-16, 17-32, 33-64, more.
    pub completes: [u64; 7],
    /// The depth that `latency_target` settled on, else the job's depth.
    pub depth: u32,
    /// Error number of what ended it, 0 if nothing did.
    pub error: i32,
    /// The same in words.
    pub error_text: String,
    /// Errors that were survived (`continue_on_error`).
    pub errors: u64,
    /// Error number of the first of them.
    pub first_error: i32,
    /// Blocks that were verified.
    pub verified: u64,
    /// Blocks that were wrong.
    pub verify_failures: u64,
    /// `steadystate`, if asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steady: Option<SteadyRecord>,
    /// What the user should know of this job.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// More figures by name, for what a suite counts of its own.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, u64>,
}

/// What a block device did while a phase ran (`/proc/diskstats`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiskRecord {
    /// Kernel name, `vda`.
    pub name: String,
    /// Reads completed.
    pub reads: u64,
    /// Writes completed.
    pub writes: u64,
    /// Reads merged.
    pub read_merges: u64,
    /// Writes merged.
    pub write_merges: u64,
    /// Sectors read, 512 bytes each.
    pub read_sectors: u64,
    /// Sectors written.
    pub write_sectors: u64,
    /// Milliseconds spent reading.
    pub read_ticks: u64,
    /// Milliseconds spent writing.
    pub write_ticks: u64,
    /// Weighted milliseconds of all requests.
    pub in_queue: u64,
    /// Milliseconds in which it was busy.
    pub busy_ms: u64,
    /// Wall time of the sample in milliseconds.
    pub span_ms: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_merge_as_if_all_had_been_added_to_one() {
        let (mut all, mut odd, mut even) = (Moments::default(), Moments::default(), Moments::default());
        for value in 1..=1000u64 {
            all.add(value);
            if value % 2 == 0 { even.add(value) } else { odd.add(value) }
        }
        odd.merge(&even);
        odd.merge(&Moments::default());
        assert_eq!((odd.count, odd.min, odd.max, odd.sum), (1000, 1, 1000, 500_500));
        assert!((odd.deviation() - all.deviation()).abs() < 1e-9 && (all.deviation() - 288.819_436).abs() < 1e-5);
        assert_eq!(Moments::default().deviation(), 0.0);
    }
}
