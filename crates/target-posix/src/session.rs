//! A worker's session: every call checked, then handed to the part that does it.

use crate::base::{Base, SCHEME};
use crate::cache;
use crate::files::{Files, OpenFile, close};
use crate::list::Walks;
use crate::names::Names;
use crate::queue::Queue;
use crate::target::Shared;
use fsbench_target::{
    Cached, Completion, Cursor, Error, ErrorKind, Event, FileId, Io, OpenMode, OpenOptions, Page, Probe, Result,
    Session, Stat,
};
use rustix::fd::OwnedFd;
use rustix::fs::{FileType, Mode, OFlags};
use rustix::io::{Errno, retry_on_intr};
use std::rc::Rc;
use std::sync::Arc;

/// A session on a [`crate::PosixTarget`].
pub(crate) struct PosixSession {
    shared: Arc<Shared>,
    probe: Rc<dyn Probe>,
    /// Stands before `files`: dropped first, so that no read is in flight when its file is closed.
    queue: Queue,
    files: Files,
    names: Names,
    walks: Walks,
}

fn flags(mode: OpenMode) -> OFlags {
    let how = match mode {
        OpenMode::Read => OFlags::RDONLY,
        OpenMode::CreateNew => OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL,
        OpenMode::CreateOrReplace => OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC,
        OpenMode::Append => OFlags::WRONLY | OFlags::APPEND,
        OpenMode::ReadWrite => OFlags::RDWR,
    };
    how | OFlags::CLOEXEC | OFlags::NOFOLLOW
}

fn size_for_reading(base: &Base, path: &str, fd: &OwnedFd) -> Result<u64> {
    let found = rustix::fs::fstat(fd).map_err(|errno| base.fail("open", path, errno))?;
    match FileType::from_raw_mode(found.st_mode) {
        FileType::Directory => Err(base.fail("open", path, Errno::ISDIR)),
        _ => Ok(found.st_size as u64),
    }
}

impl PosixSession {
    pub(crate) fn new(shared: Arc<Shared>, probe: Rc<dyn Probe>) -> Self {
        let queue = Queue::new(shared.clone());
        Self { shared, probe, queue, files: Files::default(), names: Names::default(), walks: Walks::default() }
    }

    fn go(&self, operation: &'static str, path: &str) -> Result<()> {
        match self.shared.interrupted() {
            true => Err(Error::interrupted(SCHEME, operation, self.shared.base.name(path))),
            false => Ok(()),
        }
    }

    #[cold]
    fn not_open(&self, operation: &'static str, file: FileId) -> Error {
        let detail = format!("file {} is not open", file.0);
        Error::new(ErrorKind::Invalid, SCHEME, operation, self.shared.base.name(""), detail)
    }

    /// Deletes what an abandoned open had made, unless another file has that name by now.
    fn remove_created(&mut self, open: &OpenFile) -> Result<()> {
        let base = &self.shared.base;
        let name = self.names.one.join(base, "delete", &open.path)?;
        let same = |fd: &OwnedFd| match (rustix::fs::fstat(fd), rustix::fs::lstat(name)) {
            (Ok(mine), Ok(there)) => (mine.st_dev, mine.st_ino) == (there.st_dev, there.st_ino),
            _ => false,
        };
        if !open.fd.as_ref().is_none_or(same) {
            return Ok(());
        }
        self.probe.event(Event::Abort);
        match rustix::fs::unlink(name) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(errno) => Err(base.fail("delete", &open.path, errno)),
        }
    }
}

impl Session for PosixSession {
    fn stat(&mut self, path: &str) -> Result<Stat> {
        self.go("stat", path)?;
        self.names.stat(&self.shared.base, path)
    }

    fn exists(&mut self, path: &str) -> Result<bool> {
        self.go("stat", path)?;
        self.names.exists(&self.shared.base, path)
    }

    fn list(&mut self, path: &str, from: Option<Cursor>) -> Result<Page> {
        self.go("list", path)?;
        let name = self.names.one.join(&self.shared.base, "list", path)?;
        self.walks.list(&self.shared.base, name, path, from)
    }

