//! The one error of this suite: something typed was wrong. Nothing has been touched yet; the exit code is 2.

/// What was wrong, where it stands, and what to do. Its `Display` is one sentence, ready to be printed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {what}; {remedy}")]
pub struct UsageError {
    /// `--threads`, `hdfs.conf:3`, `BENCHMARK_FILTER`.
    pub place: String,
    /// What was wrong with it.
    pub what: String,
    /// What to do instead.
    pub remedy: String,
}

impl UsageError {
    pub(crate) fn new(place: impl Into<String>, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { place: place.into(), what: what.into(), remedy: remedy.into() }
    }
}
