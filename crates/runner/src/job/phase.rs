//! One phase of jobs: files are laid out, all threads made ready and let in at once, their parts put together.

use super::layout::{Layouter, Ready, root_of};
use super::logbook::empty_shared;
use super::replay::expand;
use super::team::Team;
use super::trace::Trace;
use super::usage::{Disks, device_of};
use super::worker::{Outcome, Report, Work, errno_of, work};
use crate::clock::wall_time;
use crate::observe::Sample;
use crate::phase::{LOOK, STACK_BYTES, STOP_PATIENCE, Setting, add_error};
use crate::worker::Gate;
use fsbench_model::Phase;
use fsbench_model::job::{EngineName, Job, Jobs, Mode};
use fsbench_results::{CacheState, ErrorCount, JobRecord, Repetition};
use fsbench_target::{Cached, Error, ErrorKind, Session};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{Builder, JoinHandle};

/// Names that the run created, for `unlink`.
pub(crate) type Created = BTreeSet<String>;

/// What the phases of one run leave to each other.
#[derive(Default)]
pub(crate) struct Trail {
    /// Names that the run created.
    pub(crate) created: Created,
    /// Logs that jobs share and that were emptied.
    pub(crate) emptied: BTreeSet<String>,
    /// Jobs of the phases before.
    pub(crate) jobs: u32,
}

/// Jobs answer within this, unless a request takes longer.
const ANSWER_NS: u64 = 200_000_000;

/// Who wants to see what was measured so far, and how often.
pub(crate) struct Watch<'a> {
    pub(crate) every_ns: Option<u64>,
    pub(crate) show: &'a mut dyn FnMut(Repetition),
    /// How many intervals have passed.
    pub(crate) nth: u64,
    /// When the jobs were asked, until they are shown.
    pub(crate) waiting_since_ns: Option<u64>,
}

/// What a phase of jobs leaves.
pub(crate) struct Outlook {
    pub(crate) repetition: Repetition,
    /// Nothing is to follow (`exitall` with `exit_what=all`).
    pub(crate) ends_run: bool,
}

/// Runs a phase of jobs.
///
/// # Errors
/// What the user has to change before it can run, or that files could not be laid out. Nothing was measured.
pub(crate) fn phase(
    phase: &Phase,
    jobs: &Jobs,
    setting: &Setting<'_>,
    session: &mut dyn Session,
    (trail, cold): (&mut Trail, bool),
    watch: &mut Watch<'_>,
) -> Result<Outlook, Error> {
    let counters = setting.live.enter(&phase.name, phase.workers, 1);
    let expanded: Vec<(Job, Option<Trace>)> = jobs.jobs.iter().map(expand).collect::<Result<_, _>>()?;
    let (with_files, traces) = expanded.into_iter().unzip();
    let jobs = &Jobs { jobs: with_files, ..*jobs };
    let ready = lay_out(jobs, setting, &mut trail.created)?;
    jobs.jobs.iter().try_for_each(|job| empty_shared(job, &mut trail.emptied))?;
    let first_number = trail.jobs + 1;
    trail.jobs += jobs.jobs.len() as u32;
    let work = Arc::new(Work {
        phase: phase.clone(),
        jobs: jobs.clone(),
        ready,
        traces,
        first_number,
        root: root_of(setting.target.as_ref()),
        target: setting.target.clone(),
        clock: setting.clock.clone(),
        team: Team::new(jobs.jobs.len(), counters, setting.stop.clone()),
        gate: Gate::default(),
    });
    let mut crew = Crew::gather(work, setting)?;
    // The jobs have opened their files by now, and dropped them from the cache where `invalidate` says so.
    let cache = cache_before(jobs, setting, session, cold);
    let mut repetition = crew.run(setting, watch);
    repetition.cache = cache;
    let ends_run = crew.work.team.ends_run();
    drop(crew);
    if setting.stop.asked() {
        // The jobs have ended. What they made can be removed, which a target that was interrupted refuses.
        setting.target.resume();
    }
    unlink(jobs, session, &mut trail.created, &mut repetition);
    Ok(Outlook { repetition, ends_run })
}

/// The records of jobs that could not be run: all have the error, and nothing else.
pub(crate) fn not_run(jobs: &Jobs, error: &Error) -> Repetition {
    let (errno, text) = (errno_of(error), error.to_string());
    let record = |job: u32| JobRecord { job, error: errno, error_text: text.clone(), ..JobRecord::default() };
    let jobs = (0..jobs.jobs.len() as u32).map(record).collect();
    Repetition { started: wall_time(), jobs, ..Repetition::default() }
}

