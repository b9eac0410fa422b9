//! Jobs on the targets that need no system: every block once, amounts, loops, depth, rates, errors, waiting.

use fsbench_model::job::{
    Amount, BlockSizes, Direction, Distribution, Engine, EngineName, Exit, Fill, Job, JobFile, Jobs, Layout, Logs,
    Mode, OnError, Output, Pattern, Rate, Sequencer, Serve, Start, Syncs, Unified, WriteData,
};
use fsbench_model::{Bytes, Phase, Plan, Program, Settings, Span, Stop as StopRule, TargetSpec};
use fsbench_results::{JobRecord, Record};
use fsbench_runner::{Clock, Control, Live, Stop, run};
use fsbench_target::{MemTarget, NullTarget, Target};
use std::sync::Arc;

const KIB: u64 = 1024;

fn job(name: &str, mode: Mode, random: bool) -> Job {
    let block = BlockSizes::Fixed(Bytes(4 * KIB));
    Job {
        name: name.into(),
        description: None,
        group: 0,
        clone: 0,
        clones: 1,
        grouped: false,
        typed: Vec::new(),
        globals: Vec::new(),
        thread: true,
        start: Start::default(),
        exit: Exit::default(),
        engine: Engine { name: EngineName::Psync, depth: 1, reap_min: 1, ..Engine::default() },
        files: vec![file(name, 1 << 20)],
        open_files_max: 1,
        serve: Serve { every: 1, ..Serve::default() },
        layout: Layout { create: true, ..Layout::default() },
        pattern: Pattern {
            mode,
            random,
            run_length: 1,
            hole: 0,
            sequencer: Sequencer::default(),
            read_percent: 50,
            blocks: [block.clone(), block.clone(), block],
            unaligned: false,
            size_by_randomness: false,
            align: [0; 3],
            random_percent: [100; 3],
            distribution: [Distribution::Uniform, Distribution::Uniform, Distribution::Uniform],
            map: true,
            seed: 1,
            zone: None,
        },
        amount: Amount { loops: 1, ..Amount::default() },
        rate: Rate::default(),
        data: WriteData { fill: Fill::Scrambled, ..WriteData::default() },
        syncs: Syncs::default(),
        verify: None,
        replay: None,
        record_trace: None,
        on_error: OnError::default(),
        logs: Logs { bandwidth_window: Span(500_000_000), iops_window: Span(500_000_000), ..Logs::default() },
        output: Output {
            slat: true,
            clat: true,
            lat: true,
            bandwidth: true,
            slat_percentiles: false,
            clat_percentiles: true,
            lat_percentiles: false,
            percentiles: vec![50.0, 99.0],
            figures: 4,
            kb_base: 1024,
            bits: false,
            unified: Unified::None,
            disk_util: false,
            stats: true,
            errors: false,
            steady: None,
            iops_wanted: [0; 3],
        },
        processors: Vec::new(),
        exec_before: None,
        exec_after: None,
        nice: 0,
        flow: None,
    }
}

fn file(path: &str, size: u64) -> JobFile {
    JobFile { path: path.into(), offset: Bytes(0), size: Some(Bytes(size)), size_percent: None, offset_percent: None }
}

fn measured(target: Arc<dyn Target>, jobs: Vec<Job>) -> Record {
    let workers = jobs.len() as u32;
    let program = Program::Jobs(Jobs { jobs, serial_layout: true });
    let phase = Phase { name: "jobs".into(), workers, repetitions: 1, stop: StopRule::Iterations(1), program };
    let plan = Plan {
        suite: "fio".into(),
        target: TargetSpec { uri: target.uri(), settings: Settings::default() },
        phases: vec![phase],
        cleanup: false,
        cold: false,
        notes: Vec::new(),
    };
    let mut saved = 0;
    let mut save = |_: &Record| saved += 1;
    let (stop, live, clock) = (Arc::new(Stop::default()), Arc::new(Live::default()), Clock::start());
    let run = run(plan, &target, &mut Control { stop, live, clock, version: "test", save: &mut save, status: None });
    assert!(run.refusal.is_none(), "{:?}", run.refusal);
    run.record
}

fn jobs_of(record: &Record) -> &[JobRecord] {
    &record.phases[0].repetitions[0].jobs
}

fn mem() -> Arc<dyn Target> {
    Arc::new(MemTarget::default())
}

#[test]
fn a_pass_moves_every_byte_once_whatever_the_pattern() {
    for (mode, random) in [(Mode::Read, false), (Mode::Read, true), (Mode::Write, false), (Mode::Write, true)] {
        let record = measured(mem(), vec![job("a", mode, random)]);
        let done = &jobs_of(&record)[0];
        let (moved, other) = if mode == Mode::Read { (&done.read, &done.write) } else { (&done.write, &done.read) };
        assert_eq!((moved.requests, moved.bytes, other.requests, done.error), (256, 1 << 20, 0, 0), "{done:?}");
        assert_eq!(moved.clat.moments.count, 256);
        let kind = &record.phases[0].repetitions[0].kinds[Direction::ALL[usize::from(mode == Mode::Write)].name()];
        assert_eq!(kind.latencies.count(), 256);
    }
}

