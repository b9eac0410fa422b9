//! The engine vsync: requests that follow each other in one file, of one kind, become one `preadv` or `pwritev`.
//!
//! As in fio, a request that does not follow the ones before it is refused until those are submitted.
#![allow(unsafe_code)]

use super::calls;
use super::core::{Core, Engine};
use super::files::last_errno;
use fsbench_target::{Error, LaneDone, LaneKind, LaneRequest, Result, Started};
use rustix::io::retry_on_intr;

/// `IOV_MAX`.
const TOGETHER: usize = 1024;

/// The engine.
pub(crate) struct Gather {
    /// Follow each other.
    queued: Vec<LaneRequest>,
    /// Their buffers, filled in anew for each call.
    places: Vec<libc::iovec>,
    finished: Vec<LaneDone>,
    held: Box<[bool]>,
}

impl Gather {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            queued: Vec::with_capacity(slots),
            places: Vec::with_capacity(slots),
            finished: Vec::with_capacity(slots),
            held: vec![false; slots].into(),
        }
    }

    fn follows(&self, request: &LaneRequest) -> bool {
        self.queued.last().is_none_or(|last| {
            let next = last.offset.saturating_add(u64::from(last.len));
            (last.file, last.kind, next) == (request.file, request.kind, request.offset)
        })
    }

    /// Does all that is queued with one call.
    fn transfer(&mut self, core: &mut Core, first: &LaneRequest) -> std::result::Result<usize, Box<Error>> {
        let Some(fd) = core.files.raw(first.file) else {
            return Err(core.files.closed(first.kind, first.file));
        };
        let place = |request: &LaneRequest| libc::iovec {
            iov_base: core.arena.pointer(request.slot, request.len).cast(),
            iov_len: request.len as usize,
        };
        self.places.clear();
        self.places.extend(self.queued.iter().map(place));
        let call = if first.kind == LaneKind::Read { libc::preadv } else { libc::pwritev };
        let (places, count, offset) = (self.places.as_ptr(), self.places.len() as i32, first.offset as i64);
        // SAFETY: the pointers are of slots of the arena that are at least as long, and no slot is queued twice, as
        // `start` asserts; `core` is borrowed for writing, so nobody else has the buffers while the call lasts.
        let moved = retry_on_intr(|| match unsafe { call(fd, places, count, offset) } {
            moved @ 0.. => Ok(moved as usize),
            _ => Err(last_errno()),
        });
        moved.map_err(|errno| core.files.failed(first.kind, first.file, errno))
    }
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
