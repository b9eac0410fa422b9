//! io_uring: requests are written into the submission queue by `start`, and one `io_uring_enter` hands over a batch and
//! waits for completions.
//!
//! The ring is made with what the kernel has: completions delivered only when they are asked for (6.1), else without
//! interrupting the program (5.19), else plainly. `reap` takes what is there; when it must enter the kernel to wait, it
//! hands over what `start` has queued in the same call, so a driver that waits anyway need not call `submit` first.
#![allow(unsafe_code)]

use super::calls;
use super::core::{Core, Engine, SLICE_NS};
use super::plain::transfer_flags;
use fsbench_target::{ErrorKind, LaneAccess, LaneDone, LaneKind, LaneOptions, LaneRequest, Result, Started};
use io_uring::squeue::{Entry, Flags};
use io_uring::types::{Fd, FsyncFlags, SubmitArgs, Timespec};
use io_uring::{Builder, IoUring, opcode};
use rustix::io::Errno;
use std::io;

/// Files registered at the same time at most; more are used by their descriptors.
const FILES: u32 = 1024;

/// Milliseconds without work after which the kernel's submission thread sleeps.
const IDLE_MS: u32 = 1000;

/// `user_data` of a request to cancel others.
const CANCEL: u64 = u64::MAX;

const SLICE: Timespec = Timespec::new().nsec(SLICE_NS);

/// A file's place among the registered ones.
const PLAIN: u32 = u32::MAX;

/// The engine.
pub(crate) struct Uring {
    ring: IoUring,
    options: LaneOptions,
    flags: i32,
    /// Whether a wait can be limited in time, Linux 5.11.
    timed: bool,
    /// What each slot was asked; `None` when it is free.
    requests: Box<[Option<LaneRequest>]>,
    /// In the queue or in the kernel.
    in_flight: u32,
    /// Written into the queue since the last submission.
    unsent: u32,
    /// Requests until the next one for a worker of the kernel's.
    until_async: u32,
    /// By file: where it is registered, or [`PLAIN`].
    places: Vec<u32>,
    free_places: Vec<u32>,
}

impl Uring {
    pub(crate) fn new(core: &Core, options: &LaneOptions) -> Result<Self> {
        let ring = build(core.arena.slots() as u32, options).map_err(|error| explain(core, &error))?;
        let mut engine = Self {
            timed: ring.params().is_feature_ext_arg() && !options.hipri,
            ring,
            options: *options,
            flags: rw_flags(options),
            requests: vec![None; core.arena.slots()].into(),
            in_flight: 0,
            unsent: 0,
            until_async: options.force_async,
            places: Vec::new(),
            free_places: Vec::new(),
        };
        // Saves looking up the ring's descriptor with each call, Linux 5.18.
        let _ = engine.ring.submitter().register_ring_fd();
        if options.fixed_buffers {
            engine.register_buffers(core)?;
        }
        if options.registered_files {
            engine.register_files(core)?;
        }
        Ok(engine)
    }

    fn register_buffers(&self, core: &Core) -> Result<()> {
        let len = core.arena.slot_bytes();
        let buffer = |slot| libc::iovec { iov_base: core.arena.pointer(slot, 0).cast(), iov_len: len };
        let buffers: Vec<libc::iovec> = (0..core.arena.slots() as u32).map(buffer).collect();
        // SAFETY: the buffers are in the arena, which outlives the ring or is leaked.
        unsafe { self.ring.submitter().register_buffers(&buffers) }.map_err(|error| {
            let failed = core.broken("register buffers of io_uring for", &error);
            match error.raw_os_error() {
                Some(libc::ENOMEM) => failed.with_hint("raise the limit of locked memory with ulimit -l"),
                Some(libc::EINVAL | libc::EFAULT) => {
                    failed.with_hint("the kernel takes 16384 buffers of 1 GiB (1024 before Linux 5.13)")
                }
                _ => failed,
            }
        })
    }

