//! Where the system says no: a full disk, no permission, no more threads.

use crate::support::call::{FSBENCH, program, remote};
use crate::support::room::{Room, error_kinds, errors_of, repetitions, succeeded};
use crate::support::skip;
use fsbench_results::Ending;
use rustix::process::geteuid;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

/// A user with no rights and no processes.
const NOBODY: [&str; 4] = ["--reuid=64999", "--regid=64999", "--clear-groups", "--"];

/// A small ext4 in a file, mounted while this lives.
struct SmallDisk {
    mount: PathBuf,
}

impl SmallDisk {
    /// `None`, with the reason printed, where that cannot be done.
    fn mount(room: &Room, options: &str) -> Option<Self> {
        let (image, mount) = (room.path("disk.img"), room.path("disk"));
        std::fs::create_dir(&mount).expect("a directory");
        let made = std::fs::File::create(&image).and_then(|file| file.set_len(16 << 20));
        made.expect("a sparse file");
        let ran = |command: &mut Command| {
            command.output().map_err(|e| e.to_string()).and_then(|out| {
                let why = String::from_utf8_lossy(&out.stderr).into_owned();
                if out.status.success() { Ok(()) } else { Err(why) }
            })
        };
        let formatted = ran(Command::new("mkfs.ext4").args(["-q", "-m0"]).arg(&image));
        let mounted = formatted
            .and_then(|()| ran(Command::new("mount").args(["-o", &format!("loop{options}")]).arg(&image).arg(&mount)));
        match mounted {
            Ok(()) => Some(Self { mount }),
            Err(why) => {
                skip(&format!("no loop-mounted ext4: {}", why.trim()));
                None
            }
        }
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        drop(Command::new("umount").arg(&self.mount).status());
    }
}

#[test]
fn a_full_disk_is_counted_and_the_partial_file_removed() {
    let room = Room::new();
    let Some(disk) = SmallDisk::mount(&room, "") else { return };
    let base = format!("--base_dir={}", disk.mount.join("data").display());
    let flags = ["--operation=create_write", &base, &room.record_flag(), "--threads=2", "--repetitions=2"];
    let small = remote(&flags).args(&["--file_size=1MiB"]).run();
    small.expect(0);
    let ended = remote(&flags).args(&["--file_size=100MiB"]).run().expect(1);
    let ended = ended.says(&["no_space", "No space left on device", "test_0"]);
    let record = room.record();
    assert_eq!((record.ending, record.complete), (Ending::Finished, true));
    assert_eq!(error_kinds(&record), ["no_space"], "{ended}");
    assert_eq!((errors_of(&record, "no_space"), succeeded(&record)), (4, 0), "each thread, in each repetition");
    assert!(repetitions(&record).iter().all(|r| r.bytes > 0), "what was written until then is counted");
    let left = crate::support::room::files_below(&disk.mount.join("data"));
    assert!(left.iter().all(|name| name.contains(".fsbench/")), "partial files are removed: {left:?}");
}

#[test]
fn a_full_disk_leaves_room_for_whoever_fits() {
    let room = Room::new();
    let Some(disk) = SmallDisk::mount(&room, "") else { return };
    let base = format!("--base_dir={}", disk.mount.display());
    let flags = ["--operation=create_write", &base, &room.record_flag(), "--repetitions=1"];
    remote(&flags).args(&["--file_size=9MiB", "--threads=2"]).run().expect(1);
    let record = room.record();
    assert!(errors_of(&record, "no_space") >= 1, "{record:?}");
}

#[test]
fn a_read_only_file_system_is_denied() {
    let room = Room::new();
    let Some(disk) = SmallDisk::mount(&room, ",ro") else { return };
    let base = format!("--base_dir={}", disk.mount.display());
    let ended = remote(&["--operation=create_write", &base, &room.record_flag()]).run().expect(2);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    ended.complains(&["Read-only file system"]);
}

/// fsbench as a user without rights, in a room where it may write only what is world-writable.
fn as_nobody(room: &Room, before: &[&str], flags: &[&str]) -> Option<crate::support::call::Call> {
    if !geteuid().is_root() {
        skip("only root can become another user");
        return None;
    }
    let binary = room.at("fsbench");
    // By another process: a file that this one has open for writing may be inherited by a neighbour's child, and is busy.
    program("cp", &[FSBENCH, &binary]).run().expect(0);
    std::fs::set_permissions(room.path(""), std::fs::Permissions::from_mode(0o777)).expect("chmod");
    let call = program("setpriv", &NOBODY).args(before).args(&[binary.as_str(), "remote"]).args(flags);
    Some(call)
}

