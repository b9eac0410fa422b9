//! Tests of the session on a client that is made up: what goes wrong, and in which order things happen.

use super::*;
use crate::client::{Listing, ReadStream, Reader, Status};
use crate::engine::Engine;
use bytes::Bytes;
use fsbench_target::Buffer;
use std::cell::RefCell;
use std::sync::Mutex;

/// Remembers what was asked of it. Files are 100 bytes, of which `holds` really come; writes fail from the third on.
#[derive(Default)]
struct Fake {
    asked: Arc<Mutex<Vec<String>>>,
    holds: u64,
}

impl Fake {
    fn note(&self, what: &str, path: &str) {
        self.asked.lock().expect("no panic").push(format!("{what} {path}"));
    }
}

struct FakeReader(u64);
struct FakeStream(u64, u64);
struct FakeWriter(u32, Arc<Mutex<Vec<String>>>);
struct FakeListing(Vec<(Vec<Status>, bool)>);

impl Reader for FakeReader {
    type Stream = FakeStream;

    fn size(&self) -> u64 {
        100
    }

    fn stream(&self, offset: u64, len: u64) -> FakeStream {
        FakeStream(offset, (offset + len).min(self.0))
    }
}

impl ReadStream for FakeStream {
    async fn next(&mut self) -> Outcome<Option<Bytes>> {
        let end = self.1.min(self.0 + 7);
        let piece: Vec<u8> = (self.0..end).map(|at| at as u8).collect();
        self.0 = end.max(self.0);
        Ok((!piece.is_empty()).then(|| piece.into()))
    }
}

impl Writer for FakeWriter {
    async fn write(&mut self, _: Bytes) -> Outcome<()> {
        self.0 += 1;
        match self.0 {
            1 | 2 => Ok(()),
            _ => Err(Fault::new(ErrorKind::NoSpace, "full")),
        }
    }

    async fn sync(&mut self) -> Outcome<()> {
        self.1.lock().expect("no panic").push("sync".into());
        Ok(())
    }

    async fn close(&mut self) -> Outcome<()> {
        self.1.lock().expect("no panic").push("close".into());
        Ok(())
    }
}

impl Listing for FakeListing {
    async fn page(&mut self) -> Outcome<(Vec<Status>, bool)> {
        Ok(self.0.remove(0))
    }
}

impl Client for Fake {
    type Reader = FakeReader;
    type Writer = FakeWriter;
    type Listing = FakeListing;

    async fn status(&self, path: &str) -> Outcome<Status> {
        self.note("status", path);
        std::future::pending().await
    }

    fn list(&self, directory: &str) -> FakeListing {
        self.note("list", directory);
        let entry = |name: &str, directory| Status { path: format!("/b/{name}"), size: 1, directory };
        match directory {
            "/b/d" => FakeListing(vec![(vec![entry("d/x", false)], false)]),
            _ => FakeListing(vec![(vec![entry("a", false), entry("d", true)], true), (vec![], false)]),
        }
    }

    async fn mkdir(&self, _: &str) -> Outcome<()> {
        Ok(())
    }

    async fn rename(&self, _: &str, _: &str) -> Outcome<()> {
        Ok(())
    }

    async fn delete(&self, path: &str) -> Outcome<bool> {
        self.note("delete", path);
        Ok(true)
    }

    async fn read(&self, _: &str) -> Outcome<FakeReader> {
        Ok(FakeReader(self.holds))
    }

    async fn create(&self, path: &str, _: bool) -> Outcome<FakeWriter> {
        self.note("create", path);
        Ok(FakeWriter(0, self.asked.clone()))
    }

    async fn append(&self, _: &str) -> Outcome<FakeWriter> {
        Ok(FakeWriter(0, self.asked.clone()))
    }

    async fn release(&self, _: &str) -> Outcome<()> {
        Ok(())
    }
}

#[derive(Default)]
struct Heard(RefCell<Vec<Stage>>);

impl Probe for Heard {
    fn now(&self) -> u64 {
        0
    }

    fn stage(&self, stage: Stage, _: u64, _: u64) {
        self.0.borrow_mut().push(stage);
    }

    fn event(&self, _: Event) {}
}

struct Bench {
    session: HdfsSession<Fake>,
    heard: Rc<Heard>,
    asked: Arc<Mutex<Vec<String>>>,
    stop: tokio::sync::watch::Sender<bool>,
}

fn bench(holds: u64, sync: bool) -> Bench {
    let client = Arc::new(Fake { holds, ..Fake::default() });
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let engine = Arc::new(Engine::single().expect("a runtime"));
    let calls = Calls { engine, stop: stopped, timeout: Some(Duration::from_millis(50)) };
    let heard = Rc::new(Heard::default());
    let asked = client.asked.clone();
    let common = Common {
        readers: client.clone(),
        client,
        calls,
        base_uri: "hdfs://h:1/b".into(),
        base_path: "/b".into(),
        sync,
    };
    Bench { session: HdfsSession::new(common, heard.clone()), heard, asked, stop }
}

