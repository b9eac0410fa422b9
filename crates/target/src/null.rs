//! `null:`, the store that does nothing: what remains of a run on it is the tool's own cost.
//!
//! Every file exists, has one size, and holds whatever the buffer held; every write vanishes. Not for verification.

use crate::{
    Capabilities, Completion, Cursor, Error, FileId, Io, IoKind, Lane, LaneAccess, LaneDone, LaneEngine, LaneOptions,
    LaneRequest, OpenOptions, Page, Probe, Result, Session, Started, Stat, Target,
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

    fn lane(&self, options: &LaneOptions, _probe: Rc<dyn Probe>) -> Result<Option<Box<dyn Lane>>> {
        let is_null = options.engine == LaneEngine::Null;
        Ok(is_null.then(|| Box::new(NullLane::new(options, self.size)) as Box<dyn Lane>))
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

/// The engine `null` on any target: every request is finished as soon as it is asked for, and nothing is transferred.
#[derive(Debug)]
pub struct NullLane {
    size: u64,
    slot_bytes: usize,
    buffers: Vec<u8>,
    /// Finished at once, as a synchronous engine does, when one request is all there can be.
    at_once: bool,
    files: u32,
    /// Slots and lengths of what was started.
    queue: Vec<(u32, u32)>,
}

impl NullLane {
    /// Every file of it is `size` bytes long.
    #[must_use]
    pub fn new(options: &LaneOptions, size: u64) -> Self {
        let slot_bytes = options.slot_bytes as usize;
        Self {
            size,
            slot_bytes,
            buffers: vec![0; slot_bytes * options.depth.max(1) as usize],
            at_once: options.depth <= 1,
            files: 0,
            queue: Vec::with_capacity(options.depth as usize),
        }
    }
}

impl Lane for NullLane {
    fn declare(&mut self, _path: &str) -> Result<u32> {
        self.files += 1;
        Ok(self.files - 1)
    }

    fn open(&mut self, _file: u32, _access: LaneAccess) -> Result<()> {
        Ok(())
    }

    fn size(&mut self, _file: u32) -> Result<u64> {
        Ok(self.size)
    }

    fn close(&mut self, _file: u32) -> Result<()> {
        Ok(())
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        let start = slot as usize * self.slot_bytes;
        &mut self.buffers[start..start + self.slot_bytes]
    }

    #[inline]
    fn start(&mut self, request: &LaneRequest) -> Started {
        if self.at_once {
            return Started::Done(Ok(request.len));
        }
        self.queue.push((request.slot, request.len));
        Started::Queued
    }

    fn submit(&mut self) -> Result<u32> {
        Ok(self.queue.len() as u32)
    }

    fn reap(&mut self, _min: u32, max: u32, done: &mut Vec<LaneDone>) -> Result<()> {
        let count = self.queue.len().min(max as usize);
        done.extend(self.queue.drain(..count).map(|(slot, len)| LaneDone { slot, result: Ok(len) }));
        Ok(())
    }

    fn cancel(&mut self) {
        self.queue.clear();
    }
}
