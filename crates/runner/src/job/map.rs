//! Which blocks of a file were touched in this pass: a bitmap with one level of summary.

use super::random::Rng;

/// A bit for each smallest block; full words are skipped 64 at a time.
pub(crate) struct BlockMap {
    size: u64,
    block: u64,
    blocks: u64,
    words: Vec<u64>,
    full: Vec<u64>,
    taken: u64,
}

impl BlockMap {
    /// A map of `size` bytes in blocks of `block`.
    pub(crate) fn new(size: u64, block: u64) -> Self {
        let blocks = size.div_ceil(block).max(1);
        let words = blocks.div_ceil(64) as usize;
        let mut map = Self { size, block, blocks, words: vec![0; words], full: vec![0; words.div_ceil(64)], taken: 0 };
        map.clear();
        map
    }

    /// Forgets all.
    fn clear(&mut self) {
        self.words.fill(0);
        self.full.fill(0);
        self.taken = 0;
        // What lies behind the end is taken for good.
        for block in self.blocks..self.words.len() as u64 * 64 {
            self.words[(block / 64) as usize] |= 1 << (block % 64);
        }
        for word in self.words.len()..self.full.len() * 64 {
            self.full[word / 64] |= 1 << (word % 64);
        }
    }

    fn is_taken(&self, block: u64) -> bool {
        self.words[(block / 64) as usize] & (1 << (block % 64)) != 0
    }

    fn set(&mut self, block: u64) {
        let word = (block / 64) as usize;
        if self.words[word] & (1 << (block % 64)) == 0 {
            self.words[word] |= 1 << (block % 64);
            self.taken += 1;
            if self.words[word] == u64::MAX {
                self.full[word / 64] |= 1 << (word % 64);
            }
        }
    }

    /// The first free block at or behind `from`, around the end. There is one.
    fn free_from(&self, from: u64) -> u64 {
        let word = (from / 64) as usize;
        let rest = !self.words[word] & (u64::MAX << (from % 64));
        if rest != 0 {
            return word as u64 * 64 + u64::from(rest.trailing_zeros());
        }
        let word = self.word_from(word + 1).or_else(|| self.word_from(0)).expect("the map is not full");
        word as u64 * 64 + u64::from((!self.words[word]).trailing_zeros())
    }

    /// The first word that is not full, at or behind `from`.
    fn word_from(&self, from: usize) -> Option<usize> {
        let mut at = from / 64;
        let mut mask = u64::MAX << (from % 64);
        while at < self.full.len() {
            let open = !self.full[at] & mask;
            if open != 0 {
                return Some(at * 64 + open.trailing_zeros() as usize);
            }
            (at, mask) = (at + 1, u64::MAX);
        }
        None
    }

    /// Takes up to `len` bytes somewhere: where, and how many bytes were free there. A full map begins anew.
    pub(crate) fn take(&mut self, rng: &mut Rng, len: u64) -> (u64, u64) {
        if self.taken >= self.blocks {
            self.clear();
        }
        let start = self.free_from(rng.below(self.blocks));
        let wanted = len.div_ceil(self.block).max(1);
        let mut end = start;
        while end < self.blocks && end - start < wanted && !self.is_taken(end) {
            self.set(end);
            end += 1;
        }
        let at = start * self.block;
        (at, ((end - start) * self.block).min(len).min(self.size - at))
    }

    /// Marks bytes that were touched by a sequential request.
    pub(crate) fn mark(&mut self, at: u64, len: u64) {
        let end = (at + len).div_ceil(self.block).min(self.blocks);
        (at / self.block..end).for_each(|block| self.set(block));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_taken_once_before_any_is_taken_again() {
        for (size, block) in [(1 << 20, 4096), (100_000, 512), (513, 512), (64 * 64 * 4096, 4096)] {
            let mut map = BlockMap::new(size, block);
            let mut rng = Rng::derived(7, 1);
            for _pass in 0..2 {
                let (mut bytes, mut seen) = (0, vec![false; size.div_ceil(block) as usize]);
                while bytes < size {
                    let (at, len) = map.take(&mut rng, block);
                    assert!(at.is_multiple_of(block) && len > 0 && at + len <= size);
                    assert!(!std::mem::replace(&mut seen[(at / block) as usize], true));
                    bytes += len;
                }
                assert!(seen.iter().all(|seen| *seen) && bytes == size);
            }
        }
    }

    #[test]
    fn larger_requests_are_cut_where_others_were() {
        let mut map = BlockMap::new(16 * 4096, 4096);
        map.mark(4 * 4096, 4096);
        let mut rng = Rng::derived(1, 1);
        let mut covered = 1;
        while covered < 16 {
            let (at, len) = map.take(&mut rng, 4 * 4096);
            assert!(len.is_multiple_of(4096) && len > 0 && !(at..at + len).contains(&(4 * 4096)));
            covered += len / 4096;
        }
        assert_eq!(covered, 16);
    }
}
