//! Mean and deviation of a block of jobs: latencies of its jobs are one population, their rates add up.

use super::number::finite;
use fsbench_results::Moments;

/// Count, extremes, mean and squared deviations.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Stat {
    pub count: u64,
    pub min: u64,
    pub max: u64,
    pub mean: f64,
    /// Sum of the squared distances from the mean.
    squared: f64,
}

impl From<&Moments> for Stat {
    fn from(moments: &Moments) -> Self {
        let deviation = finite(moments.deviation());
        let free = moments.count.saturating_sub(1) as f64;
        let Moments { count, min, max, .. } = *moments;
        Self { count, min, max, mean: finite(moments.mean()), squared: deviation * deviation * free }
    }
}

impl Stat {
    /// Adds the rates of a job that ran beside: everything adds up, as in fio, which takes the k-th window of each job
    /// for the same moment.
    pub(super) fn stack(&mut self, other: &Stat) {
        self.count += other.count;
        self.min += other.min;
        self.max += other.max;
        self.mean += other.mean;
        self.squared += other.squared;
    }

    /// Sample deviation (n-1).
    pub(super) fn deviation(&self) -> f64 {
        if self.count < 2 { 0.0 } else { finite((self.squared / (self.count - 1) as f64).sqrt()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_add_up() {
        let mut moments = Moments::default();
        [2, 4].into_iter().for_each(|value| moments.add(value));
        let mut stat = Stat::from(&moments);
        assert!((stat.deviation() - 2f64.sqrt()).abs() < 1e-12);
        stat.stack(&Stat::from(&moments));
        assert_eq!((stat.count, stat.min, stat.max, stat.mean), (4, 4, 8, 6.0));
        assert!((stat.deviation() - (4.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert_eq!(Stat::default().deviation(), 0.0);
    }
}
