//! What fio shows as one: a block for each job, or for the jobs of a group that reports as one, and the status groups.

use super::buckets::Spread;
use super::number::{Style, milliseconds, per_second};
use super::stat::Stat;
use fsbench_results::model::Program;
use fsbench_results::model::job::{Direction, Job, Unified};
use fsbench_results::{DirectionRecord, DiskRecord, JobRecord, Record, Repetition};
use std::collections::BTreeMap;

/// One direction of a block.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// fio's name: `read`, `write`, `trim` or `mixed`.
    pub name: &'static str,
    /// Sums, and latencies as one population.
    pub record: DirectionRecord,
    /// Windows of bandwidth, added up over the jobs.
    pub bandwidth: Stat,
    /// Windows of IOPS, likewise.
    pub iops: Stat,
}

impl Way {
    fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    fn add(&mut self, record: &DirectionRecord) {
        self.record.merge(record);
        self.bandwidth.stack(&Stat::from(&record.bandwidth));
        self.iops.stack(&Stat::from(&record.iops));
    }

    fn stack(&mut self, other: &Way) {
        self.record.merge(&other.record);
        self.bandwidth.stack(&other.bandwidth);
        self.iops.stack(&other.iops);
    }

    /// Bytes a second.
    pub(super) fn rate(&self) -> u64 {
        per_second(self.record.bytes, self.record.runtime_ns)
    }

    /// Runtime in milliseconds.
    pub(super) fn runtime(&self) -> u64 {
        milliseconds(self.record.runtime_ns)
    }
}

/// Sums over the jobs of a block that have no direction.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    pub runtime_ns: u64,
    pub user_ns: u64,
    pub system_ns: u64,
    pub context_switches: u64,
    pub major_faults: u64,
    pub minor_faults: u64,
    pub depths: [u64; 7],
    pub submits: [u64; 7],
    pub completes: [u64; 7],
    pub errors: u64,
    pub first_error: i32,
    pub verified: u64,
    pub verify_failures: u64,
}

/// One job, or jobs that report as one.
pub(super) struct Block<'a> {
    /// Plans and records, at least one.
    pub jobs: Vec<(&'a Job, &'a JobRecord)>,
    /// The repetition they ran in.
    pub repetition: &'a Repetition,
    /// Which phase of the Record that was.
    pub phase: usize,
    /// Reads, writes, trims; with `unified_rw_reporting=mixed` all are in the first.
    pub ways: [Way; 3],
    /// All three, with `unified_rw_reporting=both`.
    pub mixed: Option<Way>,
    /// Syncs.
    pub sync: DirectionRecord,
    /// Latencies of all three.
    pub spread: Spread,
    /// The rest.
    pub totals: Totals,
}

impl<'a> Block<'a> {
    fn new(jobs: Vec<(&'a Job, &'a JobRecord)>, repetition: &'a Repetition, phase: usize) -> Self {
        let ways = Direction::ALL.map(|direction| Way::new(direction.name()));
        let (sync, spread, totals) = Default::default();
        let mut block = Self { jobs, repetition, phase, ways, mixed: None, sync, spread, totals };
        for index in 0..block.jobs.len() {
            block.add(block.jobs[index].1);
        }
        block.unify();
        block
    }

    fn add(&mut self, job: &JobRecord) {
        for (way, record) in self.ways.iter_mut().zip([&job.read, &job.write, &job.trim]) {
            way.add(record);
            self.spread.add(&record.clat);
        }
        self.sync.merge(&job.sync);
        let totals = &mut self.totals;
        totals.runtime_ns += job.runtime_ns;
        totals.user_ns += job.user_ns;
        totals.system_ns += job.system_ns;
        totals.context_switches += job.context_switches;
        totals.major_faults += job.major_faults;
        totals.minor_faults += job.minor_faults;
        totals.errors += job.errors;
        totals.verified += job.verified;
        totals.verify_failures += job.verify_failures;
        if totals.first_error == 0 {
            totals.first_error = job.first_error;
        }
        for (sums, counts) in [
            (&mut totals.depths, &job.depths),
            (&mut totals.submits, &job.submits),
            (&mut totals.completes, &job.completes),
        ] {
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
    }

    fn unify(&mut self) {
        if self.plan().output.unified == Unified::None {
            return;
        }
        let mut mixed = Way::new("mixed");
        self.ways.iter().for_each(|way| mixed.stack(way));
        match self.plan().output.unified {
            Unified::Mixed => self.ways = [mixed, Way::new("write"), Way::new("trim")],
            _ => self.mixed = Some(mixed),
        }
    }

    /// The first job: what a group is called and how it is shown.
    pub(super) fn plan(&self) -> &'a Job {
        self.jobs[0].0
    }