fn lay_out(jobs: &Jobs, setting: &Setting<'_>, created: &mut Created) -> Result<Vec<Ready>, Error> {
    let tell = |text: String| setting.live.say(text);
    let stopped = || setting.stop.asked();
    let mut layouter = Layouter::new(setting.target.as_ref(), &tell, &stopped, created)?;
    jobs.jobs.iter().map(|job| layouter.job(job)).collect()
}

/// How much of what will be read is in the page cache, after evicting it if that was asked for.
fn cache_before(jobs: &Jobs, setting: &Setting<'_>, session: &mut dyn Session, cold: bool) -> Option<CacheState> {
    let reads = |job: &&Job| {
        matches!(job.pattern.mode, Mode::Read | Mode::ReadWrite)
            && !job.engine.name.is_of_names()
            && job.engine.name != EngineName::Null
    };
    if !setting.target.capabilities().page_cache || !jobs.jobs.iter().any(|job| reads(&job)) {
        return None;
    }
    let files: BTreeSet<&str> =
        jobs.jobs.iter().filter(reads).flat_map(|job| &job.files).map(|file| file.path.as_str()).collect();
    let mut state = CacheState { evicted: cold, ..CacheState::default() };
    for file in files {
        match if cold { session.evict(file) } else { session.cached(file) } {
            Ok(Some(Cached { bytes, of })) => {
                state.cached_bytes += bytes;
                state.of_bytes += of;
            }
            Ok(None) => {}
            Err(_) => state.evicted = false,
        }
    }
    Some(state)
}

/// Deletes what the run created, for jobs that ask for it.
fn unlink(jobs: &Jobs, session: &mut dyn Session, created: &mut Created, repetition: &mut Repetition) {
    let wanted = jobs.jobs.iter().filter(|job| job.layout.unlink || job.engine.name == EngineName::Filedelete);
    for file in wanted.flat_map(|job| &job.files) {
        if !created.remove(&file.path) {
            continue;
        }
        match session.delete(&file.path) {
            Err(error) if error.kind != ErrorKind::NotFound => count(&mut repetition.errors, &error),
            _ => {}
        }
    }
}

fn count(errors: &mut Vec<ErrorCount>, error: &Error) {
    let (operation, kind) = (error.operation.to_string(), error.kind.name().to_string());
    add_error(errors, ErrorCount { operation, kind, count: 1, first: error.to_string() });
}

/// The threads of a phase.
struct Crew {
    work: Arc<Work>,
    reports: Receiver<Report>,
    threads: Vec<JoinHandle<()>>,
    present: usize,
}

