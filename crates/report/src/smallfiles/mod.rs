//! The report of `fsbench smallfiles`: both halves of GitLab's check, their latencies call by call, and a verdict.
//!
//! A half is good when every file of it went well within the limit. With `--shell` the loop's own halves stand beside
//! fsbench's, and are judged alike.

mod half;
mod json;
#[cfg(test)]
mod tests;
mod text;

use fsbench_results::{Ending, Record};
use half::{Verdict, halves};

pub use json::json;
pub use text::text;

/// Whether a Record is one of this check.
#[must_use]
pub fn is_check(record: &Record) -> bool {
    record.plan.suite == "smallfiles"
}

/// Whether everything went well and in time.
#[must_use]
pub fn is_good(record: &Record) -> bool {
    record.ending == Ending::Finished && halves(record).iter().all(|half| half.verdict() == Verdict::Good)
}