#[test]
fn no_permission_is_one_sentence() {
    let room = Room::new();
    remote(&["--operation=create_write", &room.base(), "--file_size=10"]).run().expect(0);
    std::fs::set_permissions(room.path("data"), std::fs::Permissions::from_mode(0o755)).expect("chmod");
    let write = ["--operation=create_write", &room.base()];
    let Some(call) = as_nobody(&room, &[], &write) else { return };
    call.run().expect(1).says(&["denied", "test_0", "Permission denied"]);
    let below = [write[0], &format!("{}/below", room.base())];
    let ended = as_nobody(&room, &[], &below).expect("root").run().expect(2).complains(&["Permission denied"]);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    std::fs::set_permissions(room.path("data/test_0"), std::fs::Permissions::from_mode(0o600)).expect("chmod");
    let read = ["--operation=open_read", &room.base(), &room.record_flag()];
    let call = as_nobody(&room, &[], &read).expect("root");
    call.run().expect(1).says(&["denied", "test_0", "Permission denied"]);
    assert_eq!(error_kinds(&room.record()), ["denied"]);
}

#[test]
fn threads_that_cannot_be_started_are_an_error_and_no_hang() {
    let room = Room::new();
    let flags = ["--operation=create_write", &room.base(), &room.record_flag(), "--threads=500", "--file_size=10"];
    let Some(call) = as_nobody(&room, &["prlimit", "--nproc=20:20", "--"], &flags) else { return };
    let ended = call.run().expect(1).complains(&["of 500 workers could be started", "fewer --threads"]);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    let record = room.record();
    assert_eq!(record.ending, Ending::Failed);
    assert!(record.failure.expect("a sentence").contains("of 500 workers"));
}

#[test]
fn an_address_space_that_is_too_small_is_an_error_and_no_hang() {
    let room = Room::new();
    let flags = ["--operation=create_write", &room.base(), &room.record_flag(), "--threads=500", "--file_size=10"];
    let ended = program("prlimit", &["--as=400000000", "--", FSBENCH, "remote"]).args(&flags).run();
    // Whose allocation fails first is chance: the one for a thread's stack is an error, any other ends the process.
    if ended.signal.is_some() {
        ended.complains(&["memory allocation of "]);
    } else {
        ended.expect(1).complains(&["of 500 workers could be started", "fewer --threads"]);
        assert_eq!(room.record().ending, Ending::Failed);
    }
}

#[test]
fn more_threads_than_the_kernel_can_map_are_refused() {
    let room = Room::new();
    let flags = ["--operation=create_write", &room.base(), "--threads=60000", "--file_size=10"];
    let limit = std::fs::read_to_string("/proc/sys/vm/max_map_count").expect("a limit");
    if limit.trim().parse::<u64>().expect("a number") > 4 * 60_000 {
        return skip("this kernel lets 60000 threads run: vm.max_map_count is high");
    }
    let ended = remote(&flags).run().expect(2).complains(&["60000 workers", "fewer --threads", "vm.max_map_count"]);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    assert!(!room.path("data").exists(), "nothing was touched");
}

#[test]
fn results_that_cannot_be_saved_are_an_error_after_the_table() {
    let room = Room::new();
    let flags = ["--operation=create_write", &room.base(), "--file_size=10"];
    let ended = remote(&flags).args(&["--record=/dev/full"]).run().expect(1);
    assert_eq!(ended.sentences().len(), 1, "{ended}");
    ended.says(&["LocalCreateWriteBenchmark", "_mean"]).complains(&["could not all be saved", "/dev/full"]);
    let line = format!("{FSBENCH} remote {} >/dev/full", flags.join(" "));
    program("sh", &["-c", &line]).run().expect(1).complains(&["cannot write to standard output"]);
}

#[test]
fn too_few_descriptors_are_counted_as_errors() {
    let room = Room::new();
    // A sync keeps each file open for long enough to have many at once.
    let flags = ["--operation=create_write", &room.base(), &room.record_flag(), "--threads=200", "--file_size=10"];
    let flags = [&flags[..], &["--sync"]].concat();
    let ended = program("prlimit", &["--nofile=20:20", "--", FSBENCH, "remote"]).args(&flags).run();
    let ended = ended.expect(1).says(&["Too many open files"]);
    assert!(room.record().error_count() > 0, "{ended}");
}
