//! Open files, and what happens to one request on them.
//!
//! A request becomes a [`Job`], which owns everything that it needs (so that many can be in flight) and gives it back
//! when it has [`Landed`]. A reader's bytes always come from a stream of a range: for a read somewhere it is just that
//! range; when a read begins where the last one ended, the stream goes on to the end of the file (or of what the
//! caller announced) and is kept, so that the DataNode sends ahead, as Hadoop's own client lets it.

use crate::call::Calls;
use crate::client::{Client, Fault, Outcome, ReadStream, Reader, Writer};
use bytes::{Buf, Bytes};
use fsbench_target::{Buffer, Completion, Error, ErrorKind, FileId, Io, IoKind, Probe, Stage};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes from this size on are handed to the client as they are; smaller ones are copied, which costs less than lending.
const LEND_FROM: usize = 64 * 1024;
/// Buffers kept for writes to come: what a client's queue may hold of 1 MiB ones.
const SPARE_MAX: usize = 32;

/// A file of a session.
pub(crate) struct OpenFile<C: Client> {
    /// For errors.
    pub(crate) uri: Rc<str>,
    pub(crate) path: String,
    pub(crate) role: Role<C>,
}

pub(crate) enum Role<C: Client> {
    Read(Reading<C::Reader>),
    Write(Writing<C::Writer>),
}

pub(crate) struct Reading<R: Reader> {
    reader: R,
    pub(crate) size: u64,
    hint: Option<u64>,
    last_end: Option<u64>,
    ahead: Option<Ahead<R::Stream>>,
}

pub(crate) struct Writing<W> {
    /// Away while a request is in flight.
    pub(crate) writer: Option<W>,
    /// Where the next write must begin.
    pub(crate) next_offset: u64,
    /// Whether this session made the file.
    pub(crate) created: bool,
    /// Whether a request failed: the file's content is then unknown.
    pub(crate) failed: bool,
}

/// A stream with its place in the file.
pub(crate) struct Ahead<S> {
    stream: S,
    at: u64,
    end: u64,
    left: Bytes,
    fresh: bool,
}

impl<S: ReadStream> Ahead<S> {
    fn new(stream: S, at: u64, end: u64) -> Self {
        Self { stream, at, end, left: Bytes::new(), fresh: true }
    }

    /// Fills `into`, which must not reach beyond the end. `first` is called when the first bytes of the stream are here.
    async fn fill(&mut self, into: &mut [u8], first: impl FnOnce()) -> Outcome<usize> {
        let mut first = self.fresh.then_some(first);
        let mut filled = 0;
        while filled < into.len() {
            if self.left.is_empty() {
                let piece = self.stream.next().await?;
                let wanted = into.len();
                self.left = piece.ok_or_else(|| {
                    Fault::new(
                        ErrorKind::ShortRead,
                        format!("{filled} bytes came at offset {}, of {wanted} asked for", self.at),
                    )
                })?;
                self.fresh = false;
                if let Some(first) = first.take() {
                    first();
                }
            }
            let count = self.left.len().min(into.len() - filled);
            self.left.copy_to_slice(&mut into[filled..filled + count]);
            filled += count;
        }
        self.at += filled as u64;
        Ok(filled)
    }
}

impl<R: Reader> Reading<R> {
    pub(crate) fn new(reader: R, hint: Option<u64>) -> Self {
        Self { size: reader.size(), reader, hint, last_end: None, ahead: None }
    }

    /// The stream that serves a read of `len` bytes at `offset`, and whether it is to be kept. `alone`: nothing else of
    /// this session is in flight.
    fn stream_for(&mut self, offset: u64, len: u64, alone: bool) -> (Ahead<R::Stream>, bool) {
        let end = offset + len;
        let follows = self.last_end.replace(end) == Some(offset);
        let kept = self.ahead.take();
        if !(alone && follows) {
            return (Ahead::new(self.reader.stream(offset, len), offset, end), false);
        }
        match kept {
            Some(ahead) if ahead.at == offset && ahead.end >= end => (ahead, true),
            _ => {
                let announced = self.hint.filter(|hint| *hint >= end).unwrap_or(self.size).min(self.size);
                (Ahead::new(self.reader.stream(offset, announced - offset), offset, announced), true)
            }
        }
    }
}

