//! Which block is next: direction, file, offset and size of every request of a job.
//!
//! Semantics are fio's (`rw`, `bs`, `percentage_random`, `randommap`, `zonemode=strided`, `file_service_type`). Where
//! every request has the same size, "each block exactly once" is a keyed permutation and costs no memory; else it is a
//! bitmap of the smallest blocks.

use super::choose::Chooser;
use super::distribution::Sampler;
use super::map::BlockMap;
use super::random::{Permutation, Rng};
use fsbench_model::job::{BlockSizes, Direction, Distribution, Mode, Pattern, Sequencer, Serve, Strided};

/// One request to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) direction: Direction,
    /// Index of the job's file.
    pub(crate) file: u32,
    /// Offset in the file.
    pub(crate) offset: u64,
    pub(crate) len: u32,
}

/// The part of a file that a job works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) offset: u64,
    pub(crate) size: u64,
}

/// What makes an offset random.
enum Scatter {
    /// Each block once, all of one size.
    Permuted { permutation: Permutation, block: u64, next: u64, passes: u64 },
    /// Each block once, sizes differ.
    Mapped(BlockMap),
    /// Any block, any time.
    Free,
    /// By a distribution, for each direction.
    Skewed(Box<[Sampler; 3]>),
}

struct File {
    extent: Extent,
    /// Where sequential requests of each direction go on, relative to the extent.
    last: [u64; 3],
    /// Bytes issued in this pass.
    issued: u64,
    scatter: Scatter,
    /// Start of the present zone, and bytes done in it.
    zone: u64,
    zone_done: u64,
}

/// The requests of a job.
pub(crate) struct Blocks {
    mode: Mode,
    random: bool,
    run_length: u32,
    hole: i64,
    sequencer: Sequencer,
    read_percent: u32,
    random_percent: [u32; 3],
    sizes: [Sizes; 3],
    align: [u64; 3],
    size_by_randomness: bool,
    zone: Option<Strided>,
    files: Vec<File>,
    chooser: Chooser,
    mix: Rng,
    lengths: Rng,
    offsets: Rng,
    /// Requests left in the present sequential run of a random job.
    run_left: u32,
    /// The block that is to be written after it was trimmed.
    trimmed: Option<Block>,
    /// Bytes that may still be issued in this pass, or in all.
    left: u64,
    pass_bytes: u64,
}

/// A ready-to-draw form of [`BlockSizes`].
enum Sizes {
    Fixed(u32),
    Range { min: u64, steps: u64, step: u64 },
    Split(Vec<(f64, u32)>),
}

impl Sizes {
    fn new(sizes: &BlockSizes, unaligned: bool) -> Self {
        match sizes {
            BlockSizes::Fixed(size) => Sizes::Fixed(size.0 as u32),
            BlockSizes::Range { min, max } if min == max => Sizes::Fixed(min.0 as u32),
            BlockSizes::Range { min, max } => {
                let step = if unaligned { 1 } else { min.0.max(1) };
                Sizes::Range { min: min.0, steps: (max.0 - min.0) / step + 1, step }
            }
            BlockSizes::Split(parts) => {
                let mut sum = 0.0;
                let ends = parts.iter().map(|part| {
                    sum += part.percent;
                    (sum / 100.0, part.value.0 as u32)
                });
                Sizes::Split(ends.collect())
            }
        }
    }

    #[inline(always)]
    fn draw(&self, rng: &mut Rng) -> u32 {
        match self {
            Sizes::Fixed(size) => *size,
            Sizes::Range { min, steps, step } => (min + rng.below(*steps) * step) as u32,
            Sizes::Split(ends) => {
                let at = rng.unit();
                ends.iter().find(|(end, _)| at < *end).or(ends.last()).map_or(0, |(_, size)| *size)
            }
        }
    }
}

fn used(mode: Mode) -> &'static [Direction] {
    match mode {
        Mode::Read => &[Direction::Read],
        Mode::Write => &[Direction::Write],
        Mode::Trim => &[Direction::Trim],
        Mode::ReadWrite => &[Direction::Read, Direction::Write],
        Mode::TrimWrite => &[Direction::Trim, Direction::Write],
    }
}

