//! Ways to say a job.

use crate::support::call::{FSBENCH, program};
use crate::support::fio::{json, ours};
use crate::support::room::Room;
use serde_json::Value;

const NULL: [&str; 5] = ["--ioengine=null", "--size=64k", "--bs=4k", "--output-format=json", "--eta=never"];

fn names(document: &Value) -> Vec<&str> {
    document["jobs"].as_array().expect("jobs").iter().filter_map(|job| job["jobname"].as_str()).collect()
}

fn run(args: &[&str]) -> Value {
    json(&ours(&NULL).args(args).run().expect(0))
}

#[test]
fn a_job_file_several_and_sections() {
    let room = Room::new();
    let one = room.file("one.fio", "[a]\nrw=read\n[b]\nrw=write\n");
    let two = room.file("two.fio", "; comment\n[c]\nrw=randread\n");
    assert_eq!(names(&run(&[&one])), ["a", "b"]);
    let both = run(&[&one, &two]);
    assert_eq!(names(&both), ["a", "b", "c"]);
    assert_eq!((&both["jobs"][1]["groupid"], &both["jobs"][2]["groupid"]), (&0.into(), &1.into()));
    assert_eq!(names(&run(&[&one, "--section=b"])), ["b"]);
}

#[test]
fn a_job_file_on_standard_input() {
    let room = Room::new();
    let file = room.file("in.fio", "[from-stdin]\nioengine=null\nrw=read\nsize=64k\n");
    let shell = format!("{FSBENCH} fio --output-format=json - < {file}");
    assert_eq!(names(&json(&program("sh", &["-c", &shell]).run().expect(0))), ["from-stdin"]);
}

#[test]
fn includes_and_variables() {
    let room = Room::new();
    room.file("inner.inc", "bs=${BLOCK}\n");
    let file = room.file("outer.fio", "[global]\ninclude inner.inc\n[a]\nrw=read\nioengine=null\nsize=64k\n");
    let call = ours(&["--output-format=json", &file]).env("BLOCK", "16k").in_dir(&room.path(""));
    assert_eq!(json(&call.run().expect(0))["jobs"][0]["read"]["total_ios"], 4);
}

#[test]
fn a_link_called_fio() {
    let room = Room::new();
    std::os::unix::fs::symlink(FSBENCH, room.path("fio")).expect("a link");
    let flags = ["--name=x", "--rw=read", "--ioengine=null", "--size=64k", "--minimal"];
    let ended = program(room.path("fio"), &flags).run().expect(0);
    assert!(ended.stdout.starts_with("3;fio-3"), "{ended}");
    program(room.path("fio"), &["--version"]).run().expect(0).says(&["fio-3"]);
}

#[test]
fn options_before_the_first_name_are_for_all() {
    let document = run(&["--bs=8k", "--name=a", "--rw=read", "--name=b", "--rw=write", "--bs=16k"]);
    assert_eq!(document["jobs"][0]["read"]["total_ios"], 8);
    assert_eq!(document["jobs"][1]["write"]["total_ios"], 4);
    let room = Room::new();
    let file = room.file("a.fio", "[global]\nbs=16k\n[a]\nrw=read\n");
    assert_eq!(run(&["--bs=8k", &file])["jobs"][0]["read"]["total_ios"], 4, "the job file wins");
    let overridden = run(&["--override=bs=32k", &file]);
    assert_eq!(overridden["jobs"][0]["read"]["total_ios"], 2, "unless it is told not to");
}

#[test]
fn answers_without_a_run() {
    ours(&["--version"]).run().expect(0).says(&["fio-3"]);
    ours(&["--cmdhelp=iodepth"]).run().expect(0).says(&["iodepth"]);
    ours(&["--cmdhelp=all"]).run().expect(0).says(&["rw", "iodepth", "verify"]);
    ours(&["--enghelp"]).run().expect(0).says(&["psync", "libaio", "io_uring", "mmap", "null"]);
    let room = Room::new();
    let job = format!("[a]\nrw=write\nsize=64k\ndirectory={}\n", room.at("data"));
    let file = room.file("a.fio", &job);
    ours(&["--showcmd", &file]).run().expect(0).says(&["--name=a", "--rw=write", "--size=64k"]);
    ours(&["--parse-only", &file]).run().expect(0);
    ours(&["--dry-run", &file]).run().expect(0);
    assert!(!room.path("data").exists(), "nothing ran");
}

