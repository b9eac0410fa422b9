//! Ctrl-C, SIGTERM and SIGKILL in the middle of a run: what was measured is kept, what was made can be removed.

use crate::support::call::{FSBENCH, Running, fsbench, program, remote};
use crate::support::room::{Room, repetitions};
use crate::support::wait_until;
use fsbench_results::Ending;
use rustix::process::Signal;

/// Starts a run whose second repetition does not end by itself, and waits until it is there.
fn endless(room: &Room, more: &[&str]) -> Running {
    let flags = ["--operation=create_write", &room.base(), &room.record_flag(), "--file_size=1MiB"];
    let time = ["--threads=2", "--iterations=3", "--repetitions=10000"];
    let running = remote(&flags).args(&time).args(more).start();
    wait_until("one repetition is saved", || room.record_so_far().is_some_and(|r| repetitions(&r).len() > 1));
    running
}

#[test]
fn an_interrupted_run_keeps_what_it_measured() {
    for signal in [Signal::INT, Signal::TERM] {
        let room = Room::new();
        let running = endless(&room, &[]);
        running.signal(signal);
        let ended = running.end().expect(130);
        ended
            .complains(&["what was measured is kept"])
            .says(&["LocalCreateWriteBenchmark/", "interrupted by a signal"]);
        let record = room.record();
        assert_eq!((record.ending, record.complete), (Ending::Interrupted, false));
        assert!(repetitions(&record).len() > 1 && record.error_count() == 0, "{:?}", record.failure);
        let again = fsbench(&["report", &room.at("record.json")]).run().expect(130);
        again.says(&["interrupted by a signal"]);
    }
}

#[test]
fn the_repetition_that_was_cut_short_is_marked() {
    let room = Room::new();
    let flags = ["--operation=create_write", &room.base(), &room.record_flag(), "--file_size=1MiB"];
    let running = remote(&flags).args(&["--iterations=0", "--benchmark_min_time=3600"]).start();
    wait_until("the file is there", || room.path("data/test_0").exists());
    running.signal(Signal::INT);
    running.end().expect(130);
    let record = room.record();
    let all = repetitions(&record);
    assert_eq!(all.len(), 1);
    assert!(all[0].interrupted);
    fsbench(&["clean", &room.at("data")]).run().expect(0);
    assert!(!room.path("data").exists(), "nothing is left");
}

#[test]
fn cleanup_is_done_after_an_interruption_too() {
    let room = Room::new();
    let running = endless(&room, &["--cleanup"]);
    running.signal(Signal::TERM);
    running.end().expect(130).says(&["cleaned up: "]);
    assert!(!room.path("data").exists());
}

#[test]
fn two_signals_end_it_at_once() {
    let room = Room::new();
    let running = endless(&room, &[]);
    running.signal(Signal::INT);
    running.signal(Signal::TERM);
    running.signal(Signal::INT);
    running.end().expect(130);
    assert!(!repetitions(&room.record()).is_empty());
}

#[test]
fn two_signals_end_a_run_that_hangs_in_a_call() {
    let room = Room::new();
    remote(&["--operation=create_write", &room.base(), "--file_size=10"]).run().expect(0);
    std::fs::remove_file(room.path("data/test_0")).expect("removes");
    // Opening a pipe that nobody writes to never ends.
    program("mkfifo", &[room.at("data/test_0")]).run().expect(0);
    let running = remote(&["--operation=open_read", &room.base()]).start();
    wait_until("the worker is there", || running.has_thread("worker-0"));
    running.signal(Signal::INT);
    // Signals within 0.7 s are one: timeout(1) sends two.
    std::thread::sleep(std::time::Duration::from_secs(1));
    running.signal(Signal::TERM);
    running.end().expect(130).complains(&["ended at once"]);
}

#[test]
fn after_a_kill_the_finished_repetitions_are_on_disk_and_clean_removes_the_rest() {
    let room = Room::new();
    let running = endless(&room, &[]);
    running.signal(Signal::KILL);
    assert_eq!(running.end().signal, Some(9));
    let record = room.record();
    assert_eq!((record.ending, record.complete), (Ending::Running, false));
    assert!(!repetitions(&record).is_empty());
    fsbench(&["report", &room.at("record.json")]).run().expect(1).says(&["its process was killed", "_mean"]);
    assert_eq!(room.data(), ["test_0", "test_1"]);
    fsbench(&["clean", &room.at("data")]).run().expect(0).says(&["2 files of 1 runs removed"]);
    assert!(!room.path("data").exists());
}

#[test]
fn ctrl_c_reaches_the_tool_behind_the_script_and_the_log_is_whole() {
    let room = Room::new();
    std::fs::create_dir(room.path("log")).expect("a directory");
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bin/run-fs-benchmark.sh");
    let flags = ["--operation=create_write", &room.base(), &room.record_flag(), "--file_size=1MiB"];
    let mut running = program("sh", &[script])
        .in_a_group()
        .args(&flags)
        .args(&["--repetitions=10000"])
        .env("FSBENCH", FSBENCH)
        .env("FSBENCH_LOG_DIR", room.path("log"))
        .start();
    wait_until("a repetition is saved", || room.record_so_far().is_some_and(|r| !repetitions(&r).is_empty()));
    assert!(!running.has_ended());
    running.signal_group(Signal::INT);
    running.end().expect(130);
    let log = std::fs::read_to_string(room.path("log/fs_benchmark_tool.log")).expect("a log");
    assert!(log.contains("interrupted by a signal"), "{log}");
    assert_eq!(room.record().ending, Ending::Interrupted);
}
