//! The client over `hdfs-native`: the only file that knows this library.
//!
//! What it hides: the library panics when asked beyond a file's end, so ranges are checked before they get here
//! ([`crate::file`]); its listing is an iterator without pages (see [`NativeListing`]); its close may sleep
//! (see [`crate::pace`]).

use crate::client::{Client, Fault, Listing, Outcome, ReadStream, Reader, Status, Writer};
use crate::config::{HdfsConfig, Identity};
use crate::fault::{Circumstances, Peer};
use crate::pace::paced;
use bytes::Bytes;
use fsbench_target::ErrorKind;
use futures_util::FutureExt;
use futures_util::stream::{BoxStream, StreamExt};
use hdfs_native::client::FileStatus;
use hdfs_native::file::{FileReader, FileWriter};
use hdfs_native::{ClientBuilder, HdfsError, WriteOptions};
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

/// The library's version, for the Record. A test holds it against Cargo.lock.
pub(crate) const VERSION: &str = "0.14.8";

const DIRECTORY_MODE: u32 = 0o755;

/// What a close waits after the last acknowledgement, so that the DataNode's report reaches the NameNode first. Seen
/// with files of 4 KiB, one thread, two idle processors: 11-16 files/s without it; 26-68 with 3 ms; 49-52 with 5 ms (both
/// waiting twice for each file then). With processors overbooked five times, a close in ten still loses.
pub(crate) const CLOSE_PAUSE: Duration = Duration::from_millis(5);

/// One library client.
#[derive(Debug)]
pub(crate) struct NativeClient {
    client: hdfs_native::Client,
    runtime: Handle,
    here: Arc<Circumstances>,
    replication: Option<u32>,
    block_size: Option<u64>,
    page_entries: usize,
}

impl NativeClient {
    /// Connects nowhere yet. Reads need a `runtime` that is driven by threads of its own (see [`crate::engine`]).
    pub(crate) fn new(config: &HdfsConfig, runtime: Handle) -> Outcome<Self> {
        let here = Arc::new(Circumstances {
            namenodes: config.address.namenodes.clone(),
            user: config.identity.user().to_owned(),
            kerberos: matches!(config.identity, Identity::Kerberos { .. }),
        });
        let builder = ClientBuilder::new()
            .with_url(format!("hdfs://{}", config.address.authority))
            .with_config(config.properties.clone())
            // The XML files are read already: the library must not find others by itself.
            .with_config_dir("/nonexistent")
            .with_io_runtime(runtime.clone());
        let client = with_identity(builder, &config.identity).build();
        Ok(Self {
            client: client.map_err(|error| here.fault(Peer::NameNode, error))?,
            runtime,
            here,
            replication: config.replication,
            block_size: config.block_size,
            page_entries: config.page_entries as usize,
        })
    }

    fn asked<T>(&self, answer: Result<T, HdfsError>) -> Outcome<T> {
        answer.map_err(|error| self.here.fault(Peer::NameNode, error))
    }

    fn writer(&self, writer: Result<FileWriter, HdfsError>) -> Outcome<NativeWriter> {
        Ok(NativeWriter { writer: self.asked(writer)?, runtime: self.runtime.clone(), here: self.here.clone() })
    }
}

fn with_identity(builder: ClientBuilder, identity: &Identity) -> ClientBuilder {
    match identity {
        Identity::Simple { user } => builder.with_user(user),
        Identity::Kerberos { principal, keytab, cache } => {
            let mut builder = builder;
            if let Some(principal) = principal {
                builder = builder.with_kerberos_principal(principal);
            }
            if let Some(keytab) = keytab {
                builder = builder.with_kerberos_keytab(keytab);
            }
            match cache {
                Some(cache) => builder.with_kerberos_cache(cache),
                None => builder,
            }
        }
    }
}

fn status(found: FileStatus) -> Status {
    Status { path: found.path, size: if found.isdir { 0 } else { found.length as u64 }, directory: found.isdir }
}

impl Client for NativeClient {
    type Reader = NativeReader;
    type Writer = NativeWriter;
    type Listing = NativeListing;

    async fn status(&self, path: &str) -> Outcome<Status> {
        self.asked(self.client.get_file_info(path).await).map(status)
    }

    fn list(&self, directory: &str) -> NativeListing {
        NativeListing {
            directory: directory.to_owned(),
            entries: self.client.list_status_iter(directory, false).into_stream(),
            page_entries: self.page_entries,
            here: self.here.clone(),
        }
    }

    async fn mkdir(&self, path: &str) -> Outcome<()> {
        let made = self.asked(self.client.mkdirs(path, DIRECTORY_MODE, true).await);
        made.map_err(|fault| match fault.kind {
            ErrorKind::AlreadyExists => Fault { kind: ErrorKind::WrongType, ..fault },
            _ => fault,
        })
    }

    async fn rename(&self, from: &str, to: &str) -> Outcome<()> {
        self.asked(self.client.rename(from, to, false).await)
    }