#[test]
fn loops_and_limits_are_kept() {
    let mut looped = job("loops", Mode::Read, true);
    looped.amount.loops = 3;
    let mut counted = job("count", Mode::Read, true);
    counted.amount.requests = Some(17);
    let mut more = job("more", Mode::Read, false);
    more.amount.io_size = Some(Bytes(3 << 20));
    let mut less = job("less", Mode::Read, true);
    less.amount.io_size = Some(Bytes(64 * KIB));
    let record = measured(mem(), vec![looped, counted, more, less]);
    let requests: Vec<u64> = jobs_of(&record).iter().map(|job| job.read.requests).collect();
    assert_eq!(requests, [768, 17, 768, 16]);
}

#[test]
fn a_queue_is_kept_full_and_everything_comes_back() {
    for (submit, min, max, low) in [(0, 1, 0, 0), (1, 1, 1, 0), (8, 4, 16, 0), (16, 1, 0, 8), (0, 0, 0, 0)] {
        let mut queued = job("q", Mode::Read, true);
        queued.engine = Engine {
            name: EngineName::Null,
            depth: 32,
            submit_max: submit,
            reap_min: min,
            reap_max: max,
            low,
            ..Engine::default()
        };
        let record = measured(Arc::new(NullTarget::new(1 << 20)), vec![queued]);
        let done = &jobs_of(&record)[0];
        assert_eq!((done.read.requests, done.read.bytes), (256, 1 << 20));
        assert_eq!(done.depths.iter().sum::<u64>(), 256);
        assert_eq!((done.read.slat.moments.count, done.read.lat.moments.count), (256, 256));
        assert!(done.read.lat.moments.sum >= done.read.clat.moments.sum);
    }
}

#[test]
fn a_rate_holds_and_the_due_latency_is_there() {
    let mut paced = job("paced", Mode::Read, true);
    paced.rate.iops = [1_000, 0, 0];
    paced.amount.requests = Some(100);
    let record = measured(mem(), vec![paced]);
    let done = &jobs_of(&record)[0];
    assert!(done.runtime_ns >= 99_000_000, "{}", done.runtime_ns);
    assert_eq!(done.read.due.moments.count, 100);
}

#[test]
fn who_waits_for_another_starts_when_that_has_ended() {
    let mut first = job("first", Mode::Write, false);
    first.rate.iops = [0, 2_000, 0];
    first.amount.requests = Some(100);
    let mut second = job("second", Mode::Read, false);
    second.files = first.files.clone();
    second.start.after = vec![0];
    let record = measured(mem(), vec![first, second]);
    let workers = &record.phases[0].repetitions[0].workers;
    assert!(workers[1].start_ns >= workers[0].end_ns, "{workers:?}");
}

#[test]
fn mixes_are_as_asked_and_time_based_jobs_end_in_time() {
    let mut mixed = job("mixed", Mode::ReadWrite, true);
    mixed.pattern.read_percent = 75;
    mixed.amount = Amount { loops: 1, time_based: true, runtime: Some(Span(300_000_000)), ..Amount::default() };
    let record = measured(mem(), vec![mixed]);
    let done = &jobs_of(&record)[0];
    let share = done.read.requests as f64 / (done.read.requests + done.write.requests) as f64;
    assert!((share - 0.75).abs() < 0.03, "{share}");
    assert!(done.runtime_ns >= 290_000_000, "{}", done.runtime_ns);
}

#[test]
fn a_missing_file_that_may_not_be_made_is_refused() {
    let mut lonely = job("lonely", Mode::Read, false);
    lonely.layout.create = false;
    let record = measured(mem(), vec![lonely]);
    let failure = record.failure.expect("it cannot run");
    assert!(failure.contains("allow_file_create"), "{failure}");
}

#[test]
fn who_exits_all_ends_the_others() {
    let mut endless = job("endless", Mode::Read, true);
    endless.amount = Amount { loops: 1, time_based: true, runtime: Some(Span(60_000_000_000)), ..Amount::default() };
    let mut short = job("short", Mode::Read, true);
    short.exit.at_end = true;
    let record = measured(mem(), vec![endless, short]);
    assert!(record.phases[0].repetitions[0].elapsed_ns < 30_000_000_000);
}

#[test]
fn sizes_vary_as_asked_and_every_block_is_still_touched_once() {
    let mut ranged = job("ranged", Mode::Write, true);
    ranged.pattern.blocks[1] = BlockSizes::Range { min: Bytes(4 * KIB), max: Bytes(64 * KIB) };
    let record = measured(mem(), vec![ranged]);
    let done = &jobs_of(&record)[0];
    assert_eq!(done.write.bytes, 1 << 20);
    assert!(done.write.requests > 16 && done.write.requests < 256, "{}", done.write.requests);
}

#[test]
fn syncs_are_made_and_measured_apart() {
    let mut synced = job("synced", Mode::Write, false);
    synced.syncs.fsync = 32;
    synced.syncs.at_end = true;
    let record = measured(mem(), vec![synced]);
    let done = &jobs_of(&record)[0];
    assert_eq!((done.write.requests, done.sync.requests, done.sync.clat.moments.count), (256, 9, 9));
}
