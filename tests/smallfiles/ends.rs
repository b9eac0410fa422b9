//! Ctrl-C, SIGTERM and SIGKILL: what was measured is shown, what was made goes.

use crate::local::check;
use crate::support::call::{Running, fsbench};
use crate::support::room::{Room, files_below, repetitions};
use crate::support::wait_until;
use fsbench_results::Ending;
use rustix::process::Signal;

/// A check that does not end by itself, some files on its way.
fn endless(room: &Room) -> Running {
    let running = check(room, &["--count=50000000"]).start();
    wait_until("there are files", || room.data().len() > 100);
    running
}

#[test]
fn a_signal_keeps_what_was_measured_and_cleans_up() {
    for signal in [Signal::INT, Signal::TERM] {
        let room = Room::new();
        let running = endless(&room);
        running.signal(signal);
        let ended = running.end().expect(130).complains(&["what was measured is kept"]);
        ended.says(&["of 50000000 files in", "interrupted", "read: not measured", "cleaned up"]);
        assert!(!room.path("data").exists());
        let record = room.record();
        assert_eq!(record.ending, Ending::Interrupted);
        let written = repetitions(&record)[0];
        assert!(written.interrupted && written.operations > 100 && written.error_count() == 0, "{written:?}");
    }
}

#[test]
fn after_a_kill_clean_removes_all() {
    let room = Room::new();
    let running = endless(&room);
    running.signal(Signal::KILL);
    assert_eq!(running.end().signal, Some(9));
    let left = room.data().len();
    assert!(left > 100);
    fsbench(&["clean", &room.at("data")]).run().expect(0).says(&[&format!("{left} files of 1 runs removed")]);
    assert!(!room.path("data").exists());
}

#[test]
fn a_signal_ends_the_shells_loop_too() {
    let room = Room::new();
    // Where a process is started for each file, so many take minutes.
    let running = check(&room, &["--shell", "--count=100000", "--limit=600"]).start();
    let is_there = |name: &String| name.contains("-shell-") && name.ends_with("/test99999.txt");
    wait_until("the shell has written", || files_below(&room.path("data")).iter().any(is_there));
    running.signal(Signal::INT);
    let ended = running.end().expect(130).says(&["read: ", "shell read: ", "interrupted", "cleaned up"]);
    assert!(!room.path("data").exists(), "{ended}");
}
