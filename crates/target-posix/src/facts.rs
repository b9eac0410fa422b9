//! What the Record says about the file system and the device under the base. Read when asked, never while measuring.

use crate::mounts::{self, Mount};
use std::path::{Path, PathBuf};

type Facts = Vec<(String, String)>;

/// Facts of `base`, or of the nearest directory above it that exists. What cannot be found out is left away.
pub(crate) fn of(base: &Path) -> Facts {
    let mut facts = Facts::new();
    let Some(path) = base.ancestors().find_map(|path| path.canonicalize().ok()) else {
        return facts;
    };
    let mountinfo = std::fs::read("/proc/self/mountinfo").unwrap_or_default();
    if let Some(mount) = mounts::of(&mountinfo, &path) {
        add(&mut facts, "mount point", mount.point.display());
        add(&mut facts, "device", &mount.source);
        add(&mut facts, "file system", &mount.kind);
        add(&mut facts, "mount options", &mount.options);
        space(&mut facts, &path);
        block_device(&mut facts, &mount);
    }
    facts
}

fn add(facts: &mut Facts, name: &str, value: impl ToString) {
    facts.push((name.to_string(), value.to_string()));
}

/// In bytes; free is what this user may still write.
fn space(facts: &mut Facts, path: &Path) {
    if let Ok(found) = rustix::fs::statvfs(path) {
        add(facts, "file system size", found.f_blocks.saturating_mul(found.f_frsize));
        add(facts, "file system free", found.f_bavail.saturating_mul(found.f_frsize));
    }
}

fn block_device(facts: &mut Facts, mount: &Mount) {
    let Some(device) = sysfs_of(mount) else { return };
    if let Some(name) = device.file_name() {
        add(facts, "block device", name.to_string_lossy());
    }
    let sources = [
        ("block device model", "device/model"),
        ("block device rotational", "queue/rotational"),
        ("block device scheduler", "queue/scheduler"),
        ("block device backing file", "loop/backing_file"),
    ];
    for (name, file) in sources {
        if let Ok(text) = std::fs::read_to_string(device.join(file)) {
            add(facts, name, chosen(text.trim()));
        }
    }
}

/// The whole disk's folder in /sys: by the mount's number, or by its source where that has none of its own (btrfs).
fn sysfs_of(mount: &Mount) -> Option<PathBuf> {
    let number = match mount.device.starts_with("0:") {
        false => mount.device.clone(),
        true if mount.source.starts_with("/dev/") => {
            let device = rustix::fs::stat(&*mount.source).ok()?.st_rdev;
            format!("{}:{}", rustix::fs::major(device), rustix::fs::minor(device))
        }
        true => return None,
    };
    let device = Path::new("/sys/dev/block").join(number).canonicalize().ok()?;
    match device.join("partition").exists() {
        true => device.parent().map(Path::to_path_buf),
        false => Some(device),
    }
}

/// `mq-deadline` of `none [mq-deadline] kyber`; other texts as they are.
fn chosen(text: &str) -> &str {
    let inside = text.split_once('[').and_then(|(_, rest)| rest.split_once(']'));
    inside.map_or(text, |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheduler_in_brackets_is_chosen() {
        assert_eq!(chosen("none [mq-deadline] kyber"), "mq-deadline");
        assert_eq!(chosen("QEMU HARDDISK"), "QEMU HARDDISK");
    }

    #[test]
    fn a_missing_base_has_the_facts_of_the_directory_above() {
        let root = tempfile::tempdir().unwrap();
        let names: Vec<String> = of(&root.path().join("no/such")).into_iter().map(|(name, _)| name).collect();
        for name in ["mount point", "device", "file system", "mount options", "file system size", "file system free"] {
            assert!(names.iter().any(|found| found == name), "{name} in {names:?}");
        }
    }
}
