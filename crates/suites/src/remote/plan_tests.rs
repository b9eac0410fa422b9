//! Tests of plans: those of the commands that people have, and the text of every refusal.

use super::*;
use crate::remote::{Color, Format, Sources, parse};
use insta::assert_snapshot;

const HDFS_CONF: &str = "fs.defaultFS=hdfs://nn:8020\nhadoop.username=doris\nbase_dir=hdfs://nn:8020/bench\n";
const S3_CONF: &str = "\
AWS_ACCESS_KEY=ak\nAWS_SECRET_KEY=hush\nAWS_ENDPOINT=http://h:9000\nAWS_REGION=us-east-1
use_path_style=true\nbase_dir=s3://bucket/bench\nfile_path=s3://bucket/data/big.bin\n";

/// The plan of a command line, split at blanks; `conf` is the text of the file that `--conf` names.
fn plan_of(line: &str, conf: &str) -> Result<Remote, UsageError> {
    let args: Vec<String> = line.split_whitespace().map(String::from).collect();
    let read = |_: &str| Err("no files".to_string());
    let typed = parse(&args, &Sources { read: &read, env: &|_| None })?;
    let conf = typed.conf_path().map(|path| Conf::parse(path, conf)).transpose()?;
    plan(&typed, conf.as_ref())
}

/// A plan, short enough to be read.
fn shown(line: &str, conf: &str) -> String {
    let plan = plan_of(line, conf).expect(line).plan;
    let mut lines = vec![plan.target.uri.clone()];
    lines.extend(plan.target.settings.iter().map(|s| format!("  {s:?}")));
    for phase in &plan.phases {
        lines.push(row_name(phase));
        lines.push(format!("  {:?}", phase.stop));
        lines.push(format!("  {:?}", phase.program));
    }
    lines.extend(plan.notes.iter().map(|note| format!("note: {note}")));
    lines.push(format!("cleanup: {}, cold: {}", plan.cleanup, plan.cold));
    lines.join("\n")
}

