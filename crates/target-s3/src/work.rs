//! The requests of a session that are under way: reads that wait or are in flight, and writes that wait for room.

use crate::client::Client;
use crate::failure::Failure;
use crate::object::Object;
use crate::ops::Head;
use crate::recycle::Spares;
use crate::upload::Upload;
use fsbench_target::{Buffer, Completion, Error, FileId, Io, Result};
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use std::collections::{HashMap, VecDeque};
use std::fmt::Display;
use std::rc::Rc;
use std::task::{Context, Poll};

/// Uploads get a turn after so many bytes of accepted writes, at the latest.
const TURN_BYTES: u64 = 256 << 10;

/// A file open for reading.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) object: Object,
    pub(crate) head: Head,
}

/// A file open for writing.
pub(crate) struct Writing {
    pub(crate) upload: Upload,
    pub(crate) object: Rc<Object>,
    /// Where the next write must begin, those that still wait included.
    pub(crate) end: u64,
}

/// An open file.
pub(crate) enum OpenFile {
    Reading(Rc<Reading>),
    Writing(Box<Writing>),
}

/// A read in flight, to be answered for even if its future is dropped.
#[derive(Debug)]
struct Started {
    tag: u64,
    len: usize,
    file: Rc<Reading>,
}

/// All that is under way in a session.
pub(crate) struct Work {
    pub(crate) files: HashMap<FileId, OpenFile>,
    pub(crate) done: Vec<Completion>,
    queued: VecDeque<(Rc<Reading>, Io)>,
    started: Vec<Started>,
    in_flight: FuturesUnordered<LocalBoxFuture<'static, Completion>>,
    blocked: VecDeque<Io>,
    spares: Spares,
    accepted_since_turn: u64,
}

/// Fills a read's buffer.
pub(crate) async fn read(client: &Client, file: &Reading, io: &mut Io) -> Result<usize> {
    let left = file.head.size.saturating_sub(io.offset);
    let len = io.len.min(usize::try_from(left).unwrap_or(usize::MAX));
    if len == 0 {
        return Ok(0);
    }
    let into = &mut io.buffer.as_mut()[..len];
    let read = client.get(&file.object, &file.head, io.offset, into).await;
    read.map_err(|failure| failure.at("read", file.object.to_string()))
}

pub(crate) fn interrupted(operation: &'static str, name: &dyn Display) -> Error {
    Error::interrupted("s3", operation, name.to_string())
}

impl Work {
    pub(crate) fn new(spares: Spares) -> Self {
        Self {
            files: HashMap::new(),
            done: Vec::new(),
            queued: VecDeque::new(),
            started: Vec::new(),
            in_flight: FuturesUnordered::new(),
            blocked: VecDeque::new(),
            spares,
            accepted_since_turn: 0,
        }
    }

    pub(crate) fn queue_read(&mut self, file: Rc<Reading>, io: Io) {
        if io.offset >= file.head.size || io.len == 0 {
            self.done.push(Completion { tag: io.tag, result: Ok(0), buffer: io.buffer });
        } else {
            self.queued.push_back((file, io));
        }
    }

    pub(crate) fn swap_buffer(&self, buffer: Buffer) -> Buffer {
        self.spares.swap(buffer)
    }

    /// Accepts a write now, or when its file has room.
    pub(crate) fn queue_write(&mut self, io: Io) {
        self.blocked.push_back(io);
        self.accept_writes();
    }

    /// Accepts the writes that wait and whose file has room, each file's in order.
    pub(crate) fn accept_writes(&mut self) {
        let mut waiting: VecDeque<Io> = VecDeque::new();
        while let Some(io) = self.blocked.pop_front() {
            match self.files.get_mut(&io.file) {
                Some(OpenFile::Writing(file)) if !file.upload.has_room() => waiting.push_back(io),
                Some(OpenFile::Writing(file)) if waiting.iter().all(|other| other.file != io.file) => {
                    self.accepted_since_turn += io.len as u64;
                    let buffer = self.spares.take(io.buffer.len());
                    let accepted = file.upload.accept(self.spares.lend(io.buffer, io.len));
                    let result =
                        accepted.map(|()| io.len).map_err(|failure| failure.at("write", file.object.to_string()));
                    self.done.push(Completion { tag: io.tag, result, buffer });
                }
                _ => waiting.push_back(io),
            }
        }
        self.blocked = waiting;
    }

