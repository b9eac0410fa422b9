//! Reads in flight through io_uring. Owns the buffers for as long as the kernel may write into them.
//!
//! Only reads of buffered files, plain descriptors, no registration: the full engine is a later issue's.
#![allow(unsafe_code)]

use fsbench_target::{FileId, Io};
use io_uring::{IoUring, opcode, types};
use rustix::fd::{AsRawFd, BorrowedFd, RawFd};
use rustix::io::Errno;
use std::io;

/// Reads in flight at most; more wait in the session's queue.
const ENTRIES: u32 = 256;

/// Bytes of one submission at most; the kernel cuts at 2 GiB less a page anyway.
const BYTES_MAX: usize = 1 << 30;

/// A read that the kernel works on.
#[derive(Debug)]
struct Flight {
    io: Io,
    fd: RawFd,
    done: usize,
    /// Where the file ends, as far as is known.
    end: u64,
}

/// A session's ring. Used only by the thread that made it, as the session is.
pub(crate) struct Ring {
    ring: IoUring,
    /// What the kernel may write into; an index is a request's `user_data`.
    flights: Vec<Option<Flight>>,
    free: Vec<usize>,
}

impl Ring {
    /// A ring whose completions are delivered when they are asked for, or a plain one on kernels before 6.1.
    pub(crate) fn new() -> io::Result<Self> {
        let deferred =
            IoUring::builder().setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag().build(ENTRIES);
        let ring = match deferred {
            Err(error) if error.raw_os_error() == Some(libc::EINVAL) => IoUring::new(ENTRIES)?,
            other => other?,
        };
        let slots = ENTRIES as usize;
        Ok(Self { ring, flights: (0..slots).map(|_| None).collect(), free: (0..slots).rev().collect() })
    }

    pub(crate) fn in_flight(&self) -> usize {
        self.flights.len() - self.free.len()
    }

    pub(crate) fn has_room(&self) -> bool {
        !self.free.is_empty()
    }

    /// Whether a read of `file` is in flight.
    pub(crate) fn holds(&self, file: FileId) -> bool {
        self.in_flight() > 0 && self.flights.iter().flatten().any(|flight| flight.io.file == file)
    }

    /// Takes a read; [`Ring::drive`] starts it. `fd` must stay open until the read has landed, and there must be room.
    pub(crate) fn start(&mut self, io: Io, fd: BorrowedFd<'_>, end: u64) {
        assert!(io.len <= io.buffer.len(), "a read never passes the end of its buffer");
        let slot = self.free.pop().expect("the caller asked has_room");
        self.flights[slot] = Some(Flight { io, fd: fd.as_raw_fd(), done: 0, end });
        self.push(slot);
    }

    /// Starts what was taken, waits until `wait` reads have landed or none is left, and hands over all that have.
    ///
    /// # Errors
    /// When the kernel refuses the ring itself; the reads stay in flight.
    pub(crate) fn drive(
        &mut self,
        wait: usize,
        mut land: impl FnMut(Io, rustix::io::Result<usize>),
    ) -> rustix::io::Result<()> {
        let mut landed = 0;
        // The kernel's wish to run deferred work is granted once: its flag can stay set with nothing behind it, when a
        // worker thread raises it while it is being cleared.
        let mut granted = false;
        loop {
            landed += self.collect(&mut land);
            let short = landed < wait && self.in_flight() > 0;
            let queue = self.ring.submission();
            if !short && queue.is_empty() && (granted || !queue.taskrun()) {
                return Ok(());
            }
            drop(queue);
            granted = true;
            match self.ring.submit_and_wait(usize::from(short)) {
                Ok(_) => {}
                // A signal, or the kernel asks to take completions first.
                Err(e) if matches!(e.raw_os_error(), Some(libc::EINTR | libc::EAGAIN | libc::EBUSY)) => {}
                Err(e) => return Err(Errno::from_io_error(&e).unwrap_or(Errno::IO)),
            }
        }
    }

    /// Takes all completions that are there; reads that ended too early go on.
    fn collect(&mut self, land: &mut impl FnMut(Io, rustix::io::Result<usize>)) -> usize {
        let mut landed = 0;
        loop {
            let Some(entry) = self.ring.completion().next() else {
                return landed;
            };
            let slot = entry.user_data() as usize;
            match self.progress(slot, entry.result()) {
                None => self.push(slot),
                Some(result) => {
                    let flight = self.flights[slot].take().expect("a completion belongs to a flight");
                    self.free.push(slot);
                    land(flight.io, result);
                    landed += 1;
                }
            }
        }
    }

    /// What a completion means for its read: its end, or `None` when the rest is still to be read.
    fn progress(&mut self, slot: usize, result: i32) -> Option<rustix::io::Result<usize>> {
        let flight = self.flights[slot].as_mut().expect("a completion belongs to a flight");
        match result {
            e if e == -libc::EINTR || e == -libc::EAGAIN => None,
            e if e < 0 => Some(Err(Errno::from_raw_os_error(-e))),
            0 => Some(Ok(flight.done)),
            count => {
                flight.done += count as usize;
                assert!(flight.done <= flight.io.len, "the kernel moves no more than it was asked for");
                let whole = flight.done == flight.io.len;
                let at_end = flight.io.offset.saturating_add(flight.done as u64) >= flight.end;
                (whole || at_end).then_some(Ok(flight.done))
            }
        }
    }

    fn push(&mut self, slot: usize) {
        let flight = self.flights[slot].as_mut().expect("only a flight is pushed");
        let at = flight.io.offset.saturating_add(flight.done as u64);
        let rest = &mut flight.io.buffer.as_mut()[flight.done..flight.io.len];
        let len = rest.len().min(BYTES_MAX) as u32;
        let entry = opcode::Read::new(types::Fd(flight.fd), rest.as_mut_ptr(), len).offset(at).build();
        // SAFETY: the buffer's bytes live on the heap and belong to `self.flights[slot]`, which is emptied only when the
        // kernel has reported this very request as complete; dropping the ring waits for that, and leaks the buffers if
        // it cannot. `len` bytes from the pointer lie inside of the buffer. The descriptor is open: the session neither
        // closes nor abandons a file that `holds` says is in flight.
        let pushed = unsafe { self.ring.submission().push(&entry.user_data(slot as u64)) };
        pushed.expect("the queue has an entry for each flight");
    }
}

impl Drop for Ring {
    /// Waits until the kernel has let go of every buffer.
    fn drop(&mut self) {
        let in_flight = self.in_flight();
        if in_flight > 0 && self.drive(in_flight, |_, _| ()).is_err() {
            // The kernel may still write into them: never give that memory back.
            std::mem::forget(std::mem::take(&mut self.flights));
        }
    }
}
