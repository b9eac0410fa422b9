//! Content that is a function of seed, file and offset: made at memory speed, verified without the original.
//!
//! Random content is a 64 KiB table of xoshiro-like noise, seeded, whose 4 KiB blocks are XORed with a key of (seed,
//! file, block number). No two blocks are equal, so nothing can be deduplicated, and no block repeats within the window
//! of a compressor.

use fsbench_model::{Content, ContentKind};

const BLOCK: usize = 4096;
const WORDS: usize = BLOCK / 8;
const TABLE_BLOCKS: usize = 16;

/// SplitMix64 (Steele, Lea, Flood 2014): one step, as a hash.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// Makes and verifies the content of one file.
#[derive(Clone)]
pub struct Generator {
    content: Content,
    file_key: u64,
    table: Box<[u64]>,
}

impl Generator {
    /// The content of the file called `name`, where only the last part of the path counts, and a `_new` that the
    /// rename program added does not.
    #[must_use]
    pub fn new(content: Content, name: &str) -> Self {
        let last = name.rsplit('/').next().unwrap_or(name);
        let stem = last.strip_suffix("_new").unwrap_or(last);
        let file_key = stem.bytes().fold(mix(content.seed), |key, byte| mix(key ^ u64::from(byte)));
        let words = if content.kind == ContentKind::Random { TABLE_BLOCKS * WORDS } else { 0 };
        let table = (0..words as u64).map(|i| mix(mix(content.seed) ^ i)).collect();
        Self { content, file_key, table }
    }

    /// Fills `bytes` with what the file holds from `offset` on.
    pub fn fill(&self, offset: u64, bytes: &mut [u8]) {
        match self.content.kind {
            ContentKind::Zero => bytes.fill(0),
            ContentKind::Pattern => self.fill_pattern(offset, bytes),
            ContentKind::Random => self.fill_random(offset, bytes),
        }
    }

    /// Equal for two places of which `fill` makes the same `len` bytes; 0 when it never does. A buffer that holds them
    /// already need not be filled again: filling memory costs more than all of an S3 client that sends it.
    pub(crate) fn stamp(&self, offset: u64, len: usize) -> u64 {
        let phase = match self.content.kind {
            ContentKind::Random => return 0,
            ContentKind::Zero => 8,
            ContentKind::Pattern => mix(self.content.seed) ^ (offset % 8),
        };
        mix(phase ^ mix(len as u64)).max(1)
    }

    fn fill_pattern(&self, offset: u64, bytes: &mut [u8]) {
        let mut pattern = self.content.seed.to_le_bytes();
        pattern.rotate_left((offset % 8) as usize);
        let mut words = bytes.chunks_exact_mut(8);
        words.by_ref().for_each(|word| word.copy_from_slice(&pattern));
        let rest = words.into_remainder();
        let len = rest.len();
        rest.copy_from_slice(&pattern[..len]);
    }

    fn fill_random(&self, mut offset: u64, mut bytes: &mut [u8]) {
        while !bytes.is_empty() {
            let within = (offset % BLOCK as u64) as usize;
            let take = bytes.len().min(BLOCK - within);
            let (part, rest) = bytes.split_at_mut(take);
            self.fill_in_block(offset / BLOCK as u64, within, part);
            offset += take as u64;
            bytes = rest;
        }
    }

    /// Fills part of one block, beginning `within` it.
    fn fill_in_block(&self, block: u64, within: usize, part: &mut [u8]) {
        if within.is_multiple_of(8) && part.len().is_multiple_of(8) {
            let key = self.block_key(block);
            let noise = &self.noise(block)[within / 8..];
            for (out, word) in part.chunks_exact_mut(8).zip(noise) {
                out.copy_from_slice(&(word ^ key).to_le_bytes());
            }
        } else {
            let mut whole = [0; BLOCK];
            self.fill_in_block(block, 0, &mut whole);
            part.copy_from_slice(&whole[within..within + part.len()]);
        }
    }

    fn block_key(&self, block: u64) -> u64 {
        mix(self.file_key ^ mix(block))
    }

    fn noise(&self, block: u64) -> &[u64] {
        let first = (block % TABLE_BLOCKS as u64) as usize * WORDS;
        &self.table[first..first + WORDS]
    }

