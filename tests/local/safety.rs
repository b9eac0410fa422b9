//! Data is safe: foreign files stay, what fsbench made goes when asked, wrong content is noticed.

use crate::support::call::{Ended, fsbench, remote};
use crate::support::room::{Room, errors_of, succeeded};
use std::os::unix::fs::FileExt;

fn run(room: &Room, operation: &str, more: &[&str]) -> Ended {
    let flags = ["--threads=2", "--iterations=1", "--repetitions=2", "--buffer_size=100000"];
    remote(&[&format!("--operation={operation}"), &room.base(), &room.record_flag()]).args(&flags).args(more).run()
}

fn made(size: &str) -> Room {
    let room = Room::new();
    run(&room, "create_write", &[&format!("--file_size={size}")]).expect(0);
    room
}

#[test]
fn verify_catches_a_flipped_byte_and_says_where() {
    let room = made("300000");
    let file = std::fs::OpenOptions::new().read(true).write(true).open(room.path("data/test_1")).expect("a file");
    let mut byte = [0];
    file.read_exact_at(&mut byte, 123_456).expect("reads");
    file.write_all_at(&[byte[0] ^ 1], 123_456).expect("writes");
    for operation in ["open_read", "single_read", "prefetch_read"] {
        run(&room, operation, &[]).expect(0);
        run(&room, operation, &["--verify"]).expect(1).says(&["corrupt", "test_1", "offset 123456"]);
        let record = room.record();
        assert_eq!((errors_of(&record, "corrupt"), succeeded(&record)), (2, 2), "{operation}: test_0 is good");
    }
}

#[test]
fn verify_catches_a_truncated_file() {
    let room = made("300000");
    let file = std::fs::OpenOptions::new().write(true).open(room.path("data/test_0")).expect("a file");
    file.set_len(250_000).expect("truncates");
    run(&room, "open_read", &["--verify", "--file_size=300000"]).expect(1).says(&["test_0"]);
}

#[test]
fn a_missing_file_is_an_error_that_names_the_command() {
    let room = made("1000");
    std::fs::remove_file(room.path("data/test_1")).expect("removes");
    for operation in ["open_read", "single_read", "prefetch_read", "rename"] {
        let repetitions = if operation == "rename" { "--repetitions=1" } else { "--repetitions=2" };
        let ended = run(&room, operation, &[repetitions]).expect(1);
        ended.says(&["not_found", "test_1", "--operation=create_write"]);
        let record = room.record();
        assert!(errors_of(&record, "not_found") >= 1 && succeeded(&record) >= 1, "{operation}: test_0 was there");
    }
}

#[test]
fn foreign_files_are_refused_and_untouched() {
    let room = Room::new();
    room.file("data/test_1", "precious");
    let ended = run(&room, "create_write", &["--file_size=10"]).expect(2);
    let ended = ended.complains(&["test_1", "fsbench did not make it", "--overwrite"]);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    assert_eq!(room.data(), ["test_1"]);
    assert_eq!(std::fs::read_to_string(room.path("data/test_1")).expect("a file"), "precious");
    assert!(!room.path("record.json").exists(), "a refused run writes no Record over a good one");
    run(&room, "create_write", &["--file_size=10", "--overwrite"]).expect(0);
    assert_eq!(std::fs::metadata(room.path("data/test_1")).expect("a file").len(), 10);
}

#[test]
fn cleanup_removes_this_runs_files_and_the_base_that_it_made() {
    let room = Room::new();
    run(&room, "create_write", &["--file_size=10", "--cleanup"]).expect(0).says(&["cleaned up: 2 files removed"]);
    assert!(!room.path("data").exists());
    room.file("data/precious", "x");
    run(&room, "create_write", &["--file_size=10", "--cleanup"]).expect(0);
    assert_eq!(room.data(), ["precious"]);
    assert!(!room.path("data/.fsbench").exists());
}

#[test]
fn clean_removes_what_all_runs_made_and_nothing_else() {
    let room = made("10");
    run(&room, "create_write", &["--file_size=10", "--threads=3"]).expect(0);
    remote(&["--operation=rename", &room.base()]).run().expect(0);
    room.file("data/precious", "x");
    room.file("data/sub/test_0", "x");
    let ended = fsbench(&["clean", &room.at("data")]).run().expect(0);
    let ended = ended.says(&["3 files of 3 runs removed"]);
    assert_eq!(room.data(), ["precious", "sub/test_0"], "{ended}");
    fsbench(&["clean", &room.at("data")]).run().expect(0).says(&["0 files of 0 runs removed"]);
}

#[test]
fn clean_takes_the_base_along_whichever_run_made_it() {
    let room = made("10");
    run(&room, "create_write", &["--file_size=10"]).expect(0);
    run(&room, "rename", &["--repetitions=1"]).expect(0);
    fsbench(&["clean", &room.at("data")]).run().expect(0).says(&["2 files of 1 runs removed"]);
    assert!(!room.path("data").exists());
}

#[test]
fn a_link_is_not_followed_out_of_the_base() {
    let room = Room::new();
    let precious = room.file("outside/precious", "x");
    std::fs::create_dir(room.path("data")).expect("a directory");
    std::os::unix::fs::symlink(&precious, room.path("data/test_0")).expect("a link");
    run(&room, "create_write", &["--file_size=10"]).expect(2).complains(&["test_0"]);
    assert_eq!(std::fs::read_to_string(&precious).expect("a file"), "x");
}

#[test]
fn delete_runs_once_and_more_is_refused() {
    let room = made("10");
    run(&room, "delete", &["--repetitions=2"]).expect(2).complains(&["delete"]);
    run(&room, "delete", &["--repetitions=1", "--iterations=2"]).expect(2).complains(&["delete"]);
    assert_eq!(room.data(), ["test_0", "test_1"]);
    room.file("data/precious", "x");
    run(&room, "delete", &["--repetitions=1"]).expect(0);
    run(&room, "delete", &["--repetitions=1"]).expect(1).says(&["not_found", "no such file that fsbench made"]);
    assert_eq!(room.data(), ["precious"]);
}