impl Bench {
    fn open(&mut self, mode: OpenMode) -> FileId {
        self.session.open("f", OpenOptions { mode, size_hint: None }).expect("opens")
    }

    fn submit(&mut self, file: FileId, kind: IoKind, offset: u64, len: usize) {
        self.session.submit(Io { tag: offset, file, kind, offset, len, buffer: Buffer::new(len) }).expect("is taken");
    }

    fn reap(&mut self, min: usize) -> Vec<Completion> {
        let mut done = Vec::new();
        self.session.reap(min, &mut done).expect("reaps");
        done
    }

    fn read(&mut self, file: FileId, offset: u64, len: usize) -> Result<Vec<u8>> {
        self.submit(file, IoKind::Read, offset, len);
        let done = self.reap(1).remove(0);
        done.result.map(|count| done.buffer.as_ref()[..count].to_vec())
    }

    fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("no panic").clone()
    }
}

#[test]
fn bytes_are_right_in_sequence_and_anywhere() {
    let mut b = bench(100, false);
    let file = b.open(OpenMode::Read);
    for (offset, len, count) in
        [(0, 10, 10), (10, 10, 10), (20, 33, 33), (5, 3, 3), (53, 10, 10), (95, 10, 5), (100, 1, 0)]
    {
        let expected: Vec<u8> = (offset as u8..offset as u8 + count).collect();
        assert_eq!(b.read(file, offset, len), Ok(expected), "{offset}");
    }
}

#[test]
fn a_file_that_ends_early_is_a_short_read() {
    let mut b = bench(60, false);
    let file = b.open(OpenMode::Read);
    assert!(b.read(file, 0, 50).is_ok());
    let error = b.read(file, 50, 50).expect_err("only 10 come");
    assert_eq!(error.kind, ErrorKind::ShortRead);
    assert!(error.to_string().starts_with("cannot read hdfs://h:1/b/f: 10 bytes came"), "{error}");
}

#[test]
fn stages_are_told_where_they_happen() {
    let mut b = bench(100, false);
    let file = b.open(OpenMode::Read);
    for offset in [0, 10, 20] {
        b.read(file, offset, 10).expect("reads");
    }
    // An open; a range; a stream that begins; a read from what is already here.
    assert_eq!(*b.heard.0.borrow(), [Stage::Request, Stage::FirstByte, Stage::Request, Stage::FirstByte]);
}

#[test]
fn a_close_syncs_first_when_told_to() {
    let mut b = bench(0, true);
    let file = b.open(OpenMode::CreateNew);
    b.submit(file, IoKind::Write, 0, 10);
    b.session.close(file).expect("closes what is still queued, too");
    assert_eq!(b.asked(), ["create /b/f", "sync", "close"]);
    assert_eq!(b.heard.0.borrow().last(), Some(&Stage::Complete));
    assert_eq!(b.reap(0).len(), 1, "the completion is not lost");
}

#[test]
fn after_a_failed_write_a_file_can_only_be_abandoned() {
    let mut b = bench(0, false);
    let file = b.open(OpenMode::CreateNew);
    for index in 0..4 {
        b.submit(file, IoKind::Write, index * 10, 10);
    }
    let done = b.reap(4);
    let kinds: Vec<_> = done.iter().map(|done| done.result.as_ref().err().map(|error| error.kind)).collect();
    assert_eq!(kinds, [None, None, Some(ErrorKind::NoSpace), Some(ErrorKind::Invalid)], "in order");
    assert_eq!(b.session.close(file).expect_err("it failed").kind, ErrorKind::Invalid);
    b.session.abandon(file).expect("abandons");
    assert_eq!(b.asked().last().map(String::as_str), Some("delete /b/f"));
}

#[test]
fn a_walk_asks_once_for_each_page() {
    let mut b = bench(0, false);
    let first = b.session.list("", None).expect("lists");
    assert_eq!((first.entries.len(), first.entries[0].path.as_str()), (1, "a"));
    let second = b.session.list("", first.next).expect("lists");
    assert_eq!((second.entries[0].path.as_str(), second.next), ("d/x", None));
    assert_eq!(b.asked(), ["list /b", "list /b/d"]);
    let stale = b.session.list("", Some(Cursor("0".into()))).expect_err("that cursor was used");
    assert_eq!(stale.kind, ErrorKind::Invalid);
}

#[test]
fn silence_and_stops_end_calls_but_not_an_abandon() {
    let mut b = bench(0, false);
    let file = b.open(OpenMode::CreateNew);
    assert_eq!(b.session.stat("f").expect_err("nothing comes").kind, ErrorKind::Timeout);
    b.submit(file, IoKind::Write, 0, 10);
    b.stop.send_replace(true);
    assert_eq!(b.session.stat("f").expect_err("stopped").kind, ErrorKind::Interrupted);
    assert_eq!(b.reap(1)[0].result.as_ref().expect_err("stopped").kind, ErrorKind::Interrupted);
    b.session.abandon(file).expect("abandons");
    assert!(b.asked().ends_with(&["delete /b/f".into()]));
}
