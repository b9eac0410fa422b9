//! What Google Benchmark 1.9.5 itself printed for known numbers (`fixtures/gbench/capture.py`), byte for byte.
//!
//! Its Python package cannot set threads, so that its names lack `/threads:1`, and has no maximum and minimum rows; both
//! are taken out of our output before the comparison.

use fsbench_report::gbench::{ConsoleOptions, FileOptions, console, csv, json};
use fsbench_results::model::{Bytes, ExistsFile, FileNames, Phase, Plan, Program, ReadFile, RenameFile, Settings};
use fsbench_results::model::{Stop, TargetSpec};
use fsbench_results::{
    Environment, ErrorCount, Kind, KindRecord, PhaseRecord, Record, Repetition, Resources, WorkerRecord,
};
use serde_json::Value;

const THREADS: &str = "/threads:1";
const BYTES: u64 = 1_379_260_000;

fn fixture(name: &str) -> String {
    let path = format!("{}/../../fixtures/gbench/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}; see capture.py beside it"))
}

/// The CPU times of the repetitions of that run, in ns: the only numbers that the capture could not choose.
fn cpu_ns(run: &str) -> Vec<u64> {
    let document: Value = serde_json::from_str(&fixture(&format!("{run}.json"))).expect("JSON");
    let rows = document["benchmarks"].as_array().expect("rows").iter();
    rows.filter(|row| row["run_type"] == "iteration")
        .map(|row| (row["cpu_time"].as_f64().expect("a number") * 1e6).round() as u64)
        .collect()
}

fn one(ns: u64, bytes: u64) -> KindRecord {
    let mut kind = KindRecord { count: 1, bytes, busy_ns: ns, min_ns: ns, max_ns: ns, ..KindRecord::default() };
    kind.latencies.record(ns);
    kind.slots.add(ns, bytes);
    kind
}

fn repetition(index: u32, ns: u64, bytes: u64, cpu_ns: u64) -> Repetition {
    let mut repetition = Repetition {
        index,
        elapsed_ns: ns,
        operations: 1,
        bytes,
        workers: vec![WorkerRecord { operations: 1, bytes, end_ns: ns, ..WorkerRecord::default() }],
        resources: Resources { user_ns: cpu_ns, ..Resources::default() },
        ..Repetition::default()
    };
    repetition.kinds.insert(Kind::Operation.name().into(), one(ns, bytes));
    repetition.kinds.insert(Kind::Open.name().into(), one(22_041, 0));
    repetition
}

fn failed() -> Repetition {
    let first = "no \"such\", file".to_string();
    let errors = vec![ErrorCount { operation: "rename".into(), kind: "not_found".into(), count: 1, first }];
    Repetition { operations: 1, failed: 1, errors, ..Repetition::default() }
}

fn record(run: &str) -> Record {
    let cpu = cpu_ns(run);
    let files = || FileNames::Shared("f".into());
    let read = ReadFile { files: files(), limit: None, buffer: Bytes(1), prefetch: None, verify: None };
    let phase = |name: &str, repetitions, program| Phase {
        name: name.into(),
        workers: 1,
        repetitions,
        stop: Stop::Iterations(1),
        program,
    };
    let plan = Plan {
        suite: "remote".into(),
        target: TargetSpec { uri: "hdfs://nn:8020/bench".into(), settings: Settings::default() },
        phases: vec![
            phase("HdfsReadBenchmark", 3, Program::Read(read)),
            phase("HdfsExistsBenchmark", 1, Program::Exists(ExistsFile { files: files() })),
            phase("HdfsRenameBenchmark", 1, Program::Rename(RenameFile { files: files(), suffix: "_new".into() })),
        ],
        cleanup: false,
        cold: false,
        notes: vec![],
    };
    let reads = [3_918_244_000, 412_300_000, 512_000];
    let reads = (0u32..).zip(reads).map(|(i, ns)| repetition(i, ns, BYTES, cpu[i as usize])).collect();
    let mut record = Record::new("r".into(), "2026-11-20T10:24:10Z".into(), plan, Environment::default());
    record.phases = vec![
        PhaseRecord { name: "HdfsReadBenchmark".into(), repetitions: reads },
        PhaseRecord { name: "HdfsExistsBenchmark".into(), repetitions: vec![repetition(0, 11_800_000, 0, cpu[3])] },
        PhaseRecord { name: "HdfsRenameBenchmark".into(), repetitions: vec![failed()] },
    ];
    record
}