/// One request with all that it needs.
pub(crate) struct Job<C: Client> {
    io: Io,
    uri: Rc<str>,
    work: Work<C>,
}

enum Work<C: Client> {
    Read {
        ahead: Ahead<<C::Reader as Reader>::Stream>,
        keep: bool,
    },
    Write {
        writer: C::Writer,
    },
    /// Nothing to do: the end of the file, or a file that has failed.
    Known(Outcome<usize>),
}

/// A finished request, with what goes back to its file.
pub(crate) struct Landed<C: Client> {
    pub(crate) completion: Completion,
    file: FileId,
    back: Back<C>,
}

enum Back<C: Client> {
    Nothing,
    Ahead(Ahead<<C::Reader as Reader>::Stream>),
    Writer { writer: C::Writer, failed: bool },
}

impl<C: Client> OpenFile<C> {
    /// The job for `io`; gives `io` back when the file's writer is away.
    pub(crate) fn job(&mut self, mut io: Io, alone: bool) -> Result<Job<C>, Io> {
        let uri = self.uri.clone();
        let work = match &mut self.role {
            Role::Read(reading) => {
                io.len = usize::try_from(reading.size.saturating_sub(io.offset)).unwrap_or(usize::MAX).min(io.len);
                match io.len {
                    0 => Work::Known(Ok(0)),
                    len => {
                        let (ahead, keep) = reading.stream_for(io.offset, len as u64, alone);
                        Work::Read { ahead, keep }
                    }
                }
            }
            Role::Write(writing) if writing.failed => {
                Work::Known(Err(Fault::new(ErrorKind::Invalid, "an earlier request on this file failed")))
            }
            Role::Write(writing) => match writing.writer.take() {
                Some(writer) => Work::Write { writer },
                None => return Err(io),
            },
        };
        Ok(Job { io, uri, work })
    }

    /// Takes back what `landed` brought.
    pub(crate) fn take_back(&mut self, landed: Landed<C>) -> Completion {
        match (landed.back, &mut self.role) {
            (Back::Ahead(ahead), Role::Read(reading)) => reading.ahead = Some(ahead),
            (Back::Writer { writer, failed }, Role::Write(writing)) => {
                writing.writer = Some(writer);
                writing.failed |= failed;
            }
            _ => {}
        }
        landed.completion
    }
}

impl<C: Client> Landed<C> {
    pub(crate) fn file(&self) -> FileId {
        self.file
    }
}

impl<C: Client> Job<C> {
    /// Does the request.
    pub(crate) async fn run(self, calls: Calls, probe: Rc<dyn Probe>, spare: Spare) -> Landed<C> {
        let Job { mut io, uri, work } = self;
        let verb = match io.kind {
            IoKind::Read => "read",
            IoKind::Write => "write",
            IoKind::Sync => "sync",
        };
        let (outcome, back) = match work {
            Work::Known(outcome) => (outcome, Back::Nothing),
            Work::Read { ahead, keep } => read(&mut io, ahead, keep, &calls, &*probe).await,
            Work::Write { writer } => write(&mut io, writer, &calls, &spare).await,
        };
        let result = outcome.map_err(|fault| error(verb, &uri, fault));
        Landed { completion: Completion { tag: io.tag, result, buffer: io.buffer }, file: io.file, back }
    }
}

