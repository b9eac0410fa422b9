//! A worker's session: the name space, and requests on open files.

use crate::call::Calls;
use crate::client::{Client, Fault, Outcome, Writer};
use crate::file::{self, Landed, OpenFile, Reading, Role, Spare, Writing};
use crate::listing::Walk;
use fsbench_target::{
    Completion, Cursor, Entry, Error, ErrorKind, Event, FileId, Io, IoKind, OpenMode, OpenOptions, Page, Probe, Result,
    Session, Stage, Stat, relative,
};
use futures_util::future::{FutureExt, LocalBoxFuture};
use futures_util::stream::{FuturesUnordered, StreamExt};
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

/// How long giving a file up may take: for its writer to end, and for the NameNode to delete it.
const ABANDON_CLOSE: Duration = Duration::from_millis(200);
const ABANDON_DELETE: Duration = Duration::from_secs(10);
/// Listings that were begun and not ended; the oldest is forgotten first.
const WALKS_MAX: usize = 16;

/// What a session is given by its target.
pub(crate) struct Common<C: Client> {
    /// For the name space and for writes: on the session's own engine.
    pub(crate) client: Arc<C>,
    /// For reads: on the engine that all sessions share.
    pub(crate) readers: Arc<C>,
    pub(crate) calls: Calls,
    /// The base: `hdfs://authority/path` and `/path`.
    pub(crate) base_uri: String,
    pub(crate) base_path: String,
    /// Whether a close syncs first.
    pub(crate) sync: bool,
}

/// The session.
pub(crate) struct HdfsSession<C: Client> {
    common: Common<C>,
    probe: Rc<dyn Probe>,
    files: HashMap<FileId, OpenFile<C>>,
    next_file: u32,
    queue: VecDeque<Io>,
    flying: FuturesUnordered<LocalBoxFuture<'static, Landed<C>>>,
    /// Completions that came while nobody reaped.
    early: Vec<Completion>,
    spare: Spare,
    walks: BTreeMap<u64, Walk<C>>,
    next_walk: u64,
}

impl<C: Client> HdfsSession<C> {
    pub(crate) fn new(common: Common<C>, probe: Rc<dyn Probe>) -> Self {
        Self {
            common,
            probe,
            files: HashMap::new(),
            next_file: 0,
            queue: VecDeque::new(),
            flying: FuturesUnordered::new(),
            early: Vec::new(),
            spare: Spare::default(),
            walks: BTreeMap::new(),
            next_walk: 0,
        }
    }

    fn uri(&self, path: &str) -> String {
        join(&self.common.base_uri, path)
    }

    /// The absolute path of `path`.
    fn absolute(&self, operation: &'static str, path: &str) -> Result<String> {
        let below = relative("hdfs", operation, path)?;
        let absolute = join(&self.common.base_path, below);
        Ok(if absolute.is_empty() { "/".to_owned() } else { absolute })
    }

    /// One call to the NameNode, measured as `stage`.
    fn ask<T>(&self, stage: Stage, call: impl Future<Output = Outcome<T>>) -> Outcome<T> {
        let start = self.probe.now();
        let outcome = self.common.calls.wait(call);
        if outcome.is_ok() {
            self.probe.stage(stage, start, 0);
        }
        outcome
    }

    fn request<T>(&self, operation: &'static str, path: &str, call: impl Future<Output = Outcome<T>>) -> Result<T> {
        self.ask(Stage::Request, call).map_err(|fault| file::error(operation, &self.uri(path), fault))
    }

    fn opened(&mut self, operation: &'static str, file: FileId) -> Result<&mut OpenFile<C>> {
        let base = &self.common.base_uri;
        self.files.get_mut(&file).ok_or_else(|| {
            Error::new(ErrorKind::Invalid, "hdfs", operation, base, format!("file {} is not open", file.0))
        })
    }

    fn role(&self, path: &str, options: OpenOptions) -> Outcome<Role<C>> {
        let client = &*self.common.client;
        let writing = |writer, next_offset, created| {
            Role::Write(Writing { writer: Some(writer), next_offset, created, failed: false })
        };
        match options.mode {
            OpenMode::Read => {
                let reader = self.ask(Stage::Request, self.common.readers.read(path))?;
                Ok(Role::Read(Reading::new(reader, options.size_hint)))
            }
            OpenMode::CreateNew => Ok(writing(self.ask(Stage::Request, client.create(path, false))?, 0, true)),
            OpenMode::CreateOrReplace => Ok(writing(self.ask(Stage::Request, client.create(path, true))?, 0, true)),
            OpenMode::Append => {
                let size = self.ask(Stage::Request, client.status(path))?.size;
                Ok(writing(self.ask(Stage::Request, client.append(path))?, size, false))
            }
            OpenMode::ReadWrite => Err(Fault::new(ErrorKind::Unsupported, "HDFS has no writes in place")),
        }
    }

