//! Which blocks a job touches, in which order, and in which direction.

use crate::Bytes;
use serde::{Deserialize, Serialize};

/// The direction of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Read.
    Read,
    /// Write.
    Write,
    /// Trim.
    Trim,
}

impl Direction {
    /// All, in the order of every `r,w,t` list.
    pub const ALL: [Direction; 3] = [Direction::Read, Direction::Write, Direction::Trim];

    /// fio's key in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Direction::Read => "read",
            Direction::Write => "write",
            Direction::Trim => "trim",
        }
    }
}

/// A value for each of read, write and trim, indexed by `Direction as usize`.
pub type PerDirection<T> = [T; 3];

/// The directions of fio's `rw`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Reads only.
    #[default]
    Read,
    /// Writes only.
    Write,
    /// Trims only.
    Trim,
    /// Reads and writes mixed by `read_percent`.
    ReadWrite,
    /// Each block is trimmed, then written.
    TrimWrite,
}

/// How a sequential run after a random offset goes on (`rw_sequencer`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sequencer {
    /// `n` blocks one after the other.
    #[default]
    Sequential,
    /// The same block `n` times.
    Identical,
}

/// A value and its weight in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weighted<T> {
    /// The value.
    pub value: T,
    /// Percent; all of a list add up to 100.
    pub percent: f64,
}

/// Sizes of requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockSizes {
    /// Always this (`bs`).
    Fixed(Bytes),
    /// Uniform from `min` to `max` in steps of `min`, or of a byte when unaligned (`bsrange`).
    Range {
        /// Smallest.
        min: Bytes,
        /// Largest.
        max: Bytes,
    },
    /// By weight (`bssplit`).
    Split(Vec<Weighted<Bytes>>),
}

impl BlockSizes {
    /// Smallest.
    #[must_use]
    pub fn min(&self) -> u64 {
        match self {
            BlockSizes::Fixed(size) => size.0,
            BlockSizes::Range { min, .. } => min.0,
            BlockSizes::Split(parts) => parts.iter().map(|part| part.value.0).min().unwrap_or(0),
        }
    }

    /// Largest.
    #[must_use]
    pub fn max(&self) -> u64 {
        match self {
            BlockSizes::Fixed(size) => size.0,
            BlockSizes::Range { max, .. } => max.0,
            BlockSizes::Split(parts) => parts.iter().map(|part| part.value.0).max().unwrap_or(0),
        }
    }
}

/// Which block is how likely (`random_distribution`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Uniform; with `map`, each block exactly once in a pass.
    #[default]
    Uniform,
    /// Zipf: theta, and the centre as a share of the file (fio's `zipf:theta/center`), spread by a hash when `None`.
    Zipf {
        /// Not 1.
        theta: f64,
        /// 0 to 1.
        center: Option<f64>,
    },
    /// Pareto: power (0 to 1), centre as for zipf.
    Pareto {
        /// 0 to 1.
        power: f64,
        /// 0 to 1.
        center: Option<f64>,
    },
    /// Normal: deviation in percent of the file around its middle or `center`.
    Normal {
        /// Percent, 0 to 100.
        deviation: f64,
        /// 0 to 1.
        center: Option<f64>,
    },
    /// So many percent of the requests go to so many percent of the file, zone after zone.
    Zoned(Vec<Weighted<f64>>),
    /// The same with absolute sizes of the zones; the last may be 0, the rest.
    ZonedAbsolute(Vec<Weighted<Bytes>>),
}

/// `zonemode=strided`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Strided {
    /// Bytes done in a zone before the next.
    pub size: Bytes,
    /// Bytes of the zone that requests stay in.
    pub range: Bytes,
    /// Bytes skipped to the next zone.
    pub skip: Bytes,
}

/// Which blocks, how large, in which order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pattern {
    /// Directions.
    pub mode: Mode,
    /// Random offsets (`rand…`).
    pub random: bool,
    /// Requests before the next random offset (`rw=randread:8`), at least 1.
    pub run_length: u32,
    /// Bytes added after each sequential request (`rw=write:4k`); negative goes backwards.
    pub hole: i64,
    /// What `run_length` repeats.
    pub sequencer: Sequencer,
    /// Share of reads in a mix, percent.
    pub read_percent: u32,
    /// Sizes for each direction.
    pub blocks: PerDirection<BlockSizes>,
    /// Sizes need not be multiples of the smallest (`bs_unaligned`).
    pub unaligned: bool,
    /// The sizes of reads serve sequential, those of writes random requests (`bs_is_seq_rand`).
    pub size_by_randomness: bool,
    /// Alignment of random offsets (`blockalign`), bytes.
    pub align: PerDirection<u64>,
    /// Share of a random job's requests that are random, percent (`percentage_random`).
    pub random_percent: PerDirection<u32>,
    /// Which blocks are likely.
    pub distribution: PerDirection<Distribution>,
    /// Every block exactly once in a pass; false is `norandommap`.
    pub map: bool,
    /// Seed of everything random; different for each clone and section, the same in every run unless `randrepeat=0`.
    pub seed: u64,
    /// `zonemode=strided`.
    pub zone: Option<Strided>,
}