impl Blocks {
    /// Requests over `extents`, which add up to one pass of `pass_bytes` at most.
    pub(crate) fn new(pattern: &Pattern, serve: &Serve, open_max: usize, extents: &[Extent], pass_bytes: u64) -> Self {
        let seed = pattern.seed;
        let files = extents.iter().zip(0u64..).map(|(extent, nth)| File {
            extent: *extent,
            last: start_of(pattern, *extent),
            issued: 0,
            scatter: scatter(pattern, *extent, seed ^ (nth << 32)),
            zone: 0,
            zone_done: 0,
        });
        Self {
            mode: pattern.mode,
            random: pattern.random,
            run_length: pattern.run_length.max(1),
            hole: pattern.hole,
            sequencer: pattern.sequencer,
            read_percent: pattern.read_percent,
            random_percent: pattern.random_percent,
            sizes: [0, 1, 2].map(|of| Sizes::new(&pattern.blocks[of], pattern.unaligned)),
            align: [0, 1, 2].map(|of| match pattern.align[of] {
                0 => pattern.blocks[of].min().max(1),
                align => align,
            }),
            size_by_randomness: pattern.size_by_randomness,
            zone: pattern.zone,
            chooser: Chooser::new(serve, extents.len(), open_max, Rng::derived(seed, 4)),
            files: files.collect(),
            mix: Rng::derived(seed, 1),
            lengths: Rng::derived(seed, 2),
            offsets: Rng::derived(seed, 3),
            run_left: 0,
            trimmed: None,
            left: pass_bytes,
            pass_bytes,
        }
    }

    /// Starts another pass.
    pub(crate) fn again(&mut self) {
        self.left = self.pass_bytes;
        self.run_left = 0;
        self.chooser.again();
        for file in &mut self.files {
            file.issued = 0;
            file.rewind(self.hole);
        }
    }

    /// Lets requests of `bytes` follow, whatever one pass is.
    pub(crate) fn allow(&mut self, bytes: u64) {
        self.left = bytes;
    }

    /// The next request, `None` when the pass is over.
    #[inline(always)]
    pub(crate) fn next(&mut self) -> Option<Block> {
        self.next_by(|direction| direction)
    }

    /// The next request, of the direction that `turn` makes of the one whose turn it is in a mix of both.
    #[inline(always)]
    pub(crate) fn next_by(&mut self, turn: impl FnOnce(Direction) -> Direction) -> Option<Block> {
        if let Some(block) = self.trimmed {
            self.trimmed = None;
            return Some(Block { direction: Direction::Write, ..block });
        }
        if self.left == 0 {
            return None;
        }
        let direction = match self.mode {
            Mode::ReadWrite => turn(self.direction()),
            _ => self.direction(),
        };
        let index = self.chooser.file(|file| self.files[file].issued < self.files[file].extent.size, self.left)?;
        let block = self.place(direction, index)?;
        self.left = self.left.saturating_sub(u64::from(block.len));
        self.files[index].issued += u64::from(block.len);
        if self.mode == Mode::TrimWrite {
            self.trimmed = Some(block);
        }
        Some(block)
    }

    #[inline]
    fn direction(&mut self) -> Direction {
        match self.mode {
            Mode::Read => Direction::Read,
            Mode::Write => Direction::Write,
            Mode::Trim | Mode::TrimWrite => Direction::Trim,
            Mode::ReadWrite if self.mix.below(100) < u64::from(self.read_percent) => Direction::Read,
            Mode::ReadWrite => Direction::Write,
        }
    }

    #[inline(always)]
    fn place(&mut self, direction: Direction, index: usize) -> Option<Block> {
        let of = direction as usize;
        let is_random = self.is_random(of);
        let sizes = match (self.size_by_randomness, is_random) {
            (false, _) => of,
            (true, sequential) => usize::from(sequential),
        };
        let len = self.sizes[sizes].draw(&mut self.lengths);
        let align = self.align[of];
        let file = &mut self.files[index];
        let (at, room) = match is_random {
            true => file.random(of, (len, align), &mut self.offsets, self.zone.as_ref())?,
            false => file.sequential(of, len, (self.hole, self.sequencer, self.random), self.zone.as_ref())?,
        };
        let len = u64::from(len).min(room).min(file.extent.size - at) as u32;
        if is_random {
            file.last[of] = at + u64::from(len);
        }
        Some(Block { direction, file: index as u32, offset: file.extent.offset + at, len })
    }

    /// Whether the next offset is a random one.
    #[inline]
    fn is_random(&mut self, of: usize) -> bool {
        if !self.random {
            return false;
        }
        if self.run_left > 0 {
            self.run_left -= 1;
            return false;
        }
        self.run_left = self.run_length - 1;
        let percent = self.random_percent[of];
        percent >= 100 || self.mix.below(100) < u64::from(percent)
    }
}

fn start_of(pattern: &Pattern, extent: Extent) -> [u64; 3] {
    // A sequence that goes backwards starts at the end.
    if pattern.hole < 0 && !pattern.random { [extent.size; 3] } else { [0; 3] }
}

