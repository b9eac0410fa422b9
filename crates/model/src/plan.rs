//! The plan: one target, and the phases to run on it.

use crate::{Phase, Settings};
use serde::{Deserialize, Serialize};

/// Everything that a run will do, decided before a byte is written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The suite that made it: `remote`, `fio`, …
    pub suite: String,
    /// Where it runs.
    pub target: TargetSpec,
    /// What runs, in this order.
    pub phases: Vec<Phase>,
    /// Remove what this run created when it ends.
    pub cleanup: bool,
    /// Evict the files from the page cache before each read phase, where the target has one.
    pub cold: bool,
    /// What the suite wants the user to know: an assumed scheme, an ignored key.
    pub notes: Vec<String>,
}

/// Where a plan runs: a directory or prefix, and how to reach it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetSpec {
    /// `file:///dir`, `hdfs://host:port/dir`, `s3://bucket/prefix`, `null:`, `mem:`. Everything happens below it.
    pub uri: String,
    /// The target's own settings; secrets are masked wherever they are shown.
    pub settings: Settings,
}
