//! Every operation: what it counts, and what it leaves.

use crate::support::call::{Ended, remote};
use crate::support::room::{Room, counted, repetitions, succeeded};
use fsbench_results::Ending;

/// Two threads, two iterations, two repetitions of files of 300,000 bytes.
fn run(room: &Room, operation: &str, more: &[&str]) -> Ended {
    let flags = ["--threads=2", "--iterations=2", "--repetitions=2", "--file_size=300000", "--buffer_size=100000"];
    remote(&[&format!("--operation={operation}"), &room.base(), &room.record_flag()]).args(&flags).args(more).run()
}

#[test]
fn create_write_makes_a_file_for_each_thread() {
    let room = Room::new();
    run(&room, "create_write", &[]).expect(0).says(&[
        "LocalCreateWriteBenchmark/iterations:2/repeats:2/manual_time/threads:2_mean",
        "WriteRate(B/S)=",
        "WriteTime(S)=",
        "WriteTotal(B)=1.2M",
        "p99.9",
    ]);
    assert_eq!(room.data(), ["test_0", "test_1"]);
    let [first, second] = ["test_0", "test_1"].map(|n| std::fs::read(room.path("data").join(n)).expect("a file"));
    assert_eq!((first.len(), second.len()), (300_000, 300_000));
    assert_ne!(first, second, "each file has content of its own");
    let record = room.record();
    assert!(record.complete && record.ending == Ending::Finished);
    let each = repetitions(&record);
    assert_eq!(each.len(), 2);
    for repetition in each {
        assert_eq!((repetition.operations, repetition.failed, repetition.bytes), (4, 0, 1_200_000));
        assert_eq!(repetition.kinds["write"].count, 12);
        assert_eq!((repetition.kinds["create"].count, repetition.kinds["close"].count), (4, 4));
        assert!(!repetition.kinds.contains_key("sync"), "nothing is synced on local files unless asked for");
    }
}

#[test]
fn the_three_reads_read_everything_and_verify() {
    let room = Room::new();
    run(&room, "create_write", &[]).expect(0);
    for (operation, row) in [
        ("open_read", "LocalReadBenchmark"),
        ("single_read", "LocalReadBenchmark"),
        ("prefetch_read", "LocalPrefetchReadBenchmark"),
    ] {
        run(&room, operation, &["--file_size=0", "--verify", "--prefetch_size=70000"]).expect(0).says(&[
            row,
            "ReadRate(B/S)=",
            "ReadTotal(B)=1.2M",
            "compared with what was written",
        ]);
        let record = room.record();
        assert_eq!((succeeded(&record), counted(&record, "verified_bytes")), (8, 2_400_000), "{operation}");
        assert!(repetitions(&record).iter().all(|r| r.bytes == 1_200_000 && r.cache.is_some()), "{operation}");
    }
}

#[test]
fn file_size_limits_a_read_and_file_path_names_the_one_file() {
    let room = Room::new();
    run(&room, "create_write", &[]).expect(0);
    run(&room, "open_read", &["--file_size=100001"]).expect(0);
    assert!(repetitions(&room.record()).iter().all(|r| r.bytes == 400_004));
    let path = format!("--file_path=file://{}", room.at("data/test_1"));
    for operation in ["single_read", "prefetch_read"] {
        let operation = format!("--operation={operation}");
        remote(&[&operation, &path, &room.record_flag(), "--threads=3", "--repetitions=1"]).run().expect(0);
        assert_eq!(repetitions(&room.record())[0].bytes, 900_000, "three threads read one file");
    }
}

#[test]
fn exists_tells_found_from_missing() {
    let room = Room::new();
    run(&room, "create_write", &["--threads=1"]).expect(0);
    run(&room, "exists", &[]).expect(0).says(&["LocalExistsBenchmark", "ExistsCost=", "found 4 of 8"]);
    let record = room.record();
    assert_eq!((counted(&record, "found"), counted(&record, "missing")), (4, 4));
}

