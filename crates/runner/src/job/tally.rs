//! What a job has measured so far: plain arrays and counters, written by one thread, turned into results at the end.
//!
//! A latency costs one histogram increment and four sums. Everything that happens once in 100 ms (slots, samples of
//! bandwidth, progress for others) is done when a completion crosses the next edge of time.

use fsbench_results::{DirectionRecord, KindRecord, Latencies, LatencyRecord, Moments, SLOT_NS, Slots};

/// Values below this have a bucket each.
const EXACT: u64 = 256;
/// Buckets for each power of two behind them: the buckets of [`Latencies`].
const HALF: u64 = 128;
/// An hour in nanoseconds, beyond which [`Latencies`] does not tell latencies apart.
const MAX_NS: u64 = 3_600_000_000_000;
const BUCKETS: usize = index_of(MAX_NS) + 1;

/// The bucket of a value; the same buckets as [`Latencies`] has.
#[inline]
const fn index_of(ns: u64) -> usize {
    if ns < EXACT {
        return ns as usize;
    }
    let shift = 63 - ns.leading_zeros() as u64 - 7;
    (EXACT + (shift - 1) * HALF + (ns >> shift) - HALF) as usize
}

/// The smallest value of a bucket.
const fn value_of(index: usize) -> u64 {
    let index = index as u64;
    if index < EXACT {
        return index;
    }
    let (shift, rest) = ((index - EXACT) / HALF + 1, (index - EXACT) % HALF);
    (rest + HALF) << shift
}

/// Sums of one kind of latency.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sums {
    count: u64,
    min: u64,
    max: u64,
    sum: u64,
    squares: f64,
}

impl Sums {
    const NONE: Sums = Sums { count: 0, min: u64::MAX, max: 0, sum: 0, squares: 0.0 };

    #[inline]
    fn add(&mut self, ns: u64) {
        self.count += 1;
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
        self.sum += ns;
        // Signed: that conversion is one instruction.
        let ns = ns as i64 as f64;
        self.squares += ns * ns;
    }

    fn moments(&self) -> Moments {
        let min = if self.count == 0 { 0 } else { self.min };
        Moments { count: self.count, min, max: self.max, sum: u128::from(self.sum), squares: self.squares }
    }
}

/// One kind of latency of one direction.
pub(crate) struct Series {
    sums: Sums,
    counts: Option<Box<[u64; BUCKETS]>>,
}

impl Series {
    fn new(with_distribution: bool) -> Self {
        Self { sums: Sums::NONE, counts: with_distribution.then(|| Box::new([0; BUCKETS])) }
    }

    #[inline(always)]
    pub(crate) fn add(&mut self, ns: u64) {
        self.sums.add(ns);
        if let Some(counts) = &mut self.counts {
            counts[index_of(ns.min(MAX_NS))] += 1;
        }
    }

    fn clear(&mut self) {
        self.sums = Sums::NONE;
        if let Some(counts) = &mut self.counts {
            counts.fill(0);
        }
    }

    fn latencies(&self) -> Option<Latencies> {
        let counts = self.counts.as_ref().filter(|_| self.sums.count > 0)?;
        let mut latencies = Latencies::default();
        for (index, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            latencies.record_many(value_of(index), *count);
        }
        Some(latencies)
    }

    fn record(&self) -> LatencyRecord {
        LatencyRecord { moments: self.sums.moments(), latencies: self.latencies() }
    }
}

/// One direction.
pub(crate) struct Direction {
    pub(crate) bytes: u64,
    pub(crate) requests: u64,
    pub(crate) short: u64,
    pub(crate) slat: Series,
    pub(crate) clat: Series,
    pub(crate) lat: Series,
    pub(crate) due: Series,
    bandwidth: Moments,
    iops: Moments,
    slots: Slots,
    /// Bytes and requests at the last edge of each kind.
    slot_mark: (u64, u64),
    bandwidth_mark: u64,
    iops_mark: u64,
}

/// What is measured.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wanted {
    pub(crate) slat: bool,
    pub(crate) clat: bool,
    pub(crate) lat: bool,
    pub(crate) slat_distribution: bool,
    pub(crate) clat_distribution: bool,
    pub(crate) lat_distribution: bool,
    pub(crate) due: bool,
    pub(crate) bandwidth: bool,
    pub(crate) bandwidth_window_ns: u64,
    pub(crate) iops_window_ns: u64,
}

