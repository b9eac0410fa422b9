//! The content of what a job writes: random, scrambled, zeros or a pattern, as compressible and as repetitive as asked.
//!
//! As in fio, a slot's buffer is primed once, and each write changes as little of it as its kind of content needs. What
//! makes a block verifiable is [`super::verify`]'s. Where a slot's buffer is read into as well, what was read is what
//! the next write of [`Fill::Once`], [`Fill::Zero`] or a plain pattern holds (fio does that, too): prime it again.

use super::random::{Rng, mix};
use fsbench_model::job::{Fill, PatternBytes, WriteData};

/// Smallest unit that a device or a deduplicating file system looks at.
const CHUNK: usize = 512;

/// Makes the content of one job's writes.
#[derive(Clone, Debug)]
pub(crate) struct Filler {
    fill: Fill,
    seed: u64,
    rng: Rng,
    blend: Option<Blend>,
}

/// Content that can be compressed or deduplicated by so much.
#[derive(Clone, Debug)]
struct Blend {
    /// Bytes of a chunk, and how many of them are random.
    chunk: usize,
    random: usize,
    dedupe_percent: u64,
    /// Blocks of the working set; 0 repeats the last new block.
    set: u64,
    /// Draws which writes repeat.
    choices: Rng,
    /// The seed of the last new block.
    last: u64,
    count: u64,
}

impl Filler {
    /// For a job whose smallest write is `block_min` bytes and whose files have `size` bytes in all.
    #[must_use]
    pub(crate) fn new(data: &WriteData, seed: u64, block_min: u32, size: u64) -> Self {
        let seed = mix(seed ^ 0x6669_6c6c);
        let mixed = data.compress_percent > 0 || data.dedupe_percent > 0;
        let blend = mixed.then(|| Blend::new(data, seed, block_min, size));
        Self { fill: data.fill.clone(), seed, rng: Rng::derived(seed, 1), blend }
    }

    /// The first content of a slot's buffer.
    pub(crate) fn prime(&mut self, buffer: &mut [u8]) {
        if let Some(blend) = &mut self.blend {
            blend.fill(buffer, &self.fill, self.seed, 0);
            return;
        }
        match &self.fill {
            Fill::Zero => buffer.fill(0),
            Fill::Pattern(pattern) => repeat_pattern(buffer, pattern, 0),
            Fill::Scrambled | Fill::Once | Fill::Refilled => random_bytes(&mut self.rng, buffer),
        }
    }

    /// The content of the `nth` write of the job, which goes to `offset`; the buffer was primed.
    #[inline]
    pub(crate) fn fill(&mut self, buffer: &mut [u8], offset: u64, nth: u64) {
        if let Some(blend) = &mut self.blend {
            blend.fill(buffer, &self.fill, self.seed, offset);
            return;
        }
        match &self.fill {
            Fill::Scrambled => scramble(buffer, offset, nth, self.seed),
            Fill::Refilled => random_bytes(&mut self.rng, buffer),
            Fill::Pattern(pattern) if !pattern.offsets.is_empty() => repeat_pattern(buffer, pattern, offset),
            Fill::Once | Fill::Zero | Fill::Pattern(_) => {}
        }
    }
}

impl Blend {
    fn new(data: &WriteData, seed: u64, block_min: u32, size: u64) -> Self {
        let block = block_min.max(1);
        let chunk = if data.compress_chunk == 0 { block } else { data.compress_chunk.min(block) };
        let percent = data.compress_percent.min(100) as usize;
        let set = data.dedupe_set_percent.map_or(0, |percent| {
            let bytes = u128::from(size) * u128::from(percent) / 100;
            ((bytes / u128::from(block)) as u64).max(1)
        });
        Self {
            chunk: chunk as usize,
            random: chunk as usize * (100 - percent) / 100,
            dedupe_percent: u64::from(data.dedupe_percent),
            set,
            choices: Rng::derived(seed, 2),
            last: mix(seed ^ 1),
            count: 1,
        }
    }

    /// The seed of the next block's content: a new one, or one that was used before.
    #[inline]
    fn seed(&mut self, seed: u64) -> u64 {
        if self.dedupe_percent > 0 && self.choices.below(100) < self.dedupe_percent {
            return match self.set {
                0 => self.last,
                blocks => mix(!seed ^ self.choices.below(blocks)),
            };
        }
        self.count += 1;
        self.last = mix(seed ^ self.count);
        self.last
    }

    fn fill(&mut self, buffer: &mut [u8], fill: &Fill, seed: u64, offset: u64) {
        let mut rng = Rng::new(self.seed(seed));
        for chunk in buffer.chunks_mut(self.chunk) {
            let (random, rest) = chunk.split_at_mut(self.random.min(chunk.len()));
            random_bytes(&mut rng, random);
            match fill {
                Fill::Pattern(pattern) => repeat_pattern(rest, pattern, offset),
                _ => rest.fill(0),
            }
        }
    }
}

/// Fills with random bytes; the same generator makes the same bytes whatever the length.
#[inline]
pub(crate) fn random_bytes(rng: &mut Rng, buffer: &mut [u8]) {
    let mut words = buffer.chunks_exact_mut(8);
    words.by_ref().for_each(|word| word.copy_from_slice(&rng.next_u64().to_le_bytes()));
    let rest = words.into_remainder();
    if !rest.is_empty() {
        let len = rest.len();
        rest.copy_from_slice(&rng.next_u64().to_le_bytes()[..len]);
    }
}

/// Makes each 512 bytes differ from those of any other write: the chunk's offset at the start of one of its cache lines,
/// the write's number at the end of the first. fio puts the time there.
#[inline]
fn scramble(buffer: &mut [u8], offset: u64, nth: u64, seed: u64) {
    let line = (mix(nth ^ offset) & 7) as usize * 64;
    let (number, key) = (nth.to_le_bytes(), (seed ^ nth).to_le_bytes());
    let mut at = offset;
    for chunk in buffer.chunks_exact_mut(CHUNK) {
        chunk[line..line + 8].copy_from_slice(&at.to_le_bytes());
        chunk[48..56].copy_from_slice(&number);
        chunk[56..64].copy_from_slice(&key);
        at = at.wrapping_add(CHUNK as u64);
    }
}

/// Repeats `pattern` over `buffer` from its beginning, each time with the `block`'s offset where `%o` was; an empty
/// pattern is zeros.
pub(crate) fn repeat_pattern(buffer: &mut [u8], pattern: &PatternBytes, block: u64) {
    let take = pattern.bytes.len().min(buffer.len());
    if take == 0 {
        buffer.fill(0);
        return;
    }
    buffer[..take].copy_from_slice(&pattern.bytes[..take]);
    for at in &pattern.offsets {
        let at = (*at as usize).min(take);
        let len = (take - at).min(8);
        buffer[at..at + len].copy_from_slice(&block.to_le_bytes()[..len]);
    }
    let mut done = take;
    while done < buffer.len() {
        let len = done.min(buffer.len() - done);
        buffer.copy_within(..len, done);
        done += len;
    }
}

#[cfg(test)]
#[path = "fill_tests.rs"]
mod tests;
