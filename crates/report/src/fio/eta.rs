//! fio's line of progress, as a pure function of what is known at a moment.
//!
//! The caller has the clock and the terminal: it prints the line about once a second, with a carriage return behind it,
//! and blanks over what the line before had more.

use super::number::Unit;
use super::number::{Style, number, number_of_kilo};
use fsbench_results::model::job::{Job, Mode};
use std::fmt::Write as _;

/// fio gives no estimate before this.
pub const FIRST_ESTIMATE_S: u64 = 3;

/// Progress at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Eta {
    /// Jobs that run, ramp or sync.
    pub running: u32,
    /// Of these, those in their ramp time.
    pub ramping: u32,
    /// Files that are open.
    pub files_open: u64,
    /// Lowest and wanted bytes a second of all running jobs together (`rate_min`, `rate`), 0 without.
    pub bytes_limits: (u64, u64),
    /// The same of requests (`rate_iops_min`, `rate_iops`); shown only without `bytes_limits`.
    pub iops_limits: (u64, u64),
    /// A letter for each job in the order of the plan: [`running`], or `P` not started, `C` created, `I` initialised,
    /// `/` ramping, `p` reading before, `V` verifying, `F` syncing, `f` finishing, `E` ended, `_` reaped, `X` failed,
    /// `K` killed.
    pub states: Vec<char>,
    /// Seconds since the run began.
    pub elapsed_s: u64,
    /// Seconds to go, once there is an estimate.
    pub left_s: Option<u64>,
    /// Bytes a second of reads, writes and trims since the line before.
    pub bytes_rate: [u64; 3],
    /// Requests a second, likewise.
    pub iops: [u64; 3],
    /// 1024 or 1000 (`kb_base`).
    pub kb_base: u32,
    /// Rates in bits (`unit_base=1`).
    pub bits: bool,
}

impl Default for Eta {
    fn default() -> Self {
        Self {
            running: 0,
            ramping: 0,
            files_open: 0,
            bytes_limits: (0, 0),
            iops_limits: (0, 0),
            states: Vec::new(),
            elapsed_s: 0,
            left_s: None,
            bytes_rate: [0; 3],
            iops: [0; 3],
            kb_base: 1024,
            bits: false,
        }
    }
}

/// The line, without a line's end: `Jobs: 1 (f=1), 0-3000 IOPS: [m(1)][37.5%][r=8000KiB/s][r=2000 IOPS][eta 00m:05s]`.
#[must_use]
pub fn line(eta: &Eta) -> String {
    let mut out = format!("Jobs: {} (f={}){}", eta.running, eta.files_open, limits(eta));
    let Some(left_s) = eta.left_s.filter(|_| eta.running > 0) else { return out };
    let _ = write!(out, ": [{}][{}]{}[eta {}]", condensed(&eta.states), percent(eta, left_s), rates(eta), time(left_s));
    out
}

/// The letter of a job that runs: `r` `w` `d` `m` for reads, writes, trims and a mix at random, capitals in sequence.
#[must_use]
pub fn running(job: &Job) -> char {
    let letter = match (job.pattern.mode, job.pattern.read_percent) {
        (Mode::Read, _) | (Mode::ReadWrite, 100) => 'R',
        (Mode::Write | Mode::TrimWrite, _) | (Mode::ReadWrite, 0) => 'W',
        (Mode::Trim, _) => 'D',
        (Mode::ReadWrite, _) => 'M',
    };
    if job.pattern.random { letter.to_ascii_lowercase() } else { letter }
}

fn limits(eta: &Eta) -> String {
    let rate = |bytes| number(bytes, 4, eta.kb_base != 1000, Unit::ByteRate);
    match (eta.bytes_limits, eta.iops_limits) {
        ((0, 0), (0, 0)) => String::new(),
        ((0, 0), (least, wanted)) => format!(", {least}-{wanted} IOPS"),
        ((least, wanted), _) => format!(", {}-{}", rate(least), rate(wanted)),
    }
}

