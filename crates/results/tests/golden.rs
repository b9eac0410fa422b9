//! The golden Record, `fixtures/record/v1.json`: what version 1 of the schema looks like, for ever.
//!
//! It is made here, so that every number in it is known. A change of the Record that changes this file is a change of
//! the schema: see "Versions" in `docs/record.md`. `FSBENCH_BLESS=1 cargo test -p fsbench-results` writes it anew.

use fsbench_results::model::{
    Bytes, Content, FileNames, MASK, Phase, Plan, Program, ReadFile, Settings, Stop, TargetSpec, WriteFile,
};
use fsbench_results::{
    Cache, CacheState, Cpu, Ending, Environment, ErrorCount, Fact, Kind, KindRecord, PhaseRecord, Record, RecordError,
    Repetition, Resources, WorkerRecord,
};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/record/v1.json");
const WORKERS: u64 = 3;
const FILE_BYTES: u64 = 1_024_000;
const MS: u64 = 1_000_000;

fn golden() -> String {
    std::fs::read_to_string(GOLDEN).expect("fixtures/record/v1.json is in the repository")
}

fn plan() -> Plan {
    let files = || FileNames::PerWorker("test_".into());
    let buffer = Bytes(1_000_000);
    let write = WriteFile {
        files: files(),
        size: Bytes(FILE_BYTES),
        buffer,
        content: Content { seed: 42, ..Content::default() },
        sync: true,
        overwrite_foreign: false,
    };
    let read = ReadFile { files: files(), limit: Some(Bytes(FILE_BYTES)), buffer, prefetch: None, verify: None };
    let phase = |name: &str, program| Phase {
        name: name.into(),
        workers: WORKERS as u32,
        repetitions: 3,
        stop: Stop::Iterations(5),
        program,
    };
    let mut settings = Settings::default();
    settings.set("AWS_SECRET_KEY", MASK, "local.conf:2");
    Plan {
        suite: "remote".into(),
        target: TargetSpec { uri: "file:///data/bench".into(), settings },
        phases: vec![
            phase("LocalCreateWriteBenchmark", Program::Write(write)),
            phase("LocalReadBenchmark", Program::Read(read)),
        ],
        cleanup: false,
        cold: true,
        notes: vec!["AWS_SECRET_KEY (local.conf:2) means nothing to a local file system: ignored".into()],
    }
}

fn environment() -> Environment {
    let fact = |name: &str, value: &str| Fact { name: name.into(), value: value.into() };
    let cache =
        |kind: &str, level, size_bytes, num_sharing| Cache { kind: kind.into(), level, size_bytes, num_sharing };
    Environment {
        fsbench: "0.1.0".into(),
        executable: "fsbench".into(),
        host: "bench-1".into(),
        kernel: "Linux 6.1.0".into(),
        cpu: Cpu {
            model: "Example CPU".into(),
            count: 4,
            mhz: 2299.998,
            scaling: Some(false),
            caches: vec![cache("Data", 1, 49_152, 1), cache("Unified", 3, 503_316_480, 4)],
        },
        memory_bytes: 16 << 30,
        load_average: vec![90.166_666_666_666_67, 0.62, 0.46],
        target: vec![fact("scheme", "file"), fact("file system", "ext4"), fact("mount", "/dev/vdb on /data")],
    }
}

/// A kind of which the operations, `bytes` each, took the given times and ended one after another.
fn kind(latencies_ns: &[u64], bytes: u64) -> KindRecord {
    let mut kind = KindRecord { min_ns: latencies_ns.iter().copied().min().unwrap_or(0), ..KindRecord::default() };
    for (index, ns) in (0u64..).zip(latencies_ns) {
        kind.count += 1;
        kind.bytes += bytes;
        kind.busy_ns += ns;
        kind.max_ns = kind.max_ns.max(*ns);
        kind.latencies.record(*ns);
        kind.slots.add((index / WORKERS + 1) * 50 * MS, bytes);
        if index < WORKERS {
            kind.first_ns += ns;
            kind.firsts += 1;
        }
    }
    kind
}

fn repetition(index: u32, elapsed_ns: u64, kinds: &[(Kind, KindRecord)]) -> Repetition {
    let operation = kinds.iter().find(|(kind, _)| *kind == Kind::Operation).expect("there are operations");
    let (done, bytes) = (operation.1.count, operation.1.bytes);
    let workers = (0..WORKERS).map(|worker| WorkerRecord {
        worker: worker as u32,
        start_ns: worker * 1000,
        end_ns: elapsed_ns - worker * MS,
        operations: done / WORKERS,
        bytes: bytes / WORKERS,
        cpu_ns: 2 * MS,
    });
    Repetition {
        index,
        started: format!("2026-11-20T10:24:1{index}.123456+00:00"),
        elapsed_ns,
        operations: done,
        bytes,
        kinds: kinds.iter().map(|(kind, record)| (kind.name().to_string(), record.clone())).collect(),
        workers: workers.collect(),
        resources: Resources {
            user_ns: 4 * MS,
            system_ns: 8 * MS,
            peak_rss_bytes: 24 << 20,
            network_received_bytes: 1_200,
            network_sent_bytes: 800,
            host_busy_ns: 100 * MS,
            host_total_ns: 4 * elapsed_ns,
            ..Resources::default()
        },
        ..Repetition::default()
    }
}

