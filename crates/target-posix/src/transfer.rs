//! One request as plain system calls: `pread`, `pwrite`, `fdatasync`.

use crate::files::OpenFile;
use fsbench_target::{Io, IoKind};
use rustix::fd::{AsFd, BorrowedFd};
use rustix::io::{Errno, Result, pread, pwrite, retry_on_intr};

/// Where reading `file` is known to end: a short read that reaches it needs no second call to be sure.
pub(crate) fn known_end(file: &OpenFile) -> u64 {
    file.size.unwrap_or(u64::MAX)
}

/// Does `io` on `file` and returns the bytes moved.
pub(crate) fn run(file: &OpenFile, io: &mut Io) -> Result<usize> {
    let fd = file.fd.as_ref().ok_or(Errno::BADF)?.as_fd();
    match io.kind {
        IoKind::Read => read(fd, &mut io.buffer.as_mut()[..io.len], io.offset, known_end(file)),
        IoKind::Write => write(fd, &io.buffer.as_ref()[..io.len], io.offset),
        IoKind::Sync => retry_on_intr(|| rustix::fs::fdatasync(fd)).map(|()| 0),
    }
}

fn read(fd: BorrowedFd<'_>, bytes: &mut [u8], offset: u64, end: u64) -> Result<usize> {
    let mut done = 0;
    loop {
        let at = offset.saturating_add(done as u64);
        let count = retry_on_intr(|| pread(fd, &mut bytes[done..], at))?;
        done += count;
        if count == 0 || done == bytes.len() || offset.saturating_add(done as u64) >= end {
            return Ok(done);
        }
    }
}

fn write(fd: BorrowedFd<'_>, bytes: &[u8], offset: u64) -> Result<usize> {
    let mut done = 0;
    while done < bytes.len() {
        let at = offset.saturating_add(done as u64);
        match retry_on_intr(|| pwrite(fd, &bytes[done..], at))? {
            0 => return Err(Errno::IO),
            count => done += count,
        }
    }
    Ok(done)
}