#[test]
fn list_counts_entries_and_pages_but_not_ledgers() {
    let room = Room::new();
    run(&room, "create_write", &[]).expect(0);
    room.file("data/sub/foreign", "x");
    run(&room, "list", &[]).expect(0).says(&["LocalListBenchmark", "ListCost=", "entries in"]);
    let record = room.record();
    assert_eq!(counted(&record, "entries"), 8 * 3, "test_0, test_1 and sub/foreign: {record:?}");
    assert_eq!(
        counted(&record, "pages"),
        record.phases[0].repetitions.iter().map(|r| r.kinds["page"].count).sum::<u64>()
    );
}

#[test]
fn rename_goes_there_and_back() {
    let room = Room::new();
    run(&room, "create_write", &["--threads=1"]).expect(0);
    let renames = |count: &str| {
        let flags = ["--operation=rename", &room.base(), &room.record_flag(), &format!("--iterations={count}")];
        remote(&flags).run().expect(0).says(&["LocalRenameBenchmark", "RenameCost="]);
    };
    renames("3");
    assert_eq!(room.data(), ["test_0_new"]);
    assert_eq!(succeeded(&room.record()), 3);
    renames("1");
    assert_eq!(room.data(), ["test_0"]);
}

#[test]
fn delete_removes_what_fsbench_made_and_nothing_else() {
    let room = Room::new();
    run(&room, "create_write", &[]).expect(0);
    room.file("data/test_2", "foreign");
    let flags = ["--operation=delete", &room.base(), &room.record_flag(), "--threads=3"];
    let ended = remote(&flags).run().expect(1).says(&["LocalDeleteBenchmark", "DeleteCost="]);
    ended.says(&["cannot delete test_2: fsbench did not make it"]);
    assert_eq!(room.data(), ["test_2"]);
    assert_eq!(counted(&room.record(), "deleted"), 2);
}

#[test]
fn sizes_have_units_and_ten_mebibytes_are_the_default() {
    let room = Room::new();
    remote(&["--operation=create_write", &room.base(), "--repetitions=1"]).run().expect(0);
    assert_eq!(std::fs::metadata(room.path("data/test_0")).expect("a file").len(), 10 << 20);
    for (size, bytes) in [("3MiB", 3 << 20), ("2M", 2 << 20), ("2MB", 2_000_000), ("7K", 7 << 10), ("11", 11)] {
        let size = format!("--file_size={size}");
        remote(&["--operation=create_write", &room.base(), "--repetitions=1", &size]).run().expect(0);
        assert_eq!(std::fs::metadata(room.path("data/test_0")).expect("a file").len(), bytes, "{size}");
    }
}

#[test]
fn sync_and_the_kinds_of_content_do_what_they_say() {
    let room = Room::new();
    run(&room, "create_write", &["--sync", "--content=zero"]).expect(0);
    assert_eq!(repetitions(&room.record())[0].kinds["sync"].count, 4);
    assert!(std::fs::read(room.path("data/test_0")).expect("a file").iter().all(|byte| *byte == 0));
    run(&room, "open_read", &["--content=zero", "--verify"]).expect(0);
    run(&room, "create_write", &["--content=pattern", "--seed=7"]).expect(0);
    run(&room, "open_read", &["--content=pattern", "--seed=7", "--verify"]).expect(0);
    run(&room, "open_read", &["--content=pattern", "--seed=8", "--verify"]).expect(1);
}

#[test]
fn zero_iterations_run_for_the_time_that_was_asked_for() {
    let room = Room::new();
    let flags = ["--iterations=0", "--benchmark_min_time=0.05", "--repetitions=1"];
    run(&room, "create_write", &[]).expect(0);
    remote(&["--operation=exists", &room.base(), &room.record_flag()]).args(&flags).run().expect(0);
    let record = room.record();
    assert!(repetitions(&record)[0].elapsed_ns >= 50_000_000);
    assert!(succeeded(&record) > 1);
}

#[test]
fn a_cold_read_says_what_was_cached() {
    let room = Room::new();
    run(&room, "create_write", &["--sync"]).expect(0);
    run(&room, "open_read", &["--cold"]).expect(0).says(&["(after evicting it)"]);
    let record = room.record();
    for cache in repetitions(&record).iter().map(|r| r.cache.expect("local reads tell of the cache")) {
        assert!(cache.evicted && cache.of_bytes == 600_000, "{cache:?}");
    }
}
