//! Many small files, each made and read as a shell's loop does it: GitLab's check of a file system.

use crate::{Bytes, Content, Span};
use serde::{Deserialize, Serialize};

/// What each file holds when no content is named: what `echo 'test'` writes.
pub const SMALL_LINE: &[u8] = b"test\n";

/// One half of the check: all files written, or all files read. Worker `w` of `n` has the files `w`, `w + n`, ….
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SmallFiles {
    /// The directory of the files, relative to the base. In a plan it ends with `-`, and the runner appends the run's
    /// id: each run has a directory that was not there before.
    pub directory: String,
    /// How many files: `test0.txt`, `test1.txt`, ….
    pub files: u64,
    /// Bytes of each.
    pub size: Bytes,
    /// What they hold, different in each; `None` is [`SMALL_LINE`] in all.
    pub content: Option<Content>,
    /// Which half.
    pub step: SmallStep,
    /// The local path of the base: the loop itself is run there by a shell. `None`: fsbench makes the calls.
    pub shell: Option<String>,
    /// Wall time below which this half is good.
    pub limit: Span,
}

/// One half of the check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SmallStep {
    /// Create, write, close.
    Write {
        /// Make each file durable before closing it.
        sync: bool,
    },
    /// Open, read to the end, close.
    Read {
        /// Compare with what was written, outside of the measured time.
        verify: bool,
    },
}

impl SmallFiles {
    /// Before a file's number.
    pub const PREFIX: &str = "test";
    /// Behind a file's number.
    pub const SUFFIX: &str = ".txt";

    /// Whether this half makes the files.
    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self.step, SmallStep::Write { .. })
    }

    /// The name of a file, relative to the base.
    #[must_use]
    pub fn name(&self, number: u64) -> String {
        format!("{}/{}{number}{}", self.directory, Self::PREFIX, Self::SUFFIX)
    }
}
