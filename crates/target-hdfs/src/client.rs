//! What this target needs of an HDFS client: a NameNode to ask, and files whose data can be read and written.
//!
//! Paths are absolute and checked by the caller. Calls say what went wrong as a [`Fault`]; timeouts, interrupts and
//! measurement are the caller's. Clients are never asked to retry.

use bytes::Bytes;
use fsbench_target::ErrorKind;
use std::future::Future;

/// Why a call failed, without the name of the file: the session knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) kind: ErrorKind,
    pub(crate) detail: String,
    pub(crate) hint: Option<String>,
}

impl Fault {
    pub(crate) fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), hint: None }
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

pub(crate) type Outcome<T> = Result<T, Fault>;

/// What the NameNode says of one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Status {
    pub(crate) path: String,
    pub(crate) size: u64,
    pub(crate) directory: bool,
}

/// A connection to one HDFS, shared by all sessions.
pub(crate) trait Client: Send + Sync + 'static {
    type Reader: Reader;
    type Writer: Writer;
    type Listing: Listing;

    fn status(&self, path: &str) -> impl Future<Output = Outcome<Status>>;

    /// The entries of one directory; nothing happens before the first page is asked for.
    fn list(&self, directory: &str) -> Self::Listing;

    /// With parents. A directory that is there is no fault, a file is [`ErrorKind::WrongType`].
    fn mkdir(&self, path: &str) -> impl Future<Output = Outcome<()>>;

    /// Never onto an existing name.
    fn rename(&self, from: &str, to: &str) -> impl Future<Output = Outcome<()>>;

    /// One file or empty directory. `false` when there was none.
    fn delete(&self, path: &str) -> impl Future<Output = Outcome<bool>>;

    fn read(&self, path: &str) -> impl Future<Output = Outcome<Self::Reader>>;

    fn create(&self, path: &str, replace: bool) -> impl Future<Output = Outcome<Self::Writer>>;

    /// Opens for writing at the end.
    fn append(&self, path: &str) -> impl Future<Output = Outcome<Self::Writer>>;

    /// Takes a file away from a writer that is gone, so that others can open it.
    fn release(&self, path: &str) -> impl Future<Output = Outcome<()>>;
}

/// The pages of one directory.
pub(crate) trait Listing: 'static {
    /// The next page, and whether more may follow.
    fn page(&mut self) -> impl Future<Output = Outcome<(Vec<Status>, bool)>>;
}

/// A file open for reading.
pub(crate) trait Reader: 'static {
    type Stream: ReadStream;

    /// Bytes it had when it was opened.
    fn size(&self) -> u64;

    /// The bytes `offset..offset + len`, which must lie inside the file. Nothing happens before the first `next`.
    fn stream(&self, offset: u64, len: u64) -> Self::Stream;
}

/// Bytes on their way.
pub(crate) trait ReadStream: 'static {
    /// The next piece; `None` at the end.
    fn next(&mut self) -> impl Future<Output = Outcome<Option<Bytes>>>;
}

/// A file open for writing.
pub(crate) trait Writer: 'static {
    fn write(&mut self, data: Bytes) -> impl Future<Output = Outcome<()>>;

    /// Makes durable what was written.
    fn sync(&mut self) -> impl Future<Output = Outcome<()>>;

    fn close(&mut self) -> impl Future<Output = Outcome<()>>;
}
