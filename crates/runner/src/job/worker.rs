//! The thread of one job, from opening its lane to the record of what it did.

use super::blocks::{Block, Blocks, Extent};
use super::drive::{Classes, Driver, Halt, Purpose, REAP_MAX, REAP_MAX_NULL};
use super::extras::Extras;
use super::files::Files;
use super::fill::Filler;
use super::lanes::{lane, options};
use super::layout::Ready;
use super::pace::Pace;
use super::proof::is_only_verifying;
use super::random::Rng;
use super::tally::{SYNC, Tally, Wanted};
use super::team::Team;
use super::trace::Trace;
use super::usage::{Usage, thread_id, unix_ms};
use crate::clock::Clock;
use crate::live::JobState;
use crate::recorder::{Measured, Recorder};
use crate::worker::Gate;
use fsbench_model::Phase;
use fsbench_model::job::{EngineName, Fill, Job, Jobs, Mode};
use fsbench_results::{JobRecord, Kind, KindRecord, WorkerRecord};
use fsbench_target::{Error, ErrorKind, LaneKind, LaneOptions, Result, Target};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

/// How often a job that waits for others looks.
const LOOK: Duration = Duration::from_millis(1);

/// What all threads of a phase share.
pub(crate) struct Work {
    pub(crate) phase: Phase,
    pub(crate) jobs: Jobs,
    pub(crate) ready: Vec<Ready>,
    /// What names of files are shown with before them.
    pub(crate) root: String,
    /// The first job's number in the plan, from 1: logs are called by it.
    pub(crate) first_number: u32,
    /// What jobs replay.
    pub(crate) traces: Vec<Option<Trace>>,
    pub(crate) target: Arc<dyn Target>,
    pub(crate) clock: Clock,
    pub(crate) team: Team,
    pub(crate) gate: Gate,
}

/// What a thread tells.
pub(crate) enum Report {
    /// Its lane is open, or failed to open, and it waits at the gate.
    Ready,
    /// It has ended.
    Ended(Box<Outcome>),
    /// It panicked, which is a bug.
    Lost,
}

/// What one job did.
pub(crate) struct Outcome {
    pub(crate) record: JobRecord,
    pub(crate) kinds: BTreeMap<String, KindRecord>,
    pub(crate) worker: WorkerRecord,
    /// What the target told of itself: connects, first bytes, retries.
    pub(crate) stages: Measured,
    pub(crate) errors: u64,
    pub(crate) interrupted: bool,
}

/// Tells of a thread that ends by a panic.
struct Farewell<'a>(&'a Sender<Report>);

impl Drop for Farewell<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            drop(self.0.send(Report::Lost));
        }
    }
}

/// The body of a job's thread.
pub(crate) fn work(work: &Arc<Work>, index: usize, reports: &Sender<Report>) {
    let _farewell = Farewell(reports);
    let job = &work.jobs.jobs[index];
    settle(job);
    let recorder = Rc::new(Recorder::new(work.clock.clone()));
    let driver = driver(work, index, &recorder);
    if reports.send(Report::Ready).is_err() {
        return;
    }
    let Some(origin) = work.gate.enter(1) else { return };
    recorder.begin(origin);
    let waited = wait_for_start(work, index, origin) && shell(work, index, job.exec_before.as_deref(), "prerun");
    let outcome = match driver {
        Ok(driver) if waited => run(driver, origin, &recorder),
        Ok(_) => nothing(index, None),
        Err(error) => {
            work.team.report(index, &error);
            nothing(index, Some(&error))
        }
    };
    if waited && !work.team.is_stopped() {
        shell(work, index, job.exec_after.as_deref(), "postrun");
    }
    let state = if outcome.record.error == 0 { JobState::Ended } else { JobState::Failed };
    work.team.set_state(index, state);
    let failed = outcome.record.error != 0 || outcome.errors > 0 || outcome.record.verify_failures > 0;
    work.team.ended(index, &work.jobs.jobs, failed);
    drop(reports.send(Report::Ended(Box::new(outcome))));
}