impl Direction {
    fn new(wanted: &Wanted) -> Self {
        Self {
            bytes: 0,
            requests: 0,
            short: 0,
            slat: Series::new(wanted.slat_distribution),
            clat: Series::new(wanted.clat_distribution),
            lat: Series::new(wanted.lat_distribution),
            due: Series::new(wanted.due),
            bandwidth: Moments::default(),
            iops: Moments::default(),
            slots: Slots::with_room(),
            slot_mark: (0, 0),
            bandwidth_mark: 0,
            iops_mark: 0,
        }
    }

    fn clear(&mut self) {
        (self.bytes, self.requests, self.short) = (0, 0, 0);
        for series in [&mut self.slat, &mut self.clat, &mut self.lat, &mut self.due] {
            series.clear();
        }
        (self.bandwidth, self.iops) = (Moments::default(), Moments::default());
        self.slots = Slots::with_room();
        (self.slot_mark, self.bandwidth_mark, self.iops_mark) = ((0, 0), 0, 0);
    }

    /// What ended since the last look, into the slot that ends at `edge`.
    fn flush_slot(&mut self, edge: u64) {
        let (requests, bytes) = (self.requests - self.slot_mark.0, self.bytes - self.slot_mark.1);
        if requests > 0 || bytes > 0 {
            self.slots.add_many(edge, requests, bytes);
        }
        self.slot_mark = (self.requests, self.bytes);
    }
}

/// All that a job has measured.
pub(crate) struct Tally {
    pub(crate) directions: [Direction; 4],
    wanted: Wanted,
    /// Start of the measured time, on the run's clock.
    origin: u64,
    /// Start of the phase, on the run's clock: slots count from it.
    phase_origin: u64,
    next_slot: u64,
    last_bandwidth: u64,
    last_iops: u64,
}

/// Index of syncs beside read, write and trim.
pub(crate) const SYNC: usize = 3;

impl Tally {
    pub(crate) fn new(wanted: Wanted, phase_origin: u64) -> Self {
        Self {
            directions: [(); 4].map(|()| Direction::new(&wanted)),
            wanted,
            origin: phase_origin,
            phase_origin,
            next_slot: 0,
            last_bandwidth: 0,
            last_iops: 0,
        }
    }

    /// Slots count from here.
    pub(crate) fn phase_begins(&mut self, origin: u64) {
        self.phase_origin = origin;
    }

    /// Forgets what was measured: time counts from `now`.
    pub(crate) fn begin(&mut self, now: u64) {
        self.directions.iter_mut().for_each(Direction::clear);
        self.origin = now;
        self.next_slot = now + SLOT_NS - (now - self.phase_origin) % SLOT_NS;
        (self.last_bandwidth, self.last_iops) = (now, now);
    }

    /// When [`Tally::cross`] wants to be called next.
    pub(crate) fn edge(&self) -> u64 {
        self.next_slot
    }

    pub(crate) fn requests(&self) -> u64 {
        self.directions[..SYNC].iter().map(|direction| direction.requests).sum()
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.directions.iter().map(|direction| direction.bytes).sum()
    }

    /// Sum of all latencies.
    pub(crate) fn busy_ns(&self) -> u64 {
        let sum = |direction: &Direction| match direction.lat.sums.count {
            0 => direction.clat.sums.sum,
            _ => direction.lat.sums.sum,
        };
        self.directions[..SYNC].iter().map(sum).sum()
    }

    /// Something ended at `now`, which is behind the edge.
    #[cold]
    pub(crate) fn cross(&mut self, now: u64) {
        let slot_end = (self.next_slot - self.phase_origin).saturating_sub(1);
        self.directions.iter_mut().for_each(|direction| direction.flush_slot(slot_end));
        self.next_slot = now + SLOT_NS - (now - self.phase_origin) % SLOT_NS;
        if !self.wanted.bandwidth {
            return;
        }
        if now - self.last_bandwidth >= self.wanted.bandwidth_window_ns {
            self.sample_bandwidth(now);
        }
        if now - self.last_iops >= self.wanted.iops_window_ns {
            self.sample_iops(now);
        }
    }

    fn sample_bandwidth(&mut self, now: u64) {
        let ns = u128::from((now - self.last_bandwidth).max(1));
        for direction in self.directions.iter_mut().filter(|direction| direction.requests > 0) {
            let bytes = direction.bytes - direction.bandwidth_mark;
            direction.bandwidth.add((u128::from(bytes) * 1_000_000_000 / ns / 1024) as u64);
            direction.bandwidth_mark = direction.bytes;
        }
        self.last_bandwidth = now;
    }

