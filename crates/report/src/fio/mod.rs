//! fio's output: normal, JSON, JSON+ and terse, as fio 3.33 (Debian 12) prints it, and the line of progress.
//!
//! Layout, labels, units, keys and their order are fio's, so that what reads fio's output reads this. All are pure
//! functions of a Record whose phases run [`fsbench_results::model::Program::Jobs`]; other phases are left out. What
//! fsbench knows more is added where readers of fio's output do not look, unless [`Shown::extras`] is off.
//!
//! What differs on purpose:
//! * `job options` is there even when it is empty, status intervals make one document, `eta` of a job that ended is 0.
//! * Depth shares are of the requests counted by depth. fio divides by requests without syncs, but counts syncs.
//! * A job that failed before its first request has a block. fio leaves it out.
//! * Rates are computed from nanoseconds; fio's milliseconds make those of short runs wrong.
//! * `mixed:` with `unified_rw_reporting=both` and the second unit of `steadystate` are right; fio 3.33 prints 0 there,
//!   and the first unit's number with the second unit's prefix.

mod buckets;
mod clock;
pub mod eta;
mod extra;
mod header;
mod json;
mod latency;
mod normal;
mod number;
mod shape;
mod stat;
mod steady;
mod terse;
mod value;

#[cfg(test)]
mod tests;

pub use header::{header, laying_out, version};
pub use json::{json, json_plus, json_plus_with_status, json_with_status};
pub use normal::{normal, results};
pub use terse::{TerseVersion, terse};

/// What is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shown {
    /// What fio does not have: due latencies, the page cache, notes, members `fsbench`.
    pub extras: bool,
}

impl Default for Shown {
    fn default() -> Self {
        Self { extras: true }
    }
}
