//! Signals: what was measured is printed, codes are fio's, nothing is left but the data.

use crate::support::call::Running;
use crate::support::fio::{json, ours};
use crate::support::room::{Room, files_below};
use crate::support::wait_until;
use rustix::process::Signal;

fn started(room: &Room, more: &[&str]) -> Running {
    let flags =
        ["--name=t", "--rw=randrw", "--bs=4k", "--size=256k", "--time_based", "--runtime=100", "--rate_iops=500"];
    let running =
        ours(&flags).args(&[format!("--directory={}", room.at("d"))]).args(more).in_dir(&room.path("")).start();
    // The data file has its size when the job runs.
    wait_until("the job runs", || std::fs::metadata(room.path("d/t.0.0")).is_ok_and(|data| data.len() == 256 << 10));
    std::thread::sleep(std::time::Duration::from_millis(300));
    running
}

fn room() -> Room {
    let room = Room::new();
    std::fs::create_dir_all(room.path("d")).expect("a directory");
    room
}

#[test]
fn interrupts_print_what_was_measured() {
    for signal in [Signal::INT, Signal::TERM] {
        let room = room();
        let running = started(&room, &["--output-format=json"]);
        running.signal(signal);
        let ended = running.end().expect(128);
        let document = json(&ended);
        assert!(document["jobs"][0]["read"]["total_ios"].as_u64().expect("total_ios") > 0, "{ended}");
    }
}

#[test]
fn interrupts_print_normal_output_and_files() {
    let room = room();
    let running = started(&room, &["--output-format=normal"]);
    running.signal(Signal::INT);
    running.end().expect(128).says(&["issued rwts", "Run status group 0"]);
    let running = started(&room, &["--output-format=json", &format!("--output={}", room.at("out.json"))]);
    running.signal(Signal::TERM);
    running.end().expect(128);
    let text = std::fs::read_to_string(room.path("out.json")).expect("the file");
    serde_json::from_str::<serde_json::Value>(&text).expect("one document");
}

#[test]
fn a_kill_leaves_nothing_but_data() {
    let room = room();
    let running = started(&room, &[]);
    running.signal(Signal::KILL);
    assert_eq!(running.end().signal, Some(9));
    assert_eq!(files_below(&room.path("")), ["d/t.0.0"]);
}

#[test]
fn interrupts_remove_what_unlink_asks_for() {
    let room = room();
    let running = started(&room, &["--unlink=1"]);
    running.signal(Signal::INT);
    running.end().expect(128);
    assert_eq!(files_below(&room.path("d")), [] as [&str; 0]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let room = room();
    let flags = ["--name=t", "--rw=write", "--size=64k", &format!("--directory={}", room.at("d"))];
    let status = ours(&flags).run_into_closed_pipes();
    assert!(status.code().is_some(), "{status}");
}
