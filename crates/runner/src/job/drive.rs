//! The loop of one job: make the next request, hand it over, take what has finished, write down how long it took.
//!
//! Nothing here allocates, locks or asks the system for anything while requests run, but the requests themselves and
//! the clock. What is looked at only now and then (deadlines, orders to stop, samples, limits) hangs on one comparison
//! of the completion's time with the next [`Driver::edge`].

use super::blocks::{Block, Blocks};
use super::extras::Extras;
use super::files::Files;
use super::fill::Filler;
use super::pace::Pace;
use super::tally::{SYNC, Tally};
use super::team::Team;
use super::trace::Trace;
use super::usage::Usage;
use crate::clock::Clock;
use fsbench_model::job::{Direction as Way, EngineName, Job};
use fsbench_target::{Error, ErrorKind, Lane, LaneDone, LaneKind, LaneRequest, LaneResult, Started};

/// Without latencies to measure, the clock is looked at about this often, and once in this many requests at least.
const GLANCE_NS: u64 = 20_000;
const GLANCE_MAX: u32 = 16;

/// Unless told otherwise, no more than this many completions are taken before the queue is filled again: calls are shared
/// by some, and the device has most of its queue (docs/performance.md has what 1, 4 and 16 cost).
pub(crate) const REAP_MAX: u32 = 4;
/// The same where there is no device.
pub(crate) const REAP_MAX_NULL: u32 = 16;

/// A request on its way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flight {
    pub(crate) made: u64,
    pub(crate) issued: u64,
    /// When the schedule wanted it, 0 without one.
    pub(crate) due: u64,
    pub(crate) offset: u64,
    pub(crate) len: u32,
    pub(crate) file: u32,
    /// Index of a direction, or [`SYNC`].
    pub(crate) of: u8,
    /// The write's number, for verification.
    pub(crate) number: u64,
}

const NO_FLIGHT: Flight = Flight { made: 0, issued: 0, due: 0, offset: 0, len: 0, file: 0, of: 0, number: 0 };

/// A file as the user knows it.
pub(crate) fn shown(root: &str, path: &str) -> String {
    format!("{root}{path}")
}

/// Why a job does not go on.
#[derive(Debug)]
pub(crate) enum Halt {
    /// Its time is over, somebody asked it to stop, or it reached what it looked for.
    Over,
    /// It failed.
    Failed(Box<Error>),
}

/// What a pass does with its requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// The pattern.
    Work,
    /// Reading back what was written.
    Verify,
}

/// Requests by depth, submissions and reaps by size, in fio's classes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Classes {
    pub(crate) depths: [u64; 7],
    pub(crate) submits: [u64; 7],
    pub(crate) completes: [u64; 7],
}

impl Classes {
    #[inline]
    fn depth(&mut self, depth: u32, count: u64) {
        self.depths[(31 - depth.max(1).leading_zeros()).min(6) as usize] += count;
    }

    #[inline]
    fn class(count: u32) -> usize {
        match count {
            0 => 0,
            1..=4 => 1,
            5..=8 => 2,
            9..=16 => 3,
            17..=32 => 4,
            33..=64 => 5,
            _ => 6,
        }
    }
}

#[inline]
fn kind_of(direction: Way) -> LaneKind {
    match direction {
        Way::Read => LaneKind::Read,
        Way::Write => LaneKind::Write,
        Way::Trim => LaneKind::Trim,
    }
}

/// The clock, as often as is needed: after each request whose latency is measured; else once in a few requests, as long as
/// they are short.
struct Glance {
    always: bool,
    /// Requests until the next look, and between two.
    left: u32,
    every: u32,
    last: u64,
}

impl Glance {
    fn new(always: bool) -> Self {
        Self { always, left: 1, every: 1, last: 0 }
    }

    /// The present time, or that of the last look.
    #[inline]
    fn at(&mut self, clock: &Clock) -> u64 {
        if self.always {
            return clock.now();
        }
        self.left -= 1;
        if self.left == 0 {
            let now = clock.now();
            let is_short = now - self.last < GLANCE_NS;
            self.every = if is_short { (self.every * 2).min(GLANCE_MAX) } else { 1 };
            (self.left, self.last) = (self.every, now);
        }
        self.last
    }
}

