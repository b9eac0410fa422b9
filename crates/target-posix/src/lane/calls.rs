//! Requests that move no bytes, as plain system calls: trim and the three kinds of sync.
#![allow(unsafe_code)]

use super::core::Core;
use super::files::last_errno;
use fsbench_target::{LaneKind, LaneRequest, LaneResult};
use rustix::fd::{AsRawFd, BorrowedFd};
use rustix::fs::{FallocateFlags, FileType};
use rustix::io::{Errno, retry_on_intr};

/// Discard a range of a block device, linux/fs.h.
const BLKDISCARD: libc::Ioctl = 0x1277;

/// How a range of a regular file is discarded.
pub(crate) const PUNCH: FallocateFlags = FallocateFlags::PUNCH_HOLE.union(FallocateFlags::KEEP_SIZE);

/// What `request` counts as moved when the kernel has done it and says 0.
pub(crate) fn moved(request: &LaneRequest) -> u32 {
    if request.kind == LaneKind::Trim { request.len } else { 0 }
}

/// Does what is neither a read nor a write.
pub(crate) fn run(core: &Core, request: &LaneRequest) -> LaneResult {
    if matches!(request.kind, LaneKind::Create | LaneKind::Stat | LaneKind::Delete) {
        return Err(core.files.unknown(request.kind, request.file));
    }
    let Some(fd) = core.files.fd(request.file) else {
        return Err(core.files.closed(request.kind, request.file));
    };
    let done = match request.kind {
        LaneKind::Trim => trim(fd, core.files.kind(request.file), request),
        LaneKind::Sync => retry_on_intr(|| rustix::fs::fsync(fd)),
        LaneKind::DataSync => retry_on_intr(|| rustix::fs::fdatasync(fd)),
        LaneKind::RangeSync => range_sync(fd, request, core.options.sync_range),
        _ => Err(Errno::INVAL),
    };
    done.map(|()| moved(request)).map_err(|errno| core.files.failed(request.kind, request.file, errno))
}

fn trim(fd: BorrowedFd<'_>, kind: FileType, request: &LaneRequest) -> rustix::io::Result<()> {
    if kind != FileType::BlockDevice {
        return retry_on_intr(|| rustix::fs::fallocate(fd, PUNCH, request.offset, u64::from(request.len)));
    }
    let range = [request.offset, u64::from(request.len)];
    // SAFETY: the request reads two 64-bit numbers, and there are two.
    retry_on_intr(|| match unsafe { libc::ioctl(fd.as_raw_fd(), BLKDISCARD, &raw const range) } {
        0 => Ok(()),
        _ => Err(last_errno()),
    })
}

fn range_sync(fd: BorrowedFd<'_>, request: &LaneRequest, flags: u32) -> rustix::io::Result<()> {
    let offset = i64::try_from(request.offset).map_err(|_| Errno::INVAL)?;
    // SAFETY: no memory is passed, the descriptor is open.
    let call = || match unsafe { libc::sync_file_range(fd.as_raw_fd(), offset, i64::from(request.len), flags) } {
        0 => Ok(()),
        _ => Err(last_errno()),
    };
    retry_on_intr(call)
}
