//! A worker's session: the calls of [`Session`], each run to its end on the session's own runtime.

use crate::client::Client;
use crate::copy::Copy;
use crate::driver::Driver;
use crate::failure::{Failure, Outcome};
use crate::leftovers;
use crate::object::{Names, Object};
use crate::recycle::Spares;
use crate::upload::Upload;
use crate::work::{self, OpenFile, Reading, Work, Writing, interrupted};
use fsbench_target::{
    Buffer, Completion, Cursor, Entry, Error, ErrorKind, FileId, Io, IoKind, OpenMode, OpenOptions, Page, Result,
    Session, Stat, relative,
};
use std::cell::RefCell;
use std::fmt::Display;
use std::future::{Future, poll_fn};
use std::rc::Rc;

pub(crate) struct S3Session {
    driver: Driver,
    client: Rc<Client>,
    names: Names,
    work: Work,
    next_id: u32,
}

/// Runs a call that can be interrupted and makes one request at a time, and says on which name it failed.
fn run<T>(
    driver: &mut Driver,
    operation: &'static str,
    name: &dyn Display,
    call: impl Future<Output = Outcome<T>>,
) -> Result<T> {
    ended(driver.run_alone(call), operation, name)
}

fn ended<T>(result: Option<Outcome<T>>, operation: &'static str, name: &dyn Display) -> Result<T> {
    match result {
        Some(result) => result.map_err(|failure| failure.at(operation, name.to_string())),
        None => Err(interrupted(operation, name)),
    }
}

impl S3Session {
    pub(crate) fn new(driver: Driver, client: Client) -> Self {
        let config = &client.shared.config;
        let names = Names::new(config);
        let spares = Spares::new(config.upload_bytes_max());
        Self { driver, client: Rc::new(client), names, work: Work::new(spares), next_id: 0 }
    }

    /// The object of a file's name.
    fn object(&self, operation: &'static str, path: &str) -> Result<Object> {
        if relative("s3", operation, path)?.is_empty() {
            let uri = self.names.uri(path);
            return Err(Error::new(ErrorKind::WrongType, "s3", operation, uri, "it is a prefix, not an object"));
        }
        self.names.object(path).map_err(|failure| failure.at(operation, self.names.uri(path)))
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
        let object = self.object("open", path)?;
        let head = run(&mut self.driver, "open", &object, self.client.head(&object)).map_err(explain_missing)?;
        Ok(OpenFile::Reading(Rc::new(Reading { object, head })))
    }

    fn open_for_writing(&mut self, path: &str, options: OpenOptions) -> Result<OpenFile> {
        let object = self.object("create", path)?;
        let exclusive = options.mode == OpenMode::CreateNew;
        if exclusive && self.exists(path)? {
            return Err(Error::new(ErrorKind::AlreadyExists, "s3", "create", object.to_string(), "the object exists"));
        }
        if self.driver.is_stopped() {
            return Err(interrupted("create", &object));
        }
        let object = Rc::new(object);
        let upload = Upload::new(self.client.clone(), object.clone(), exclusive, options.size_hint);
        Ok(OpenFile::Writing(Box::new(Writing { upload, object, end: 0 })))
    }

    fn submit_write(&mut self, io: Io) -> Result<()> {
        self.opened(io.file)?;
        let Some(OpenFile::Writing(file)) = self.work.files.get_mut(&io.file) else {
            return Err(self.misuse("write", io.file, "it is open for reading only"));
        };
        if io.offset != file.end {
            return Err(work::out_of_order(file.end, io.offset).at("write", file.object.to_string()));
        }
        file.end += io.len as u64;
        match self.driver.is_stopped() {
            true => self.work.refuse_write(io),
            false => self.work.queue_write(io),
        }
        Ok(())
    }

    fn misuse(&self, operation: &'static str, file: FileId, detail: &str) -> Error {
        match self.opened(file) {
            Ok(open) => Error::new(ErrorKind::Invalid, "s3", operation, open.object().to_string(), detail),
            Err(error) => error,
        }
    }

    /// The short way for a read that is alone: nothing is boxed, nothing is queued.
    fn read_alone(&mut self, file: &Reading, mut io: Io) -> Completion {
        let read = self.driver.run_alone(work::read(&self.client, file, &mut io));
        let result = read.unwrap_or_else(|| Err(interrupted("read", &file.object)));
        Completion { tag: io.tag, result, buffer: io.buffer }
    }

