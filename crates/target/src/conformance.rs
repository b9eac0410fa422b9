//! What every target must do, as a suite that each target's tests run on an empty base of its own.
//!
//! ```no_run
//! fsbench_target::conformance::run(&fsbench_target::MemTarget::default());
//! ```

use crate::{
    Buffer, Completion, Entry, Error, ErrorKind, FileId, Io, IoKind, NoProbe, OpenMode, OpenOptions, Result, Session,
    Target,
};
use std::rc::Rc;

type Check = fn(&mut Bench<'_>);

const CHECKS: [(&str, Check); 17] = [
    ("a written file is read back, whole and at any offset", reads_back),
    ("sizes around buffers and blocks survive", sizes_survive),
    ("an empty file exists", empty_file),
    ("a missing file is not_found, and does not exist", missing_file),
    ("create_new refuses a taken name", create_new_refuses),
    ("create_or_replace replaces the whole file", replaces),
    ("reads behind the end are short, not errors", short_at_end),
    ("many reads in flight come back with their own bytes", reads_in_flight),
    ("an abandoned file leaves nothing", abandons),
    ("rename moves the content", renames),
    ("rename onto a taken name does what the capability says", rename_onto),
    ("delete removes one name", deletes),
    ("a listing has every file below, page by page", lists),
    ("names outside of the base are refused", stays_below),
    ("append and truncate work or are unsupported", appends_and_truncates),
    ("writes at any offset work or are refused", random_writes),
    ("an interrupted target refuses, and resumes", interrupts),
];

/// Runs all checks on `target`, whose base must be there and hold nothing below `conformance/`. Leaves nothing behind.
///
/// # Panics
/// When a check fails, naming it. This is a test suite.
pub fn run(target: &dyn Target) {
    for (name, check) in CHECKS {
        eprintln!("  {}: {name}", target.scheme());
        let mut bench = Bench::new(target);
        check(&mut bench);
        bench.clear();
    }
}

struct Bench<'t> {
    target: &'t dyn Target,
    session: Box<dyn Session>,
    /// Bytes of one transfer; smaller than most files of the checks.
    chunk: usize,
}

