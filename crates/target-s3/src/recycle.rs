//! Buffers of writes: lent to requests as they are, and used again when the last request let go of them.

use bytes::Bytes;
use fsbench_target::Buffer;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A session's spare buffers, all of one length.
#[derive(Clone, Debug)]
pub(crate) struct Spares {
    /// The one that was used last is at the back.
    kept: Arc<Mutex<VecDeque<Buffer>>>,
    bytes_max: usize,
}

/// A buffer on its way through a request.
struct Lent {
    buffer: Buffer,
    home: Spares,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        self.buffer.as_ref()
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.home.keep(std::mem::replace(&mut self.buffer, Buffer::new(0)));
    }
}

impl Spares {
    pub(crate) fn new(bytes_max: u64) -> Self {
        Self { kept: Arc::default(), bytes_max: usize::try_from(bytes_max).unwrap_or(usize::MAX) }
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Buffer>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The first `len` bytes of a buffer, as the body of a request. Nothing is copied.
    pub(crate) fn lend(&self, buffer: Buffer, len: usize) -> Bytes {
        let whole = buffer.len();
        let mut bytes = Bytes::from_owner(Lent { buffer, home: self.clone() });
        if len < whole {
            bytes.truncate(len);
        }
        bytes
    }

    /// A buffer of this length, with any content.
    pub(crate) fn take(&self, len: usize) -> Buffer {
        let mut kept = self.kept();
        if kept.back().is_some_and(|buffer| buffer.len() != len) {
            kept.clear();
        }
        kept.pop_back().unwrap_or_else(|| Buffer::new(len))
    }

    /// The spare buffer that was used last, for one of the same length that is used no more, and the latter is then the
    /// last to be used again. A caller that always does this between files fills one buffer and never touches the other.
    pub(crate) fn swap(&self, buffer: Buffer) -> Buffer {
        let mut kept = self.kept();
        match kept.pop_back_if(|spare| spare.len() == buffer.len()) {
            Some(spare) => {
                kept.push_front(buffer);
                spare
            }
            None => buffer,
        }
    }

    fn keep(&self, buffer: Buffer) {
        let mut kept = self.kept();
        let fits = kept.back().is_none_or(|other| other.len() == buffer.len());
        if fits && (kept.len() + 1) * buffer.len() <= self.bytes_max {
            kept.push_back(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_comes_home_when_all_slices_are_gone() {
        let spares = Spares::new(100);
        let buffer = Buffer::new(50);
        let place = buffer.as_ref().as_ptr();
        let bytes = spares.lend(buffer, 40);
        let slice = bytes.slice(10..20);
        assert_eq!((bytes.len(), bytes.as_ptr()), (40, place));
        drop(bytes);
        assert_ne!(spares.take(50).as_ref().as_ptr(), place);
        drop(slice);
        assert_eq!(spares.take(50).as_ref().as_ptr(), place);
    }

    #[test]
    fn who_swaps_after_every_write_uses_one_buffer() {
        let spares = Spares::new(100);
        let mut buffer = Buffer::new(50);
        let place = buffer.as_ref().as_ptr();
        for _ in 0..3 {
            buffer.set_stamp(7);
            let sent = spares.lend(buffer, 50);
            let second = spares.take(50);
            drop(sent);
            buffer = spares.swap(second);
            assert_eq!((buffer.as_ref().as_ptr(), buffer.stamp()), (place, 7));
        }
        assert_eq!(spares.swap(Buffer::new(7)).len(), 7);
    }

    #[test]
    fn only_so_much_is_kept() {
        let spares = Spares::new(100);
        for _ in 0..3 {
            spares.keep(Buffer::new(50));
        }
        assert_eq!(spares.kept().len(), 2);
        assert_eq!(spares.take(7).len(), 7);
        assert!(spares.kept().is_empty(), "buffers of another length are let go");
    }
}