    fn reads_max(&self) -> usize {
        self.client.shared.config.max_connections.unwrap_or(usize::MAX)
    }

    fn copy(&mut self, from: &Object, to: &Object) -> Result<()> {
        let upload = RefCell::default();
        let copy = Copy { client: &self.client, names: &self.names, from, to, upload };
        let whole = run(&mut self.driver, "rename", from, copy.whole())?;
        let Some(head) = whole else {
            return Ok(());
        };
        self.driver.clean(copy.begin()).map_err(|failure| failure.at("rename", from.to_string()))?;
        let copied = ended(self.driver.run(copy.in_parts(&head)), "rename", from);
        if copied.is_err() {
            self.driver.clean(copy.abort()).map_err(|failure| failure.at("abort the upload of", to.to_string()))?;
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
    fn abort_unfinished(&mut self, owned: &dyn Fn(&str) -> bool) -> Result<u64> {
        leftovers::abort_owned(&mut self.driver, &self.client, &self.names, owned)
    }

    fn stat(&mut self, path: &str) -> Result<Stat> {
        if path.is_empty() {
            return self.probe_base("stat").map(|()| Stat { size: 0, directory: true });
        }
        let object = self.object("stat", path)?;
        let head = run(&mut self.driver, "stat", &object, self.client.head(&object)).map_err(explain_missing)?;
        Ok(Stat { size: head.size, directory: false })
    }

    fn exists(&mut self, path: &str) -> Result<bool> {
        if path.is_empty() {
            return self.probe_base("look for").map(|()| true);
        }
        let object = self.object("look for", path)?;
        match run(&mut self.driver, "look for", &object, self.client.head(&object)) {
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
        let from = self.object("rename", from)?;
        let to = self.object("rename", to)?;
        if from.key == to.key {
            let detail = "it is the same name: copying and deleting would lose the object";
            return Err(Error::new(ErrorKind::Invalid, "s3", "rename", from.to_string(), detail));
        }
        self.copy(&from, &to)?;
        run(&mut self.driver, "delete after copying", &from, self.client.delete(&from))
    }

    fn delete(&mut self, path: &str) -> Result<()> {
        let object = self.object("delete", path)?;
        run(&mut self.driver, "delete", &object, self.client.delete(&object))
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
            return Err(self.misuse("use", io.file, "the request is longer than its buffer"));
        }
        match io.kind {
            IoKind::Write => self.submit_write(io),
            IoKind::Sync => {
                let result = Err(Error::unsupported("s3", "sync", self.opened(io.file)?.object().to_string()));
                self.work.done.push(Completion { tag: io.tag, result, buffer: io.buffer });
                Ok(())
            }
            IoKind::Read => match self.opened(io.file)? {
                OpenFile::Reading(file) => {
                    let file = file.clone();
                    self.work.queue_read(file, io);
                    Ok(())
                }
                OpenFile::Writing(_) => Err(self.misuse("read", io.file, "it is open for writing only")),
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
            self.work.start_reads(&self.client, self.reads_max());
            let work = &mut self.work;
            if self.driver.run(poll_fn(|cx| work.poll(cx))).is_none() {
                self.work.interrupt();
            }
        }
    }

    fn swap_buffer(&mut self, buffer: Buffer) -> Buffer {
        self.work.swap_buffer(buffer)
    }

    fn close(&mut self, file: FileId) -> Result<()> {
        let ended = match self.work.files.get_mut(&file) {
            Some(OpenFile::Writing(writing)) => {
                let Writing { upload, object, .. } = &mut **writing;
                let finished = match upload.is_one_put() {
                    true => self.driver.run_alone(upload.finish()),
                    false => self.driver.run(upload.finish()),
                };
                ended(finished, "complete", &*object)
            }
            Some(OpenFile::Reading(_)) => Ok(()),
            None => self.opened(file).map(drop),
        };
        if ended.is_ok() {
            self.work.take(file);
        }
        ended
    }

    fn abandon(&mut self, file: FileId) -> Result<()> {
        match self.work.take(file) {
            Some(OpenFile::Writing(writing)) => {
                let Writing { upload, object, .. } = *writing;
                let abandoned = self.driver.clean(upload.abandon());
                abandoned.map_err(|failure| failure.at("remove the unfinished", object.to_string()))
            }
            _ => Ok(()),
        }
    }
}
