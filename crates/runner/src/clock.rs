//! The clock: monotonic nanoseconds for every duration, and the wall clock only for dates.

use std::sync::atomic::{AtomicU64, Ordering};

/// A monotonic clock that counts nanoseconds from its making. Copies agree with each other.
#[derive(Clone, Debug)]
pub struct Clock {
    clock: quanta::Clock,
    origin: u64,
}

impl Clock {
    /// A clock that stands at 0.
    #[must_use]
    pub fn start() -> Self {
        let clock = quanta::Clock::new();
        let origin = clock.raw();
        Self { clock, origin }
    }

    /// Nanoseconds since the clock was made. About 20 ns where the processor's counter is constant.
    #[inline]
    #[must_use]
    pub fn now(&self) -> u64 {
        self.clock.delta_as_nanos(self.origin, self.clock.raw())
    }
}

/// The local date and time, RFC 3339 with seconds: `2026-11-20T10:24:12+00:00`.
#[must_use]
pub fn wall_time() -> String {
    jiff::Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()
}

/// A name for a run that no other run on any host is likely to have: UTC time, process and a counter.
#[must_use]
pub fn run_id() -> String {
    static RUNS: AtomicU64 = AtomicU64::new(0);
    let now = jiff::Timestamp::now();
    let nth = RUNS.fetch_add(1, Ordering::Relaxed);
    let salt = now.subsec_nanosecond() as u32 ^ std::process::id().rotate_left(16);
    format!("{}-{:08x}-{nth}", now.strftime("%Y%m%dT%H%M%SZ"), salt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_never_goes_back_and_runs_have_names_of_their_own() {
        let clock = Clock::start();
        let times: Vec<u64> = (0..1000).map(|_| clock.now()).collect();
        assert!(times.is_sorted());
        assert_ne!(run_id(), run_id());
    }
}
