//! Tests of `distribution.rs`: the shares of theory, and those that fio's own tool prints.

use super::*;
use fsbench_model::Bytes;
use fsbench_model::job::Weighted;

const DRAWS: usize = 400_000;

fn counts(distribution: &Distribution, blocks: u64) -> Vec<u64> {
    let sampler = Sampler::new(distribution, blocks, 4096, 11);
    let mut rng = Rng::new(5);
    let mut counts = vec![0; blocks as usize];
    (0..DRAWS).for_each(|_| counts[sampler.next(&mut rng) as usize] += 1);
    counts
}

/// Largest distance between the shares that were drawn and those of `theory`, both cumulative.
fn distance(counts: &[u64], theory: impl Fn(usize) -> f64) -> f64 {
    let mut sum = 0;
    counts.iter().enumerate().fold(0.0, |worst: f64, (i, count)| {
        sum += count;
        worst.max((sum as f64 / DRAWS as f64 - theory(i)).abs())
    })
}

#[test]
fn zipf_follows_its_law() {
    for theta in [0.5, 0.8, 0.99, 1.2, 2.0] {
        let n = 10_000u64;
        let drawn = counts(&Distribution::Zipf { theta, center: Some(0.0) }, n);
        let mut cumulative: Vec<f64> = (1..=n).map(|k| (k as f64).powf(-theta) / zeta(n, theta)).collect();
        (1..cumulative.len()).for_each(|i| cumulative[i] += cumulative[i - 1]);
        assert!((cumulative[n as usize - 1] - 1.0).abs() < 1e-9, "zeta");
        let worst = distance(&drawn, |i| cumulative[i]);
        // The formula approximates from rank 3 on; that is what fio does, too.
        assert!(worst < if theta > 1.0 { 0.07 } else { 0.025 }, "{theta}: {worst}");
        // The slope of log(share) over log(rank), from groups of ranks: 1-4 against 64-127.
        let share = |from: usize, to: usize| drawn[from - 1..to].iter().sum::<u64>() as f64;
        let slope = (share(16, 31) / share(256, 511)).log2() / 4.0 + 1.0;
        assert!((slope - theta).abs() < 0.12, "{theta}: {slope}");
    }
}

#[test]
fn zeta_is_the_sum() {
    for theta in [0.3, 0.99, 1.2] {
        let plain: f64 = (1..=200_000u64).rev().map(|k| (k as f64).powf(-theta)).sum();
        assert!((zeta(200_000, theta) / plain - 1.0).abs() < 1e-11);
    }
}

/// The shares that Debian's `fio-genzipf -b 4096 -g 1 -o 10` 3.33 prints for the hottest tenths of the blocks.
#[test]
fn hits_are_as_concentrated_as_those_of_fio() {
    let known = [
        (Distribution::Zipf { theta: 1.2, center: None }, 0.8876),
        (Distribution::Zipf { theta: 0.8, center: None }, 0.5154),
        (Distribution::Pareto { power: 0.2, center: None }, 0.6355),
    ];
    let blocks = 262_144;
    for (distribution, fio) in known {
        let sampler = Sampler::new(&distribution, blocks, 4096, 3);
        let mut rng = Rng::new(1);
        let mut counts = vec![0u32; blocks as usize];
        (0..blocks).for_each(|_| counts[sampler.next(&mut rng) as usize] += 1);
        counts.sort_unstable_by(|a, b| b.cmp(a));
        // genzipf's tenths are of the blocks that were hit at all.
        let hit = counts.iter().take_while(|count| **count > 0).count();
        let top: u32 = counts[..hit / 10].iter().sum();
        let share = f64::from(top) / blocks as f64;
        assert!((share - fio).abs() < 0.08, "{distribution:?}: {share}, fio {fio}");
    }
}

#[test]
fn without_a_centre_the_hot_blocks_are_anywhere_and_with_one_they_are_there() {
    let hottest = |counts: &[u64]| (0..counts.len()).max_by_key(|i| counts[*i]);
    let at = |center| counts(&Distribution::Zipf { theta: 1.2, center }, 1000);
    assert_eq!(hottest(&at(Some(0.25))), Some(250));
    assert_eq!(hottest(&at(Some(1.0))), Some(0));
    assert_eq!(hottest(&counts(&Distribution::Pareto { power: 0.2, center: Some(0.5) }, 1000)), Some(500));
    let scattered = at(None);
    let mut order: Vec<usize> = (0..1000).collect();
    order.sort_by_key(|i| std::cmp::Reverse(scattered[*i]));
    assert!(order[..20].windows(2).filter(|w| w[0].abs_diff(w[1]) == 1).count() < 4);
    assert!(order[..40].iter().filter(|i| **i < 500).count().abs_diff(20) < 14);
}

