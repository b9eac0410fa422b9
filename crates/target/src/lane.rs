//! Block I/O at full speed: a lane is one job's way to its files, with buffers that never move.
//!
//! [`crate::Session`] hands buffers over with every request, which suits streams. A job that measures a microsecond
//! cannot afford that: a lane is made once with all its buffers ("slots"), registered with the kernel where an engine
//! can do so, and a request is 24 bytes that name a slot and a file. One shape serves a synchronous engine, a queue in
//! the kernel and a network store.

use crate::{Error, Result};

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LaneKind {
    /// Fill the slot's buffer from `offset`.
    Read,
    /// Write the slot's buffer at `offset`.
    Write,
    /// Discard the range.
    Trim,
    /// `fsync`.
    Sync,
    /// `fdatasync`.
    DataSync,
    /// `sync_file_range` over the range, with the flags of [`LaneOptions::sync_range`].
    RangeSync,
    /// Create the file, which is not open, and close it again.
    Create,
    /// Look at the file, which is not open.
    Stat,
    /// Delete the file, which is not open.
    Delete,
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneRequest {
    /// Where in the file.
    pub offset: u64,
    /// How many bytes, at most [`LaneOptions::slot_bytes`].
    pub len: u32,
    /// Which buffer; it must not be in flight. Also names the request in its completion.
    pub slot: u32,
    /// Which file, by [`Lane::declare`].
    pub file: u32,
    /// What to do.
    pub kind: LaneKind,
}

/// Bytes moved, or what went wrong. A read at the end of a file moves fewer bytes than asked, perhaps none.
pub type LaneResult = std::result::Result<u32, Box<Error>>;

/// What became of a request that was started.
#[derive(Debug)]
pub enum Started {
    /// It is finished.
    Done(LaneResult),
    /// It waits for [`Lane::submit`], and its completion for [`Lane::reap`].
    Queued,
    /// The engine cannot take more before [`Lane::submit`] and [`Lane::reap`]; nothing happened.
    Busy,
}

/// A finished request.
#[derive(Debug)]
pub struct LaneDone {
    /// The request's slot.
    pub slot: u32,
    /// What became of it.
    pub result: LaneResult,
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneAccess {
    /// It will be read.
    pub read: bool,
    /// It will be written or trimmed.
    pub write: bool,
    /// It is created when it is missing.
    pub create: bool,
    /// Whole size that will be written in order from 0, for stores that write whole files; 0 where files are updated in
    /// place.
    pub stream_bytes: u64,
    /// The kernel is told that offsets are random (`Some(true)`) or sequential (`Some(false)`).
    pub random: Option<bool>,
    /// Data will be used once (`POSIX_FADV_NOREUSE`).
    pub once: bool,
    /// Mapping engines: bytes of the file that will be used.
    pub bytes: u64,
}

/// The engine of a lane. A target refuses what it lacks while the lane is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LaneEngine {
    /// `lseek` and `read`/`write`.
    Sync,
    /// `pread`/`pwrite`.
    #[default]
    Psync,
    /// `preadv`/`pwritev` with adjacent requests gathered, up to the depth.
    Vsync,
    /// `preadv`/`pwritev`.
    Pvsync,
    /// `preadv2`/`pwritev2`.
    Pvsync2,
    /// `mmap`.
    Mmap,
    /// Linux native asynchronous I/O.
    Libaio,
    /// io_uring.
    IoUring,
    /// Nothing is transferred.
    Null,
    /// [`LaneKind::Create`], [`LaneKind::Stat`] and [`LaneKind::Delete`] only.
    Names,
    /// A network store's sessions.
    Store,
}

/// How a lane is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LaneOptions {
    /// The engine.
    pub engine: LaneEngine,
    /// Requests in flight at most; also the number of slots.
    pub depth: u32,
    /// Bytes of a slot's buffer.
    pub slot_bytes: u32,
    /// Alignment of a slot's buffer, a power of two.
    pub align: u32,
    /// `O_DIRECT`.
    pub direct: bool,
    /// `O_SYNC`.
    pub sync: bool,
    /// `O_DSYNC`.
    pub dsync: bool,
    /// `RWF_NOWAIT`.
    pub nowait: bool,
    /// `RWF_HIPRI`, IOPOLL.
    pub hipri: bool,
    /// `RWF_DONTCACHE`.
    pub uncached: bool,
    /// Register buffers with the kernel.
    pub fixed_buffers: bool,
    /// Register files with the kernel.
    pub registered_files: bool,
    /// A kernel thread takes submissions (SQPOLL).
    pub submission_thread: bool,
    /// On this processor.
    pub submission_processor: Option<u32>,
    /// Each n-th request is given to a kernel worker at once; 0 none.
    pub force_async: u32,
    /// Flags of [`LaneKind::RangeSync`], as `sync_file_range(2)` numbers them: 1 wait before, 2 write, 4 wait after.
    pub sync_range: u32,
}