fn scatter(pattern: &Pattern, extent: Extent, seed: u64) -> Scatter {
    let used = used(pattern.mode);
    // With `bs_is_seq_rand` all random requests have the sizes of writes.
    let sizes: Vec<_> = match pattern.size_by_randomness {
        true => vec![&pattern.blocks[1]],
        false => used.iter().map(|direction| &pattern.blocks[*direction as usize]).collect(),
    };
    let min = sizes.iter().map(|sizes| sizes.min()).min().unwrap_or(1).max(1);
    let uniform = used.iter().all(|direction| pattern.distribution[*direction as usize] == Distribution::Uniform);
    let is_simple = sizes.iter().all(|sizes| sizes.min() == min && sizes.max() == min)
        && used.iter().all(|direction| {
            matches!(pattern.align[*direction as usize], 0) || pattern.align[*direction as usize] == min
        })
        && used.iter().all(|direction| pattern.random_percent[*direction as usize] == 100)
        && pattern.run_length <= 1;
    let is_coarse = used.iter().any(|of| pattern.align[*of as usize] > pattern.blocks[*of as usize].min());
    let blocks = extent.size / min;
    match (pattern.random, uniform, pattern.map && pattern.zone.is_none()) {
        (false, ..) => Scatter::Free,
        (true, false, _) => Scatter::Skewed(Box::new([0, 1, 2].map(|of| {
            let align = if pattern.align[of] == 0 { pattern.blocks[of].min().max(1) } else { pattern.align[of] };
            Sampler::new(&pattern.distribution[of], (extent.size / align).max(1), align, seed)
        }))),
        (true, true, true) if is_simple => {
            Scatter::Permuted { permutation: Permutation::new(blocks.max(1), seed), block: min, next: 0, passes: seed }
        }
        // A coarser alignment than blocks have leaves most of them out: there is no pass over all.
        (true, true, true) if is_coarse => Scatter::Free,
        (true, true, true) => Scatter::Mapped(BlockMap::new(extent.size, min)),
        (true, true, false) => Scatter::Free,
    }
}

impl File {
    fn rewind(&mut self, hole: i64) {
        if matches!(self.scatter, Scatter::Free) || self.last.iter().any(|last| *last >= self.extent.size) {
            self.last = if hole < 0 { [self.extent.size; 3] } else { [0; 3] };
        }
        (self.zone, self.zone_done) = (0, 0);
    }

    /// A random place for `len` bytes, and how many of them fit there.
    #[inline(always)]
    fn random(
        &mut self,
        of: usize,
        (len, align): (u32, u64),
        rng: &mut Rng,
        zone: Option<&Strided>,
    ) -> Option<(u64, u64)> {
        if let Some(zone) = zone {
            let start = self.enter_zone(zone, len)?;
            let places = (zone.range.0.min(self.extent.size - start) / align).max(1);
            return Some((start + rng.below(places) * align, u64::from(len)));
        }
        match &mut self.scatter {
            Scatter::Permuted { permutation, block, next, passes } => {
                let at = permutation.at(*next);
                *next += 1;
                if *next == permutation.len() {
                    *passes = passes.wrapping_add(0x9e37_79b9_7f4a_7c15);
                    (*permutation, *next) = (Permutation::new(permutation.len(), *passes), 0);
                }
                Some((at * *block, u64::from(len)))
            }
            Scatter::Mapped(map) => Some(map.take(rng, u64::from(len))),
            Scatter::Free => {
                let places = (self.extent.size.saturating_sub(u64::from(len)) / align) + 1;
                Some((rng.below(places) * align, u64::from(len)))
            }
            Scatter::Skewed(samplers) => {
                let at = samplers[of].next(rng) * align;
                Some((at.min(self.extent.size.saturating_sub(1) / align * align), u64::from(len)))
            }
        }
    }

    /// The place after the last one, around the end of the file.
    #[inline(always)]
    fn sequential(
        &mut self,
        of: usize,
        len: u32,
        (hole, sequencer, in_random): (i64, Sequencer, bool),
        zone: Option<&Strided>,
    ) -> Option<(u64, u64)> {
        let len = u64::from(len);
        if let Some(zone) = zone {
            let before = self.zone;
            let start = self.enter_zone(zone, len as u32)?;
            if start != before || self.last[of] < start {
                self.last[of] = start;
            }
        }
        if in_random && sequencer == Sequencer::Identical {
            let at = self.last[of].saturating_sub(len);
            return Some((at, len));
        }
        if hole < 0 {
            // fio's backwards sequence: each block ends where the one before began.
            let at = if self.last[of] < len { self.extent.size.saturating_sub(len) } else { self.last[of] - len };
            self.last[of] = at.saturating_sub((hole.unsigned_abs()).saturating_sub(len));
            return Some((at, len));
        }
        let at = if self.last[of] >= self.extent.size { 0 } else { self.last[of] };
        self.last[of] = at + len + hole as u64;
        if let Scatter::Mapped(map) = &mut self.scatter {
            map.mark(at, len);
        }
        Some((at, len))
    }

    /// Start of the zone that the next `len` bytes belong to.
    fn enter_zone(&mut self, zone: &Strided, len: u32) -> Option<u64> {
        if self.extent.size == 0 {
            return None;
        }
        if self.zone_done >= zone.size.0 {
            self.zone_done = 0;
            self.zone += zone.range.0 + zone.skip.0;
            if self.zone >= self.extent.size {
                self.zone = 0;
            }
        }
        self.zone_done += u64::from(len);
        Some(self.zone)
    }
}
