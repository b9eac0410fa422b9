//! What a job does besides its requests: it waits, looks now and then at the time, at limits and at orders to stop, and
//! tells how far it is.

use super::drive::{Classes, Driver, Halt, Purpose};
use super::steer::Steer;
use super::tally::Direction;
use super::usage::Usage;
use crate::live::{JobProgress, JobState};
use fsbench_model::job::Mode;
use std::time::Duration;

/// Sleeping ends this much early and the rest is waited for with open eyes: timers are that late.
const TIMER_SLACK_NS: u64 = 80_000;
/// Waits look this often whether the job shall end.
const LOOK_NS: u64 = 50_000_000;

impl Driver<'_> {
    pub(super) fn obey(&mut self, steer: Steer, now: u64) {
        let most = self.flights.len() as u32;
        match steer {
            Steer::On => {}
            Steer::Depth(depth) => self.depth = depth.clamp(1, most),
            Steer::Afresh(depth) => {
                self.depth = depth.clamp(1, most);
                self.measure_from(now);
            }
            Steer::Found => self.halt = self.halt.take().or(Some(Halt::Over)),
            Steer::Unreachable => {
                if let Some(error) = self.extras.as_ref().map(|extras| extras.unreachable()) {
                    self.fail(error);
                }
            }
        }
    }

    /// Waits until `due`, taking what finishes meanwhile. False: the job is over.
    pub(crate) fn wait_until(&mut self, due: u64) -> bool {
        let mut now = self.clock.now();
        if now < due && self.in_flight > 0 {
            self.submit();
        }
        while now < due && self.halt.is_none() {
            if self.in_flight > 0 {
                self.reap(0);
            }
            let left = due - now;
            if left > TIMER_SLACK_NS {
                let most = if self.in_flight > 0 { TIMER_SLACK_NS } else { LOOK_NS };
                std::thread::sleep(Duration::from_nanos((left - TIMER_SLACK_NS).min(most)));
            } else {
                std::hint::spin_loop();
            }
            now = self.clock.now();
            if now >= self.edge {
                self.look(now);
            }
        }
        self.halt.is_none()
    }

    /// Sleeps; looks whether the job shall end.
    pub(crate) fn pause(&mut self, span: Duration, spin: Duration) {
        let end = self.clock.now() + span.as_nanos() as u64;
        let busy_from = end.saturating_sub(spin.as_nanos() as u64);
        loop {
            let now = self.clock.now();
            if now >= end || self.halt.is_some() {
                return;
            }
            if now < busy_from {
                std::thread::sleep(Duration::from_nanos((busy_from - now).min(LOOK_NS)));
            }
            if now >= self.edge {
                self.look(now);
            }
        }
    }

    /// What happens now and then: the ramp ends, time is up, somebody asked to stop, samples are due.
    #[cold]
    pub(crate) fn look(&mut self, now: u64) {
        if self.is_ramping && now >= self.ramp_end {
            self.is_ramping = false;
            self.measure_from(now);
        } else if !self.is_ramping && now >= self.tally.edge() {
            self.tally.cross(now);
            self.publish();
            if self.team.asked() != self.answered {
                self.answered = self.team.asked();
                self.team.keep_snapshot(self.record(now));
            }
            self.limits(now);
        }
        if now >= self.deadline || self.team.shall_end(self.index) {
            self.halt = self.halt.take().or(Some(Halt::Over));
        }
        self.edge = self.next_edge(now);
    }

    /// Lets others see how far the job is.
    pub(crate) fn publish(&self) {
        let state = match self.purpose {
            Purpose::Verify => JobState::Verifying,
            Purpose::Work if self.is_ramping => JobState::Ramping,
            Purpose::Work => JobState::Running,
        };
        let of = |value: fn(&Direction) -> u64| [0, 1, 2].map(|of: usize| value(&self.tally.directions[of]));
        let (requests, bytes) = (of(|direction| direction.requests), of(|direction| direction.bytes));
        self.team.publish(self.index, &JobProgress { state, requests, bytes });
    }

    pub(super) fn next_edge(&self, now: u64) -> u64 {
        let tally = if self.is_ramping { (now + LOOK_NS).min(self.ramp_end) } else { self.tally.edge() };
        tally.min(self.deadline).max(now + 1)
    }

    pub(super) fn limits(&mut self, now: u64) {
        let Some(extras) = &mut self.extras else { return };
        match extras.look(now, &self.tally) {
            Ok(steer) => self.obey(steer, now),
            Err(Halt::Over) => self.halt = self.halt.take().or(Some(Halt::Over)),
            Err(Halt::Failed(error)) => self.fail(error),
        }
    }

    /// What follows is something else; the time until now belongs to what was.
    pub(super) fn turn_to(&mut self, purpose: Purpose) {
        let now = self.clock.now();
        self.spent[self.purpose as usize] += now.saturating_sub(self.since);
        (self.purpose, self.since) = (purpose, now);
    }

    /// Measured time of a direction until `now`: reading back is not in that of writes, as in fio.
    pub(super) fn runtime(&self, of: usize, now: u64) -> u64 {
        let mut spent = self.spent;
        spent[self.purpose as usize] += now.saturating_sub(self.since);
        let [work, verify] = spent;
        let reads_in_work = matches!(self.job.pattern.mode, Mode::Read | Mode::ReadWrite);
        match of {
            0 if reads_in_work => work + verify,
            0 => verify,
            _ => work,
        }
    }

    /// Measured time begins.
    pub(crate) fn measure_from(&mut self, now: u64) {
        self.begun = now;
        (self.spent, self.since) = ([0; 2], now);
        self.usage = Usage::of_thread();
        self.classes = Classes::default();
        self.tally.begin(now);
        self.edge = self.next_edge(now);
        if let Some(extras) = &mut self.extras {
            extras.begin(now);
        }
    }

    /// Random bytes for every slot, so that nothing is made for a first write.
    pub(crate) fn prime(&mut self) {
        for slot in 0..self.flights.len() as u32 {
            self.filler.prime(self.lane.buffer(slot));
        }
    }
}
