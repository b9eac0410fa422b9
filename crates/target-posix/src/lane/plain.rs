//! Engines of one system call for each request: pread, preadv, preadv2, and lseek with read.

use super::calls;
use super::core::{Core, Engine};
use fsbench_target::{LaneAccess, LaneKind, LaneOptions, LaneRequest, Result, Started};
use rustix::fd::BorrowedFd;
use rustix::fs::{FileType, SeekFrom, seek};
use rustix::io::{ReadWriteFlags, pread, preadv, preadv2, pwrite, pwritev, pwritev2, read, retry_on_intr, write};
use std::io::{IoSlice, IoSliceMut};

/// `RWF_DONTCACHE`, Linux 6.14.
pub(crate) const DONTCACHE: u32 = 0x80;

type Moved = rustix::io::Result<usize>;

/// The flags of `preadv2` that a lane was made with.
pub(crate) fn transfer_flags(options: &LaneOptions) -> ReadWriteFlags {
    let wished = [
        (options.hipri, ReadWriteFlags::HIPRI),
        (options.nowait, ReadWriteFlags::NOWAIT),
        (options.uncached, ReadWriteFlags::from_bits_retain(DONTCACHE)),
    ];
    wished.into_iter().filter(|(wish, _)| *wish).fold(ReadWriteFlags::empty(), |all, (_, flag)| all | flag)
}

/// How bytes are moved; the request's file is open.
pub(crate) trait Transfer {
    fn opened(&mut self, file: u32, seekable: bool) {
        let _ = (file, seekable);
    }

    fn read(&mut self, fd: BorrowedFd<'_>, bytes: &mut [u8], request: &LaneRequest) -> Moved;

    fn write(&mut self, fd: BorrowedFd<'_>, bytes: &[u8], request: &LaneRequest) -> Moved;
}

/// An engine that has finished when it returns.
pub(crate) struct Plain<T>(pub(crate) T);

impl<T: Transfer> Engine for Plain<T> {
    fn opened(&mut self, core: &mut Core, file: u32, _: LaneAccess) -> Result<()> {
        let seekable = !matches!(core.files.kind(file), FileType::Fifo | FileType::Socket);
        self.0.opened(file, seekable);
        Ok(())
    }

    #[inline]
    fn start(&mut self, core: &mut Core, request: &LaneRequest) -> Started {
        if !matches!(request.kind, LaneKind::Read | LaneKind::Write) {
            return Started::Done(calls::run(core, request));
        }
        let moved = match core.parts(request) {
            Err(error) => return Started::Done(Err(error)),
            Ok((fd, bytes)) if request.kind == LaneKind::Read => self.0.read(fd, bytes, request),
            Ok((fd, bytes)) => self.0.write(fd, bytes, request),
        };
        Started::Done(core.outcome(request, moved))
    }
}

/// `pread`, `pwrite`.
pub(crate) struct Psync;

impl Transfer for Psync {
    #[inline]
    fn read(&mut self, fd: BorrowedFd<'_>, bytes: &mut [u8], request: &LaneRequest) -> Moved {
        retry_on_intr(|| pread(fd, &mut *bytes, request.offset))
    }

    #[inline]
    fn write(&mut self, fd: BorrowedFd<'_>, bytes: &[u8], request: &LaneRequest) -> Moved {
        retry_on_intr(|| pwrite(fd, bytes, request.offset))
    }
}

/// `preadv`, `pwritev` with one buffer.
pub(crate) struct Pvsync;

impl Transfer for Pvsync {
    #[inline]
    fn read(&mut self, fd: BorrowedFd<'_>, bytes: &mut [u8], request: &LaneRequest) -> Moved {
        retry_on_intr(|| preadv(fd, &mut [IoSliceMut::new(bytes)], request.offset))
    }

    #[inline]
    fn write(&mut self, fd: BorrowedFd<'_>, bytes: &[u8], request: &LaneRequest) -> Moved {
        retry_on_intr(|| pwritev(fd, &[IoSlice::new(bytes)], request.offset))
    }
}

/// `preadv2`, `pwritev2` with one buffer and flags.
pub(crate) struct Pvsync2(pub(crate) ReadWriteFlags);

impl Transfer for Pvsync2 {
    #[inline]
    fn read(&mut self, fd: BorrowedFd<'_>, bytes: &mut [u8], request: &LaneRequest) -> Moved {
        retry_on_intr(|| preadv2(fd, &mut [IoSliceMut::new(bytes)], request.offset, self.0))
    }

    #[inline]
    fn write(&mut self, fd: BorrowedFd<'_>, bytes: &[u8], request: &LaneRequest) -> Moved {
        retry_on_intr(|| pwritev2(fd, &[IoSlice::new(bytes)], request.offset, self.0))
    }
}

/// Where an unknown position stands.
const UNKNOWN: u64 = u64::MAX;

/// `read`, `write`, after `lseek` where the position is another one.
#[derive(Default)]
pub(crate) struct Seeking(Vec<Option<u64>>);

impl Seeking {
    fn go(&mut self, fd: BorrowedFd<'_>, request: &LaneRequest) -> rustix::io::Result<()> {
        match &mut self.0[request.file as usize] {
            Some(at) if *at != request.offset => {
                *at = UNKNOWN;
                seek(fd, SeekFrom::Start(request.offset)).map(|_| *at = request.offset)
            }
            _ => Ok(()),
        }
    }

    fn went(&mut self, request: &LaneRequest, moved: Moved) -> Moved {
        if let Some(at) = &mut self.0[request.file as usize] {
            *at = moved.map_or(UNKNOWN, |bytes| at.saturating_add(bytes as u64));
        }
        moved
    }
}

impl Transfer for Seeking {
    fn opened(&mut self, file: u32, seekable: bool) {
        let file = file as usize;
        self.0.resize(self.0.len().max(file + 1), None);
        self.0[file] = seekable.then_some(0);
    }

    fn read(&mut self, fd: BorrowedFd<'_>, bytes: &mut [u8], request: &LaneRequest) -> Moved {
        self.go(fd, request)?;
        let moved = retry_on_intr(|| read(fd, &mut *bytes));
        self.went(request, moved)
    }

    fn write(&mut self, fd: BorrowedFd<'_>, bytes: &[u8], request: &LaneRequest) -> Moved {
        self.go(fd, request)?;
        let moved = retry_on_intr(|| write(fd, bytes));
        self.went(request, moved)
    }
}
