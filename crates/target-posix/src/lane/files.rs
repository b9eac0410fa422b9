//! The files of a lane: named once, opened and closed by number, and the errors that name them.
#![allow(unsafe_code)]

use crate::base::{Joiner, SCHEME};
use crate::files::close;
use crate::target::Shared;
use fsbench_target::{Allocate, Error, ErrorKind, LaneAccess, LaneEngine, LaneKind, LaneOptions, Result, relative};
use rustix::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd, RawFd};
use rustix::fs::{Advice, FallocateFlags, FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use std::sync::Arc;

/// Size of a block device in bytes, linux/fs.h.
const BLKGETSIZE64: libc::Ioctl = 0x8008_1272u32 as libc::Ioctl;

/// What is known of a file besides its descriptor.
#[derive(Debug)]
struct Known {
    path: Box<str>,
    kind: FileType,
    /// The null engine: its declared size while it counts as open.
    pretended: Option<u64>,
}

/// All declared files; an index is what the caller calls the file.
pub(crate) struct Files {
    shared: Arc<Shared>,
    options: LaneOptions,
    open: Vec<Option<OwnedFd>>,
    known: Vec<Known>,
    joiner: Joiner,
}

/// A word for errors.
fn verb(kind: LaneKind) -> &'static str {
    match kind {
        LaneKind::Read => "read",
        LaneKind::Write => "write",
        LaneKind::Trim => "trim",
        LaneKind::Sync | LaneKind::DataSync | LaneKind::RangeSync => "sync",
        LaneKind::Create => "create",
        LaneKind::Stat => "stat",
        LaneKind::Delete => "delete",
    }
}

impl Files {
    pub(crate) fn new(shared: Arc<Shared>, options: LaneOptions) -> Self {
        Self { shared, options, open: Vec::new(), known: Vec::new(), joiner: Joiner::default() }
    }

    pub(crate) fn declare(&mut self, path: &str) -> Result<u32> {
        relative(SCHEME, "declare", path)?;
        let index = u32::try_from(self.known.len())
            .map_err(|_| self.shared.base.refuse(ErrorKind::Invalid, "declare", path, "a lane has 4 billion files"))?;
        self.known.push(Known { path: path.into(), kind: FileType::Unknown, pretended: None });
        self.open.push(None);
        Ok(index)
    }

