//! fio's line of progress, drawn by a thread of its own, and what is said while files are laid out.

use crate::output;
use fsbench_model::job::Job;
use fsbench_model::{Plan, Program};
use fsbench_report::fio::eta::{self, Eta as Moment};
use fsbench_runner::{Clock, JobProgress, JobState, Live};
use fsbench_suites::fio::{Eta, Format, Outputs};
use std::io::{IsTerminal, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Draws until it is dropped.
pub(crate) struct Line {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

struct Drawer {
    live: Arc<Live>,
    clock: Clock,
    jobs: Vec<Vec<Job>>,
    names: Vec<String>,
    shows: bool,
    says_on_stdout: bool,
    /// Programs that ask for JSON take any word on standard error for a failure (fio-plot's bench-fio does): nothing is
    /// said about files that are laid out unless somebody reads it.
    says: bool,
    every: Duration,
    newline: Option<Duration>,
    width: usize,
}

impl Line {
    pub(crate) fn show(live: Arc<Live>, clock: Clock, plan: &Plan, outputs: &Outputs) -> Self {
        let done = Arc::new(AtomicBool::new(false));
        let shows = match outputs.eta {
            Eta::Always => true,
            Eta::Never => false,
            Eta::Auto => std::io::stdout().is_terminal() && outputs.formats == [Format::Normal],
        };
        let jobs = plan.phases.iter().map(|phase| match &phase.program {
            Program::Jobs(jobs) => jobs.jobs.clone(),
            _ => Vec::new(),
        });
        let drawer = Drawer {
            live,
            clock,
            jobs: jobs.collect(),
            names: plan.phases.iter().map(|phase| phase.name.clone()).collect(),
            shows,
            says_on_stdout: outputs.formats.first() == Some(&Format::Normal) && outputs.file.is_none(),
            says: outputs.formats.contains(&Format::Normal) || std::io::stderr().is_terminal(),
            every: Duration::from_nanos(outputs.eta_interval.0),
            newline: outputs.eta_newline.map(|span| Duration::from_nanos(span.0)),
            width: 0,
        };
        let seen = done.clone();
        let draw = move || drawer.draw(&seen);
        let thread = std::thread::Builder::new().name("progress".into()).spawn(draw).ok();
        Self { done, thread }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            drop(thread.join());
        }
    }
}

impl Drawer {
    fn draw(mut self, done: &AtomicBool) {
        let look = self.every.min(Duration::from_millis(100));
        let mut last = Vec::new();
        let (mut next_ns, mut newline_ns) = (0, 0);
        while !done.load(Ordering::Acquire) {
            self.say();
            let now = self.clock.now();
            if self.shows && now >= next_ns && self.live.progress().is_some() {
                next_ns = now + self.every.as_nanos() as u64;
                let ends = self.newline.is_some_and(|every| now >= newline_ns + every.as_nanos() as u64);
                if ends {
                    newline_ns = now;
                }
                last = self.line(&last, ends);
            }
            std::thread::park_timeout(look);
        }
        self.say();
        if self.width > 0 {
            put(&format!("\r{:width$}\r", "", width = self.width));
        }
    }

    fn say(&self) {
        for text in self.live.said().into_iter().filter(|_| self.says) {
            match self.says_on_stdout {
                true => drop(output::print(&format!("{text}\n"))),
                false => output::tell(&format!("{text}\n")),
            }
        }
    }

    /// Draws the line; the jobs as they are now, for the rates of the next one.
    fn line(&mut self, last: &[JobProgress], ends: bool) -> Vec<JobProgress> {
        let now = self.live.jobs();
        let Some(progress) = self.live.progress() else { return now };
        let phase = self.names.iter().position(|name| *name == progress.phase).unwrap_or(0);
        let jobs = self.jobs.get(phase).map_or(&[][..], Vec::as_slice);
        let elapsed_s = self.clock.now().saturating_sub(progress.started_ns) / 1_000_000_000;
        let line = eta::line(&moment(jobs, &now, last, (elapsed_s, self.every.as_secs_f64())));
        let blanks = self.width.saturating_sub(line.chars().count());
        self.width = if ends { 0 } else { line.chars().count() };
        put(&format!("{line}{:blanks$}{}", "", if ends { '\n' } else { '\r' }));
        now
    }
}

fn put(text: &str) {
    let mut out = std::io::stderr().lock();
    drop(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

fn moment(jobs: &[Job], now: &[JobProgress], last: &[JobProgress], (elapsed_s, every_s): (u64, f64)) -> Moment {
    let runs = |state| matches!(state, JobState::Running | JobState::Ramping | JobState::Verifying);
    let rate = |of: fn(&JobProgress) -> [u64; 3]| {
        [0, 1, 2].map(|way| {
            let sum = |jobs: &[JobProgress]| jobs.iter().map(|job| of(job)[way]).sum::<u64>();
            (sum(now).saturating_sub(sum(last)) as f64 / every_s) as u64
        })
    };
    let running = now.iter().zip(jobs).filter(|(progress, _)| runs(progress.state));
    let limits = |least: fn(&Job) -> [u64; 3], wanted: fn(&Job) -> [u64; 3]| {
        let sum = |of: fn(&Job) -> [u64; 3]| jobs.iter().map(|job| of(job).iter().sum::<u64>()).sum();
        (sum(least), sum(wanted))
    };
    Moment {
        running: running.clone().count() as u32,
        ramping: now.iter().filter(|progress| progress.state == JobState::Ramping).count() as u32,
        files_open: running.map(|(_, job)| job.files.len().min(job.open_files_max.max(1) as usize) as u64).sum(),
        bytes_limits: limits(|job| job.rate.bytes_min, |job| job.rate.bytes),
        iops_limits: limits(|job| job.rate.iops_min, |job| job.rate.iops),
        states: now.iter().zip(jobs).map(|(progress, job)| state(*progress, job)).collect(),
        elapsed_s,
        left_s: left_s(jobs, now, elapsed_s),
        bytes_rate: rate(|job| job.bytes),
        iops: rate(|job| job.requests),
        kb_base: jobs.first().map_or(1024, |job| job.output.kb_base),
        bits: jobs.first().is_some_and(|job| job.output.bits),
    }
}

fn state(progress: JobProgress, job: &Job) -> char {
    match progress.state {
        JobState::Waiting => 'P',
        JobState::Ramping => '/',
        JobState::Running => eta::running(job),
        JobState::Verifying => 'V',
        JobState::Ended => '_',
        JobState::Failed => 'X',
    }
}

/// Seconds until the slowest job ends, as far as bytes and time limits tell.
fn left_s(jobs: &[Job], now: &[JobProgress], elapsed_s: u64) -> Option<u64> {
    if elapsed_s < eta::FIRST_ESTIMATE_S {
        return None;
    }
    let left =
        jobs.iter().zip(now).filter(|(_, progress)| !matches!(progress.state, JobState::Ended | JobState::Failed));
    left.filter_map(|(job, progress)| job_left_s(job, progress, elapsed_s)).max()
}

fn job_left_s(job: &Job, progress: &JobProgress, elapsed_s: u64) -> Option<u64> {
    let amount = &job.amount;
    let by_time = amount.runtime.map(|span| ((span.0 + amount.ramp.0) / 1_000_000_000).saturating_sub(elapsed_s));
    if amount.time_based {
        return by_time;
    }
    let files: Option<u64> = job.files.iter().map(|file| file.size.map(|size| size.0)).sum();
    let total = amount.io_size.map(|size| size.0).or(files.map(|bytes| bytes.saturating_mul(amount.loops.max(1))))?;
    let done: u64 = progress.bytes.iter().sum();
    let by_bytes = (done > 0).then(|| (total.saturating_sub(done) as f64 / done as f64 * elapsed_s as f64) as u64);
    match (by_bytes, by_time) {
        (Some(bytes), Some(time)) => Some(bytes.min(time)),
        (left, other) => left.or(other),
    }
}
