//! The engine vsync: requests that follow each other in one file, of one kind, become one `preadv` or `pwritev`.
//!
//! As in fio, a request that does not follow the ones before it is refused until those are submitted.

use super::calls;
use super::core::{Core, Engine};
use fsbench_target::{Error, LaneDone, LaneKind, LaneRequest, Result, Started};
use rustix::fd::BorrowedFd;
use rustix::io::{preadv, pwritev, retry_on_intr};
use std::io::{IoSlice, IoSliceMut};

/// `IOV_MAX`.
const TOGETHER: usize = 1024;

/// The engine.
pub(crate) struct Gather {
    /// Follow each other.
    queued: Vec<LaneRequest>,
    finished: Vec<LaneDone>,
    held: Box<[bool]>,
}

impl Gather {
    pub(crate) fn new(slots: usize) -> Self {
        Self { queued: Vec::with_capacity(slots), finished: Vec::with_capacity(slots), held: vec![false; slots].into() }
    }

    fn follows(&self, request: &LaneRequest) -> bool {
        self.queued.last().is_none_or(|last| {
            let next = last.offset.saturating_add(u64::from(last.len));
            (last.file, last.kind, next) == (request.file, request.kind, request.offset)
        })
    }

    /// Does all that is queued with one call.
    fn transfer(&self, core: &mut Core, first: &LaneRequest) -> std::result::Result<usize, Box<Error>> {
        let Some(fd) = core.files.fd(first.file) else {
            return Err(core.files.closed(first.kind, first.file));
        };
        let slots = self.queued.iter().map(|request| (request.slot, request.len));
        let mut buffers = core.arena.buffers(slots);
        let moved = match first.kind {
            LaneKind::Read => read(fd, &mut buffers, first.offset),
            _ => write(fd, &buffers, first.offset),
        };
        drop(buffers);
        moved.map_err(|errno| core.files.failed(first.kind, first.file, errno))
    }
}

fn read(fd: BorrowedFd<'_>, buffers: &mut [&mut [u8]], offset: u64) -> rustix::io::Result<usize> {
    let mut slices: Vec<_> = buffers.iter_mut().map(|bytes| IoSliceMut::new(bytes)).collect();
    retry_on_intr(|| preadv(fd, &mut slices, offset))
}

fn write(fd: BorrowedFd<'_>, buffers: &[&mut [u8]], offset: u64) -> rustix::io::Result<usize> {
    let slices: Vec<_> = buffers.iter().map(|bytes| IoSlice::new(bytes)).collect();
    retry_on_intr(|| pwritev(fd, &slices, offset))
}

impl Engine for Gather {
    fn holds(&self, slot: u32) -> bool {
        self.held.get(slot as usize).is_some_and(|held| *held)
    }

    fn start(&mut self, core: &mut Core, request: &LaneRequest) -> Started {
        assert!(!self.holds(request.slot), "a slot has one request at a time");
        if !matches!(request.kind, LaneKind::Read | LaneKind::Write) {
            return match self.queued.is_empty() {
                true => Started::Done(calls::run(core, request)),
                false => Started::Busy,
            };
        }
        if self.queued.len() == TOGETHER || !self.follows(request) {
            return Started::Busy;
        }
        self.held[request.slot as usize] = true;
        self.queued.push(*request);
        Started::Queued
    }

    /// The bytes moved belong to the first requests; the ones behind them came too short.
    fn submit(&mut self, core: &mut Core) -> Result<u32> {
        let Some(first) = self.queued.first().copied() else { return Ok(0) };
        let moved = self.transfer(core, &first);
        let count = self.queued.len() as u32;
        let mut left = *moved.as_ref().unwrap_or(&0);
        for request in self.queued.drain(..) {
            let part = left.min(request.len as usize);
            left -= part;
            let result = match &moved {
                Ok(_) => Ok(part as u32),
                Err(error) => Err(error.clone()),
            };
            self.finished.push(LaneDone { slot: request.slot, result });
        }
        Ok(count)
    }

    fn reap(&mut self, core: &mut Core, min: u32, max: u32, done: &mut Vec<LaneDone>) -> Result<()> {
        if (self.finished.len() as u32) < min {
            self.submit(core)?;
        }
        let count = self.finished.len().min(max as usize);
        for finished in self.finished.drain(..count) {
            self.held[finished.slot as usize] = false;
            done.push(finished);
        }
        Ok(())
    }

    fn cancel(&mut self, _: &mut Core) -> bool {
        self.queued.clear();
        self.finished.clear();
        self.held.fill(false);
        true
    }
}