fn write(index: u32) -> Repetition {
    let slower = u64::from(2 - index) * 5;
    let spread = |base: u64| (0..15).map(|i| (base + slower + i) * MS).collect::<Vec<u64>>();
    let mut kinds = vec![(Kind::Operation, kind(&spread(50), FILE_BYTES)), (Kind::Create, kind(&[MS; 15], 0))];
    kinds.push((Kind::Write, kind(&[20 * MS; 30], FILE_BYTES / 2)));
    kinds.extend([(Kind::Sync, kind(&spread(8), 0)), (Kind::Close, kind(&[MS / 2; 15], 0))]);
    let mut write = repetition(index, 300 * MS, &kinds);
    write.resources.device_write_bytes = 15 * FILE_BYTES;
    write
}

/// A read phase from a half-cold cache, with one operation of the second repetition failing.
fn read(index: u32) -> Repetition {
    let latencies: Vec<u64> = (0..15).map(|i| (4 + u64::from(2 - index) * 3 + i % 5) * MS).collect();
    let first_bytes: Vec<u64> = latencies.iter().map(|ns| ns / 4).collect();
    let good = if index == 1 { 14 } else { 15 };
    let kinds = [
        (Kind::Operation, kind(&latencies[..good], FILE_BYTES)),
        (Kind::Open, kind(&[22_041; 15], 0)),
        (Kind::FirstByte, kind(&first_bytes, 0)),
        (Kind::Read, kind(&latencies[..good], FILE_BYTES)),
    ];
    let mut read = repetition(index, 40 * MS, &kinds);
    read.cache = Some(CacheState {
        cached_bytes: if index == 0 { 92_160 } else { 3 * FILE_BYTES },
        of_bytes: 3 * FILE_BYTES,
        evicted: index == 0,
    });
    read.resources.device_read_bytes = if index == 0 { 3 * FILE_BYTES - 92_160 } else { 0 };
    if index == 1 {
        read.operations = 15;
        read.failed = 1;
        read.workers[0].operations = 5;
        read.workers[1].operations = 5;
        read.workers[2].operations = 5;
        read.errors = vec![ErrorCount {
            operation: "read".into(),
            kind: "io".into(),
            count: 1,
            first: "file:///data/bench/test_2: read at 512000: Input/output error (os error 5)".into(),
        }];
        read.counts.insert("retries".into(), 2);
    }
    read
}

fn record() -> Record {
    let started = "2026-11-20T10:24:10.123456+00:00".to_string();
    let mut record = Record::new("20261120T102410-1f3a".into(), started, plan(), environment());
    record.complete = true;
    record.ending = Ending::Finished;
    let phase = |name: &str, repetitions| PhaseRecord { name: name.into(), repetitions };
    record.phases = vec![
        phase("LocalCreateWriteBenchmark", (0..3).map(write).collect()),
        phase("LocalReadBenchmark", (0..3).map(read).collect()),
    ];
    record
}

#[test]
fn the_golden_record_is_what_this_version_writes() {
    let record = record();
    record.phases.iter().flat_map(|p| &p.repetitions).for_each(Repetition::assert_consistent);
    let written = record.to_json().expect("serializes");
    if std::env::var_os("FSBENCH_BLESS").is_some() {
        std::fs::write(GOLDEN, &written).expect("fixtures/record can be written");
    }
    assert!(
        written == golden(),
        "the Record is no longer what fixtures/record/v1.json shows: docs/record.md, Versions"
    );
}

#[test]
fn the_golden_record_is_read_whole_and_written_the_same() {
    let text = golden();
    let read = Record::from_json(&text).expect("version 1 is read");
    assert_eq!(read, record());
    assert_eq!(read.to_json().expect("serializes"), text);
}

#[test]
fn a_newer_schema_or_another_document_is_refused_by_name() {
    let newer = golden().replace("\"schema_version\": 1", "\"schema_version\": 2");
    let error = Record::from_json(&newer).expect_err("version 2 is not known");
    assert!(matches!(error, RecordError::Schema { version: 2, .. }));
    let said = error.to_string();
    assert!(
        said.contains("fsbench.record") && said.contains("version 2") && said.contains("up to version 1"),
        "{said}"
    );
    assert!(said.contains("newer fsbench"), "{said}");

    let other = golden().replace("fsbench.record", "fio.output");
    let said = Record::from_json(&other).expect_err("another schema").to_string();
    assert!(said.contains("'fio.output'") && said.contains("not a Record"), "{said}");
}

#[test]
fn what_has_no_schema_is_refused_before_its_shape_is_looked_at() {
    for text in ["", "[]", "{}", "{\"benchmarks\": []}", "{\"schema\": \"fsbench.record\", \"schema_version\": 1}"] {
        let said = Record::from_json(text).expect_err(text).to_string();
        assert!(said.starts_with("not a Record"), "{text}: {said}");
    }
    let newer = "{\"schema\": \"fsbench.record\", \"schema_version\": 9, \"anything\": []}";
    assert!(matches!(Record::from_json(newer), Err(RecordError::Schema { version: 9, .. })));
}

#[test]
fn no_secret_is_in_a_record() {
    let mut record = record();
    record.plan.target.settings.set("s3.secret_key", "hush", "s3.conf:1");
    let text = record.to_json().expect("serializes");
    assert!(!text.contains("hush"));
}