    fn register_files(&mut self, core: &Core) -> Result<()> {
        let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
        let count = FILES.min(u32::try_from(limit).unwrap_or(FILES));
        let submitter = self.ring.submitter();
        submitter
            .register_files_sparse(count)
            .or_else(|_| submitter.register_files(&vec![-1; count as usize]))
            .map_err(|error| core.broken("register files of io_uring for", &error))?;
        self.free_places = (0..count).rev().collect();
        Ok(())
    }

    fn entry(&self, core: &Core, request: &LaneRequest) -> Option<Entry> {
        let fd = core.files.raw(request.file)?;
        let place = self.places[request.file as usize];
        let (fd, fixed) = if place == PLAIN { (Fd(fd), Flags::empty()) } else { (Fd(place as i32), Flags::FIXED_FILE) };
        let LaneRequest { offset, len, slot, .. } = *request;
        let buffer = || core.arena.pointer(slot, len);
        let (index, flags) = (slot as u16, self.flags);
        let entry = match (request.kind, self.options.fixed_buffers) {
            (LaneKind::Read, true) => {
                opcode::ReadFixed::new(fd, buffer(), len, index).offset(offset).rw_flags(flags).build()
            }
            (LaneKind::Write, true) => {
                opcode::WriteFixed::new(fd, buffer(), len, index).offset(offset).rw_flags(flags).build()
            }
            (LaneKind::Read, false) => opcode::Read::new(fd, buffer(), len).offset(offset).rw_flags(flags).build(),
            (LaneKind::Write, false) => opcode::Write::new(fd, buffer(), len).offset(offset).rw_flags(flags).build(),
            (LaneKind::Sync, _) => opcode::Fsync::new(fd).build(),
            (LaneKind::DataSync, _) => opcode::Fsync::new(fd).flags(FsyncFlags::DATASYNC).build(),
            (LaneKind::RangeSync, _) => {
                opcode::SyncFileRange::new(fd, len).offset(offset).flags(self.options.sync_range).build()
            }
            (LaneKind::Trim, _) => {
                let mode = calls::PUNCH.bits() as i32;
                opcode::Fallocate::new(fd, u64::from(len)).offset(offset).mode(mode).build()
            }
            _ => return None,
        };
        Some(entry.flags(fixed).user_data(u64::from(slot)))
    }

    /// Whether the request is one for the ring: a polled ring takes transfers only, and devices are trimmed by a call.
    fn takes(&self, core: &Core, request: &LaneRequest) -> bool {
        match request.kind {
            LaneKind::Read | LaneKind::Write => true,
            LaneKind::Trim => !self.options.hipri && core.files.kind(request.file).is_file(),
            _ => !self.options.hipri,
        }
    }

    fn worker_flag(&mut self) -> Flags {
        if self.options.force_async == 0 {
            return Flags::empty();
        }
        self.until_async -= 1;
        if self.until_async > 0 {
            return Flags::empty();
        }
        self.until_async = self.options.force_async;
        Flags::ASYNC
    }

    /// Takes completions that are there.
    fn collect(&mut self, core: &Core, max: u32, done: &mut Vec<LaneDone>) -> u32 {
        let mut taken = 0;
        let mut queue = self.ring.completion();
        while taken < max {
            let Some(entry) = queue.next() else { break };
            if entry.user_data() == CANCEL {
                continue;
            }
            let slot = entry.user_data() as u32;
            let request = self.requests[slot as usize].take().expect("a completion belongs to a request");
            let result = match entry.result() {
                0 => Ok(calls::moved(&request)),
                moved @ 1.. => Ok(moved as u32),
                error => Err(core.files.failed(request.kind, request.file, Errno::from_raw_os_error(-error))),
            };
            done.push(LaneDone { slot, result });
            taken += 1;
        }
        drop(queue);
        self.in_flight -= taken;
        taken
    }

