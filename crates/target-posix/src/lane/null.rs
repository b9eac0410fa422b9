//! The engine that transfers nothing: what remains of a run on it is the tool's own cost. Files are not looked at.

use super::core::{Core, Engine};
use fsbench_target::{LaneDone, LaneKind, LaneRequest, Result, Started};
use std::collections::VecDeque;

/// What a request would have moved.
fn moved(request: &LaneRequest) -> u32 {
    match request.kind {
        LaneKind::Read | LaneKind::Write | LaneKind::Trim => request.len,
        _ => 0,
    }
}

/// Depth 1: everything is finished at once.
pub(crate) struct Now;

impl Engine for Now {
    #[inline]
    fn start(&mut self, _: &mut Core, request: &LaneRequest) -> Started {
        Started::Done(Ok(moved(request)))
    }
}

/// More depth: requests are finished by the time they are reaped.
pub(crate) struct Later {
    queued: Vec<(u32, u32)>,
    submitted: VecDeque<(u32, u32)>,
    held: Box<[bool]>,
}

impl Later {
    pub(crate) fn new(slots: usize) -> Self {
        Self {
            queued: Vec::with_capacity(slots),
            submitted: VecDeque::with_capacity(slots),
            held: vec![false; slots].into(),
        }
    }
}

impl Engine for Later {
    fn holds(&self, slot: u32) -> bool {
        self.held[slot as usize]
    }

    #[inline]
    fn start(&mut self, _: &mut Core, request: &LaneRequest) -> Started {
        let held = &mut self.held[request.slot as usize];
        assert!(!*held, "a slot has one request at a time");
        *held = true;
        self.queued.push((request.slot, moved(request)));
        Started::Queued
    }

    fn submit(&mut self, _: &mut Core) -> Result<u32> {
        let count = self.queued.len();
        self.submitted.extend(self.queued.drain(..));
        Ok(count as u32)
    }

    fn reap(&mut self, core: &mut Core, min: u32, max: u32, done: &mut Vec<LaneDone>) -> Result<()> {
        if (self.submitted.len() as u32) < min {
            self.submit(core)?;
        }
        let count = self.submitted.len().min(max as usize);
        for (slot, moved) in self.submitted.drain(..count) {
            self.held[slot as usize] = false;
            done.push(LaneDone { slot, result: Ok(moved) });
        }
        Ok(())
    }

    fn cancel(&mut self, _: &mut Core) -> bool {
        self.queued.clear();
        self.submitted.clear();
        self.held.fill(false);
        true
    }
}