    /// Starts what is queued, in order, but for files whose writer is away.
    fn launch(&mut self) {
        let mut later = VecDeque::new();
        while let Some(io) = self.queue.pop_front() {
            let alone = self.flying.is_empty() && self.queue.is_empty() && later.is_empty();
            let blocked = later.iter().any(|waiting: &Io| waiting.file == io.file && io.kind != IoKind::Read);
            let Some(file) = self.files.get_mut(&io.file).filter(|_| !blocked) else {
                later.push_back(io);
                continue;
            };
            match file.job(io, alone) {
                Ok(job) => {
                    let calls = self.common.calls.clone();
                    self.flying.push(job.run(calls, self.probe.clone(), self.spare.clone()).boxed_local());
                }
                Err(io) => later.push_back(io),
            }
        }
        self.queue = later;
    }

    fn land(&mut self, landed: Landed<C>) -> Completion {
        match self.files.get_mut(&landed.file()) {
            Some(file) => file.take_back(landed),
            None => landed.completion,
        }
    }

    /// The short way of a request that is alone: no task, no allocation.
    fn alone(&mut self) -> Option<Completion> {
        if !(self.flying.is_empty() && self.queue.len() == 1) {
            return None;
        }
        let io = self.queue.pop_front()?;
        let file = self.files.get_mut(&io.file)?;
        let job = match file.job(io, true) {
            Ok(job) => job,
            Err(io) => {
                self.queue.push_back(io);
                return None;
            }
        };
        let run = job.run(self.common.calls.clone(), self.probe.clone(), self.spare.clone());
        let landed = self.common.calls.engine.wait(run);
        Some(self.land(landed))
    }

    /// The next finished request; waits for it if `wait`. `None` when none is in flight, or none is finished.
    fn next_landed(&mut self, wait: bool) -> Option<Completion> {
        self.launch();
        if self.flying.is_empty() {
            return None;
        }
        let landed = if wait {
            self.common.calls.engine.wait(self.flying.next())
        } else {
            let _inside = self.common.calls.engine.handle().enter();
            self.flying.next().now_or_never().flatten()
        };
        landed.map(|landed| self.land(landed))
    }

    /// Waits for all requests that are under way on `file`.
    fn settle(&mut self, file: FileId) {
        let busy = |session: &Self| {
            let away = match session.files.get(&file).map(|open| &open.role) {
                Some(Role::Write(writing)) => writing.writer.is_none(),
                _ => false,
            };
            away || session.queue.iter().any(|io| io.file == file)
        };
        while busy(self) {
            match self.next_landed(true) {
                Some(completion) => self.early.push(completion),
                None => return,
            }
        }
    }

    fn walk_from(&mut self, path: &str, from: Option<Cursor>) -> Result<Walk<C>> {
        let Some(Cursor(cursor)) = from else { return Ok(Walk::new(self.absolute("list", path)?)) };
        let walk = cursor.parse().ok().and_then(|index: u64| self.walks.remove(&index));
        walk.ok_or_else(|| {
            let detail = format!("\"{cursor}\" is not the cursor of a listing under way in this session");
            Error::new(ErrorKind::Invalid, "hdfs", "list", self.uri(path), detail)
        })
    }

    fn keep_walk(&mut self, walk: Walk<C>) -> Cursor {
        let index = self.next_walk;
        self.next_walk += 1;
        self.walks.insert(index, walk);
        if self.walks.len() > WALKS_MAX {
            self.walks.pop_first();
        }
        Cursor(index.to_string())
    }

    /// The name below the base of an absolute path.
    fn below(&self, absolute: &str) -> String {
        let below = absolute.strip_prefix(&self.common.base_path).unwrap_or(absolute);
        below.trim_start_matches('/').to_owned()
    }
}

fn join(base: &str, path: &str) -> String {
    match path {
        "" => base.to_owned(),
        path => format!("{base}/{path}"),
    }
}

impl<C: Client> Session for HdfsSession<C> {
    fn stat(&mut self, path: &str) -> Result<Stat> {
        let absolute = self.absolute("stat", path)?;
        let status = self.request("stat", path, self.common.client.status(&absolute))?;
        Ok(Stat { size: status.size, directory: status.directory })
    }

