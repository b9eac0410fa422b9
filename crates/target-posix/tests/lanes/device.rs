//! Block devices: a loop device, where the tests run as root.

use crate::kit::*;
use fsbench_target::{ErrorKind, LaneEngine, LaneKind, LaneOptions, Target};
use std::path::{Path, PathBuf};
use std::process::Command;

const BYTES: u64 = 64 << 20;

/// A loop device on a file of zeros; gone when dropped.
struct Loop {
    device: String,
    root: tempfile::TempDir,
}

fn command(program: &str, words: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(words).output().map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_string()),
        false => Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

impl Loop {
    fn new() -> Option<Self> {
        let root = disk();
        let file = root.path().join("image");
        std::fs::File::create(&file).unwrap().set_len(BYTES).unwrap();
        match command("losetup", &["--find", "--show", file.to_str().unwrap()]) {
            Ok(device) => Some(Self { device, root }),
            Err(reason) => {
                eprintln!("skipped: no loop device ({reason})");
                None
            }
        }
    }

    /// Below the base `/`.
    fn name(&self) -> &str {
        self.device.strip_prefix('/').unwrap()
    }

    fn guard(&self) -> Result<(), String> {
        let error = target(Path::new("/")).guard_write(self.name()).err();
        error.map_or(Ok(()), |error| {
            assert_eq!(error.kind, ErrorKind::Denied);
            Err(error.to_string())
        })
    }

    fn mount_point(&self) -> PathBuf {
        self.root.path().join("mnt")
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = command("umount", &[self.mount_point().to_str().unwrap()]);
        let _ = command("losetup", &["--detach", &self.device]);
    }
}

#[test]
fn a_device_is_read_written_and_trimmed() {
    let Some(device) = Loop::new() else { return };
    for engine in [LaneEngine::Psync, LaneEngine::Mmap, LaneEngine::Libaio, LaneEngine::IoUring] {
        for direct in [false, true] {
            let mut lane = lane(Path::new("/"), &LaneOptions { direct, ..options(engine, 4) });
            let lane = &mut *lane;
            let file = lane.declare(device.name()).unwrap();
            lane.open(file, BOTH).unwrap();
            assert_eq!(lane.size(file), Ok(BYTES));
            for slot in 0..4 {
                pattern(u64::from(slot * BLOCK), lane.buffer(slot));
            }
            let all = |kind| [0, 1, 2, 3].map(|slot| request(kind, slot, file, u64::from(slot * BLOCK), BLOCK));
            run(lane, &all(LaneKind::Write)).iter().for_each(|done| assert_eq!(done.result, Ok(BLOCK)));
            for kind in [LaneKind::Sync, LaneKind::DataSync] {
                assert_eq!(one(lane, request(kind, 0, file, 0, 0)), Ok(0));
            }
            assert_eq!(one(lane, request(LaneKind::Trim, 0, file, 4096, BLOCK)), Ok(BLOCK), "{engine:?}");
            run(lane, &all(LaneKind::Read)).iter().for_each(|done| assert_eq!(done.result, Ok(BLOCK)));
            assert!(is_pattern(0, lane.buffer(0)) && is_pattern(8192, lane.buffer(2)), "{engine:?} {direct}");
            assert!(lane.buffer(1).iter().all(|byte| *byte == 0), "{engine:?} {direct}");
            assert_eq!(one(lane, request(LaneKind::Read, 0, file, BYTES, BLOCK)), Ok(0));
            lane.invalidate(file).unwrap();
            lane.close(file).unwrap();
        }
    }
}

#[test]
fn a_device_that_holds_something_is_guarded() {
    let Some(device) = Loop::new() else { return };
    assert_eq!(device.guard(), Ok(()));
    for (program, words, wanted) in [
        ("mkswap", &[][..], "it holds swap space"),
        ("mkfs.ext4", &["-q", "-F"], "it holds an ext2, ext3 or ext4 file system"),
    ] {
        match command(program, &[words, &[&device.device]].concat()) {
            Ok(_) => {
                let text = device.guard().unwrap_err();
                assert!(text.contains(wanted) && text.ends_with("(--allow-destroy overrides)"), "{text}");
            }
            Err(reason) => eprintln!("not tried: {reason}"),
        }
    }
    let point = device.mount_point();
    std::fs::create_dir(&point).unwrap();
    match command("mount", &[&device.device, point.to_str().unwrap()]) {
        Ok(_) => {
            let text = device.guard().unwrap_err();
            assert!(text.contains(&format!("it is mounted at {}", point.display())), "{text}");
        }
        Err(reason) => eprintln!("not tried: {reason}"),
    }
}
