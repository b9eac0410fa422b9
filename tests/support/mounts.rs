//! Small file systems for one test: images on loop devices, tmpfs, FUSE. They need root, and are gone when dropped.

use super::fio::{has, is_root};
use super::program_output;
use super::room::Room;
use std::path::{Path, PathBuf};

/// An image behind a loop device.
pub struct Loop {
    pub device: String,
    image: PathBuf,
}

impl Loop {
    /// A device of `bytes` zeros; `None`, and said why, if there can be none.
    pub fn new(room: &Room, name: &str, bytes: u64) -> Option<Self> {
        if !is_root() || !has("losetup", "apt-get install mount") {
            return None;
        }
        let image = room.path(name);
        std::fs::File::create(&image).and_then(|file| file.set_len(bytes)).expect("an image");
        let (found, said) = program_output("losetup", &["--find", "--show", image.to_str().expect("UTF-8")]);
        if !found {
            super::skip(&format!("no loop device can be made: {}", said.trim()));
            return None;
        }
        Some(Self { device: said.trim().to_string(), image })
    }

    /// Makes a file system on it: the `type` of `mkfs.type`.
    pub fn format(&self, kind: &str) {
        let (made, said) = program_output("/sbin/mkfs", &["-t", kind, "-q", &self.device]);
        assert!(made, "mkfs.{kind}: {said}");
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        program_output("losetup", &["--detach", &self.device]);
        drop(std::fs::remove_file(&self.image));
    }
}

/// A mounted file system.
pub struct Mount {
    pub dir: PathBuf,
    unmount: &'static str,
    // Detached after it is unmounted.
    _device: Option<Loop>,
}

impl Mount {
    /// `kind`: `ext4`, `ext3`, `tmpfs`, or `fuse` (ext4 through fuse2fs).
    pub fn new(room: &Room, kind: &str, bytes: u64) -> Option<Self> {
        let dir = room.path(&format!("{kind}-mount"));
        std::fs::create_dir_all(&dir).expect("a directory");
        match kind {
            "tmpfs" => Self::tmpfs(&dir, bytes),
            "fuse" => Self::fuse(room, &dir, bytes),
            kind => {
                let device = Loop::new(room, &format!("{kind}.img"), bytes)?;
                device.format(kind);
                let (mounted, said) = program_output("mount", &["-t", kind, &device.device, text(&dir)]);
                mounted_or_skip(kind, mounted, &said)?;
                Some(Self { dir, unmount: "umount", _device: Some(device) })
            }
        }
    }

    fn tmpfs(dir: &Path, bytes: u64) -> Option<Self> {
        if !is_root() {
            return None;
        }
        let (mounted, said) =
            program_output("mount", &["-t", "tmpfs", "-o", &format!("size={bytes}"), "none", text(dir)]);
        mounted_or_skip("tmpfs", mounted, &said)?;
        Some(Self { dir: dir.into(), unmount: "umount", _device: None })
    }

    fn fuse(room: &Room, dir: &Path, bytes: u64) -> Option<Self> {
        if !is_root() || !has("fuse2fs", "apt-get install fuse2fs") {
            return None;
        }
        let image = room.path("fuse.img");
        std::fs::File::create(&image).and_then(|file| file.set_len(bytes)).expect("an image");
        let (made, said) = program_output("/sbin/mkfs", &["-t", "ext4", "-q", "-F", text(&image)]);
        assert!(made, "{said}");
        let (mounted, said) = program_output("fuse2fs", &[text(&image), text(dir), "-o", "fakeroot"]);
        mounted_or_skip("fuse2fs", mounted, &said)?;
        Some(Self { dir: dir.into(), unmount: "umount", _device: None })
    }

    /// A path in it.
    pub fn at(&self, name: &str) -> String {
        text(&self.dir.join(name)).to_string()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let (gone, _) = program_output(self.unmount, &[text(&self.dir)]);
        if !gone {
            program_output(self.unmount, &["-l", text(&self.dir)]);
        }
    }
}

fn mounted_or_skip(kind: &str, mounted: bool, said: &str) -> Option<()> {
    if !mounted {
        super::skip(&format!("{kind} cannot be mounted: {}", said.trim()));
    }
    mounted.then_some(())
}

fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}
