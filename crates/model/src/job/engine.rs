//! How a job's requests reach the files: the engine, its depth and its flags.

use serde::{Deserialize, Serialize};

/// fio's `ioengine`, as far as fsbench has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EngineName {
    /// `lseek` and `read`/`write`.
    Sync,
    /// `pread`/`pwrite`.
    #[default]
    Psync,
    /// `readv`/`writev` with adjacent requests gathered, up to the depth.
    Vsync,
    /// `preadv`/`pwritev`.
    Pvsync,
    /// `preadv2`/`pwritev2`.
    Pvsync2,
    /// `mmap` and `memcpy`.
    Mmap,
    /// Linux native asynchronous I/O.
    Libaio,
    /// io_uring.
    IoUring,
    /// Nothing is transferred.
    Null,
    /// Creates files: each request is `open(O_CREAT)` and `close` of the next file.
    Filecreate,
    /// Looks at files: each request is a `stat` of the next file.
    Filestat,
    /// Deletes files: each request is an `unlink` of the next file.
    Filedelete,
    /// Whatever the network store has: ranged reads in flight, writes in order.
    Store,
}

impl EngineName {
    /// fio's spelling.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EngineName::Sync => "sync",
            EngineName::Psync => "psync",
            EngineName::Vsync => "vsync",
            EngineName::Pvsync => "pvsync",
            EngineName::Pvsync2 => "pvsync2",
            EngineName::Mmap => "mmap",
            EngineName::Libaio => "libaio",
            EngineName::IoUring => "io_uring",
            EngineName::Null => "null",
            EngineName::Filecreate => "filecreate",
            EngineName::Filestat => "filestat",
            EngineName::Filedelete => "filedelete",
            EngineName::Store => "store",
        }
    }

    /// Whether a request is finished when the call that starts it returns, whatever the depth says.
    #[must_use]
    pub fn is_synchronous(self) -> bool {
        !matches!(
            self,
            EngineName::Vsync | EngineName::Libaio | EngineName::IoUring | EngineName::Null | EngineName::Store
        )
    }

    /// Whether a request works on a name rather than on bytes.
    #[must_use]
    pub fn is_of_names(self) -> bool {
        matches!(self, EngineName::Filecreate | EngineName::Filestat | EngineName::Filedelete)
    }
}

/// Makes each write durable before it returns (`sync`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteSync {
    /// No.
    #[default]
    None,
    /// `O_SYNC`.
    Sync,
    /// `O_DSYNC`.
    Dsync,
}

/// The engine and how many requests it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Engine {
    /// Which.
    pub name: EngineName,
    /// Requests in flight at most (`iodepth`), at least 1.
    pub depth: u32,
    /// Requests handed over in one go (`iodepth_batch`), 1 to `depth`; 0 is as many as are due.
    pub submit_max: u32,
    /// Completions to wait for (`iodepth_batch_complete_min`); 0 polls.
    pub reap_min: u32,
    /// Completions to take in one go (`iodepth_batch_complete_max`), at least `reap_min`; 0 is up to a quarter of the depth.
    pub reap_max: u32,
    /// When the depth was reached, reap down to this before submitting again (`iodepth_low`), 1 to `depth`.
    pub low: u32,
    /// Bypass the page cache (`direct`).
    pub direct: bool,
    /// `sync`.
    pub write_sync: WriteSync,
    /// `io_submit_mode=offload`: requests are due by the schedule and never by completions.
    pub offload: bool,
    /// Wait for a request that overlaps one in flight (`serialize_overlap`).
    pub serialize_overlap: bool,
    /// io_uring's own flags.
    pub ring: Ring,
    /// `RWF_NOWAIT` (`nowait`).
    pub nowait: bool,
    /// `RWF_HIPRI` or IOPOLL (`hipri`).
    pub hipri: bool,
    /// `RWF_DONTCACHE` (`uncached`).
    pub uncached: bool,
    /// Buffer alignment in bytes (`iomem_align`), at least 4096 with `direct`.
    pub buffer_align: u32,
}

/// io_uring's own flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ring {
    /// Register the buffers (`fixedbufs`).
    pub fixed_buffers: bool,
    /// Register the files (`registerfiles`).
    pub registered_files: bool,
    /// A kernel thread takes submissions (`sqthread_poll`).
    pub submission_thread: bool,
    /// Which processor it runs on (`sqthread_poll_cpu`).
    pub submission_processor: Option<u32>,
    /// Give every request to a kernel worker (`force_async`): each n-th.
    pub force_async: u32,
}