#[test]
fn shown_commands_mean_the_same() {
    let room = Room::new();
    let job = format!("[global]\ndirectory={}\nbs=8k\n[a]\nrw=write\nsize=64k\n[b]\nrw=write\nsize=32k\n", room.at(""));
    let shown = ours(&["--showcmd", &room.file("a.fio", &job)]).run().expect(0).stdout;
    let words: Vec<_> = shown.split_whitespace().skip(2).collect();
    let document = json(&ours(&["--output-format=json"]).args(&words).run().expect(0));
    assert_eq!(names(&document), ["a", "b"]);
    assert_eq!(document["jobs"][1]["write"]["total_ios"], 4);
}

#[test]
fn refused_by_name() {
    let refuse = |args: &[&str], parts: &[&str]| {
        let ended = ours(&NULL).args(args).run().expect(1).complains(parts);
        assert_eq!(ended.stdout, "", "{ended}");
    };
    refuse(&["--client=host", "job.fio"], &["--client", "ssh"]);
    refuse(&["--server"], &["--server"]);
    refuse(&["--name=a", "--iodepht=4"], &["iodepht", "did you mean", "iodepth"]);
    refuse(&["--name=a", "--ioengine=rbd"], &["rbd"]);
    refuse(&["--name=a", "--ioengine=libaoi"], &["libaoi", "libaio"]);
    refuse(&["--name=a", "--rw=reed"], &["reed"]);
    refuse(&["no-such-file.fio"], &["no-such-file.fio"]);
    refuse(&["--readonly", "--name=a", "--rw=write"], &["read-only"]);
    ours(&[] as &[&str]).run().expect(1);
}

#[test]
fn places_of_mistakes_in_job_files() {
    let room = Room::new();
    for (text, parts) in [
        ("[a]\nrw=read\nbs=4q\n", &["a.fio:3", "4q"][..]),
        ("rw=read\n[a]\n", &["a.fio:1", "section"]),
        ("[global]\nrw=read\n", &["job"]),
        ("[a]\nnosuch=1\n", &["a.fio:2", "nosuch"]),
        ("[a\nrw=read\n", &["a.fio:1"]),
    ] {
        let file = room.file("a.fio", text);
        ours(&NULL).args(&[&file]).run().expect(1).complains(parts);
    }
}

/// Word for word from GitLab's documentation, but for the size.
#[test]
fn the_check_of_gitlab() {
    let room = Room::new();
    let file = format!("--filename={}", room.at("testfile"));
    let flags = "--randrepeat=1 --ioengine=libaio --direct=1 --gtod_reduce=1 --name=test --bs=4k --iodepth=64 \
                 --readwrite=randrw --rwmixread=75 --size=4G --scale=0.001 --output-format=json";
    let flags: Vec<_> = flags.split_whitespace().collect();
    let document = json(&ours(&flags).args(&[file]).run().expect(0));
    let ios = |direction: &str| document["jobs"][0][direction]["total_ios"].as_u64().expect("total_ios");
    let (reads, writes) = (ios("read"), ios("write"));
    assert_eq!(reads + writes, std::fs::metadata(room.path("testfile")).expect("the file").len() / 4096);
    assert!(reads * 100 > (reads + writes) * 65 && reads * 100 < (reads + writes) * 85, "{reads} {writes}");
}

#[test]
fn ready_made_jobs() {
    let listed = ours(&["--list-jobs"]).run().expect(0).stdout;
    let names: Vec<_> = listed.lines().filter_map(|line| line.split_once("  ")?.0.split_whitespace().next()).collect();
    for name in ["fs-compare", "gitlab-git-disk", "small-files", "oltp", "latency"] {
        assert!(names.contains(&name), "{listed}");
    }
    for name in names {
        ours(&["--parse-only", &format!("--job={name}")]).run().expect(0);
    }
    let room = Room::new();
    let directory = format!("--directory={}", room.at(""));
    for (name, scale) in [("fs-compare", "0.001"), ("gitlab-git-disk", "0.001"), ("small-files", "0.01")] {
        let flags = [format!("--job={name}"), format!("--scale={scale}"), directory.clone()];
        let document = json(&ours(&flags).args(&["--output-format=json"]).run().expect(0));
        assert!(!document["jobs"].as_array().expect("jobs").is_empty(), "{name}");
    }
    ours(&["--job=fs-copmare", &directory]).run().expect(1).complains(&["fs-copmare"]);
}
