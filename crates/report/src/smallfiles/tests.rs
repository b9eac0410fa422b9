//! The check's report: a good run, a slow one, one with errors, one beside a shell's.

use super::*;
use crate::testing::golden;
use fsbench_results::model::{Bytes, Phase, Program, SmallFiles, SmallStep, Span, Stop};
use fsbench_results::{CacheState, ErrorCount, Kind, KindRecord, Latencies, PhaseRecord, Repetition};

fn kind(count: u64, step_ns: u64) -> KindRecord {
    let mut kind = KindRecord { count, min_ns: step_ns, max_ns: count * step_ns, ..KindRecord::default() };
    for ns in (1..=count).map(|place| place * step_ns) {
        kind.busy_ns += ns;
        kind.latencies.record(ns);
    }
    kind
}

/// What was measured: calls of 1 to 100 steps each.
fn repetition(elapsed_ns: u64, kinds: &[(Kind, u64)]) -> Repetition {
    let kinds = kinds.iter().map(|(of, step_ns)| (of.name().to_string(), kind(100, *step_ns))).collect();
    Repetition { elapsed_ns, operations: 100, kinds, ..Repetition::default() }
}

fn written() -> Repetition {
    let kinds = [(Kind::Operation, 4_000), (Kind::Create, 2_000), (Kind::Write, 1_500), (Kind::Close, 500)];
    repetition(420_000_000, &kinds)
}

fn read() -> Repetition {
    let kinds = [(Kind::Operation, 900), (Kind::Open, 500), (Kind::Read, 300), (Kind::Close, 100)];
    let mut read = repetition(50_000_000, &kinds);
    read.cache = Some(CacheState { cached_bytes: 500, of_bytes: 500, evicted: false });
    read.counts.insert("verified_bytes".into(), 500);
    read
}

/// The loop by a shell: one operation.
fn looped(ns: u64) -> Repetition {
    let mut kind = KindRecord { count: 1, busy_ns: ns, min_ns: ns, max_ns: ns, ..KindRecord::default() };
    kind.latencies = Latencies::default();
    kind.latencies.record(ns);
    let kinds = [(Kind::Operation.name().to_string(), kind)].into();
    let counts = [("bash".to_string(), 1)].into();
    Repetition { elapsed_ns: ns + 1_000_000, operations: 1, kinds, counts, ..Repetition::default() }
}

fn check(measured: Vec<(&str, Repetition)>) -> Record {
    let mut record = golden();
    record.plan.suite = "smallfiles".into();
    record.plan.target.uri = "file:///data/bench".into();
    record.notes = vec!["cleaned up: 100 files removed".into()];
    record.plan.phases.clear();
    record.phases.clear();
    for (name, repetition) in measured {
        let plan = SmallFiles {
            directory: "fsbench-smallfiles-r".into(),
            files: 100,
            size: Bytes(5),
            content: None,
            step: if name.ends_with("read") {
                SmallStep::Read { verify: true }
            } else {
                SmallStep::Write { sync: false }
            },
            shell: name.starts_with("shell").then(|| "/data/bench".to_string()),
            limit: Span(10_000_000_000),
        };
        let (stop, program) = (Stop::Iterations(100), Program::SmallFiles(plan));
        record.plan.phases.push(Phase { name: name.into(), workers: 1, repetitions: 1, stop, program });
        record.phases.push(PhaseRecord { name: name.into(), repetitions: vec![repetition] });
    }
    record
}

