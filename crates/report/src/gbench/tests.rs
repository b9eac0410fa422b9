//! Whole reports of the golden Record, and of what can go wrong. What Google Benchmark itself prints for the same
//! numbers is in `tests/parity.rs`.

use super::*;
use crate::testing::{all_failed, golden, interrupted, with_program};
use fsbench_results::Record;
use fsbench_results::model::{DeleteFile, ExistsFile, FileNames, ListFiles, Program, RenameFile, Span, Stop};

fn plain(record: &Record) -> String {
    console(record, &ConsoleOptions::default())
}

fn files() -> FileNames {
    FileNames::PerWorker("test_".into())
}

#[test]
fn the_table() {
    let mut record = golden();
    record.phases.truncate(1);
    insta::assert_snapshot!(plain(&record), @r"
    ----------------------------------------------------------------------------------------------------------------------------------------
    Benchmark                                                                              Time             CPU   Iterations UserCounters...
    ----------------------------------------------------------------------------------------------------------------------------------------
    LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3              67.0 ms        0.800 ms           15 WriteRate(B/S)=51.2M/s WriteTime(S)=1.005 WriteTotal(B)=15.36M
    LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3              62.0 ms        0.800 ms           15 WriteRate(B/S)=51.2M/s WriteTime(S)=0.93 WriteTotal(B)=15.36M
    LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3              57.0 ms        0.800 ms           15 WriteRate(B/S)=51.2M/s WriteTime(S)=0.855 WriteTotal(B)=15.36M
    LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_mean         62.0 ms        0.800 ms            3 WriteRate(B/S)=51.2M/s WriteTime(S)=0.93 WriteTotal(B)=15.36M
    LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_median       62.0 ms        0.800 ms            3 WriteRate(B/S)=51.2M/s WriteTime(S)=0.93 WriteTotal(B)=15.36M
    LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_stddev       5.00 ms        0.000 ms            3 WriteRate(B/S)=0/s WriteTime(S)=0.075 WriteTotal(B)=0
    LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_cv           8.06 %          0.00 %             3 WriteRate(B/S)=0.00% WriteTime(S)=8.06% WriteTotal(B)=0.00%
    LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_max          67.0 ms        0.800 ms            3 WriteRate(B/S)=51.2M/s WriteTime(S)=1.005 WriteTotal(B)=15.36M
    LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_min          57.0 ms        0.800 ms            3 WriteRate(B/S)=51.2M/s WriteTime(S)=0.855 WriteTotal(B)=15.36M
    ");
}

#[test]
fn the_context() {
    let mut record = golden();
    let pairs = [("zone", "b"), ("build", "7"), ("zone", "c")].map(|(k, v)| (k.to_string(), v.to_string()));
    let options = FileOptions { context: pairs.to_vec(), ..FileOptions::default() };
    insta::assert_snapshot!(context(&record, &options), @r"
    2026-11-20T10:24:10+00:00
    Running fsbench
    Run on (4 X 2300 MHz CPU s)
    CPU Caches:
      L1 Data 48 KiB (x4)
      L3 Unified 491520 KiB (x1)
    Load Average: 90.17, 0.62, 0.46
    build: 7
    zone: b
    ");
    record.environment = fsbench_results::Environment::default();
    record.environment.cpu.scaling = Some(true);
    insta::assert_snapshot!(context(&record, &FileOptions::default()), @r"
    2026-11-20T10:24:10+00:00
    Running 
    Run on (0 X 0 MHz CPU )
    ***WARNING*** CPU scaling is enabled, the benchmark real time measurements may be noisy and will incur extra overhead.
    ");
}

#[test]
fn the_csv() {
    let mut record = golden();
    record.phases[0].repetitions.truncate(2);
    all_failed(&mut record.phases[1].repetitions[1], "no \"such\" file");
    record.phases[1].repetitions.truncate(2);
    insta::assert_snapshot!(csv(&record, &FileOptions::default()), @r#"
    name,iterations,real_time,cpu_time,time_unit,bytes_per_second,items_per_second,label,error_occurred,error_message,"OpenReaderTime(S)","ReadRate(B/S)","ReadTime(S)","ReadTotal(B)","WriteRate(B/S)","WriteTime(S)","WriteTotal(B)",p50_ns,p90_ns,p99_ns,p999_ns,max_ns,errors,retries,client_cpu_ns
    "LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3",15,67,0.8,ms,,,,,,,,,,5.12e+07,1.005,1.536e+07,67108863,73400319,74000000,74000000,74000000,0,0,12000000
    "LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3",15,62,0.8,ms,,,,,,,,,,5.12e+07,0.93,1.536e+07,62128127,68157439,69000000,69000000,69000000,0,0,12000000
    "LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_mean",2,64.5,0.8,ms,,,,,,,,,,5.12e+07,0.9675,1.536e+07,,,,,,,,
    "LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_median",2,64.5,0.8,ms,,,,,,,,,,5.12e+07,0.9675,1.536e+07,,,,,,,,
    "LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_stddev",2,3.53553,0,ms,,,,,,,,,,0,0.053033,0,,,,,,,,
    "LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_cv",2,0.0548145,0,,,,,,,,,,,0,0.0548145,0,,,,,,,,
    "LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_max",2,67,0.8,ms,,,,,,,,,,5.12e+07,1.005,1.536e+07,,,,,,,,
    "LocalCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3_min",2,62,0.8,ms,,,,,,,,,,5.12e+07,0.93,1.536e+07,,,,,,,,
    "LocalReadBenchmark/iterations:5/repeats:3/manual_time/threads:3",15,12,0.8,ms,,,,,,0.000330615,3.84e+08,0.18,1.536e+07,,,,12058623,14000000,14000000,14000000,14000000,0,0,12000000
    "LocalReadBenchmark/iterations:5/repeats:3/manual_time/threads:3",,,,,,,,true,"no ""such"" file",,,,,,,,,,,,,15,2,12000000
    "#);
}

#[test]
fn the_json_ends_with_the_whole_record() {
    let record = golden();
    let pairs = vec![("\"zone\"".to_string(), "b\\c".to_string())];
    let text = json(&record, &FileOptions { context: pairs, ..FileOptions::default() });
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["context"]["json_schema_version"], 1);
    assert_eq!(document["context"]["\"zone\""], "b\\c");
    assert_eq!(document["benchmarks"].as_array().expect("rows").len(), 18);
    let inner = document["fsbench_record"].to_string();
    assert_eq!(Record::from_json(&inner).expect("the Record"), record);
    let order: Vec<usize> =
        ["\"context\"", "\"benchmarks\"", "\"fsbench_record\""].map(|key| text.find(key).expect(key)).to_vec();
    assert!(order.is_sorted());
}

#[test]
fn a_record_without_rows_is_json_and_csv_all_the_same() {
    let mut record = golden();
    record.phases.clear();
    record.environment = fsbench_results::Environment::default();
    let text = json(&record, &FileOptions::default());
    let document: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["benchmarks"].as_array().map(Vec::len), Some(0));
    assert_eq!(csv(&record, &FileOptions::default()).lines().count(), 1);
    assert_eq!(plain(&record), "");
}

#[test]
fn every_operation_has_its_counters() {
    let names = |program: Program, uri: &str| {
        let record = with_program(program, uri);
        let row = rows(&record).remove(0);
        row.counters.iter().map(|(name, c)| format!("{name}{}", c.flags.unit())).collect::<Vec<_>>()
    };
    let cost = |program| names(program, "s3://b/p").join(" ");
    assert_eq!(cost(Program::Exists(ExistsFile { files: files() })), "ExistsCosts");
    assert_eq!(cost(Program::List(ListFiles {})), "ListCosts");
    assert_eq!(cost(Program::Rename(RenameFile { files: files(), suffix: String::new() })), "RenameCosts");
    assert_eq!(cost(Program::Delete(DeleteFile { files: files(), suffix: String::new() })), "DeleteCosts");
    let read = golden().plan.phases[1].program.clone();
    let on_s3 = ["ReadRate(B/S)/s", "ReadTime(S)", "ReadTotal(B)"];
    assert_eq!(names(read.clone(), "s3://b/p"), on_s3);
    assert_eq!(names(read, "hdfs://n/p"), [&["OpenReaderTime(S)"], &on_s3[..]].concat());
}

#[test]
fn one_repetition_has_no_aggregates_and_a_narrower_name() {
    let mut record = golden();
    record.plan.phases.truncate(1);
    record.plan.phases[0].repetitions = 1;
    record.plan.phases[0].stop = Stop::After(Span(1));
    record.phases.truncate(1);
    record.phases[0].repetitions.truncate(1);
    let table = plain(&record);
    assert_eq!(table.lines().count(), 4);
    let name = "LocalCreateWriteBenchmark/repeats:1/manual_time/threads:3";
    assert!(table.lines().nth(3).expect("a row").starts_with(&format!("{name}       67.0 ms  ")), "{table}");
}

#[test]
fn an_error_takes_no_part_in_aggregates() {
    let mut record = golden();
    record.phases.remove(0);
    record.plan.phases.remove(0);
    all_failed(&mut record.phases[0].repetitions[1], "s3://b/test_0: denied\nby the store");
    let all = rows(&record);
    let mean = all.iter().find(|row| row.aggregate_name() == Some("mean")).expect("a mean");
    assert_eq!((mean.iterations, mean.real_time_ms), (2, 9.0));
    assert_eq!(all.iter().filter(|row| row.error.is_some()).count(), 1);
    let table = plain(&record);
    assert!(table.contains(" ERROR OCCURRED: 's3://b/test_0: denied by the store'\n"), "{table}");
    all_failed(&mut record.phases[0].repetitions[0], "down");
    assert_eq!(rows(&record).len(), 3, "one good repetition has no aggregates");
}

#[test]
fn an_interrupted_repetition_has_a_row_but_no_part_in_aggregates() {
    let record = interrupted();
    let all = rows(&record);
    let of_reads = |row: &&Row| row.run_name.starts_with("LocalRead");
    assert_eq!(all.iter().filter(of_reads).filter(|row| row.run_type == RunType::Iteration).count(), 3);
    let mean = all.iter().filter(of_reads).find(|row| row.aggregate_name() == Some("mean")).expect("a mean");
    assert_eq!((mean.iterations, mean.repetitions), (2, 3));
    let table = plain(&record);
    assert!(!table.contains("nan") && !table.contains("inf"), "{table}");
    let mut nothing = record.clone();
    nothing.phases[1].repetitions = vec![fsbench_results::Repetition { interrupted: true, ..Default::default() }];
    assert!(plain(&nothing).contains("ERROR OCCURRED: 'interrupted before the first operation ended'"));
}

#[test]
fn the_header_is_printed_again_when_the_columns_change() {
    let tabular = |color| console(&golden(), &ConsoleOptions { tabular: true, color, ..ConsoleOptions::default() });
    let headers: Vec<String> = tabular(false).lines().filter(|l| l.starts_with("Benchmark ")).map(Into::into).collect();
    assert_eq!(headers.len(), 2);
    assert!(headers[1].ends_with(" Iterations OpenReaderTime(S) ReadRate(B/S) ReadTime(S) ReadTotal(B)"));
    assert!(!tabular(false).contains('\x1b') && tabular(true).contains("\x1b[0;32mLocalRead"));
}

#[test]
fn the_columns_are_aligned() {
    let record = golden();
    let table = plain(&record);
    let header = table.lines().nth(1).expect("a header");
    let iterations_end = header.find("Iterations").expect("a column") + "Iterations".len();
    for line in table.lines().skip(3) {
        assert!(line[..iterations_end].ends_with(|c: char| c.is_ascii_digit()), "{line}");
        assert_eq!(line.as_bytes()[iterations_end], b' ', "{line}");
        assert_eq!(line, line.trim_end());
    }
}

#[test]
fn jobs_without_operations_have_no_rows() {
    let record = crate::testing::of_jobs(vec![vec![(crate::testing::job("a"), crate::testing::measured(9))]]);
    assert_eq!(plain(&record), "");
    assert!(csv(&record, &FileOptions::default()).lines().count() <= 1);
    serde_json::from_str::<serde_json::Value>(&json(&record, &FileOptions::default())).expect("JSON");
}
