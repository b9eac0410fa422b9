//! Verification finds what it must find, with every checksum.

use crate::support::fio::{json, ours};
use crate::support::room::Room;
use std::io::{Seek, SeekFrom, Write};

const CHECKSUMS: [&str; 16] = [
    "md5",
    "crc64",
    "crc32c",
    "crc32",
    "crc16",
    "crc7",
    "xxhash",
    "sha1",
    "sha256",
    "sha512",
    "sha3-224",
    "sha3-256",
    "sha3-384",
    "sha3-512",
    "pattern",
    "crc32c-intel",
];

fn corrupt(path: &std::path::Path, offset: u64) {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).expect("the file");
    file.seek(SeekFrom::Start(offset)).expect("a seek");
    file.write_all(&[0x5a, 0xa5, 0x5a, 0xa5]).expect("a write");
}

fn flags(room: &Room, checksum: &str) -> Vec<String> {
    let mut flags: Vec<String> = ["--name=v", "--bs=4k", "--size=128k", "--eta=never"].map(String::from).into();
    flags.push(format!("--verify={checksum}"));
    flags.push(format!("--filename={}", room.at("data")));
    if checksum == "pattern" {
        flags.push("--verify_pattern=0xdeadbeef".into());
    }
    flags
}

#[test]
fn every_checksum_writes_reads_back_and_finds_corruption() {
    let room = Room::new();
    for checksum in CHECKSUMS {
        let flags = flags(&room, checksum);
        let document = json(&ours(&flags).args(&["--rw=randwrite", "--output-format=json"]).run().expect(0));
        let job = &document["jobs"][0];
        assert_eq!(job["write"]["total_ios"], 32, "{checksum}");
        assert_eq!(job["read"]["total_ios"], 32, "{checksum}: read back");
        ours(&flags).args(&["--rw=read"]).run().expect(0);
        corrupt(&room.path("data"), 8192 + 2000);
        let found = ours(&flags).args(&["--rw=read"]).run().expect(1);
        found.complains(&["verify failed at file", "offset 8192", "data"]);
    }
}

#[test]
fn a_corrupt_header_is_found() {
    let room = Room::new();
    let flags = flags(&room, "crc32c");
    ours(&flags).args(&["--rw=write"]).run().expect(0);
    corrupt(&room.path("data"), 4096);
    ours(&flags).args(&["--rw=read"]).run().expect(1).complains(&["offset 4096"]);
}

#[test]
fn blocks_in_the_wrong_place_are_found() {
    let room = Room::new();
    let flags = flags(&room, "crc32c");
    ours(&flags).args(&["--rw=write"]).run().expect(0);
    let mut bytes = std::fs::read(room.path("data")).expect("the file");
    let (one, two) = bytes.split_at_mut(4096);
    one.swap_with_slice(&mut two[..4096]);
    std::fs::write(room.path("data"), bytes).expect("the file");
    ours(&flags).args(&["--rw=read"]).run().expect(1).complains(&["bad header offset 4096, wanted 0"]);
}

#[test]
fn with_depth_backlogs_and_threads() {
    let room = Room::new();
    let flags = flags(&room, "crc32c");
    for more in [
        &["--ioengine=libaio", "--direct=1", "--iodepth=8"][..],
        &["--ioengine=io_uring", "--iodepth=8"],
        &["--ioengine=mmap"],
        &["--verify_backlog=4"],
        &["--verify_backlog=8", "--verify_backlog_batch=4"],
        &["--verify_async=2"],
        &["--verify_interval=512"],
        &["--bsrange=4k-16k"],
        &["--loops=2"],
        &["--numjobs=2", "--offset_increment=128k"],
    ] {
        let document = ours(&flags).args(&["--rw=randwrite", "--output-format=json"]).args(more).run().expect(0);
        let reads = json(&document)["jobs"][0]["read"]["total_ios"].as_u64().expect("reads");
        assert!(reads > 0, "{more:?}: read back");
        drop(std::fs::remove_file(room.path("data")));
    }
}

