//! What ends or changes a job while it runs: a steady state, and the search for a depth.

use super::seek::{DepthSeeker, Next};
use super::steady::SteadyState;
use super::tally::Tally;
use fsbench_model::job::{Job, LatencyTarget};
use fsbench_results::SteadyRecord;

/// What the driver is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Steer {
    /// Go on.
    On,
    /// Go on at this depth.
    Depth(u32),
    /// Forget what was measured, and go on at this depth.
    Afresh(u32),
    /// End: what was looked for is found.
    Found,
    /// End: the latency cannot be had.
    Unreachable,
}

/// Steady state of one job.
pub(crate) struct Steady {
    state: SteadyState,
    interval_ns: u64,
    since: u64,
    mark: [u64; 3],
}

/// The search for a depth.
pub(crate) struct Seeking {
    seeker: DepthSeeker,
    target: LatencyTarget,
    since: u64,
    requests: u64,
    slow: u64,
    settled: bool,
    /// A window begins with the next look.
    fresh: bool,
}

impl Steady {
    pub(crate) fn new(job: &Job) -> Option<Self> {
        let asked = job.output.steady.as_ref()?;
        let state = SteadyState::new(asked);
        Some(Self { state, interval_ns: asked.interval.0.max(1), since: 0, mark: [0; 3] })
    }

    pub(crate) fn begin(&mut self, now: u64) {
        (self.since, self.mark) = (now, [0; 3]);
    }

    pub(crate) fn look(&mut self, now: u64, tally: &Tally) -> Steer {
        let ns = now - self.since;
        if ns < self.interval_ns {
            return Steer::On;
        }
        let sums = [tally.requests(), tally.bytes(), tally.busy_ns()];
        let [requests, bytes, busy] = [0, 1, 2].map(|at| sums[at] - self.mark[at]);
        (self.since, self.mark) = (now, sums);
        let per_second = |count: u64| (u128::from(count) * 1_000_000_000 / u128::from(ns)) as u64;
        let mean = busy.checked_div(requests).unwrap_or(0);
        if self.state.sample(per_second(requests), per_second(bytes), mean) { Steer::Found } else { Steer::On }
    }

    pub(crate) fn record(&self) -> SteadyRecord {
        self.state.record()
    }
}

impl Seeking {
    pub(crate) fn new(job: &Job) -> Option<Self> {
        let target = job.rate.target?;
        let seeker = DepthSeeker::new(&target, job.engine.depth.max(1));
        Some(Self { seeker, target, since: 0, requests: 0, slow: 0, settled: false, fresh: false })
    }

    /// The depth to begin with.
    pub(crate) fn depth(&self) -> u32 {
        self.seeker.depth()
    }

    pub(crate) fn begin(&mut self, now: u64) {
        (self.since, self.requests, self.slow) = (now, 0, 0);
    }

    /// A request has ended.
    pub(crate) fn finished(&mut self, latency_ns: u64) -> Steer {
        self.requests += 1;
        if latency_ns <= self.target.latency.0 || self.settled {
            return Steer::On;
        }
        self.slow += 1;
        match self.seeker.slow_request() {
            Some(next) => self.obey(next),
            None => Steer::On,
        }
    }

    pub(crate) fn look(&mut self, now: u64) -> Steer {
        if std::mem::take(&mut self.fresh) {
            self.begin(now);
        }
        if self.settled || now - self.since < self.target.window.0 {
            return Steer::On;
        }
        let next = self.seeker.window(self.requests, self.slow);
        self.begin(now);
        self.obey(next)
    }

    fn obey(&mut self, next: Next) -> Steer {
        (self.requests, self.slow, self.fresh) = (0, 0, true);
        match next {
            Next::Depth(depth) => Steer::Depth(depth),
            Next::Final(depth) => Steer::Afresh(depth),
            Next::Settled(_) if self.target.run_on => {
                self.settled = true;
                Steer::On
            }
            Next::Settled(_) => Steer::Found,
            Next::Unreachable => Steer::Unreachable,
        }
    }
}
