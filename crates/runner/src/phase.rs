//! One phase: workers are started and made ready, let in together repetition by repetition, and their parts merged.

use crate::clock::{Clock, wall_time};
use crate::live::{Live, Stop};
use crate::observe::Sample;
use crate::worker::{Gate, Outcome, Report, Shared, work};
use fsbench_model::{Phase, Stop as StopRule};
use fsbench_results::{ErrorCount, Repetition};
use fsbench_target::Target;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

/// Virtual memory of a worker's stack; what is not used costs nothing.
pub(crate) const STACK_BYTES: usize = 2 << 20;
/// How long a worker may take to end after the user asked to stop.
pub(crate) const STOP_PATIENCE: Duration = Duration::from_secs(30);
pub(crate) const LOOK: Duration = Duration::from_millis(100);

/// A phase whose workers wait at the gate.
pub(crate) struct Crew {
    shared: Arc<Shared>,
    reports: Receiver<Report>,
    threads: Vec<JoinHandle<()>>,
    /// Workers that still answer.
    present: u32,
}

/// What a phase needs from the run.
pub(crate) struct Setting<'a> {
    pub(crate) target: &'a Arc<dyn Target>,
    pub(crate) owned: &'a BTreeSet<String>,
    pub(crate) clock: &'a Clock,
    pub(crate) live: &'a Live,
    pub(crate) stop: &'a Arc<Stop>,
}

impl Crew {
    /// Starts the workers and waits until each is ready.
    ///
    /// # Errors
    /// A sentence, when the system does not let so many threads be made.
    pub(crate) fn gather(phase: &Phase, setting: &Setting<'_>) -> Result<Self, String> {
        let counters = setting.live.enter(&phase.name, phase.workers, phase.repetitions);
        let shared = Arc::new(Shared {
            phase: phase.clone(),
            target: setting.target.clone(),
            owned: setting.owned.clone(),
            clock: setting.clock.clone(),
            counters,
            stop: setting.stop.clone(),
            gate: Gate::default(),
        });
        let (sender, reports) = channel();
        let mut crew = Self { shared, reports, threads: Vec::new(), present: 0 };
        for number in 0..phase.workers {
            let (shared, sender) = (crew.shared.clone(), sender.clone());
            let builder = Builder::new().name(format!("worker-{number}")).stack_size(STACK_BYTES);
            let thread = builder.spawn(move || work(shared, number, &sender)).map_err(|error| {
                format!("only {number} of {} workers could be started: {error}; use fewer --threads", phase.workers)
            })?;
            crew.threads.push(thread);
            crew.present += 1;
        }
        drop(sender);
        crew.wait_until_ready()?;
        Ok(crew)
    }

    /// Each session may connect as it opens, so this may take as long as the store lets it.
    fn wait_until_ready(&mut self) -> Result<(), String> {
        let mut ready = 0;
        while ready < self.present {
            match self.reports.recv_timeout(LOOK) {
                Ok(Report::Lost) | Err(RecvTimeoutError::Disconnected) => {
                    self.present -= 1;
                    return Err("a worker ended before it was ready; that is a bug in fsbench".into());
                }
                Ok(_) => ready += 1,
                Err(RecvTimeoutError::Timeout) if self.shared.stop.asked() => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        Ok(())
    }

    /// Runs one repetition to its end.
    pub(crate) fn repetition(&mut self, index: u32, live: &Live) -> Repetition {
        let started = wall_time();
        let planned = match self.shared.phase.stop {
            StopRule::Iterations(count) => count.saturating_mul(u64::from(self.shared.phase.workers)),
            StopRule::After(_) => 0,
        };
        let before = Sample::before(&self.shared.clock);
        let origin = self.shared.clock.now();
        live.begin(index, planned, origin);
        self.shared.gate.open(origin);
        let outcomes = self.outcomes();
        let resources = before.until_now(&self.shared.clock);
        live.end();
        let mut repetition = Repetition { index, started, resources, ..Repetition::default() };
        merge(&mut repetition, outcomes);
        if self.lost() > 0 {
            repetition.interrupted = true;
            repetition.counts.insert("workers_lost".into(), u64::from(self.lost()));
        }
        repetition.assert_consistent();
        repetition
    }

    /// Workers that were started and do not answer any more.
    fn lost(&self) -> u32 {
        self.threads.len() as u32 - self.present
    }

    /// Every worker's outcome; after an order to stop, of those that end in time.
    fn outcomes(&mut self) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        let mut patience = STOP_PATIENCE;
        while (outcomes.len() as u32) < self.present {
            match self.reports.recv_timeout(LOOK) {
                Ok(Report::Ended(outcome)) => outcomes.push(*outcome),
                Ok(Report::Ready) => {}
                Ok(Report::Lost) => self.present -= 1,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if !self.shared.stop.asked() => {}
                Err(RecvTimeoutError::Timeout) if patience.is_zero() => break,
                Err(RecvTimeoutError::Timeout) => patience = patience.saturating_sub(LOOK),
            }
        }
        self.present = outcomes.len() as u32;
        outcomes
    }
}

impl Drop for Crew {
    /// Sends the workers home; waits for them unless one hangs in a call that cannot be interrupted.
    fn drop(&mut self) {
        self.shared.gate.close();
        if self.lost() == 0 {
            for thread in self.threads.drain(..) {
                drop(thread.join());
            }
        }
    }
}

fn merge(repetition: &mut Repetition, mut outcomes: Vec<Outcome>) {
    outcomes.sort_by_key(|outcome| outcome.worker.worker);
    let start = outcomes.iter().map(|o| o.worker.start_ns).min().unwrap_or(0);
    let end = outcomes.iter().map(|o| o.worker.end_ns).max().unwrap_or(0);
    repetition.elapsed_ns = end - start;
    for outcome in outcomes {
        repetition.operations += outcome.worker.operations;
        repetition.failed += outcome.failed;
        repetition.bytes += outcome.worker.bytes;
        repetition.interrupted |= outcome.interrupted;
        for (name, kind) in outcome.measured.kinds {
            repetition.kinds.entry(name).or_default().merge(&kind);
        }
        for (name, count) in outcome.measured.counts {
            *repetition.counts.entry(name).or_default() += count;
        }
        for error in outcome.measured.errors {
            add_error(&mut repetition.errors, error);
        }
        repetition.workers.push(outcome.worker);
    }
}

pub(crate) fn add_error(errors: &mut Vec<ErrorCount>, error: ErrorCount) {
    match errors.iter_mut().find(|e| e.operation == error.operation && e.kind == error.kind) {
        Some(known) => known.count += error.count,
        None => errors.push(error),
    }
}
