//! Linux native asynchronous I/O, `io_submit` and `io_getevents`. Completions that are there already are taken from the
//! ring that the kernel shares, without a system call.
//!
//! Trim and `sync_file_range` have no opcode here: they are done at once, whatever is queued before them.
#![allow(unsafe_code)]

use super::calls;
use super::core::{Core, Engine, SLICE_NS};
use super::files::last_errno;
use super::plain::transfer_flags;
use fsbench_target::{LaneDone, LaneKind, LaneOptions, LaneRequest, LaneResult, Result, Started};
use rustix::io::Errno;
use std::sync::atomic::{AtomicU32, Ordering};

/// Opcodes, linux/aio_abi.h.
const PREAD: u16 = 0;
const PWRITE: u16 = 1;
const FSYNC: u16 = 2;
const FDSYNC: u16 = 3;

/// `AIO_RING_MAGIC` and the only layout that is known, fs/aio.c.
const RING_MAGIC: u32 = 0xa10a_10a1;

/// Completions taken with one call at most.
const EVENTS: usize = 128;

/// `struct iocb` of linux/aio_abi.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Control {
    data: u64,
    #[cfg(target_endian = "little")]
    key: u32,
    rw_flags: u32,
    #[cfg(target_endian = "big")]
    key: u32,
    opcode: u16,
    priority: i16,
    fd: u32,
    buffer: u64,
    bytes: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    event_fd: u32,
}

/// `struct io_event` of linux/aio_abi.h.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Event {
    data: u64,
    control: u64,
    result: i64,
    result2: i64,
}

/// `struct aio_ring` of fs/aio.c, as libaio and fio read it too; the events follow.
#[repr(C)]
struct RingHeader {
    id: u32,
    events: u32,
    head: AtomicU32,
    tail: AtomicU32,
    magic: u32,
    compatible: u32,
    incompatible: u32,
    header_bytes: u32,
}

/// An `aio_context_t`: the address of the shared ring.
struct Context(usize);

impl Context {
    fn new(depth: u32) -> rustix::io::Result<Self> {
        let mut context = 0_usize;
        // SAFETY: the call writes one word, which is zero as it wants, and there is one.
        match unsafe { libc::syscall(libc::SYS_io_setup, depth as libc::c_ulong, &raw mut context) } {
            0 => Ok(Self(context)),
            _ => Err(last_errno()),
        }
    }

    /// # Safety
    /// The control blocks behind the pointers, and what they point to, must stay as they are until their events came.
    unsafe fn submit(&self, controls: &mut [*mut Control]) -> rustix::io::Result<usize> {
        let count = controls.len() as libc::c_long;
        // SAFETY: the pointers are as many as is said; the caller vouches for what is behind them.
        match unsafe { libc::syscall(libc::SYS_io_submit, self.0, count, controls.as_mut_ptr()) } {
            taken @ 0.. => Ok(taken as usize),
            _ => Err(last_errno()),
        }
    }

    /// Waits for `min` events, for a slice of time at most.
    fn wait(&self, min: usize, events: &mut [Event]) -> rustix::io::Result<usize> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: libc::c_long::from(SLICE_NS as i32) };
        let (min, max) = (min as libc::c_long, events.len() as libc::c_long);
        let (place, time) = (events.as_mut_ptr(), &raw mut time);
        // SAFETY: there is room for as many events as is said; both pointers live on for the call.
        match unsafe { libc::syscall(libc::SYS_io_getevents, self.0, min, max, place, time) } {
            count @ 0.. => Ok(count as usize),
            _ => Err(last_errno()),
        }
    }

    /// Takes the events that are there, or says that the ring is one it cannot read.
    fn look(&self, events: &mut [Event]) -> Option<usize> {
        let start = std::ptr::with_exposed_provenance::<u8>(self.0);
        // SAFETY: the kernel mapped its ring at the context's address and keeps it there until io_destroy.
        let header = unsafe { &*start.cast::<RingHeader>() };
        if header.magic != RING_MAGIC || header.incompatible != 0 {
            return None;
        }
        // SAFETY: the events begin behind the header, whose length it says itself.
        let ring = unsafe { start.add(header.header_bytes as usize) }.cast::<Event>();
        let (mut head, tail) = (header.head.load(Ordering::Relaxed), header.tail.load(Ordering::Acquire));
        let mut count = 0;
        while count < events.len() && head != tail {
            // SAFETY: head is below the ring's length; the kernel has written the events up to the tail that was read.
            events[count] = unsafe { ring.add(head as usize).read() };
            head = if head + 1 == header.events { 0 } else { head + 1 };
            count += 1;
        }
        header.head.store(head, Ordering::Release);
        Some(count)
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is ours; the kernel waits for what is in flight.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}

