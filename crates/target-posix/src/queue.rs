//! Requests between submit and reap: one alone is a plain system call, several reads go through the ring together.

use crate::files::Files;
use crate::ring::Ring;
use crate::target::Shared;
use crate::transfer;
use fsbench_target::{Completion, Error, FileId, Io, IoKind, Result};
use rustix::fd::AsFd;
use rustix::fs::{Advice, fadvise};
use std::collections::VecDeque;
use std::num::NonZeroU64;
use std::sync::Arc;

/// A session's requests that the caller has not got back yet.
pub(crate) struct Queue {
    shared: Arc<Shared>,
    /// Reads that are not under way.
    reads: VecDeque<Io>,
    /// Writes and syncs, done one after the other.
    others: VecDeque<Io>,
    /// Finished while another file was abandoned.
    finished: Vec<(FileId, Completion)>,
    ring: Option<Ring>,
}

fn verb(kind: IoKind) -> &'static str {
    match kind {
        IoKind::Read => "read",
        IoKind::Write => "write",
        IoKind::Sync => "sync",
    }
}

/// Turns a request and what became of it into its completion.
fn complete(shared: &Shared, files: &Files, io: Io, result: rustix::io::Result<usize>) -> Completion {
    let result = result.map_err(|errno| {
        let path = files.find(io.file).map_or("", |file| &file.path);
        shared.base.fail(verb(io.kind), path, errno)
    });
    Completion { tag: io.tag, result, buffer: io.buffer }
}

impl Queue {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, reads: VecDeque::new(), others: VecDeque::new(), finished: Vec::new(), ring: None }
    }

    fn in_flight(&self) -> usize {
        self.ring.as_ref().map_or(0, Ring::in_flight)
    }

    /// Takes a request whose file is open and whose length fits its buffer.
    pub(crate) fn push(&mut self, files: &Files, io: Io) {
        if io.kind != IoKind::Read {
            return self.others.push_back(io);
        }
        self.reads.push_back(io);
        if self.reads.len() > 1 && !self.shared.wants_ring() {
            // The newest, and the one before if that was alone until now.
            let first = if self.reads.len() == 2 { 0 } else { self.reads.len() - 1 };
            self.announce(files, first);
        }
    }

    /// Tells the kernel of the waiting reads from `first` on.
    fn announce(&self, files: &Files, first: usize) {
        for io in self.reads.range(first..) {
            let Some(fd) = files.find(io.file).and_then(|file| file.fd.as_ref()) else { continue };
            if let Some(len) = NonZeroU64::new(io.len as u64) {
                // Only advice: a file system that does not take it is read without.
                let _ = fadvise(fd, io.offset, Some(len), Advice::WillNeed);
            }
        }
    }

    /// See [`fsbench_target::Session::reap`]. A `min` of 0 waits for no read in the ring, but does one plain system call
    /// if one is due.
    pub(crate) fn reap(&mut self, files: &Files, min: usize, done: &mut Vec<Completion>) -> Result<()> {
        let before = done.len();
        done.extend(self.finished.drain(..).map(|(_, completion)| completion));
        self.launch(files, min);
        if self.in_flight() > 0 {
            self.drive(files, 0, done)?;
        }
        loop {
            let count = done.len() - before;
            if count >= min.max(1) {
                return Ok(());
            }
            if let Some(io) = self.others.pop_front() {
                done.push(self.run(files, io));
            } else if self.in_flight() > 0 {
                if count >= min {
                    return Ok(());
                }
                self.drive(files, min - count, done)?;
                self.launch(files, min);
            } else if let Some(io) = self.reads.pop_front() {
                done.push(self.run(files, io));
            } else {
                return Ok(());
            }
        }
    }

    fn run(&self, files: &Files, mut io: Io) -> Completion {
        let path = files.find(io.file);
        if self.shared.interrupted() {
            let name = self.shared.base.name(path.map_or("", |file| &file.path));
            let result = Err(Error::interrupted(crate::base::SCHEME, verb(io.kind), name));
            return Completion { tag: io.tag, result, buffer: io.buffer };
        }
        let result = path.ok_or(rustix::io::Errno::BADF).and_then(|file| transfer::run(file, &mut io));
        complete(&self.shared, files, io, result)
    }

    /// Moves waiting reads into the ring, unless there is but one and the caller waits for it anyway.
    fn launch(&mut self, files: &Files, min: usize) {
        let alone = self.in_flight() + self.reads.len() < 2 && min > 0;
        if alone || self.reads.is_empty() || self.shared.interrupted() {
            return;
        }
        if self.ring.is_none() {
            let wanted = self.shared.wants_ring();
            self.ring = self.shared.ring();
            if wanted && self.ring.is_none() {
                // Refused just now: these were not announced when they came.
                self.announce(files, 0);
            }
        }
        let Some(ring) = &mut self.ring else { return };
        while ring.has_room()
            && let Some(io) = self.reads.pop_front()
        {
            match files.find(io.file).and_then(|file| Some((file, file.fd.as_ref()?))) {
                Some((file, fd)) => ring.start(io, fd.as_fd(), transfer::known_end(file)),
                None => return self.reads.push_front(io),
            }
        }
    }

    fn drive(&mut self, files: &Files, wait: usize, done: &mut Vec<Completion>) -> Result<()> {
        let Self { ring: Some(ring), shared, .. } = self else { return Ok(()) };
        ring.drive(wait, |io, result| done.push(complete(shared, files, io, result)))
            .map_err(|errno| shared.base.fail("drive io_uring for", "", errno))
    }

    /// Whether a request of `file` has not been reaped.
    pub(crate) fn holds(&self, file: FileId) -> bool {
        let waits = |queue: &VecDeque<Io>| queue.iter().any(|io| io.file == file);
        waits(&self.reads)
            || waits(&self.others)
            || self.finished.iter().any(|(of, _)| *of == file)
            || self.ring.as_ref().is_some_and(|ring| ring.holds(file))
    }

    /// Drops all requests of `file`, after the kernel has let go of their buffers. What finishes meanwhile for other
    /// files is kept for the next reap.
    pub(crate) fn forget(&mut self, files: &Files, file: FileId) -> Result<()> {
        self.reads.retain(|io| io.file != file);
        self.others.retain(|io| io.file != file);
        let Self { ring, shared, finished, .. } = self;
        let mut failed = None;
        while let Some(flying) = ring.as_mut().filter(|ring| ring.holds(file)) {
            let land = |io: Io, result| finished.push((io.file, complete(shared, files, io, result)));
            if let Err(errno) = flying.drive(1, land) {
                failed = Some(shared.base.fail("drive io_uring for", "", errno));
                // A ring that cannot even wait is given up; dropping it keeps its buffers if it must.
                *ring = None;
            }
        }
        finished.retain(|(of, _)| *of != file);
        failed.map_or(Ok(()), Err)
    }
}
