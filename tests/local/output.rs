//! What is printed and saved: formats, reports made again, closed pipes, quiet, secrets.

use crate::support::call::{fsbench, program, remote};
use crate::support::room::{Room, repetitions};
use serde_json::Value;

const SECRET: &str = "hush-hush-4711";

fn write(room: &Room) -> [String; 4] {
    ["--operation=create_write".into(), room.base(), "--file_size=10000".into(), "--threads=2".into()]
}

#[test]
fn benchmark_out_is_json_that_compare_py_reads() {
    let room = Room::new();
    let out = room.at("out.json");
    let more = [format!("--benchmark_out={out}"), "--benchmark_context=site=lab".into(), room.record_flag()];
    let ended = remote(&write(&room)).args(&more).run().expect(0);
    let json: Value = serde_json::from_str(&std::fs::read_to_string(&out).expect("a file")).expect("JSON");
    let rows = json["benchmarks"].as_array().expect("rows");
    assert_eq!(rows.iter().filter(|row| row["run_type"] == "iteration").count(), 3);
    let names: Vec<_> = rows.iter().filter_map(|row| row["aggregate_name"].as_str()).collect();
    assert_eq!(names, ["mean", "median", "stddev", "cv", "max", "min"]);
    assert_eq!((&rows[0]["repetitions"], &rows[0]["threads"]), (&3.into(), &2.into()));
    assert_eq!((&json["context"]["site"], &json["context"]["json_schema_version"]), (&"lab".into(), &1.into()));
    assert_eq!(json["context"]["library_build_type"], "release", "compare.py warns about anything else");
    assert_eq!(json["fsbench_record"]["run_id"], room.record().run_id.as_str(), "{ended}");
}

#[test]
fn csv_goes_to_standard_output_alone_or_to_a_file() {
    let room = Room::new();
    let out = format!("--benchmark_out={}", room.at("out.csv"));
    let more = ["--benchmark_format=csv", &out, "--benchmark_out_format=csv"];
    let ended = remote(&write(&room)).args(&more).run().expect(0);
    let lines: Vec<&str> = ended.stdout.lines().collect();
    assert!(lines[0].starts_with("name,iterations,real_time,cpu_time,time_unit"), "{ended}");
    let commas = |line: &str| line.split(',').count();
    assert!(lines.len() == 1 + 3 + 6 && lines.iter().all(|line| commas(line) == commas(lines[0])), "{ended}");
    assert_eq!(std::fs::read_to_string(room.path("out.csv")).expect("a file"), ended.stdout);
}

#[test]
fn counters_can_be_columns_and_repetitions_be_left_out() {
    let room = Room::new();
    let ended = remote(&write(&room)).args(&["--benchmark_counters_tabular"]).run().expect(0);
    let header = ended.stdout.lines().find(|line| line.starts_with("Benchmark")).expect("a header");
    assert!(header.contains("WriteRate(B/S)") && !header.contains("UserCounters"), "{header}");
    let ended = remote(&write(&room)).args(&["--benchmark_report_aggregates_only"]).run().expect(0);
    assert!(ended.stdout.contains("_mean") && !ended.stdout.contains("threads:2 "), "{ended}");
    let ended = remote(&write(&room)).args(&["--benchmark_color=yes"]).run().expect(0);
    assert!(ended.stdout.contains("\u{1b}["), "{ended}");
}

#[test]
fn repetitions_are_honoured_and_one_has_no_aggregates() {
    let room = Room::new();
    for count in [1, 2, 5] {
        let more = [format!("--repetitions={count}"), room.record_flag()];
        let ended = remote(&write(&room)).args(&more).run().expect(0);
        assert_eq!(repetitions(&room.record()).len(), count);
        assert_eq!(ended.stdout.contains("_mean"), count > 1, "{ended}");
    }
}

#[test]
fn a_report_made_later_is_the_report_of_the_run() {
    let room = Room::new();
    for format in ["console", "json", "csv"] {
        let more = [format!("--benchmark_format={format}"), room.record_flag()];
        let printed = remote(&write(&room)).args(&more).run().expect(0).stdout;
        let again = fsbench(&["report", &room.at("record.json"), "--format", format]).run().expect(0).stdout;
        assert_eq!(printed, again, "{format}");
    }
    let failed = ["--operation=open_read", &room.base(), &room.record_flag(), "--threads=3"];
    let printed = remote(&failed).run().expect(1).stdout;
    let again = fsbench(&["report", &room.at("record.json")]).run().expect(1).stdout;
    assert_eq!(printed, again, "errors, too, and their exit code");
}