    /// Compares `bytes` with what the file must hold from `offset` on.
    ///
    /// # Errors
    /// The offset of the first byte that differs.
    pub fn verify(&self, offset: u64, bytes: &[u8]) -> Result<(), u64> {
        let mut expected = [0u8; BLOCK];
        let mut at = offset;
        for part in bytes.chunks(BLOCK) {
            let expected = &mut expected[..part.len()];
            self.fill(at, expected);
            if let Some(differs) =
                part.iter().zip(expected.iter()).position(|(a, b)| a != b).filter(|_| part != expected)
            {
                return Err(at + differs as u64);
            }
            at += part.len() as u64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn generator(kind: ContentKind, name: &str) -> Generator {
        Generator::new(Content { kind, seed: 42 }, name)
    }

    fn bytes(generator: &Generator, offset: u64, len: usize) -> Vec<u8> {
        let mut bytes = vec![1; len];
        generator.fill(offset, &mut bytes);
        bytes
    }

    proptest! {
        #[test]
        fn any_cut_of_a_file_is_the_same_bytes(kind in 0..3, offset in 0u64..20_000, len in 0usize..20_000, cut in 0usize..20_000) {
            let kind = [ContentKind::Random, ContentKind::Zero, ContentKind::Pattern][kind as usize];
            let generator = generator(kind, "test_0");
            let whole = bytes(&generator, offset, len);
            let cut = cut.min(len);
            let mut parts = bytes(&generator, offset, cut);
            parts.extend(bytes(&generator, offset + cut as u64, len - cut));
            prop_assert_eq!(&whole, &parts);
            prop_assert_eq!(generator.verify(offset, &whole), Ok(()));
        }

        #[test]
        fn one_wrong_byte_is_found_where_it_is(offset in 0u64..10_000, len in 1usize..20_000, at in 0usize..20_000) {
            let generator = generator(ContentKind::Random, "test_0");
            let mut data = bytes(&generator, offset, len);
            let at = at % len;
            data[at] ^= 0x10;
            prop_assert_eq!(generator.verify(offset, &data), Err(offset + at as u64));
        }
    }

    #[test]
    fn equal_stamps_mean_equal_bytes() {
        for kind in [ContentKind::Random, ContentKind::Zero, ContentKind::Pattern] {
            let generator = generator(kind, "test_0");
            let places: Vec<(u64, usize)> = (0..20).flat_map(|offset| [(offset, 16), (offset, 24)]).collect();
            for (at, len) in &places {
                let stamp = generator.stamp(*at, *len);
                assert_eq!(stamp == 0, kind == ContentKind::Random);
                let same = places.iter().filter(|(other, len)| stamp != 0 && generator.stamp(*other, *len) == stamp);
                same.for_each(|(other, other_len)| {
                    assert_eq!(bytes(&generator, *other, *other_len), bytes(&generator, *at, *len));
                });
            }
            assert_eq!(generator.stamp(8, 16), generator.stamp(16, 16));
        }
    }

    #[test]
    fn files_and_seeds_differ_and_renamed_files_do_not() {
        let zero = bytes(&generator(ContentKind::Random, "test_0"), 0, 64);
        assert_ne!(zero, bytes(&generator(ContentKind::Random, "test_1"), 0, 64));
        assert_ne!(zero, bytes(&Generator::new(Content { kind: ContentKind::Random, seed: 43 }, "test_0"), 0, 64));
        assert_eq!(zero, bytes(&generator(ContentKind::Random, "dir/test_0_new"), 0, 64));
    }

    #[test]
    fn no_two_blocks_are_equal_and_bytes_are_even() {
        let data = bytes(&generator(ContentKind::Random, "test_0"), 0, 256 * BLOCK);
        let blocks: std::collections::HashSet<&[u8]> = data.chunks(512).collect();
        assert_eq!(blocks.len(), data.len() / 512);
        let mut counts = [0u32; 256];
        data.iter().for_each(|b| counts[*b as usize] += 1);
        let expected = data.len() as f64 / 256.0;
        let chi: f64 = counts.iter().map(|c| (f64::from(*c) - expected).powi(2) / expected).sum();
        assert!(chi < 400.0, "chi-square of 255 degrees of freedom: {chi}");
    }
}
