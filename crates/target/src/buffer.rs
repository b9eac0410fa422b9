//! Buffers that travel: given to a target with a request, and given back with its completion.

/// Owned bytes whose first byte is aligned for direct I/O.
///
/// A buffer moves into [`crate::Session::submit`] and comes back with the completion, so that targets may hold it as
/// long as the transfer lasts (io_uring, a part of an upload) without copying and without `unsafe`.
#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
    start: usize,
    len: usize,
    stamp: u64,
}

impl Buffer {
    /// Alignment of the first byte: enough for O_DIRECT on every device in use.
    pub const ALIGN: usize = 4096;

    /// A zeroed buffer of `len` bytes.
    #[must_use]
    pub fn new(len: usize) -> Self {
        let bytes = vec![0u8; if len == 0 { 0 } else { len + Self::ALIGN }];
        let start = if len == 0 { 0 } else { bytes.as_ptr().align_offset(Self::ALIGN).min(Self::ALIGN) };
        Self { bytes, start, len, stamp: 0 }
    }

    /// Bytes it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// What [`Buffer::set_stamp`] said, if the bytes cannot have changed since; else 0.
    #[must_use]
    pub fn stamp(&self) -> u64 {
        self.stamp
    }

    /// Remembers what the bytes are, in the caller's own code, until somebody gets to change them. Buffers come back
    /// from writes as they were: who wants to write the same again need not make it again.
    pub fn set_stamp(&mut self, stamp: u64) {
        self.stamp = stamp;
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes[self.start..self.start + self.len]
    }
}

impl AsMut<[u8]> for Buffer {
    fn as_mut(&mut self) -> &mut [u8] {
        self.stamp = 0;
        &mut self.bytes[self.start..self.start + self.len]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_lasts_until_the_bytes_may_change() {
        let mut buffer = Buffer::new(10);
        assert_eq!(buffer.stamp(), 0);
        buffer.set_stamp(7);
        assert_eq!((buffer.as_ref().len(), buffer.stamp()), (10, 7));
        buffer.as_mut()[0] = 1;
        assert_eq!(buffer.stamp(), 0);
    }

    #[test]
    fn buffers_are_aligned_and_whole() {
        for len in [0, 1, 4096, 1_000_000] {
            let mut buffer = Buffer::new(len);
            assert_eq!(buffer.len(), len);
            assert_eq!(buffer.as_mut().len(), len);
            assert!(len == 0 || (buffer.as_ref().as_ptr() as usize).is_multiple_of(Buffer::ALIGN));
        }
    }
}
