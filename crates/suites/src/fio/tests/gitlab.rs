//! The command of GitLab's documentation, word for word, field for field.

use super::{Made, jobs};
use fsbench_model::job::*;
use fsbench_model::{Bytes, Span};

const COMMAND: &str = "--randrepeat=1 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=test --bs=4k --iodepth=64 \
                       --readwrite=randrw --rwmixread=75 --size=4G --filename=/git/testfile";

#[test]
fn gitlabs_command_is_exactly_this_job() {
    let plan = Made::default().plan(COMMAND);
    assert_eq!((plan.suite.as_str(), plan.target.uri.as_str()), ("fio", "file:///"));
    assert_eq!((plan.cleanup, plan.cold, plan.notes.len(), plan.phases.len()), (false, false, 0, 1));
    assert_eq!((plan.phases[0].name.as_str(), plan.phases[0].workers), ("test", 1));
    let job = &jobs(&plan, 0)[0];
    assert_eq!(job, &expected(job.pattern.seed));
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
}

fn expected(seed: u64) -> Job {
    let block = || BlockSizes::Fixed(Bytes(4096));
    Job {
        name: "test".into(),
        description: None,
        group: 0,
        clone: 0,
        clones: 1,
        grouped: false,
        typed: pairs(&[
            ("name", "test"),
            ("bs", "4k"),
            ("iodepth", "64"),
            ("rw", "randrw"),
            ("rwmixread", "75"),
            ("size", "4G"),
            ("filename", "/git/testfile"),
        ]),
        globals: pairs(&[("randrepeat", "1"), ("ioengine", "libaio"), ("direct", "1"), ("gtod_reduce", "1")]),
        thread: false,
        start: Start::default(),
        exit: Exit::default(),
        engine: Engine {
            name: EngineName::Libaio,
            depth: 64,
            submit_max: 0,
            reap_min: 1,
            reap_max: 0,
            low: 64,
            direct: true,
            write_sync: WriteSync::None,
            offload: false,
            serialize_overlap: false,
            ring: Ring::default(),
            nowait: false,
            hipri: false,
            uncached: false,
            buffer_align: 4096,
        },
        files: vec![JobFile {
            path: "git/testfile".into(),
            offset: Bytes(0),
            size: Some(Bytes(4 << 30)),
            size_percent: None,
            offset_percent: None,
        }],
        open_files_max: 1,
        serve: Serve { order: ServeOrder::RoundRobin, every: 1 },
        layout: layout(),
        pattern: Pattern {
            mode: Mode::ReadWrite,
            random: true,
            run_length: 1,
            hole: 0,
            sequencer: Sequencer::Sequential,
            read_percent: 75,
            blocks: [block(), block(), block()],
            unaligned: false,
            size_by_randomness: false,
            align: [4096; 3],
            random_percent: [100; 3],
            distribution: [Distribution::Uniform, Distribution::Uniform, Distribution::Uniform],
            map: true,
            seed,
            zone: None,
        },
        amount: Amount { size: Some(Bytes(4 << 30)), loops: 1, ..Amount::default() },
        rate: Rate { cycle: Span(1_000_000_000), think: Think { blocks: 1, ..Think::default() }, ..Rate::default() },
        data: WriteData { compress_chunk: 512, ..WriteData::default() },
        syncs: Syncs::default(),
        verify: None,
        replay: None,
        record_trace: None,
        on_error: OnError::default(),
        logs: Logs {
            per_job: true,
            bandwidth_window: Span(500_000_000),
            iops_window: Span(500_000_000),
            ..Logs::default()
        },
        output: output(),
        processors: Vec::new(),
        exec_before: None,
        exec_after: None,
        nice: 0,
        flow: None,
    }
}

fn layout() -> Layout {
    Layout {
        create: true,
        mkdir: false,
        fsync: true,
        on_open: false,
        only: false,
        allocate: Allocate::Native,
        overwrite: false,
        fill_device: false,
        append: false,
        pre_read: false,
        invalidate: true,
        advice: Advice::Pattern,
        unlink: false,
        unlink_each_loop: false,
        allow_mounted: false,
    }
}

/// `gtod_reduce=1` turns every latency off.
fn output() -> Output {
    Output {
        slat: false,
        clat: false,
        lat: false,
        bandwidth: false,
        slat_percentiles: false,
        clat_percentiles: false,
        lat_percentiles: false,
        percentiles: vec![
            1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99,
        ],
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

#[test]
fn the_ready_made_job_is_the_same_job() {
    let plan = Made::default().plan("--job=gitlab-git-disk --directory=/git");
    let mut job = jobs(&plan, 0)[0].clone();
    let want = expected(job.pattern.seed);
    (job.typed, job.globals) = (want.typed.clone(), want.globals.clone());
    assert_eq!(std::mem::take(&mut job.output.iops_wanted), [8_000, 2_000, 2_000]);
    assert_eq!(job, want);
}