    /// Whether all directions are shown as one.
    pub(super) fn is_mixed(&self) -> bool {
        self.plan().output.unified == Unified::Mixed
    }

    /// Requests of all directions, syncs not included.
    pub(super) fn requests(&self) -> u64 {
        self.ways.iter().map(|way| way.record.requests).sum()
    }

    /// The first error number of a job, and its words; else the first error that was survived.
    pub(super) fn error(&self) -> Option<(i32, &'a str)> {
        let ended = self.jobs.iter().find(|(_, record)| record.error != 0);
        let survived = || self.jobs.iter().find(|(_, record)| record.first_error != 0);
        let ended = ended.map(|(_, record)| (record.error, record.error_text.as_str()));
        ended.or_else(|| survived().map(|(_, record)| (record.first_error, record.error_text.as_str())))
    }

    /// Percent of the jobs' runtime in user mode and in the kernel.
    pub(super) fn cpu(&self) -> [f64; 2] {
        let share = |ns: u64| match self.totals.runtime_ns {
            0 => 0.0,
            all => ns as f64 * 100.0 / all as f64,
        };
        [share(self.totals.user_ns), share(self.totals.system_ns)]
    }

    /// The percentiles that were asked for, rising, fio's twenty at most.
    pub(super) fn percents(&self) -> Vec<f64> {
        let asked = self.plan().output.percentiles.iter().copied();
        let mut percents: Vec<f64> = asked.filter(|p| *p > 0.0 && *p <= 100.0).take(20).collect();
        percents.sort_by(f64::total_cmp);
        percents
    }

    /// How numbers are written.
    pub(super) fn style(&self) -> Style {
        style(self.plan())
    }
}

/// How the numbers of a job are written.
pub(super) fn style(job: &Job) -> Style {
    let figures = if job.output.figures == 0 { 4 } else { job.output.figures as usize };
    Style { figures, binary: job.output.kb_base != 1000, bits: job.output.bits }
}

/// Every block of a Record, in fio's order. A phase that was repeated shows its last repetition.
pub(super) fn blocks(record: &Record) -> Vec<Block<'_>> {
    let mut all = Vec::new();
    for (phase, measured) in record.phases.iter().enumerate() {
        let Some(Program::Jobs(plan)) = crate::gbench::planned(record, phase, &measured.name).map(|p| &p.program)
        else {
            continue;
        };
        let Some(repetition) = measured.repetitions.last() else { continue };
        let shown = repetition.jobs.iter().filter_map(|job| Some((plan.jobs.get(job.job as usize)?, job)));
        let shown = shown.filter(|(job, _)| job.output.stats);
        all.extend(grouped(shown).into_iter().map(|jobs| Block::new(jobs, repetition, phase)));
    }
    all
}

/// Jobs that follow each other in one group and report as one are together.
fn grouped<'a>(jobs: impl Iterator<Item = (&'a Job, &'a JobRecord)>) -> Vec<Vec<(&'a Job, &'a JobRecord)>> {
    let mut all: Vec<Vec<(&'a Job, &'a JobRecord)>> = Vec::new();
    for (job, record) in jobs {
        match all.last_mut() {
            Some(last) if job.grouped && last[0].0.group == job.group => last.push((job, record)),
            _ => all.push(vec![(job, record)]),
        }
    }
    all
}

/// One direction of a status group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GroupWay {
    pub bytes: u64,
    /// Bytes a second of the slowest and fastest block.
    pub rates: (u64, u64),
    /// Milliseconds of the shortest and longest block.
    pub runs: (u64, u64),
    /// Bytes a second of all, over the longest runtime.
    pub rate: u64,
    longest_ns: u64,
}