/// One job at work.
pub(crate) struct Driver<'a> {
    pub(crate) job: &'a Job,
    /// All jobs of the phase.
    pub(crate) jobs: &'a [Job],
    pub(crate) team: &'a Team,
    pub(crate) index: usize,
    /// What names of files are shown with before them.
    pub(crate) root: &'a str,
    pub(crate) clock: Clock,
    pub(crate) lane: Box<dyn Lane>,
    pub(crate) files: Files,
    pub(crate) blocks: Blocks,
    pub(crate) tally: Tally,
    pub(crate) classes: Classes,
    pub(crate) filler: Filler,
    pub(crate) pace: Option<Pace>,
    /// What most jobs do not have: verification, logs, limits, pauses.
    pub(crate) extras: Option<Box<Extras>>,
    pub(crate) is_synchronous: bool,
    pub(crate) measures_slat: bool,
    pub(crate) measures_clat: bool,
    pub(crate) measures_lat: bool,
    pub(crate) measures: bool,
    pub(crate) depth: u32,
    /// Completions taken in one go, unless the job says how many.
    pub(crate) reap_max: u32,
    pub(crate) flights: Vec<Flight>,
    pub(crate) free: Vec<u32>,
    pub(crate) in_flight: u32,
    /// Slots that were started and not submitted.
    pub(crate) fresh: Vec<u32>,
    pub(crate) done: Vec<LaneDone>,
    /// The next time at which something is to be looked at.
    pub(crate) edge: u64,
    pub(crate) ramp_end: u64,
    pub(crate) is_ramping: bool,
    pub(crate) begun: u64,
    pub(crate) deadline: u64,
    pub(crate) requests_left: u64,
    pub(crate) writes: u64,
    pub(crate) halt: Option<Halt>,
    pub(crate) errors: u64,
    pub(crate) first_error: Option<Box<Error>>,
    pub(crate) purpose: Purpose,
    /// Time spent with the work and with reading back, until [`Driver::since`].
    pub(crate) spent: [u64; 2],
    pub(crate) since: u64,
    /// What the thread had used when measuring began.
    pub(crate) usage: Usage,
    /// Ignored errors that are to be shown (`error_dump`).
    pub(crate) ignored: Vec<String>,
    /// What is replayed instead of the pattern.
    pub(crate) trace: Option<&'a Trace>,
    /// The number of the write that is read back next.
    pub(crate) expected: u64,
    /// How many of the calls for a snapshot were answered.
    pub(crate) answered: u64,
    /// What is verified, or trimmed and written, must reach the disk in order.
    pub(crate) orders_writes: bool,
    /// Reads leave their data in the buffers, and the content of writes is a constant: it is made for each write.
    pub(crate) primes_each: bool,
}

