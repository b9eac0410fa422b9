//! When the next request is due: rates, their distribution in time, and pauses.
//!
//! The schedule never waits for completions: a request that starts late keeps the time at which it was due, and its
//! latency can be counted from there, so that a stall is not hidden (fio calls that `io_submit_mode=offload`).

use super::random::Rng;
use fsbench_model::job::{Direction, Rate};

/// The schedule of one direction.
struct Schedule {
    bytes: u64,
    iops: u64,
    next: f64,
}

impl Schedule {
    fn new(bytes: u64, iops: u64) -> Option<Self> {
        (bytes > 0 || iops > 0).then_some(Self { bytes, iops, next: 0.0 })
    }

    /// Nanoseconds to the request after one of `len` bytes.
    fn step(&self, len: u64) -> f64 {
        let by_bytes = if self.bytes > 0 { len as f64 * 1e9 / self.bytes as f64 } else { 0.0 };
        let by_count = if self.iops > 0 { 1e9 / self.iops as f64 } else { 0.0 };
        by_bytes.max(by_count)
    }
}

/// Schedules of all directions.
pub(crate) struct Pace {
    schedules: [Option<Schedule>; 3],
    poisson: bool,
    rng: Rng,
}

impl Pace {
    /// `None` when nothing limits the job.
    pub(crate) fn new(rate: &Rate, seed: u64) -> Option<Self> {
        let schedules = [0, 1, 2].map(|of| Schedule::new(rate.bytes[of], rate.iops[of]));
        let is_paced = schedules.iter().any(Option::is_some);
        is_paced.then(|| Self { schedules, poisson: rate.poisson, rng: Rng::derived(seed, 5) })
    }

    /// The schedule begins at `now`.
    pub(crate) fn begin(&mut self, now: u64) {
        for schedule in self.schedules.iter_mut().flatten() {
            schedule.next = now as f64;
        }
    }

    /// After a pause that the schedule shall not catch up with.
    pub(crate) fn forgive(&mut self, now: u64) {
        for schedule in self.schedules.iter_mut().flatten() {
            schedule.next = schedule.next.max(now as f64);
        }
    }

    /// Whether reads or writes can be ahead of the others.
    #[inline]
    pub(crate) fn may_switch(&self) -> bool {
        self.schedules[0].is_some() || self.schedules[1].is_some()
    }

    /// Whose turn it is at `now` when the mix wants `direction`: the other one's if that one is ahead of its rate and the
    /// other is not, or will be due sooner (fio's `rate_ddir`).
    pub(crate) fn turn(&self, direction: Direction, now: u64) -> Direction {
        let next = |of: Direction| self.schedules[of as usize].as_ref().map_or(0.0, |schedule| schedule.next);
        let other = if direction == Direction::Read { Direction::Write } else { Direction::Read };
        let is_ahead = next(direction) > now as f64;
        if is_ahead && next(other) < next(direction) { other } else { direction }
    }

    /// When a request of `len` bytes is due; `None` when its direction has no limit.
    pub(crate) fn due(&mut self, of: usize, len: u32) -> Option<u64> {
        let Self { schedules, poisson, rng } = self;
        let schedule = schedules[of].as_mut()?;
        let due = schedule.next;
        let step = schedule.step(u64::from(len));
        schedule.next += if *poisson { -step * (1.0 - rng.unit()).ln() } else { step };
        Some(due as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(bytes: u64, iops: u64, poisson: bool) -> Rate {
        Rate { bytes: [bytes, 0, 0], iops: [iops, 0, 0], poisson, ..Rate::default() }
    }

    #[test]
    fn requests_are_due_at_the_rate_that_was_asked_for() {
        for (bytes, iops, expected) in [(4_096_000, 0, 1e6), (0, 500, 2e6), (4_096_000, 500, 2e6)] {
            let mut pace = Pace::new(&rate(bytes, iops, false), 1).expect("a rate");
            pace.begin(1_000);
            let due: Vec<u64> = (0..11).filter_map(|_| pace.due(0, 4096)).collect();
            assert_eq!((due[0], due[10]), (1_000, 1_000 + (expected * 10.0) as u64));
            assert_eq!(pace.due(1, 4096), None);
        }
        assert!(Pace::new(&Rate::default(), 1).is_none());
    }

    #[test]
    fn poisson_has_the_mean_and_the_spread_of_an_exponential() {
        let mut pace = Pace::new(&rate(0, 1_000, true), 3).expect("a rate");
        pace.begin(0);
        let due: Vec<f64> = (0..100_001).filter_map(|_| pace.due(0, 1)).map(|ns| ns as f64 / 1e6).collect();
        let steps: Vec<f64> = due.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let mean = steps.iter().sum::<f64>() / steps.len() as f64;
        let variance = steps.iter().map(|step| (step - mean).powi(2)).sum::<f64>() / steps.len() as f64;
        assert!((mean - 1.0).abs() < 0.02 && (variance.sqrt() - 1.0).abs() < 0.03, "{mean} {variance}");
    }

    #[test]
    fn a_direction_that_is_ahead_lets_the_other_go_first() {
        let rates = Rate { iops: [900, 300, 0], ..Rate::default() };
        let mut pace = Pace::new(&rates, 1).expect("rates");
        pace.begin(0);
        pace.due(0, 1);
        assert_eq!(pace.turn(Direction::Read, 10), Direction::Write);
        pace.due(1, 1);
        assert_eq!(pace.turn(Direction::Write, 10), Direction::Read);
        assert_eq!(pace.turn(Direction::Write, 10_000_000), Direction::Write);
    }

    #[test]
    fn what_was_forgiven_is_not_caught_up_with() {
        let mut pace = Pace::new(&rate(0, 1_000, false), 1).expect("a rate");
        pace.begin(0);
        pace.due(0, 1);
        pace.forgive(50_000_000);
        assert_eq!(pace.due(0, 1), Some(50_000_000));
    }
}
