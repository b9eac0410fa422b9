//! Replaying a trace: its files become the job's files, its lines the job's requests, at their times.

use super::blocks::Block;
use super::drive::Driver;
use super::trace::{Action, Trace};
use fsbench_model::Bytes;
use fsbench_model::job::{Direction, Job, JobFile, Mode};
use fsbench_target::{Error, ErrorKind, LaneKind, Result};
use std::collections::BTreeMap;

/// The trace of a job, and the job with the trace's files; a job without a trace as it is.
///
/// # Errors
/// A trace that cannot be read.
pub(crate) fn expand(job: &Job) -> Result<(Job, Option<Trace>)> {
    let Some(replay) = &job.replay else { return Ok((job.clone(), None)) };
    let failed = |error: std::io::Error| Error::of_io("job", "read the trace", replay.path.clone(), &error);
    let bytes = std::fs::read(&replay.path).map_err(failed)?;
    let trace = Trace::parse(&bytes)
        .map_err(|error| {
            Error::new(ErrorKind::Invalid, "job", "read the trace", replay.path.clone(), error.to_string())
        })?
        .adjusted(replay);
    let mut job = job.clone();
    job.files = files(&job, &trace);
    job.open_files_max = job.files.len() as u32;
    job.amount.size = None;
    job.amount.io_size = None;
    let does = |action| trace.events.iter().any(|event| event.action == action);
    job.pattern.mode = match (does(Action::Read), does(Action::Write), does(Action::Trim)) {
        (true, true, _) | (true, _, true) => Mode::ReadWrite,
        (false, true, _) => Mode::Write,
        (false, false, true) => Mode::Trim,
        _ => Mode::Read,
    };
    let largest = trace.events.iter().map(|event| event.len).max().unwrap_or(0).max(1);
    let largest = fsbench_model::job::BlockSizes::Fixed(Bytes(u64::from(largest)));
    job.pattern.blocks = [largest.clone(), largest.clone(), largest];
    job.pattern.unaligned = true;
    Ok((job, Some(trace)))
}

/// The files of a trace, as large as it needs them.
fn files(job: &Job, trace: &Trace) -> Vec<JobFile> {
    let mut ends: BTreeMap<u32, u64> = BTreeMap::new();
    for event in trace.events.iter().filter(|event| !event.action.is_of_files()) {
        let end = ends.entry(event.file).or_default();
        *end = (*end).max(event.offset.saturating_add(u64::from(event.len)));
    }
    let directory = std::env::current_dir().map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    let redirect = job.replay.as_ref().and_then(|replay| replay.redirect.clone());
    let named = trace.files.iter().zip(0u32..).map(|(name, nth)| {
        let whole = if name.starts_with('/') { name.clone() } else { format!("{directory}/{name}") };
        let path = redirect.clone().unwrap_or_else(|| whole.trim_start_matches('/').to_string());
        let size = Some(Bytes(ends.get(&nth).copied().unwrap_or(0).max(1)));
        JobFile { path, offset: Bytes(0), size, size_percent: None, offset_percent: None }
    });
    named.collect()
}

impl Driver<'_> {
    /// Replays `trace`, event by event.
    pub(crate) fn replay(&mut self, trace: &Trace) {
        let start = self.clock.now();
        let mut next = 0;
        while next < trace.events.len() && self.halt.is_none() {
            self.pass(&mut |driver| driver.next_of(trace, &mut next, start));
            let Some(event) = trace.events.get(next) else { break };
            if let Some(kind) = sync_kind(event.action) {
                self.sync(event.file, kind);
            }
            next += 1;
        }
    }

    /// The next request of a trace; `None` before an event that is none.
    fn next_of(&mut self, trace: &Trace, next: &mut usize, start: u64) -> Option<Block> {
        loop {
            let event = trace.events.get(*next)?;
            let direction = match event.action {
                Action::Read => Some(Direction::Read),
                Action::Write => Some(Direction::Write),
                Action::Trim => Some(Direction::Trim),
                Action::Sync | Action::Datasync => return None,
                Action::Add | Action::Open | Action::Close | Action::Wait => None,
            };
            let is_waiting = event.action == Action::Wait || trace.timed && direction.is_some();
            if is_waiting && !self.wait_until(start.saturating_add(event.at_us.saturating_mul(1_000))) {
                return None;
            }
            *next += 1;
            if let Some(direction) = direction {
                return Some(Block { direction, file: event.file, offset: event.offset, len: event.len });
            }
        }
    }
}

fn sync_kind(action: Action) -> Option<LaneKind> {
    match action {
        Action::Sync => Some(LaneKind::Sync),
        Action::Datasync => Some(LaneKind::DataSync),
        _ => None,
    }
}
