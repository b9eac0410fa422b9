//! What most jobs do not have, kept out of the way of those: verification, logs and traces, limits on latency and
//! rate, the search for a depth or a steady state, pauses.

use super::blocks::Block;
use super::drive::{Flight, Halt, Purpose};
use super::logbook::Logbook;
use super::proof::Proof;
use super::steer::{Seeking, Steady, Steer};
use super::tally::{SYNC, Tally};
use super::trace::{Action, TraceWriter};
use super::usage::unix_ms;
use fsbench_model::job::{Direction, Job, Mode, Think, ThinkAfter};
use fsbench_target::{Error, ErrorKind, Result as TargetResult};
use std::fs::File;
use std::io::BufWriter;

/// State of everything that a job does besides its requests.
pub(crate) struct Extras {
    name: String,
    latency_max_ns: [u64; 3],
    minimum: Option<Minimum>,
    pub(crate) think: Option<Thinking>,
    pub(crate) proof: Option<Proof>,
    pub(crate) logbook: Option<Logbook>,
    pub(crate) steady: Option<Steady>,
    pub(crate) seeking: Option<Seeking>,
    trace: Option<Tracing>,
}

/// `write_iolog`.
struct Tracing {
    writer: TraceWriter<BufWriter<File>>,
    names: Vec<String>,
    path: String,
}

/// `rate_min` and `rate_iops_min`.
struct Minimum {
    bytes: [u64; 3],
    iops: [u64; 3],
    cycle_ns: u64,
    since: u64,
    mark: [(u64, u64); 3],
    /// Directions that the job has at all.
    used: [bool; 3],
}

fn uses(mode: Mode, direction: Direction) -> bool {
    match mode {
        Mode::Read => direction == Direction::Read,
        Mode::Write => direction == Direction::Write,
        Mode::Trim => direction == Direction::Trim,
        Mode::ReadWrite => direction != Direction::Trim,
        Mode::TrimWrite => direction != Direction::Read,
    }
}

/// Pauses.
pub(crate) struct Thinking {
    pub(crate) plan: Think,
    issued: u64,
    /// What was counted at the last pause.
    mark: u64,
    io_since: u64,
}

fn timed_out(operation: &'static str, name: &str, detail: String) -> Box<Error> {
    let mut error = Error::new(ErrorKind::Timeout, "job", operation, format!("job {name}"), detail);
    error.errno = nix::errno::Errno::ETIMEDOUT as i32;
    Box::new(error)
}

impl Tracing {
    fn new(job: &Job) -> TargetResult<Option<Self>> {
        let Some(path) = &job.record_trace else { return Ok(None) };
        let failed = |error: std::io::Error| Error::of_io("job", "write the trace", path.clone(), &error);
        let writer = TraceWriter::new(BufWriter::new(File::create(path).map_err(failed)?)).map_err(failed)?;
        let names: Vec<String> = job.files.iter().map(|file| format!("/{}", file.path)).collect();
        let mut tracing = Self { writer, names, path: path.clone() };
        for at in 0..tracing.names.len() {
            let name = &tracing.names[at];
            let writer = &mut tracing.writer;
            writer.file(0, name, Action::Add).and_then(|()| writer.file(0, name, Action::Open)).map_err(failed)?;
        }
        Ok(Some(tracing))
    }

    fn add(&mut self, at_us: u64, of: usize, file: u32, (offset, len): (u64, u32)) -> std::io::Result<()> {
        let action = [Action::Read, Action::Write, Action::Trim, Action::Sync][of];
        self.writer.request(at_us, &self.names[file as usize], action, offset, len)
    }

    fn finish(mut self, at_us: u64) -> TargetResult<()> {
        let failed = |error: std::io::Error| Error::of_io("job", "write the trace", self.path.clone(), &error);
        for name in &self.names {
            self.writer.file(at_us, name, Action::Close).map_err(failed)?;
        }
        self.writer.finish().map(drop).map_err(failed)
    }
}

impl Extras {
    /// `None` for a job that has nothing of it; `number` counts jobs from 1.
    ///
    /// # Errors
    /// A log or trace that cannot be written, a check that cannot be made.
    pub(crate) fn new(job: &Job, root: &str, number: u32) -> TargetResult<Option<Box<Self>>> {
        let rate = &job.rate;
        let latency_max_ns = rate.max_latency.map(|span| if span.0 == 0 { u64::MAX } else { span.0 });
        let has_minimum = rate.bytes_min.iter().chain(&rate.iops_min).any(|minimum| *minimum > 0);
        let minimum = has_minimum.then(|| Minimum {
            bytes: rate.bytes_min,
            iops: rate.iops_min,
            cycle_ns: rate.cycle.0.max(1),
            since: 0,
            mark: [(0, 0); 3],
            used: [0, 1, 2].map(|of: usize| uses(job.pattern.mode, Direction::ALL[of])),
        });
        let think = (rate.think.time.0 > 0).then_some(Thinking { plan: rate.think, issued: 0, mark: 0, io_since: 0 });
        let extras = Self {
            name: job.name.clone(),
            latency_max_ns,
            minimum,
            think,
            proof: Proof::new(job, root)?,
            logbook: Logbook::open(job, number, unix_ms())?,
            steady: Steady::new(job),
            seeking: Seeking::new(job),
            trace: Tracing::new(job)?,
        };
        Ok((extras.is_needed() || job.flow.is_some()).then(|| Box::new(extras)))
    }

    fn is_needed(&self) -> bool {
        let limits = self.minimum.is_some() || self.latency_max_ns != [u64::MAX; 3];
        let looks = self.steady.is_some() || self.seeking.is_some();
        let writes = self.logbook.is_some() || self.trace.is_some();
        limits || looks || writes || self.think.is_some() || self.proof.is_some()
    }

