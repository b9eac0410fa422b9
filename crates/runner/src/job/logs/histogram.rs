//! Histograms over time (`write_hist_log`): fio's 1856 buckets of nanoseconds, one line for each direction and interval.
//!
//! A line is `time_ms, direction, block size, counts…`; each count is of 2^coarseness buckets. Only buckets that are not
//! empty are kept until they are rendered.

use fsbench_model::job::{Direction, Logs};
use std::io::Write;

/// fio's buckets: 64 for each power of two, exact below 128, up to 2^34 ns.
pub(crate) const BUCKETS: usize = 29 * 64;

/// The bucket of a latency.
#[inline]
#[must_use]
pub(crate) fn bucket(ns: u64) -> usize {
    if ns < 128 {
        return ns as usize;
    }
    let shift = ns.ilog2() - 6;
    let index = (shift as usize + 1) * 64 + ((ns >> shift) & 63) as usize;
    index.min(BUCKETS - 1)
}

#[derive(Clone, Debug)]
struct Interval {
    since_ms: Option<u64>,
    block: u32,
    counts: Box<[u32]>,
}

/// One line to be: its buckets are `filled[first..first + len]`.
#[derive(Clone, Copy, Debug)]
struct Line {
    at_ms: u64,
    direction: u8,
    block: u32,
    first: usize,
    len: usize,
}

/// The histogram log of one job.
#[derive(Clone, Debug)]
pub(crate) struct HistogramLog {
    every_ms: u64,
    stride: usize,
    base_ms: u64,
    intervals: [Interval; 3],
    lines: Vec<Line>,
    filled: Vec<(u16, u32)>,
}

impl HistogramLog {
    /// As `logs` asks for; `start_unix_ms` is when the job began, for `log_unix_epoch`.
    #[must_use]
    pub(crate) fn new(logs: &Logs, start_unix_ms: u64) -> Self {
        let interval = Interval { since_ms: None, block: 0, counts: vec![0; BUCKETS].into() };
        Self {
            every_ms: (logs.histogram_every.0 / 1_000_000).max(1),
            stride: 1 << logs.histogram_coarseness.min(6),
            base_ms: if logs.unix_epoch { start_unix_ms } else { 0 },
            intervals: [interval.clone(), interval.clone(), interval],
            lines: Vec::with_capacity(64),
            filled: Vec::with_capacity(64 * 64),
        }
    }

    /// Adds the completion latency of a request of `block` bytes that ended `at_ms` after the job began. True says that
    /// it is time to drain.
    #[inline]
    pub(crate) fn add(&mut self, at_ms: u64, direction: Direction, block: u32, clat_ns: u64) -> bool {
        let interval = &mut self.intervals[direction as usize];
        interval.counts[bucket(clat_ns)] += 1;
        interval.block = block;
        let since_ms = *interval.since_ms.get_or_insert(at_ms);
        if at_ms.saturating_sub(since_ms) >= self.every_ms {
            self.end_interval(at_ms, direction as usize);
        }
        self.filled.len() >= 64 * 1024
    }

    /// Ends intervals that have begun: the job has ended. fio drops them.
    pub(crate) fn finish(&mut self, at_ms: u64) {
        (0..3).for_each(|direction| self.end_interval(at_ms, direction));
    }

    fn end_interval(&mut self, at_ms: u64, direction: usize) {
        let interval = &mut self.intervals[direction];
        let first = self.filled.len();
        for (bucket, count) in interval.counts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            self.filled.push((bucket as u16, std::mem::take(count)));
        }
        interval.since_ms = Some(at_ms);
        let len = self.filled.len() - first;
        if len > 0 {
            self.lines.push(Line { at_ms, direction: direction as u8, block: interval.block, first, len });
        }
    }

    /// Writes the lines that have ended since the last call, and keeps the memory.
    ///
    /// # Errors
    /// Those of `out`; what was not written is lost then.
    pub(crate) fn drain_to(&mut self, out: &mut dyn Write) -> std::io::Result<()> {
        use std::fmt::Write as _;
        let mut text = String::new();
        for Line { at_ms, direction, block, first, len } in self.lines.drain(..) {
            let mut counts = [0u64; BUCKETS];
            for (bucket, count) in &self.filled[first..first + len] {
                counts[*bucket as usize / self.stride] += u64::from(*count);
            }
            text.clear();
            let _ = write!(text, "{}, {direction}, {block}", at_ms + self.base_ms);
            for count in &counts[..BUCKETS / self.stride] {
                let _ = write!(text, ", {count}");
            }
            text.push('\n');
            out.write_all(text.as_bytes())?;
        }
        self.filled.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsbench_model::Span;

    fn logs(every_ms: u64, coarseness: u32) -> Logs {
        Logs { histogram_every: Span(every_ms * 1_000_000), histogram_coarseness: coarseness, ..Logs::default() }
    }

    fn rendered(log: &mut HistogramLog) -> Vec<Vec<u64>> {
        let mut text = Vec::new();
        log.drain_to(&mut text).unwrap();
        let line = |line: &str| line.split(", ").map(|number| number.parse().unwrap()).collect();
        String::from_utf8(text).unwrap().lines().map(line).collect()
    }

    #[test]
    fn buckets_are_those_of_fio() {
        for (ns, expected) in [(0, 0), (127, 127), (128, 128), (129, 128), (255, 191), (256, 192), (1000, 317)] {
            assert_eq!(bucket(ns), expected, "{ns}");
        }
        assert_eq!((bucket((1 << 34) - 1), bucket(1 << 34), bucket(u64::MAX)), (1855, 1855, 1855));
        assert!((1..1_000_000).all(|ns| bucket(ns) - bucket(ns - 1) <= 1));
    }

    #[test]
    fn a_line_for_each_direction_and_interval() {
        let mut log = HistogramLog::new(&logs(200, 0), 0);
        for at_ms in (10..=1000).step_by(10) {
            log.add(at_ms, Direction::Read, 4096, 1000);
            log.add(at_ms, Direction::Write, 512, 5);
        }
        log.finish(1005);
        let lines = rendered(&mut log);
        assert!(lines.iter().all(|line| line.len() == 3 + 1856));
        let reads: Vec<_> = lines.iter().filter(|line| line[1] == 0).collect();
        // The times of fio for the same requests.
        assert_eq!(reads.iter().map(|line| line[0]).collect::<Vec<_>>(), [210, 410, 610, 810, 1005]);
        assert_eq!(reads.iter().map(|line| line[3 + 317]).sum::<u64>(), 100);
        assert_eq!(lines.iter().filter(|line| line[1] == 1).map(|line| line[3 + 5]).sum::<u64>(), 100);
        assert_eq!((reads[0][2], lines[1][2]), (4096, 512));
        assert!(rendered(&mut log).is_empty());
    }

    #[test]
    fn coarse_histograms_have_fewer_columns_and_the_same_sum() {
        for (coarseness, columns) in [(0, 1856), (3, 232), (6, 29)] {
            let mut log = HistogramLog::new(&Logs { unix_epoch: true, ..logs(100, coarseness) }, 5_000);
            (0..100u64).for_each(|i| {
                log.add(i, Direction::Trim, 1, i * i * i * 1000);
            });
            log.finish(100);
            let lines = rendered(&mut log);
            assert_eq!((lines.len(), lines[0].len(), lines[0][0], lines[0][1]), (1, 3 + columns, 5_100, 2));
            assert_eq!(lines[0][3..].iter().sum::<u64>(), 100);
        }
    }
}
