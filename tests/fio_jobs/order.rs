//! Who runs before whom, and who ends with whom.

use crate::support::fio::{json, ours};
use crate::support::room::Room;
use serde_json::Value;

fn run(room: &Room, text: &str) -> Value {
    let file = room.file("o.fio", &format!("[global]\ndirectory={}\n{text}", room.at("")));
    json(&ours(&["--output-format=json", &file]).in_dir(&room.path("")).run().expect(0))
}

/// The job after a barrier reads what the one before it wrote: it would fail otherwise.
#[test]
fn a_stonewall_and_wait_for_keep_their_order() {
    for line in ["stonewall", "wait_for_previous", "wait_for=first"] {
        let room = Room::new();
        let text = format!(
            "filename=shared\nsize=128k\nbs=4k\nverify=crc32c\n[first]\nrw=write\nrate_iops=200\ndo_verify=0\n[second]\n{line}\nrw=read\n"
        );
        let document = run(&room, &text);
        assert_eq!(document["jobs"][1]["read"]["total_ios"], 32, "{line}");
        let group = i32::from(line != "wait_for=first");
        assert_eq!(document["jobs"][1]["groupid"], group, "{line}");
    }
}

#[test]
fn new_groups_do_not_wait() {
    let room = Room::new();
    let document = run(&room, "ioengine=null\nsize=64k\nrw=read\n[a]\n[b]\nnew_group\n[c]\n");
    let groups: Vec<_> = document["jobs"].as_array().expect("jobs").iter().map(|job| job["groupid"].clone()).collect();
    assert_eq!(groups, [0, 1, 1]);
}

#[test]
fn exitall_ends_the_others() {
    let room = Room::new();
    let text = "ioengine=null\nrw=read\nsize=64k\n[long]\ntime_based\nruntime=60\nrate_iops=100\n[short]\nexitall\n";
    let document = run(&room, text);
    assert!(document["jobs"][0]["job_runtime"].as_u64().expect("milliseconds") < 50_000);
}

#[test]
fn thinktime_and_startdelay_pass() {
    let room = Room::new();
    let document = run(&room, "ioengine=null\nrw=read\nsize=64k\n[a]\nbs=4k\nthinktime=20ms\nthinktime_blocks=4\n");
    let runtime = document["jobs"][0]["read"]["runtime"].as_u64().expect("milliseconds");
    assert!(runtime >= 55, "three pauses of 20 ms among 16 I/Os: {runtime} ms");
    let document = run(&room, "ioengine=null\nrw=read\nsize=64k\n[a]\nstartdelay=500ms\n");
    assert!(document["jobs"][0]["read"]["runtime"].as_u64().expect("milliseconds") < 450, "a delay is not measured");
}

#[test]
fn flows_keep_their_proportion() {
    let room = Room::new();
    let text = "ioengine=null\nrw=read\nsize=1g\ntime_based\nruntime=1\nflow_id=1\n[three]\nflow=3\n[one]\nflow=1\n";
    let document = run(&room, text);
    let ios = |job: usize| document["jobs"][job]["read"]["total_ios"].as_f64().expect("total_ios");
    let ratio = ios(0) / ios(1);
    assert!((2.5..3.5).contains(&ratio), "{ratio}");
}

#[test]
fn commands_before_and_after_a_job() {
    let room = Room::new();
    run(&room, "ioengine=null\nrw=read\nsize=64k\n[a]\nexec_prerun=echo one > before\nexec_postrun=echo two > after\n");
    assert!(room.path("before").exists() && room.path("after").exists());
}

#[test]
fn grouped_reports_sum_up() {
    let room = Room::new();
    let document = run(&room, "ioengine=null\nrw=read\nsize=64k\nbs=4k\nnumjobs=4\ngroup_reporting\n[a]\n");
    let jobs = document["jobs"].as_array().expect("jobs");
    assert_eq!((jobs.len(), &jobs[0]["read"]["total_ios"]), (1, &64.into()));
}

#[test]
fn a_record_has_everything() {
    let room = Room::new();
    let flags = ["--name=a", "--ioengine=null", "--rw=randrw", "--size=64k", "--bs=4k", &room.record_flag()];
    ours(&flags).run().expect(0);
    let record = room.record();
    assert_eq!(record.phases.len(), 1);
}
