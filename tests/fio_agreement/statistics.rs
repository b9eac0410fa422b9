//! Tests of hypotheses, with limits that a right implementation misses once in 100,000 seeds; seeds are fixed.

/// The quantile of the standard normal distribution for 1 in 100,000.
const Z: f64 = 4.265;

/// Pearson's statistic.
fn chi_square(observed: &[u64], shares: &[f64]) -> f64 {
    let n: f64 = observed.iter().map(|&count| float(count)).sum();
    observed.iter().zip(shares).map(|(&count, share)| (float(count) - n * share).powi(2) / (n * share)).sum()
}

/// The limit for so many degrees of freedom, by Wilson and Hilferty's approximation.
fn chi_square_limit(degrees: f64) -> f64 {
    let spread = 2.0 / (9.0 * degrees);
    degrees * (1.0 - spread + Z * spread.sqrt()).powi(3)
}

/// Checks that `observed` could have been drawn with `shares`.
#[track_caller]
pub(crate) fn drawn_with(what: &str, observed: &[u64], shares: &[f64]) {
    let (statistic, limit) = (chi_square(observed, shares), chi_square_limit(float(shares.len() as u64 - 1)));
    assert!(statistic < limit, "{what}: chi-square {statistic:.1} above {limit:.1}: {observed:?} for {shares:.4?}");
}

/// Checks by Kolmogorov and Smirnov that `values` follow the distribution function `cdf`.
#[track_caller]
pub(crate) fn follows(what: &str, mut values: Vec<f64>, cdf: impl Fn(f64) -> f64) {
    values.sort_by(f64::total_cmp);
    let n = float(values.len() as u64);
    let gaps = values.iter().enumerate().map(|(rank, &value)| (cdf(value) - (float(rank as u64) + 0.5) / n).abs());
    let distance = gaps.fold(0.0, f64::max);
    let limit = 2.47 / n.sqrt() + 0.5 / n;
    assert!(distance < limit, "{what}: distance {distance:.4} above {limit:.4}");
}

/// How many of `values` fall into each of `bins` parts of `0..end`.
pub(crate) fn binned(values: &[u64], end: u64, bins: usize) -> Vec<u64> {
    let mut counts = vec![0; bins];
    values.iter().for_each(|value| counts[(value * bins as u64 / end) as usize] += 1);
    counts
}

/// Shares of all `values` that the most frequent ones have: the first, the first 1 %, 10 % and 50 % of `places`.
pub(crate) fn concentration(values: &[u64], places: usize) -> [f64; 4] {
    let mut counts = std::collections::HashMap::<u64, u64>::new();
    values.iter().for_each(|&value| *counts.entry(value).or_default() += 1);
    let mut counts: Vec<u64> = counts.into_values().collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    [1, places / 100, places / 10, places / 2]
        .map(|first| float(counts.iter().take(first).sum()) / float(values.len() as u64))
}

#[expect(clippy::cast_precision_loss, reason = "counts of a test are small")]
pub(crate) fn float(count: u64) -> f64 {
    count as f64
}