/// Our table as it is without threads in the names, and without maximum and minimum.
fn comparable(table: &str) -> String {
    let shorter = " ".repeat(THREADS.len());
    let rule = "-".repeat(THREADS.len());
    let mut out = String::new();
    for line in table.lines().filter(|line| !line.contains("_max ") && !line.contains("_min ")) {
        let line = match line.find("---").is_some() {
            true => line.replacen(&rule, "", 1),
            false if line.contains("Benchmark  ") => line.replacen(&shorter, "", 1),
            false => line.replacen(THREADS, "", 1),
        };
        out.push_str(&line);
        out.push('\n');
    }
    out
}

fn assert_same(ours: &str, theirs: &str) {
    for (ours, theirs) in ours.lines().zip(theirs.lines()) {
        assert_eq!(ours, theirs);
    }
    assert_eq!(ours.lines().count(), theirs.lines().count());
}

#[test]
fn the_console_is_the_same() {
    let table = console(&record("console"), &ConsoleOptions::default());
    assert_same(&comparable(&table), &fixture("console.txt"));
}

#[test]
fn the_tabular_console_is_the_same_with_colours() {
    let options = ConsoleOptions { tabular: true, color: true, ..ConsoleOptions::default() };
    assert_same(&comparable(&console(&record("tabular"), &options)), &fixture("tabular.txt"));
}

#[test]
fn aggregates_only_leaves_out_the_same_rows() {
    for options in [
        ConsoleOptions { aggregates_only: true, ..ConsoleOptions::default() },
        ConsoleOptions { display_aggregates_only: true, ..ConsoleOptions::default() },
    ] {
        let ours = comparable(&console(&record("console"), &options));
        let theirs = fixture("aggregates.txt");
        let names = |text: &str| -> Vec<String> {
            text.lines().map(|line| line.split_whitespace().next().unwrap_or_default().to_string()).collect()
        };
        assert_eq!(names(&ours), names(&theirs));
    }
}

#[test]
fn the_csv_has_the_same_columns_before_ours() {
    let ours = csv(&record("csv"), &FileOptions::default());
    let theirs = fixture("csv.txt");
    let mut rows = ours.lines().filter(|line| !line.contains("_max\"") && !line.contains("_min\""));
    let header = rows.next().expect("a header");
    // Theirs knows the counters of the first family only.
    assert!(header.replace("\"ExistsCost\",", "").starts_with(theirs.lines().next().expect("a header")), "{header}");
    for (ours, theirs) in rows.zip(theirs.lines().skip(1)) {
        let ours = ours.replacen(THREADS, "", 1);
        let theirs = theirs.trim_end_matches(',');
        let (start, counters) = theirs.split_once(",,,,,,").unwrap_or((theirs, ""));
        assert!(ours.starts_with(start), "{ours}\n{theirs}");
        assert!(ours.contains(counters), "{ours}\n{theirs}");
    }
}

/// The lines of `benchmarks`, without ours that theirs cannot have.
fn benchmark_lines(document: &str) -> Vec<String> {
    let start = document.find("\"benchmarks\": [").expect("benchmarks");
    let end = start + document[start..].find("\n  ]").expect("the end of benchmarks");
    let objects = document[start..end].split("    {\n").skip(1);
    let kept =
        objects.filter(|o| !o.contains("\"aggregate_name\": \"max\"") && !o.contains("\"aggregate_name\": \"min\""));
    kept.flat_map(|object| object.lines().map(|line| line.trim_end_matches(',').replace(THREADS, ""))).collect()
}

fn assert_same_member(ours: &str, theirs: &str) {
    let (key, our_value) = ours.split_once(": ").unwrap_or((ours, ""));
    let (their_key, their_value) = theirs.split_once(": ").unwrap_or((theirs, ""));
    assert_eq!(key, their_key, "{ours} / {theirs}");
    match (our_value.parse::<f64>(), their_value.parse::<f64>()) {
        (Ok(a), Ok(b)) => {
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{ours} / {theirs}");
            assert_eq!(our_value.len(), their_value.len(), "{ours} / {theirs}");
        }
        _ => assert_eq!(our_value, their_value, "{key}"),
    }
}

#[test]
fn the_json_has_the_same_members_in_the_same_order() {
    let ours = benchmark_lines(&json(&record("console"), &FileOptions::default()));
    let theirs = benchmark_lines(&fixture("console.json"));
    // A failed repetition did nothing here, whereas theirs counts the iteration that was skipped.
    let skipped = theirs.iter().rposition(|line| line.contains("\"iterations\": 1")).expect("the error row");
    assert_eq!(ours.len(), theirs.len());
    for (index, ours) in ours.iter().enumerate().filter(|(index, _)| *index != skipped) {
        assert_same_member(ours, &theirs[index]);
    }
}
