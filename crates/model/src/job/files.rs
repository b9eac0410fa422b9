//! A job's files: where they are, how they come to be, and which is next.

use crate::Bytes;
use serde::{Deserialize, Serialize};

/// One file of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobFile {
    /// Relative to the target's base; for a local plan the base is `/` and this is the absolute path without its slash.
    pub path: String,
    /// Where this job's part begins (`offset`, `offset_increment`).
    pub offset: Bytes,
    /// Bytes of this job's part; `None` is whatever the file or device has behind `offset`.
    pub size: Option<Bytes>,
    /// Like `size`, as a percentage of the file or device, 1 to 100 (`size=50%`).
    pub size_percent: Option<u32>,
    /// `offset` as a percentage of the file or device.
    pub offset_percent: Option<u32>,
}

/// fio's `file_service_type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ServeOrder {
    /// One after the other, around and around.
    #[default]
    RoundRobin,
    /// A file to its end, then the next.
    Sequential,
    /// Any, uniformly.
    Random,
    /// Zipf with this theta.
    Zipf(f64),
    /// Pareto with this power.
    Pareto(f64),
    /// Normal with this deviation in percent.
    Normal(f64),
}

/// Which file is next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Serve {
    /// The order.
    pub order: ServeOrder,
    /// Requests before the next choice, at least 1.
    pub every: u32,
}

/// How space is reserved when a file is laid out (`fallocate`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Allocate {
    /// Not.
    None,
    /// `fallocate` where the file system has it, silently not elsewhere.
    #[default]
    Native,
    /// `posix_fallocate`.
    Posix,
    /// `fallocate` with `FALLOC_FL_KEEP_SIZE`.
    Keep,
    /// `ftruncate`.
    Truncate,
}

/// `fadvise_hint`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Advice {
    /// None.
    None,
    /// Sequential or random, as the pattern is.
    #[default]
    Pattern,
    /// Sequential.
    Sequential,
    /// Random.
    Random,
    /// `POSIX_FADV_NOREUSE`.
    Noreuse,
}

/// How files come to be and go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// Files may be created (`allow_file_create`).
    pub create: bool,
    /// Missing parent directories are made (`--mkdir`).
    pub mkdir: bool,
    /// Sync a file after laying it out (`create_fsync`).
    pub fsync: bool,
    /// Create files when they are first opened, not before (`create_on_open`).
    pub on_open: bool,
    /// Lay out and end (`create_only`).
    pub only: bool,
    /// How space is reserved.
    pub allocate: Allocate,
    /// Lay out files that will be written, too (`overwrite`).
    pub overwrite: bool,
    /// Write until the file system is full (`fill_device`).
    pub fill_device: bool,
    /// Write behind the end of the file (`file_append`).
    pub append: bool,
    /// Read the files once before the job (`pre_read`).
    pub pre_read: bool,
    /// Drop the files from the page cache before the job (`invalidate`).
    pub invalidate: bool,
    /// What the kernel is told.
    pub advice: Advice,
    /// Delete the files when the job ends (`unlink`). Only files that this run created.
    pub unlink: bool,
    /// Delete and create them between loops (`unlink_each_loop`).
    pub unlink_each_loop: bool,
    /// `allow_mounted_write`, or `--allow-destroy`.
    pub allow_mounted: bool,
}