#[test]
fn a_reader_that_went_away_is_no_error() {
    let room = Room::new();
    let flags = write(&room);
    let status = remote(&flags).args(&[room.record_flag()]).run_into_closed_pipes();
    assert_eq!(status.code(), Some(0), "{status}");
    assert!(room.record().complete);
    let status = fsbench(&["report", &room.at("record.json")]).run_into_closed_pipes();
    assert_eq!(status.code(), Some(0), "{status}");
    let status = remote(&["--operation=nonsense"]).run_into_closed_pipes();
    assert_eq!(status.code(), Some(2), "{status}");
    let line =
        format!("{} remote {} 2>&1 | head -1; echo ${{PIPESTATUS[0]}}", crate::support::call::FSBENCH, flags.join(" "));
    let ended = program("bash", &["-c", &line]).run().expect(0);
    assert!(ended.stdout.ends_with("\n0\n"), "{ended}");
}

#[test]
fn quiet_leaves_the_table_alone() {
    let room = Room::new();
    let conf = format!("--conf={}", room.file("local.conf", "fs_type=local\nnonsense=1\n"));
    let loud = remote(&write(&room)).args(&[&conf, &room.record_flag()]).run().expect(0);
    let loud = loud.complains(&["read config from file", "Record: "]).says(&["nonsense"]);
    assert!(!loud.stderr.contains('\r') && !loud.stderr.contains("operations/s"), "no progress in a pipe: {loud}");
    let quiet = remote(&write(&room)).args(&[&conf, &room.record_flag(), "--quiet"]).run().expect(0);
    assert!(quiet.sentences().is_empty() && !quiet.stderr.contains("Record"), "{quiet}");
    quiet.hides("read config").says(&["LocalCreateWriteBenchmark"]);
}

#[test]
fn on_a_terminal_a_line_tells_how_far_it_is() {
    let room = Room::new();
    let flags = ["--operation=exists", &room.base(), "--benchmark_min_time=1", "--repetitions=1"].join(" ");
    std::fs::create_dir(room.path("data")).expect("a directory");
    let on_terminal = |more: &str| {
        let line = format!("{} remote {flags} {more}", crate::support::call::FSBENCH);
        program("script", &["-qec", &line, "/dev/null"]).env("TERM", "xterm").run().expect(0).stdout
    };
    let endless = on_terminal("--iterations=0");
    assert!(endless.contains("LocalExistsBenchmark 1/1 ") && endless.contains("operations/s"), "{endless}");
    assert!(on_terminal("--iterations=3000000").contains(" s left"), "time left is told when the end is known");
    let quiet = on_terminal("--iterations=0 --quiet");
    assert!(!quiet.contains("LocalExistsBenchmark 1/1 "), "{quiet}");
}

#[test]
fn secrets_of_a_conf_are_shown_nowhere() {
    let room = Room::new();
    let text = format!(
        "fs_type=local\nAWS_SECRET_KEY={SECRET}\ns3.secret_key={SECRET}\nAWS_TOKEN={SECRET}\ns3.session_token={SECRET}\n\
         AWS_ACCESS_KEY=AKIAFSBENCHTEST4\nmy.password={SECRET}\n"
    );
    let conf = format!("--conf={}", room.file("local.conf", &text));
    let out = format!("--benchmark_out={}", room.at("out.json"));
    let flags = [conf.clone(), out, room.record_flag(), format!("--set=s3.secret_key={SECRET}")];
    remote(&write(&room)).args(&flags).run().expect(0).hides(SECRET).complains(&["******"]);
    remote(&write(&room)).args(&flags).args(&["--dry_run"]).run().expect(0).hides(SECRET);
    for file in ["record.json", "out.json"] {
        assert!(!std::fs::read_to_string(room.path(file)).expect("a file").contains(SECRET), "{file}");
    }
    fsbench(&["report", &room.at("record.json"), "--format=json"]).run().expect(0).hides(SECRET);
    let s3 = ["--operation=create_write", "--base_dir=s3://b/p", &conf, "--set=s3.endpoint=http://127.0.0.1:1"];
    remote(&s3).args(&["--fs_type=s3", "--dry_run"]).run().hides(SECRET);
    remote(&s3).args(&["--fs_type=s3"]).run().hides(SECRET);
}