/// `r(3),_(1)`: three jobs in a row that read at random, and one that is done.
fn condensed(states: &[char]) -> String {
    let runs = states.chunk_by(|a, b| a == b).map(|run| format!("{}({})", run[0], run.len()));
    runs.collect::<Vec<String>>().join(",")
}

fn percent(eta: &Eta, left_s: u64) -> String {
    let all = eta.elapsed_s.saturating_add(left_s);
    match eta.ramping == eta.running || all == 0 {
        true => "-.-%".into(),
        false => format!("{:.1}%", 100.0 * eta.elapsed_s as f64 / all as f64),
    }
}

/// Only of directions that moved something.
fn rates(eta: &Eta) -> String {
    let binary = eta.kb_base != 1000;
    let style = Style { figures: 4, binary, bits: eta.bits };
    let moved = |at: &usize| eta.bytes_rate[*at] > 0 || eta.iops[*at] > 0;
    let each = |text: &dyn Fn(usize) -> String| -> String {
        let parts: Vec<String> =
            (0..3).filter(moved).map(|at| format!("{}={}", ['r', 'w', 't'][at], text(at))).collect();
        parts.join(",")
    };
    if !(0..3).any(|at| moved(&at)) {
        return String::new();
    }
    let kilo = |at: usize| {
        number_of_kilo(
            eta.bytes_rate[at] / u64::from(if binary { 1024u32 } else { 1000 }),
            4,
            binary,
            Unit::rate(eta.bits),
        )
    };
    format!("[{}][{} IOPS]", each(&kilo), each(&|at| style.count(eta.iops[at])))
}

/// `01d:02h:03m:04s`, without days and hours that are 0.
fn time(seconds: u64) -> String {
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let mut out = String::new();
    if days > 0 {
        let _ = write!(out, "{days:02}d:");
    }
    if days + hours > 0 {
        let _ = write!(out, "{hours:02}h:");
    }
    let _ = write!(out, "{:02}m:{:02}s", seconds / 60 % 60, seconds % 60);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What fio's null engine printed (`fio-samples/eta.raw`).
    #[test]
    fn the_lines_are_fios() {
        let mut eta = Eta { running: 1, ..Eta::default() };
        assert_eq!(line(&eta), "Jobs: 1 (f=0)");
        eta.files_open = 1;
        eta.iops_limits = (0, 3000);
        assert_eq!(line(&eta), "Jobs: 1 (f=1), 0-3000 IOPS");
        eta.states = vec!['m'];
        (eta.elapsed_s, eta.left_s) = (3, Some(5));
        eta.bytes_rate = [8000 << 10, 4000 << 10, 0];
        eta.iops = [2000, 1000, 0];
        let expected =
            "Jobs: 1 (f=1), 0-3000 IOPS: [m(1)][37.5%][r=8000KiB/s,w=4000KiB/s][r=2000,w=1000 IOPS][eta 00m:05s]";
        assert_eq!(line(&eta), expected);
        (eta.elapsed_s, eta.left_s) = (7, Some(0));
        assert!(line(&eta).contains("[100.0%]") && line(&eta).ends_with("[eta 00m:00s]"));
    }

    #[test]
    fn what_is_unknown_or_absent() {
        let states = vec!['/', '/', 'P'];
        let mut eta = Eta { running: 2, ramping: 2, states, elapsed_s: 4, left_s: Some(93_784), ..Eta::default() };
        assert_eq!(line(&eta), "Jobs: 2 (f=0): [/(2),P(1)][-.-%][eta 01d:02h:03m:04s]");
        eta.bytes_limits = (1 << 20, 10 << 20);
        eta.left_s = None;
        assert_eq!(line(&eta), "Jobs: 2 (f=0), 1024KiB/s-10.0MiB/s");
        (eta.running, eta.left_s) = (0, Some(3600));
        assert_eq!(line(&eta), "Jobs: 0 (f=0), 1024KiB/s-10.0MiB/s");
        assert_eq!(time(3600), "01h:00m:00s");
    }
}
