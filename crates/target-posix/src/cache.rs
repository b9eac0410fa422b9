//! The page cache of one file: how much of it is there, and dropping it.
#![allow(unsafe_code)]

use crate::base::Base;
use fsbench_target::{Cached, Result};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use rustix::fs::{Access, Advice, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use rustix::mm::{MapFlags, ProtFlags};
use std::ffi::CStr;

pub(crate) const LOOK: &str = "look at the page cache of";
pub(crate) const EVICT: &str = "evict";

/// `cachestat(2)`, Linux 6.5; the same number on every architecture but alpha.
const SYS_CACHESTAT: libc::c_long = 451;

/// Bytes of a file that are mapped at a time to ask `mincore(2)`.
const WINDOW_BYTES: u64 = 1 << 30;

/// `struct cachestat_range` of linux/mman.h; a length of 0 reaches to the end.
#[repr(C)]
struct Range {
    offset: u64,
    len: u64,
}

/// `struct cachestat` of linux/mman.h, all in pages.
#[repr(C)]
#[derive(Default)]
struct Counts {
    cache: u64,
    dirty: u64,
    writeback: u64,
    evicted: u64,
    recently_evicted: u64,
}

/// How much of the file is cached; `None` when the kernel will not tell.
pub(crate) fn cached(base: &Base, path: &str, name: &CStr) -> Result<Option<Cached>> {
    open(name).and_then(|(fd, size)| count(name, &fd, size)).map_err(|errno| base.fail(LOOK, path, errno))
}

/// Writes the file back, drops it, and counts what stayed: pages that somebody has mapped or locked do.
pub(crate) fn evict(base: &Base, path: &str, name: &CStr) -> Result<Option<Cached>> {
    let dropped = open(name).and_then(|(fd, size)| {
        // Dirty pages are not dropped.
        retry_on_intr(|| rustix::fs::fdatasync(&fd))?;
        rustix::fs::fadvise(&fd, 0, None, Advice::DontNeed)?;
        count(name, &fd, size)
    });
    dropped.map_err(|errno| base.fail(EVICT, path, errno))
}

fn open(name: &CStr) -> rustix::io::Result<(OwnedFd, u64)> {
    // A pipe without a writer would keep a blocking open waiting for ever.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    let fd = retry_on_intr(|| rustix::fs::open(name, flags, Mode::empty()))?;
    let found = rustix::fs::fstat(&fd)?;
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Directory => Err(Errno::ISDIR),
        _ => Ok((fd, found.st_size as u64)),
    }
}

fn count(name: &CStr, fd: &OwnedFd, size: u64) -> rustix::io::Result<Option<Cached>> {
    let pages = match cachestat(fd.as_fd()) {
        Ok(pages) => Some(pages),
        // An older kernel, a filter that does not know the call, or a file system that cannot tell.
        Err(Errno::NOSYS | Errno::PERM | Errno::OPNOTSUPP) => mincore(name, fd.as_fd(), size)?,
        Err(errno) => return Err(errno),
    };
    let bytes = |pages: u64| pages.saturating_mul(rustix::param::page_size() as u64).min(size);
    Ok(pages.map(|pages| Cached { bytes: bytes(pages), of: size }))
}

/// Cached pages of the whole file.
fn cachestat(fd: BorrowedFd<'_>) -> rustix::io::Result<u64> {
    let range = Range { offset: 0, len: 0 };
    let mut counts = Counts::default();
    // SAFETY: both structs have the kernel's layout and outlive the call, which reads the first and writes the second.
    let result = unsafe { libc::syscall(SYS_CACHESTAT, fd.as_raw_fd(), &raw const range, &raw mut counts, 0) };
    match result {
        0 => Ok(counts.cache),
        _ => Err(Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::NOSYS)),
    }
}

/// The same by `mincore(2)`, which claims that all is cached to who may not write the file: `None` then.
fn mincore(name: &CStr, fd: BorrowedFd<'_>, size: u64) -> rustix::io::Result<Option<u64>> {
    if rustix::fs::access(name, Access::WRITE_OK).is_err() {
        return Ok(None);
    }
    let mut pages = 0;
    let mut resident = Vec::new();
    for offset in (0..size).step_by(WINDOW_BYTES as usize) {
        let len = (size - offset).min(WINDOW_BYTES) as usize;
        pages += resident_pages(fd, offset, len, &mut resident)?;
    }
    Ok(Some(pages))
}

fn resident_pages(fd: BorrowedFd<'_>, offset: u64, len: usize, resident: &mut Vec<u8>) -> rustix::io::Result<u64> {
    resident.clear();
    resident.resize(len.div_ceil(rustix::param::page_size()), 0);
    // SAFETY: a new mapping at an address of the kernel's choice, never read through, unmapped below.
    let map = unsafe {
        rustix::mm::mmap(std::ptr::null_mut(), len, ProtFlags::READ, MapFlags::SHARED | MapFlags::NORESERVE, fd, offset)
    }?;
    // SAFETY: the range is the mapping; the vector has one byte for each of its pages.
    let asked = unsafe { libc::mincore(map, len, resident.as_mut_ptr()) };
    let answer = if asked == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) };
    // SAFETY: the mapping was made above, nothing points into it.
    unsafe { rustix::mm::munmap(map, len) }?;
    answer.map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    Ok(resident.iter().map(|page| u64::from(page & 1)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// Both ways to ask must agree; the second is otherwise met only on old kernels.
    #[test]
    fn mincore_says_what_cachestat_says() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&vec![1; 300_000]).unwrap();
        let name = std::ffi::CString::new(file.path().to_str().unwrap()).unwrap();
        let (fd, size) = open(&name).unwrap();
        assert_eq!(mincore(&name, fd.as_fd(), size), Ok(Some(74)));
        match cachestat(fd.as_fd()) {
            Ok(pages) => assert_eq!(pages, 74),
            Err(errno) => eprintln!("not compared: no cachestat here ({errno})"),
        }
    }

    #[test]
    fn an_empty_file_has_nothing_cached() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let name = std::ffi::CString::new(file.path().to_str().unwrap()).unwrap();
        let (fd, size) = open(&name).unwrap();
        assert_eq!(mincore(&name, fd.as_fd(), size), Ok(Some(0)));
        assert_eq!(count(&name, &fd, size), Ok(Some(Cached { bytes: 0, of: 0 })));
    }
}
