//! A worker's session: the calls of [`Session`], each run to its end on the session's own runtime.

use crate::client::Client;
use crate::copy::Copy;
use crate::driver::Driver;
use crate::failure::{Failure, Outcome};
use crate::object::{Names, Object};
use crate::recycle::Spares;
use crate::upload::Upload;
use crate::work::{self, OpenFile, Reading, Work, Writing, interrupted};
use fsbench_target::{
    Completion, Cursor, Entry, Error, ErrorKind, FileId, Io, IoKind, OpenMode, OpenOptions, Page, Result, Session,
    Stat, relative,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::future::{Future, poll_fn};
use std::rc::Rc;

pub(crate) struct S3Session {
    driver: Driver,
    client: Rc<Client>,
    names: Names,
    work: Work,
    /// Where the next write to a file must begin, those that still wait included.
    ends: HashMap<FileId, u64>,
    next_id: u32,
}

/// Runs a call that can be interrupted, and says on which name it failed.
fn run<T>(
    driver: &mut Driver,
    operation: &'static str,
    uri: &str,
    call: impl Future<Output = Outcome<T>>,
) -> Result<T> {
    match driver.run(call) {
        Some(result) => result.map_err(|failure| failure.at(operation, uri)),
        None => Err(interrupted(operation, uri)),
    }
}

impl S3Session {
    pub(crate) fn new(driver: Driver, client: Client) -> Self {
        let config = &client.shared.config;
        let names = Names::new(config);
        let spares = Spares::new(config.part_size * (config.upload_concurrency as u64 + 2));
        Self { driver, client: Rc::new(client), names, work: Work::new(spares), ends: HashMap::new(), next_id: 0 }
    }

    /// The object of a file's name, and the whole name.
    fn object(&self, operation: &'static str, path: &str) -> Result<(Object, String)> {
        let uri = self.names.uri(relative("s3", operation, path)?);
        if path.is_empty() {
            return Err(Error::new(ErrorKind::WrongType, "s3", operation, uri, "it is a prefix, not an object"));
        }
        let object = self.names.object(path).map_err(|failure| failure.at(operation, uri.as_str()))?;
        Ok((object, uri))
    }

    /// Asks whether the bucket is there and can be listed.
    fn probe_base(&mut self, operation: &'static str) -> Result<()> {
        let uri = self.names.uri("");
        let prefix = self.names.prefix("");
        run(&mut self.driver, operation, &uri, self.client.list(&self.names, &prefix, None, 1)).map(drop)
    }

    fn opened(&self, file: FileId) -> Result<&OpenFile> {
        self.work
            .files
            .get(&file)
            .ok_or_else(|| Error::new(ErrorKind::Invalid, "s3", "use", format!("file {}", file.0), "it is not open"))
    }

    fn open_for_reading(&mut self, path: &str) -> Result<OpenFile> {
        let (object, uri) = self.object("open", path)?;
        let head = run(&mut self.driver, "open", &uri, self.client.head(&object)).map_err(explain_missing)?;
        Ok(OpenFile::Reading(Rc::new(Reading { object, head, uri })))
    }

    fn open_for_writing(&mut self, path: &str, options: OpenOptions) -> Result<OpenFile> {
        let (object, uri) = self.object("create", path)?;
        let exclusive = options.mode == OpenMode::CreateNew;
        if exclusive && self.exists(path)? {
            return Err(Error::new(ErrorKind::AlreadyExists, "s3", "create", uri, "the object exists"));
        }
        if self.driver.is_stopped() {
            return Err(interrupted("create", &uri));
        }
        let upload = Upload::new(self.client.clone(), Rc::new(object), exclusive, options.size_hint);
        Ok(OpenFile::Writing(Box::new(Writing { upload, uri })))
    }

    fn submit_write(&mut self, io: Io) -> Result<()> {
        let OpenFile::Writing(file) = self.opened(io.file)? else {
            let uri = self.opened(io.file)?.uri();
            return Err(Error::new(ErrorKind::Invalid, "s3", "write", uri, "it is open for reading only"));
        };
        let expected = self.ends.get(&io.file).copied().unwrap_or_else(|| file.upload.written());
        if io.offset != expected {
            return Err(work::out_of_order(expected, io.offset).at("write", file.uri.as_str()));
        }
        self.ends.insert(io.file, expected + io.len as u64);
        match self.driver.is_stopped() {
            true => self.work.refuse_write(io),
            false => self.work.queue_write(io),
        }
        Ok(())
    }

    /// The short way for a read that is alone: nothing is boxed, nothing is queued.
    fn read_alone(&mut self, file: &Reading, mut io: Io) -> Completion {
        let read = self.driver.run(work::read(&self.client, file, &mut io));
        let result = read.unwrap_or_else(|| Err(interrupted("read", &file.uri)));
        Completion { tag: io.tag, result, buffer: io.buffer }
    }

    fn reads_max(&self) -> usize {
        self.client.shared.config.max_connections.unwrap_or(usize::MAX)
    }

    fn copy(&mut self, from: (&Object, &str), to: (&Object, &str)) -> Result<()> {
        let upload = RefCell::default();
        let copy = Copy { client: &self.client, names: &self.names, from: from.0, to: to.0, upload };
        let whole = run(&mut self.driver, "rename", from.1, copy.whole())?;
        let Some(head) = whole else {
            return Ok(());
        };
        self.driver.clean(copy.begin()).map_err(|failure| failure.at("rename", from.1))?;
        let copied = run(&mut self.driver, "rename", from.1, copy.in_parts(&head));
        if copied.is_err() {
            self.driver.clean(copy.abort()).map_err(|failure| failure.at("abort the upload of", to.1))?;
        }
        copied
    }
}

/// A HEAD's 404 has no body, so that a missing bucket looks like a missing object.
fn explain_missing(error: Error) -> Error {
    match (error.kind, &error.hint) {
        (ErrorKind::NotFound, None) => {
            let detail = "no such object".into();
            Error { detail, ..error }.with_hint("or no such bucket: a HEAD cannot tell")
        }
        _ => error,
    }
}

impl Session for S3Session {
    fn stat(&mut self, path: &str) -> Result<Stat> {
        if path.is_empty() {
            return self.probe_base("stat").map(|()| Stat { size: 0, directory: true });
        }
        let (object, uri) = self.object("stat", path)?;
        let head = run(&mut self.driver, "stat", &uri, self.client.head(&object)).map_err(explain_missing)?;
        Ok(Stat { size: head.size, directory: false })
    }

    fn exists(&mut self, path: &str) -> Result<bool> {
        if path.is_empty() {
            return self.probe_base("look for").map(|()| true);
        }
        let (object, uri) = self.object("look for", path)?;
        match run(&mut self.driver, "look for", &uri, self.client.head(&object)) {
            Ok(_) => Ok(true),
            Err(error) if error.kind == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn list(&mut self, path: &str, from: Option<Cursor>) -> Result<Page> {
        let uri = self.names.uri(relative("s3", "list", path)?);
        let prefix = self.names.prefix(path);
        let token = from.as_ref().map(|Cursor(token)| token.as_str());
        let list = run(&mut self.driver, "list", &uri, self.client.list(&self.names, &prefix, token, 0))?;
        // Keys that end with a slash are what other tools make directories of.
        let entries = list.contents.into_iter().filter_map(|listed| {
            let path = self.names.path(&listed.key)?;
            let usable = !path.is_empty() && relative("s3", "list", path).is_ok();
            usable.then(|| Entry { path: path.to_string(), size: listed.size })
        });
        let entries = entries.collect();
        let next = match (list.is_truncated, list.next_continuation_token) {
            (false, _) => None,
            (true, Some(token)) => Some(Cursor(token)),
            (true, None) => {
                let detail = "the listing goes on, but the server did not say where";
                return Err(Failure::new(ErrorKind::Corrupt, detail).at("list", uri));
            }
        };
        Ok(Page { entries, next })
    }

    fn mkdir(&mut self, path: &str) -> Result<()> {
        relative("s3", "mkdir", path).map(drop)
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        let (from, from_uri) = self.object("rename", from)?;
        let (to, to_uri) = self.object("rename", to)?;
        if from.key == to.key {
            let detail = "it is the same name: copying and deleting would lose the object";
            return Err(Error::new(ErrorKind::Invalid, "s3", "rename", from_uri, detail));
        }
        self.copy((&from, &from_uri), (&to, &to_uri))?;
        run(&mut self.driver, "delete after copying", &from_uri, self.client.delete(&from))
    }

    fn delete(&mut self, path: &str) -> Result<()> {
        let (object, uri) = self.object("delete", path)?;
        run(&mut self.driver, "delete", &uri, self.client.delete(&object))
    }

    fn truncate(&mut self, path: &str, _size: u64) -> Result<()> {
        Err(Error::unsupported("s3", "truncate", self.names.uri(path)))
    }

    fn open(&mut self, path: &str, options: OpenOptions) -> Result<FileId> {
        let file = match options.mode {
            OpenMode::Read => self.open_for_reading(path)?,
            OpenMode::CreateNew | OpenMode::CreateOrReplace => self.open_for_writing(path, options)?,
            OpenMode::Append => return Err(Error::unsupported("s3", "append to", self.names.uri(path))),
            OpenMode::ReadWrite => return Err(Error::unsupported("s3", "open for update", self.names.uri(path))),
        };
        let id = FileId(self.next_id);
        self.next_id = self.next_id.wrapping_add(1);
        self.work.files.insert(id, file);
        Ok(id)
    }

    fn size(&mut self, file: FileId) -> Result<u64> {
        match self.opened(file)? {
            OpenFile::Reading(file) => Ok(file.head.size),
            OpenFile::Writing(file) => Ok(file.upload.written()),
        }
    }

    fn submit(&mut self, io: Io) -> Result<()> {
        if io.len > io.buffer.len() {
            let uri = self.opened(io.file)?.uri();
            return Err(Error::new(ErrorKind::Invalid, "s3", "use", uri, "the request is longer than its buffer"));
        }
        match io.kind {
            IoKind::Write => self.submit_write(io),
            IoKind::Sync => {
                let result = Err(Error::unsupported("s3", "sync", self.opened(io.file)?.uri()));
                self.work.done.push(Completion { tag: io.tag, result, buffer: io.buffer });
                Ok(())
            }
            IoKind::Read => match self.opened(io.file)? {
                OpenFile::Reading(file) => {
                    let file = file.clone();
                    self.work.queue_read(file, io);
                    Ok(())
                }
                OpenFile::Writing(file) => {
                    Err(Error::new(ErrorKind::Invalid, "s3", "read", file.uri.as_str(), "it is open for writing only"))
                }
            },
        }
    }

    fn reap(&mut self, min: usize, done: &mut Vec<Completion>) -> Result<()> {
        let goal = done.len() + min;
        done.append(&mut self.work.done);
        if done.len() < goal
            && let Some((file, io)) = self.work.only_read()
        {
            done.push(self.read_alone(&file, io));
            return Ok(());
        }
        self.work.start_reads(&self.client, self.reads_max());
        if self.work.turn_is_due(min == 0) {
            let work = &mut self.work;
            self.driver.poke(|cx| {
                let _ = work.poll(cx);
            });
        }
        loop {
            self.work.accept_writes();
            done.append(&mut self.work.done);
            if done.len() >= goal || !self.work.is_open() {
                return Ok(());
            }
            self.work.start_reads(&self.client, self.client.shared.config.max_connections.unwrap_or(usize::MAX));
            let work = &mut self.work;
            if self.driver.run(poll_fn(|cx| work.poll(cx))).is_none() {
                self.work.interrupt();
            }
        }
    }

    fn close(&mut self, file: FileId) -> Result<()> {
        let ended = match self.work.files.get_mut(&file) {
            Some(OpenFile::Writing(writing)) => {
                let Writing { upload, uri } = &mut **writing;
                run(&mut self.driver, "complete", uri, upload.finish())
            }
            Some(OpenFile::Reading(_)) => Ok(()),
            None => self.opened(file).map(drop),
        };
        if ended.is_ok() {
            self.work.take(file);
            self.ends.remove(&file);
        }
        ended
    }

    fn abandon(&mut self, file: FileId) -> Result<()> {
        self.ends.remove(&file);
        match self.work.take(file) {
            Some(OpenFile::Writing(writing)) => {
                let Writing { upload, uri } = *writing;
                self.driver.clean(upload.abandon()).map_err(|failure| failure.at("remove the unfinished", uri))
            }
            _ => Ok(()),
        }
    }
}
