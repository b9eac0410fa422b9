//! One repetition of a phase: what each kind of operation did, what failed, and what it cost.

use crate::{DiskRecord, JobRecord, Kind, Latencies, Slots};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One measured repetition.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Repetition {
    /// Counted from 0.
    pub index: u32,
    /// Wall-clock time of the start, RFC 3339.
    pub started: String,
    /// From the first worker's start to the last worker's end.
    pub elapsed_ns: u64,
    /// Operations that ended, failed ones included.
    pub operations: u64,
    /// Operations that failed.
    pub failed: u64,
    /// Payload bytes that operations moved, including the bytes of operations that failed later.
    pub bytes: u64,
    /// Whether it was cut short by a signal.
    pub interrupted: bool,
    /// Each kind of operation by [`Kind::name`].
    pub kinds: BTreeMap<String, KindRecord>,
    /// Errors by operation and kind.
    pub errors: Vec<ErrorCount>,
    /// Things counted: `found`, `missing`, `entries`, `pages`, `retries`, `reconnects`, `aborts`, `verified_bytes`.
    pub counts: BTreeMap<String, u64>,
    /// Each worker.
    pub workers: Vec<WorkerRecord>,
    /// What the run cost this host.
    pub resources: Resources,
    /// Page cache before, for read phases on targets that have one.
    pub cache: Option<CacheState>,
    /// Each job of a phase of jobs, in the order of the plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<JobRecord>,
    /// Block devices below the files of a phase of jobs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disks: Vec<DiskRecord>,
}

/// One kind of operation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KindRecord {
    /// How many ended well. Always the histogram's count.
    pub count: u64,
    /// Bytes that they moved. Always the sum of the slots.
    pub bytes: u64,
    /// Sum of their latencies.
    pub busy_ns: u64,
    /// Shortest, exactly.
    pub min_ns: u64,
    /// Longest, exactly.
    pub max_ns: u64,
    /// Sum of the latencies of each worker's first one.
    pub first_ns: u64,
    /// How many workers had a first one.
    pub firsts: u64,
    /// All latencies.
    pub latencies: Latencies,
    /// 100 ms slots.
    pub slots: Slots,
}

impl KindRecord {
    /// Adds all of `other`.
    pub fn merge(&mut self, other: &KindRecord) {
        self.min_ns = match (self.count, other.count) {
            (0, _) => other.min_ns,
            (_, 0) => self.min_ns,
            _ => self.min_ns.min(other.min_ns),
        };
        self.max_ns = self.max_ns.max(other.max_ns);
        self.count += other.count;
        self.bytes += other.bytes;
        self.busy_ns += other.busy_ns;
        self.first_ns += other.first_ns;
        self.firsts += other.firsts;
        self.latencies.merge(&other.latencies);
        self.slots.merge(&other.slots);
    }

    /// Mean latency in nanoseconds, 0 when there is none.
    #[must_use]
    pub fn mean_ns(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.busy_ns as f64 / self.count as f64 }
    }

    /// The latency at `quantile`, never beyond the exact maximum.
    #[must_use]
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        self.latencies.quantile(quantile).map(|ns| ns.max(self.min_ns).min(self.max_ns))
    }
}

/// Errors of one operation and kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ErrorCount {
    /// What was tried.
    pub operation: String,
    /// The kind's name.
    pub kind: String,
    /// How often.
    pub count: u64,
    /// The first of them, word for word.
    pub first: String,
}

/// One worker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerRecord {
    /// Its number.
    pub worker: u32,
    /// Start after the repetition's start.
    pub start_ns: u64,
    /// End after the repetition's start.
    pub end_ns: u64,
    /// Operations that ended.
    pub operations: u64,
    /// Bytes that they moved.
    pub bytes: u64,
    /// CPU time of its thread.
    pub cpu_ns: u64,
}

/// What one repetition cost this host.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resources {
    /// Wall time between the two samples that all of this was taken from: a little more than the repetition's.
    #[serde(default)]
    pub span_ns: u64,
    /// User CPU time of this process, all threads.
    pub user_ns: u64,
    /// System CPU time of this process, all threads.
    pub system_ns: u64,
    /// Highest resident memory of this process so far.
    pub peak_rss_bytes: u64,
    /// Bytes that this process really fetched from devices (`/proc/self/io`).
    pub device_read_bytes: u64,
    /// Bytes that this process caused to be sent to devices.
    pub device_write_bytes: u64,
    /// Bytes received by the host's network interfaces, loopback included.
    pub network_received_bytes: u64,
    /// Bytes sent by them.
    pub network_sent_bytes: u64,
    /// Busy CPU time of the whole host.
    pub host_busy_ns: u64,
    /// CPU time that the whole host had, busy or idle.
    pub host_total_ns: u64,
}

impl Resources {
    /// CPU time of this process.
    #[must_use]
    pub fn cpu_ns(&self) -> u64 {
        self.user_ns + self.system_ns
    }
}

/// How much of the data was in the page cache when a read phase began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CacheState {
    /// Bytes in the cache.
    pub cached_bytes: u64,
    /// Bytes of the files.
    pub of_bytes: u64,
    /// Whether the run evicted them before, as `--cold` asks.
    pub evicted: bool,
}

impl Repetition {
    /// The record of one kind, if any of it happened.
    #[must_use]
    pub fn kind(&self, kind: Kind) -> Option<&KindRecord> {
        self.kinds.get(kind.name())
    }

    /// All errors.
    #[must_use]
    pub fn error_count(&self) -> u64 {
        self.errors.iter().map(|e| e.count).sum()
    }

    /// A count by name, 0 when nothing was counted.
    #[must_use]
    pub fn counted(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// Asserts what must always hold: histograms count operations, slots add up to bytes.
    ///
    /// # Panics
    /// When it does not: that is a bug in fsbench, and the numbers are not to be trusted.
    pub fn assert_consistent(&self) {
        for (name, kind) in &self.kinds {
            assert_eq!(kind.latencies.count(), kind.count, "histogram of {name} counts its operations");
            let total = kind.slots.total();
            assert_eq!((total.operations, total.bytes), (kind.count, kind.bytes), "slots of {name} add up");
        }
        let workers: u64 = self.workers.iter().map(|w| w.operations).sum();
        assert_eq!(workers, self.operations, "workers' operations add up");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(latencies: &[u64]) -> KindRecord {
        let mut kind = KindRecord { min_ns: u64::MAX, ..KindRecord::default() };
        for ns in latencies {
            kind.count += 1;
            kind.bytes += 10;
            kind.busy_ns += ns;
            kind.min_ns = kind.min_ns.min(*ns);
            kind.max_ns = kind.max_ns.max(*ns);
            kind.latencies.record(*ns);
            kind.slots.add(*ns, 10);
        }
        kind
    }

    #[test]
    fn merging_keeps_extremes_and_sums() {
        let mut a = kind(&[5, 7]);
        a.merge(&kind(&[3]));
        a.merge(&KindRecord::default());
        assert_eq!((a.count, a.bytes, a.busy_ns, a.min_ns, a.max_ns), (3, 30, 15, 3, 7));
        assert_eq!(a.mean_ns(), 5.0);
        let mut none = KindRecord::default();
        none.merge(&kind(&[4]));
        assert_eq!((none.min_ns, none.max_ns), (4, 4));
    }

    #[test]
    #[should_panic(expected = "slots of read add up")]
    fn inconsistent_records_are_caught() {
        let mut read = kind(&[5]);
        read.bytes = 11;
        let mut repetition = Repetition::default();
        repetition.kinds.insert("read".into(), read);
        repetition.assert_consistent();
    }
}
