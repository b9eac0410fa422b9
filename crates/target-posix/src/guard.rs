//! Whether a name may be overwritten without a word of the user: not a block device that is in use, or holds something.
//!
//! Looked at while planning, never while measuring. Regular files, pipes and character devices are always free.

use crate::base::Base;
use crate::mounts;
use crate::signature;
use fsbench_target::{ErrorKind, Result};
use rustix::fs::{FileType, Mode, OFlags, major, minor};
use rustix::io::Errno;
use std::collections::BTreeSet;
use std::ffi::CStr;
use std::fmt::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

const WRITE: &str = "write to";

/// Bytes at the start of a device in which all known signatures lie.
const HEAD_BYTES: usize = 1 << 20;

/// `major:minor`, as sysfs and mountinfo write it.
type Number = String;

/// Refuses what must not be overwritten.
pub(crate) fn check(base: &Base, path: &str, name: &CStr) -> Result<()> {
    let device = match rustix::fs::stat(name) {
        Ok(found) if FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice => number(found.st_rdev),
        // What is not there yet will be a file.
        Ok(_) | Err(Errno::NOENT | Errno::NOTDIR) => return Ok(()),
        Err(errno) => return Err(base.fail(WRITE, path, errno)),
    };
    let reason = match in_use(&device) {
        None => unlocked(name).and_then(|used| if used.is_some() { Ok(used) } else { content(name) }),
        used => Ok(used),
    };
    match reason.map_err(|errno| base.fail("look at", path, errno))? {
        None => Ok(()),
        Some(reason) => {
            Err(base.refuse(ErrorKind::Denied, WRITE, path, &reason).with_hint("--allow-destroy overrides"))
        }
    }
}

fn number(device: u64) -> Number {
    format!("{}:{}", major(device), minor(device))
}

/// As whose number a device file is known.
fn number_of(device: &str) -> Option<Number> {
    let found = std::fs::metadata(device).ok()?;
    (found.mode() & libc::S_IFMT == libc::S_IFBLK).then(|| number(found.rdev()))
}

/// Why the device, a partition of it, the disk it is a part of, or what is built on them is in use.
fn in_use(device: &str) -> Option<String> {
    let related = related(Path::new("/sys/dev/block"), device);
    let mountinfo = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    let swaps = std::fs::read_to_string("/proc/swaps").unwrap_or_default();
    let named = |other: &Number, source: &str| match other == device {
        true => "it".to_string(),
        false => format!("{source}, which is a part of it or built on it,"),
    };
    for mount in mounts::all(&mountinfo) {
        // Some file systems (btrfs) have a number of their own and tell the device by its name.
        let source = mount.source.starts_with("/dev/").then(|| number_of(&mount.source)).flatten();
        let found = [Some(mount.device.clone()), source].into_iter().flatten().find(|number| related.contains(number));
        if let Some(number) = found {
            return Some(format!("{} is mounted at {}", named(&number, &mount.source), mount.point.display()));
        }
    }
    let swap = swaps.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    let mut swap = swap.filter_map(|name| Some((name, number_of(name)?)));
    let (name, number) = swap.find(|(_, number)| related.contains(number))?;
    Some(format!("{} is swap space", named(&number, name)))
}

/// The device, its partitions, the disk that it is a part of, and all that is built on those (LVM, RAID, dm-crypt).
fn related(sysfs: &Path, device: &str) -> BTreeSet<Number> {
    let mut seen = BTreeSet::new();
    let Ok(folder) = sysfs.join(device).canonicalize() else {
        return BTreeSet::from([device.to_string()]);
    };
    let mut todo = vec![folder.clone()];
    if folder.join("partition").exists() {
        let disk = folder.parent().map(Path::to_path_buf);
        // Of the disk itself only what is built on it, not the other partitions.
        disk.iter().for_each(|disk| todo.extend(children(&disk.join("holders"))));
        seen.extend(disk.and_then(|disk| number_in(&disk)));
    }
    while let Some(folder) = todo.pop() {
        let Some(number) = number_in(&folder) else { continue };
        if seen.insert(number) {
            todo.extend(children(&folder).into_iter().filter(|child| child.join("partition").exists()));
            todo.extend(children(&folder.join("holders")));
        }
    }
    seen
}

fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.path().canonicalize().ok()).collect()
}

fn number_in(folder: &Path) -> Option<Number> {
    std::fs::read_to_string(folder.join("dev")).ok().map(|text| text.trim().to_string())
}

/// Asks the kernel for the device alone, which it refuses when anything in it uses the device, in whatever namespace.
fn unlocked(name: &CStr) -> rustix::io::Result<Option<String>> {
    match rustix::fs::open(name, OFlags::RDONLY | OFlags::EXCL | OFlags::CLOEXEC, Mode::empty()) {
        Ok(_) => Ok(None),
        Err(Errno::BUSY) => Ok(Some("the kernel says that the device is in use".into())),
        Err(errno) => Err(errno),
    }
}

/// What the device holds.
fn content(name: &CStr) -> rustix::io::Result<Option<String>> {
    let fd = rustix::fs::open(name, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let head = head(&std::fs::File::from(fd)).map_err(|error| Errno::from_io_error(&error).unwrap_or(Errno::IO))?;
    let mut found = signature::all(&head).into_iter();
    Ok(found.next().map(|first| {
        let mut text = format!("it holds {first}");
        found.for_each(|more| {
            let _ = write!(text, ", {more}");
        });
        text
    }))
}

fn head(device: &std::fs::File) -> std::io::Result<Vec<u8>> {
    let mut head = vec![0; HEAD_BYTES];
    let mut filled = 0;
    while filled < head.len() {
        match device.read_at(&mut head[filled..], filled as u64)? {
            0 => break,
            count => filled += count,
        }
    }
    head.truncate(filled);
    Ok(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disk 8:0 with partitions 8:1 and 8:2, LVM 253:0 on the first, and on that a RAID 9:0.
    fn sysfs() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let block = root.path().join("dev/block");
        std::fs::create_dir_all(&block).unwrap();
        let folder = |name: &str, number: &str, partition: bool| {
            let path = root.path().join("devices").join(name);
            std::fs::create_dir_all(path.join("holders")).unwrap();
            std::fs::write(path.join("dev"), format!("{number}\n")).unwrap();
            partition.then(|| std::fs::write(path.join("partition"), "1\n").unwrap());
            std::os::unix::fs::symlink(&path, block.join(number)).unwrap();
            path
        };
        folder("sda", "8:0", false);
        let first = folder("sda/sda1", "8:1", true);
        folder("sda/sda2", "8:2", true);
        let mapped = folder("dm-0", "253:0", false);
        let raid = folder("md0", "9:0", false);
        std::os::unix::fs::symlink(&mapped, first.join("holders/dm-0")).unwrap();
        std::os::unix::fs::symlink(&raid, mapped.join("holders/md0")).unwrap();
        root
    }

    #[test]
    fn partitions_and_what_is_built_on_them_are_related() {
        let root = sysfs();
        let of = |device| related(&root.path().join("dev/block"), device).into_iter().collect::<Vec<_>>();
        assert_eq!(of("8:0"), ["253:0", "8:0", "8:1", "8:2", "9:0"]);
        assert_eq!(of("8:1"), ["253:0", "8:0", "8:1", "9:0"]);
        assert_eq!(of("8:2"), ["8:0", "8:2"]);
        assert_eq!(of("253:0"), ["253:0", "9:0"]);
        assert_eq!(of("7:7"), ["7:7"]);
    }

    #[test]
    fn the_disk_below_a_mount_is_in_use() {
        let mountinfo = std::fs::read("/proc/self/mountinfo").unwrap();
        let mount =
            mounts::all(&mountinfo).find(|mount| mount.source.starts_with("/dev/") && !mount.device.starts_with("0:"));
        match mount {
            Some(mount) => assert!(in_use(&mount.device).unwrap().contains("it is mounted at"), "{mount:?}"),
            None => eprintln!("skipped: nothing is mounted from a block device here"),
        }
    }

    #[test]
    fn files_and_character_devices_are_free() {
        let base = Base::new(Path::new("/")).unwrap();
        for name in [c"/dev/zero", c"/dev/null", c"/no/such/file", c"/proc/self/mountinfo"] {
            assert_eq!(check(&base, "x", name), Ok(()));
        }
    }
}