impl GroupWay {
    fn add(&mut self, way: &Way) {
        if way.record.runtime_ns == 0 {
            return;
        }
        let (rate, run) = (way.rate(), way.runtime());
        let is_first = self.runs.1 == 0;
        self.rates = if is_first { (rate, rate) } else { (self.rates.0.min(rate), self.rates.1.max(rate)) };
        self.runs = if is_first { (run, run) } else { (self.runs.0.min(run), self.runs.1.max(run)) };
        self.bytes += way.record.bytes;
        self.longest_ns = self.longest_ns.max(way.record.runtime_ns);
        self.rate = per_second(self.bytes, self.longest_ns);
    }

    /// Adds another direction, for the line of all.
    pub(super) fn stack(&mut self, other: &GroupWay) {
        if other.runs.1 == 0 {
            return;
        }
        let is_first = self.runs.1 == 0;
        let wider = |mine: (u64, u64), theirs: (u64, u64)| match is_first {
            true => theirs,
            false => (mine.0.min(theirs.0), mine.1.max(theirs.1)),
        };
        (self.rates, self.runs) = (wider(self.rates, other.rates), wider(self.runs, other.runs));
        self.bytes += other.bytes;
        self.rate += other.rate;
    }
}

/// A reporting group: what ran between two stonewalls, or since `new_group`.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub ways: [GroupWay; 3],
    /// Some block of it shows its directions as one, or both ways.
    pub unified: Unified,
    pub style: Style,
}

/// All groups by number.
pub(super) fn groups(blocks: &[Block<'_>]) -> BTreeMap<u32, Group> {
    let mut all: BTreeMap<u32, Group> = BTreeMap::new();
    for block in blocks {
        let fresh = || Group { ways: Default::default(), unified: Unified::None, style: block.style() };
        let group = all.entry(block.plan().group).or_insert_with(fresh);
        group.ways.iter_mut().zip(&block.ways).for_each(|(sum, way)| sum.add(way));
        if block.plan().output.unified != Unified::None {
            group.unified = block.plan().output.unified;
        }
    }
    all
}

/// Block devices over all phases.
pub(super) fn disks(record: &Record, blocks: &[Block<'_>]) -> Vec<DiskRecord> {
    if !blocks.iter().any(|block| block.plan().output.disk_util) {
        return Vec::new();
    }
    let mut all: Vec<DiskRecord> = Vec::new();
    for disk in record.phases.iter().filter_map(|phase| phase.repetitions.last()).flat_map(|last| &last.disks) {
        match all.iter_mut().find(|old| old.name == disk.name) {
            Some(old) => add_disk(old, disk),
            None => all.push(disk.clone()),
        }
    }
    all
}

fn add_disk(sum: &mut DiskRecord, disk: &DiskRecord) {
    sum.reads += disk.reads;
    sum.writes += disk.writes;
    sum.read_merges += disk.read_merges;
    sum.write_merges += disk.write_merges;
    sum.read_sectors += disk.read_sectors;
    sum.write_sectors += disk.write_sectors;
    sum.read_ticks += disk.read_ticks;
    sum.write_ticks += disk.write_ticks;
    sum.in_queue += disk.in_queue;
    sum.busy_ms += disk.busy_ms;
    sum.span_ms += disk.span_ms;
}

/// Percent of the time in which a disk was busy.
pub(super) fn utilization(disk: &DiskRecord) -> f64 {
    match disk.span_ms {
        0 => 0.0,
        span => (100.0 * disk.busy_ms as f64 / span as f64).min(100.0),
    }
}

/// Wall time of all phases together, ramp times included.
pub(super) fn elapsed_ns(record: &Record) -> u64 {
    record.phases.iter().flat_map(|phase| &phase.repetitions).map(span_ns).sum()
}

fn span_ns(repetition: &Repetition) -> u64 {
    repetition.jobs.iter().map(|job| job.elapsed_ns).fold(repetition.elapsed_ns, u64::max)
}