impl Driver<'_> {
    pub(crate) fn slots(depth: u32) -> (Vec<Flight>, Vec<u32>) {
        (vec![NO_FLIGHT; depth as usize], (0..depth).rev().collect())
    }

    /// Requests until the pass or the job is over.
    pub(crate) fn pass(&mut self, next: &mut dyn FnMut(&mut Self) -> Option<Block>) {
        let plain = self.purpose == Purpose::Work && self.extras.is_none() && self.trace.is_none();
        match (plain, self.is_synchronous) {
            (true, _) if self.is_simple() => self.simply(),
            (true, true) => self.one_by_one(Self::next_in_time),
            (true, false) if self.pace.is_none() => self.in_a_queue(|driver| driver.blocks.next()),
            (true, false) => self.in_a_queue(Self::next_in_time),
            (false, true) => self.one_by_one(next),
            (false, false) => self.in_a_queue(next),
        }
        self.drain();
    }

    /// Whether all there is to do for a request is to make it, start it and count it.
    fn is_simple(&self) -> bool {
        let syncs = &self.job.syncs;
        let at_once = self.is_synchronous || self.job.engine.name == EngineName::Null && self.flights.len() == 1;
        at_once && self.pace.is_none() && syncs.fsync == 0 && syncs.fdatasync == 0 && syncs.range.every == 0
    }

    /// What [`Driver::one_by_one`] does with [`Driver::launch`], less the questions that have one answer for all
    /// requests: on the engine null they cost as much as the rest.
    fn simply(&mut self) {
        let names = self.files.kind_of_names();
        let mut glance = Glance::new(self.measures);
        while self.halt.is_none() && self.requests_left > 0 {
            let Some(block) = self.blocks.next() else { return };
            if !self.files.is_open(block.file) && !self.open(block.file) {
                return;
            }
            let number = self.writes;
            if block.direction == Way::Write {
                self.writes += 1;
                self.make(0, &block, number);
            }
            self.requests_left -= 1;
            self.classes.depths[0] += 1;
            let Block { direction, file, offset, len } = block;
            let kind = names.unwrap_or(kind_of(direction));
            let made = if self.measures { self.clock.now() } else { 0 };
            let started = self.lane.start(&LaneRequest { offset, len, slot: 0, file, kind });
            let end = glance.at(&self.clock);
            match started {
                Started::Done(Ok(bytes)) if bytes == len || names.is_some() => {
                    let direction = &mut self.tally.directions[direction as usize];
                    direction.requests += 1;
                    direction.bytes += u64::from(bytes);
                    if self.measures_clat {
                        direction.clat.add(end.saturating_sub(made));
                    } else if self.measures_lat {
                        direction.lat.add(end.saturating_sub(made));
                    }
                    if end >= self.edge {
                        self.look(end);
                    }
                }
                other => {
                    let of = direction as u8;
                    self.otherwise(other, Flight { made, issued: made, due: made, offset, len, file, of, number }, end);
                }
            }
        }
    }

    /// A request of [`Driver::simply`] that was not simple: it failed, was short, or is not finished yet.
    #[cold]
    fn otherwise(&mut self, started: Started, flight: Flight, end: u64) {
        match started {
            Started::Done(result) => self.count(&flight, 0, result, end),
            Started::Queued => {
                self.flights[0] = flight;
                self.free.clear();
                self.fresh.push(0);
                self.in_flight = 1;
                self.drain();
            }
            Started::Busy => unreachable!("nothing is in flight"),
        }
    }

    /// Depth 1 on an engine that finishes a request in the call that starts it.
    fn one_by_one(&mut self, mut next: impl FnMut(&mut Self) -> Option<Block>) {
        while self.halt.is_none() && self.requests_left > 0 {
            let Some(block) = next(self) else { return };
            self.launch(&block);
        }
    }

    /// Keeps the queue full.
    fn in_a_queue(&mut self, mut next: impl FnMut(&mut Self) -> Option<Block>) {
        let batch = match self.job.engine.submit_max {
            0 => u32::MAX,
            given => given,
        };
        let mut is_exhausted = false;
        while self.halt.is_none() {
            while self.in_flight < self.depth && self.requests_left > 0 && self.halt.is_none() {
                let Some(block) = next(self) else {
                    is_exhausted = true;
                    break;
                };
                self.launch(&block);
                if self.fresh.len() as u32 >= batch {
                    self.submit();
                }
            }
            if is_exhausted || self.requests_left == 0 {
                return;
            }
            self.submit_before_reap();
            self.reap_when_full();
        }
    }

    fn reap_when_full(&mut self) {
        let engine = &self.job.engine;
        let low = if engine.low == 0 { self.depth } else { engine.low.min(self.depth) };
        let min = engine.reap_min.min(self.in_flight);
        self.reap(min);
        while low < self.depth && self.in_flight > low && self.halt.is_none() {
            self.reap(min.clamp(1, self.in_flight));
        }
    }

    /// Waits for everything that is on its way.
    pub(crate) fn drain(&mut self) {
        self.submit();
        while self.in_flight > 0 {
            let before = self.in_flight;
            self.reap(1);
            if self.in_flight == before && self.halt.is_some() {
                // Told to stop, and nothing came: the lane takes its requests back.
                self.lane.cancel();
                (self.flights, self.free) = Self::slots(self.flights.len() as u32);
                self.in_flight = 0;
            }
        }
    }

    /// The next block of the pattern. Where a direction is ahead of its rate, the other one may go first, as in fio.
    pub(super) fn next_in_time(&mut self) -> Option<Block> {
        let Some(pace) = self.pace.as_ref().filter(|pace| pace.may_switch()) else { return self.blocks.next() };
        let now = self.clock.now();
        self.blocks.next_by(|direction| pace.turn(direction, now))
    }

    /// Makes a request of `block` and hands it to the lane.
    #[inline]
    pub(crate) fn launch(&mut self, block: &Block) {
        if !self.files.is_open(block.file) && !self.open(block.file) {
            return;
        }
        let of = block.direction as usize;
        let due = match (&mut self.pace, self.purpose) {
            (Some(pace), Purpose::Work) => pace.due(of, block.len),
            _ => None,
        };
        if due.is_some_and(|due| !self.wait_until(due)) {
            return;
        }
        if self.orders_writes && block.direction != Way::Read && self.overlaps(block) {
            self.drain();
        }
        if self.halt.is_some() {
            return;
        }
        let slot = self.free.pop().expect("a slot is free when the queue has room");
        let number = if self.purpose == Purpose::Verify { self.expected } else { self.writes };
        if block.direction == Way::Write {
            self.writes += 1;
            self.make(slot, block, number);
        }
        self.requests_left -= 1;
        let kind = self.files.kind_of_names().unwrap_or(kind_of(block.direction));
        let request = LaneRequest { offset: block.offset, len: block.len, slot, file: block.file, kind };
        let flight = Flight {
            made: 0,
            issued: 0,
            due: 0,
            offset: block.offset,
            len: block.len,
            file: block.file,
            of: of as u8,
            number,
        };
        self.start(request, flight, due);
        if block.direction == Way::Write {
            self.sync_when_due(block.file);
        }
    }

    /// Whether a request in flight touches bytes of `block`.
    fn overlaps(&self, block: &Block) -> bool {
        let end = block.offset + u64::from(block.len);
        self.flights.iter().any(|flight| {
            let is_near = flight.len > 0 && flight.file == block.file;
            is_near && flight.offset < end && block.offset < flight.offset + u64::from(flight.len)
        })
    }

    #[inline]
    fn make(&mut self, slot: u32, block: &Block, number: u64) {
        let buffer = &mut self.lane.buffer(slot)[..block.len as usize];
        if self.primes_each {
            self.filler.prime(buffer);
        }
        self.filler.fill(buffer, block.offset, number);
        if let Some(extras) = &mut self.extras {
            extras.seal(buffer, block, number);
        }
    }

    /// Starts a request and, where it is finished at once, counts it.
    #[inline(always)]
    fn start(&mut self, request: LaneRequest, mut flight: Flight, due: Option<u64>) {
        let slot = request.slot;
        flight.made = if self.measures { self.clock.now() } else { 0 };
        flight.due = due.unwrap_or(0);
        flight.issued = flight.made;
        if let Some(extras) = &mut self.extras
            && let Err(error) = extras.starts(&flight, flight.made.saturating_sub(self.begun))
        {
            self.fail(error);
        }
        loop {
            match self.lane.start(&request) {
                Started::Done(result) => {
                    let end = self.clock.now();
                    self.classes.depth(self.in_flight + 1, 1);
                    self.count(&flight, slot, result, end);
                    self.free.push(slot);
                    return;
                }
                Started::Queued => {
                    self.flights[slot as usize] = flight;
                    self.fresh.push(slot);
                    self.in_flight += 1;
                    return;
                }
                Started::Busy => {
                    self.submit();
                    self.reap(1);
                    if self.halt.is_some() {
                        self.free.push(slot);
                        return;
                    }
                }
            }
        }
    }

    /// Hands over what was started.
    #[inline]
    pub(super) fn submit(&mut self) {
        if self.fresh.is_empty() {
            return;
        }
        let is_alone = self.is_handed_over_alone();
        self.note_batch();
        if !is_alone {
            self.stamp();
        }
        if let Err(error) = self.lane.submit() {
            self.fail(Box::new(error));
        }
        if is_alone {
            self.stamp();
        }
        self.fresh.clear();
    }

    /// Whether each request has a call of its own, so that it waits for its completion from the end of that call on, as in
    /// fio. Requests of a batch wait from its beginning on: some are done before the call that takes all of them is.
    #[inline]
    fn is_handed_over_alone(&self) -> bool {
        self.job.engine.submit_max == 1 || self.flights.len() == 1
    }

    /// Counts what is handed over.
    #[inline]
    fn note_batch(&mut self) {
        let count = self.fresh.len() as u32;
        self.classes.submits[Classes::class(count)] += 1;
        self.classes.depth(self.in_flight, u64::from(count));
    }

    #[inline]
    fn stamp(&mut self) {
        if self.measures_slat || self.measures_clat {
            let now = self.clock.now();
            for slot in &self.fresh {
                self.flights[*slot as usize].issued = now;
            }
        }
    }

    /// One call hands over and waits, unless submission is measured by itself.
    #[inline]
    fn submit_before_reap(&mut self) {
        if self.measures_slat && self.is_handed_over_alone() || self.job.engine.reap_min == 0 {
            return self.submit();
        }
        if !self.fresh.is_empty() {
            self.note_batch();
            self.stamp();
            self.fresh.clear();
        }
    }

    /// Takes what has finished, at least `min`.
    #[inline]
    pub(super) fn reap(&mut self, min: u32) {
        let mut done = std::mem::take(&mut self.done);
        let max = match self.job.engine.reap_max {
            0 => (self.depth / 4).clamp(1, self.reap_max).max(min),
            given => given.max(min),
        };
        let reaped = self.lane.reap(min, max, &mut done);
        self.classes.completes[Classes::class(done.len() as u32)] += 1;
        let end = self.clock.now();
        for LaneDone { slot, result } in done.drain(..) {
            let flight = self.flights[slot as usize];
            self.flights[slot as usize].len = 0;
            self.in_flight -= 1;
            self.count(&flight, slot, result, end);
            self.free.push(slot);
        }
        self.done = done;
        match reaped {
            Err(error) if error.kind == ErrorKind::Interrupted => self.halt = self.halt.take().or(Some(Halt::Over)),
            Err(error) => self.fail(Box::new(error)),
            Ok(()) if end >= self.edge => self.look(end),
            Ok(()) => {}
        }
    }

    /// Writes down what became of a request.
    #[inline(always)]
    fn count(&mut self, flight: &Flight, slot: u32, result: LaneResult, end: u64) {
        let moved = result.as_ref().ok().copied();
        match result {
            Ok(bytes) if bytes == flight.len || self.files.kind_of_names().is_some() || flight.of as usize == SYNC => {
                let bytes = if flight.of as usize == SYNC { 0 } else { bytes };
                self.add(flight, bytes, end);
            }
            Ok(0) => self.end_of_file(flight),
            Ok(bytes) => {
                self.tally.directions[flight.of as usize].short += 1;
                self.add(flight, bytes, end);
            }
            Err(error) => self.error(flight, error),
        }
        if let Some(moved) = moved.filter(|_| self.extras.is_some()) {
            self.more(flight, slot, moved, end);
        }
        if end >= self.edge {
            self.look(end);
        }
    }

    /// What jobs with extras do with a request that has ended.
    fn more(&mut self, flight: &Flight, slot: u32, moved: u32, end: u64) {
        let Self { extras: Some(extras), lane, .. } = self else { return };
        let (error, steer) = extras.finished(
            flight,
            &lane.buffer(slot)[..moved.min(flight.len) as usize],
            (end, self.begun),
            self.purpose,
        );
        if let Some(error) = error {
            self.error(flight, error);
        }
        self.obey(steer, end);
    }

    #[inline(always)]
    fn add(&mut self, flight: &Flight, bytes: u32, end: u64) {
        let direction = &mut self.tally.directions[flight.of as usize];
        direction.requests += 1;
        direction.bytes += u64::from(bytes);
        if self.measures_clat {
            direction.clat.add(end.saturating_sub(flight.issued));
        }
        if !self.is_synchronous {
            if self.measures_slat {
                direction.slat.add(flight.issued - flight.made);
            }
            if self.measures_lat {
                direction.lat.add(end.saturating_sub(flight.made));
            }
        } else if self.measures_lat && !self.measures_clat {
            direction.lat.add(end.saturating_sub(flight.made));
        }
        if flight.due > 0 {
            direction.due.add(end.saturating_sub(flight.due));
        }
    }

    /// Opens a file, after closing another one if that would be too many.
    #[cold]
    pub(super) fn open(&mut self, file: u32) -> bool {
        while let Some(oldest) = self.files.in_the_way() {
            if self.job.syncs.on_close && self.writes > 0 {
                self.sync(oldest, LaneKind::Sync);
            }
            self.drain();
            if self.halt.is_some() {
                return false;
            }
            if let Err(error) = self.files.close_one(oldest, self.lane.as_mut()) {
                self.stop_with(error);
                return false;
            }
        }
        match self.files.open(file, self.lane.as_mut(), self.job) {
            Ok(()) => true,
            Err(error) => {
                self.stop_with(error);
                false
            }
        }
    }

    /// The job ends, with an error unless somebody asked for it.
    fn stop_with(&mut self, error: Error) {
        match error.kind {
            ErrorKind::Interrupted => self.halt = self.halt.take().or(Some(Halt::Over)),
            _ => self.fail(Box::new(error)),
        }
    }

    /// A sync after so many writes.
    #[inline]
    fn sync_when_due(&mut self, file: u32) {
        let syncs = &self.job.syncs;
        if syncs.fsync == 0 && syncs.fdatasync == 0 && syncs.range.every == 0 {
            return;
        }
        let is_due = |every: u32| every > 0 && self.writes.is_multiple_of(u64::from(every));
        let kind = match (is_due(syncs.fsync), is_due(syncs.fdatasync), is_due(syncs.range.every)) {
            (true, ..) => LaneKind::Sync,
            (_, true, _) => LaneKind::DataSync,
            (.., true) => LaneKind::RangeSync,
            _ => return,
        };
        self.sync(file, kind);
    }

    /// A sync of a file: what was written before is finished first.
    pub(crate) fn sync(&mut self, file: u32, kind: LaneKind) {
        self.drain();
        if self.halt.is_some() {
            return;
        }
        let slot = self.free.pop().expect("nothing is in flight");
        let request = LaneRequest { offset: 0, len: 0, slot, file, kind };
        self.start(request, Flight { file, of: SYNC as u8, ..NO_FLIGHT }, None);
        self.drain();
    }
}
