//! Which block is next when blocks are not equally likely: fio's `random_distribution`.
//!
//! Ranks are drawn as fio's zipf, pareto and normal do (the same formulas, so the same shares of hits), then placed in
//! the file. Without a centre, the ranks of zipf and pareto are scattered by a [`Permutation`], where fio takes a hash
//! that lets several ranks fall on one block and leaves a third of the blocks untouched. With one, rank 0 is the block at
//! the centre and the others follow. Visiting each block once (`Uniform` with a map) is [`Permutation`]'s, not ours.

use super::random::{Permutation, Rng};
use fsbench_model::job::Distribution;

/// Draws block numbers.
#[derive(Clone, Debug)]
pub(crate) struct Sampler {
    blocks: u64,
    ranks: Ranks,
    placing: Placing,
}

/// How ranks are drawn.
#[derive(Clone, Debug)]
enum Ranks {
    Uniform,
    Zipf(Zipf),
    /// The exponent.
    Pareto(f64),
    /// The width in blocks of what is added to the mean of twelve numbers.
    Normal(u64),
    Zoned(Vec<Zone>),
}

/// Where ranks are in the file.
#[derive(Clone, Debug)]
enum Placing {
    Scattered(Permutation),
    From(u64),
}

/// A part of the file: blocks `first..first + blocks` are hit when the drawn number is below `below`.
#[derive(Clone, Copy, Debug)]
struct Zone {
    below: f64,
    first: u64,
    blocks: u64,
}

impl Sampler {
    /// Over `blocks` blocks of `block_bytes` each; `seed` scatters the ranks.
    #[must_use]
    pub(crate) fn new(distribution: &Distribution, blocks: u64, block_bytes: u64, seed: u64) -> Self {
        let blocks = blocks.max(1);
        let (ranks, placing) = match distribution {
            Distribution::Uniform => (Ranks::Uniform, Placing::From(0)),
            Distribution::Zipf { theta, center } => {
                (Ranks::Zipf(Zipf::new(*theta, blocks)), Placing::new(*center, blocks, seed))
            }
            Distribution::Pareto { power, center } => {
                (Ranks::Pareto(power.ln() / (1.0 - power).ln()), Placing::new(*center, blocks, seed))
            }
            Distribution::Normal { deviation, center } => {
                let width = ((blocks as f64 * deviation / 100.0).ceil() as u64).min(blocks / 2);
                let from = (center.unwrap_or(0.5) - 0.5).rem_euclid(1.0);
                (Ranks::Normal(width), Placing::new(Some(from), blocks, seed))
            }
            Distribution::Zoned(zones) => {
                let share = |percent: f64| (blocks as f64 * percent / 100.0).round() as u64;
                let sized = zones.iter().map(|zone| (zone.percent, share(zone.value)));
                (Ranks::Zoned(zones_of(sized, blocks)), Placing::From(0))
            }
            Distribution::ZonedAbsolute(zones) => {
                let sized = zones.iter().map(|zone| {
                    let rest = zone.value.0 == 0;
                    (zone.percent, if rest { blocks } else { zone.value.0 / block_bytes.max(1) })
                });
                (Ranks::Zoned(zones_of(sized, blocks)), Placing::From(0))
            }
        };
        Self { blocks, ranks, placing }
    }

    /// The next block, below `blocks`.
    #[inline]
    pub(crate) fn next(&self, rng: &mut Rng) -> u64 {
        let rank = match &self.ranks {
            Ranks::Uniform => return rng.below(self.blocks),
            Ranks::Zoned(zones) => return zoned(zones, rng),
            Ranks::Zipf(zipf) => zipf.next(rng),
            Ranks::Pareto(exponent) => ((self.blocks - 1) as f64 * rng.unit().powf(*exponent)) as u64,
            Ranks::Normal(width) => normal(self.blocks, *width, rng),
        };
        self.placing.place(rank.min(self.blocks - 1), self.blocks)
    }
}

impl Placing {
    fn new(center: Option<f64>, blocks: u64, seed: u64) -> Self {
        match center {
            None => Self::Scattered(Permutation::new(blocks, seed)),
            Some(center) => Self::From((blocks as f64 * center) as u64 % blocks),
        }
    }

