//! The two traits that every store implements: the target, shared by all workers, and a worker's session on it.

use crate::{Buffer, Capabilities, Error, Lane, LaneOptions, Probe, Result};
use std::rc::Rc;

/// A directory or prefix of a store. Everything happens below it: paths are relative to it (see [`crate::relative`]).
pub trait Target: Send + Sync {
    /// `posix`, `hdfs`, `s3`, `null`, `mem`: for errors and reports.
    fn scheme(&self) -> &'static str;

    /// The base as a URI, without secrets. Ends without a slash.
    fn uri(&self) -> String;

    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// Facts for the Record, as `(name, value)`: file system type, endpoint, client library and version. No secrets.
    fn facts(&self) -> Vec<(String, String)>;

    /// A worker's own session, used in the thread that opens it.
    ///
    /// # Errors
    /// When the session cannot be set up; a session may connect at once or with its first call.
    fn session(&self, probe: Rc<dyn Probe>) -> Result<Box<dyn Session>>;

    /// A job's own lane, used in the thread that makes it. The default says that there is none, and the engine then
    /// works through a session.
    ///
    /// # Errors
    /// Unsupported, with a hint, for an engine or flag that the target or the kernel lacks.
    fn lane(&self, options: &LaneOptions, probe: Rc<dyn Probe>) -> Result<Option<Box<dyn Lane>>> {
        let _ = (options, probe);
        Ok(None)
    }

    /// Refuses a name that must not be overwritten without a word of the user: a block device that is mounted or holds
    /// something. Nothing is written. The default has no such names.
    ///
    /// # Errors
    /// Denied, with what was found and `--allow-destroy` in the hint.
    fn guard_write(&self, path: &str) -> Result<()> {
        let _ = path;
        Ok(())
    }

    /// Ends all calls that are under way in any session, and all later ones but [`Session::abandon`], with
    /// [`crate::ErrorKind::Interrupted`], as soon as the store allows. Callable from any thread.
    fn interrupt(&self);

    /// Takes [`Target::interrupt`] back, for cleaning up.
    fn resume(&self);
}

/// One worker's connection to a store.
///
/// The default of a call that a store may lack is an [`crate::ErrorKind::Unsupported`] error.
pub trait Session {
    /// Size and type of a name.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] when it is not there.
    fn stat(&mut self, path: &str) -> Result<Stat>;

    /// Whether a file or directory of this name exists. Only a clear "no" is `false`; everything else is an error.
    ///
    /// # Errors
    /// Any but not-found.
    fn exists(&mut self, path: &str) -> Result<bool>;

    /// One page of all files below `path`, at any depth, as the store returns it. Names are relative to the base.
    /// Directories are not listed. Start with `None`, go on with the page's cursor.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] on stores with directories when `path` is not there.
    fn list(&mut self, path: &str, from: Option<Cursor>) -> Result<Page>;

    /// Makes a directory and its parents. Succeeds when it is there already, and does nothing on stores without directories.
    ///
    /// # Errors
    /// [`crate::ErrorKind::WrongType`] when a file stands there.
    fn mkdir(&mut self, path: &str) -> Result<()>;

    /// Renames a file. An existing `to` is refused or replaced as [`Capabilities::rename_refuses_existing`] says.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] when `from` is not there.
    fn rename(&mut self, from: &str, to: &str) -> Result<()>;

    /// Deletes a file, or an empty directory. Never more than that one name.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] on stores that can tell.
    fn delete(&mut self, path: &str) -> Result<()>;

    /// Cuts or extends a file to `size` bytes.
    ///
    /// # Errors
    /// Unsupported where [`Capabilities::truncate`] is false.
    fn truncate(&mut self, path: &str, size: u64) -> Result<()> {
        let _ = size;
        Err(Error::unsupported("target", "truncate", path))
    }

    /// How much of a file is in this machine's page cache; `None` where the question has no meaning
    /// ([`Capabilities::page_cache`] is false) or the kernel cannot tell.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] when the file is not there.
    fn cached(&mut self, path: &str) -> Result<Option<Cached>> {
        let _ = path;
        Ok(None)
    }

    /// Writes a file back and drops it from this machine's page cache, then tells what is still there.
    ///
    /// # Errors
    /// [`crate::ErrorKind::NotFound`] when the file is not there.
    fn evict(&mut self, path: &str) -> Result<Option<Cached>> {
        self.cached(path)
    }

    /// Ends unfinished writes of other sessions, dead ones among them, to names that `owned` accepts, and says how many
    /// there were. For stores where such a write lingers unseen; everywhere else there is none.
    ///
    /// # Errors
    /// Unsupported when the store cannot list them; else what it said, and writes before that are ended.
    fn abort_unfinished(&mut self, owned: &dyn Fn(&str) -> bool) -> Result<u64> {
        let _ = owned;
        Ok(0)
    }

