//! The servers that the environment names, and small tools for the tests.

use fsbench_target::{
    Buffer, Completion, Entry, FileId, Io, IoKind, NoProbe, OpenMode, OpenOptions, Result, Session, Target,
};
use fsbench_target_hdfs::{HdfsConfig, HdfsTarget};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::{AtomicU32, Ordering};

/// One cluster of the environment: `prefix` is `FSBENCH_TEST_HDFS`, with `_HA`, `_KRB` or `_PRIVACY`.
pub(crate) struct Cluster {
    pub(crate) uri: String,
    pub(crate) conf: PathBuf,
    prefix: String,
}

/// The value of a variable that is not empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The cluster, or `None` with a word about it.
pub(crate) fn cluster(suffix: &str) -> Option<Cluster> {
    let prefix = format!("FSBENCH_TEST_HDFS{suffix}");
    let found = variable(&prefix).zip(variable(&format!("{prefix}_CONF")));
    if found.is_none() {
        assert!(variable("FSBENCH_TEST_REQUIRE").as_deref() != Some("1"), "{prefix} and {prefix}_CONF are not set");
        eprintln!("skipped: {prefix} and {prefix}_CONF are not set (cargo xtask servers start)");
    }
    found.map(|(uri, conf)| {
        // Where the tests' user may write; the root of a cluster without security.
        let directory = variable(&format!("{prefix}_DIR")).unwrap_or_default();
        let uri = format!("{}/{}", uri.trim_end_matches('/'), directory.trim_matches('/'));
        Cluster { uri: uri.trim_end_matches('/').to_owned(), conf: conf.into(), prefix }
    })
}

impl Cluster {
    /// The value of `PREFIX_name`.
    pub(crate) fn value(&self, name: &str) -> Option<String> {
        variable(&format!("{}_{name}", self.prefix))
    }

    pub(crate) fn resolve(&self, uri: &str, settings: &[(&str, &str)]) -> Result<(HdfsConfig, Vec<String>)> {
        let settings: Vec<_> = settings.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        HdfsConfig::resolve(uri, &settings, &|name| std::env::var(name).ok(), Some(&self.conf))
    }

    /// A target on an own directory that is made, and whose name says for what.
    pub(crate) fn target(&self, what: &str, settings: &[(&str, &str)]) -> HdfsTarget {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("fsbench-test-{}-{number}-{what}", std::process::id());
        let root = self.at("", settings);
        session(&root).mkdir(&name).unwrap_or_else(|e| panic!("{e}"));
        self.at(&format!("/{name}"), settings)
    }

    /// A target on `path`, which need not be there.
    pub(crate) fn at(&self, path: &str, settings: &[(&str, &str)]) -> HdfsTarget {
        let (config, _) = self.resolve(&format!("{}{path}", self.uri), settings).unwrap_or_else(|e| panic!("{e}"));
        HdfsTarget::new(config).unwrap_or_else(|e| panic!("{e}"))
    }
}

pub(crate) fn session(target: &dyn Target) -> Box<dyn Session> {
    target.session(Rc::new(NoProbe)).unwrap_or_else(|e| panic!("{e}"))
}

pub(crate) fn options(mode: OpenMode) -> OpenOptions {
    OpenOptions { mode, size_hint: None }
}

pub(crate) fn sample(seed: u64, len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| ((i ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

pub(crate) fn one(session: &mut dyn Session, io: Io) -> Completion {
    session.submit(io).unwrap_or_else(|e| panic!("{e}"));
    let mut done = Vec::new();
    session.reap(1, &mut done).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(done.len(), 1);
    done.remove(0)
}

pub(crate) fn write_at(session: &mut dyn Session, file: FileId, offset: u64, data: &[u8]) -> Result<usize> {
    let mut buffer = Buffer::new(data.len());
    buffer.as_mut().copy_from_slice(data);
    one(session, Io { tag: 0, file, kind: IoKind::Write, offset, len: data.len(), buffer }).result
}

pub(crate) fn read_at(session: &mut dyn Session, file: FileId, offset: u64, len: usize) -> Result<Vec<u8>> {
    let done = one(session, Io { tag: 0, file, kind: IoKind::Read, offset, len, buffer: Buffer::new(len) });
    done.result.map(|count| done.buffer.as_ref()[..count].to_vec())
}

pub(crate) fn put(session: &mut dyn Session, path: &str, data: &[u8]) -> Result<()> {
    let file = session.open(path, options(OpenMode::CreateNew))?;
    for (index, piece) in data.chunks(1 << 20).enumerate() {
        write_at(session, file, (index << 20) as u64, piece)?;
    }
    session.close(file)
}

pub(crate) fn get(session: &mut dyn Session, path: &str, chunk: usize) -> Result<Vec<u8>> {
    let file = session.open(path, options(OpenMode::Read))?;
    let size = session.size(file)?;
    let mut data = Vec::new();
    while (data.len() as u64) < size {
        data.extend(read_at(session, file, data.len() as u64, chunk)?);
    }
    session.close(file)?;
    Ok(data)
}

/// All pages of a listing.
pub(crate) fn pages(session: &mut dyn Session, path: &str) -> Vec<Vec<Entry>> {
    let (mut pages, mut from) = (Vec::new(), None);
    loop {
        let page = session.list(path, from).unwrap_or_else(|e| panic!("{e}"));
        pages.push(page.entries);
        from = page.next;
        if from.is_none() {
            return pages;
        }
    }
}

/// Deletes all files below the base, and the directories that the tests make.
pub(crate) fn clean(target: &dyn Target, directories: &[&str]) {
    target.resume();
    let mut session = session(target);
    for entry in pages(&mut *session, "").concat() {
        session.delete(&entry.path).unwrap_or_else(|e| panic!("{e}"));
    }
    for directory in directories.iter().chain(&[""]) {
        session.delete(directory).unwrap_or_else(|e| panic!("{e}"));
    }
}