/// Bytes that differ by file and offset.
fn sample(seed: u64, len: usize) -> Vec<u8> {
    (0..len as u64).map(|i| ((i ^ (i >> 8) ^ seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8).collect()
}

fn options(mode: OpenMode, size_hint: Option<u64>) -> OpenOptions {
    OpenOptions { mode, size_hint }
}

fn kind<T: std::fmt::Debug>(result: Result<T>) -> ErrorKind {
    result.expect_err("this call must fail").kind
}

impl<'t> Bench<'t> {
    fn new(target: &'t dyn Target) -> Self {
        let session = target.session(Rc::new(NoProbe)).expect("a session opens");
        let mut bench = Self { target, session, chunk: 64 * 1024 };
        bench.clear();
        bench.session.mkdir("conformance").expect("mkdir works");
        bench.session.mkdir("conformance").expect("mkdir of an existing directory works");
        bench
    }

    /// Removes what the checks made.
    fn clear(&mut self) {
        self.target.resume();
        for entry in self.listed("conformance") {
            self.session.delete(&entry.path).expect("the checks' own files can be deleted");
        }
        for directory in ["conformance/sub/deep", "conformance/sub", "conformance"] {
            if self.target.capabilities().directories && self.session.exists(directory).expect("exists works") {
                self.session.delete(directory).expect("the checks' own directories can be deleted");
            }
        }
    }

    fn listed(&mut self, path: &str) -> Vec<Entry> {
        let mut all = Vec::new();
        let mut from = None;
        loop {
            let page = match self.session.list(path, from) {
                Ok(page) => page,
                Err(error) if error.kind == ErrorKind::NotFound => return all,
                Err(error) => panic!("{error}"),
            };
            all.extend(page.entries);
            from = page.next;
            if from.is_none() {
                return all;
            }
        }
    }

    fn one(&mut self, io: Io) -> Completion {
        self.session.submit(io).expect("a fitting request is taken");
        let mut done = Vec::new();
        self.session.reap(1, &mut done).expect("reap works");
        assert_eq!(done.len(), 1, "one request, one completion");
        done.remove(0)
    }

    fn write_at(&mut self, file: FileId, offset: u64, data: &[u8]) -> Result<usize> {
        let mut buffer = Buffer::new(data.len());
        buffer.as_mut().copy_from_slice(data);
        let done = self.one(Io { tag: offset, file, kind: IoKind::Write, offset, len: data.len(), buffer });
        assert_eq!(done.tag, offset);
        assert_eq!(done.buffer.len(), data.len(), "a buffer of the same length comes back");
        done.result
    }

    fn read_at(&mut self, file: FileId, offset: u64, len: usize) -> Result<Vec<u8>> {
        let buffer = Buffer::new(len);
        let done = self.one(Io { tag: 7, file, kind: IoKind::Read, offset, len, buffer });
        done.result.map(|count| done.buffer.as_ref()[..count].to_vec())
    }

    fn put(&mut self, path: &str, mode: OpenMode, data: &[u8]) -> Result<()> {
        let file = self.session.open(path, options(mode, Some(data.len() as u64)))?;
        for (index, piece) in data.chunks(self.chunk).enumerate() {
            let offset = (index * self.chunk) as u64;
            assert_eq!(self.write_at(file, offset, piece)?, piece.len());
        }
        if self.target.capabilities().sync {
            let io = Io { tag: 1, file, kind: IoKind::Sync, offset: 0, len: 0, buffer: Buffer::new(0) };
            self.one(io).result?;
        }
        self.session.close(file)
    }

    fn get(&mut self, path: &str) -> Result<Vec<u8>> {
        let file = self.session.open(path, options(OpenMode::Read, None))?;
        let size = self.session.size(file)?;
        let mut data = Vec::new();
        while (data.len() as u64) < size {
            let piece = self.read_at(file, data.len() as u64, self.chunk)?;
            assert!(!piece.is_empty(), "a read before the end returns something");
            data.extend(piece);
        }
        self.session.close(file)?;
        Ok(data)
    }

    fn new_file(&mut self, path: &str, len: usize) -> Vec<u8> {
        let data = sample(path.len() as u64, len);
        self.put(path, OpenMode::CreateNew, &data).unwrap_or_else(|e| panic!("{e}"));
        data
    }

    fn must_get(&mut self, path: &str) -> Vec<u8> {
        self.get(path).unwrap_or_else(|e: Error| panic!("{e}"))
    }
}

fn reads_back(b: &mut Bench<'_>) {
    let data = b.new_file("conformance/a", 300_001);
    assert!(b.must_get("conformance/a") == data);
    let stat = b.session.stat("conformance/a").expect("stat works");
    assert_eq!((stat.size, stat.directory), (300_001, false));
    let file = b.session.open("conformance/a", options(OpenMode::Read, None)).expect("opens");
    for (offset, len) in [(0, 1), (299_999, 2), (65_535, 2), (123_457, 50_000)] {
        let piece = b.read_at(file, offset as u64, len).expect("a positional read works");
        assert!(piece == data[offset..offset + len], "offset {offset}");
    }
    b.session.close(file).expect("closes");
}

fn sizes_survive(b: &mut Bench<'_>) {
    for size in [1, 511, 512, 513, 4095, 4096, 4097, 65_535, 65_536, 65_537, 1_048_577] {
        let name = format!("conformance/size{size}");
        let data = b.new_file(&name, size);
        assert!(b.must_get(&name) == data, "{size}");
    }
}

fn empty_file(b: &mut Bench<'_>) {
    b.new_file("conformance/empty", 0);
    assert!(b.session.exists("conformance/empty").expect("exists works"));
    assert_eq!(b.session.stat("conformance/empty").expect("stat works").size, 0);
    assert_eq!(b.must_get("conformance/empty"), b"");
}

fn missing_file(b: &mut Bench<'_>) {
    let gone = "conformance/gone";
    assert!(!b.session.exists(gone).expect("a missing file is no error"));
    assert_eq!(kind(b.session.stat(gone)), ErrorKind::NotFound);
    assert_eq!(kind(b.session.open(gone, options(OpenMode::Read, None))), ErrorKind::NotFound);
    assert_eq!(kind(b.session.rename(gone, "conformance/b")), ErrorKind::NotFound);
    let error = b.session.stat(gone).expect_err("still missing");
    assert!(error.path.contains(gone) && error.to_string().contains(gone), "errors name the file: {error}");
}

fn create_new_refuses(b: &mut Bench<'_>) {
    let data = b.new_file("conformance/a", 10);
    assert_eq!(kind(b.put("conformance/a", OpenMode::CreateNew, b"other")), ErrorKind::AlreadyExists);
    assert_eq!(b.must_get("conformance/a"), data);
}

fn replaces(b: &mut Bench<'_>) {
    b.new_file("conformance/a", 200_000);
    let data = sample(99, 100_000);
    b.put("conformance/a", OpenMode::CreateOrReplace, &data).expect("replacing works");
    assert!(b.must_get("conformance/a") == data);
}

fn short_at_end(b: &mut Bench<'_>) {
    let data = b.new_file("conformance/a", 1000);
    let file = b.session.open("conformance/a", options(OpenMode::Read, None)).expect("opens");
    assert_eq!(b.read_at(file, 900, 500).expect("a short read"), &data[900..]);
    assert_eq!(b.read_at(file, 1000, 500).expect("a read at the end"), b"");
    b.session.close(file).expect("closes");
}

fn reads_in_flight(b: &mut Bench<'_>) {
    let data = b.new_file("conformance/a", 500_000);
    let file = b.session.open("conformance/a", options(OpenMode::Read, Some(500_000))).expect("opens");
    for tag in 0..20u64 {
        let io = Io { tag, file, kind: IoKind::Read, offset: tag * 25_000, len: 25_000, buffer: Buffer::new(25_000) };
        b.session.submit(io).expect("a request is taken");
    }
    let mut done = Vec::new();
    while done.len() < 20 {
        let before = done.len();
        b.session.reap(3, &mut done).expect("reap works");
        assert!(done.len() > before, "reap(3) with requests left returns some");
    }
    for completion in &done {
        let at = completion.tag as usize * 25_000;
        assert_eq!(completion.result, Ok(25_000));
        assert!(completion.buffer.as_ref() == &data[at..at + 25_000], "request {}", completion.tag);
    }
    b.session.close(file).expect("closes");
}

fn abandons(b: &mut Bench<'_>) {
    let file = b.session.open("conformance/a", options(OpenMode::CreateNew, Some(1 << 20))).expect("opens");
    b.write_at(file, 0, &sample(1, 100_000)).expect("a write is taken");
    b.session.abandon(file).expect("abandon works");
    assert!(!b.session.exists("conformance/a").expect("exists works"));
}

fn renames(b: &mut Bench<'_>) {
    let data = b.new_file("conformance/a", 70_000);
    b.session.rename("conformance/a", "conformance/b").expect("rename works");
    assert!(!b.session.exists("conformance/a").expect("exists works"));
    assert!(b.must_get("conformance/b") == data);
}

fn rename_onto(b: &mut Bench<'_>) {
    let data = b.new_file("conformance/a", 100);
    let other = b.new_file("conformance/bb", 100);
    let result = b.session.rename("conformance/a", "conformance/bb");
    if b.target.capabilities().rename_refuses_existing {
        assert_eq!(kind(result), ErrorKind::AlreadyExists);
        assert_eq!(b.must_get("conformance/bb"), other);
    } else {
        result.expect("rename replaces");
        assert_eq!(b.must_get("conformance/bb"), data);
    }
}

fn deletes(b: &mut Bench<'_>) {
    b.new_file("conformance/a", 10);
    b.new_file("conformance/ab", 10);
    b.session.delete("conformance/a").expect("delete works");
    assert!(!b.session.exists("conformance/a").expect("exists works"));
    assert!(b.session.exists("conformance/ab").expect("exists works"));
    if b.target.capabilities().directories {
        assert!(b.session.delete("conformance").is_err(), "a directory that is not empty stays");
    }
}

fn lists(b: &mut Bench<'_>) {
    b.session.mkdir("conformance/sub/deep").expect("mkdir makes parents");
    let mut expected: Vec<(String, u64)> = Vec::new();
    for (index, name) in ["a", "b", "sub/c", "sub/deep/d", "sub/deep/e f+%&"].into_iter().enumerate() {
        let path = format!("conformance/{name}");
        b.new_file(&path, index);
        expected.push((path, index as u64));
    }
    let mut found: Vec<_> = b.listed("conformance").into_iter().map(|e| (e.path, e.size)).collect();
    found.sort();
    assert_eq!(found, expected);
    let mut below: Vec<_> = b.listed("conformance/sub/deep").into_iter().map(|e| e.path).collect();
    below.sort();
    assert_eq!(below, ["conformance/sub/deep/d", "conformance/sub/deep/e f+%&"]);
}

fn stays_below(b: &mut Bench<'_>) {
    for path in ["../a", "/etc/passwd", "conformance/../../a"] {
        assert_eq!(kind(b.session.stat(path)), ErrorKind::Invalid, "{path}");
        assert_eq!(kind(b.session.open(path, options(OpenMode::CreateNew, None))), ErrorKind::Invalid, "{path}");
        assert_eq!(kind(b.session.delete(path)), ErrorKind::Invalid, "{path}");
        assert_eq!(kind(b.session.rename("conformance/a", path)), ErrorKind::Invalid, "{path}");
    }
}

fn appends_and_truncates(b: &mut Bench<'_>) {
    let mut data = b.new_file("conformance/a", 5000);
    let can = b.target.capabilities();
    let opened = b.session.open("conformance/a", options(OpenMode::Append, None));
    if can.append {
        let file = opened.expect("append opens");
        b.write_at(file, 5000, b"more").expect("append writes");
        b.session.close(file).expect("closes");
        data.extend(b"more");
    } else {
        assert_eq!(kind(opened), ErrorKind::Unsupported);
    }
    let cut = b.session.truncate("conformance/a", 100);
    if can.truncate {
        cut.expect("truncate works");
        data.truncate(100);
    } else {
        assert_eq!(kind(cut), ErrorKind::Unsupported);
    }
    assert_eq!(b.must_get("conformance/a"), data);
}

fn random_writes(b: &mut Bench<'_>) {
    let mut data = b.new_file("conformance/a", 5000);
    let opened = b.session.open("conformance/a", options(OpenMode::ReadWrite, None));
    if b.target.capabilities().random_write {
        let file = opened.expect("opens for reading and writing");
        b.write_at(file, 1000, b"in the middle").expect("writes in place");
        b.session.close(file).expect("closes");
        data[1000..1013].copy_from_slice(b"in the middle");
    } else {
        assert_eq!(kind(opened), ErrorKind::Unsupported);
    }
    assert_eq!(b.must_get("conformance/a"), data);
}

fn interrupts(b: &mut Bench<'_>) {
    b.new_file("conformance/a", 10);
    let file = b.session.open("conformance/new", options(OpenMode::CreateNew, Some(10))).expect("opens");
    b.target.interrupt();
    assert_eq!(kind(b.session.stat("conformance/a")), ErrorKind::Interrupted);
    assert_eq!(kind(b.session.open("conformance/a", options(OpenMode::Read, None))), ErrorKind::Interrupted);
    b.session.abandon(file).expect("abandon works after an interrupt");
    b.target.resume();
    assert!(b.session.exists("conformance/a").expect("works again"));
    assert!(!b.session.exists("conformance/new").expect("works again"));
}
