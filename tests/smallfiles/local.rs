//! The check on local files: what it measures, what it says, what it leaves.

use crate::support::call::{Call, Ended, fsbench};
use crate::support::room::{Room, counted, files_below, repetitions};
use fsbench_results::{Ending, Kind};

/// `fsbench smallfiles …/data --record=…`.
pub(crate) fn check(room: &Room, more: &[&str]) -> Call {
    fsbench(&["smallfiles", &room.at("data"), &room.record_flag()]).args(more)
}

fn json(ended: &Ended) -> serde_json::Value {
    serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{error} in {ended}"))
}

#[test]
fn a_directory_alone_is_enough() {
    let room = Room::new();
    check(&room, &[]).run().expect(0).says(&[
        "Small files: 1000 files of 5 B, 1 thread, file://",
        "write: 0.",
        "read: 0.",
        " s, limit 10 s: good",
        "100 % of 4.88 KiB in page cache before reading",
        "cleaned up: 1000 files removed",
    ]);
    assert!(!room.path("data").exists(), "the run made it");
    let record = room.record();
    assert_eq!((record.ending, record.complete, counted(&record, "verified_bytes")), (Ending::Finished, true, 5000));
    let counts = repetitions(&record).into_iter().map(|r| {
        [Kind::Operation, Kind::Create, Kind::Open, Kind::Write, Kind::Read, Kind::Close]
            .map(|kind| r.kind(kind).map_or(0, |of| of.count))
    });
    assert_eq!(counts.collect::<Vec<_>>(), [[1000, 1000, 0, 1000, 0, 1000], [1000, 0, 1000, 0, 1000, 1000]]);
    fsbench(&["report", &room.at("record.json")]).run().expect(0).says(&["limit 10 s: good"]);
}

#[test]
fn what_is_kept_is_what_the_loop_writes_and_clean_removes_nothing_else() {
    let room = Room::new();
    room.file("data/precious.txt", "mine");
    check(&room, &["--keep", "--count", "1001"]).run().expect(0);
    let mut files = room.data();
    assert_eq!(files.len(), 1002);
    files.retain(|name| name != "precious.txt");
    let directory = files[0].split('/').next().expect("a directory").to_string();
    for number in [0, 1, 999, 1000] {
        let name = format!("{directory}/test{number}.txt");
        assert!(files.contains(&name), "{name}");
        assert_eq!(std::fs::read(room.path("data").join(name)).expect("it is there"), b"test\n");
    }
    room.file(&format!("data/{directory}/test1001.txt"), "mine, too");
    fsbench(&["clean", &room.at("data")]).run().expect(0).says(&["1001 files of 1 runs removed"]);
    assert_eq!(files_below(&room.path("data")), [format!("{directory}/test1001.txt"), "precious.txt".into()]);
}

#[test]
fn a_directory_that_was_there_stays() {
    let room = Room::new();
    room.file("data/precious.txt", "mine");
    check(&room, &[]).run().expect(0);
    assert_eq!(files_below(&room.path("data")), ["precious.txt"]);
}

#[test]
fn two_at_once_do_not_meet() {
    let room = Room::new();
    let calls = [0, 1].map(|_| fsbench(&["smallfiles", &room.at("data"), "--count=3000", "--sync"]).start());
    for running in calls {
        running.end().expect(0);
    }
    assert_eq!(files_below(&room.path("data")), Vec::<String>::new());
}

#[test]
fn the_limit_decides() {
    let room = Room::new();
    let ended = check(&room, &["--limit", "0.000001"]).run().expect(1);
    ended.says(&["write: 0.", "s, limit 0.000001 s: too slow", "read: 0.", "cleaned up"]).complains(&[]);
    assert_eq!(room.record().error_count(), 0);
    fsbench(&["report", &room.at("record.json")]).run().expect(1).says(&["too slow"]);
}

#[test]
fn larger_files_are_shared_synced_evicted_and_verified() {
    let room = Room::new();
    let more = ["--count=100", "--size=9000", "--threads=3", "--sync", "--cold", "--format=json"];
    let ended = check(&room, &more).run().expect(0);
    let document = json(&ended);
    assert_eq!((&document["schema"], &document["good"]), (&"fsbench.smallfiles".into(), &true.into()));
    assert_eq!((&document["threads"], &document["size_bytes"]), (&3.into(), &9000.into()));
    assert_eq!((&document["write"]["verdict"], &document["write"]["files"]), (&"good".into(), &100.into()));
    assert_eq!(document["write"]["latency_ns"]["sync"]["count"], 100);
    let record = room.record();
    let [write, read] = repetitions(&record)[..] else { panic!("two halves: {ended}") };
    assert_eq!((write.bytes, read.bytes, read.counted("verified_bytes")), (900_000, 900_000, 900_000));
    assert_eq!(write.workers.iter().map(|worker| worker.operations).collect::<Vec<_>>(), [34, 33, 33]);
    let cache = read.cache.expect("local files have a page cache");
    assert!(cache.evicted && cache.of_bytes == 900_000, "{cache:?}");
}

