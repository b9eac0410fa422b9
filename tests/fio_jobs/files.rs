//! What happens to files: laid out, kept, removed, never cut; the engines that only make, look at and remove them.

use crate::support::fio::{json, ours};
use crate::support::room::{Room, files_below};

fn base(room: &Room) -> Vec<String> {
    vec!["--name=t".into(), "--bs=4k".into(), "--eta=never".into(), format!("--directory={}", room.at("d"))]
}

fn room_with_dir() -> Room {
    let room = Room::new();
    std::fs::create_dir_all(room.path("d")).expect("a directory");
    room
}

#[test]
fn names_of_files() {
    let room = room_with_dir();
    ours(&base(&room)).args(&["--rw=write", "--size=64k", "--numjobs=2", "--nrfiles=2"]).run().expect(0);
    assert_eq!(files_below(&room.path("d")), ["t.0.0", "t.0.1", "t.1.0", "t.1.1"]);
    let room = room_with_dir();
    let format = "--filename_format=x.$jobname.$filenum.$jobnum";
    ours(&base(&room)).args(&["--rw=write", "--size=64k", "--nrfiles=2", format]).run().expect(0);
    assert_eq!(files_below(&room.path("d")), ["x.t.0.0", "x.t.1.0"]);
    let room = room_with_dir();
    ours(&base(&room)).args(&["--rw=write", "--size=64k", "--filename=a:b:c\\:d"]).run().expect(0);
    assert_eq!(files_below(&room.path("d")), ["a", "b", "c:d"]);
}

#[test]
fn unlink_removes_only_what_the_run_made() {
    let room = room_with_dir();
    room.file("d/old", &"x".repeat(65536));
    ours(&base(&room)).args(&["--rw=write", "--size=128k", "--filename=old:new", "--unlink=1"]).run().expect(0);
    assert_eq!(files_below(&room.path("d")), ["old"]);
}

#[test]
fn a_larger_file_is_not_cut() {
    let room = room_with_dir();
    let text = "y".repeat(100_000);
    room.file("d/f", &text);
    ours(&base(&room)).args(&["--rw=write", "--size=64k", "--filename=f"]).run().expect(0);
    let after = std::fs::read(room.path("d/f")).expect("the file");
    assert_eq!(after.len(), 100_000);
    assert!(after[65536..].iter().all(|&byte| byte == b'y'), "behind the job's part nothing changed");
    ours(&base(&room)).args(&["--rw=read", "--size=64k", "--filename=f"]).run().expect(0);
    assert_eq!(std::fs::metadata(room.path("d/f")).expect("the file").len(), 100_000);
}

#[test]
fn missing_directories_are_an_error_without_mkdir() {
    let room = Room::new();
    let flags = ["--rw=write", "--size=64k"];
    ours(&base(&room)).args(&flags).run().expect(1).complains(&["--mkdir", "/d"]);
    assert!(!room.path("d").exists());
    ours(&base(&room)).args(&flags).args(&["--mkdir"]).run().expect(0);
    assert_eq!(files_below(&room.path("d")), ["t.0.0"]);
}

#[test]
fn laid_out_and_not_run() {
    let room = room_with_dir();
    ours(&base(&room)).args(&["--rw=read", "--size=64k", "--create_only=1"]).run().expect(0);
    assert_eq!(std::fs::metadata(room.path("d/t.0.0")).expect("laid out").len(), 65536);
    let missing = ["--rw=read", "--size=64k", "--allow_file_create=0", "--filename=none"];
    ours(&base(&room)).args(&missing).run().expect(1).complains(&["none", "allow_file_create"]);
}

#[test]
fn messages_name_the_whole_path() {
    let room = room_with_dir();
    let file = format!("--filename={}", room.at("d/none"));
    let flags = ["--name=t", "--rw=read", "--size=64k", "--allow_file_create=0", &file];
    ours(&flags).run().expect(1).complains(&[&room.at("d/none")]);
}

