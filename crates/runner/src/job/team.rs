//! What the jobs of a phase share: who waits for whom, who ends whom, and what the others may see.

use crate::live::{JobProgress, JobState, Stop, WorkerCounters};
use fsbench_model::job::{ExitScope, Job};
use fsbench_results::JobRecord;
use fsbench_target::Error;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The first so many errors are kept word for word.
const ERRORS_KEPT: usize = 64;

/// The state of one job that others look at.
#[derive(Default)]
#[repr(align(128))]
struct Member {
    has_ended: AtomicBool,
    /// It makes requests: between its first one and its last.
    is_working: AtomicBool,
    shall_end: AtomicBool,
    requests: AtomicU64,
}

/// All jobs of a phase.
pub(crate) struct Team {
    members: Vec<Member>,
    counters: Arc<[WorkerCounters]>,
    stop: Arc<Stop>,
    errors: Mutex<Vec<(usize, Error)>>,
    ends_run: AtomicBool,
    asked: AtomicU64,
    snapshots: Mutex<BTreeMap<u32, JobRecord>>,
}

impl Team {
    pub(crate) fn new(jobs: usize, counters: Arc<[WorkerCounters]>, stop: Arc<Stop>) -> Self {
        let members = (0..jobs).map(|_| Member::default()).collect();
        Self {
            members,
            counters,
            stop,
            errors: Mutex::default(),
            ends_run: AtomicBool::new(false),
            asked: AtomicU64::new(0),
            snapshots: Mutex::default(),
        }
    }

    /// Whether a job shall end.
    pub(crate) fn shall_end(&self, index: usize) -> bool {
        self.members[index].shall_end.load(Ordering::Relaxed) || self.stop.asked()
    }

    /// Whether the user asked to stop.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.asked()
    }

    /// Progress of a job.
    pub(crate) fn publish(&self, index: usize, done: &JobProgress) {
        self.counters[index].set(done);
        self.members[index].requests.store(done.requests.iter().sum(), Ordering::Relaxed);
    }

    /// Where a job stands.
    pub(crate) fn set_state(&self, index: usize, state: JobState) {
        self.counters[index].set_state(state);
    }

    /// Asks all jobs for what they have measured so far.
    pub(crate) fn ask_for_snapshots(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

    /// How often snapshots were asked for.
    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }

    /// Keeps what a job has measured so far.
    pub(crate) fn keep_snapshot(&self, record: JobRecord) {
        let mut snapshots = self.snapshots.lock().unwrap_or_else(PoisonError::into_inner);
        snapshots.insert(record.job, record);
    }

    /// The newest snapshot of each job, in the order of the jobs.
    pub(crate) fn snapshots(&self) -> Vec<JobRecord> {
        self.snapshots.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// A job has ended, well or not: those that wait may go on, those that end with it are told.
    pub(crate) fn ended(&self, index: usize, jobs: &[Job], failed: bool) {
        self.members[index].has_ended.store(true, Ordering::Release);
        let exit = jobs[index].exit;
        if !(exit.at_end || exit.on_error && failed) {
            return;
        }
        for (other, job) in jobs.iter().enumerate() {
            if exit.scope != ExitScope::Group || job.group == jobs[index].group {
                self.members[other].shall_end.store(true, Ordering::Relaxed);
            }
        }
        if exit.scope == ExitScope::All {
            self.ends_run.store(true, Ordering::Relaxed);
        }
    }

    /// Whether nothing is to follow this phase.
    pub(crate) fn ends_run(&self) -> bool {
        self.ends_run.load(Ordering::Relaxed)
    }

    /// Whether the jobs that `job` waits for have ended.
    pub(crate) fn may_start(&self, job: &Job) -> bool {
        job.start.after.iter().all(|other| self.members[*other as usize].has_ended.load(Ordering::Acquire))
    }

    /// Whether a job is ahead of the others of its flow, so that it has to wait.
    pub(crate) fn is_ahead(&self, index: usize, jobs: &[Job]) -> bool {
        let Some(flow) = jobs[index].flow else { return false };
        let progress = |other: usize, share: u32| {
            self.members[other].requests.load(Ordering::Relaxed) as f64 / f64::from(share.max(1))
        };
        let mine = progress(index, flow.share);
        let mut others = jobs.iter().enumerate().filter(|(other, job)| {
            *other != index
                && job.flow.is_some_and(|theirs| theirs.id == flow.id)
                && self.members[*other].is_working.load(Ordering::Acquire)
        });
        others.any(|(other, job)| job.flow.is_some_and(|theirs| progress(other, theirs.share) + 1.0 < mine))
    }

    /// Tells the others of a flow how far a job is.
    pub(crate) fn advance(&self, index: usize, requests: u64) {
        self.members[index].requests.store(requests, Ordering::Relaxed);
        self.members[index].is_working.store(true, Ordering::Release);
    }

    /// A job makes no more requests.
    pub(crate) fn rests(&self, index: usize) {
        self.members[index].is_working.store(false, Ordering::Release);
    }

    /// Keeps an error for the Record.
    pub(crate) fn report(&self, index: usize, error: &Error) {
        let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        if errors.len() < ERRORS_KEPT {
            errors.push((index, error.clone()));
        }
    }

    /// The errors that were kept.
    pub(crate) fn errors(&self) -> Vec<(usize, Error)> {
        std::mem::take(&mut *self.errors.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
