//! A worker: one thread, one session, one program, one recorder.

use crate::clock::Clock;
use crate::live::{Stop, WorkerCounters};
use crate::observe::thread_cpu_ns;
use crate::program::{Scene, Step, Steps, steps};
use crate::recorder::{Measured, Recorder};
use fsbench_model::{Phase, Stop as StopRule};
use fsbench_results::WorkerRecord;
use fsbench_target::{Error, ErrorKind, Session, Target};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

/// Failures in a row after which a worker gives up for the repetition.
const FAILURES_IN_A_ROW: u32 = 10;

/// What all workers of a phase share.
pub(crate) struct Shared {
    pub(crate) phase: Phase,
    pub(crate) target: Arc<dyn Target>,
    pub(crate) owned: BTreeSet<String>,
    pub(crate) clock: Clock,
    pub(crate) counters: Arc<[WorkerCounters]>,
    pub(crate) stop: Arc<Stop>,
    pub(crate) gate: Gate,
}

/// Lets all workers into a repetition at once.
#[derive(Default)]
pub(crate) struct Gate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Clone, Copy, Default)]
struct GateState {
    opened: u32,
    closed: bool,
    origin: u64,
}

impl Gate {
    /// Opens the gate for the next repetition, which counts its time from `origin`.
    pub(crate) fn open(&self, origin: u64) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.opened += 1;
        state.origin = origin;
        self.changed.notify_all();
    }

    /// Sends the workers home.
    pub(crate) fn close(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.changed.notify_all();
    }

    /// Waits for repetition `nth` (from 1); its origin, or `None` when there is none to come.
    pub(crate) fn enter(&self, nth: u32) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.opened < nth && !state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        (state.opened >= nth).then_some(state.origin)
    }
}

/// What a worker tells.
pub(crate) enum Report {
    /// Its session is open, or has failed to open, and it waits at the gate.
    Ready,
    /// It ended a repetition.
    Ended(Box<Outcome>),
    /// It panicked: a bug, and its measurements are gone.
    Lost,
}

/// Tells of a worker that ends by a panic; the others keep the channel open, so nobody would notice.
struct Farewell<'a>(&'a Sender<Report>);

impl Drop for Farewell<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            drop(self.0.send(Report::Lost));
        }
    }
}

/// One worker's repetition.
pub(crate) struct Outcome {
    pub(crate) worker: WorkerRecord,
    pub(crate) failed: u64,
    pub(crate) interrupted: bool,
    pub(crate) measured: Measured,
}

struct Worker {
    shared: Arc<Shared>,
    number: u32,
    recorder: Rc<Recorder>,
    session: Result<Box<dyn Session>, Error>,
    steps: Box<dyn Steps>,
}

/// The body of a worker's thread.
pub(crate) fn work(shared: Arc<Shared>, number: u32, reports: &Sender<Report>) {
    let _farewell = Farewell(reports);
    let recorder = Rc::new(Recorder::new(shared.clock.clone()));
    let session = shared.target.session(recorder.clone());
    let owned = |name: &str| shared.owned.contains(name);
    let steps = steps(&shared.phase, number, &owned);
    let mut worker = Worker { shared, number, recorder, session, steps };
    let mut nth = 1;
    let mut told = reports.send(Report::Ready);
    while told.is_ok()
        && let Some(origin) = worker.shared.gate.enter(nth)
    {
        told = reports.send(Report::Ended(Box::new(worker.repetition(origin))));
        nth += 1;
    }
}

impl Worker {
    fn repetition(&mut self, origin: u64) -> Outcome {
        self.recorder.begin(origin);
        // CPU time is taken inside of wall time, so that a short repetition cannot have more of the one.
        let start = self.recorder.now();
        let cpu = thread_cpu_ns();
        let (operations, failed, interrupted) = self.operations(start);
        let cpu_ns = thread_cpu_ns() - cpu;
        let end = self.recorder.now();
        let measured = self.recorder.take();
        let bytes = ["read", "write"].iter().filter_map(|kind| measured.kinds.get(*kind)).map(|kind| kind.bytes).sum();
        let worker = WorkerRecord {
            worker: self.number,
            start_ns: start.saturating_sub(origin),
            end_ns: end.saturating_sub(origin),
            operations,
            bytes,
            cpu_ns,
        };
        Outcome { worker, failed, interrupted, measured }
    }

    /// Runs operations until the stop rule, the user or an error ends it: how many, how many failed, and whether it
    /// was cut short.
    fn operations(&mut self, start: u64) -> (u64, u64, bool) {
        let (mut operations, mut failed, mut in_a_row) = (0, 0, 0);
        while !self.is_over(operations, start) {
            if self.shared.stop.asked() {
                return (operations, failed, true);
            }
            match self.operation() {
                Ok(Step::Done) => in_a_row = 0,
                Ok(Step::Nothing) => break,
                Err(error) if error.kind == ErrorKind::Interrupted => return (operations, failed, true),
                Err(error) => {
                    self.recorder.error(&error);
                    failed += 1;
                    in_a_row += 1;
                    if self.steps.is_final(error.kind) || in_a_row == FAILURES_IN_A_ROW {
                        self.recorder.count("gave_up", 1);
                        return (operations + 1, failed, false);
                    }
                }
            }
            operations += 1;
            self.shared.counters[self.number as usize].add_operation();
        }
        (operations, failed, false)
    }

    fn is_over(&self, operations: u64, start: u64) -> bool {
        match self.shared.phase.stop {
            StopRule::Iterations(count) => operations >= count,
            StopRule::After(span) => operations > 0 && self.recorder.now() - start >= span.0,
        }
    }

    fn operation(&mut self) -> Result<Step, Error> {
        if self.session.is_err() {
            self.session = self.shared.target.session(self.recorder.clone());
        }
        let session = match &mut self.session {
            Ok(session) => session.as_mut(),
            Err(error) => return Err(error.clone()),
        };
        let live = &self.shared.counters[self.number as usize];
        self.steps.step(&mut Scene { session, recorder: &self.recorder, live, stop: &self.shared.stop })
    }
}