/// How space is reserved for a file before it is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Allocate {
    /// Not at all.
    #[default]
    None,
    /// By the system's own call where the file system has it, else not at all.
    Native,
    /// `posix_fallocate`, which writes where the file system cannot reserve.
    Posix,
    /// `fallocate` with `FALLOC_FL_KEEP_SIZE`.
    Keep,
    /// `ftruncate`: the size is set, nothing is reserved.
    Truncate,
}

/// One job's way to its files. Used only by the thread that made it.
pub trait Lane {
    /// Names a file; nothing is opened. Indexes count from 0 in the order of the calls.
    ///
    /// # Errors
    /// When the name is not one of this target.
    fn declare(&mut self, path: &str) -> Result<u32>;

    /// Opens a declared file.
    ///
    /// # Errors
    /// Not found, denied, an unsupported flag, …
    fn open(&mut self, file: u32, access: LaneAccess) -> Result<()>;

    /// Size of an open file or block device in bytes.
    ///
    /// # Errors
    /// Invalid when it is not open.
    fn size(&mut self, file: u32) -> Result<u64>;

    /// Reserves the first `bytes` of an open file.
    ///
    /// # Errors
    /// Unsupported where the store has no such thing; else what it said.
    fn allocate(&mut self, file: u32, how: Allocate, bytes: u64) -> Result<()> {
        let _ = bytes;
        match how {
            Allocate::None | Allocate::Native => Ok(()),
            _ => Err(Error::unsupported("lane", "reserve space for", format!("file {file}"))),
        }
    }

    /// Asks that nothing of an open file stay in this machine's page cache (`POSIX_FADV_DONTNEED`); does nothing where
    /// there is none.
    ///
    /// # Errors
    /// What the system said.
    fn invalidate(&mut self, file: u32) -> Result<()> {
        let _ = file;
        Ok(())
    }

    /// Closes a file that has no request in flight. On stores that write whole files it makes the file visible.
    ///
    /// # Errors
    /// What the store says; the file is closed anyway.
    fn close(&mut self, file: u32) -> Result<()>;

    /// A slot's buffer, while no request holds it.
    fn buffer(&mut self, slot: u32) -> &mut [u8];

    /// Takes a request.
    fn start(&mut self, request: &LaneRequest) -> Started;

    /// Hands queued requests to the kernel or store; how many.
    ///
    /// # Errors
    /// Only when the lane itself failed.
    fn submit(&mut self) -> Result<u32>;

    /// Adds finished requests to `done`: waits for `min`, takes at most `max`. With `min` 0 it never waits.
    ///
    /// When it has to wait, it hands over what is queued in the same call to the kernel: who is going to wait anyway
    /// need not call [`Lane::submit`] before.
    ///
    /// # Errors
    /// Only when the lane itself failed, and `Interrupted` after [`crate::Target::interrupt`] when that cut the wait
    /// short.
    fn reap(&mut self, min: u32, max: u32, done: &mut Vec<LaneDone>) -> Result<()>;

    /// Takes back every request: after this none is in flight, finished or not, and the slots are free.
    fn cancel(&mut self);
}
