//! Tests of `random.rs`: the generator is the published one, the permutation is a bijection that looks random.

use super::*;
use std::collections::HashSet;

/// Chi-square of counts that should be equal.
fn chi_square(counts: &[u64]) -> f64 {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum()
}

/// Correlation of each value with the next.
fn serial_correlation(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let variance: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    values.windows(2).map(|w| (w[0] - mean) * (w[1] - mean)).sum::<f64>() / variance
}

#[test]
fn the_generator_is_the_published_one() {
    // First outputs of xoshiro256plusplus.c with the state 1, 2, 3, 4.
    let mut rng = Rng { state: [1, 2, 3, 4] };
    let first = [41_943_041, 58_720_359, 3_588_806_011_781_223, 3_591_011_842_654_386];
    assert_eq!([(); 4].map(|()| rng.next_u64()), first);
    // And of splitmix64.c with the seed 1234567.
    assert_eq!(mix(1_234_567), 6_457_827_717_110_365_317);
}

#[test]
fn the_same_seed_gives_the_same_numbers_and_each_purpose_its_own() {
    let draw = |mut rng: Rng| -> Vec<u64> { (0..8).map(|_| rng.next_u64()).collect() };
    assert_eq!(draw(Rng::new(7)), draw(Rng::new(7)));
    let lists: HashSet<Vec<u64>> =
        (0..10).flat_map(|seed| (0..10).map(move |purpose| draw(Rng::derived(seed, purpose)))).collect();
    assert_eq!(lists.len(), 100);
}

#[test]
fn below_is_even_and_stays_below() {
    let mut rng = Rng::new(1);
    for n in [1, 2, 3, 10, 64, 100] {
        let mut counts = vec![0u64; n];
        (0..100_000).for_each(|_| counts[rng.below(n as u64) as usize] += 1);
        assert!(chi_square(&counts) < n as f64 + 6.0 * (2.0 * n as f64).sqrt(), "{n}: {counts:?}");
    }
    assert_eq!(rng.below(0), 0);
    // Three quarters of 2^64: what a modulo would get visibly wrong.
    let n = 3u64 << 62;
    let low = (0..100_000).filter(|_| rng.below(n) < n / 3).count();
    assert!((32_300..34_300).contains(&low), "{low}");
}

#[test]
fn unit_is_even_from_zero_to_one() {
    let mut rng = Rng::new(2);
    let values: Vec<f64> = (0..100_000).map(|_| rng.unit()).collect();
    let mut counts = [0u64; 64];
    values.iter().for_each(|v| counts[(v * 64.0) as usize] += 1);
    assert!(chi_square(&counts) < 120.0);
    assert!(serial_correlation(&values).abs() < 0.015);
}

#[test]
fn every_block_is_visited_exactly_once() {
    for n in (1..=600).chain((601..=5000).step_by(37)).chain([4095, 4096, 4097, 5000]) {
        let permutation = Permutation::new(n, 42 + n % 3);
        assert_eq!(permutation.len(), n);
        let mut seen = vec![false; n as usize];
        (0..n).for_each(|i| assert!(!std::mem::replace(&mut seen[permutation.at(i) as usize], true), "{n}"));
    }
    assert_eq!(Permutation::new(0, 1).at(5), 0);
}

#[test]
fn large_permutations_do_not_repeat_in_a_sample() {
    for n in [(1 << 20) + 1, 1 << 33, (1 << 40) - 87, (1 << 63) + 5, u64::MAX] {
        let permutation = Permutation::new(n, 9);
        let seen: HashSet<u64> = (0..200_000).map(|i| permutation.at(i)).collect();
        assert_eq!(seen.len(), 200_000, "{n}");
        assert!(seen.iter().all(|v| *v < n));
    }
}

#[test]
fn a_permutation_looks_uniform_and_uncorrelated_for_every_seed() {
    for n in [1 << 16, (1 << 16) + 1, 100_000, 262_144, 1_000_003, 1 << 30] {
        let mut worst = (0.0f64, 0.0f64);
        for seed in 0..50 {
            let permutation = Permutation::new(n, seed);
            let take = (n / 2).min(30_000);
            let values: Vec<u64> = (0..take).map(|i| permutation.at(i)).collect();
            let mut counts = [0u64; 64];
            values.iter().for_each(|v| counts[(u128::from(*v) * 64 / u128::from(n)) as usize] += 1);
            let floats: Vec<f64> = values.iter().map(|v| *v as f64).collect();
            worst = (worst.0.max(chi_square(&counts)), worst.1.max(serial_correlation(&floats).abs()));
        }
        // 63 degrees of freedom: 130 is exceeded once in a million; 0.03 is five deviations of a correlation.
        assert!(worst.0 < 130.0 && worst.1 < 0.03, "{n}: chi-square {}, correlation {}", worst.0, worst.1);
    }
}

#[test]
fn seeds_give_unrelated_orders_and_few_neighbours_follow_each_other() {
    let n = 100_000;
    let (one, other) = (Permutation::new(n, 1), Permutation::new(n, 2));
    assert!((0..n).filter(|i| one.at(*i) == other.at(*i)).count() < 20);
    let shift = one.at(0).abs_diff(other.at(0));
    assert!((0..n).filter(|i| one.at(*i).abs_diff(other.at(*i)) == shift).count() < 50);
    // A device would merge neighbours: two blocks in a row, n / (n / 2) times by chance.
    assert!((1..n).filter(|i| one.at(*i) == one.at(*i - 1) + 1).count() < 12);
}

#[test]
#[ignore = "a measurement, for an idle machine"]
fn speed() {
    for n in [1u64 << 20, 1_000_003, 262_145] {
        let permutation = Permutation::new(n, 1);
        let start = std::time::Instant::now();
        let sum = (0..20_000_000u64).fold(0u64, |sum, i| sum ^ permutation.at(i & 0x3ffff));
        println!("{n}: {:.2} ns ({sum})", start.elapsed().as_nanos() as f64 / 20e6);
    }
    let mut rng = Rng::new(1);
    let start = std::time::Instant::now();
    let sum = (0..50_000_000u64).fold(0u64, |sum, _| sum ^ rng.below(1_000_003));
    println!("below: {:.2} ns ({sum})", start.elapsed().as_nanos() as f64 / 50e6);
}