#[test]
fn empty_files_and_more_threads_than_files_work() {
    let room = Room::new();
    check(&room, &["--count=2", "--size=0", "--threads=4"]).run().expect(0).says(&["2 files of 0 B, 4 threads"]);
    let record = room.record();
    assert!(repetitions(&record).iter().all(|r| r.operations == 2 && r.bytes == 0));
}

#[test]
fn files_differ_from_each_other() {
    let room = Room::new();
    check(&room, &["--count=3", "--size=100", "--keep"]).run().expect(0);
    let contents = room.data().into_iter().map(|name| std::fs::read(room.path("data").join(name)).expect("a file"));
    let distinct: std::collections::BTreeSet<_> = contents.collect();
    assert_eq!(distinct.len(), 3);
    assert!(distinct.iter().all(|content| content.len() == 100));
}

#[test]
fn the_loop_itself_stands_beside() {
    let room = Room::new();
    check(&room, &["--shell", "--count=50", "--keep"]).run().expect(0).says(&[
        "fsbench GitLab's loop in bash",
        "ratio",
        "shell write: 0.",
        "shell read: 0.",
    ]);
    let files = room.data();
    let (by_shell, own): (Vec<_>, Vec<_>) = files.iter().partition(|name| name.contains("-shell-"));
    assert_eq!((by_shell.len(), own.len()), (50, 50));
    for (shell, own) in by_shell.into_iter().zip(own) {
        let read = |name: &String| std::fs::read(room.path("data").join(name)).expect("a file");
        assert_eq!(read(shell), read(own));
    }
    fsbench(&["clean", &room.at("data")]).run().expect(0).says(&["100 files of 1 runs removed"]);
    assert!(!room.path("data").exists());
    let ended = check(&room, &["--shell", "--count=5", "--format", "json"]).run().expect(0);
    let document = json(&ended);
    assert_eq!((&document["shell_read"]["shell"], &document["shell_read"]["files"]), (&"bash".into(), &5.into()));
}

#[test]
fn without_bash_the_loop_is_run_by_sh() {
    let room = Room::new();
    std::fs::create_dir(room.path("bin")).expect("a directory");
    for name in ["sh", "cat"] {
        std::os::unix::fs::symlink(format!("/bin/{name}"), room.path("bin").join(name)).expect("a link");
    }
    let ended = check(&room, &["--shell", "--count=20", "--keep"]).env("PATH", room.path("bin")).run().expect(0);
    ended.says(&["GitLab's loop in sh", "shell write: 0.", "shell read: 0."]);
    assert_eq!(room.data().len(), 40);
}

#[test]
fn what_the_shell_complains_about_is_an_error() {
    let room = Room::new();
    std::fs::create_dir(room.path("bin")).expect("a directory");
    std::os::unix::fs::symlink("/bin/sh", room.path("bin/sh")).expect("a link");
    let ended = check(&room, &["--shell", "--count=20"]).env("PATH", room.path("bin")).run().expect(1);
    ended.says(&["cat: not found (and 19 lines more)", "shell write: 0.", "shell read: 0 of 20 files", "failed"]);
    assert!(!room.path("data").exists());
}

#[test]
fn places_without_a_disk_work() {
    for place in ["mem:", "null:"] {
        let ended = fsbench(&["smallfiles", place, "--count=200", "--size=4096", "--threads=2"]).run().expect(0);
        ended.says(&["200 files of 4 KiB, 2 threads", "write: 0.", "good"]);
    }
}

#[test]
fn a_name_that_is_not_absolute_is_below_the_working_directory() {
    let room = Room::new();
    let call = fsbench(&["smallfiles", "here", "--count=10", "--shell", "--keep"]).in_dir(&room.path(""));
    call.run().expect(0);
    assert_eq!(files_below(&room.path("here")).iter().filter(|name| name.ends_with(".txt")).count(), 20);
}
