//! The engine of names: creating, looking at and deleting files that are not open. Each is one system call (creating
//! two, as the file is closed again) on a name below a directory that is open already. A directory that is removed and made
//! again after its files were declared is not found any more.

use super::core::{Core, Engine};
use fsbench_target::{LaneKind, LaneRequest, Started};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, statat, unlinkat};
use rustix::io::retry_on_intr;
use std::collections::HashMap;
use std::ffi::CStr;
use std::os::unix::ffi::OsStrExt;

/// Directories kept open at most: files of more are found by their absolute names.
const DIRECTORIES: usize = 256;

/// Where a file's name starts from.
const ABSOLUTE: u32 = u32::MAX;

/// The engine.
#[derive(Default)]
pub(crate) struct Names {
    directories: Vec<OwnedFd>,
    /// By name: a place in `directories`, or [`ABSOLUTE`] for one that cannot be opened (yet).
    known: HashMap<Box<str>, u32>,
    /// By file: the directory's place, and where the name is in `text`.
    files: Vec<(u32, usize)>,
    /// All names, each ended by a NUL byte.
    text: Vec<u8>,
}

impl Names {
    /// The place of an open directory.
    fn directory(&mut self, core: &Core, parent: &str) -> u32 {
        if let Some(place) = self.known.get(parent) {
            return *place;
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let path = core.files.base().join(parent);
        match retry_on_intr(|| rustix::fs::open(&path, flags, Mode::empty())) {
            Ok(fd) if self.directories.len() < DIRECTORIES => {
                self.directories.push(fd);
                let place = self.directories.len() as u32 - 1;
                self.known.insert(parent.into(), place);
                place
            }
            _ => ABSOLUTE,
        }
    }

    fn name(&self, file: u32) -> Option<(BorrowedFd<'_>, &CStr)> {
        let &(place, start) = self.files.get(file as usize)?;
        let directory = if place == ABSOLUTE { CWD } else { self.directories[place as usize].as_fd() };
        CStr::from_bytes_until_nul(&self.text[start..]).ok().map(|name| (directory, name))
    }
}

fn run(directory: BorrowedFd<'_>, name: &CStr, kind: LaneKind) -> rustix::io::Result<()> {
    match kind {
        LaneKind::Create => {
            let flags = OFlags::CREATE | OFlags::RDWR | OFlags::CLOEXEC;
            let fd = retry_on_intr(|| openat(directory, name, flags, Mode::from_raw_mode(0o666)))?;
            crate::files::close(fd)
        }
        LaneKind::Stat => statat(directory, name, AtFlags::empty()).map(drop),
        _ => unlinkat(directory, name, AtFlags::empty()),
    }
}

impl Engine for Names {
    fn declared(&mut self, core: &mut Core, file: u32) {
        let path = core.files.path(file);
        let (parent, last) = path.rsplit_once('/').unwrap_or(("", path));
        let place = self.directory(core, parent);
        self.files.push((place, self.text.len()));
        if place == ABSOLUTE {
            self.text.extend_from_slice(core.files.base().join(path).as_os_str().as_bytes());
        } else {
            self.text.extend_from_slice(last.as_bytes());
        }
        self.text.push(0);
    }

    #[inline]
    fn start(&mut self, core: &mut Core, request: &LaneRequest) -> Started {
        if !matches!(request.kind, LaneKind::Create | LaneKind::Stat | LaneKind::Delete) {
            return Started::Done(Err(core.files.unknown(request.kind, request.file)));
        }
        Started::Done(match self.name(request.file) {
            None => Err(core.files.closed(request.kind, request.file)),
            Some((directory, name)) => run(directory, name, request.kind)
                .map(|()| 0)
                .map_err(|errno| core.files.failed(request.kind, request.file, errno)),
        })
    }
}