    /// Measured time begins.
    pub(crate) fn begin(&mut self, now: u64) {
        if let Some(minimum) = &mut self.minimum {
            (minimum.since, minimum.mark) = (now, [(0, 0); 3]);
        }
        if let Some(steady) = &mut self.steady {
            steady.begin(now);
        }
        if let Some(seeking) = &mut self.seeking {
            seeking.begin(now);
        }
        if let Some(logbook) = &mut self.logbook {
            logbook.begin(now);
        }
    }

    /// Prepares what is written for later verification.
    #[inline]
    pub(crate) fn seal(&mut self, buffer: &mut [u8], block: &Block, number: u64) {
        if let Some(proof) = &self.proof {
            proof.seal(buffer, block, number);
        }
    }

    /// A request is about to start.
    ///
    /// # Errors
    /// A trace that cannot be written.
    pub(crate) fn starts(&mut self, flight: &Flight, at_ns: u64) -> Result<(), Box<Error>> {
        let Some(trace) = &mut self.trace else { return Ok(()) };
        trace
            .add(at_ns / 1_000, flight.of as usize, flight.file, (flight.offset, flight.len))
            .map_err(|error| Box::new(Error::of_io("job", "write the trace", trace.path.clone(), &error)))
    }

    /// A request has ended well: an error, if something is wrong with it all the same; and what to do next.
    pub(crate) fn finished(
        &mut self,
        flight: &Flight,
        buffer: &[u8],
        (end, begun): (u64, u64),
        purpose: Purpose,
    ) -> (Option<Box<Error>>, Steer) {
        let of = flight.of as usize;
        if of == SYNC {
            return (None, Steer::On);
        }
        if let Some(logbook) = &mut self.logbook
            && let Err(error) = logbook.add(flight, Direction::ALL[of], end, begun)
        {
            return (Some(Box::new(error)), Steer::On);
        }
        let took = end.saturating_sub(flight.made);
        let steer = self.seeking.as_mut().map_or(Steer::On, |seeking| seeking.finished(took));
        if took > self.latency_max_ns[of] {
            let detail = format!("{took} ns is more than max_latency, {} ns", self.latency_max_ns[of]);
            return (Some(timed_out("finish a request of", &self.name, detail)), steer);
        }
        (self.proof.as_mut().and_then(|proof| proof.finished(flight, buffer, purpose)), steer)
    }

    /// The job has ended `ns` after it began.
    ///
    /// # Errors
    /// A log or trace that cannot be written.
    pub(crate) fn finish(&mut self, ns: u64) -> TargetResult<()> {
        let logs = self.logbook.take().map_or(Ok(()), |logbook| logbook.finish(ns / 1_000_000));
        let trace = self.trace.take().map_or(Ok(()), |trace| trace.finish(ns / 1_000));
        logs.and(trace)
    }

    /// Looks at everything that is looked at now and then.
    ///
    /// # Errors
    /// Why the job has failed.
    pub(crate) fn look(&mut self, now: u64, tally: &Tally) -> Result<Steer, Halt> {
        if let Some(minimum) = &mut self.minimum {
            minimum.look(now, tally, &self.name)?;
        }
        match (&mut self.steady, &mut self.seeking) {
            (Some(steady), _) => Ok(steady.look(now, tally)),
            (None, Some(seeking)) => Ok(seeking.look(now)),
            (None, None) => Ok(Steer::On),
        }
    }

    /// The error of a latency that cannot be had.
    pub(crate) fn unreachable(&self) -> Box<Error> {
        timed_out("reach the latency_target of", &self.name, "not even one request at a time is fast enough".into())
    }
}

impl Minimum {
    fn look(&mut self, now: u64, tally: &Tally, name: &str) -> Result<(), Halt> {
        if now - self.since < self.cycle_ns {
            return Ok(());
        }
        let seconds = (now - self.since) as f64 / 1e9;
        self.since = now;
        for of in (0..3).filter(|of| self.used[*of]) {
            let (requests, bytes) = (tally.directions[of].requests, tally.directions[of].bytes);
            let (last_requests, last_bytes) = std::mem::replace(&mut self.mark[of], (requests, bytes));
            let (iops, rate) = ((requests - last_requests) as f64 / seconds, (bytes - last_bytes) as f64 / seconds);
            if iops < self.iops[of] as f64 {
                let detail = format!("{iops:.0} requests/s are fewer than rate_iops_min, {}", self.iops[of]);
                return Err(Halt::Failed(timed_out("keep up", name, detail)));
            }
            if rate < self.bytes[of] as f64 {
                let detail = format!("{rate:.0} bytes/s are fewer than rate_min, {}", self.bytes[of]);
                return Err(Halt::Failed(timed_out("keep up", name, detail)));
            }
        }
        Ok(())
    }
}

impl Thinking {
    /// Whether it is time for a pause before the next request, when so many have been completed.
    pub(crate) fn is_due(&mut self, now: u64, completed: u64) -> bool {
        self.issued += 1;
        let count = if self.plan.after == ThinkAfter::Issue { self.issued } else { completed };
        if self.io_since == 0 {
            self.io_since = now;
        }
        let due = match self.plan.io_time.0 {
            0 => count - self.mark >= u64::from(self.plan.blocks.max(1)),
            io_time => now - self.io_since >= io_time,
        };
        if due {
            self.mark = count;
        }
        due
    }

    /// A pause has ended.
    pub(crate) fn resumed(&mut self, now: u64) {
        self.io_since = now;
    }
}