async fn read<C: Client>(
    io: &mut Io,
    mut ahead: Ahead<<C::Reader as Reader>::Stream>,
    keep: bool,
    calls: &Calls,
    probe: &dyn Probe,
) -> (Outcome<usize>, Back<C>) {
    let start = probe.now();
    let into = &mut io.buffer.as_mut()[..io.len];
    let outcome = calls.limited(ahead.fill(into, || probe.stage(Stage::FirstByte, start, 0))).await;
    if let (Ok(count), false) = (&outcome, keep) {
        probe.stage(Stage::Request, start, *count as u64);
    }
    match outcome.is_ok() && keep && ahead.at < ahead.end {
        true => (outcome, Back::Ahead(ahead)),
        false => (outcome, Back::Nothing),
    }
}

async fn write<C: Client>(
    io: &mut Io,
    mut writer: C::Writer,
    calls: &Calls,
    spare: &Spare,
) -> (Outcome<usize>, Back<C>) {
    let outcome = match io.kind {
        IoKind::Sync => calls.limited(writer.sync()).await.map(|()| 0),
        _ => {
            let buffer_len = io.buffer.len();
            let data = spare.bytes(&mut io.buffer, io.len);
            let written = calls.limited(writer.write(data)).await.map(|()| io.len);
            // Not before: a client whose queue is full has given another one back meanwhile.
            if io.buffer.len() != buffer_len {
                io.buffer = spare.take(buffer_len);
            }
            written
        }
    };
    let failed = outcome.is_err();
    (outcome, Back::Writer { writer, failed })
}

/// The error of a failed call on `uri`.
pub(crate) fn error(operation: &'static str, uri: &str, fault: Fault) -> Error {
    if fault.kind == ErrorKind::Interrupted {
        return Error::interrupted("hdfs", operation, uri);
    }
    Error { hint: fault.hint, ..Error::new(fault.kind, "hdfs", operation, uri, fault.detail) }
}

/// Buffers that a client has finished with. The library keeps what is written until the DataNode has acknowledged it;
/// lending it the caller's buffer saves copying every byte.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spare(Arc<Mutex<Vec<Buffer>>>);

struct Lent {
    buffer: Buffer,
    len: usize,
    home: Spare,
}

impl AsRef<[u8]> for Lent {
    fn as_ref(&self) -> &[u8] {
        &self.buffer.as_ref()[..self.len]
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut spare = self.home.0.lock().unwrap_or_else(PoisonError::into_inner);
        if spare.len() < SPARE_MAX {
            spare.push(std::mem::replace(&mut self.buffer, Buffer::new(0)));
        }
    }
}

impl Spare {
    /// The first `len` bytes of `buffer` for a client. Leaves `buffer` as it was, or lends it and leaves an empty one.
    fn bytes(&self, buffer: &mut Buffer, len: usize) -> Bytes {
        if len < LEND_FROM {
            return Bytes::copy_from_slice(&buffer.as_ref()[..len]);
        }
        let lent = std::mem::replace(buffer, Buffer::new(0));
        Bytes::from_owner(Lent { buffer: lent, len, home: self.clone() })
    }

    fn take(&self, len: usize) -> Buffer {
        let mut spare = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match spare.iter().rposition(|buffer| buffer.len() == len) {
            Some(index) => spare.swap_remove(index),
            None => {
                spare.clear();
                drop(spare);
                Buffer::new(len)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lent_buffers_come_home() {
        let spare = Spare::default();
        let mut buffer = Buffer::new(LEND_FROM);
        buffer.as_mut()[0] = 7;
        let data = spare.bytes(&mut buffer, LEND_FROM);
        assert_eq!((data[0], data.len(), buffer.len()), (7, LEND_FROM, 0), "it is lent, not copied");
        assert!(spare.0.lock().expect("no panic").is_empty());
        drop(data);
        assert_eq!(spare.0.lock().expect("no panic").len(), 1);
        assert_eq!(spare.take(LEND_FROM).as_ref()[0], 7, "the buffer that came home is used again");
        let mut small = Buffer::new(10);
        assert_eq!((spare.bytes(&mut small, 10).len(), small.len()), (10, 10));
    }
}
