//! What most jobs do not have, kept out of the way of those: limits on latency and rate, pauses.

use super::blocks::Block;
use super::drive::{Flight, Halt};
use super::tally::{SYNC, Tally};
use fsbench_model::job::{Job, Think};
use fsbench_target::{Error, ErrorKind};

/// State of everything that a job does besides its requests.
pub(crate) struct Extras {
    name: String,
    latency_max_ns: [u64; 3],
    minimum: Option<Minimum>,
    pub(crate) think: Option<Thinking>,
}

/// `rate_min` and `rate_iops_min`.
struct Minimum {
    bytes: [u64; 3],
    iops: [u64; 3],
    cycle_ns: u64,
    since: u64,
    mark: [(u64, u64); 3],
}

/// Pauses.
pub(crate) struct Thinking {
    pub(crate) plan: Think,
    counted: u32,
    io_since: u64,
}

fn timed_out(operation: &'static str, name: &str, detail: String) -> Box<Error> {
    let mut error = Error::new(ErrorKind::Timeout, "job", operation, format!("job {name}"), detail);
    error.errno = nix::errno::Errno::ETIMEDOUT as i32;
    Box::new(error)
}

impl Extras {
    /// `None` for a job that has nothing of it.
    pub(crate) fn new(job: &Job) -> Option<Box<Self>> {
        let rate = &job.rate;
        let latency_max_ns = rate.max_latency.map(|span| if span.0 == 0 { u64::MAX } else { span.0 });
        let has_minimum = rate.bytes_min.iter().chain(&rate.iops_min).any(|minimum| *minimum > 0);
        let minimum = has_minimum.then(|| Minimum {
            bytes: rate.bytes_min,
            iops: rate.iops_min,
            cycle_ns: rate.cycle.0.max(1),
            since: 0,
            mark: [(0, 0); 3],
        });
        let think = (rate.think.time.0 > 0).then_some(Thinking { plan: rate.think, counted: 0, io_since: 0 });
        let is_needed = minimum.is_some() || think.is_some() || latency_max_ns != [u64::MAX; 3] || job.flow.is_some();
        is_needed.then(|| Box::new(Self { name: job.name.clone(), latency_max_ns, minimum, think }))
    }

    /// Measured time begins.
    pub(crate) fn begin(&mut self, now: u64) {
        if let Some(minimum) = &mut self.minimum {
            (minimum.since, minimum.mark) = (now, [(0, 0); 3]);
        }
    }

    /// Prepares what is written for later verification.
    pub(crate) fn seal(&mut self, _buffer: &mut [u8], _block: &Block, _number: u64) {}

    /// A request has finished: an error, if that is one.
    pub(crate) fn finished(&mut self, flight: &Flight, _buffer: &[u8], end: u64, _begun: u64) -> Option<Box<Error>> {
        let of = flight.of as usize;
        if of == SYNC {
            return None;
        }
        let took = end.saturating_sub(flight.made);
        (took > self.latency_max_ns[of]).then(|| {
            let detail = format!("{took} ns is more than max_latency, {} ns", self.latency_max_ns[of]);
            timed_out("finish a request of", &self.name, detail)
        })
    }

    /// Looks at limits; another depth, if one is to be tried.
    ///
    /// # Errors
    /// Why the job is to end.
    pub(crate) fn look(&mut self, now: u64, tally: &Tally) -> Result<Option<u32>, Halt> {
        let name = &self.name;
        let Some(minimum) = self.minimum.as_mut().filter(|minimum| now - minimum.since >= minimum.cycle_ns) else {
            return Ok(None);
        };
        let seconds = (now - minimum.since) as f64 / 1e9;
        minimum.since = now;
        for of in 0..3 {
            let (requests, bytes) = (tally.directions[of].requests, tally.directions[of].bytes);
            let (last_requests, last_bytes) = std::mem::replace(&mut minimum.mark[of], (requests, bytes));
            let (iops, rate) = ((requests - last_requests) as f64 / seconds, (bytes - last_bytes) as f64 / seconds);
            if iops < minimum.iops[of] as f64 {
                let detail = format!("{iops:.0} requests/s are fewer than rate_iops_min, {}", minimum.iops[of]);
                return Err(Halt::Failed(timed_out("keep up", name, detail)));
            }
            if rate < minimum.bytes[of] as f64 {
                let detail = format!("{rate:.0} bytes/s are fewer than rate_min, {}", minimum.bytes[of]);
                return Err(Halt::Failed(timed_out("keep up", name, detail)));
            }
        }
        Ok(None)
    }
}

impl Thinking {
    /// Whether it is time for a pause, after one more request.
    pub(crate) fn is_due(&mut self, now: u64) -> bool {
        self.counted += 1;
        let by_count = self.counted >= self.plan.blocks.max(1);
        let by_time = self.plan.io_time.0 > 0 && self.io_since > 0 && now - self.io_since >= self.plan.io_time.0;
        if self.io_since == 0 {
            self.io_since = now;
        }
        let due = if self.plan.io_time.0 > 0 { by_time } else { by_count };
        if due {
            self.counted = 0;
        }
        due
    }

    /// A pause has ended.
    pub(crate) fn resumed(&mut self, now: u64) {
        self.io_since = now;
    }
}