    /// The one read that waits, if it is all that is under way.
    pub(crate) fn only_read(&mut self) -> Option<(Rc<Reading>, Io)> {
        let only = self.queued.len() == 1 && self.in_flight.is_empty() && self.blocked.is_empty();
        let uploading = only && self.files.values().any(OpenFile::is_busy);
        if only && !uploading { self.queued.pop_front() } else { None }
    }

    /// Starts the reads that wait, as long as fewer than `most` are in flight.
    pub(crate) fn start_reads(&mut self, client: &Rc<Client>, most: usize) {
        while self.started.len() < most
            && let Some((file, mut io)) = self.queued.pop_front()
        {
            let client = client.clone();
            self.started.push(Started { tag: io.tag, len: io.buffer.len(), file: file.clone() });
            self.in_flight.push(Box::pin(async move {
                let result = read(&client, &file, &mut io).await;
                Completion { tag: io.tag, result, buffer: io.buffer }
            }));
        }
    }

    /// Whether requests are left that will complete.
    pub(crate) fn is_open(&self) -> bool {
        !(self.queued.is_empty() && self.in_flight.is_empty() && self.blocked.is_empty())
    }

    /// Whether what is in flight should be moved on although nobody waits for it.
    pub(crate) fn turn_is_due(&mut self, always: bool) -> bool {
        let due = always || self.accepted_since_turn >= TURN_BYTES;
        if !due {
            return false;
        }
        self.accepted_since_turn = 0;
        !self.in_flight.is_empty() || self.files.values().any(OpenFile::is_busy)
    }

    /// Drives everything in flight. Ready when something of it has ended.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let mut moved = false;
        while let Poll::Ready(Some(completion)) = self.in_flight.poll_next_unpin(cx) {
            if let Some(index) = self.started.iter().position(|started| started.tag == completion.tag) {
                self.started.swap_remove(index);
            }
            self.done.push(completion);
            moved = true;
        }
        for file in self.files.values_mut() {
            if let OpenFile::Writing(file) = file {
                while file.upload.is_busy() && file.upload.poll(cx).is_ready() {
                    moved = true;
                }
            }
        }
        if moved { Poll::Ready(()) } else { Poll::Pending }
    }

    /// Ends all requests under way.
    pub(crate) fn interrupt(&mut self) {
        self.in_flight.clear();
        for Started { tag, len, file } in self.started.drain(..) {
            let result = Err(interrupted("read", &file.object));
            self.done.push(Completion { tag, result, buffer: Buffer::new(len) });
        }
        for (file, io) in self.queued.drain(..) {
            let result = Err(interrupted("read", &file.object));
            self.done.push(Completion { tag: io.tag, result, buffer: io.buffer });
        }
        for io in std::mem::take(&mut self.blocked) {
            self.refuse_write(io);
        }
    }

    /// Completes a write as interrupted.
    pub(crate) fn refuse_write(&mut self, io: Io) {
        let name = self.files.get(&io.file).map_or_else(|| "s3".into(), |file| file.object().to_string());
        let result = Err(interrupted("write", &name));
        self.done.push(Completion { tag: io.tag, result, buffer: io.buffer });
    }

    /// Takes a file away, with the writes of it that wait.
    pub(crate) fn take(&mut self, file: FileId) -> Option<OpenFile> {
        for io in std::mem::take(&mut self.blocked) {
            match io.file == file {
                true => self.refuse_write(io),
                false => self.blocked.push_back(io),
            }
        }
        self.files.remove(&file)
    }
}

impl OpenFile {
    pub(crate) fn object(&self) -> &Object {
        match self {
            OpenFile::Reading(file) => &file.object,
            OpenFile::Writing(file) => &file.object,
        }
    }

    fn is_busy(&self) -> bool {
        matches!(self, OpenFile::Writing(file) if file.upload.is_busy())
    }
}

/// A gap or an overlap between writes.
pub(crate) fn out_of_order(expected: u64, found: u64) -> Failure {
    let detail = format!("a write at {found} cannot follow what was written up to {expected}");
    Failure::new(fsbench_target::ErrorKind::Invalid, detail).with_hint("s3 takes writes from start to end only")
}