/// A control block for each slot, reached by pointers only: the kernel is given their addresses.
struct Controls(*mut [Control]);

impl Controls {
    fn new(slots: usize) -> Self {
        Self(Box::into_raw(vec![Control::default(); slots].into_boxed_slice()))
    }

    /// Sets a slot's block, which the kernel must not have, and says where it is.
    fn set(&mut self, slot: u32, control: Control) -> *mut Control {
        assert!((slot as usize) < self.0.len(), "a request names a slot of its lane");
        let place = self.0.cast::<Control>().wrapping_add(slot as usize);
        // SAFETY: the place is inside of the blocks, which are there until the drop; nobody holds a reference to one.
        unsafe { place.write(control) };
        place
    }
}

impl Drop for Controls {
    fn drop(&mut self) {
        // SAFETY: the pointer came from a box; the context was destroyed before, and with it all that used the blocks.
        drop(unsafe { Box::from_raw(self.0) });
    }
}

/// The engine.
pub(crate) struct Libaio {
    /// Stands before what the kernel uses: dropping it waits for what is in flight.
    context: Context,
    flags: u32,
    controls: Controls,
    /// What each slot was asked, for its outcome.
    requests: Box<[Option<LaneRequest>]>,
    /// Slots that wait for `submit`, in order.
    queued: Vec<*mut Control>,
    /// Requests that the kernel did not take.
    refused: Vec<LaneDone>,
    events: Box<[Event]>,
    in_flight: usize,
}

impl Libaio {
    pub(crate) fn new(core: &Core, options: &LaneOptions) -> Result<Self> {
        let slots = core.arena.slots();
        let context = Context::new(slots as u32).map_err(|errno| {
            let error = core.broken("set up libaio on", &errno.into());
            match errno {
                Errno::AGAIN => error.with_hint("raise fs.aio-max-nr, or use a smaller depth or fewer jobs"),
                _ => error,
            }
        })?;
        Ok(Self {
            context,
            flags: transfer_flags(options).bits(),
            controls: Controls::new(slots),
            requests: vec![None; slots].into(),
            queued: Vec::with_capacity(slots),
            refused: Vec::new(),
            events: vec![Event::default(); slots.min(EVENTS)].into(),
            in_flight: 0,
        })
    }

    fn control(&self, core: &Core, request: &LaneRequest) -> Option<Control> {
        let moving = matches!(request.kind, LaneKind::Read | LaneKind::Write);
        let opcode = match request.kind {
            LaneKind::Read => PREAD,
            LaneKind::Write => PWRITE,
            LaneKind::Sync => FSYNC,
            LaneKind::DataSync => FDSYNC,
            _ => return None,
        };
        let shared = Control { data: u64::from(request.slot), opcode, ..Control::default() };
        let fd = core.files.raw(request.file)? as u32;
        let buffer = core.arena.pointer(request.slot, request.len);
        Some(match moving {
            true => Control {
                fd,
                rw_flags: self.flags,
                buffer: buffer.expose_provenance() as u64,
                bytes: u64::from(request.len),
                offset: request.offset as i64,
                ..shared
            },
            false => Control { fd, ..shared },
        })
    }

    fn finish(&mut self, core: &Core, event: Event) -> LaneDone {
        let slot = event.data as u32;
        let request = self.requests[slot as usize].take().expect("an event belongs to a request");
        self.in_flight -= 1;
        let result: LaneResult = match event.result {
            moved @ 0.. => Ok(moved as u32),
            error => Err(core.files.failed(request.kind, request.file, Errno::from_raw_os_error(-error as i32))),
        };
        LaneDone { slot, result }
    }