/// Processors and niceness of this thread. What the kernel refuses shows in nothing but speed, so it is no error.
fn settle(job: &Job) {
    if !job.processors.is_empty() {
        let mut set = rustix::thread::CpuSet::new();
        job.processors.iter().for_each(|processor| set.set(*processor as usize));
        let _ = rustix::thread::sched_setaffinity(None, &set);
    }
    if job.nice != 0 {
        let thread = rustix::thread::gettid();
        let _ = rustix::process::setpriority_process(Some(thread), job.nice);
    }
}

/// Waits for other jobs and for the delay. False: the job shall not start any more.
fn wait_for_start(work: &Work, index: usize, origin: u64) -> bool {
    let job = &work.jobs.jobs[index];
    let delay = match job.start.delay_max.0.saturating_sub(job.start.delay.0) {
        0 => job.start.delay.0,
        spread => job.start.delay.0 + Rng::derived(job.pattern.seed, 9).below(spread + 1),
    };
    while !work.team.may_start(job) || work.clock.now() < origin + delay {
        if work.team.shall_end(index) {
            return false;
        }
        std::thread::sleep(LOOK);
    }
    !work.team.shall_end(index)
}

/// Runs a command of the job; its output goes to `<job>.prerun.txt` or `<job>.postrun.txt`, as in fio. False: it failed.
fn shell(work: &Work, index: usize, command: Option<&str>, when: &str) -> bool {
    let Some(command) = command else { return true };
    let path = format!("{}.{when}.txt", work.jobs.jobs[index].name);
    let status = std::fs::File::create(&path).and_then(|file| {
        let errors = file.try_clone()?;
        std::process::Command::new("/bin/sh").arg("-c").arg(command).stdout(file).stderr(errors).status()
    });
    let detail = match status {
        Ok(status) if status.success() => return true,
        Ok(status) => format!("it ended with {status}; its output is in {path}"),
        Err(error) => error.to_string(),
    };
    work.team.report(index, &Error::new(ErrorKind::Other, "job", "run the command", command, detail));
    false
}

fn wanted(job: &Job) -> Wanted {
    let output = &job.output;
    let is_paced = job.rate.bytes.iter().chain(&job.rate.iops).any(|rate| *rate > 0);
    Wanted {
        slat: output.slat,
        clat: output.clat,
        lat: output.lat,
        slat_distribution: output.slat && output.slat_percentiles,
        // The distribution of the one that is measured is always kept: reports and the Record are made of it.
        clat_distribution: output.clat,
        lat_distribution: output.lat && (output.lat_percentiles || !output.clat),
        due: is_paced && (output.lat || output.clat),
        bandwidth: output.bandwidth,
        bandwidth_window_ns: job.logs.bandwidth_window.0.max(1),
        iops_window_ns: job.logs.iops_window.0.max(1),
    }
}

fn driver<'a>(work: &'a Work, index: usize, recorder: &Rc<Recorder>) -> Result<Driver<'a>> {
    let job = &work.jobs.jobs[index];
    let ready = &work.ready[index];
    let slot_bytes = slot_bytes(job)?;
    let is_synchronous = job.engine.name.is_synchronous();
    let depth = if is_synchronous { 1 } else { job.engine.depth.max(1) };
    let mut lane = lane(work.target.as_ref(), &LaneOptions { depth, ..options(job, slot_bytes) }, recorder.clone())?;
    let streams = !work.target.capabilities().random_write;
    let mut files = Files::declare(job, lane.as_mut(), &ready.extents, streams)?;
    files.open_first(lane.as_mut(), job)?;
    let total: u64 = ready.extents.iter().map(|extent| extent.size).sum();
    let blocks = blocks(job, &ready.extents, total);
    let wanted = wanted(job);
    let root = work.root.as_str();
    let (flights, free) = Driver::slots(depth);
    let block_min = job.pattern.blocks[1].min().max(1) as u32;
    let mut driver = Driver {
        job,
        jobs: &work.jobs.jobs,
        team: &work.team,
        index,
        root,
        clock: work.clock.clone(),
        lane,
        files,
        blocks,
        tally: Tally::new(wanted, 0),
        classes: Classes::default(),
        filler: Filler::new(&job.data, job.pattern.seed, block_min, total),
        pace: Pace::new(&job.rate, job.pattern.seed),
        extras: Extras::new(job, root, work.first_number + index as u32)?,
        ignored: Vec::new(),
        trace: work.traces[index].as_ref(),
        expected: 0,
        is_synchronous,
        measures_slat: wanted.slat,
        measures_clat: wanted.clat,
        measures_lat: wanted.lat,
        measures: wanted.slat || wanted.clat || wanted.lat,
        depth,
        reap_max: if job.engine.name == EngineName::Null { REAP_MAX_NULL } else { REAP_MAX },
        flights,
        free,
        in_flight: 0,
        fresh: Vec::with_capacity(depth as usize),
        done: Vec::with_capacity(depth as usize),
        edge: 0,
        ramp_end: 0,
        is_ramping: false,
        begun: 0,
        deadline: u64::MAX,
        requests_left: job.amount.requests.unwrap_or(u64::MAX),
        writes: 0,
        halt: None,
        errors: 0,
        first_error: None,
        purpose: Purpose::Work,
        spent: [0; 2],
        since: 0,
        usage: Usage::of_thread(),
        answered: 0,
        orders_writes: job.verify.is_some() || job.pattern.mode == Mode::TrimWrite,
        primes_each: job.pattern.mode == Mode::ReadWrite && matches!(job.data.fill, Fill::Zero | Fill::Pattern(_)),
    };
    driver.settle();
    Ok(driver)
}

