//! One transfer at a time, and the checks that every read goes through.

use super::Scene;
use crate::Generator;
use fsbench_target::{Buffer, Completion, Error, ErrorKind, FileId, Io, IoKind, Session};

/// A buffer on its way: submitted, completed, and back.
pub(super) struct Single {
    buffer: Option<Buffer>,
    len: usize,
    done: Vec<Completion>,
}

impl Single {
    pub(super) fn new(len: u64) -> Self {
        Self { buffer: None, len: usize::try_from(len).unwrap_or(usize::MAX), done: Vec::with_capacity(1) }
    }

    /// Length of the buffer.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The buffer, to fill or to look at.
    pub(super) fn bytes(&mut self) -> &mut [u8] {
        self.buffer().as_mut()
    }

    fn buffer(&mut self) -> &mut Buffer {
        let len = self.len;
        self.buffer.get_or_insert_with(|| Buffer::new(len))
    }

    /// Makes the first `len` bytes what the file holds at `offset`, unless they are that already.
    pub(super) fn make(&mut self, generator: &Generator, offset: u64, len: usize) {
        let stamp = generator.stamp(offset, len);
        let buffer = self.buffer();
        if stamp == 0 || buffer.stamp() != stamp {
            generator.fill(offset, &mut buffer.as_mut()[..len]);
            buffer.set_stamp(stamp);
        }
    }

    /// Between files: lets the session give a buffer that was written before for the one that it lent meanwhile.
    pub(super) fn swap(&mut self, session: &mut dyn Session) {
        self.buffer = self.buffer.take().map(|buffer| session.swap_buffer(buffer));
    }

    /// Transfers `len` bytes at `offset` and waits for the end.
    pub(super) fn run(
        &mut self,
        session: &mut dyn Session,
        (file, kind): (FileId, IoKind),
        offset: u64,
        len: usize,
    ) -> Result<usize, Error> {
        let buffer = self.buffer.take().unwrap_or_else(|| Buffer::new(self.len));
        session.submit(Io { tag: 0, file, kind, offset, len, buffer })?;
        self.done.clear();
        session.reap(1, &mut self.done)?;
        let completion = self.done.pop().expect("reap(1) returns the one request that is in flight");
        self.buffer = Some(completion.buffer);
        completion.result
    }
}

/// What a read must be: as long as the file says, and, where asked, the right bytes.
pub(super) struct Check<'a> {
    pub(super) target: &'static str,
    pub(super) path: &'a str,
    pub(super) verify: Option<&'a Generator>,
}

impl Check<'_> {
    /// Checks `bytes`, read at `offset` where `expected` bytes were due.
    pub(super) fn read(&self, scene: &Scene<'_>, offset: u64, bytes: &[u8], expected: usize) -> Result<(), Error> {
        if bytes.len() != expected {
            let detail = format!("{} of {expected} bytes came at offset {offset}", bytes.len());
            return Err(Error::new(ErrorKind::ShortRead, self.target, "read", self.path, detail));
        }
        let Some(generator) = self.verify else { return Ok(()) };
        scene.recorder.count("verified_bytes", bytes.len() as u64);
        generator.verify(offset, bytes).map_err(|at| {
            let detail = format!("the content differs from what create_write makes, first at offset {at}");
            Error::new(ErrorKind::Corrupt, self.target, "verify", self.path, detail)
                .with_hint("was it written with the same --content and --seed?")
        })
    }
}