    #[inline]
    fn place(&self, rank: u64, blocks: u64) -> u64 {
        match self {
            Self::Scattered(order) => order.at(rank),
            Self::From(first) if *first < blocks - rank => first + rank,
            Self::From(first) => first - (blocks - rank),
        }
    }
}

/// Gray et al., "Quickly generating billion-record synthetic databases" (1994), as fio has it.
#[derive(Clone, Debug)]
struct Zipf {
    blocks: f64,
    zeta: f64,
    first_two: f64,
    eta: f64,
    alpha: f64,
}

impl Zipf {
    fn new(theta: f64, blocks: u64) -> Self {
        let n = blocks as f64;
        let (zeta, first_two) = (zeta(blocks, theta), 1.0 + 0.5f64.powf(theta));
        let eta = (1.0 - (2.0 / n).powf(1.0 - theta)) / (1.0 - first_two / zeta);
        Self { blocks: n, zeta, first_two, eta, alpha: 1.0 / (1.0 - theta) }
    }

    #[inline]
    fn next(&self, rng: &mut Rng) -> u64 {
        let u = rng.unit();
        let z = u * self.zeta;
        if z < 1.0 {
            0
        } else if z < self.first_two {
            1
        } else {
            (self.blocks * (self.eta * u - self.eta + 1.0).powf(self.alpha)) as u64
        }
    }
}

/// The sum of k^-theta for k from 1 to `n`: term by term, then by Euler and Maclaurin, right to 12 digits.
fn zeta(n: u64, theta: f64) -> f64 {
    const HEAD: u64 = 1000;
    let sum = |to: u64| (1..=to).rev().map(|k| (k as f64).powf(-theta)).sum::<f64>();
    if n <= HEAD {
        return sum(n);
    }
    let (a, b) = (HEAD as f64, n as f64);
    let integral = (b.powf(1.0 - theta) - a.powf(1.0 - theta)) / (1.0 - theta);
    let ends = (b.powf(-theta) - a.powf(-theta)) / 2.0;
    sum(HEAD) + integral + ends + theta / 12.0 * (a.powf(-theta - 1.0) - b.powf(-theta - 1.0))
}

/// fio's normal: the mean of twelve uniform numbers (a deviation of a twelfth of the file), and a uniform one of `width`
/// around 0 on top of it, halved until it stays in the file.
#[inline]
fn normal(blocks: u64, width: u64, rng: &mut Rng) -> u64 {
    let sum: u128 = (0..12).map(|_| u128::from(rng.below(blocks.saturating_add(1)))).sum();
    let mean = sum.div_ceil(12) as i128;
    let mut extra = i128::from(rng.below(width)) - i128::from(width / 2);
    while extra != 0 && !(0..i128::from(blocks)).contains(&(mean + extra)) {
        extra /= 2;
    }
    (mean + extra) as u64
}

/// Zones one after the other, as (percent of the requests, blocks); the last takes what is left of 100 %.
fn zones_of(sized: impl Iterator<Item = (f64, u64)>, blocks: u64) -> Vec<Zone> {
    let (mut below, mut first) = (0.0, 0);
    let mut zones: Vec<Zone> = sized
        .map(|(percent, size)| {
            below += percent / 100.0;
            let start = first.min(blocks - 1);
            let zone = Zone { below, first: start, blocks: size.clamp(1, blocks - start) };
            first = first.saturating_add(size).min(blocks);
            (percent, zone)
        })
        .filter(|(percent, _)| *percent > 0.0)
        .map(|(_, zone)| zone)
        .collect();
    match zones.last_mut() {
        Some(last) => last.below = 1.0,
        None => zones.push(Zone { below: 1.0, first: 0, blocks }),
    }
    zones
}

#[inline]
fn zoned(zones: &[Zone], rng: &mut Rng) -> u64 {
    let u = rng.unit();
    let zone = zones.iter().find(|zone| u < zone.below).unwrap_or(&zones[zones.len() - 1]);
    zone.first + rng.below(zone.blocks)
}

#[cfg(test)]
#[path = "distribution_tests.rs"]
mod tests;