    fn exists(&mut self, path: &str) -> Result<bool> {
        match self.stat(path) {
            Ok(_) => Ok(true),
            Err(error) if error.kind == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn list(&mut self, path: &str, from: Option<Cursor>) -> Result<Page> {
        let mut walk = self.walk_from(path, from)?;
        let page = self.ask(Stage::Request, walk.page(&self.common.client));
        let (files, follows) = page.map_err(|fault| file::error("list", &self.uri(path), fault))?;
        let entries = files.into_iter().map(|file| Entry { path: self.below(&file.path), size: file.size }).collect();
        let next = follows.then(|| self.keep_walk(walk));
        Ok(Page { entries, next })
    }

    fn mkdir(&mut self, path: &str) -> Result<()> {
        let absolute = self.absolute("mkdir", path)?;
        self.request("mkdir", path, self.common.client.mkdir(&absolute))
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        let (old, new) = (self.absolute("rename", from)?, self.absolute("rename", to)?);
        self.request("rename", from, self.common.client.rename(&old, &new))
    }

    fn delete(&mut self, path: &str) -> Result<()> {
        let absolute = self.absolute("delete", path)?;
        if self.request("delete", path, self.common.client.delete(&absolute))? {
            return Ok(());
        }
        Err(Error::new(ErrorKind::NotFound, "hdfs", "delete", self.uri(path), "no such file or directory"))
    }

    fn truncate(&mut self, path: &str, _size: u64) -> Result<()> {
        relative("hdfs", "truncate", path)?;
        let error = Error::unsupported("hdfs", "truncate", self.uri(path));
        Err(error.with_hint("HDFS can, the client library hdfs-native cannot"))
    }

    fn open(&mut self, path: &str, options: OpenOptions) -> Result<FileId> {
        let absolute = self.absolute("open", path)?;
        let uri = self.uri(path);
        let role = self.role(&absolute, options).map_err(|fault| file::error("open", &uri, fault))?;
        let id = FileId(self.next_file);
        self.next_file += 1;
        self.files.insert(id, OpenFile { uri: uri.into(), path: absolute, role });
        Ok(id)
    }

    fn size(&mut self, file: FileId) -> Result<u64> {
        Ok(match &self.opened("size", file)?.role {
            Role::Read(reading) => reading.size,
            Role::Write(writing) => writing.next_offset,
        })
    }

    fn submit(&mut self, io: Io) -> Result<()> {
        let open = self.opened("submit to", io.file)?;
        let misuse = |open: &OpenFile<C>, detail: String| {
            Err(Error::new(ErrorKind::Invalid, "hdfs", "submit to", &*open.uri, detail))
        };
        if io.len > io.buffer.len() {
            return misuse(open, format!("{} bytes do not fit into a buffer of {}", io.len, io.buffer.len()));
        }
        match (&mut open.role, io.kind) {
            (Role::Read(_), IoKind::Read) | (Role::Write(_), IoKind::Sync) => {}
            (Role::Write(writing), IoKind::Write) if writing.next_offset == io.offset => {
                writing.next_offset += io.len as u64;
            }
            (Role::Write(writing), IoKind::Write) => {
                let expected = writing.next_offset;
                return misuse(
                    open,
                    format!("a write at {} does not follow the last, which ended at {expected}", io.offset),
                );
            }
            (Role::Read(_), _) => return misuse(open, "it is open for reading only".into()),
            (Role::Write(_), IoKind::Read) => return misuse(open, "it is open for writing only".into()),
        }
        self.queue.push_back(io);
        Ok(())
    }

    fn reap(&mut self, min: usize, done: &mut Vec<Completion>) -> Result<()> {
        let before = done.len();
        done.append(&mut self.early);
        if min > 0 && done.len() == before {
            done.extend(self.alone());
        }
        loop {
            let wait = done.len() - before < min;
            match self.next_landed(wait) {
                Some(completion) => done.push(completion),
                None => return Ok(()),
            }
        }
    }

    fn close(&mut self, file: FileId) -> Result<()> {
        self.opened("close", file)?;
        self.settle(file);
        let sync = self.common.sync;
        let (calls, probe) = (self.common.calls.clone(), self.probe.clone());
        let open = self.opened("close", file)?;
        if let Role::Write(writing) = &mut open.role {
            let uri = open.uri.clone();
            let wrong = |fault| file::error("close", &uri, fault);
            let Some(writer) = writing.writer.as_mut().filter(|_| !writing.failed) else {
                return Err(wrong(Fault::new(ErrorKind::Invalid, "an earlier request on this file failed")));
            };
            if sync {
                calls.wait(writer.sync()).map_err(wrong)?;
            }
            let start = probe.now();
            let closed = calls.wait(writer.close());
            writing.failed = closed.is_err();
            closed.map_err(wrong)?;
            probe.stage(Stage::Complete, start, writing.next_offset);
        }
        self.files.remove(&file);
        Ok(())
    }

    fn abandon(&mut self, file: FileId) -> Result<()> {
        self.opened("abandon", file)?;
        self.settle(file);
        let Some(OpenFile { uri, path, role: Role::Write(writing) }) = self.files.remove(&file) else { return Ok(()) };
        let calls = &self.common.calls;
        if let Some(mut writer) = writing.writer {
            // Dropped without this, it would leave the library's heartbeat to the DataNode running for ever.
            let _ = calls.wait_anyhow(ABANDON_CLOSE, writer.close());
        }
        self.probe.event(Event::Abort);
        let client = &*self.common.client;
        if writing.created {
            let deleted = calls.wait_anyhow(ABANDON_DELETE, client.delete(&path));
            return deleted.map(|_| ()).map_err(|fault| file::error("delete the partly written", &uri, fault));
        }
        calls.wait_anyhow(ABANDON_DELETE, client.release(&path)).map_err(|fault| file::error("release", &uri, fault))
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
