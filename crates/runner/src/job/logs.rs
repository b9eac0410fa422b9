//! Logs over time in the format of fio 3.33: bandwidth, IOPS and latencies, each request or averaged over a window.
//!
//! Adding an entry neither formats nor writes anything; [`SeriesLog::drain_to`] renders what has been gathered, whenever
//! its owner has time. Opening the files is the owner's, too. Histograms over time are in [`histogram`].
//!
//! A line is `time_ms, value, direction, block size, 0` with the offset before the last column where it was asked for;
//! with averages and maxima, the maximum follows the average (fio 3.42).

pub(crate) mod histogram;

use fsbench_model::job::{Direction, Logs};
use std::io::Write;

/// What a log is of: its part of the file's name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LogKind {
    /// KiB a second of each window; KB a second of each request without windows, as in fio.
    Bandwidth,
    /// Requests a second of each window; 1 for each request without windows.
    Iops,
    /// Submission latency in nanoseconds.
    Slat,
    /// Completion latency in nanoseconds.
    Clat,
    /// Total latency in nanoseconds.
    Lat,
    /// Histograms of completion latency.
    Histogram,
}

/// The file of a log: `prefix_bw.1.log`, or `prefix_bw.log` where jobs share one. `job` counts from 1.
#[must_use]
pub(crate) fn file_name(prefix: &str, kind: LogKind, job: u32, per_job: bool) -> String {
    let kind = match kind {
        LogKind::Bandwidth => "bw",
        LogKind::Iops => "iops",
        LogKind::Slat => "slat",
        LogKind::Clat => "clat",
        LogKind::Lat => "lat",
        LogKind::Histogram => "clat_hist",
    };
    if per_job { format!("{prefix}_{kind}.{job}.log") } else { format!("{prefix}_{kind}.log") }
}

/// What fio logs as the bandwidth of one request: thousands of bytes a second over its completion latency.
#[inline]
#[must_use]
pub(crate) fn request_bandwidth(bytes: u64, clat_ns: u64) -> u64 {
    if clat_ns == 0 { 0 } else { (u128::from(bytes) * 1_000_000 / u128::from(clat_ns)) as u64 }
}

/// One value of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sample {
    /// Of which direction.
    pub(crate) direction: Direction,
    /// The value in the unit of the log.
    pub(crate) value: u64,
    /// Bytes of the request; 0 for what is of no single request.
    pub(crate) block: u32,
    /// Where the request went.
    pub(crate) offset: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Window {
    /// No window: a line for each sample.
    Each,
    Average,
    Maximum,
    Both,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    at_ms: u32,
    block: u32,
    value: u64,
    /// The offset; of a window, the maximum.
    extra: u64,
    direction: u8,
}

#[derive(Clone, Copy, Debug, Default)]
struct Gathered {
    since_ms: u64,
    count: u64,
    sum: u128,
    max: u64,
}

/// Entries that make a log worth draining.
const WORTH_DRAINING: usize = 16 * 1024;

/// One log over time, of one job.
#[derive(Clone, Debug)]
pub(crate) struct SeriesLog {
    window: Window,
    window_ms: u64,
    offset: bool,
    base_ms: u64,
    entries: Vec<Entry>,
    gathered: [Gathered; 3],
}

impl SeriesLog {
    /// As `logs` asks for; `start_unix_ms` is when the job began, for `log_unix_epoch`.
    #[must_use]
    pub(crate) fn new(logs: &Logs, start_unix_ms: u64) -> Self {
        let window_ms = logs.average.0 / 1_000_000;
        let window = match (window_ms, logs.both, logs.maximum) {
            (0, _, _) => Window::Each,
            (_, true, _) => Window::Both,
            (_, false, true) => Window::Maximum,
            (_, false, false) => Window::Average,
        };
        Self {
            window,
            window_ms,
            offset: logs.offset,
            base_ms: if logs.unix_epoch { start_unix_ms } else { 0 },
            entries: Vec::with_capacity(WORTH_DRAINING + WORTH_DRAINING / 4),
            gathered: [Gathered::default(); 3],
        }
    }

    /// Adds a value that was measured `at_ms` after the job began. True says that it is time to drain; until then nothing
    /// is allocated, and nothing is lost after that.
    #[inline]
    pub(crate) fn add(&mut self, at_ms: u64, sample: Sample) -> bool {
        let direction = sample.direction as usize;
        if self.window == Window::Each {
            self.push(at_ms, direction, sample.block, sample.value, sample.offset);
        } else {
            let gathered = &mut self.gathered[direction];
            gathered.count += 1;
            gathered.sum += u128::from(sample.value);
            gathered.max = gathered.max.max(sample.value);
            // As fio: the sample that ends a window is the last one of it, and dates it.
            if at_ms.saturating_sub(gathered.since_ms) >= self.window_ms {
                self.end_window(at_ms, direction);
            }
        }
        self.entries.len() >= WORTH_DRAINING
    }

    /// Ends windows that have begun: the job has ended.
    pub(crate) fn finish(&mut self, at_ms: u64) {
        (0..3).for_each(|direction| self.end_window(at_ms, direction));
    }

    fn end_window(&mut self, at_ms: u64, direction: usize) {
        let Gathered { count, sum, max, .. } = self.gathered[direction];
        let since_ms = at_ms - at_ms % self.window_ms.max(1);
        self.gathered[direction] = Gathered { since_ms, ..Gathered::default() };
        if count > 0 {
            let average = ((sum + u128::from(count) / 2) / u128::from(count)) as u64;
            self.push(at_ms, direction, 0, if self.window == Window::Maximum { max } else { average }, max);
        }
    }

    #[inline]
    fn push(&mut self, at_ms: u64, direction: usize, block: u32, value: u64, extra: u64) {
        let at_ms = u32::try_from(at_ms).unwrap_or(u32::MAX);
        self.entries.push(Entry { at_ms, block, value, extra, direction: direction as u8 });
    }

    /// Writes the lines of what was added since the last call, and keeps the memory.
    ///
    /// # Errors
    /// Those of `out`; what was not written is lost then.
    pub(crate) fn drain_to(&mut self, out: &mut dyn Write) -> std::io::Result<()> {
        use std::fmt::Write as _;
        let mut lines = String::with_capacity(8192);
        for entry in self.entries.drain(..) {
            let Entry { at_ms, block, value, extra, direction } = entry;
            let _ = write!(lines, "{}, {value}, ", u64::from(at_ms) + self.base_ms);
            if self.window == Window::Both {
                let _ = write!(lines, "{extra}, ");
            }
            let _ = write!(lines, "{direction}, {block}, ");
            if self.offset {
                let _ = write!(lines, "{}, ", if self.window == Window::Each { extra } else { 0 });
            }
            lines.push_str("0\n");
            if lines.len() > 8000 {
                out.write_all(lines.as_bytes())?;
                lines.clear();
            }
        }
        out.write_all(lines.as_bytes())
    }
}

#[cfg(test)]
#[path = "logs_tests.rs"]
mod tests;