/// Bytes of the largest request.
fn slot_bytes(job: &Job) -> Result<u32> {
    let largest = [0, 1, 2].map(|of: usize| job.pattern.blocks[of].max()).into_iter().max().unwrap_or(0).max(1);
    u32::try_from(largest).map_err(|_| {
        Error::new(ErrorKind::Invalid, "job", "prepare", job.name.clone(), "blocks of 4 GiB and more are not supported")
    })
}

/// The requests of a job over files of `total` bytes.
fn blocks(job: &Job, extents: &[Extent], total: u64) -> Blocks {
    let names = job.engine.name.is_of_names();
    let pass_bytes = match job.amount.size {
        Some(size) if !names => size.0.min(total),
        _ => total,
    };
    let open_max = job.open_files_max.max(1) as usize;
    let mut blocks = Blocks::new(&job.pattern, &job.serve, open_max, extents, pass_bytes);
    if let Some(io_size) = job.amount.io_size.filter(|_| !names) {
        blocks.allow(io_size.0);
    }
    blocks
}

/// The outcome of a job that did not run.
fn nothing(index: usize, error: Option<&Error>) -> Outcome {
    let mut record = JobRecord { job: index as u32, thread_id: thread_id(), ..JobRecord::default() };
    if let Some(error) = error {
        record.error = errno_of(error);
        record.error_text = error.to_string();
    }
    Outcome {
        record,
        kinds: BTreeMap::new(),
        worker: WorkerRecord { worker: index as u32, ..WorkerRecord::default() },
        stages: Measured::default(),
        errors: u64::from(error.is_some()),
        interrupted: error.is_none(),
    }
}

/// The system's number for an error, as fio's `err=` shows it.
pub(crate) fn errno_of(error: &Error) -> i32 {
    use nix::errno::Errno;
    if error.errno != 0 {
        return error.errno;
    }
    let errno = match error.kind {
        ErrorKind::NotFound => Errno::ENOENT,
        ErrorKind::AlreadyExists => Errno::EEXIST,
        ErrorKind::Denied | ErrorKind::Unauthenticated => Errno::EACCES,
        ErrorKind::Throttled | ErrorKind::Unavailable => Errno::EAGAIN,
        ErrorKind::Timeout => Errno::ETIMEDOUT,
        ErrorKind::Connection => Errno::ECONNRESET,
        ErrorKind::NoSpace => Errno::ENOSPC,
        ErrorKind::Corrupt => Errno::EILSEQ,
        ErrorKind::WrongType => Errno::EISDIR,
        ErrorKind::Invalid => Errno::EINVAL,
        ErrorKind::Unsupported => Errno::EOPNOTSUPP,
        ErrorKind::Interrupted => Errno::EINTR,
        ErrorKind::ShortRead | ErrorKind::Other => Errno::EIO,
    };
    errno as i32
}

