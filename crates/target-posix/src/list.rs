//! Listings: a walk through directories, one `getdents64` for each page, in memory bounded by the depth.
//!
//! A page is the files of one `getdents64` call, each with a `statx` for its size. The names of the next page are read
//! before a page is returned, so that the last one is known to be the last. Links are neither listed nor followed;
//! what is neither file nor directory is not listed.

use crate::base::Base;
use fsbench_target::{Cursor, Entry, ErrorKind, Page, Result};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RawDir, openat, statat};
use rustix::io::{Errno, retry_on_intr};
use std::ffi::{CStr, CString};
use std::mem::MaybeUninit;

/// Bytes of directory entries for each call, as in glibc's readdir: about 1,000 names.
const PAGE_BYTES: usize = 32 * 1024;

/// Walks that a session keeps; starting one more ends the oldest.
const WALKS_MAX: usize = 16;

/// The walks of a session.
#[derive(Debug, Default)]
pub(crate) struct Walks {
    walks: Vec<Walk>,
    started: u64,
}

impl Walks {
    /// One page; see [`fsbench_target::Session::list`].
    pub(crate) fn list(&mut self, base: &Base, name: &CStr, path: &str, from: Option<Cursor>) -> Result<Page> {
        let mut walk = match from {
            None => Walk::start(base, name, path, self.next_number())?,
            Some(cursor) => self.take(base, path, &cursor)?,
        };
        let entries = walk.page(base)?;
        let next = walk.ahead.is_some().then(|| walk.cursor());
        if next.is_some() {
            if self.walks.len() == WALKS_MAX {
                self.walks.remove(0);
            }
            self.walks.push(walk);
        }
        Ok(Page { entries, next })
    }

    fn next_number(&mut self) -> u64 {
        self.started += 1;
        self.started
    }

    fn take(&mut self, base: &Base, path: &str, cursor: &Cursor) -> Result<Walk> {
        let index = self.walks.iter().position(|walk| walk.cursor() == *cursor);
        index.map(|index| self.walks.remove(index)).ok_or_else(|| {
            let detail = "this cursor was used before, or its listing was given up for newer ones";
            base.refuse(ErrorKind::Invalid, "list", path, detail)
        })
    }
}

/// A directory that is being read.
#[derive(Debug)]
struct Level {
    fd: OwnedFd,
    /// Name relative to the base.
    path: String,
    /// Directories of its last page that were not visited yet.
    pending: Vec<CString>,
}

/// The names of one page, before their sizes are known.
#[derive(Debug, Default)]
struct Names(Vec<CString>);

#[derive(Debug)]
struct Walk {
    number: u64,
    pages: u64,
    levels: Vec<Level>,
    /// The next page's names, in the directory of the last level; `None` at the end.
    ahead: Option<Result<Names>>,
    buffer: Box<[MaybeUninit<u8>]>,
}

fn below(path: &str, name: &CStr) -> String {
    let name = name.to_string_lossy();
    if path.is_empty() { name.into_owned() } else { format!("{path}/{name}") }
}

fn open_directory(at: impl AsFd, name: &CStr, follow: bool) -> rustix::io::Result<OwnedFd> {
    let link = if follow { OFlags::empty() } else { OFlags::NOFOLLOW };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | link;
    retry_on_intr(|| openat(&at, name, flags, Mode::empty()))
}

impl Walk {
    fn start(base: &Base, name: &CStr, path: &str, number: u64) -> Result<Self> {
        let fd = open_directory(CWD, name, path.is_empty()).map_err(|errno| base.fail("list", path, errno))?;
        let levels = vec![Level { fd, path: path.to_string(), pending: Vec::new() }];
        let buffer = vec![MaybeUninit::uninit(); PAGE_BYTES].into_boxed_slice();
        let mut walk = Self { number, pages: 0, levels, ahead: None, buffer };
        walk.ahead = walk.read_names(base).transpose();
        Ok(walk)
    }

    fn cursor(&self) -> Cursor {
        Cursor(format!("{}/{}", self.number, self.pages))
    }

    /// The page whose names were read ahead. Reads the names of the one behind it.
    fn page(&mut self, base: &Base) -> Result<Vec<Entry>> {
        let Some(names) = self.ahead.take() else { return Ok(Vec::new()) };
        let entries = self.sizes(base, names?)?;
        self.pages += 1;
        self.ahead = self.read_names(base).transpose();
        Ok(entries)
    }

    fn sizes(&self, base: &Base, names: Names) -> Result<Vec<Entry>> {
        let Some(level) = self.levels.last() else { return Ok(Vec::new()) };
        let mut entries = Vec::with_capacity(names.0.len());
        for name in names.0 {
            let path = below(&level.path, &name);
            match statat(&level.fd, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) => entries.push(Entry { path, size: found.st_size as u64 }),
                // Deleted since its directory was read.
                Err(Errno::NOENT) => {}
                Err(errno) => return Err(base.fail("list", &path, errno)),
            }
        }
        Ok(entries)
    }

    /// Reads on until a `getdents64` has returned something: deeper first, then on in the same directory, then up.
    fn read_names(&mut self, base: &Base) -> Result<Option<Names>> {
        while let Some(level) = self.levels.last_mut() {
            if let Some(name) = level.pending.pop() {
                self.descend(base, &name)?;
                continue;
            }
            let read = read_directory(level, &mut self.buffer);
            match read.map_err(|errno| base.fail("list", &level.path, errno))? {
                Some(names) => return Ok(Some(names)),
                None => drop(self.levels.pop()),
            }
        }
        Ok(None)
    }

    fn descend(&mut self, base: &Base, name: &CStr) -> Result<()> {
        let Some(level) = self.levels.last() else { return Ok(()) };
        let path = below(&level.path, name);
        match open_directory(&level.fd, name, false) {
            Ok(fd) => self.levels.push(Level { fd, path, pending: Vec::new() }),
            // Deleted or replaced since its parent was read.
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => {}
            Err(errno) => return Err(base.fail("list", &path, errno)),
        }
        Ok(())
    }
}

/// One `getdents64`: files are returned, directories left pending. `None` at the directory's end.
fn read_directory(level: &mut Level, buffer: &mut [MaybeUninit<u8>]) -> rustix::io::Result<Option<Names>> {
    let mut names = Names::default();
    let mut directory = RawDir::new(&level.fd, buffer);
    let mut any = false;
    while let Some(entry) = directory.next() {
        let entry = entry?;
        any = true;
        let name = entry.file_name();
        if name != c"." && name != c".." {
            match kind_of(&level.fd, name, entry.file_type())? {
                FileType::RegularFile => names.0.push(name.to_owned()),
                FileType::Directory => level.pending.push(name.to_owned()),
                _ => {}
            }
        }
        if directory.is_buffer_empty() {
            break;
        }
    }
    Ok(any.then_some(names))
}

/// The type of an entry; some file systems tell only when asked apart.
fn kind_of(at: impl AsFd, name: &CStr, told: FileType) -> rustix::io::Result<FileType> {
    if told != FileType::Unknown {
        return Ok(told);
    }
    match statat(at, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(found) => Ok(FileType::from_raw_mode(found.st_mode)),
        Err(Errno::NOENT) => Ok(FileType::Unknown),
        Err(errno) => Err(errno),
    }
}
