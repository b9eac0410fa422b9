//! Cuts a stream of buffers into parts of an exact size, without copying a byte.

use bytes::Bytes;

/// Collects what was written, and gives it out in parts.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    chunks: Vec<Bytes>,
    bytes: u64,
}

impl Splitter {
    pub(crate) fn push(&mut self, chunk: Bytes) {
        self.bytes += chunk.len() as u64;
        self.chunks.push(chunk);
    }

    /// Bytes collected and not yet given out.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The first `size` bytes; they must be there.
    pub(crate) fn part(&mut self, size: u64) -> Vec<Bytes> {
        assert!(size <= self.bytes, "a part of {size} bytes is cut from {}", self.bytes);
        let mut left = size;
        let mut whole = 0;
        while whole < self.chunks.len() && self.chunks[whole].len() as u64 <= left {
            left -= self.chunks[whole].len() as u64;
            whole += 1;
        }
        let mut part: Vec<Bytes> = self.chunks.drain(..whole).collect();
        if left > 0 {
            let piece = usize::try_from(left).expect("less than the chunk that it is part of");
            part.push(self.chunks[0].split_to(piece));
        }
        self.bytes -= size;
        part
    }

    /// All that is left.
    pub(crate) fn rest(&mut self) -> Vec<Bytes> {
        self.bytes = 0;
        std::mem::take(&mut self.chunks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn joined(part: &[Bytes]) -> Vec<u8> {
        part.concat()
    }

    proptest! {
        #[test]
        fn parts_are_exact_and_lose_nothing(
            writes in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..50), 0..40),
            size in 1u64..120,
        ) {
            let mut splitter = Splitter::default();
            let mut out = Vec::new();
            for write in &writes {
                splitter.push(Bytes::copy_from_slice(write));
                while splitter.bytes() >= size {
                    let part = joined(&splitter.part(size));
                    prop_assert_eq!(part.len() as u64, size);
                    out.extend(part);
                }
            }
            out.extend(joined(&splitter.rest()));
            prop_assert_eq!(splitter.bytes(), 0);
            prop_assert_eq!(out, writes.concat());
        }
    }

    #[test]
    fn a_split_shares_the_bytes() {
        let mut splitter = Splitter::default();
        let chunk = Bytes::from_static(b"abcdef");
        let place = chunk.as_ptr();
        splitter.push(chunk);
        let first = splitter.part(4);
        assert_eq!((first[0].as_ptr(), joined(&first)), (place, b"abcd".to_vec()));
        assert_eq!(splitter.rest()[0].as_ptr(), place.wrapping_add(4));
    }
}