#[test]
fn engines_of_metadata() {
    let room = room_with_dir();
    let mut text =
        format!("[global]\ndirectory={}\nfilesize=4k\nnrfiles=20\nfilename_format=f.$filenum\n", room.at("d"));
    for engine in ["filecreate", "filestat", "filedelete"] {
        text += &format!("[{engine}]\nstonewall\nioengine={engine}\n");
    }
    let document = json(&ours(&["--output-format=json", &room.file("meta.fio", &text)]).run().expect(0));
    for job in document["jobs"].as_array().expect("jobs") {
        let ios: u64 = ["read", "write"].iter().map(|way| job[way]["total_ios"].as_u64().expect("total_ios")).sum();
        assert_eq!(ios, 20, "{}", job["jobname"]);
    }
    assert_eq!(files_below(&room.path("d")), [] as [&str; 0]);
}

#[test]
fn files_of_others_are_not_deleted() {
    let room = room_with_dir();
    room.file("d/t.0.0", "precious");
    let flags = ["--ioengine=filedelete", "--filesize=4k", "--nrfiles=1"];
    ours(&base(&room)).args(&flags).run().expect(1).complains(&["did not make it", "--allow-destroy"]);
    assert_eq!(std::fs::read(room.path("d/t.0.0")).expect("still there"), b"precious");
}

#[test]
fn each_sync_option_runs() {
    let room = room_with_dir();
    for flag in [
        "--fsync=4",
        "--fdatasync=4",
        "--end_fsync=1",
        "--fsync_on_close=1",
        "--sync=1",
        "--sync=dsync",
        "--sync_file_range=write:4",
    ] {
        ours(&base(&room)).args(&["--rw=write", "--size=64k", flag]).run().expect(0).says(&["total=0,16,0,"]);
    }
    ours(&base(&room))
        .args(&["--rw=write", "--size=64k", "--fsync=4"])
        .run()
        .expect(0)
        .says(&["total=0,16,0,4", "fsync/fdatasync/sync_file_range:"]);
}

#[test]
fn syncs_have_percentiles() {
    let room = room_with_dir();
    ours(&base(&room)).args(&["--rw=write", "--size=64k", "--fsync=4"]).run().expect(0).says(&["sync percentiles"]);
}

#[test]
fn append_fill_and_pre_read() {
    let room = room_with_dir();
    room.file("d/f", &"z".repeat(8192));
    ours(&base(&room)).args(&["--rw=write", "--size=64k", "--file_append=1", "--filename=f"]).run().expect(0);
    let after = std::fs::read(room.path("d/f")).expect("the file");
    assert!(after.len() > 8192 && after[..8192].iter().all(|&byte| byte == b'z'), "{}", after.len());
    ours(&base(&room)).args(&["--rw=read", "--size=64k", "--pre_read=1"]).run().expect(0).says(&["total=16,0,0,0"]);
}

#[test]
fn cold_runs_say_what_the_cache_held() {
    let room = room_with_dir();
    ours(&base(&room)).args(&["--rw=write", "--size=1m", "--end_fsync=1"]).run().expect(0);
    ours(&base(&room))
        .args(&["--rw=read", "--size=1m", "--invalidate=0"])
        .run()
        .expect(0)
        .says(&["cache :", "of 1 MiB in page cache before"]);
    ours(&base(&room))
        .args(&["--rw=read", "--size=1m", "--cold"])
        .run()
        .expect(0)
        .says(&["0% of 1 MiB in page cache before"]);
}

#[test]
fn disks_are_watched() {
    let room = room_with_dir();
    let flags = ["--rw=write", "--size=1m", "--direct=1", "--output-format=json"];
    let document = json(&ours(&base(&room)).args(&flags).run().expect(0));
    if let Some(disks) = document["disk_util"].as_array() {
        assert!(disks.iter().all(|disk| disk["name"].is_string() && disk["util"].is_number()), "{disks:?}");
    }
    let without = json(&ours(&base(&room)).args(&flags).args(&["--disk_util=0"]).run().expect(0));
    assert!(without["disk_util"].is_null());
}