    async fn delete(&self, path: &str) -> Outcome<bool> {
        self.asked(self.client.delete(path, false).await)
    }

    async fn read(&self, path: &str) -> Outcome<NativeReader> {
        let reader = self.asked(self.client.read(path).await)?;
        Ok(NativeReader { reader, here: self.here.clone() })
    }

    async fn create(&self, path: &str, replace: bool) -> Outcome<NativeWriter> {
        let mut options = WriteOptions::default().overwrite(replace);
        options.replication = self.replication;
        options.block_size = self.block_size;
        self.writer(self.client.create(path, options).await)
    }

    async fn append(&self, path: &str) -> Outcome<NativeWriter> {
        self.writer(self.client.append(path).await)
    }

    async fn release(&self, path: &str) -> Outcome<()> {
        self.asked(self.client.recover_lease(path).await).map(|_closed| ())
    }
}

/// A directory's entries, in pages that the library does not show.
///
/// Its iterator answers at once while it has entries of a page, and waits when it has to ask for the next one. A page is
/// therefore what comes without waiting, up to the NameNode's limit of entries (`dfs.ls.limit`). Stopping at the limit
/// keeps the next request from starting early; only where the NameNode's limit is lower than the client knows does a
/// page begin before it is asked for.
pub(crate) struct NativeListing {
    directory: String,
    entries: BoxStream<'static, Result<FileStatus, HdfsError>>,
    page_entries: usize,
    here: Arc<Circumstances>,
}

impl NativeListing {
    fn entry(&self, found: Result<FileStatus, HdfsError>) -> Outcome<Status> {
        let entry = status(found.map_err(|error| self.here.fault(Peer::NameNode, error))?);
        match entry.path == self.directory && !entry.directory {
            true => Err(Fault::new(ErrorKind::WrongType, "it is a file, not a directory")),
            false => Ok(entry),
        }
    }
}

impl Listing for NativeListing {
    async fn page(&mut self) -> Outcome<(Vec<Status>, bool)> {
        let mut page = Vec::new();
        let mut next = self.entries.next().await;
        while let Some(found) = next {
            page.push(self.entry(found)?);
            if page.len() == self.page_entries {
                return Ok((page, true));
            }
            // Not cut off by tokio's budget: a pause must mean that a request is under way.
            next = match tokio::task::unconstrained(self.entries.next()).now_or_never() {
                Some(next) => next,
                None => return Ok((page, true)),
            };
        }
        Ok((page, false))
    }
}

/// A file open for reading.
pub(crate) struct NativeReader {
    reader: FileReader,
    here: Arc<Circumstances>,
}

impl Reader for NativeReader {
    type Stream = NativeStream;

    fn size(&self) -> u64 {
        self.reader.file_length() as u64
    }

    fn stream(&self, offset: u64, len: u64) -> NativeStream {
        let size = self.reader.file_length();
        let offset = usize::try_from(offset).unwrap_or(size).min(size);
        let len = usize::try_from(len).unwrap_or(usize::MAX).min(size - offset);
        NativeStream { pieces: self.reader.read_range_stream(offset, len).boxed(), here: self.here.clone() }
    }
}

/// Packets of a range, fetched ahead by the library (up to 100 of 64 KiB).
pub(crate) struct NativeStream {
    pieces: BoxStream<'static, Result<Bytes, HdfsError>>,
    here: Arc<Circumstances>,
}

impl ReadStream for NativeStream {
    async fn next(&mut self) -> Outcome<Option<Bytes>> {
        let piece = self.pieces.next().await.transpose();
        piece.map_err(|error| self.here.fault(Peer::DataNode, error))
    }
}

/// A file open for writing.
pub(crate) struct NativeWriter {
    writer: FileWriter,
    runtime: Handle,
    here: Arc<Circumstances>,
}

impl Writer for NativeWriter {
    async fn write(&mut self, data: Bytes) -> Outcome<()> {
        let written = self.writer.write_bytes(data).await;
        written.map(|_| ()).map_err(|error| self.here.fault(Peer::DataNode, error))
    }

    async fn sync(&mut self) -> Outcome<()> {
        self.writer.hsync().await.map_err(|error| self.here.fault(Peer::DataNode, error))
    }

    async fn close(&mut self) -> Outcome<()> {
        let closed = paced(self.writer.close(), CLOSE_PAUSE, || self.runtime.metrics().num_alive_tasks()).await;
        closed.map_err(|error| self.here.fault(Peer::DataNode, error))
    }
}

#[cfg(test)]
mod tests {
    use super::VERSION;

    #[test]
    fn the_version_is_the_one_that_is_built_in() {
        let lock = include_str!("../../../Cargo.lock");
        assert!(
            lock.contains(&format!("name = \"hdfs-native\"\nversion = \"{VERSION}\"")),
            "VERSION must follow Cargo.lock"
        );
    }
}