impl Crew {
    fn gather(shared: Arc<Work>, setting: &Setting<'_>) -> Result<Self, Error> {
        let (sender, reports) = channel();
        let mut crew = Self { work: shared, reports, threads: Vec::new(), present: 0 };
        for index in 0..crew.work.jobs.jobs.len() {
            let (shared, sender) = (crew.work.clone(), sender.clone());
            let builder = Builder::new().name(format!("job-{index}")).stack_size(STACK_BYTES);
            let thread = builder.spawn(move || work(&shared, index, &sender)).map_err(|error| {
                Error::of_io("job", "start a thread for", crew.work.jobs.jobs[index].name.clone(), &error)
                    .with_hint("use fewer jobs")
            })?;
            crew.threads.push(thread);
            crew.present += 1;
        }
        drop(sender);
        let mut ready = 0;
        while ready < crew.present && !setting.stop.asked() {
            match crew.reports.recv_timeout(LOOK) {
                Ok(Report::Ready | Report::Ended(_)) => ready += 1,
                Ok(Report::Lost) | Err(RecvTimeoutError::Disconnected) => {
                    crew.present -= 1;
                    let detail = "a thread ended before it was ready; that is a bug in fsbench";
                    return Err(Error::new(ErrorKind::Other, "job", "start", crew.work.phase.name.clone(), detail));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        Ok(crew)
    }

    fn run(&mut self, setting: &Setting<'_>, watch: &mut Watch<'_>) -> Repetition {
        let started = wall_time();
        let before = Sample::before(setting.clock);
        let disks = Disks::now();
        let origin = setting.clock.now();
        setting.live.begin(0, 0, origin);
        self.work.gate.open(origin);
        let outcomes = self.outcomes(setting, watch);
        let span_ms = (setting.clock.now() - origin) / 1_000_000;
        let resources = before.until_now(setting.clock);
        setting.live.end();
        let mut repetition = Repetition { index: 0, started, resources, ..Repetition::default() };
        merge(&mut repetition, outcomes);
        repetition.disks = disks.until_now(&self.devices(), span_ms);
        let lost = self.threads.len() - self.present;
        if lost > 0 {
            repetition.interrupted = true;
            repetition.counts.insert("workers_lost".into(), lost as u64);
        }
        self.errors(&mut repetition);
        repetition.assert_consistent();
        repetition
    }

    /// Devices below the files of local jobs that want to see them.
    fn devices(&self) -> Vec<(u32, u32)> {
        if self.work.target.scheme() != "posix" {
            return Vec::new();
        }
        let jobs = self.work.jobs.jobs.iter().filter(|job| job.output.disk_util);
        let files = jobs.filter_map(|job| job.files.first());
        let devices: BTreeSet<_> = files.filter_map(|file| device_of(&format!("/{}", file.path))).collect();
        devices.into_iter().collect()
    }

    fn errors(&self, repetition: &mut Repetition) {
        let mut counted = 0;
        for (index, error) in self.work.team.errors() {
            count(&mut repetition.errors, &error);
            counted += 1;
            if let Some(job) = repetition.jobs.iter_mut().find(|job| job.job as usize == index)
                && job.first_error == 0
            {
                job.first_error = errno_of(&error);
            }
        }
        // More failed than were kept word for word.
        let more = repetition.failed.saturating_sub(counted);
        if let Some(first) = repetition.errors.first_mut() {
            first.count += more;
        }
    }

    /// What every job did; after an order to stop, what those did that end in time.
    fn outcomes(&mut self, setting: &Setting<'_>, watch: &mut Watch<'_>) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        let mut patience = STOP_PATIENCE;
        let origin = setting.clock.now();
        while outcomes.len() < self.present {
            self.status(setting.clock.now() - origin, setting, watch);
            match self.reports.recv_timeout(LOOK) {
                Ok(Report::Ended(outcome)) => outcomes.push(*outcome),
                Ok(Report::Ready) => {}
                Ok(Report::Lost) => self.present -= 1,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) if !setting.stop.asked() => {}
                Err(RecvTimeoutError::Timeout) if patience.is_zero() => break,
                Err(RecvTimeoutError::Timeout) => patience = patience.saturating_sub(LOOK),
            }
        }
        self.present = outcomes.len();
        outcomes
    }
}

impl Crew {
    /// Shows what was measured so far, when it is time or somebody asks: the jobs are asked, and a moment later shown.
    fn status(&self, elapsed_ns: u64, setting: &Setting<'_>, watch: &mut Watch<'_>) {
        if let Some(since_ns) = watch.waiting_since_ns {
            if elapsed_ns - since_ns >= ANSWER_NS {
                watch.waiting_since_ns = None;
                let jobs = self.work.team.snapshots();
                (watch.show)(Repetition { started: wall_time(), elapsed_ns, jobs, ..Repetition::default() });
            }
            return;
        }
        let nth = watch.every_ns.map_or(0, |every_ns| elapsed_ns / every_ns.max(1));
        if setting.live.take_status() || nth > watch.nth {
            watch.nth = nth;
            watch.waiting_since_ns = Some(elapsed_ns);
            self.work.team.ask_for_snapshots();
        }
    }
}

impl Drop for Crew {
    /// Sends the threads home; waits for them unless one hangs in a call that cannot be interrupted.
    fn drop(&mut self) {
        self.work.gate.close();
        if self.threads.len() == self.present {
            for thread in self.threads.drain(..) {
                drop(thread.join());
            }
        }
    }
}

fn merge(repetition: &mut Repetition, mut outcomes: Vec<Outcome>) {
    outcomes.sort_by_key(|outcome| outcome.record.job);
    let start = outcomes.iter().map(|outcome| outcome.worker.start_ns).min().unwrap_or(0);
    let end = outcomes.iter().map(|outcome| outcome.worker.end_ns).max().unwrap_or(0);
    repetition.elapsed_ns = end.saturating_sub(start);
    for outcome in outcomes {
        let requests = outcome.worker.operations;
        repetition.operations += requests;
        repetition.failed += outcome.errors;
        repetition.bytes += outcome.worker.bytes;
        repetition.interrupted |= outcome.interrupted;
        for (name, kind) in outcome.kinds.into_iter().chain(outcome.stages.kinds) {
            repetition.kinds.entry(name).or_default().merge(&kind);
        }
        for (name, count) in outcome.stages.counts {
            *repetition.counts.entry(name).or_default() += count;
        }
        repetition.workers.push(outcome.worker);
        repetition.jobs.push(outcome.record);
    }
}
