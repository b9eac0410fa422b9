//! Files of a local or mounted file system, as a [`fsbench_target::Target`].
//!
//! One request at a time is one `pread` or `pwrite`, nothing else. Several reads queued before a reap are really in
//! flight together: through io_uring, or where that is not permitted, announced with `posix_fadvise` and read in turn.
//!
//! A session supports all open modes, positional reads and writes, `fdatasync`, the name space, the page cache as a
//! question and as an order. O_DIRECT, block devices, io_uring with registered buffers, libaio, mmap and the other engines
//! of block I/O are the lanes' (`lane/`). Before a block device is written, `guard_write` refuses one that is mounted or
//! holds something.
//!
//! # What is guaranteed
//! - **Inside of the base.** Every name is checked by [`fsbench_target::relative`]. A name that is itself a symbolic link
//!   is not opened, cut or evicted; a listing never goes through one, and `mkdir` does not take one for a directory.
//!   A link that somebody else put among the *directories* of a name is resolved by the kernel, as for any program:
//!   to look at each of them would be system calls that nobody asked to measure.
//! - **No hidden system calls.** Opening for reading is `open` and `fstat`, every other mode is one `open`;
//!   closing is one `close`, whose error is reported.
//! - **Sync is `fdatasync`:** the data, and the metadata without which it cannot be read again (size, extents). Neither
//!   times nor the name in its directory are synced apart, as in fio and most databases.
//! - **Append is O_APPEND:** the kernel puts each write at the end, whatever its offset says.
//! - **Interrupt** is looked at before each call. A system call that is under way is not cut short, but for the wait of a
//!   lane for its queue, which ends within 50 ms (io_uring before Linux 5.11: with the next completion).

mod base;
mod cache;
mod facts;
mod files;
mod guard;
mod lane;
mod list;
mod mounts;
mod names;
mod queue;
mod ring;
mod session;
mod signature;
mod target;
mod transfer;

pub use target::{PosixTarget, Prefetch};
