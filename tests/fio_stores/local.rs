//! The file systems that people compare, on loop devices: every engine, GitLab's check, the ready-made comparison.

use crate::support::fio::{json, ours};
use crate::support::mounts::Mount;
use crate::support::room::Room;

/// The engines that the file system has: FUSE as fuse2fs does it has no shared writable maps with direct I/O, and
/// that is not used here.
const ENGINES: [&str; 5] = ["psync", "pvsync2", "libaio", "io_uring", "mmap"];

#[track_caller]
fn works_on(kind: &str) {
    let room = Room::new();
    let Some(mount) = Mount::new(&room, kind, 64 << 20) else { return };
    for engine in ENGINES {
        let flags = ["--name=t", "--bs=4k", "--size=1m", "--verify=crc32c", "--unlink=1", "--output-format=json"];
        let more = [format!("--ioengine={engine}"), format!("--filename={}", mount.at("t")), "--rw=randwrite".into()];
        let document = json(&ours(&flags).args(&more).run().expect(0));
        assert_eq!(document["jobs"][0]["write"]["total_ios"], 256, "{engine} on {kind}");
        assert_eq!(document["jobs"][0]["read"]["total_ios"], 256, "{engine} on {kind}: verified");
    }
    gitlab(kind, &mount);
    comparison(kind, &mount);
    smallfiles(kind, &mount);
}

fn gitlab(kind: &str, mount: &Mount) {
    let flags = ["--job=gitlab-git-disk", "--scale=0.001", "--output-format=json"];
    let document = json(&ours(&flags).args(&[format!("--directory={}", mount.at(""))]).run().expect(0));
    let ios = |way: &str| document["jobs"][0][way]["total_ios"].as_u64().expect("total_ios");
    assert!(ios("read") > 500 && ios("write") > 100, "{kind}: {document}");
}

fn comparison(kind: &str, mount: &Mount) {
    let flags = ["--job=fs-compare", "--scale=0.001", "--output-format=json"];
    let document = json(&ours(&flags).args(&[format!("--directory={}", mount.at(""))]).run().expect(0));
    for job in document["jobs"].as_array().expect("jobs") {
        assert_eq!(job["error"], 0, "{kind}: {job}");
    }
}

fn smallfiles(kind: &str, mount: &Mount) {
    let flags = ["smallfiles", &mount.at("small"), "--count=50"];
    let ended = crate::support::call::fsbench(&flags).run();
    assert_eq!(ended.code, Some(0), "{kind}: {ended}");
}

#[test]
fn on_ext4() {
    works_on("ext4");
}

#[test]
fn on_ext3() {
    works_on("ext3");
}

#[test]
fn on_fuse() {
    works_on("fuse");
}
