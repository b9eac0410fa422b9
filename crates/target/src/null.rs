//! `null:`, the store that does nothing: what remains of a run on it is the tool's own cost.
//!
//! Every file exists, has one size, and holds whatever the buffer held; every write vanishes. Not for verification.

use crate::{
    Capabilities, Completion, Cursor, Error, FileId, Io, IoKind, OpenOptions, Page, Probe, Result, Session, Stat,
    Target,
};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The target `null:`.
#[derive(Clone, Debug)]
pub struct NullTarget {
    size: u64,
    interrupted: Arc<AtomicBool>,
}

impl NullTarget {
    /// Every file of it is `size` bytes long.
    #[must_use]
    pub fn new(size: u64) -> Self {
        Self { size, interrupted: Arc::default() }
    }
}

impl Target for NullTarget {
    fn scheme(&self) -> &'static str {
        "null"
    }

    fn uri(&self) -> String {
        "null:".into()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            random_write: true,
            append: true,
            truncate: true,
            sync: true,
            atomic_rename: true,
            rename_refuses_existing: false,
            directories: true,
            page_cache: false,
            parallel_reads: true,
            upload_bytes_max: 0,
        }
    }

    fn facts(&self) -> Vec<(String, String)> {
        vec![("file size".into(), self.size.to_string())]
    }

    fn session(&self, _probe: Rc<dyn Probe>) -> Result<Box<dyn Session>> {
        Ok(Box::new(NullSession { size: self.size, done: Vec::new(), interrupted: self.interrupted.clone() }))
    }

    fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    fn resume(&self) {
        self.interrupted.store(false, Ordering::Relaxed);
    }
}

struct NullSession {
    size: u64,
    done: Vec<Completion>,
    interrupted: Arc<AtomicBool>,
}

impl NullSession {
    fn go(&self, operation: &'static str, path: &str) -> Result<()> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(Error::interrupted("null", operation, path));
        }
        Ok(())
    }

    fn transferred(&self, io: &Io) -> usize {
        let left = self.size.saturating_sub(io.offset);
        match io.kind {
            IoKind::Read => io.len.min(usize::try_from(left).unwrap_or(usize::MAX)),
            IoKind::Write => io.len,
            IoKind::Sync => 0,
        }
    }
}

impl Session for NullSession {
    fn stat(&mut self, path: &str) -> Result<Stat> {
        self.go("stat", path).map(|()| Stat { size: self.size, directory: path.is_empty() })
    }

    fn exists(&mut self, path: &str) -> Result<bool> {
        self.go("stat", path).map(|()| true)
    }

    fn list(&mut self, path: &str, _from: Option<Cursor>) -> Result<Page> {
        self.go("list", path).map(|()| Page::default())
    }

    fn mkdir(&mut self, path: &str) -> Result<()> {
        self.go("mkdir", path)
    }

    fn rename(&mut self, from: &str, _to: &str) -> Result<()> {
        self.go("rename", from)
    }

    fn delete(&mut self, path: &str) -> Result<()> {
        self.go("delete", path)
    }

    fn truncate(&mut self, path: &str, _size: u64) -> Result<()> {
        self.go("truncate", path)
    }

    fn open(&mut self, path: &str, _options: OpenOptions) -> Result<FileId> {
        self.go("open", path).map(|()| FileId(0))
    }

    fn size(&mut self, _file: FileId) -> Result<u64> {
        Ok(self.size)
    }

    fn submit(&mut self, io: Io) -> Result<()> {
        let result = self.go("transfer", "null:").map(|()| self.transferred(&io));
        self.done.push(Completion { tag: io.tag, result, buffer: io.buffer });
        Ok(())
    }

    fn reap(&mut self, _min: usize, done: &mut Vec<Completion>) -> Result<()> {
        done.append(&mut self.done);
        Ok(())
    }

    fn close(&mut self, _file: FileId) -> Result<()> {
        Ok(())
    }

    fn abandon(&mut self, _file: FileId) -> Result<()> {
        Ok(())
    }
}