    /// The descriptor of an open file.
    #[inline]
    pub(crate) fn fd(&self, file: u32) -> Option<BorrowedFd<'_>> {
        self.open.get(file as usize)?.as_ref().map(AsFd::as_fd)
    }

    /// The same as a number, which is good until the file is closed.
    #[inline]
    pub(crate) fn raw(&self, file: u32) -> Option<RawFd> {
        self.open.get(file as usize)?.as_ref().map(AsRawFd::as_raw_fd)
    }

    /// What an open file is.
    pub(crate) fn kind(&self, file: u32) -> FileType {
        self.known.get(file as usize).map_or(FileType::Unknown, |known| known.kind)
    }

    /// The directory that all names are below.
    pub(crate) fn base(&self) -> &std::path::Path {
        self.shared.base.path()
    }

    pub(crate) fn path(&self, file: u32) -> &str {
        self.known.get(file as usize).map_or("", |known| &known.path)
    }

    /// Whether files are not looked at.
    fn pretends(&self) -> bool {
        self.options.engine == LaneEngine::Null
    }

    fn fd_for(&self, file: u32, operation: &'static str) -> Result<BorrowedFd<'_>> {
        self.fd(file).ok_or_else(|| self.not_open(operation, file))
    }

    pub(crate) fn open(&mut self, file: u32, access: LaneAccess) -> Result<()> {
        let verb = if access.create { "create" } else { "open" };
        if self.fd(file).is_some() {
            return Err(self.refuse(verb, file, "it is open already"));
        }
        let Some(known) = self.known.get_mut(file as usize) else {
            return Err(self.not_open(verb, file));
        };
        if self.options.engine == LaneEngine::Null {
            known.pretended = Some(access.bytes);
            return Ok(());
        }
        let name = self.joiner.join(&self.shared.base, verb, &known.path)?;
        let opened = open_named(name, flags(&self.options, access));
        let fd = opened.map_err(|errno| self.fail(verb, file, errno))?;
        let found = rustix::fs::fstat(&fd).map_err(|errno| self.fail(verb, file, errno))?;
        let kind = FileType::from_raw_mode(found.st_mode);
        if kind == FileType::Directory {
            return Err(self.fail(verb, file, Errno::ISDIR));
        }
        advise(&fd, access);
        self.known[file as usize].kind = kind;
        self.open[file as usize] = Some(fd);
        Ok(())
    }

    pub(crate) fn close(&mut self, file: u32) -> Result<()> {
        if self.known.get_mut(file as usize).and_then(|known| known.pretended.take()).is_some() {
            return Ok(());
        }
        let Some(fd) = self.open.get_mut(file as usize).and_then(Option::take) else {
            return Err(self.not_open("close", file));
        };
        close(fd).map_err(|errno| self.fail("close", file, errno))
    }

    pub(crate) fn size(&self, file: u32) -> Result<u64> {
        if let Some(bytes) = self.known.get(file as usize).and_then(|known| known.pretended) {
            return Ok(bytes);
        }
        let fd = self.fd_for(file, "stat")?;
        let size = match self.kind(file) {
            FileType::BlockDevice => device_bytes(fd),
            _ => rustix::fs::fstat(fd).map(|found| found.st_size as u64),
        };
        size.map_err(|errno| self.fail("stat", file, errno))
    }

    pub(crate) fn allocate(&self, file: u32, how: Allocate, bytes: u64) -> Result<()> {
        if self.pretends() {
            return Ok(());
        }
        let fd = self.fd_for(file, "reserve space for")?;
        if bytes == 0 || self.kind(file) != FileType::RegularFile {
            return Ok(());
        }
        let reserved = match how {
            Allocate::None => Ok(()),
            Allocate::Native => match reserve(fd, FallocateFlags::empty(), bytes) {
                Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
                other => other,
            },
            Allocate::Posix => reserve_or_write(fd, bytes),
            Allocate::Keep => reserve(fd, FallocateFlags::KEEP_SIZE, bytes),
            Allocate::Truncate => retry_on_intr(|| rustix::fs::ftruncate(fd, bytes)),
        };
        reserved.map_err(|errno| self.fail("reserve space for", file, errno))
    }

    pub(crate) fn invalidate(&self, file: u32) -> Result<()> {
        if self.pretends() {
            return Ok(());
        }
        let fd = self.fd_for(file, "drop the page cache of")?;
        match rustix::fs::fadvise(fd, 0, None, Advice::DontNeed) {
            // Pipes and sockets have no cache.
            Ok(()) | Err(Errno::SPIPE) => Ok(()),
            Err(errno) => Err(self.fail("drop the page cache of", file, errno)),
        }
    }

    /// A request that failed.
    #[cold]
    pub(crate) fn failed(&self, kind: LaneKind, file: u32, errno: Errno) -> Box<Error> {
        Box::new(self.fail(verb(kind), file, errno))
    }

    /// A request for a file that is not open.
    #[cold]
    pub(crate) fn closed(&self, kind: LaneKind, file: u32) -> Box<Error> {
        Box::new(self.not_open(verb(kind), file))
    }

    /// A request that this engine does not know.
    #[cold]
    pub(crate) fn unknown(&self, kind: LaneKind, file: u32) -> Box<Error> {
        let name = self.shared.base.name(self.path(file));
        Box::new(
            Error::unsupported(SCHEME, verb(kind), name).with_hint("the lane's engine is not one for this request"),
        )
    }

    #[cold]
    fn not_open(&self, operation: &'static str, file: u32) -> Error {
        Error { errno: libc::EBADF, ..self.refuse(operation, file, "the file is not open") }
    }

    #[cold]
    pub(crate) fn refuse(&self, operation: &'static str, file: u32, detail: &str) -> Error {
        self.shared.base.refuse(ErrorKind::Invalid, operation, self.path(file), detail)
    }

    /// An error of the kernel's, with a hint where one helps.
    #[cold]
    pub(crate) fn fail(&self, operation: &'static str, file: u32, errno: Errno) -> Error {
        let error = self.shared.base.fail(operation, self.path(file), errno);
        match errno {
            Errno::INVAL if self.options.direct => error.with_hint(self.direct_hint(file)),
            Errno::LOOP => Error { detail: "too many symbolic links".into(), ..error },
            Errno::AGAIN if self.options.nowait => error.with_hint("RWF_NOWAIT: it would have had to wait"),
            Errno::OPNOTSUPP if self.options.uncached || self.options.nowait || self.options.hipri => {
                error.with_hint("the file system or kernel has no RWF_DONTCACHE, RWF_NOWAIT or RWF_HIPRI here")
            }
            _ => error,
        }
    }

    fn direct_hint(&self, file: u32) -> String {
        let why = "the file system does not support direct I/O (tmpfs before Linux 6.6, some network file systems)";
        match self.fd(file).and_then(|fd| direct_bytes(fd, self.kind(file))) {
            Some(bytes) => format!("direct I/O: offset and block size must be multiples of {bytes} here"),
            None => format!("{why}, or the block size is not a multiple of the device's logical block size"),
        }
    }
}