/// Runs the job to its end.
fn run(mut driver: Driver<'_>, origin: u64, recorder: &Recorder) -> Outcome {
    let started_unix_ms = unix_ms();
    let start = driver.clock.now();
    driver.start_at(start, origin);
    driver.passes();
    driver.team.rests(driver.index);
    let closing = driver.clock.now();
    driver.finish();
    if driver.files.streams() && driver.tally.directions[1].requests > 0 {
        // Closing is what makes the files visible: it is in the runtime, and shown apart.
        recorder.done(Kind::Close, closing, 0);
    }
    let end = driver.clock.now();
    driver.tally.end(end);
    driver.publish();
    let mut record = driver.record(end);
    record.started_unix_ms = started_unix_ms;
    record.elapsed_ns = end - origin;
    Usage::of_thread().since(&driver.usage, &mut record);
    let worker = WorkerRecord {
        worker: driver.index as u32,
        start_ns: start - origin,
        end_ns: end - origin,
        operations: driver.tally.requests() + driver.tally.directions[SYNC].requests,
        bytes: driver.tally.bytes(),
        cpu_ns: record.user_ns + record.system_ns,
    };
    let names = ["read", "write", "trim", "sync"];
    let kinds = names.iter().enumerate().filter(|(of, _)| driver.tally.directions[*of].requests > 0);
    let kinds = kinds.filter_map(|(of, name)| Some(((*name).to_string(), driver.tally.kind(of)?))).collect();
    let interrupted = driver.team.is_stopped();
    drop(driver.lane);
    Outcome { record, kinds, worker, stages: recorder.take(), errors: driver.errors, interrupted }
}