#[test]
fn a_good_run() {
    let record = check(vec![("write", written()), ("read", read())]);
    assert!(is_check(&record) && is_good(&record));
    insta::assert_snapshot!(text(&record), @r"
    Small files: 100 files of 5 B, 1 thread, file:///data/bench, ext4

                     seconds     files/s
      write             0.42         238
      read            0.0500        2000

    write
      latency         count        mean         p50         p95         p99       p99.9         max
      file              100      202 us    200.7 us   380.93 us   397.31 us      400 us      400 us
      create            100      101 us   100.35 us   190.46 us   198.66 us      200 us      200 us
      write             100    75.75 us    75.26 us   143.36 us    149.5 us      150 us      150 us
      close             100    25.25 us    25.09 us    47.62 us    49.66 us       50 us       50 us

    read
      latency         count        mean         p50         p95         p99       p99.9         max
      file              100    45.45 us    45.05 us     85.5 us     89.6 us       90 us       90 us
      open              100    25.25 us    25.09 us    47.62 us    49.66 us       50 us       50 us
      read              100    15.15 us    15.04 us    28.54 us    29.82 us       30 us       30 us
      close             100     5.05 us     5.02 us     9.54 us     9.92 us       10 us       10 us
      verified      500 B compared with what was written
      page cache    100 % of 500 B in page cache before reading
      devices       0 B read from devices

    Notes
      - cleaned up: 100 files removed

    write: 0.42 s, limit 10 s: good
    read: 0.0500 s, limit 10 s: good
    ");
}

#[test]
fn the_shells_loop_stands_beside() {
    let halves = vec![
        ("write", written()),
        ("read", read()),
        ("shell write", looped(840_000_000)),
        ("shell read", looped(12_000_000_000)),
    ];
    let record = check(halves);
    assert!(!is_good(&record));
    insta::assert_snapshot!(text(&record), @r"
    Small files: 100 files of 5 B, 1 thread, file:///data/bench, ext4

                                 fsbench     GitLab's loop in bash
                     seconds     files/s       seconds     files/s     ratio
      write             0.42         238          0.84         119    2.00 x
      read            0.0500        2000         12.00           8   240.0 x

    write
      latency         count        mean         p50         p95         p99       p99.9         max
      file              100      202 us    200.7 us   380.93 us   397.31 us      400 us      400 us
      create            100      101 us   100.35 us   190.46 us   198.66 us      200 us      200 us
      write             100    75.75 us    75.26 us   143.36 us    149.5 us      150 us      150 us
      close             100    25.25 us    25.09 us    47.62 us    49.66 us       50 us       50 us

    read
      latency         count        mean         p50         p95         p99       p99.9         max
      file              100    45.45 us    45.05 us     85.5 us     89.6 us       90 us       90 us
      open              100    25.25 us    25.09 us    47.62 us    49.66 us       50 us       50 us
      read              100    15.15 us    15.04 us    28.54 us    29.82 us       30 us       30 us
      close             100     5.05 us     5.02 us     9.54 us     9.92 us       10 us       10 us
      verified      500 B compared with what was written
      page cache    100 % of 500 B in page cache before reading
      devices       0 B read from devices

    Notes
      - cleaned up: 100 files removed

    write: 0.42 s, limit 10 s: good
    read: 0.0500 s, limit 10 s: good
    shell write: 0.84 s, limit 10 s: good
    shell read: 12.00 s, limit 10 s: too slow
    ");
}

#[test]
fn what_is_slow_or_failed_is_not_good() {
    let mut failed = read();
    failed.failed = 3;
    failed.kinds.insert("operation".into(), kind(97, 900));
    let (operation, kind, first) = ("open".into(), "io".into(), "cannot open file:///x: Input/output error".into());
    failed.errors.push(ErrorCount { operation, kind, count: 3, first });
    let slow = Repetition { elapsed_ns: 10_000_000_000, ..written() };
    let record = check(vec![("write", slow), ("read", failed)]);
    assert!(!is_good(&record));
    let said = text(&record);
    for part in [
        "write: 10.00 s, limit 10 s: too slow\n",
        "read: 97 of 100 files in 0.0500 s: failed\n",
        "3 of 100 operations failed",
        "3 x open (io): cannot open file:///x",
    ] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
}

#[test]
fn what_was_not_measured_is_not_good() {
    let mut record = check(vec![("write", Repetition { interrupted: true, ..written() }), ("read", read())]);
    record.phases.pop();
    record.ending = Ending::Interrupted;
    record.complete = false;
    assert!(!is_good(&record));
    let said = text(&record);
    assert!(said.contains("write: 100 of 100 files in 0.42 s: interrupted\nread: not measured\n"), "{said}");
    let parsed: serde_json::Value = serde_json::from_str(&json(&record)).expect("JSON");
    assert_eq!((&parsed["read"]["verdict"], &parsed["read"]["seconds"]), (&"not_measured".into(), &().into()));
}

#[test]
fn json_has_the_same_numbers() {
    let record = check(vec![("write", written()), ("read", read()), ("shell write", looped(840_000_000))]);
    let parsed: serde_json::Value = serde_json::from_str(&json(&record)).expect("JSON");
    assert_eq!((&parsed["schema"], &parsed["good"]), (&"fsbench.smallfiles".into(), &true.into()));
    assert_eq!(
        (&parsed["count"], &parsed["size_bytes"], &parsed["limit_seconds"]),
        (&100.into(), &5.into(), &10.0.into())
    );
    let write = &parsed["write"];
    assert_eq!((&write["verdict"], &write["seconds"], &write["files"]), (&"good".into(), &0.42.into(), &100.into()));
    assert_eq!(write["latency_ns"]["file"]["max"], 400_000);
    assert_eq!(write["latency_ns"]["close"]["count"], 100);
    assert_eq!((&parsed["shell_write"]["shell"], &parsed["shell_write"]["seconds"]), (&"bash".into(), &0.84.into()));
    assert_eq!(parsed["read"]["cache"]["cached_bytes"], 500);
}
