//! Devices and file systems that are full, holy, or cannot do what is asked. Most of it needs root.

use crate::support::fio::{json, ours};
use crate::support::mounts::{Loop, Mount};
use crate::support::program_output;
use crate::support::room::Room;
use crate::support::skip;

const MIB: u64 = 1 << 20;

#[test]
fn a_formatted_device_is_not_written() {
    let room = Room::new();
    let Some(device) = Loop::new(&room, "holy.img", 16 * MIB) else { return };
    device.format("ext4");
    let before = std::fs::read(room.path("holy.img")).expect("the image");
    let flags = ["--name=t", "--rw=write", "--bs=4k", "--size=1m", &format!("--filename={}", device.device)];
    ours(&flags).run().expect(1).complains(&[&device.device, "--allow-destroy"]);
    program_output("sync", &[]);
    assert!(std::fs::read(room.path("holy.img")).expect("the image") == before, "nothing was written");
    let reads = ["--name=t", "--rw=read", "--bs=4k", "--size=1m", &format!("--filename={}", device.device)];
    ours(&reads).run().expect(0).says(&["total=256,0,0,0"]);
    ours(&flags).args(&["--allow-destroy"]).run().expect(0).says(&["total=0,256,0,0"]);
}

#[test]
fn a_mounted_device_is_not_written() {
    let room = Room::new();
    let Some(mount) = Mount::new(&room, "ext4", 16 * MIB) else { return };
    let (_, said) = program_output("findmnt", &["-n", "-o", "SOURCE", mount.dir.to_str().expect("UTF-8")]);
    let flags = ["--name=t", "--rw=randwrite", "--bs=4k", "--size=1m", &format!("--filename={}", said.trim())];
    ours(&flags).run().expect(1).complains(&[said.trim(), "mounted"]);
}

#[test]
fn an_empty_device_is_written_trimmed_and_read() {
    let room = Room::new();
    let Some(device) = Loop::new(&room, "empty.img", 8 * MIB) else { return };
    let file = format!("--filename={}", device.device);
    for (mode, counts) in [
        ("write", "total=0,2048,0,0"),
        ("randread", "total=2048,0,0,0"),
        ("trim", "total=0,0,2048,0"),
        ("randtrim", "total=0,0,2048,0"),
        ("randwrite", "total=0,2048,0,0"),
    ] {
        let flags = ["--name=t", &format!("--rw={mode}"), "--bs=4k", "--direct=1", &file];
        ours(&flags).run().expect(0).says(&[counts]);
    }
    ours(&["--name=t", "--rw=trimwrite", "--bs=4k", "--size=1m", &file]).run().expect(0);
}

/// fio knows trims of devices only; here a trim of a file gives its blocks back.
#[test]
fn a_trimmed_part_of_a_file_is_zeros() {
    let room = Room::new();
    let file = format!("--filename={}", room.file("f", &"x".repeat(131_072)));
    ours(&["--name=t", "--rw=trim", "--bs=4k", "--size=64k", &file]).run().expect(0).says(&["total=0,0,16,0"]);
    let after = std::fs::read(room.path("f")).expect("the file");
    assert_eq!(after.len(), 131_072);
    assert!(after[..65536].iter().all(|&byte| byte == 0) && after[65536..].iter().all(|&byte| byte == b'x'));
}

#[test]
fn a_full_file_system() {
    for kind in ["tmpfs", "ext4"] {
        let room = Room::new();
        let Some(mount) = Mount::new(&room, kind, 8 * MIB) else { return };
        let file = format!("--filename={}", mount.at("f"));
        let flags =
            ["--name=t", "--rw=write", "--bs=64k", "--size=64m", "--fallocate=none", "--output-format=json", &file];
        let ended = ours(&flags).run().expect(1).complains(&["space"]);
        let document = json(&ended);
        assert_eq!(document["jobs"][0]["error"], 28, "{kind}");
        let filled =
            ours(&["--name=t", "--rw=write", "--bs=64k", "--fill_device=1", "--output-format=json", "--size=64m"]);
        json(&filled.args(&[&file, &"--fallocate=none".to_string()]).run().expect(0));
    }
}

/// sysfs has no direct I/O, and one file that is large enough to be read in blocks. (tmpfs and FUSE have it by now.)
#[test]
fn direct_io_where_there_is_none() {
    let file = "/sys/kernel/btf/vmlinux";
    if !std::path::Path::new(file).exists() {
        return skip(&format!("{file} is not there to try direct I/O on"));
    }
    let flags = ["--name=t", "--rw=read", "--bs=4k", "--size=4k", "--invalidate=0", &format!("--filename={file}")];
    ours(&flags).run().expect(0).says(&["total=1,0,0,0"]);
    let ended = ours(&flags).args(&["--direct=1", "--output-format=json"]).run();
    let ended = ended.expect(1).complains(&[file, "does not support direct I/O"]);
    assert_eq!(json(&ended)["jobs"][0]["error"], 22);
}

#[test]
fn unaligned_direct_io_is_an_error_that_says_so() {
    let room = Room::new();
    let file = format!("--filename={}", room.at("f"));
    let ended = ours(&["--name=t", "--rw=write", "--bs=1000", "--size=64k", "--direct=1", &file]).run();
    ended.expect(1).complains(&["f"]);
}

/// A loop device whose image was cut behind its back: reads beyond are EIO.
fn failing(room: &Room) -> Option<Loop> {
    let device = Loop::new(room, "failing.img", MIB)?;
    let image = std::fs::OpenOptions::new().write(true).open(room.path("failing.img"));
    image.and_then(|image| image.set_len(64 << 10)).expect("the image is cut");
    Some(device)
}

#[test]
fn errors_of_a_device() {
    let room = Room::new();
    let Some(device) = failing(&room) else { return };
    let file = format!("--filename={}", device.device);
    let flags = ["--name=t", "--rw=read", "--bs=4k", "--size=256k", "--direct=1", "--output-format=json", &file];
    let ended = ours(&flags).run().expect(1).complains(&[&device.device, "Input/output error"]);
    let job = &json(&ended)["jobs"][0];
    assert_eq!((&job["error"], &job["read"]["total_ios"]), (&5.into(), &16.into()));
    let ended = ours(&flags).args(&["--continue_on_error=io"]).run().expect(1);
    let job = &json(&ended)["jobs"][0];
    assert_eq!((&job["total_err"], &job["first_error"]), (&48.into(), &5.into()));
}

#[test]
fn devices_that_are_too_small() {
    let room = Room::new();
    let Some(device) = Loop::new(&room, "small.img", MIB) else { return };
    let file = format!("--filename={}", device.device);
    ours(&["--name=t", "--rw=read", "--bs=4k", "--size=4m", &file]).run().expect(1).complains(&[&device.device]);
}
