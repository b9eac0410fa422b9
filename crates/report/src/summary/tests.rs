//! The summary of the golden Record, and of endings, errors and counts.

use super::*;
use crate::testing::{all_failed, golden, interrupted, job, latencies, measured, of_jobs, with_program};
use fsbench_results::JobRecord;
use fsbench_results::model::{ExistsFile, FileNames, ListFiles, Program};

#[test]
fn the_summary() {
    insta::assert_snapshot!(summary(&golden()), @r"

    LocalCreateWriteBenchmark: 3 repetitions, 3 threads
      latency         count        mean         p50         p90         p99       p99.9         max
      operation          45       62 ms    62.13 ms    70.25 ms       74 ms       74 ms       74 ms
      create             45        1 ms        1 ms        1 ms        1 ms        1 ms        1 ms
      write              90       20 ms       20 ms       20 ms       20 ms       20 ms       20 ms
      sync               45       20 ms    20.05 ms    28.05 ms       32 ms       32 ms       32 ms
      close              45      500 us      500 us      500 us      500 us      500 us      500 us

      throughput    48.83 MiB/s (48.83 to 48.83), 50.00 operations/s (50.00 to 50.00)
      durability    time and rate include sync, close
      repetitions   mean of the first 67 ms, of later ones 59.5 ms
      warm-up       mean of each worker's first operation 61 ms, of all later ones 62.07 ms
      devices       43.95 MiB sent to devices
      client        CPU 0.78 s per GB, 8.00 s per 10,000 operations, peak memory 24 MiB

    LocalReadBenchmark: 3 repetitions, 3 threads
      latency         count        mean         p50         p90         p99       p99.9         max
      operation          44     8.95 ms     9.04 ms    13.04 ms       14 ms       14 ms       14 ms
      open               45    22.04 us    22.04 us    22.04 us    22.04 us    22.04 us    22.04 us
      first byte         45     2.25 ms     2.26 ms     3.26 ms      3.5 ms      3.5 ms      3.5 ms
      read               44     8.95 ms     9.04 ms    13.04 ms       14 ms       14 ms       14 ms

      throughput    358.1 MiB/s (341.8 to 366.2), 366.7 operations/s (350.0 to 375.0)
      repetitions   mean of the first 12 ms, of later ones 7.38 ms
      warm-up       mean of each worker's first operation 11 ms, of all later ones 8.8 ms
      errors        1 of 45 operations failed
                    1 x read (io): file:///data/bench/test_2: read at 512000: Input/output error (os
                    error 5)
      recovery      2 retries
      page cache    3 % of 2.93 MiB in page cache before reading (after evicting it); before later
                    repetitions 100 %
      devices       2.84 MiB read from devices
      client        CPU 0.80 s per GB, 8.00 s per 10,000 operations, peak memory 24 MiB

    Notes
      - AWS_SECRET_KEY (local.conf:2) means nothing to a local file system: ignored
    ");
}

#[test]
fn no_line_is_wider_than_a_terminal() {
    let mut record = interrupted();
    record.notes.push("s3 has no rename: it is a copy and a deletion, which others can see half done ".repeat(5));
    for line in summary(&record).lines() {
        assert!(line.chars().count() <= WIDTH, "{line}");
        assert_eq!(line, line.trim_end());
    }
}

#[test]
fn an_existence_check_says_what_it_found() {
    let mut record = with_program(Program::Exists(ExistsFile { files: FileNames::Shared("f".into()) }), "s3://b/p");
    for repetition in &mut record.phases[0].repetitions {
        repetition.counts = [("found".to_string(), 1), ("missing".to_string(), 0)].into();
        repetition.bytes = 0;
        repetition.cache = None;
        repetition.resources.device_read_bytes = 0;
        repetition.errors.clear();
        repetition.failed = 0;
    }
    let text = summary(&record);
    assert!(text.contains("\n  exists        found 3 of 3\n"), "{text}");
    assert!(
        text.contains("\n  network       3.52 KiB received, 2.34 KiB sent (all interfaces of this host)\n"),
        "{text}"
    );
    assert!(text.contains("\n  client        CPU 8.00 s per 10,000 operations, peak memory 24 MiB\n"), "{text}");
    for absent in ["MiB/s", "errors", "page cache", "devices", "durability", "recovery", "Incomplete", "verified"] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
}

#[test]
fn a_listing_says_how_much_it_listed() {
    let mut record = with_program(Program::List(ListFiles {}), "s3://b/p");
    record.phases[0].repetitions.truncate(1);
    record.phases[0].repetitions[0].counts = [("entries".to_string(), 2500), ("pages".to_string(), 3)].into();
    assert!(summary(&record).contains("\n  listed        2500 entries in 3 pages\n"));
}

