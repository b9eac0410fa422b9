//! The ways to call it: names, scripts, gflags spellings, variables, conf files, `plan`.

use crate::support::call::{Call, FSBENCH, fsbench, program, remote};
use crate::support::room::Room;
use std::os::unix::fs::symlink;
use std::path::Path;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bin/run-fs-benchmark.sh");

/// `create_write` of 10,000 bytes by `call`, and whether it was done.
fn writes(call: Call, room: &Room) {
    let ended = call.args(&["--operation=create_write", "--file_size=10000", &room.base()]).run();
    let ended = ended.expect(0).says(&["LocalCreateWriteBenchmark/iterations:1/repeats:3/manual_time/threads:1 "]);
    assert_eq!(room.data(), ["test_0"], "{ended}");
}

#[test]
fn as_fs_benchmark_tool_through_a_link() {
    let room = Room::new();
    symlink(FSBENCH, room.path("fs_benchmark_tool")).expect("a link");
    writes(program(room.at("fs_benchmark_tool"), &["--fs_type=local"]), &room);
}

#[test]
fn through_the_script_with_sh_and_bash() {
    for shell in ["sh", "bash"] {
        let room = Room::new();
        writes(program(shell, &[SCRIPT]).env("FSBENCH", FSBENCH), &room);
    }
}

#[test]
fn the_script_keeps_a_log_and_the_exit_code() {
    let room = Room::new();
    std::fs::create_dir(room.path("log")).expect("a directory");
    let script = |flags: &[&str]| {
        program("sh", &[SCRIPT]).args(flags).env("FSBENCH", FSBENCH).env("FSBENCH_LOG_DIR", room.path("log")).run()
    };
    let base = room.base();
    let ended = script(&["--operation=create_write", &base, "--file_size=10"]).expect(0);
    let log = std::fs::read_to_string(room.path("log/fs_benchmark_tool.log")).expect("a log");
    assert_eq!(log, ended.stdout, "both streams, merged");
    assert!(log.contains("LocalCreateWriteBenchmark") && log.contains("CPU Caches"), "{log}");
    script(&["--operation=open_read", &base, "--threads=2"]).expect(1);
    script(&["--operation=nonsense", &base]).expect(2);
}

#[test]
fn gflags_spellings_all_mean_the_same() {
    let room = Room::new();
    let plan = |flags: &[&str]| {
        fsbench(&["plan", "remote", &room.base(), "--operation=open_read"]).args(flags).run().expect(0).stdout
    };
    let expected = plan(&["--file_size=10", "--threads=2", "--verify=true"]);
    for flags in [
        ["-file_size=10", "-threads=2", "-verify"],
        ["--file-size=10", "--threads=2", "--verify"],
        ["--threads=7", "--threads=2", "--file_size=10"],
    ] {
        let more: &[&str] = if flags.iter().any(|f| f.contains("verify")) { &[] } else { &["--verify"] };
        assert_eq!(plan(&[&flags, more].concat()), expected, "{flags:?}");
    }
    assert_eq!(plan(&["--file_size", "10", "-threads", "2", "--noverify", "--verify"]), expected);
    let inner = room.file("inner.flags", "# more\n--threads=2\n");
    let outer = room.file("outer.flags", &format!("--file_size=10\n--verify\n--flagfile={inner}\n"));
    assert_eq!(plan(&[&format!("--flagfile={outer}")]), expected);
    assert_eq!(plan(&["--flagfile", &outer]), expected);
}

#[test]
fn benchmark_variables_shape_the_output_and_flags_beat_them() {
    let room = Room::new();
    let flags = ["--operation=create_write", &room.base(), "--file_size=10"];
    let out = room.at("out.csv");
    let call = |more: &[&str]| {
        let call = remote(&flags).args(more).env("BENCHMARK_FORMAT", "json").env("BENCHMARK_OUT", &out);
        call.env("BENCHMARK_OUT_FORMAT", "csv").env("BENCHMARK_REPETITIONS", "2").run().expect(0)
    };
    let json: serde_json::Value = serde_json::from_str(&call(&[]).stdout).expect("JSON and nothing else");
    assert_eq!(json["benchmarks"][0]["repetitions"], 2);
    assert!(std::fs::read_to_string(&out).expect("BENCHMARK_OUT").starts_with("name,"));
    call(&["--benchmark_format=console"]).says(&["Benchmark", "UserCounters"]);
    let unlisted = remote(&flags).env("BENCHMARK_FORMAT", "nonsense").run();
    unlisted.expect(2).complains(&["BENCHMARK_FORMAT", "nonsense"]);
}

#[test]
fn a_conf_file_from_windows_works_and_flags_beat_it() {
    let room = Room::new();
    let data = room.at("data");
    let text =
        format!("\u{feff}# comment\r\n fs_type = local \r\nbase_dir={data}\r\n\r\nfile_size=77\r\nthreads=2\r\n");
    let conf = format!("--conf={}", room.file("local.conf", &text));
    let ended = remote(&[&conf, "--operation=create_write", "--threads=1"]).run().expect(0);
    assert_eq!(room.data(), ["test_0"], "{ended}");
    assert_eq!(std::fs::metadata(room.path("data/test_0")).expect("a file").len(), 77);
    ended.complains(&["read config from file", &data]);
}

#[test]
fn every_spelling_of_a_local_place() {
    let room = Room::new();
    let data = room.at("data");
    for flags in [
        vec![format!("--base_dir=file://{data}")],
        vec![format!("--base_dir={data}"), "--fs_type=file".into()],
        vec![format!("--base_dir={data}"), "--fs_type=LOCAL".into()],
        vec!["--base_dir=data".into(), "--fs_type=local".into()],
    ] {
        let call = remote(&["--operation=CREATE_WRITE", "--file_size=10", "--cleanup"]).args(&flags);
        call.in_dir(room.path("").as_path()).run().expect(0).says(&["LocalCreateWriteBenchmark", "cleaned up"]);
        assert!(!Path::new(&data).exists(), "{flags:?}");
    }
}

#[test]
fn plan_and_dry_run_print_the_plan_and_touch_nothing() {
    let room = Room::new();
    let flags = ["--operation=create_write", &room.base(), &room.record_flag(), "--file_size=3MiB", "--threads=4"];
    let plan = fsbench(&["plan", "remote"]).args(&flags).run().expect(0).stdout;
    assert_eq!(remote(&flags).args(&["--dry_run"]).run().expect(0).stdout, plan);
    let plan: serde_json::Value = serde_json::from_str(&plan).expect("JSON");
    assert_eq!((&plan["phases"][0]["workers"], &plan["phases"][0]["program"]["size"]), (&4.into(), &3_145_728.into()));
    assert!(!room.path("data").exists() && !room.path("record.json").exists());
}

#[test]
fn help_and_version_are_answers_not_errors() {
    remote(&["--help"]).run().expect(0).says(&["--operation", "--benchmark_out", "10MiB"]);
    remote(&["--version"]).run().expect(0).says(&["fsbench "]);
    fsbench(&["--version"]).run().expect(0).says(&["fsbench "]);
    fsbench(&["--help"]).run().expect(0).says(&["remote", "clean", "report", "130"]);
    fsbench(&[] as &[&str]).run().expect(2);
}
