//! Statistics over repetitions, as Google Benchmark names and computes them.

/// One aggregate of the values of several repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    /// Arithmetic mean.
    Mean,
    /// Middle value; of an even number the mean of the two in the middle.
    Median,
    /// Sample standard deviation (n-1).
    Stddev,
    /// Coefficient of variation: stddev / mean, a fraction.
    Cv,
    /// Largest.
    Max,
    /// Smallest.
    Min,
}

impl Statistic {
    /// All, in the order in which `fs_benchmark_tool` prints them.
    pub const ALL: [Statistic; 6] =
        [Statistic::Mean, Statistic::Median, Statistic::Stddev, Statistic::Cv, Statistic::Max, Statistic::Min];

    /// The suffix of the row's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Statistic::Mean => "mean",
            Statistic::Median => "median",
            Statistic::Stddev => "stddev",
            Statistic::Cv => "cv",
            Statistic::Max => "max",
            Statistic::Min => "min",
        }
    }
}

/// The statistic of `values`; 0 for none. A `Cv` of mean 0 is 0, and so is the `Stddev` of one value.
#[must_use]
pub fn aggregate(statistic: Statistic, values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    match statistic {
        Statistic::Mean => mean(values),
        Statistic::Median => median(values),
        Statistic::Stddev => stddev(values),
        Statistic::Cv => match mean(values) {
            0.0 => 0.0,
            mean => stddev(values) / mean,
        },
        Statistic::Max => values.iter().copied().fold(f64::MIN, f64::max),
        Statistic::Min => values.iter().copied().fold(f64::MAX, f64::min),
    }
}

/// Running mean: the mean of equal values is that value to the last bit, so that their deviation is 0.
fn mean(values: &[f64]) -> f64 {
    let mut mean = 0.0;
    for (count, value) in (1u32..).zip(values) {
        mean += (value - mean) / f64::from(count);
    }
    mean
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { f64::midpoint(sorted[middle - 1], sorted[middle]) }
}

fn stddev(values: &[f64]) -> f64 {
    if values.len() < 2 {
        return 0.0;
    }
    let mean = mean(values);
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    (squares / (values.len() - 1) as f64).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_known_from_google_benchmark() {
        let values = [1.0, 2.0, 6.0];
        let all: Vec<f64> = Statistic::ALL.iter().map(|s| aggregate(*s, &values)).collect();
        let sd = 7f64.sqrt();
        assert_eq!(all, [3.0, 2.0, sd, sd / 3.0, 6.0, 1.0]);
    }

    #[test]
    fn few_and_equal_values() {
        assert_eq!(aggregate(Statistic::Median, &[1.0, 3.0]), 2.0);
        assert_eq!(aggregate(Statistic::Stddev, &[5.0]), 0.0);
        assert_eq!(aggregate(Statistic::Cv, &[0.0, 0.0]), 0.0);
        assert_eq!(aggregate(Statistic::Mean, &[]), 0.0);
        assert_eq!(aggregate(Statistic::Mean, &[0.8, 0.8, 0.8]), 0.8);
        assert_eq!(aggregate(Statistic::Stddev, &[0.8, 0.8, 0.8]), 0.0);
    }
}