    /// Takes events up to `max`: from the shared ring, else by a call that waits for `min`.
    fn take(&mut self, core: &Core, min: u32, max: u32, done: &mut Vec<LaneDone>) -> rustix::io::Result<u32> {
        let room = self.events.len().min(max as usize);
        let count = match self.context.look(&mut self.events[..room]) {
            Some(count) if count > 0 || min == 0 => count,
            _ => self.context.wait((min as usize).min(room), &mut self.events[..room])?,
        };
        for at in 0..count {
            let event = self.events[at];
            let finished = self.finish(core, event);
            done.push(finished);
        }
        Ok(count as u32)
    }

    /// The first queued request is one that the kernel does not take.
    fn refuse_first(&mut self, core: &Core, errno: Errno) {
        let control = self.queued.remove(0);
        // SAFETY: the queue holds addresses of `controls`, which are set, and this one is not the kernel's.
        let slot = unsafe { (*control).data } as u32;
        let request = self.requests[slot as usize].take().expect("a queued control belongs to a request");
        let result = Err(core.files.failed(request.kind, request.file, errno));
        self.refused.push(LaneDone { slot, result });
    }
}

impl Engine for Libaio {
    fn holds(&self, slot: u32) -> bool {
        self.requests.get(slot as usize).is_some_and(Option::is_some)
    }

    fn start(&mut self, core: &mut Core, request: &LaneRequest) -> Started {
        assert!(!self.holds(request.slot), "a slot has one request at a time");
        let Some(control) = self.control(core, request) else {
            return Started::Done(calls::run(core, request));
        };
        let place = self.controls.set(request.slot, control);
        self.queued.push(place);
        self.requests[request.slot as usize] = Some(*request);
        Started::Queued
    }

    fn submit(&mut self, core: &mut Core) -> Result<u32> {
        let mut taken = 0;
        while !self.queued.is_empty() {
            // SAFETY: the controls live longer than the context and are not touched while their slot has a request;
            // their buffers are in the arena, which outlives the engine or is leaked.
            match unsafe { self.context.submit(&mut self.queued) } {
                Ok(count) => {
                    self.queued.drain(..count);
                    self.in_flight += count;
                    taken += count as u32;
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) if self.in_flight > 0 => break,
                Err(Errno::AGAIN) => {
                    core.go()?;
                    std::thread::yield_now();
                }
                Err(errno) => self.refuse_first(core, errno),
            }
        }
        Ok(taken)
    }

    fn reap(&mut self, core: &mut Core, min: u32, max: u32, done: &mut Vec<LaneDone>) -> Result<()> {
        if !self.queued.is_empty() && min > 0 {
            self.submit(core)?;
        }
        let refused = self.refused.len().min(max as usize);
        done.extend(self.refused.drain(..refused));
        let mut got = refused as u32;
        loop {
            let want = min.min(max).saturating_sub(got).min(self.in_flight as u32);
            match self.take(core, want, max - got, done) {
                Ok(count) => got += count,
                Err(Errno::INTR) => {}
                Err(errno) => return Err(core.broken("wait for libaio on", &errno.into())),
            }
            if got >= min.min(max) || self.in_flight == 0 {
                return Ok(());
            }
            core.go()?;
        }
    }

    fn cancel(&mut self, core: &mut Core) -> bool {
        self.queued.clear();
        self.refused.clear();
        let mut dropped = Vec::new();
        while self.in_flight > 0 {
            match self.take(core, 1, u32::MAX, &mut dropped) {
                Ok(_) | Err(Errno::INTR) => dropped.clear(),
                Err(_) => return false,
            }
        }
        self.requests.fill(None);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_for_nothing_ends_in_time() {
        let context = Context::new(4).unwrap();
        let start = std::time::Instant::now();
        assert_eq!(context.wait(1, &mut [Event::default()]), Ok(0));
        assert!(start.elapsed() < std::time::Duration::from_millis(100));
        assert_eq!(context.look(&mut [Event::default()]), Some(0));
    }
}