    /// Opens a file. The id is valid until [`Session::close`] or [`Session::abandon`].
    ///
    /// # Errors
    /// By the mode: not found, already exists, unsupported, …
    fn open(&mut self, path: &str, options: OpenOptions) -> Result<FileId>;

    /// The size of a file open for reading, as it was when it was opened.
    ///
    /// # Errors
    /// Invalid when the id is not open.
    fn size(&mut self, file: FileId) -> Result<u64>;

    /// Hands over one request. It may be finished at once or later; nothing need happen before [`Session::reap`].
    /// On targets without random write the offsets of a file's writes must follow each other.
    ///
    /// # Errors
    /// Only misuse (an unknown file, a gap between writes), and the buffer is then lost. Storage errors come with the completion.
    fn submit(&mut self, io: Io) -> Result<()>;

    /// Drives requests and adds finished ones to `done`, in any order, until at least `min` were added or none is left.
    /// `min` 0 never waits.
    ///
    /// # Errors
    /// Only when the session itself failed; errors of requests are inside the completions.
    fn reap(&mut self, min: usize, done: &mut Vec<Completion>) -> Result<()>;

    /// Takes a buffer whose content nobody needs any more, and returns one of the same length: perhaps that of an
    /// earlier write, whose memory the kernel has given already and which [`Buffer::stamp`] may know. Between files, a
    /// caller that writes the same again so spares a second buffer's memory. The default returns the same buffer.
    fn swap_buffer(&mut self, buffer: Buffer) -> Buffer {
        buffer
    }

    /// Ends a file. What was written is then visible under its name, whole; that is what makes a write count.
    ///
    /// # Errors
    /// What was written is not to be trusted; call [`Session::abandon`] next. The id stays valid until then.
    fn close(&mut self, file: FileId) -> Result<()>;

    /// Gives a file up: nothing of an unfinished upload stays behind, and a partly written file is deleted. Also after
    /// [`Target::interrupt`]. For a file open for reading it is a close that cannot fail.
    ///
    /// # Errors
    /// What could not be removed, by name.
    fn abandon(&mut self, file: FileId) -> Result<()>;
}

/// What stat tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stat {
    /// Bytes; 0 for directories.
    pub size: u64,
    /// Whether it is a directory.
    pub directory: bool,
}

/// How much of a file is in the page cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cached {
    /// Bytes in the cache.
    pub bytes: u64,
    /// Bytes of the file.
    pub of: u64,
}

/// One listed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name relative to the base.
    pub path: String,
    /// Bytes.
    pub size: u64,
}

/// Where the next page of a listing begins. Only the target that made it can read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor(pub String);

/// One page of a listing: what one call to the store returned.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The files. May be empty although more follow.
    pub entries: Vec<Entry>,
    /// Where to go on; `None` at the end.
    pub next: Option<Cursor>,
}

/// How to open a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenOptions {
    /// For what.
    pub mode: OpenMode,
    /// Bytes that will be written or read in all, where it is known: a store may choose a plain PUT or a multipart
    /// upload by it, or size its parts. A hint, never a limit.
    pub size_hint: Option<u64>,
}

/// For what a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Reading; the file must exist.
    Read,
    /// Writing a new file; an existing one is an [`crate::ErrorKind::AlreadyExists`] error.
    CreateNew,
    /// Writing; an existing file is replaced when the new one is closed, or at once.
    CreateOrReplace,
    /// Writing on at the end of an existing file.
    Append,
    /// Reading and writing at any offset of an existing file.
    ReadWrite,
}

/// An open file of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IoKind {
    /// Fill the buffer from `offset`.
    Read,
    /// Write the buffer at `offset`.
    Write,
    /// Make durable what was written and completed before. Offset, length and buffer do not matter.
    Sync,
}

/// A request.
#[derive(Debug)]
pub struct Io {
    /// The caller's own number, given back with the completion.
    pub tag: u64,
    /// Which file.
    pub file: FileId,
    /// What to do.
    pub kind: IoKind,
    /// Where in the file.
    pub offset: u64,
    /// How many bytes, at most the buffer's length.
    pub len: usize,
    /// The bytes.
    pub buffer: Buffer,
}

/// A finished request.
#[derive(Debug)]
pub struct Completion {
    /// The request's tag.
    pub tag: u64,
    /// Bytes moved. A read that ends at the end of the file returns fewer than asked; a write returns all or an error.
    pub result: Result<usize>,
    /// A buffer of the same length: for reads the one submitted, filled; for writes it may be another, and its content
    /// is then unspecified.
    pub buffer: Buffer,
}
