//! `latency_target`: the search for the largest depth at which enough requests are fast enough.
//!
//! As in fio: the depth is doubled from 1 until a window is too slow, then the gap between the largest good and the
//! smallest bad depth is halved. When the depth no longer changes, one more window runs at it, and that is what is
//! reported. Counting requests, waiting for those in flight before a lower depth, and resetting what was measured before
//! the last window are the driver's.

use fsbench_model::job::LatencyTarget;

/// What to do after a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Go on at this depth; if it is lower than before, let the requests in flight end first.
    Depth(u32),
    /// This depth it is: forget what was measured, and run one more window at it.
    Final(u32),
    /// The last window was good: the job has ended.
    Settled(u32),
    /// Not even one request at a time is fast enough.
    Unreachable,
}

/// The search of one job.
#[derive(Clone, Debug)]
pub(crate) struct DepthSeeker {
    target: LatencyTarget,
    max: u32,
    depth: u32,
    /// The largest depth that was good, at least 1.
    good: u32,
    /// The smallest depth that was bad.
    bad: Option<u32>,
    /// Good windows in a row just below `bad`.
    stable: u32,
    last_window: bool,
}

impl DepthSeeker {
    /// Between 1 and `depth_max`.
    #[must_use]
    pub(crate) fn new(target: &LatencyTarget, depth_max: u32) -> Self {
        let max = depth_max.max(1);
        Self { target: *target, max, depth: 1, good: 1, bad: None, stable: 0, last_window: false }
    }

    /// The depth to run at.
    #[must_use]
    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// A request took longer than the target. Where all must be fast enough, the window is lost and a new one begins at
    /// the answer's depth; else it goes on.
    pub(crate) fn slow_request(&mut self) -> Option<Next> {
        (self.target.percent >= 100.0).then(|| self.lower())
    }

    /// The window is over; `slow` of its `requests` took longer than the target. A window without requests says nothing.
    pub(crate) fn window(&mut self, requests: u64, slow: u64) -> Next {
        if requests == 0 {
            return Next::Depth(self.depth);
        }
        let percent = 100.0 * requests.saturating_sub(slow) as f64 / requests as f64;
        if percent >= self.target.percent { self.raise() } else { self.lower() }
    }

    fn lower(&mut self) -> Next {
        if self.depth == 1 {
            return Next::Unreachable;
        }
        self.bad = Some(self.depth);
        // What was good is not always good again.
        self.good = self.good.min(self.depth - 1);
        self.depth = self.good.midpoint(self.depth);
        (self.stable, self.last_window) = (0, false);
        Next::Depth(self.depth)
    }

    fn raise(&mut self) -> Next {
        let before = self.depth;
        self.good = before;
        self.depth = match self.retried() {
            Some(bad) => before.midpoint(bad),
            None => before.saturating_mul(2),
        }
        .min(self.max);
        if self.depth != before {
            self.last_window = false;
        }
        match (self.depth == before && !self.target.run_on, self.last_window) {
            (false, _) => Next::Depth(self.depth),
            (true, false) => {
                self.last_window = true;
                Next::Final(self.depth)
            }
            (true, true) => Next::Settled(self.depth),
        }
    }

    /// The bad depth; after three good windows right below it, one that is larger, because it may have been bad luck.
    fn retried(&mut self) -> Option<u32> {
        let bad = self.bad?;
        if self.depth + 1 == bad {
            self.stable += 1;
            if self.stable >= 3 {
                self.stable = 0;
                self.bad = Some(bad.saturating_add(1));
            }
        }
        self.bad
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsbench_model::Span;
    use proptest::prelude::*;

    fn target(percent: f64, run_on: bool) -> LatencyTarget {
        LatencyTarget { latency: Span(1_000_000), percent, window: Span(1_000_000_000), run_on }
    }

    /// Runs windows against a storage that is fast enough up to `limit`, and lists the depths.
    fn search(limit: u32, max: u32) -> (Vec<u32>, Next) {
        let mut seeker = DepthSeeker::new(&target(99.0, false), max);
        let mut depths = vec![seeker.depth()];
        for _ in 0..200 {
            let next = seeker.window(1000, if seeker.depth() > limit { 20 } else { 10 });
            match next {
                Next::Depth(depth) | Next::Final(depth) => depths.push(depth),
                Next::Settled(_) | Next::Unreachable => return (depths, next),
            }
        }
        panic!("no end: {depths:?}");
    }

    #[test]
    fn the_depth_is_doubled_then_halved_and_run_once_more() {
        assert_eq!(search(11, 128), (vec![1, 2, 4, 8, 16, 12, 10, 11, 11], Next::Settled(11)));
        assert_eq!(search(500, 16), (vec![1, 2, 4, 8, 16, 16], Next::Settled(16)));
        assert_eq!(search(1, 16), (vec![1, 2, 1, 1], Next::Settled(1)));
        assert_eq!(search(5, 1), (vec![1, 1], Next::Settled(1)));
    }

    #[test]
    fn a_target_that_one_request_misses_is_unreachable() {
        assert_eq!(search(0, 16), (vec![1], Next::Unreachable));
        let mut strict = DepthSeeker::new(&target(100.0, false), 16);
        assert_eq!(strict.slow_request(), Some(Next::Unreachable));
    }

    proptest! {
        #[test]
        fn every_limit_is_found_fast(limit in 1u32..300, max in 1u32..300) {
            let (depths, end) = search(limit, max);
            prop_assert_eq!(end, Next::Settled(limit.min(max)));
            prop_assert!(depths.len() <= 2 * 9 + 4, "{:?}", depths);
        }
    }

    #[test]
    fn with_a_hundred_percent_one_slow_request_is_enough() {
        let mut seeker = DepthSeeker::new(&target(100.0, false), 64);
        assert_eq!(seeker.window(10, 0), Next::Depth(2));
        assert_eq!(seeker.window(10, 0), Next::Depth(4));
        assert_eq!(seeker.slow_request(), Some(Next::Depth(3)));
        assert_eq!(DepthSeeker::new(&target(99.9, false), 64).slow_request(), None);
    }

    #[test]
    fn a_storage_that_becomes_slower_pulls_the_depth_down_again() {
        let mut seeker = DepthSeeker::new(&target(99.0, true), 16);
        (0..10).for_each(|_| assert!(matches!(seeker.window(100, 0), Next::Depth(_))));
        assert_eq!(seeker.depth(), 16);
        let depths: Vec<Next> =
            (0..16).map(|_| seeker.window(100, 50)).take_while(|n| *n != Next::Unreachable).collect();
        assert_eq!(depths.last(), Some(&Next::Depth(1)));
    }

    #[test]
    fn running_on_tries_a_larger_depth_after_three_good_windows() {
        let mut seeker = DepthSeeker::new(&target(99.0, true), 64);
        (0..3).for_each(|_| assert!(matches!(seeker.window(100, 0), Next::Depth(_))));
        assert_eq!(seeker.window(100, 50), Next::Depth(6));
        let later: Vec<Next> = (0..6).map(|_| seeker.window(100, 0)).collect();
        let depths = [7, 7, 7, 8, 8, 8].map(Next::Depth);
        assert_eq!(later, depths);
        assert_eq!(seeker.window(0, 0), Next::Depth(8), "an empty window says nothing");
    }
}
