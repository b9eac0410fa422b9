//! Buffers of writes: lent to requests as they are, and used again when the last request let go of them.

use bytes::Bytes;
use fsbench_target::Buffer;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A session's spare buffers, all of one length.
#[derive(Clone, Debug)]
pub(crate) struct Spares {
    kept: Arc<Mutex<Vec<Buffer>>>,
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

    fn kept(&self) -> MutexGuard<'_, Vec<Buffer>> {
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
        if kept.last().is_some_and(|buffer| buffer.len() != len) {
            kept.clear();
        }
        kept.pop().unwrap_or_else(|| Buffer::new(len))
    }

    fn keep(&self, buffer: Buffer) {
        let mut kept = self.kept();
        let fits = kept.last().is_none_or(|other| other.len() == buffer.len());
        if fits && (kept.len() + 1) * buffer.len() <= self.bytes_max {
            kept.push(buffer);
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
