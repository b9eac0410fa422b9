//! What a request costs above the bare system call, and what prefetching wins. Prints figures, asserts nothing but order
//! of magnitude: `cargo test --release -p fsbench-target-posix --test cost -- --ignored --nocapture --test-threads 1`.

use fsbench_target::{Buffer, Completion, FileId, Io, IoKind, NoProbe, OpenMode, OpenOptions, Session, Target};
use fsbench_target_posix::{PosixTarget, Prefetch};
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

const READ: OpenOptions = OpenOptions { mode: OpenMode::Read, size_hint: None };
const BLOCK: usize = 4096;
const ROUNDS: usize = 60;

fn disk() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory")
}

fn fill(path: &Path, size: usize) {
    let mut file = File::create(path).expect("creates");
    let block: Vec<u8> = (0..1 << 20).map(|i: u32| (i.wrapping_mul(0x9E37_79B1) >> 24) as u8).collect();
    for _ in 0..size >> 20 {
        file.write_all(&block).expect("writes");
    }
}

fn session(base: &Path, prefetch: Prefetch) -> Box<dyn Session> {
    let target = PosixTarget::open(base).expect("opens").with_prefetch(prefetch);
    target.session(Rc::new(NoProbe)).expect("a session")
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn ns_each(took: Duration, count: usize) -> f64 {
    took.as_nanos() as f64 / count as f64
}

fn read_once(
    session: &mut dyn Session,
    file: FileId,
    offset: u64,
    buffer: Buffer,
    done: &mut Vec<Completion>,
) -> Buffer {
    let len = buffer.len();
    session.submit(Io { tag: 0, file, kind: IoKind::Read, offset, len, buffer }).expect("takes");
    session.reap(1, done).expect("reaps");
    let completion = done.pop().expect("one");
    assert_eq!(completion.result, Ok(len));
    completion.buffer
}

#[test]
#[ignore = "prints figures; run it alone, in release"]
fn depth_one_on_a_cached_file() {
    let root = disk();
    fill(&root.path().join("f"), 16 << 20);
    let blocks = (16 << 20) / BLOCK;
    let bare = File::open(root.path().join("f")).expect("opens");
    let mut session = session(root.path(), Prefetch::IoUring);
    let file = session.open("f", READ).expect("opens");
    let (mut plain, mut ours) = (Vec::new(), Vec::new());
    let mut buffer = Buffer::new(BLOCK);
    let mut done = Vec::with_capacity(1);
    for _ in 0..ROUNDS {
        let begin = Instant::now();
        for block in 0..blocks {
            bare.read_exact_at(buffer.as_mut(), (block * BLOCK) as u64).expect("reads");
        }
        plain.push(ns_each(begin.elapsed(), blocks));
        let begin = Instant::now();
        for block in 0..blocks {
            buffer = read_once(&mut *session, file, (block * BLOCK) as u64, buffer, &mut done);
        }
        ours.push(ns_each(begin.elapsed(), blocks));
    }
    // The quietest round of each: a neighbour on the machine only ever adds.
    let (plain, ours) = (least(&plain), least(&ours));
    println!("4 KiB cached, depth 1: pread {plain:.0} ns, session {ours:.0} ns, {:+.0} ns", ours - plain);
}

/// How a file is read through a window.
#[derive(Clone, Copy)]
struct Window {
    len: usize,
    depth: usize,
    /// In scattered order, where the kernel's own readahead cannot guess what comes next.
    scattered: bool,
    /// The consumer's work on each block.
    think: Duration,
}

const FILE_BYTES: usize = 256 << 20;

/// Seconds to read the whole file, each block once.
fn windowed(session: &mut dyn Session, window: Window) -> f64 {
    let Window { len, depth, .. } = window;
    let begin = Instant::now();
    let file = session.open("f", READ).expect("opens");
    let mut spare: Vec<Buffer> = (0..depth).map(|_| Buffer::new(len)).collect();
    let mut done = Vec::new();
    let blocks = FILE_BYTES / len;
    let (mut next, mut read) = (0, 0);
    while read < FILE_BYTES {
        while next < blocks
            && let Some(buffer) = spare.pop()
        {
            let block = if window.scattered { (next * 0x9E37) % blocks } else { next };
            let offset = (block * len) as u64;
            session.submit(Io { tag: offset, file, kind: IoKind::Read, offset, len, buffer }).expect("takes");
            next += 1;
        }
        session.reap(1, &mut done).expect("reaps");
        for completion in done.drain(..) {
            read += completion.result.expect("reads");
            spare.push(completion.buffer);
            let until = Instant::now() + window.think;
            while Instant::now() < until {}
        }
    }
    session.close(file).expect("closes");
    begin.elapsed().as_secs_f64()
}

#[test]
#[ignore = "prints figures; run it alone, in release"]
fn a_window_on_a_cold_file() {
    let root = disk();
    fill(&root.path().join("f"), FILE_BYTES);
    for (len, scattered, think_us) in
        [(1 << 20, false, 0), (1 << 20, false, 500), (128 << 10, true, 0), (16 << 10, true, 0)]
    {
        println!("{} KiB blocks, scattered: {scattered}, {think_us} us of work on each", len >> 10);
        let ways = [
            (Prefetch::IoUring, 1),
            (Prefetch::IoUring, 4),
            (Prefetch::IoUring, 16),
            (Prefetch::Fadvise, 4),
            (Prefetch::Fadvise, 16),
        ];
        for (prefetch, depth) in ways {
            let window = Window { len, depth, scattered, think: Duration::from_micros(think_us) };
            cold(root.path(), prefetch, window);
        }
    }
}

fn cold(base: &Path, prefetch: Prefetch, window: Window) {
    let mut session = session(base, prefetch);
    let (mut seconds, mut cpu) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let left = session.evict("f").expect("evicts").expect("knows");
        assert_eq!(left.bytes, 0, "cold");
        let before = cpu_seconds();
        seconds.push(windowed(&mut *session, window));
        cpu.push(cpu_seconds() - before);
    }
    let rate = FILE_BYTES as f64 / 1e6 / median(seconds);
    println!("  {prefetch:?} depth {}: {rate:.0} MB/s, {:.2} CPU s", window.depth, median(cpu));
}

/// User and system time of this process, its io_uring workers included.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("reads");
    let fields: Vec<&str> = stat.rsplit_once(')').expect("a name").1.split_whitespace().collect();
    let ticks: f64 = fields[11..13].iter().map(|field| field.parse::<f64>().expect("a number")).sum();
    ticks / 100.0
}