#[test]
fn a_mix_verifies_what_it_wrote() {
    let room = Room::new();
    let flags = flags(&room, "md5");
    ours(&flags).args(&["--rw=randrw", "--rwmixread=30"]).run().expect(0);
}

#[test]
fn going_on_after_failures_is_still_a_failure() {
    let room = Room::new();
    let flags = flags(&room, "crc32c");
    ours(&flags).args(&["--rw=write"]).run().expect(0);
    corrupt(&room.path("data"), 4096 + 1000);
    corrupt(&room.path("data"), 16384 + 1000);
    let more = ["--rw=read", "--continue_on_error=verify", "--output-format=json"];
    let document = json(&ours(&flags).args(&more).run().expect(1));
    let job = &document["jobs"][0];
    assert_eq!((&job["error"], &job["total_err"]), (&84.into(), &2.into()));
    assert_eq!(job["read"]["total_ios"], 32, "it went on");
}

#[test]
fn fatal_failures_end_at_once() {
    let room = Room::new();
    let flags = flags(&room, "crc32c");
    ours(&flags).args(&["--rw=write"]).run().expect(0);
    corrupt(&room.path("data"), 1000);
    let more = ["--rw=read", "--verify_fatal=1", "--output-format=json"];
    let document = json(&ours(&flags).args(&more).run().expect(1));
    assert!(document["jobs"][0]["read"]["total_ios"].as_u64().expect("reads") < 32);
}

#[test]
fn verify_only_reads_what_another_run_wrote() {
    let room = Room::new();
    let flags = flags(&room, "crc32c");
    for mode in ["--rw=write", "--rw=randwrite"] {
        ours(&flags).args(&[mode, "--do_verify=0"]).run().expect(0);
        let before = std::fs::read(room.path("data")).expect("the file");
        let document = json(&ours(&flags).args(&[mode, "--verify_only", "--output-format=json"]).run().expect(0));
        assert_eq!(document["jobs"][0]["read"]["total_ios"], 32, "{mode}: it reads");
        assert_eq!(std::fs::read(room.path("data")).expect("the file"), before, "{mode}: it does not write");
        corrupt(&room.path("data"), 8192 + 2000);
        ours(&flags).args(&[mode, "--verify_only"]).run().expect(1).complains(&["offset 8192"]);
    }
}

#[test]
fn a_state_is_saved_and_loaded() {
    let room = Room::new();
    let flags = flags(&room, "crc32c");
    // fio saves a state at any end, fsbench when a job was cut short: otherwise the pattern says it all.
    let first = ["--rw=randwrite", "--do_verify=0", "--verify_state_save=1", "--rate_iops=20"];
    let running = ours(&flags).args(&first).in_dir(&room.path("")).start();
    crate::support::wait_until("the file is there", || room.path("data").exists());
    std::thread::sleep(std::time::Duration::from_millis(400));
    running.signal(rustix::process::Signal::INT);
    running.end().expect(128);
    let saved = crate::support::room::files_below(&room.path(""));
    assert!(saved.iter().any(|name| name.contains("verify.state")), "{saved:?}");
    let more = ["--rw=randwrite", "--verify_only", "--verify_state_load=1", "--output-format=json"];
    let document = json(&ours(&flags).args(&more).in_dir(&room.path("")).run().expect(0));
    let reads = document["jobs"][0]["read"]["total_ios"].as_u64().expect("total_ios");
    assert!((1..32).contains(&reads), "only what was written is read back: {reads}");
}

/// Headers are fsbench's own: what fio wrote is refused by its first word, never taken for good.
#[test]
fn what_fio_wrote_is_told_apart() {
    if !crate::support::fio::has_fio() {
        return;
    }
    let room = Room::new();
    let flags = flags(&room, "crc32c");
    let fio = crate::support::fio::Tool::Fio;
    fio.call(&flags).args(&["--rw=write"]).in_dir(&room.path("")).run().expect(0);
    ours(&flags).args(&["--rw=read"]).run().expect(1).complains(&["bad magic header"]);
}
