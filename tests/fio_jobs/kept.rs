//! What a review found, so that it does not come back: nothing is grown, overwritten or misjudged without reason.

use crate::support::fio::{counts, json, ours};
use crate::support::room::Room;

/// Arguments of a job on a file of the room.
fn on(room: &Room, file: &str, more: &[&str]) -> Vec<String> {
    let mut args = vec!["--name=a".into(), "--bs=4k".into(), format!("--filename={}", room.at(file))];
    args.extend(more.iter().map(ToString::to_string));
    args
}

fn size(room: &Room, file: &str) -> u64 {
    std::fs::metadata(room.path(file)).expect("the file").len()
}

#[test]
fn a_trace_neither_grows_files_nor_writes_in_read_only_mode() {
    let room = Room::new();
    room.file("f", &"x".repeat(8192));
    let trace = |line: &str| {
        let path = room.at("f");
        room.file("t", &format!("fio version 2 iolog\n{path} add\n{path} open\n{path} {line}\n{path} close\n"))
    };
    let behind = trace("read 1000000000 4096");
    ours(&["--name=a", &format!("--read_iolog={behind}")])
        .run()
        .expect(1)
        .complains(&["8192 bytes", "trace goes up to"]);
    let writes = trace("write 0 4096");
    ours(&["--readonly", "--name=a", &format!("--read_iolog={writes}")]).run().expect(1).complains(&["read-only mode"]);
    assert_eq!(std::fs::read_to_string(room.path("f")).expect("the file"), "x".repeat(8192));
}

#[test]
fn shares_of_a_file_end_where_it_ends() {
    let room = Room::new();
    room.file("f", &"x".repeat(1 << 20));
    let args = on(&room, "f", &["--rw=read", "--size=50%", "--offset=75%", "--output-format=json"]);
    let document = json(&ours(&args).run().expect(0));
    assert_eq!((counts(&document)["a"].ios[0], size(&room, "f")), (64, 1 << 20));
}

#[test]
fn logs_of_later_groups_have_numbers_of_their_own() {
    let room = Room::new();
    let prefix = format!("--write_bw_log={}", room.at("x"));
    let mut args = on(&room, "f", &["--rw=write", "--size=64k", &prefix]);
    args.extend(
        on(&room, "f", &["--stonewall", "--rw=read", "--size=32k", &prefix])
            .into_iter()
            .map(|arg| arg.replace("--name=a", "--name=b")),
    );
    ours(&args).run().expect(0);
    let lines = |name: &str| std::fs::read_to_string(room.path(name)).expect("a log").lines().count();
    assert_eq!((lines("x_bw.1.log"), lines("x_bw.2.log")), (16, 8));
}

#[test]
fn jobs_that_share_a_log_lose_no_line() {
    let room = Room::new();
    let prefix = format!("--write_lat_log={}", room.at("y"));
    let more = ["--rw=write", "--size=64k", "--numjobs=4", "--per_job_logs=0", &prefix];
    ours(&on(&room, "f", &more)).run().expect(0);
    assert_eq!(std::fs::read_to_string(room.path("y_lat.log")).expect("the log").lines().count(), 64);
}

#[test]
fn overlapping_writes_in_flight_verify() {
    let room = Room::new();
    let overlapping = ["--rw=randwrite", "--ioengine=io_uring", "--iodepth=32", "--size=16k", "--io_size=2m"];
    for more in [["--norandommap=1", "--verify=crc32c"], ["--random_generator=lfsr", "--verify=md5"]] {
        ours(&on(&room, "f", &[&overlapping[..], &more].concat())).run().expect(0);
    }
    let trims = ["--rw=randtrimwrite", "--ioengine=io_uring", "--iodepth=32", "--size=1m", "--verify=crc32c"];
    ours(&on(&room, "f", &trims)).run().expect(0);
}

#[test]
fn half_overwritten_blocks_are_not_misjudged() {
    let room = Room::new();
    let more = ["--bs=8k", "--ba=4k", "--norandommap=1", "--rw=randwrite", "--size=1m", "--verify=crc32c"];
    ours(&on(&room, "f", &more)).run().expect(0);
}

#[test]
fn sizes_by_randomness_stay_inside_of_the_file() {
    let room = Room::new();
    for bs in ["--bs=4k,64k", "--bs=64k,4k"] {
        let more = ["--rw=randread", bs, "--bs_is_seq_rand=1", "--size=1m", "--output-format=json"];
        let document = json(&ours(&on(&room, "f", &more)).run().expect(0));
        assert_eq!(counts(&document)["a"].bytes[0], 1 << 20, "{bs}");
    }
    assert_eq!(size(&room, "f"), 1 << 20);
}

#[test]
fn a_pass_without_requests_ends() {
    let room = Room::new();
    let more = ["--rw=randrw", "--rwmixread=100", "--size=64k", "--verify=crc32c", "--verify_only=1"];
    ours(&on(&room, "f", &[&more[..], &["--time_based=1", "--runtime=1"]].concat())).run();
}

#[test]
fn a_flow_does_not_wait_for_who_waits() {
    let job = |name: &str| vec![format!("--name={name}"), "--size=1m".into(), "--flow=1".into(), "--flow_id=1".into()];
    let mut args = vec!["--ioengine=null".to_string(), "--rw=read".into()];
    args.extend(job("a"));
    args.extend(job("b"));
    args.push("--wait_for=a".into());
    ours(&args).run().expect(0);
}

#[test]
fn open_files_are_limited_with_a_queue_too() {
    let room = Room::new();
    let many =
        ["--nrfiles=40", "--openfiles=2", "--size=640k", "--rw=randwrite", "--ioengine=io_uring", "--iodepth=16"];
    let args: Vec<String> = on(&room, "f", &many).into_iter().filter(|arg| !arg.contains("filename")).collect();
    let directory = format!("--directory={}", room.at(""));
    let document = json(&ours(&args).args(&[&directory, "--fsync_on_close=1", "--output-format=json"]).run().expect(0));
    assert_eq!(counts(&document)["a"].ios[1], 160);
    assert!(document["jobs"][0]["sync"]["total_ios"].as_u64() >= Some(40), "{}", document["jobs"][0]["sync"]);
}

#[test]
fn loops_repeat_a_number_of_requests_and_rates_have_their_own_minimum() {
    let room = Room::new();
    let more = ["--rw=read", "--size=1m", "--number_ios=10", "--loops=3", "--output-format=json"];
    assert_eq!(counts(&json(&ours(&on(&room, "f", &more)).run().expect(0)))["a"].ios[0], 30);
    let least = ["--rw=read", "--size=1m", "--rate_min=1k", "--rate_cycle=200", "--time_based=1", "--runtime=1"];
    ours(&on(&room, "f", &least)).run().expect(0);
}

#[test]
fn a_file_system_is_filled_without_a_failure_and_names_may_go_up() {
    let room = Room::new();
    std::fs::create_dir_all(room.path("d")).expect("a directory");
    ours(&["--name=a", "--filename=../f", "--size=64k", "--rw=write"]).in_dir(&room.path("d")).run().expect(0);
    assert_eq!(size(&room, "f"), 64 << 10);
    ours(&["--name=a", "--ioengine=null", "--size=1m", "--cpus_allowed=5000"])
        .run()
        .expect(1)
        .complains(&["processor"]);
    ours(&on(&room, "g", &["--rw=write", "--offset=18446744073709547520", "--size=1m"])).run().expect(1);
}