    /// One call to the kernel: hands over what is queued and waits for `want` completions, not for ever.
    fn enter(&mut self, want: u32) -> io::Result<()> {
        let entered = match self.timed && want > 0 {
            true => self.ring.submitter().submit_with_args(want as usize, &SubmitArgs::new().timespec(&SLICE)),
            false => self.ring.submit_and_wait(want as usize),
        };
        self.unsent = match self.options.submission_thread {
            true => 0,
            false => self.ring.submission().len() as u32,
        };
        match entered {
            Ok(_) => Ok(()),
            // A signal, the end of the slice, or the kernel asks to take completions first.
            Err(e) if matches!(e.raw_os_error(), Some(libc::EINTR | libc::ETIME | libc::EAGAIN | libc::EBUSY)) => {
                Ok(())
            }
            Err(e) => Err(e),
        }
    }

    /// Whether completions may be there that only a call to the kernel brings to light.
    fn hides_completions(&mut self) -> bool {
        self.options.hipri || self.ring.submission().taskrun() || self.ring.submission().cq_overflow()
    }

    fn wait_all(&mut self, core: &Core) -> io::Result<()> {
        let mut dropped = Vec::new();
        loop {
            self.collect(core, u32::MAX, &mut dropped);
            dropped.clear();
            if self.in_flight == 0 {
                return Ok(());
            }
            self.enter(1)?;
        }
    }

    /// Hands over what is queued, then asks the kernel to give up everything: what waits is, what runs goes on.
    fn ask_to_cancel(&mut self, core: &Core) -> io::Result<()> {
        while self.unsent > 0 {
            self.enter(0)?;
            self.collect(core, u32::MAX, &mut Vec::new());
        }
        let held = self.requests.iter().enumerate().filter(|(_, request)| request.is_some());
        let held: Vec<u64> = held.map(|(slot, _)| slot as u64).collect();
        for slot in held {
            let entry = opcode::AsyncCancel::new(slot).build().user_data(CANCEL);
            // SAFETY: the entry points to no memory.
            while unsafe { self.ring.submission().push(&entry) }.is_err() {
                self.enter(0)?;
            }
        }
        self.enter(0)
    }
}

/// The flags of a transfer; polling is the ring's.
fn rw_flags(options: &LaneOptions) -> i32 {
    transfer_flags(&LaneOptions { hipri: false, ..*options }).bits() as i32
}

/// What every ring of these options has.
fn builder(options: &LaneOptions) -> Builder {
    let mut builder = IoUring::builder();
    builder.dontfork().setup_clamp();
    if options.hipri {
        builder.setup_iopoll();
    }
    if options.submission_thread {
        builder.setup_sqpoll(IDLE_MS);
    }
    if let (true, Some(processor)) = (options.submission_thread, options.submission_processor) {
        builder.setup_sqpoll_cpu(processor);
    }
    builder
}

/// A ring of the best kind that the kernel has: it refuses what it does not know with EINVAL.
fn build(slots: u32, options: &LaneOptions) -> io::Result<IoUring> {
    let polled = options.submission_thread;
    let mut best = builder(options);
    best.setup_submit_all().setup_single_issuer().setup_no_sqarray();
    let mut good = builder(options);
    good.setup_submit_all();
    if !polled {
        best.setup_defer_taskrun().setup_taskrun_flag();
        good.setup_coop_taskrun().setup_taskrun_flag();
    }
    let mut middle = builder(options);
    middle.setup_submit_all().setup_single_issuer();
    if !polled {
        middle.setup_defer_taskrun().setup_taskrun_flag();
    }
    let mut last = io::Error::from_raw_os_error(libc::EINVAL);
    for kind in [best, middle, good, builder(options)] {
        match kind.build(slots) {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => last = error,
            other => return other,
        }
    }
    Err(last)
}