#[test]
fn pareto_follows_its_law() {
    for power in [0.1, 0.2, 0.5, 0.9] {
        let n = 10_000u64;
        let drawn = counts(&Distribution::Pareto { power, center: Some(0.0) }, n);
        let exponent = f64::ln(1.0 - power) / f64::ln(power);
        let worst = distance(&drawn, |i| (((i + 1) as f64 / (n - 1) as f64).min(1.0)).powf(exponent));
        assert!(worst < 0.004, "{power}: {worst}");
    }
    // 80 % of the requests go to 20 % of the blocks: what the power 0.2 means.
    let drawn = counts(&Distribution::Pareto { power: 0.2, center: Some(0.0) }, 10_000);
    let top: u64 = drawn[..2000].iter().sum();
    assert!((top as f64 / DRAWS as f64 - 0.8).abs() < 0.005);
}

#[test]
fn normal_has_the_mean_and_the_deviation_that_fio_gives_it() {
    for (deviation, center) in [(0.0, None), (20.0, None), (50.0, Some(0.5)), (10.0, Some(0.4))] {
        let n = 10_000u64;
        let drawn = counts(&Distribution::Normal { deviation, center }, n);
        let moment = |f: &dyn Fn(f64) -> f64| -> f64 {
            drawn.iter().enumerate().map(|(i, c)| f(i as f64 / n as f64) * *c as f64).sum::<f64>() / DRAWS as f64
        };
        let mean = moment(&|x| x);
        let spread = moment(&|x| (x - mean).powi(2)).sqrt();
        let expected = (1.0 / 144.0 + (deviation / 100.0).powi(2) / 12.0).sqrt();
        assert!((mean - center.unwrap_or(0.5)).abs() < 0.002, "{deviation} {center:?}: mean {mean}");
        assert!((spread - expected).abs() < 0.01 * expected + 0.001, "{deviation}: {spread}, not {expected}");
    }
}

#[test]
fn zones_get_their_share() {
    let zoned = |parts: &[(f64, f64)]| {
        Distribution::Zoned(
            parts.iter().map(|(percent, value)| Weighted { value: *value, percent: *percent }).collect(),
        )
    };
    // fio's example: 60/10:30/20:8/30:2/40.
    let drawn = counts(&zoned(&[(60.0, 10.0), (30.0, 20.0), (8.0, 30.0), (2.0, 40.0)]), 1000);
    for (range, share) in [(0..100, 0.6), (100..300, 0.3), (300..600, 0.08), (600..1000, 0.02)] {
        let part = &drawn[range];
        assert!((part.iter().sum::<u64>() as f64 / DRAWS as f64 - share).abs() < 0.003);
        let expected = part.iter().sum::<u64>() as f64 / part.len() as f64;
        let chi: f64 = part.iter().map(|c| (*c as f64 - expected).powi(2) / expected).sum();
        assert!(chi < part.len() as f64 + 6.0 * (2.0 * part.len() as f64).sqrt());
    }
    // A zone that is never hit, and one that is smaller than a block.
    let drawn = counts(&zoned(&[(50.0, 50.0), (0.0, 40.0), (50.0, 10.0)]), 10);
    assert_eq!(drawn[5..9], [0; 4]);
    assert!(counts(&zoned(&[(50.0, 1.0), (50.0, 99.0)]), 10).iter().all(|count| *count > 0));
}

#[test]
fn absolute_zones_end_with_the_rest() {
    let size = |bytes: u64, percent: f64| Weighted { value: Bytes(bytes), percent };
    let zones = Distribution::ZonedAbsolute(vec![size(40 * 4096, 60.0), size(100 * 4096, 20.0), size(0, 20.0)]);
    let drawn = counts(&zones, 1000);
    for (range, share) in [(0..40, 0.6), (40..140, 0.2), (140..1000, 0.2)] {
        assert!((drawn[range].iter().sum::<u64>() as f64 / DRAWS as f64 - share).abs() < 0.003);
    }
    // A file smaller than the zones: no block outside of it.
    assert_eq!(counts(&zones, 20).iter().sum::<u64>(), DRAWS as u64);
}

#[test]
fn small_files_are_no_trouble() {
    for blocks in [0, 1, 2, 3] {
        for center in [None, Some(0.0), Some(0.9)] {
            for distribution in [
                Distribution::Uniform,
                Distribution::Zipf { theta: 1.2, center },
                Distribution::Pareto { power: 0.3, center },
                Distribution::Normal { deviation: 30.0, center },
                Distribution::Zoned(vec![]),
            ] {
                let sampler = Sampler::new(&distribution, blocks, 4096, 1);
                let mut rng = Rng::new(1);
                assert!((0..100).all(|_| sampler.next(&mut rng) < blocks.max(1)), "{distribution:?} {blocks}");
            }
        }
    }
}