    fn sample_iops(&mut self, now: u64) {
        let ns = u128::from((now - self.last_iops).max(1));
        for direction in self.directions.iter_mut().filter(|direction| direction.requests > 0) {
            let requests = direction.requests - direction.iops_mark;
            direction.iops.add((u128::from(requests) * 1_000_000_000 / ns) as u64);
            direction.iops_mark = direction.requests;
        }
        self.last_iops = now;
    }

    /// The end: what is left goes into the last slot; samples of short jobs are the whole job's.
    pub(crate) fn end(&mut self, now: u64) {
        let at = now.saturating_sub(self.phase_origin).min(self.next_slot.saturating_sub(self.phase_origin + 1));
        self.directions.iter_mut().for_each(|direction| direction.flush_slot(at));
        if self.wanted.bandwidth && self.directions.iter().all(|direction| direction.bandwidth.count == 0) {
            self.sample_bandwidth(now);
        }
        if self.wanted.bandwidth && self.directions.iter().all(|direction| direction.iops.count == 0) {
            self.sample_iops(now);
        }
    }

    /// The record of one direction. A synchronous engine measures one latency, which is the completion's and the total's.
    pub(crate) fn direction(&self, of: usize, runtime_ns: u64) -> DirectionRecord {
        let direction = &self.directions[of];
        let clat = direction.clat.record();
        let lat = match direction.lat.sums.count {
            0 if self.wanted.lat => LatencyRecord {
                latencies: clat.latencies.clone().filter(|_| self.wanted.lat_distribution || of == SYNC),
                ..clat.clone()
            },
            _ => direction.lat.record(),
        };
        DirectionRecord {
            bytes: direction.bytes,
            requests: direction.requests,
            short: direction.short,
            runtime_ns: if direction.requests > 0 { runtime_ns } else { 0 },
            slat: direction.slat.record(),
            clat,
            lat,
            due: direction.due.record(),
            bandwidth: direction.bandwidth,
            iops: direction.iops,
        }
    }

    /// The same for the Record's kinds; `None` without a distribution of latencies.
    pub(crate) fn kind(&self, of: usize) -> Option<KindRecord> {
        let direction = &self.directions[of];
        let series =
            [&direction.clat, &direction.lat].into_iter().find(|series| series.sums.count == direction.requests)?;
        let latencies = series.latencies()?;
        let sums = &series.sums;
        Some(KindRecord {
            count: sums.count,
            bytes: direction.bytes,
            busy_ns: sums.sum,
            min_ns: sums.min,
            max_ns: sums.max,
            first_ns: 0,
            firsts: 0,
            latencies,
            slots: direction.slots.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Wanted = Wanted {
        slat: true,
        clat: true,
        lat: true,
        slat_distribution: false,
        clat_distribution: true,
        lat_distribution: false,
        due: false,
        bandwidth: true,
        bandwidth_window_ns: 500_000_000,
        iops_window_ns: 500_000_000,
    };

    #[test]
    fn buckets_are_those_of_latencies() {
        let values = (0..2_000u64).chain((0..40).map(|bit| 1 << bit)).chain((8..41).map(|bit| (1 << bit) * 3 / 2 + 1));
        for ns in values {
            let mut one = Latencies::default();
            one.record(ns);
            let (low, high, _) = one.buckets().next().expect("one");
            let start = value_of(index_of(ns));
            assert!(
                start <= ns && (ns == 0 || (start == low && (low..=high).contains(&ns))),
                "{ns}: {start} {low}..{high}"
            );
        }
        assert_eq!(index_of(MAX_NS) + 1, BUCKETS);
    }

    #[test]
    fn slots_and_histograms_add_up() {
        let mut tally = Tally::new(ALL, 1_000);
        tally.begin(5_000);
        let mut now = 5_000;
        for nth in 0..10_000u64 {
            now += 1_000_000;
            let read = &mut tally.directions[0];
            (read.bytes, read.requests) = (read.bytes + 4096, read.requests + 1);
            read.clat.add(nth);
            if now >= tally.edge() {
                tally.cross(now);
            }
        }
        tally.end(now);
        let kind = tally.kind(0).expect("latencies were measured");
        let total = kind.slots.total();
        assert_eq!((total.operations, total.bytes, kind.latencies.count()), (10_000, 10_000 * 4096, 10_000));
        let record = tally.direction(0, now);
        assert_eq!(record.lat.moments, record.clat.moments);
        assert_eq!(record.iops.count, 20);
        assert!((record.iops.mean() - 1000.0).abs() < 12.0, "{}", record.iops.mean());
    }
}