/// Why there is no ring.
fn explain(core: &Core, error: &io::Error) -> fsbench_target::Error {
    let failed = core.broken("set up io_uring on", error);
    match error.raw_os_error() {
        Some(libc::ENOSYS) => fsbench_target::Error {
            kind: ErrorKind::Unsupported,
            ..failed.with_hint("io_uring needs Linux 5.6; the engine libaio works without it")
        },
        Some(libc::EPERM | libc::EACCES) => failed.with_hint(
            "io_uring is switched off here: by the sysctl kernel.io_uring_disabled, or by a container's seccomp profile",
        ),
        Some(libc::ENOMEM) => failed.with_hint("raise the limit of locked memory with ulimit -l"),
        _ => failed,
    }
}

impl Engine for Uring {
    fn declared(&mut self, _: &mut Core, _: u32) {
        self.places.push(PLAIN);
    }

    fn opened(&mut self, core: &mut Core, file: u32, _: LaneAccess) -> Result<()> {
        let (Some(place), Some(fd)) = (self.free_places.pop(), core.files.raw(file)) else {
            return Ok(());
        };
        match self.ring.submitter().register_files_update(place, &[fd]) {
            Ok(_) => self.places[file as usize] = place,
            Err(error) => {
                self.free_places.push(place);
                return Err(core.broken("register a file of io_uring for", &error));
            }
        }
        Ok(())
    }

    fn closing(&mut self, _: &mut Core, file: u32) {
        let place = std::mem::replace(&mut self.places[file as usize], PLAIN);
        if place != PLAIN && self.ring.submitter().register_files_update(place, &[-1]).is_ok() {
            self.free_places.push(place);
        }
    }

    fn holds(&self, slot: u32) -> bool {
        self.requests.get(slot as usize).is_some_and(Option::is_some)
    }

    fn start(&mut self, core: &mut Core, request: &LaneRequest) -> Started {
        assert!(!self.holds(request.slot), "a slot has one request at a time");
        let entry = if self.takes(core, request) { self.entry(core, request) } else { None };
        let Some(entry) = entry else {
            return Started::Done(calls::run(core, request));
        };
        let entry = entry.flags(self.worker_flag());
        // SAFETY: the entry points to nothing but the slot's buffer, which `pointer` checked to hold `len` bytes. It is
        // in the arena, which outlives the ring, or is leaked when the ring could not be drained. The slot is taken
        // until the completion, so nobody else has the buffer. A descriptor that is closed too early is an error.
        if unsafe { self.ring.submission().push(&entry) }.is_err() {
            return Started::Busy;
        }
        self.requests[request.slot as usize] = Some(*request);
        self.in_flight += 1;
        self.unsent += 1;
        Started::Queued
    }

    fn submit(&mut self, core: &mut Core) -> Result<u32> {
        let before = self.unsent;
        while self.unsent > 0 {
            let left = self.unsent;
            self.enter(0).map_err(|error| core.broken("submit to io_uring on", &error))?;
            if self.unsent == left {
                break;
            }
        }
        Ok(before - self.unsent)
    }

    fn reap(&mut self, core: &mut Core, min: u32, max: u32, done: &mut Vec<LaneDone>) -> Result<()> {
        let mut taken = self.collect(core, max, done);
        let min = min.min(max).min(taken + self.in_flight);
        let enter =
            |engine: &mut Self, want| engine.enter(want).map_err(|error| core.broken("wait for io_uring on", &error));
        if self.unsent > 0 && min > 0 {
            // What waits to be handed over goes now, even if enough has finished already.
            enter(self, min.saturating_sub(taken))?;
            taken += self.collect(core, max - taken, done);
        }
        if taken == 0 && min == 0 && self.in_flight > 0 && self.hides_completions() {
            enter(self, 0)?;
            self.collect(core, max, done);
        }
        while taken < min {
            enter(self, min - taken)?;
            taken += self.collect(core, max - taken, done);
            if taken < min {
                core.go()?;
            }
        }
        Ok(())
    }

    fn cancel(&mut self, core: &mut Core) -> bool {
        if self.in_flight > 0 && self.ask_to_cancel(core).and_then(|()| self.wait_all(core)).is_err() {
            return false;
        }
        assert!(self.requests.iter().all(Option::is_none), "what is in flight is what holds a slot");
        true
    }
}
