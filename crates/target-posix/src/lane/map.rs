//! The engine mmap: a transfer is a copy from or to the mapped file, a sync is `msync`.
//!
//! A file to be written is first made as long as was declared. What lies behind the end of a file when it is opened is
//! not mapped: reading there is a short read. A file that somebody cuts while it is mapped kills the process (SIGBUS),
//! as it does in every program that maps files.
#![allow(unsafe_code)]

use super::calls;
use super::core::{Core, Engine};
use fsbench_target::{LaneAccess, LaneKind, LaneRequest, LaneResult, Result, Started};
use rustix::fd::BorrowedFd;
use rustix::fs::FileType;
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, MsyncFlags, ProtFlags, madvise, mmap, msync, munmap};
use std::ptr::null_mut;

/// The whole of an open file, or as much as was declared.
struct Map {
    start: *mut u8,
    bytes: usize,
    write: bool,
}

impl Map {
    fn new(fd: BorrowedFd<'_>, bytes: usize, access: LaneAccess) -> rustix::io::Result<Self> {
        let write = if access.write { ProtFlags::WRITE } else { ProtFlags::empty() };
        let read = ProtFlags::READ;
        // SAFETY: a new mapping at an address of the kernel's choice.
        let start = unsafe { mmap(null_mut(), bytes, read | write, MapFlags::SHARED, fd, 0) }?;
        if let Some(random) = access.random {
            let advice = if random { Advice::Random } else { Advice::Sequential };
            // SAFETY: the range is the mapping, and the advice changes no content.
            let _ = unsafe { madvise(start, bytes, advice) };
        }
        Ok(Self { start: start.cast(), bytes, write: access.write })
    }

    /// The bytes of a request that are mapped: where they start, and how many.
    fn part(&self, request: &LaneRequest) -> (usize, usize) {
        let start = usize::try_from(request.offset).unwrap_or(usize::MAX).min(self.bytes);
        (start, (request.len as usize).min(self.bytes - start))
    }

    /// Writes whole pages back that hold the range.
    fn sync(&self, start: usize, bytes: usize) -> rustix::io::Result<()> {
        let first = start - start % rustix::param::page_size();
        // SAFETY: the range begins at a page of the mapping and ends inside of it.
        unsafe { msync(self.start.add(first).cast(), bytes + start - first, MsyncFlags::SYNC) }
    }
}

impl Drop for Map {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `new`, and nobody borrows from it.
        let _ = unsafe { munmap(self.start.cast(), self.bytes) };
    }
}

/// The engine; by file, what is mapped. An empty file has no mapping.
#[derive(Default)]
pub(crate) struct Mmap(Vec<Option<Map>>);

impl Mmap {
    fn transfer(&self, core: &mut Core, request: &LaneRequest) -> LaneResult {
        if core.files.fd(request.file).is_none() {
            return Err(core.files.closed(request.kind, request.file));
        }
        let Some(map) = &self.0[request.file as usize] else { return Ok(0) };
        let reading = request.kind == LaneKind::Read;
        if !reading && !map.write {
            return Err(core.files.failed(request.kind, request.file, Errno::BADF));
        }
        let (start, bytes) = map.part(request);
        let buffer = core.arena.pointer(request.slot, request.len);
        let place = map.start.wrapping_add(start);
        let (from, to) = if reading { (place, buffer) } else { (buffer, place) };
        // SAFETY: `part` keeps the range inside of the mapping, `pointer` inside of the slot; the two are different
        // mappings and cannot overlap. Writing is done only through a mapping made for it.
        unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) };
        match core.options.direct {
            true => drop_pages(map, start, bytes).map(|()| bytes as u32),
            false => Ok(bytes as u32),
        }
        .map_err(|errno| core.files.failed(request.kind, request.file, errno))
    }

    fn sync(&self, core: &Core, request: &LaneRequest) -> LaneResult {
        let Some(Some(map)) = self.0.get(request.file as usize).filter(|_| core.files.fd(request.file).is_some())
        else {
            return calls::run(core, request);
        };
        let (start, bytes) = match request.kind {
            LaneKind::RangeSync => map.part(request),
            _ => (0, map.bytes),
        };
        let synced = map.sync(start, bytes);
        synced.map(|()| 0).map_err(|errno| core.files.failed(request.kind, request.file, errno))
    }
}

/// Not direct I/O, but the next access to the pages goes to the device, which is what fio does.
fn drop_pages(map: &Map, start: usize, bytes: usize) -> rustix::io::Result<()> {
    map.sync(start, bytes)?;
    let first = start - start % rustix::param::page_size();
    // SAFETY: the range is inside of the mapping, which is of a file: its content is read again when it is needed.
    unsafe { madvise(map.start.add(first).cast(), bytes + start - first, Advice::LinuxDontNeed) }
}

/// Bytes to map: what was declared or all, and of a file to write all of it is made to exist.
fn bytes_to_map(core: &Core, file: u32, access: LaneAccess) -> Result<u64> {
    let size = core.files.size(file)?;
    let fd = core.files.fd(file).expect("the file was opened before");
    let regular = core.files.kind(file) == FileType::RegularFile;
    if regular && access.write && size < access.bytes {
        rustix::fs::ftruncate(fd, access.bytes).map_err(|errno| core.files.fail("extend", file, errno))?;
        return Ok(access.bytes);
    }
    let sized = regular || core.files.kind(file) == FileType::BlockDevice;
    Ok(match access.bytes {
        0 => size,
        declared if sized => declared.min(size),
        declared => declared,
    })
}

impl Engine for Mmap {
    fn declared(&mut self, _: &mut Core, _: u32) {
        self.0.push(None);
    }

    fn opened(&mut self, core: &mut Core, file: u32, access: LaneAccess) -> Result<()> {
        let bytes = bytes_to_map(core, file, access)?;
        if bytes > 0 {
            let fd = core.files.fd(file).expect("the file was opened before");
            let map = usize::try_from(bytes).map_err(|_| Errno::NOMEM).and_then(|bytes| Map::new(fd, bytes, access));
            self.0[file as usize] = Some(map.map_err(|errno| core.files.fail("map", file, errno))?);
        }
        Ok(())
    }

    fn closing(&mut self, _: &mut Core, file: u32) {
        self.0[file as usize] = None;
    }

    #[inline]
    fn start(&mut self, core: &mut Core, request: &LaneRequest) -> Started {
        Started::Done(match request.kind {
            LaneKind::Read | LaneKind::Write => self.transfer(core, request),
            LaneKind::Sync | LaneKind::DataSync | LaneKind::RangeSync => self.sync(core, request),
            _ => calls::run(core, request),
        })
    }
}