    fn mkdir(&mut self, path: &str) -> Result<()> {
        self.go("make directory", path)?;
        self.names.mkdir(&self.shared.base, path)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        self.go("rename", from)?;
        self.names.rename(&self.shared.base, from, to)
    }

    fn delete(&mut self, path: &str) -> Result<()> {
        self.go("delete", path)?;
        self.names.delete(&self.shared.base, path)
    }

    fn truncate(&mut self, path: &str, size: u64) -> Result<()> {
        self.go("truncate", path)?;
        self.names.truncate(&self.shared.base, path, size)
    }

    fn cached(&mut self, path: &str) -> Result<Option<Cached>> {
        self.go("look at the page cache of", path)?;
        let base = &self.shared.base;
        cache::cached(base, path, self.names.one.join(base, cache::LOOK, path)?)
    }

    fn evict(&mut self, path: &str) -> Result<Option<Cached>> {
        self.go("evict", path)?;
        let base = &self.shared.base;
        cache::evict(base, path, self.names.one.join(base, cache::EVICT, path)?)
    }

    fn open(&mut self, path: &str, options: OpenOptions) -> Result<FileId> {
        let created = matches!(options.mode, OpenMode::CreateNew | OpenMode::CreateOrReplace);
        let verb = if created { "create" } else { "open" };
        self.go(verb, path)?;
        let base = &self.shared.base;
        let name = self.names.one.join(base, verb, path)?;
        let fd = retry_on_intr(|| rustix::fs::open(name, flags(options.mode), Mode::from_raw_mode(0o666)))
            .map_err(|errno| base.fail(verb, path, errno))?;
        let size = (options.mode == OpenMode::Read).then(|| size_for_reading(base, path, &fd)).transpose()?;
        let file = OpenFile { path: path.to_string(), fd: Some(fd), size, created };
        self.files
            .insert(file)
            .ok_or_else(|| base.refuse(ErrorKind::Invalid, verb, path, "this session has a million files open"))
    }

    fn size(&mut self, file: FileId) -> Result<u64> {
        let open = self.files.find(file).ok_or_else(|| self.not_open("stat", file))?;
        match (open.size, &open.fd) {
            (Some(size), _) => Ok(size),
            (None, Some(fd)) => size_for_reading(&self.shared.base, &open.path, fd),
            (None, None) => Err(self.not_open("stat", file)),
        }
    }

    fn submit(&mut self, io: Io) -> Result<()> {
        let Some(open) = self.files.find(io.file) else {
            return Err(self.not_open("submit to", io.file));
        };
        if io.len > io.buffer.len() {
            let detail = format!("{} bytes do not fit into a buffer of {}", io.len, io.buffer.len());
            return Err(self.shared.base.refuse(ErrorKind::Invalid, "submit to", &open.path, &detail));
        }
        self.queue.push(&self.files, io);
        Ok(())
    }

    fn reap(&mut self, min: usize, done: &mut Vec<Completion>) -> Result<()> {
        self.queue.reap(&self.files, min, done)
    }

    /// # Errors
    /// Also when requests of the file have not been reaped: the caller does not know what became of them.
    fn close(&mut self, file: FileId) -> Result<()> {
        let shared = self.shared.clone();
        let Some(open) = self.files.find(file) else {
            return Err(self.not_open("close", file));
        };
        self.go("close", &open.path)?;
        if self.queue.holds(file) {
            let detail = "requests of it were submitted and not reaped";
            return Err(shared.base.refuse(ErrorKind::Invalid, "close", &open.path, detail));
        }
        let Some(fd) = self.files.find_mut(file).and_then(|open| open.fd.take()) else {
            return Err(self.not_open("close", file));
        };
        let closed = close(fd);
        if let (Err(errno), Some(open)) = (closed, self.files.find(file)) {
            return Err(shared.base.fail("close", &open.path, errno));
        }
        self.files.remove(file);
        Ok(())
    }

    /// Requests of the file that were not reaped are dropped, after the kernel has let go of their buffers.
    fn abandon(&mut self, file: FileId) -> Result<()> {
        let settled = self.queue.forget(&self.files, file);
        let Some(open) = self.files.remove(file) else {
            return Ok(());
        };
        if open.created {
            self.remove_created(&open)?;
        }
        settled
    }
}
