//! Records for the tests of this room.

use fsbench_results::model::job::{
    Amount, BlockSizes, Distribution, Engine, EngineName, Exit, Job, Jobs, Layout, Logs, Mode, OnError, Output,
    Pattern, Rate, Sequencer, Serve, Start, Syncs, Unified, WriteData,
};
use fsbench_results::model::{Bytes, Phase, Program, Stop};
use fsbench_results::{
    DirectionRecord, Ending, ErrorCount, JobRecord, Latencies, LatencyRecord, Moments, PhaseRecord, Record, Repetition,
};

/// The golden Record.
pub(crate) fn golden() -> Record {
    Record::from_json(include_str!("../../../fixtures/record/v1.json")).expect("the golden Record is a Record")
}

/// Its last phase, as if it had run another program on another target.
pub(crate) fn with_program(program: Program, uri: &str) -> Record {
    let mut record = golden();
    record.phases.remove(0);
    record.plan.phases.remove(0);
    record.plan.phases[0].program = program;
    record.plan.target.uri = uri.into();
    record
}

/// Turns a repetition into one of which every operation failed.
pub(crate) fn all_failed(repetition: &mut Repetition, first: &str) {
    repetition.failed = repetition.operations;
    repetition.kinds.clear();
    repetition.bytes = 0;
    let count = repetition.failed;
    repetition.errors =
        vec![ErrorCount { operation: "open".into(), kind: "denied".into(), count, first: first.into() }];
}

/// The golden Record, had a signal ended its last repetition.
pub(crate) fn interrupted() -> Record {
    let mut record = golden();
    record.complete = false;
    record.ending = Ending::Interrupted;
    record.phases[1].repetitions[2].interrupted = true;
    record
}

/// A job that reads at random through psync, shown as fio shows one by default.
pub(crate) fn job(name: &str) -> Job {
    let sizes = || BlockSizes::Fixed(Bytes(4096));
    let even = || Distribution::Uniform;
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
        engine: Engine { name: EngineName::Psync, depth: 1, ..Engine::default() },
        files: Vec::new(),
        open_files_max: 1,
        serve: Serve::default(),
        layout: Layout::default(),
        pattern: Pattern {
            mode: Mode::Read,
            random: true,
            run_length: 1,
            hole: 0,
            sequencer: Sequencer::Sequential,
            read_percent: 50,
            blocks: [sizes(), sizes(), sizes()],
            unaligned: false,
            size_by_randomness: false,
            align: [4096; 3],
            random_percent: [100; 3],
            distribution: [even(), even(), even()],
            map: true,
            seed: 1,
            zone: None,
        },
        amount: Amount { loops: 1, ..Amount::default() },
        rate: Rate::default(),
        data: WriteData::default(),
        syncs: Syncs::default(),
        verify: None,
        replay: None,
        record_trace: None,
        on_error: OnError::default(),
        logs: Logs::default(),
        output: output(),
        processors: Vec::new(),
        exec_before: None,
        exec_after: None,
        nice: 0,
        flow: None,
    }
}

fn output() -> Output {
    let percentiles = vec![1., 5., 10., 20., 30., 40., 50., 60., 70., 80., 90., 95., 99., 99.5, 99.9, 99.95, 99.99];
    Output {
        slat: true,
        clat: true,
        lat: true,
        bandwidth: true,
        slat_percentiles: false,
        clat_percentiles: true,
        lat_percentiles: false,
        percentiles,
        figures: 4,
        kb_base: 1024,
        bits: false,
        unified: Unified::None,
        disk_util: true,
        stats: true,
        errors: false,
        steady: None,
        iops_wanted: [0; 3],
    }
}

/// A Record of phases of jobs, each phase between two stonewalls; it ended on 2026-11-20 at 10:37:32 UTC.
pub(crate) fn of_jobs(phases: Vec<Vec<(Job, JobRecord)>>) -> Record {
    let mut record = golden();
    record.notes.clear();
    record.plan.notes.clear();
    record.plan.suite = "fio".into();
    record.started = "2026-11-20T10:37:27.175+00:00".into();
    record.environment.fsbench = "0.0.0".into();
    record.plan.phases.clear();
    record.phases.clear();
    for (index, jobs) in phases.into_iter().enumerate() {
        let (plans, mut records): (Vec<Job>, Vec<JobRecord>) = jobs.into_iter().unzip();
        records.iter_mut().zip(0..).for_each(|(record, place)| record.job = place);
        let name = format!("jobs {index}");
        record.plan.phases.push(Phase {
            name: name.clone(),
            workers: plans.len() as u32,
            repetitions: 1,
            stop: Stop::Iterations(1),
            program: Program::Jobs(Jobs { jobs: plans, serial_layout: true }),
        });
        let elapsed_ns = 2_500_000_000;
        let started = format!("2026-11-20T10:37:{}.675+00:00", 27 + index * 2);
        let repetition = Repetition { started, elapsed_ns, jobs: records, ..Repetition::default() };
        record.phases.push(PhaseRecord { name, repetitions: vec![repetition] });
    }
    record
}

/// `count` latencies in steps of `step_ns`.
pub(crate) fn latencies(count: u64, step_ns: u64) -> LatencyRecord {
    let (mut moments, mut latencies) = (Moments::default(), Latencies::default());
    for ns in (1..=count).map(|place| place * step_ns) {
        moments.add(ns);
        latencies.record(ns);
    }
    LatencyRecord { moments, latencies: Some(latencies) }
}

/// What a job measured that read `requests` times 4 KiB in a second, one after the other.
pub(crate) fn measured(requests: u64) -> JobRecord {
    let mut windows = Moments::default();
    [requests - 1, requests + 1].into_iter().for_each(|value| windows.add(value));
    let read = DirectionRecord {
        bytes: requests * 4096,
        requests,
        runtime_ns: 1_000_000_000,
        clat: latencies(requests, 10_000),
        lat: latencies(requests, 10_010),
        bandwidth: windows,
        iops: windows,
        ..DirectionRecord::default()
    };
    let all = [0, requests, 0, 0, 0, 0, 0];
    JobRecord {
        thread_id: 4711,
        runtime_ns: 1_000_000_000,
        elapsed_ns: 1_000_000_000,
        read,
        user_ns: 20_000_000,
        system_ns: 110_000_000,
        context_switches: 3,
        minor_faults: 2,
        depths: [requests, 0, 0, 0, 0, 0, 0],
        submits: all,
        completes: all,
        depth: 1,
        ..JobRecord::default()
    }
}
