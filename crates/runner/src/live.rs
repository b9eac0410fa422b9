//! What other threads may see and say while a phase runs: counters for a progress line, and the order to stop.

use fsbench_target::Target;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// One worker's counters on a cache line of its own. Only the worker writes.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct WorkerCounters {
    operations: AtomicU64,
    bytes: AtomicU64,
    /// For jobs: where it stands, and what was read, written and trimmed.
    state: AtomicU8,
    directions: [(AtomicU64, AtomicU64); 3],
}

/// Where a job stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum JobState {
    /// It waits for its start.
    #[default]
    Waiting,
    /// It runs, and nothing is measured yet.
    Ramping,
    /// It runs.
    Running,
    /// It reads back what it wrote.
    Verifying,
    /// It has ended.
    Ended,
    /// It has failed.
    Failed,
}

impl JobState {
    const ALL: [JobState; 6] = [
        JobState::Waiting,
        JobState::Ramping,
        JobState::Running,
        JobState::Verifying,
        JobState::Ended,
        JobState::Failed,
    ];
}

/// Progress of one job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobProgress {
    /// Where it stands.
    pub state: JobState,
    /// Requests of reads, writes and trims that have ended.
    pub requests: [u64; 3],
    /// Bytes of them.
    pub bytes: [u64; 3],
}

impl WorkerCounters {
    #[inline]
    pub(crate) fn add_operation(&self) {
        self.operations.store(self.operations.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// What a job has done so far.
    pub(crate) fn set(&self, done: &JobProgress) {
        self.operations.store(done.requests.iter().sum(), Ordering::Relaxed);
        self.bytes.store(done.bytes.iter().sum(), Ordering::Relaxed);
        self.state.store(done.state as u8, Ordering::Relaxed);
        for (of, (requests, bytes)) in self.directions.iter().enumerate() {
            requests.store(done.requests[of], Ordering::Relaxed);
            bytes.store(done.bytes[of], Ordering::Relaxed);
        }
    }

    /// Where a job stands.
    pub(crate) fn set_state(&self, state: JobState) {
        self.state.store(state as u8, Ordering::Relaxed);
    }

    fn job(&self) -> JobProgress {
        JobProgress {
            state: JobState::ALL[usize::from(self.state.load(Ordering::Relaxed)) % JobState::ALL.len()],
            requests: self.directions.each_ref().map(|(requests, _)| requests.load(Ordering::Relaxed)),
            bytes: self.directions.each_ref().map(|(_, bytes)| bytes.load(Ordering::Relaxed)),
        }
    }

    #[inline]
    pub(crate) fn add_bytes(&self, bytes: u64) {
        self.bytes.store(self.bytes.load(Ordering::Relaxed) + bytes, Ordering::Relaxed);
    }
}

/// Progress of the phase that runs now. Read it as often as you like; it costs the workers nothing.
#[derive(Debug, Default)]
pub struct Live {
    phase: RwLock<(String, Arc<[WorkerCounters]>)>,
    repetition: AtomicU32,
    repetitions: AtomicU32,
    planned: AtomicU64,
    started_ns: AtomicU64,
    running: AtomicBool,
    said: Mutex<Vec<String>>,
    status_asked: AtomicBool,
}

/// A look at [`Live`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Name of the phase.
    pub phase: String,
    /// The repetition that runs, counted from 1.
    pub repetition: u32,
    /// How many there will be.
    pub repetitions: u32,
    /// Operations that ended in this repetition.
    pub operations: u64,
    /// Operations that this repetition will have; 0 when that is not known.
    pub planned: u64,
    /// Bytes moved in this repetition.
    pub bytes: u64,
    /// Nanoseconds of the run's clock at which this repetition began.
    pub started_ns: u64,
}

impl Live {
    pub(crate) fn enter(&self, name: &str, workers: u32, repetitions: u32) -> Arc<[WorkerCounters]> {
        let counters: Arc<[WorkerCounters]> = (0..workers).map(|_| WorkerCounters::default()).collect();
        *self.phase.write().unwrap_or_else(PoisonError::into_inner) = (name.to_string(), counters.clone());
        self.repetitions.store(repetitions, Ordering::Relaxed);
        counters
    }

    /// Something that the user should read now: what takes time before a phase begins.
    pub(crate) fn say(&self, text: String) {
        self.said.lock().unwrap_or_else(PoisonError::into_inner).push(text);
    }

    /// Asks for what was measured so far, as `--status-interval` shows it.
    pub fn ask_status(&self) {
        self.status_asked.store(true, Ordering::Relaxed);
    }

    pub(crate) fn take_status(&self) -> bool {
        self.status_asked.swap(false, Ordering::Relaxed)
    }

    /// What was said since the last call.
    pub fn said(&self) -> Vec<String> {
        std::mem::take(&mut *self.said.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(crate) fn begin(&self, repetition: u32, planned: u64, now_ns: u64) {
        for worker in self.phase.read().unwrap_or_else(PoisonError::into_inner).1.iter() {
            worker.operations.store(0, Ordering::Relaxed);
            worker.bytes.store(0, Ordering::Relaxed);
        }
        self.repetition.store(repetition + 1, Ordering::Relaxed);
        self.planned.store(planned, Ordering::Relaxed);
        self.started_ns.store(now_ns, Ordering::Relaxed);
        self.running.store(true, Ordering::Release);
    }

    pub(crate) fn end(&self) {
        self.running.store(false, Ordering::Release);
    }

    /// Each job of the phase that runs.
    #[must_use]
    pub fn jobs(&self) -> Vec<JobProgress> {
        self.phase.read().unwrap_or_else(PoisonError::into_inner).1.iter().map(WorkerCounters::job).collect()
    }

    /// Where the run stands; `None` between repetitions.
    #[must_use]
    pub fn progress(&self) -> Option<Progress> {
        if !self.running.load(Ordering::Acquire) {
            return None;
        }
        let phase = self.phase.read().unwrap_or_else(PoisonError::into_inner);
        let sum = |of: fn(&WorkerCounters) -> &AtomicU64| phase.1.iter().map(|w| of(w).load(Ordering::Relaxed)).sum();
        Some(Progress {
            phase: phase.0.clone(),
            repetition: self.repetition.load(Ordering::Relaxed),
            repetitions: self.repetitions.load(Ordering::Relaxed),
            operations: sum(|w| &w.operations),
            planned: self.planned.load(Ordering::Relaxed),
            bytes: sum(|w| &w.bytes),
            started_ns: self.started_ns.load(Ordering::Relaxed),
        })
    }
}

/// The order to stop, which a signal handler's thread may give at any time.
#[derive(Default)]
pub struct Stop {
    asked: AtomicBool,
    target: Mutex<Option<Arc<dyn Target>>>,
}

impl Stop {
    /// Ends the run soon: calls under way are interrupted, what was measured is kept.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Release);
        if let Some(target) = self.target.lock().unwrap_or_else(PoisonError::into_inner).as_ref() {
            target.interrupt();
        }
    }

    /// Whether it was asked for.
    #[must_use]
    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }

    pub(crate) fn watch(&self, target: &Arc<dyn Target>) {
        *self.target.lock().unwrap_or_else(PoisonError::into_inner) = Some(target.clone());
        if self.asked() {
            target.interrupt();
        }
    }
}