#[test]
fn hdfs_as_in_the_documentation() {
    let line =
        "--conf=etc/hdfs.conf --fs_type=hdfs --operation=create_write --file_size=1024000 --threads=3 --iterations=5";
    assert_snapshot!(shown(line, HDFS_CONF), @r#"
    hdfs://nn:8020/bench
      fs.defaultFS = hdfs://nn:8020 (etc/hdfs.conf:1)
      hadoop.username = doris (etc/hdfs.conf:2)
      conf_file_dir = etc (the folder of etc/hdfs.conf)
    HdfsCreateWriteBenchmark/iterations:5/repeats:3/manual_time/threads:3
      Iterations(5)
      Write(WriteFile { files: PerWorker("test_"), size: Bytes(1024000), buffer: Bytes(1000000), content: Content { kind: Random, seed: 42 }, sync: true, overwrite_foreign: false })
    note: 3 repetitions, the default; --repetitions changes it
    cleanup: false, cold: false
    "#);
    let line = "--conf=hdfs.conf --fs_type=hdfs --operation=open_read --threads=3 --iterations=5 --replication=2 \
                --hadoop_conf_dir=/etc/hadoop --set dfs.client.socket-timeout=5000 --block_size=64MiB";
    assert_snapshot!(shown(line, HDFS_CONF), @r#"
    hdfs://nn:8020/bench
      fs.defaultFS = hdfs://nn:8020 (hdfs.conf:1)
      hadoop.username = doris (hdfs.conf:2)
      dfs.client.socket-timeout = 5000 (--set)
      dfs.replication = 2 (--replication)
      dfs.blocksize = 67108864 (--block_size)
      hadoop_conf_dir = /etc/hadoop (--hadoop_conf_dir)
    HdfsReadBenchmark/iterations:5/repeats:3/manual_time/threads:3
      Iterations(5)
      Read(ReadFile { files: PerWorker("test_"), limit: None, buffer: Bytes(1000000), prefetch: None, verify: None })
    note: 3 repetitions, the default; --repetitions changes it
    cleanup: false, cold: false
    "#);
}

#[test]
fn s3_as_in_the_documentation() {
    assert_snapshot!(shown("--conf=s3.conf --fs_type=s3 --operation=single_read --threads=1 --iterations=1", S3_CONF), @r#"
    s3://bucket/data
      AWS_ACCESS_KEY = ****** (s3.conf:1)
      AWS_SECRET_KEY = ****** (s3.conf:2)
      AWS_ENDPOINT = http://h:9000 (s3.conf:3)
      AWS_REGION = us-east-1 (s3.conf:4)
      use_path_style = true (s3.conf:5)
      part_size = 5242880 (default)
      upload_concurrency = 4 (default)
      retries = 0 (default)
    S3ReadBenchmark/iterations:1/repeats:3/manual_time/threads:1
      Iterations(1)
      Read(ReadFile { files: Shared("big.bin"), limit: None, buffer: Bytes(1000000), prefetch: None, verify: None })
    note: 3 repetitions, the default; --repetitions changes it
    cleanup: false, cold: false
    "#);
    let line = "--conf s3.conf --fs_type s3 --operation prefetch_read --iterations 1 --verify --prefetch_size=8MiB";
    assert_snapshot!(shown(line, S3_CONF), @r#"
    s3://bucket/data
      AWS_ACCESS_KEY = ****** (s3.conf:1)
      AWS_SECRET_KEY = ****** (s3.conf:2)
      AWS_ENDPOINT = http://h:9000 (s3.conf:3)
      AWS_REGION = us-east-1 (s3.conf:4)
      use_path_style = true (s3.conf:5)
      part_size = 5242880 (default)
      upload_concurrency = 4 (default)
      retries = 0 (default)
    S3PrefetchReadBenchmark/iterations:1/repeats:3/manual_time/threads:1
      Iterations(1)
      Read(ReadFile { files: Shared("big.bin"), limit: None, buffer: Bytes(1000000), prefetch: Some(Prefetch { size: Bytes(8388608), concurrency: 4 }), verify: Some(Content { kind: Random, seed: 42 }) })
    note: 3 repetitions, the default; --repetitions changes it
    cleanup: false, cold: false
    "#);
    assert_snapshot!(shown("--conf=s3.conf --fs_type=s3 --operation=rename", S3_CONF), @r#"
    s3://bucket/bench
      AWS_ACCESS_KEY = ****** (s3.conf:1)
      AWS_SECRET_KEY = ****** (s3.conf:2)
      AWS_ENDPOINT = http://h:9000 (s3.conf:3)
      AWS_REGION = us-east-1 (s3.conf:4)
      use_path_style = true (s3.conf:5)
      part_size = 5242880 (default)
      upload_concurrency = 4 (default)
      retries = 0 (default)
    S3RenameBenchmark/iterations:1/repeats:1/manual_time/threads:1
      Iterations(1)
      Rename(RenameFile { files: PerWorker("test_"), suffix: "_new" })
    note: 1 repetition, the default of rename and delete
    note: rename on s3 is a copy and a delete: it is not atomic, and takes longer for larger objects
    cleanup: false, cold: false
    "#);
}

#[test]
fn by_uri_without_a_conf() {
    assert_snapshot!(shown("--operation=open_read --base_dir=s3://bucket/prefix --iterations=0", ""), @r#"
    s3://bucket/prefix
      part_size = 5242880 (default)
      upload_concurrency = 4 (default)
      retries = 0 (default)
    S3ReadBenchmark/repeats:3/manual_time/threads:1
      After(Span(500000000))
      Read(ReadFile { files: PerWorker("test_"), limit: None, buffer: Bytes(1000000), prefetch: None, verify: None })
    note: 3 repetitions, the default; --repetitions changes it
    cleanup: false, cold: false
    "#);
    assert_snapshot!(shown("--base_dir=http://127.0.0.1:9000/bucket/p --file_size=100GiB", ""), @r#"
    s3://bucket/p
      part_size = 11534336 (file_size)
      upload_concurrency = 4 (default)
      retries = 0 (default)
      AWS_ENDPOINT = http://127.0.0.1:9000 (the URL)
      use_path_style = true (the URL)
    S3CreateWriteBenchmark/iterations:1/repeats:3/manual_time/threads:1
      Iterations(1)
      Write(WriteFile { files: PerWorker("test_"), size: Bytes(107374182400), buffer: Bytes(1000000), content: Content { kind: Random, seed: 42 }, sync: false, overwrite_foreign: false })
    note: 3 repetitions, the default; --repetitions changes it
    note: parts are 11 MiB: an upload has at most 10000
    cleanup: false, cold: false
    "#);
    assert_snapshot!(shown("--base_dir=/mnt/disk --file_size=64MiB --threads=4 --sync --cleanup --content=zero", ""), @r#"
    file:///mnt/disk
    LocalCreateWriteBenchmark/iterations:1/repeats:3/manual_time/threads:4
      Iterations(1)
      Write(WriteFile { files: PerWorker("test_"), size: Bytes(67108864), buffer: Bytes(1000000), content: Content { kind: Zero, seed: 42 }, sync: true, overwrite_foreign: false })
    note: fs_type is local: /mnt/disk has no scheme
    note: 3 repetitions, the default; --repetitions changes it
    cleanup: true, cold: false
    "#);
    assert_snapshot!(shown("--base_dir=null: --operation=exists --null_size=1GiB --repetitions=2", ""), @r#"
    null:
      null_size = 1073741824 (--null_size)
    NullExistsBenchmark/iterations:1/repeats:2/manual_time/threads:1
      Iterations(1)
      Exists(ExistsFile { files: PerWorker("test_") })
    cleanup: false, cold: false
    "#);
    assert_snapshot!(shown("--base_dir=mem: --operation=open_read --threads=2 --verify --seed=7", ""), @r#"
    mem:
    MemCreateWriteBenchmark/iterations:1/repeats:1/manual_time/threads:2
      Iterations(1)
      Write(WriteFile { files: PerWorker("test_"), size: Bytes(10485760), buffer: Bytes(1000000), content: Content { kind: Random, seed: 7 }, sync: false, overwrite_foreign: false })
    MemReadBenchmark/iterations:1/repeats:3/manual_time/threads:2
      Iterations(1)
      Read(ReadFile { files: PerWorker("test_"), limit: None, buffer: Bytes(1000000), prefetch: None, verify: Some(Content { kind: Random, seed: 7 }) })
    note: 3 repetitions, the default; --repetitions changes it
    note: mem: starts empty: a create_write of one iteration runs first
    cleanup: false, cold: false
    "#);
}

#[test]
fn a_flag_beats_the_conf_and_the_conf_beats_the_default() {
    let conf = "base_dir=/d\nbuffer_size=4k\nfile_size=1MiB\nthreads=8\nfs_type=local\ncold=true\n";
    let remote = plan_of("--conf=c --operation=open_read --buffer_size=8k --set file_size=2MiB", conf).expect("a plan");
    assert_eq!(remote.plan.phases[0].workers, 8);
    assert!(remote.plan.cold && remote.plan.target.settings.is_empty());
    let Program::Read(read) = &remote.plan.phases[0].program else { panic!("{:?}", remote.plan) };
    assert_eq!((read.buffer, read.limit), (Bytes(8 << 10), Some(Bytes(2 << 20))));
    assert_eq!(remote.plan.phases[0].name, "LocalReadBenchmark");
}

#[test]
fn every_operation_has_its_name_and_repetitions_everywhere() {
    let names = [
        ("create_write", "CreateWrite", 3),
        ("open_read", "Read", 3),
        ("Single_Read", "Read", 3),
        ("prefetch_read", "PrefetchRead", 3),
        ("EXISTS", "Exists", 3),
        ("rename", "Rename", 1),
        ("list", "List", 3),
        ("delete", "Delete", 1),
    ];
    let stores = [("hdfs://h/d", "Hdfs"), ("s3://b/d", "S3"), ("/d", "Local"), ("null:", "Null"), ("mem:", "Mem")];
    for (base, fs) in stores {
        for (operation, stem, repetitions) in names {
            let line = format!("--base_dir={base} --operation={operation}");
            let remote = plan_of(&line, "").expect(&line);
            let phase = remote.plan.phases.last().expect("a phase");
            assert_eq!((&phase.name, phase.repetitions), (&format!("{fs}{stem}Benchmark"), repetitions), "{line}");
        }
    }
}

#[test]
fn a_default_does_not_beat_another_spelling_of_the_target() {
    let conf = "base_dir=s3://b/p\ns3.part_size=8MiB\n";
    let parts = |line: &str| plan_of(line, conf).expect(line).plan.target.settings.find("part_size").map(String::from);
    assert_eq!(parts("--conf=c"), None);
    assert_eq!(parts("--conf=c --part_size=16MiB").as_deref(), Some("16777216"));
}

#[test]
fn repetitions_are_honoured() {
    let repetitions = |line: &str| plan_of(line, "").expect(line).plan.phases[0].repetitions;
    assert_eq!(repetitions("--base_dir=/d --repetitions=5"), 5);
    assert_eq!(repetitions("--base_dir=/d --operation=rename --repetitions=5"), 5);
    assert_eq!(repetitions("--base_dir=/d --benchmark_repetitions=9"), 9);
    assert_eq!(repetitions("--base_dir=/d --repetitions=2 --benchmark_repetitions=9"), 2);
}

#[test]
fn outputs_are_google_benchmarks() {
    let line = "--base_dir=/d --benchmark_out=o.csv --benchmark_out_format=CSV --benchmark_format=json \
                --benchmark_color=no --benchmark_context=a=1,b= --benchmark_report_aggregates_only --record=r.json \
                --quiet --dry-run --benchmark_filter=-Hdfs";
    assert_eq!(
        plan_of(line, "").expect("a plan").outputs,
        Outputs {
            format: Format::Json,
            out: Some("o.csv".to_string()),
            out_format: Format::Csv,
            counters_tabular: false,
            color: Color::Never,
            context: vec![("a".to_string(), "1".to_string()), ("b".to_string(), String::new())],
            report_aggregates_only: true,
            display_aggregates_only: false,
            list_tests: false,
            record: Some("r.json".to_string()),
            quiet: true,
            dry_run: true,
        }
    );
    let plain = plan_of("--base_dir=/d", "").expect("a plan").outputs;
    assert_eq!((plain.format, plain.out_format, plain.color), (Format::Console, Format::Json, Color::Auto));
}

#[test]
fn a_filter_looks_at_the_rows_name() {
    for filter in ["all", "Read", "threads:2$", "-Write", "^LocalReadBenchmark/iterations:1/repeats:3/manual_time"] {
        plan_of(&format!("--base_dir=/d --operation=open_read --threads=2 --benchmark_filter={filter}"), "")
            .expect(filter);
    }
}

#[test]
fn what_has_no_effect_is_named() {
    let notes = |line: &str, conf: &str| plan_of(line, conf).expect(line).plan.notes;
    assert_eq!(
        notes(
            "--conf=c --fs_type=local --part_size=8MiB --sync",
            "base_dir=/d\nfs.defaultFS=hdfs://h\nbufer_size=1\nretries=2"
        ),
        [
            "--part_size has no effect on local",
            "c:4: retries has no effect on local",
            "c:2: fs.defaultFS means nothing to local and is ignored",
            "c:3: bufer_size means nothing to local and is ignored; did you mean buffer_size?",
            "3 repetitions, the default; --repetitions changes it",
        ]
    );
    let synced = shown("--base_dir=s3://b/p --sync --set AWS_ENDPOINT=http://h --set AWS_REGION=r", "");
    assert!(synced.contains("sync: false"), "{synced}");
    let lines = notes("--base_dir=s3://b/p --sync --verify --benchmark_min_time=1 --cold --repetitions=1", "");
    assert_eq!(
        lines,
        [
            "--cold has no effect on s3",
            "--benchmark_min_time has no effect without --iterations=0",
            "--sync has no effect on s3: an object is durable when its upload ends",
            "--verify has no effect: create_write reads nothing",
        ]
    );
    let lines =
        notes("--conf=c --operation=exists --repetitions=1 --fs_type=hdfs", "base_dir=/d\nbase_dir=/e\nthread=2");
    assert_eq!(
        lines,
        [
            "c:2: base_dir stands also in line 1; this line counts",
            "c:3: thread is no key of Hadoop or fsbench; did you mean threads?",
        ]
    );
    let lines = notes("--base_dir=http://h/b/p --set s3.endpoint=http://other --benchmark_repetitions=2", "");
    assert_eq!(
        lines,
        [
            "repetitions come from --benchmark_repetitions",
            "the endpoint is http://other (--set), not http://h, as in the original",
        ]
    );
}

#[test]
fn every_refusal_is_one_sentence() {
    for (line, message) in REFUSALS {
        assert_eq!(plan_of(line, "").expect_err(line).to_string(), *message, "{line}");
    }
    let in_conf = [
        ("threads=2x", "h.conf:1: threads: '2x' is not a whole number; give a number: 1 to 65536"),
        ("\nbuffer_size=0", "h.conf:2: buffer_size: 0 is too small; give 1 B to 1 GiB"),
        (
            "provider=Azure\nbase_dir=s3://b",
            "h.conf:1: provider: Azure Blob is not supported; use a store that speaks S3",
        ),
        (
            "base_dir=s3://b\nAWS_ROLE_ARN=arn:x",
            "h.conf:2: AWS_ROLE_ARN: roles are not supported; assume the role outside, and give its keys and AWS_TOKEN",
        ),
    ];
    for (conf, message) in in_conf {
        assert_eq!(plan_of("--conf=h.conf", conf).expect_err(conf).to_string(), message, "{conf}");
    }
}

const REFUSALS: &[(&str, &str)] = &[
    ("--base_dir=/d --threads=0", "--threads: 0 is too small; give 1 to 65536"),
    ("--base_dir=/d --threads=65537", "--threads: 65537 is too large; give 1 to 65536"),
    ("--base_dir=/d --threads=2x", "--threads: '2x' is not a whole number; give a number: 1 to 65536"),
    ("--base_dir=/d --threads=-1", "--threads: '-1' is not a whole number (it is negative); give a number: 1 to 65536"),
    ("--base_dir=/d --repetitions=0", "--repetitions: 0 is too small; give 1 to 10000"),
    (
        "--base_dir=/d --iterations=-5",
        "--iterations: '-5' is not a whole number (it is negative); give a number: 0 or more",
    ),
    (
        "--base_dir=/d --file_size=10XB",
        "--file_size: '10XB' is not a size: 'xb' is not a unit of bytes; write bytes, or a unit: 1024000, 10MiB, 10MB, \
         1.5GiB",
    ),
    (
        "--base_dir=/d --file_size=-1",
        "--file_size: '-1' is not a size: it is negative; write bytes, or a unit: 1024000, 10MiB, 10MB, 1.5GiB",
    ),
    ("--base_dir=/d --buffer_size=0", "--buffer_size: 0 is too small; give 1 B to 1 GiB"),
    ("--base_dir=/d --verify=maybe", "--verify: 'maybe' is neither true nor false; give true or false"),
    ("--base_dir=/d --content=text", "--content: there is no 'text'; there are random, zero, pattern"),
    ("--base_dir=/d --fs_type=ceph", "--fs_type: there is no 'ceph'; there are hdfs, s3, local, file, null, mem"),
    (
        "--base_dir=/d --operation=read",
        "--operation: there is no operation 'read'; use open_read for the files test_<thread>, or single_read for one file",
    ),
    (
        "--base_dir=/d --operation=open",
        "--operation: there is no operation 'open'; use open_read, which measures the open apart",
    ),
    ("--base_dir=/d --operation=Write", "--operation: there is no operation 'Write'; use create_write"),
    (
        "--base_dir=/d --operation=exist",
        "--operation: there is no operation 'exist'; did you mean exists? There are create_write, open_read, \
         single_read, prefetch_read, exists, rename, list, delete",
    ),
    (
        "--base_dir=/d --operation=truncate",
        "--operation: there is no operation 'truncate'; there are create_write, open_read, single_read, prefetch_read, \
         exists, rename, list, delete",
    ),
    (
        "--base_dir=/d --operation=delete --iterations=2",
        "--iterations: delete runs once: a file can be deleted only once; use --iterations=1, and create_write before \
         each run",
    ),
    (
        "--base_dir=/d --operation=delete --repetitions=3",
        "--repetitions: delete runs once: a file can be deleted only once; use --repetitions=1, and create_write before \
         each run",
    ),
    (
        "--base_dir=/d --benchmark_filter=Hdfs",
        "--benchmark_filter: Failed to match any benchmarks against regex: Hdfs; the benchmark is \
         LocalCreateWriteBenchmark/iterations:1/repeats:3/manual_time/threads:1",
    ),
    ("--base_dir=/d --benchmark_context=a", "--benchmark_context: 'a' is not key=value; write key=value,key=value"),
    (
        "--base_dir=s3://b --file_size=100GiB --part_size=5MiB",
        "--part_size: 100 GiB in parts of 5 MiB are more than 10000 parts; use parts of at least 11 MiB",
    ),
    ("--base_dir=s3://b --part_size=1MiB", "--part_size: 1048576 is too small; give 5 MiB to 5 GiB"),
    (
        "--base_dir=hdfs://h/d --block_size=1000",
        "--block_size: 1000 is not a multiple of 512, the bytes of one checksum; round it, as in 128MiB",
    ),
];

#[test]
fn a_wrong_filter_says_why() {
    let error = plan_of("--base_dir=/d --benchmark_filter=(", "").expect_err("no regex");
    assert!(error.to_string().starts_with("--benchmark_filter: '(' is not a regular expression: "), "{error}");
}

/// The examples in `fixtures/remote`, with the commands that stand in them.
#[test]
fn the_commands_in_the_examples_have_plans() {
    let examples = [
        include_str!("../../../../fixtures/remote/hdfs.conf"),
        include_str!("../../../../fixtures/remote/hdfs-ha.conf"),
        include_str!("../../../../fixtures/remote/s3.conf"),
        include_str!("../../../../fixtures/remote/local.conf"),
    ];
    for conf in examples {
        let commands: Vec<_> = conf.lines().filter_map(|line| line.strip_prefix("#   fsbench remote ")).collect();
        assert!(!commands.is_empty(), "{conf}");
        for command in commands {
            let plan = plan_of(command, conf).expect(command).plan;
            assert!(
                plan.notes
                    .iter()
                    .all(|note| note.contains("default") || note.contains("page cache") || note.contains("no scheme")),
                "{:?}",
                plan.notes
            );
        }
    }
}
