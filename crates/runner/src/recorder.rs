//! A worker's recorder: a histogram, counters and slots for each kind, owned by one thread, read when a repetition ends.

use crate::clock::Clock;
use fsbench_results::{ErrorCount, Kind, KindRecord, Slots};
use fsbench_target::{Error, Event, Probe, Stage};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

const KINDS: usize = Kind::ALL.len();

/// What one worker measured in one repetition.
#[derive(Default)]
pub(crate) struct Measured {
    pub(crate) kinds: BTreeMap<String, KindRecord>,
    pub(crate) errors: Vec<ErrorCount>,
    pub(crate) counts: BTreeMap<String, u64>,
}

/// Records what a worker does. Interior mutability, because the session reports to it while the worker does too.
pub(crate) struct Recorder {
    clock: Clock,
    origin: Cell<u64>,
    kinds: RefCell<[Option<Box<KindRecord>>; KINDS]>,
    errors: RefCell<Vec<ErrorCount>>,
    counts: RefCell<BTreeMap<String, u64>>,
}

impl Recorder {
    pub(crate) fn new(clock: Clock) -> Self {
        let origin = Cell::new(clock.now());
        Self { clock, origin, kinds: RefCell::default(), errors: RefCell::default(), counts: RefCell::default() }
    }

    /// Begins a repetition: slots count from `origin`.
    pub(crate) fn begin(&self, origin: u64) {
        self.origin.set(origin);
    }

    #[inline]
    pub(crate) fn now(&self) -> u64 {
        self.clock.now()
    }

    /// Something of this kind began at `start` and ends now. Gives back the end.
    #[inline]
    pub(crate) fn done(&self, kind: Kind, start: u64, bytes: u64) -> u64 {
        let end = self.clock.now();
        self.record(kind, end - start, end, bytes);
        end
    }

    /// Something of this kind took `ns` and ended at `end`.
    #[inline]
    pub(crate) fn record(&self, kind: Kind, ns: u64, end: u64, bytes: u64) {
        let mut kinds = self.kinds.borrow_mut();
        let record = kinds[kind as usize].get_or_insert_with(fresh);
        if record.count == 0 {
            record.first_ns = ns;
            record.firsts = 1;
        }
        record.count += 1;
        record.bytes += bytes;
        record.busy_ns += ns;
        record.min_ns = record.min_ns.min(ns);
        record.max_ns = record.max_ns.max(ns);
        record.latencies.record(ns);
        record.slots.add(end.saturating_sub(self.origin.get()), bytes);
    }

    pub(crate) fn count(&self, name: &str, more: u64) {
        let mut counts = self.counts.borrow_mut();
        match counts.get_mut(name) {
            Some(count) => *count += more,
            None => {
                counts.insert(name.to_string(), more);
            }
        }
    }

    pub(crate) fn error(&self, error: &Error) {
        let mut errors = self.errors.borrow_mut();
        let same = |e: &&mut ErrorCount| e.operation == error.operation && e.kind == error.kind.name();
        match errors.iter_mut().find(same) {
            Some(known) => known.count += 1,
            None => errors.push(ErrorCount {
                operation: error.operation.into(),
                kind: error.kind.name().into(),
                count: 1,
                first: error.to_string(),
            }),
        }
    }

    /// Takes what was measured and starts afresh.
    pub(crate) fn take(&self) -> Measured {
        let mut kinds = self.kinds.borrow_mut();
        let measured = Kind::ALL.iter().filter_map(|kind| {
            let record = kinds[*kind as usize].take()?;
            Some((kind.name().to_string(), *record))
        });
        let kinds = measured.collect();
        Measured { kinds, errors: self.errors.take(), counts: self.counts.take() }
    }
}

#[cold]
fn fresh() -> Box<KindRecord> {
    Box::new(KindRecord { min_ns: u64::MAX, slots: Slots::with_room(), ..KindRecord::default() })
}

fn kind_of(stage: Stage) -> Kind {
    match stage {
        Stage::Connect => Kind::Connect,
        Stage::Tls => Kind::Tls,
        Stage::FirstByte => Kind::FirstByte,
        Stage::Request => Kind::Request,
        Stage::Part => Kind::Part,
        Stage::Complete => Kind::Complete,
    }
}

impl Probe for Recorder {
    fn now(&self) -> u64 {
        self.clock.now()
    }

    fn stage(&self, stage: Stage, start: u64, bytes: u64) {
        self.done(kind_of(stage), start, bytes);
    }

    fn event(&self, event: Event) {
        match event {
            Event::Retry(kind) => {
                self.count("retries", 1);
                self.count(&format!("retries_{kind}"), 1);
            }
            Event::Reconnect => self.count("reconnects", 1),
            Event::Abort => self.count("aborts", 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsbench_target::ErrorKind;

    #[test]
    fn what_is_recorded_is_what_is_taken() {
        let recorder = Recorder::new(Clock::start());
        let start = recorder.now();
        recorder.done(Kind::Read, start, 7);
        recorder.done(Kind::Read, start, 8);
        recorder.count("found", 2);
        let error = Error::new(ErrorKind::NotFound, "mem", "open", "mem:a", "no such file");
        recorder.error(&error);
        recorder.error(&error);
        let measured = recorder.take();
        let read = &measured.kinds["read"];
        assert_eq!((read.count, read.bytes, read.firsts), (2, 15, 1));
        assert_eq!((measured.counts["found"], measured.errors[0].count), (2, 2));
        assert!(recorder.take().kinds.is_empty());
    }
}