impl Driver<'_> {
    /// What the job has measured until `now`.
    pub(crate) fn record(&self, now: u64) -> JobRecord {
        let runtime_ns = now.saturating_sub(self.begun);
        let mut record = JobRecord {
            job: self.index as u32,
            thread_id: thread_id(),
            runtime_ns,
            read: self.tally.direction(0, self.runtime(0, now)),
            write: self.tally.direction(1, self.runtime(1, now)),
            trim: self.tally.direction(2, self.runtime(2, now)),
            sync: self.tally.direction(SYNC, self.runtime(SYNC, now)),
            depths: self.classes.depths,
            submits: self.classes.submits,
            completes: self.classes.completes,
            depth: self.depth,
            errors: self.errors,
            notes: self.ignored.clone(),
            first_error: self.first_error.as_deref().map_or(0, errno_of),
            ..JobRecord::default()
        };
        if self.is_synchronous {
            // Each request is a submission and a reap of its own.
            record.submits[1] = record.depths[0];
            record.completes[1] = record.depths[0];
        }
        if let Some(extras) = &self.extras {
            record.steady = extras.steady.as_ref().map(|steady| steady.record());
            if let Some(proof) = &extras.proof {
                (record.verified, record.verify_failures) = (proof.verified, proof.failures);
            }
        }
        let ended_by = match (&self.halt, &self.first_error) {
            (Some(Halt::Failed(error)), _) => Some(error),
            // A job that goes on after a bad block has failed all the same, unless that was asked for.
            (_, Some(error)) if record.verify_failures > 0 && !self.job.on_error.verify => Some(error),
            _ => None,
        };
        if let Some(error) = ended_by {
            record.error = errno_of(error);
            record.error_text = error.to_string();
        }
        record
    }

    /// The depth to begin with, and content for the buffers.
    fn settle(&mut self) {
        if let Some(seeking) = self.extras.as_ref().and_then(|extras| extras.seeking.as_ref()) {
            self.depth = seeking.depth().min(self.depth);
        }
        if !matches!(self.job.pattern.mode, Mode::Read) {
            self.prime();
        }
    }

    /// Time counts from `now`.
    fn start_at(&mut self, now: u64, origin: u64) {
        let amount = &self.job.amount;
        self.tally.phase_begins(origin);
        self.ramp_end = now + amount.ramp.0;
        self.is_ramping = amount.ramp.0 > 0;
        self.deadline = amount.runtime.map_or(u64::MAX, |runtime| self.ramp_end.saturating_add(runtime.0));
        if let Some(pace) = &mut self.pace {
            pace.begin(now);
        }
        self.measure_from(now);
    }

    /// All loops.
    fn passes(&mut self) {
        let amount = self.job.amount;
        let mut loops = 0;
        while self.halt.is_none() && !self.job.layout.only {
            let before = self.progress();
            self.requests_left = amount.requests.unwrap_or(u64::MAX);
            self.work_once();
            self.verify_all();
            self.look(self.clock.now());
            loops += 1;
            let goes_on = if amount.time_based { amount.runtime.is_some() } else { loops < amount.loops };
            // A pass that did nothing will do nothing again.
            if !goes_on || self.progress() == before {
                return;
            }
            if let Err(error) = self.files.invalidate(self.lane.as_mut(), self.job) {
                self.fail(Box::new(error));
            }
            self.blocks.again();
            if let Some(io_size) = amount.io_size {
                self.blocks.allow(io_size.0);
            }
        }
    }

    /// Changes with everything that a job does.
    fn progress(&self) -> (u64, u64, u64) {
        (self.tally.requests() + self.tally.directions[SYNC].requests, self.errors, self.begun)
    }

    /// One pass of the work, or of what stands for it.
    fn work_once(&mut self) {
        if let Some(trace) = self.trace {
            return self.replay(trace);
        }
        if is_only_verifying(self.job) {
            if let Err(error) = self.assume_written() {
                self.fail(Box::new(error));
            }
            return;
        }
        self.pass(&mut |driver| driver.next_block());
    }

    /// The next block of a job that pauses, follows a flow or has other extras.
    fn next_block(&mut self) -> Option<Block> {
        let completed = self.tally.requests() + self.errors;
        let think = self.extras.as_mut().and_then(|extras| extras.think.as_mut());
        if let Some(think) = think
            && think.is_due(self.clock.now(), completed)
        {
            let (time, spin) = (Duration::from_nanos(think.plan.time.0), Duration::from_nanos(think.plan.spin.0));
            self.drain();
            self.pause(time, spin);
            self.resumed();
        }
        if self.job.flow.is_some() {
            self.flow();
        }
        self.verify_backlog();
        if self.halt.is_some() { None } else { self.next_in_time() }
    }

    fn resumed(&mut self) {
        let now = self.clock.now();
        if let Some(think) = self.extras.as_mut().and_then(|extras| extras.think.as_mut()) {
            think.resumed(now);
        }
        if let Some(pace) = self.pace.as_mut().filter(|_| self.job.rate.ignore_think) {
            pace.forgive(now);
        }
    }

    /// Waits while the job is ahead of its flow.
    fn flow(&mut self) {
        let jobs = self.jobs;
        self.team.advance(self.index, self.tally.requests() + u64::from(self.in_flight));
        while self.halt.is_none() && self.team.is_ahead(self.index, jobs) {
            let sleep = self.job.flow.map_or(0, |flow| flow.sleep.0);
            self.drain();
            self.pause(Duration::from_nanos(sleep.max(1_000)), Duration::ZERO);
        }
    }

    /// Syncs at the end, closing, and what logs and traces still have to say.
    fn finish(&mut self) {
        self.save_state();
        self.close();
        let ns = self.clock.now().saturating_sub(self.begun);
        let finished = self.extras.as_mut().map_or(Ok(()), |extras| extras.finish(ns));
        if let Err(error) = finished {
            self.fail(Box::new(error));
        }
    }

    fn close(&mut self) {
        let syncs = self.job.syncs;
        if (syncs.at_end || syncs.on_close)
            && self.writes > 0
            && !self.team.is_stopped()
            && !matches!(self.halt, Some(Halt::Failed(_)))
        {
            let halt = self.halt.take();
            for file in self.files.opened() {
                self.sync(file, LaneKind::Sync);
            }
            self.halt = self.halt.take().or(halt);
        }
        let streams = self.files.streams();
        if streams && self.halt.is_some() {
            // A file that was not written to its end is given up rather than made visible.
            self.lane.cancel();
            return;
        }
        if let Err(error) = self.files.close(self.lane.as_mut()) {
            self.fail(Box::new(error));
        }
    }
}
