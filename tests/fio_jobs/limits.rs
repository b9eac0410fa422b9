//! Limits that end a job, and searches that end when they have found something.

use crate::support::fio::{json, ours};
use crate::support::room::Room;

fn flags(room: &Room) -> Vec<String> {
    let mut flags: Vec<String> = ["--name=t", "--bs=4k", "--size=256k", "--eta=never"].map(String::from).into();
    flags.push(format!("--directory={}", room.at("")));
    flags
}

#[test]
fn max_latency_fails_the_job() {
    let room = Room::new();
    // A bare number is in microseconds; whatever a disk does takes longer than one.
    let more = ["--rw=write", "--direct=1", "--max_latency=1", "--output-format=json"];
    let ended = ours(&flags(&room)).args(&more).run().expect(1).complains(&["max_latency"]);
    assert_eq!(json(&ended)["jobs"][0]["error"], 110);
}

#[test]
fn a_minimum_rate_that_is_missed_fails_the_job() {
    let room = Room::new();
    let more =
        ["--rw=randread", "--rate_min=1t", "--rate_cycle=200", "--time_based", "--runtime=20", "--output-format=json"];
    let ended = ours(&flags(&room)).args(&more).run().expect(1);
    let document = json(&ended);
    assert_ne!(document["jobs"][0]["error"], 0, "{ended}");
    assert!(document["jobs"][0]["read"]["runtime"].as_u64().expect("milliseconds") < 15_000, "it ended early");
    let more = ["--rw=randread", "--rate_iops_min=2000000000", "--rate_cycle=200", "--time_based", "--runtime=20"];
    ours(&flags(&room)).args(&more).run().expect(1);
}

#[test]
fn a_latency_target_searches_a_depth() {
    let flags =
        ["--name=t", "--ioengine=null", "--iodepth=32", "--rw=randread", "--size=1g", "--time_based", "--runtime=2"];
    let target =
        ["--latency_target=100ms", "--latency_window=100ms", "--latency_percentile=99", "--output-format=json"];
    let document = json(&ours(&flags).args(&target).run().expect(0));
    let job = &document["jobs"][0];
    assert_eq!(job["latency_percentile"], 99.0);
    let depth = job["latency_depth"].as_u64().expect("a depth");
    assert!((1..=32).contains(&depth), "{depth}");
}

#[test]
fn a_steady_state_ends_the_job() {
    let flags = [
        "--name=t",
        "--ioengine=null",
        "--rw=randread",
        "--size=1g",
        "--time_based",
        "--runtime=60",
        "--rate_iops=1000",
    ];
    let steady = ["--steadystate=iops:50%", "--steadystate_duration=2", "--output-format=json"];
    let document = json(&ours(&flags).args(&steady).run().expect(0));
    let state = &document["jobs"][0]["steadystate"];
    assert_eq!(state["attained"], 1, "{state}");
    assert!(document["jobs"][0]["read"]["runtime"].as_u64().expect("milliseconds") < 40_000);
    assert_eq!(state["data"]["iops"].as_array().expect("samples").len(), 2);
}

#[test]
fn runtime_and_ramp() {
    let flags = ["--name=t", "--ioengine=null", "--rw=randread", "--size=64k", "--time_based", "--output-format=json"];
    let document = json(&ours(&flags).args(&["--runtime=1", "--rate_iops=1000"]).run().expect(0));
    let ios = document["jobs"][0]["read"]["total_ios"].as_u64().expect("total_ios");
    assert!((900..=1020).contains(&ios), "{ios}");
    let ramped = json(&ours(&flags).args(&["--runtime=1", "--ramp_time=1", "--rate_iops=1000"]).run().expect(0));
    let ios = ramped["jobs"][0]["read"]["total_ios"].as_u64().expect("total_ios");
    assert!((900..=1100).contains(&ios), "the ramp is not measured: {ios}");
}

#[test]
fn a_synchronous_engine_says_that_it_has_no_depth() {
    let room = Room::new();
    let ended = ours(&flags(&room)).args(&["--rw=read", "--iodepth=8"]).run().expect(0);
    ended.says(&["queue depth will be capped at 1"]);
    let record = room.record_flag();
    ours(&flags(&room)).args(&["--rw=read", "--iodepth=8", &record, "--output-format=json"]).run().expect(0);
    let text = std::fs::read_to_string(room.path("record.json")).expect("a Record");
    assert!(text.contains("queue depth will be capped at 1"), "the result says it, too");
}