fn flags(options: &LaneOptions, access: LaneAccess) -> OFlags {
    // A mapping to write through needs a descriptor that can be read.
    let mapped = options.engine == LaneEngine::Mmap;
    let how = match (access.read, access.write) {
        (true, true) => OFlags::RDWR,
        (false, true) if mapped => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        _ => OFlags::RDONLY,
    };
    let wished = [
        (access.create, OFlags::CREATE),
        (options.direct, OFlags::DIRECT),
        (options.sync, OFlags::SYNC),
        (options.dsync, OFlags::DSYNC),
    ];
    wished.into_iter().filter(|(wish, _)| *wish).fold(how | OFlags::CLOEXEC, |all, (_, flag)| all | flag)
}

/// Without changing the time of access where that is permitted: it is, to the file's owner. Links are followed.
fn open_named(name: &std::ffi::CStr, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let mode = Mode::from_raw_mode(0o666);
    let open = |flags| retry_on_intr(|| rustix::fs::open(name, flags, mode));
    match open(flags | OFlags::NOATIME) {
        Err(Errno::PERM) => open(flags),
        other => other,
    }
}

/// Hints only: what does not take them works all the same.
fn advise(fd: &OwnedFd, access: LaneAccess) {
    let order = access.random.map(|random| if random { Advice::Random } else { Advice::Sequential });
    for advice in [order, access.once.then_some(Advice::NoReuse)].into_iter().flatten() {
        let _ = rustix::fs::fadvise(fd, 0, None, advice);
    }
}

fn reserve(fd: BorrowedFd<'_>, flags: FallocateFlags, bytes: u64) -> rustix::io::Result<()> {
    retry_on_intr(|| rustix::fs::fallocate(fd, flags, 0, bytes))
}

/// `posix_fallocate`, which returns its error.
fn reserve_or_write(fd: BorrowedFd<'_>, bytes: u64) -> rustix::io::Result<()> {
    let bytes = i64::try_from(bytes).map_err(|_| Errno::FBIG)?;
    // SAFETY: the descriptor is open; no memory is passed.
    match unsafe { libc::posix_fallocate(fd.as_raw_fd(), 0, bytes) } {
        0 => Ok(()),
        errno => Err(Errno::from_raw_os_error(errno)),
    }
}

/// Of a block device.
pub(crate) fn device_bytes(fd: BorrowedFd<'_>) -> rustix::io::Result<u64> {
    let mut bytes = 0_u64;
    // SAFETY: the request writes one 64-bit number, and there is one.
    match unsafe { libc::ioctl(fd.as_raw_fd(), BLKGETSIZE64, &raw mut bytes) } {
        0 => Ok(bytes),
        _ => Err(last_errno()),
    }
}

/// What offsets and lengths of direct I/O must be multiples of, if the kernel tells.
fn direct_bytes(fd: BorrowedFd<'_>, kind: FileType) -> Option<u32> {
    if kind == FileType::BlockDevice {
        return rustix::fs::ioctl_blksszget(fd).ok();
    }
    // STATX_DIOALIGN, Linux 6.1.
    let mask = rustix::fs::StatxFlags::from_bits_retain(0x2000);
    let found = rustix::fs::statx(fd, c"", rustix::fs::AtFlags::EMPTY_PATH, mask).ok()?;
    (found.stx_dio_offset_align > 0).then_some(found.stx_dio_offset_align)
}

/// The error of the system call that has just failed.
pub(crate) fn last_errno() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}
