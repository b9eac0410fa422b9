//! Where it cannot work: one sentence each, and nothing left.

use crate::local::check;
use crate::support::call::{FSBENCH, fsbench, program};
use crate::support::room::{Room, error_kinds, files_below};
use crate::support::skip;
use rustix::process::geteuid;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

#[test]
fn wrong_input_is_one_sentence_and_touches_nothing() {
    let room = Room::new();
    let file = room.file("file", "mine");
    let missing = room.at("no/such");
    for (args, part) in [
        (&["smallfiles"][..], "no place is given"),
        (&["smallfiles", &file][..], "it is a file, not a directory"),
        (&["smallfiles", &missing][..], "no such directory, nor"),
        (&["smallfiles", &room.at("x"), "--count=none"][..], "--count: 'none' is not a whole number"),
        (&["smallfiles", &room.at("x"), "--cold=perhaps"][..], "--cold: 'perhaps' is neither true nor false"),
        (&["smallfiles", &room.at("x"), "--conf", &missing][..], "failed to open conf file"),
        (&["smallfiles", "mem:", "--shell"][..], "--shell: a shell cannot write to mem"),
        (&["smallfiles", "hdfs://h:1/x", "--shell"][..], "--shell: a shell cannot write to hdfs"),
        (&["smallfiles", "s3://b/x", "--shell"][..], "--shell: a shell cannot write to s3"),
    ] {
        let ended = fsbench(args).run().expect(2).complains(&[part]);
        assert_eq!(ended.sentences().len(), 1, "{ended}");
    }
    assert_eq!(files_below(&room.path("")), ["file"]);
}

#[test]
fn help_and_plan_touch_nothing() {
    let room = Room::new();
    fsbench(&["smallfiles", "--help"]).run().expect(0).says(&["Usage: fsbench smallfiles DIR|URI", "--limit=SECONDS"]);
    fsbench(&["--help"]).run().expect(0).says(&["smallfiles"]);
    fsbench(&["plan", "smallfiles", &room.at("data")]).run().expect(0).says(&[r#""do": "small_files""#]);
    check(&room, &["--dry-run"]).run().expect(0).says(&[r#""do": "small_files""#]);
    assert!(files_below(&room.path("")).is_empty());
}

#[test]
fn no_permission_is_one_sentence() {
    if !geteuid().is_root() {
        return skip("only root can become another user");
    }
    let room = Room::new();
    let binary = room.at("fsbench");
    // By another process: a file that this one has open for writing may be inherited by a neighbour's child, and is busy.
    program("cp", &[FSBENCH, &binary]).run().expect(0);
    std::fs::create_dir(room.path("data")).expect("a directory");
    for (path, mode) in [("", 0o755), ("data", 0o755)] {
        std::fs::set_permissions(room.path(path), std::fs::Permissions::from_mode(mode)).expect("chmod");
    }
    let nobody = ["--reuid=64999", "--regid=64999", "--clear-groups", "--"];
    for place in ["data", "new"] {
        let call = program("setpriv", &nobody).args(&[binary.as_str(), "smallfiles", &room.at(place)]);
        let ended = call.run().expect(2).complains(&["Permission denied"]);
        assert_eq!(ended.sentences().len(), 1, "{ended}");
    }
    assert_eq!(files_below(&room.path("")), ["fsbench"]);
}

/// A small file system in memory, mounted while this lives.
struct Full {
    mount: PathBuf,
}

impl Full {
    /// `None`, with the reason printed, where that cannot be done.
    fn mount(room: &Room) -> Option<Self> {
        let mount = room.path("full");
        std::fs::create_dir(&mount).expect("a directory");
        let at = room.at("full");
        let (mounted, said) = crate::support::program_output("mount", &["-t", "tmpfs", "-o", "size=256k", "none", &at]);
        if !mounted {
            skip(&format!("no tmpfs: {}", said.trim()));
        }
        mounted.then_some(Self { mount })
    }
}

impl Drop for Full {
    fn drop(&mut self) {
        crate::support::program_output("umount", &[&self.mount.display().to_string()]);
    }
}

#[test]
fn a_full_disk_is_one_sentence_and_nothing_is_left() {
    let room = Room::new();
    let Some(full) = Full::mount(&room) else { return };
    let args = ["smallfiles", &room.at("full"), &room.record_flag(), "--size=4k"];
    let ended = fsbench(&args).run().expect(1);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    let ended = ended.complains(&["No space left on device", ".txt"]);
    let ended = ended.says(&["of 1000 files in", "failed", "read: not measured", "cleaned up"]);
    assert_eq!(error_kinds(&room.record()), ["no_space"], "{ended}");
    assert!(std::fs::read_dir(&full.mount).expect("it is mounted").next().is_none(), "{ended}");
    room.file("full/big", &"x".repeat(256 << 10));
    let ended = fsbench(&args).run().complains(&["No space left on device"]);
    assert_ne!(ended.code, Some(0), "{ended}");
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    assert_eq!(files_below(&full.mount), ["big"]);
}
