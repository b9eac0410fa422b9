//! Wrong input: exit code 2, one sentence that names what is wrong, and nothing is touched.

use crate::support::call::{fsbench, remote};
use crate::support::room::Room;

/// The same command with one thing wrong.
#[track_caller]
fn refused(flags: &[&str], parts: &[&str]) {
    let room = Room::new();
    let call = remote(&["--operation=create_write", &room.base(), &room.record_flag()]).args(flags);
    let ended = call.run().expect(2).complains(parts);
    assert_eq!(ended.sentences().len(), 1, "one sentence: {ended}");
    assert_eq!(ended.stdout, "");
    assert!(!room.path("data").exists() && !room.path("record.json").exists(), "nothing was touched");
}

#[test]
fn garbage_after_a_number() {
    refused(&["--file_size=10MBx"], &["file_size", "10MBx"]);
    refused(&["--threads=2x"], &["threads", "2x"]);
    refused(&["--iterations=5,"], &["iterations", "5,"]);
    refused(&["--repetitions=1e3"], &["repetitions", "1e3"]);
    refused(&["--file_size=-1"], &["file_size", "-1"]);
    refused(&["--buffer_size=0"], &["buffer_size", "0"]);
}

#[test]
fn no_threads_and_too_many() {
    refused(&["--threads=0"], &["threads"]);
    refused(&["--threads=-3"], &["threads"]);
    refused(&["--threads=70000"], &["threads", "65536"]);
    let room = Room::new();
    let huge = ["--operation=create_write", &room.base(), "--threads=60000", "--file_size=1GiB", "--buffer_size=1GiB"];
    let ended = remote(&huge).run().expect(2).complains(&["60000 workers need", "memory", "fewer --threads"]);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    assert!(!room.path("data").exists(), "nothing was touched");
}

#[test]
fn names_that_do_not_exist() {
    refused(&["--operation=read"], &["read", "open_read"]);
    refused(&["--fs_type=nfs"], &["nfs", "hdfs", "local"]);
    refused(&["--no_such_flag=1"], &["no_such_flag"]);
    refused(&["--file_sise=1"], &["file_sise", "file_size"]);
    refused(&["file_size=1"], &["'file_size' is not a flag", "--file_size"]);
    refused(&["--fs_type=s3"], &["names no bucket", "s3://bucket/prefix"]);
    refused(&["--benchmark_time_unit=ms"], &["benchmark_time_unit"]);
    refused(&["--set=nonsense"], &["--set", "KEY=VALUE"]);
}

#[test]
fn a_filter_that_matches_nothing_or_is_no_expression() {
    refused(&["--benchmark_filter=Hdfs.*"], &["Hdfs.*", "LocalCreateWriteBenchmark"]);
    refused(&["--benchmark_filter=("], &["benchmark_filter"]);
    let room = Room::new();
    let flags = ["--operation=create_write", &room.base(), "--file_size=10", "--benchmark_filter=CreateWrite"];
    remote(&flags).run().expect(0);
    assert_eq!(room.data(), ["test_0"]);
}

#[test]
fn no_place_to_run() {
    remote(&["--operation=create_write"]).run().expect(2).complains(&["base_dir"]);
    remote(&["--operation=create_write", "--fs_type=local"]).run().expect(2).complains(&["base_dir"]);
}

#[test]
fn a_base_that_is_a_file() {
    let room = Room::new();
    let base = format!("--base_dir={}", room.file("data", "precious"));
    for operation in ["create_write", "open_read", "list", "delete"] {
        let flags = [&format!("--operation={operation}"), base.as_str()];
        let ended = remote(&flags).run().expect(2).complains(&["it is a file"]);
        assert_eq!(ended.sentences().len(), 1, "{ended}");
    }
    let below = format!("{base}/below");
    remote(&["--operation=create_write", &below]).run().expect(2).complains(&["fsbench: cannot "]);
    assert_eq!(std::fs::read_to_string(room.path("data")).expect("a file"), "precious");
}

#[test]
fn a_base_that_is_missing_names_the_command_that_makes_it() {
    let room = Room::new();
    for operation in ["open_read", "exists", "rename", "list", "delete"] {
        let flags = [format!("--operation={operation}"), room.base()];
        remote(&flags).run().expect(2).complains(&["data", "--operation=create_write"]);
        assert!(!room.path("data").exists());
    }
}

#[test]
fn conf_files_that_are_wrong() {
    let room = Room::new();
    let conf = |name: &str| ["--operation=create_write".into(), room.base(), format!("--conf={}", room.at(name))];
    remote(&conf("none.conf")).run().expect(2).complains(&["none.conf"]);
    room.file("bad.conf", "fs_type=local\nhush-hush\n");
    remote(&conf("bad.conf")).run().expect(2).complains(&["bad.conf:2"]).hides("hush-hush");
    room.file("number.conf", "fs_type=local\nbuffer_size=1q\n");
    remote(&conf("number.conf")).run().expect(2).complains(&["number.conf:2", "1q"]);
    assert!(!room.path("data").exists());
}

#[test]
fn results_that_cannot_be_written_are_found_before_anything_is_measured() {
    let room = Room::new();
    let record = format!("--record={}", room.at("no/such/dir/r.json"));
    let flags = ["--operation=create_write", &room.base(), &record];
    remote(&flags).run().expect(2).complains(&["cannot write results to", "r.json"]);
    let out = format!("--benchmark_out={}", room.at(""));
    remote(&["--operation=create_write", &room.base(), &out]).run().expect(2).complains(&["it is a directory"]);
    assert!(!room.path("data").exists());
}

#[test]
fn other_verbs_refuse_wrong_input_too() {
    let room = Room::new();
    fsbench(&["nonsense"]).run().expect(2).complains(&["nonsense"]);
    fsbench(&["report", &room.at("none.json")]).run().expect(2).complains(&["none.json"]);
    let other = room.file("other.json", r#"{"schema": "fsbench.ledger", "schema_version": 1}"#);
    fsbench(&["report", &other]).run().expect(2).complains(&["not a Record", "fsbench.ledger"]);
    let newer = room.file("newer.json", r#"{"schema": "fsbench.record", "schema_version": 99}"#);
    fsbench(&["report", &newer]).run().expect(2).complains(&["version 99"]);
    fsbench(&["clean"]).run().expect(2);
    fsbench(&["clean", "nfs://host/dir"]).run().expect(2).complains(&["nfs"]);
    fsbench(&["plan", "report"]).run().expect(2);
}
