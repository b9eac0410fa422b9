//! `steadystate`: whether a rate has stopped moving, looked at over a sliding window.
//!
//! When to sample and what to end is the driver's; for a reporting group, it samples the sum of its jobs.

use fsbench_model::job::{Steady, SteadyOf};
use fsbench_results::SteadyRecord;
use std::collections::VecDeque;

/// Watches one job, or one group of jobs.
#[derive(Clone, Debug)]
pub(crate) struct SteadyState {
    asked: Steady,
    window: usize,
    /// Samples that are still to be left out.
    ramp: u64,
    /// Requests a second, bytes a second and mean latency of each interval.
    samples: VecDeque<[u64; 3]>,
    attained: bool,
}

/// What a window looks like.
#[derive(Clone, Copy, Debug, Default)]
struct Shape {
    slope: f64,
    deviation_max: f64,
    /// Slope or deviation in the unit of the limit; `None` before the window is full, and in percent of nothing.
    criterion: Option<f64>,
}

impl SteadyState {
    /// Nothing has been sampled yet.
    #[must_use]
    pub(crate) fn new(asked: &Steady) -> Self {
        let interval = asked.interval.0.max(1);
        let window = (asked.duration.0 / interval).max(1) as usize;
        let ramp = asked.ramp.0.div_ceil(interval);
        Self { asked: *asked, window, ramp, samples: VecDeque::with_capacity(window + 1), attained: false }
    }

    /// Adds the rates and the mean latency of one interval; true once the state is steady, and from then on.
    pub(crate) fn sample(&mut self, iops: u64, bytes: u64, mean_latency_ns: u64) -> bool {
        if self.ramp > 0 {
            self.ramp -= 1;
            return false;
        }
        if self.attained {
            return true;
        }
        self.samples.push_back([iops, bytes, mean_latency_ns]);
        if self.samples.len() > self.window {
            self.samples.pop_front();
        }
        self.attained = self.shape().criterion.is_some_and(|criterion| criterion.abs() < self.asked.limit);
        self.attained
    }

    /// How it ended, or how it stands.
    #[must_use]
    pub(crate) fn record(&self) -> SteadyRecord {
        let shape = self.shape();
        SteadyRecord {
            asked: self.typed(),
            attained: self.attained,
            criterion: shape.criterion.unwrap_or(0.0),
            deviation_max: shape.deviation_max,
            slope: shape.slope,
            duration_s: self.asked.duration.0 / 1_000_000_000,
            iops: self.samples.iter().map(|sample| sample[0]).collect(),
            bytes: self.samples.iter().map(|sample| sample[1]).collect(),
        }
    }

    /// `iops_slope:0.3%`.
    fn typed(&self) -> String {
        let of = match self.asked.of {
            SteadyOf::Iops => "iops",
            SteadyOf::Bandwidth => "bw",
            SteadyOf::Latency => "lat",
        };
        let slope = if self.asked.slope { "_slope" } else { "" };
        format!("{of}{slope}:{}{}", self.asked.limit, if self.asked.percent { "%" } else { "" })
    }

    /// The line that fits best (least squares, x is the number of the interval), and the farthest value from the mean.
    fn shape(&self) -> Shape {
        let (n, of) = (self.samples.len() as f64, self.asked.of as usize);
        if self.samples.is_empty() {
            return Shape::default();
        }
        let values = || self.samples.iter().map(|sample| sample[of] as f64);
        let (mean, middle) = (values().sum::<f64>() / n, (n - 1.0) / 2.0);
        let covariance: f64 = values().enumerate().map(|(x, y)| (x as f64 - middle) * (y - mean)).sum();
        let variance = n * (n * n - 1.0) / 12.0;
        let slope = if variance > 0.0 { covariance / variance } else { 0.0 };
        let deviation_max = values().map(|value| (value - mean).abs()).fold(0.0, f64::max);
        let absolute = if self.asked.slope { slope } else { deviation_max };
        let full = self.samples.len() == self.window;
        let criterion = match (full, self.asked.percent) {
            (false, _) => None,
            (true, false) => Some(absolute),
            (true, true) => (mean > 0.0).then(|| 100.0 * absolute / mean),
        };
        Shape { slope, deviation_max, criterion }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsbench_model::Span;

    fn seconds(n: u64) -> Span {
        Span(n * 1_000_000_000)
    }

    fn asked(of: SteadyOf, slope: bool, limit: f64, percent: bool) -> Steady {
        Steady { of, slope, limit, percent, duration: seconds(5), ramp: Span(0), interval: seconds(1) }
    }

    /// The first sample, from 1, with which it was attained.
    fn attained(state: &mut SteadyState, iops: impl IntoIterator<Item = u64>) -> Option<usize> {
        iops.into_iter().position(|iops| state.sample(iops, iops * 4096, 1000)).map(|at| at + 1)
    }

    #[test]
    fn a_constant_rate_is_steady_as_soon_as_the_window_is_full() {
        for slope in [false, true] {
            let mut state = SteadyState::new(&asked(SteadyOf::Iops, slope, 0.1, true));
            assert_eq!(attained(&mut state, [1000; 10]), Some(5));
            assert!(state.sample(5, 5, 5), "it stays attained");
        }
    }

    #[test]
    fn the_slope_is_that_of_the_line_that_fits_best() {
        let mut state = SteadyState::new(&asked(SteadyOf::Iops, true, 0.1, false));
        assert_eq!(attained(&mut state, [100, 110, 120, 130, 140]), None);
        let record = state.record();
        assert_eq!((record.slope, record.criterion, record.attained), (10.0, 10.0, false));
        assert_eq!((record.asked.as_str(), record.duration_s), ("iops_slope:0.1", 5));
        // numpy.polyfit(range(5), [3, 1, 4, 1, 5], 1)[0] is 0.4, the mean is 2.8.
        let mut state = SteadyState::new(&asked(SteadyOf::Iops, true, 0.1, true));
        attained(&mut state, [3, 1, 4, 1, 5]);
        let record = state.record();
        assert!((record.slope - 0.4).abs() < 1e-12 && (record.criterion - 100.0 * 0.4 / 2.8).abs() < 1e-9);
        assert!((record.deviation_max - 2.2).abs() < 1e-12);
    }

    #[test]
    fn a_rate_that_falls_and_settles_is_steady_when_the_window_has_passed_the_fall() {
        let falling = (0..10).map(|i| 10_000 - i * 800).chain([2800; 10]);
        let mut state = SteadyState::new(&asked(SteadyOf::Bandwidth, false, 5.0, true));
        assert_eq!(attained(&mut state, falling), Some(14));
        let record = state.record();
        assert_eq!((record.iops, record.bytes.len(), record.asked.as_str()), (vec![2800; 5], 5, "bw:5%"));
        assert!(record.attained);
    }

    #[test]
    fn ramp_time_is_left_out() {
        let mut state = SteadyState::new(&Steady { ramp: seconds(3), ..asked(SteadyOf::Latency, false, 1.0, true) });
        assert_eq!(attained(&mut state, [1; 20]), Some(8));
        assert_eq!(state.record().asked, "lat:1%");
    }

    #[test]
    fn nothing_at_all_is_not_steady() {
        let mut state = SteadyState::new(&asked(SteadyOf::Iops, true, 5.0, true));
        assert_eq!(attained(&mut state, [0; 20]), None);
        assert_eq!(state.record().criterion, 0.0);
        assert_eq!(SteadyState::new(&asked(SteadyOf::Iops, true, 5.0, true)).record().iops, Vec::<u64>::new());
    }
}