#[test]
fn what_failed_and_what_was_tried_again() {
    let mut record = golden();
    record.phases.remove(0);
    record.plan.phases.remove(0);
    for repetition in &mut record.phases[0].repetitions {
        all_failed(repetition, "hdfs://nn/test_0: permission denied; run as its owner");
        repetition.counts = [("reconnects".to_string(), 1), ("verified_bytes".to_string(), 0)].into();
    }
    let text = summary(&record);
    assert!(text.contains("\n  errors        45 of 45 operations failed\n"), "{text}");
    assert!(text.contains("  45 x open (denied): hdfs://nn/test_0: permission denied; run as its owner\n"), "{text}");
    assert!(text.contains("\n  recovery      3 reconnects\n"), "{text}");
    assert!(!text.contains("latency") && !text.contains("throughput"), "{text}");
}

#[test]
fn how_it_ended_and_what_that_means() {
    let text = summary(&interrupted());
    let end = text.split("\nIncomplete\n").nth(1).expect("a paragraph on the ending");
    insta::assert_snapshot!(end, @r"
    - the run was interrupted by a signal; what was measured until then is above
    - LocalReadBenchmark: 2 of 3 repetitions are complete; the one that was cut short has a row, but
      is not in the aggregates
    ");
    let mut failed = golden();
    failed.ending = Ending::Failed;
    failed.complete = false;
    failed.failure = Some("hdfs://nn:8020: connection refused; is the NameNode up?".into());
    failed.phases.truncate(1);
    failed.phases[0].repetitions.truncate(1);
    let text = summary(&failed);
    let end = text.split("\nIncomplete\n").nth(1).expect("a paragraph on the ending");
    insta::assert_snapshot!(end, @r"
    - the run failed: hdfs://nn:8020: connection refused; is the NameNode up?
    - LocalCreateWriteBenchmark: 1 of 3 repetitions is complete
    - LocalReadBenchmark: did not begin
    ");
    assert!(text.contains("LocalCreateWriteBenchmark: 1 of 3 repetitions, 3 threads"), "{text}");
}

#[test]
fn a_record_of_nothing_is_no_summary_but_its_ending() {
    let mut record = golden();
    record.phases.clear();
    record.notes.clear();
    assert_eq!(summary(&record), "");
    record.phases.push(PhaseRecord::default());
    record.phases[0].repetitions.push(Repetition::default());
    assert_eq!(summary(&record), "\n: 1 repetition\n");
}

#[test]
fn findings_are_sentences_of_their_own() {
    let mut record = golden();
    record.environment.cpu.count = 1;
    for repetition in &mut record.phases[1].repetitions {
        repetition.resources.span_ns = 100_000_000;
        repetition.resources.user_ns = 200_000_000;
    }
    let text = summary(&record);
    assert!(text.contains("\nFindings\n  - LocalReadBenchmark: the client was the limit"), "{text}");
}

#[test]
fn jobs_have_a_line_for_each_direction() {
    let mut one = measured(200);
    one.write = one.read.clone();
    one.read.due = latencies(200, 40_000);
    one.sync.requests = 12;
    one.sync.lat = latencies(12, 1_000_000);
    (one.verified, one.verify_failures, one.errors) = (40, 1, 2);
    one.notes = vec!["the file was shorter than its size".into()];
    let failed = JobRecord { error: 28, error_text: "write: No space left on device".into(), ..JobRecord::default() };
    let long = job("a-name-that-does-not-fit-into-its-column");
    let mut record =
        of_jobs(vec![vec![(job("mix"), one.clone()), (job("mix"), one), (long, measured(7)), (job("full"), failed)]]);
    record.phases[0].repetitions[0].bytes = 1 << 20;
    let text = summary(&record);
    assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    insta::assert_snapshot!(text, @r"
    jobs 0: 1 repetition, 4 threads
      job                        requests    MiB/s     IOPS      mean       p50       p99       max
      mix read                        400     1.56    400.0      1 ms      1 ms   1.98 ms      2 ms
      mix write                       400     1.56    400.0      1 ms      1 ms   1.98 ms      2 ms
      mix sync                         24        -        -    6.5 ms   6.03 ms     12 ms     12 ms
      a-name-that-does-not-fit-into-its-column read
                                        7   0.0273     7.00     40 us  40.19 us     70 us     70 us

      throughput    0.40 MiB/s
      verified      80 blocks, 2 of them wrong
      from due      mix read: p50 4.01 ms, p99 7.93 ms, max 8 ms
      errors        mix survived 2 errors
                    full ended by error 28: write: No space left on device
      jobs          mix: the file was shorter than its size
    ");
}
