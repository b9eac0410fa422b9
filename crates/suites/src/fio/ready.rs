//! Ready-made jobs: `--list-jobs` shows them, `--job=NAME` runs one.

use super::options::nearest;
use std::fmt::Write;

/// A job file that comes with fsbench.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ready {
    /// For `--job`.
    pub name: &'static str,
    /// One line.
    pub description: &'static str,
    /// The job file.
    pub text: &'static str,
}

const JOBS: [Ready; 5] = [
    Ready {
        name: "fs-compare",
        description: "compare file systems: in order and random, 1 and 4 jobs of 3 GB, write and rewrite",
        text: include_str!("../../../../fixtures/fio/fs-compare.fio"),
    },
    Ready {
        name: "gitlab-git-disk",
        description: "GitLab's check of a disk for repositories: random 75/25 in blocks of 4 KiB, depth 64",
        text: include_str!("../../../../fixtures/fio/gitlab-git-disk.fio"),
    },
    Ready {
        name: "small-files",
        description: "many small files: create, look at, write, read, delete",
        text: include_str!("../../../../fixtures/fio/small-files.fio"),
    },
    Ready {
        name: "oltp",
        description: "a database: random 70/30 in blocks of 8 and 16 KiB, and a log with fdatasync",
        text: include_str!("../../../../fixtures/fio/oltp.fio"),
    },
    Ready {
        name: "latency",
        description: "latency at a fixed rate with random distances, as seen by independent clients",
        text: include_str!("../../../../fixtures/fio/latency.fio"),
    },
];

/// All ready-made jobs.
#[must_use]
pub fn ready_jobs() -> &'static [Ready] {
    &JOBS
}

/// The ready-made job of this name.
pub(super) fn find(name: &str) -> Option<&'static Ready> {
    JOBS.iter().find(|job| job.name == name)
}

/// Why a name is none.
pub(super) fn unknown(name: &str) -> String {
    let names = || JOBS.iter().map(|job| job.name);
    let meant = nearest(name, names()).map(|name| format!("did you mean {name}? ")).unwrap_or_default();
    format!(
        "--job={name}: there is no such ready-made job; {meant}accepted: {}",
        names().collect::<Vec<_>>().join(", ")
    )
}

/// What `--list-jobs` shows.
pub(super) fn list() -> String {
    let mut text = String::new();
    for job in &JOBS {
        let _ = writeln!(text, "{:<16} {}", job.name, job.description);
    }
    text.push_str("\nRun one with: fsbench fio --job=NAME --directory=DIR [--scale=F]\n");
    text
}
