//! What a lane costs above the bare system call, in one process, round by round:
//! `cargo run --profile quick -p fsbench-target-posix --example lane [case…] [seconds]`, cases psync, uring, direct, null
//! and names. Prints nanoseconds for each request; asserts nothing.
#![allow(unsafe_code, clippy::unwrap_used)]

use fsbench_target::{
    Lane, LaneAccess, LaneDone, LaneEngine, LaneKind, LaneOptions, LaneRequest, NoProbe, Started, Target,
};
use fsbench_target_posix::PosixTarget;
use std::hint::black_box;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

const BLOCK: u32 = 4096;
const FILE_BYTES: u64 = 1 << 30;
const ROUNDS: usize = 5;
const BATCH: u32 = 16;
const DEPTH: u32 = 64;

/// xorshift, scaled to a block's offset.
struct Offsets(u64);

impl Offsets {
    #[inline]
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % (FILE_BYTES / u64::from(BLOCK))) * u64::from(BLOCK)
    }
}

/// Processor time of this thread: robust where other work shares the processors.
fn cpu() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes one timespec.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &raw mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Nanoseconds of processor time for each request of `work`, which does a few thousand and says how many.
fn cost(seconds: f64, mut work: impl FnMut() -> u64) -> f64 {
    let (start, before, mut count) = (Instant::now(), cpu(), 0);
    while start.elapsed().as_secs_f64() < seconds {
        count += work();
    }
    (cpu() - before).as_nanos() as f64 / count as f64
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Both kinds of work in turn.
fn compare(name: &str, seconds: f64, mut bare: impl FnMut() -> u64, mut lane: impl FnMut() -> u64) {
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        a.push(cost(seconds, &mut bare));
        b.push(cost(seconds, &mut lane));
    }
    println!("{name}: bare {:?} lane {:?}", rounded(&a), rounded(&b));
    let (a, b) = (median(a), median(b));
    println!("{name}: bare {a:.1} ns, lane {b:.1} ns, {:+.1} ns, {:+.1} %", b - a, (b / a - 1.0) * 100.0);
}

fn rounded(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.round() as u64).collect()
}

fn file() -> std::path::PathBuf {
    let path = std::env::var("LANE_FILE").unwrap_or_else(|_| "/var/tmp/fsbench-lane".into());
    let path = std::path::PathBuf::from(path);
    if std::fs::metadata(&path).map_or(0, |found| found.len()) < FILE_BYTES {
        let block = vec![0x5a; 1 << 20];
        let mut file = std::fs::File::create(&path).unwrap();
        (0..FILE_BYTES >> 20).for_each(|_| std::io::Write::write_all(&mut file, &block).unwrap());
        file.sync_all().unwrap();
    }
    path
}

fn make(options: &LaneOptions) -> Box<dyn Lane> {
    PosixTarget::open(Path::new("/")).unwrap().lane(options, Rc::new(NoProbe)).unwrap().unwrap()
}

fn opened(options: &LaneOptions, path: &Path) -> (Box<dyn Lane>, u32) {
    let mut lane = make(options);
    let file = lane.declare(path.strip_prefix("/").unwrap().to_str().unwrap()).unwrap();
    lane.open(file, LaneAccess { read: true, random: Some(true), bytes: FILE_BYTES, ..LaneAccess::default() }).unwrap();
    (lane, file)
}

fn options(engine: LaneEngine, depth: u32) -> LaneOptions {
    LaneOptions { engine, depth, slot_bytes: BLOCK, align: 4096, ..LaneOptions::default() }
}

fn read(file: u32, slot: u32, offset: u64) -> LaneRequest {
    LaneRequest { offset, len: BLOCK, slot, file, kind: LaneKind::Read }
}

/// A loop of `pread`, nothing else.
fn bare_pread(path: &Path) -> impl FnMut() -> u64 {
    let file = std::fs::File::open(path).unwrap();
    let (mut buffer, mut offsets) = (vec![0_u8; 2 * BLOCK as usize], Offsets(7));
    // As the lane's are: a copy to a page costs less than one across two.
    let skip = buffer.as_ptr().align_offset(BLOCK as usize);
    move || {
        for _ in 0..4096 {
            let (at, place) = (offsets.next() as i64, buffer[skip..].as_mut_ptr().cast());
            // SAFETY: from the place on the buffer has at least a block.
            assert_eq!(unsafe { libc::pread(file.as_raw_fd(), place, BLOCK as usize, at) }, BLOCK as isize);
        }
        4096
    }
}

/// Each request is done when `start` returns.
fn at_once(mut lane: Box<dyn Lane>, file: u32) -> impl FnMut() -> u64 {
    let mut offsets = Offsets(7);
    move || {
        for _ in 0..4096 {
            match lane.start(&read(file, 0, offsets.next())) {
                Started::Done(Ok(BLOCK)) => {}
                other => panic!("{other:?}"),
            }
        }
        4096
    }
}

/// As fio's t/io_uring: batches into a queue that is kept full.
fn batched(mut lane: Box<dyn Lane>, file: u32) -> impl FnMut() -> u64 {
    let mut offsets = Offsets(7);
    let mut free: Vec<u32> = (0..DEPTH).collect();
    let mut done: Vec<LaneDone> = Vec::with_capacity(DEPTH as usize);
    move || {
        let mut count = 0;
        while count < 4096 {
            for _ in 0..BATCH.min(free.len() as u32) {
                let slot = free.pop().unwrap();
                assert!(matches!(lane.start(&read(file, slot, offsets.next())), Started::Queued));
            }
            // With a full queue the wait hands the batch over.
            if free.is_empty() {
                lane.reap(BATCH, DEPTH, &mut done).unwrap();
            } else {
                lane.submit().unwrap();
                lane.reap(0, DEPTH, &mut done).unwrap();
            }
            for done in done.drain(..) {
                assert!(matches!(done.result, Ok(BLOCK)));
                free.push(done.slot);
                count += 1;
            }
        }
        count
    }
}

/// The same by the ring itself.
fn bare_ring(path: &Path, direct: bool) -> impl FnMut() -> u64 {
    let flags = if direct { libc::O_DIRECT } else { 0 };
    let file = std::os::unix::fs::OpenOptionsExt::custom_flags(std::fs::OpenOptions::new().read(true), flags)
        .open(path)
        .unwrap();
    let mut builder = io_uring::IoUring::builder();
    builder.setup_single_issuer().setup_defer_taskrun().setup_taskrun_flag().setup_no_sqarray();
    let mut ring: io_uring::IoUring = builder.build(DEPTH).unwrap();
    let memory = vec![0_u8; (DEPTH * BLOCK + BLOCK) as usize].leak();
    let skip = memory.as_ptr().align_offset(BLOCK as usize);
    let memory = &mut memory[skip..];
    let start = memory.as_mut_ptr() as usize;
    let slots: Vec<libc::iovec> = memory
        .chunks_exact_mut(BLOCK as usize)
        .take(DEPTH as usize)
        .map(|slot| libc::iovec { iov_base: slot.as_mut_ptr().cast(), iov_len: slot.len() })
        .collect();
    // SAFETY: the memory is leaked.
    unsafe { ring.submitter().register_buffers(&slots) }.unwrap();
    ring.submitter().register_files(&[file.as_raw_fd()]).unwrap();
    let _ = ring.submitter().register_ring_fd();
    let (mut offsets, mut free) = (Offsets(7), (0..DEPTH).collect::<Vec<u32>>());
    move || {
        let _open = &file;
        let mut count = 0;
        while count < 4096 {
            let fd = io_uring::types::Fixed(0);
            let mut queue = ring.submission();
            for _ in 0..BATCH.min(free.len() as u32) {
                let slot = free.pop().unwrap();
                let place = (start + (slot * BLOCK) as usize) as *mut u8;
                let entry = io_uring::opcode::ReadFixed::new(fd, place, BLOCK, slot as u16).offset(offsets.next());
                // SAFETY: the memory is leaked.
                unsafe { queue.push(&entry.build().user_data(u64::from(slot))) }.unwrap();
            }
            drop(queue);
            let want = if free.is_empty() { BATCH } else { 0 };
            ring.submit_and_wait(want as usize).unwrap();
            for entry in ring.completion() {
                assert_eq!(entry.result(), BLOCK as i32);
                free.push(entry.user_data() as u32);
                count += 1;
            }
        }
        count
    }
}

fn psync(seconds: f64) {
    let path = file();
    std::fs::read(&path).unwrap();
    for engine in [LaneEngine::Psync, LaneEngine::Pvsync2, LaneEngine::Sync, LaneEngine::Mmap] {
        let (lane, file) = opened(&options(engine, 1), &path);
        compare(&format!("{engine:?}"), seconds, bare_pread(&path), at_once(lane, file));
    }
    let (lane, file) = opened(&options(LaneEngine::Psync, 1), Path::new("/dev/zero"));
    compare("psync of /dev/zero", seconds, bare_pread(Path::new("/dev/zero")), at_once(lane, file));
}

fn queued(seconds: f64, direct: bool) {
    let path = file();
    if !direct {
        std::fs::read(&path).unwrap();
    }
    let ring = LaneOptions { direct, ..options(LaneEngine::IoUring, DEPTH) };
    let all = LaneOptions { fixed_buffers: true, registered_files: true, ..ring };
    let cases = [
        ("fixed", all),
        ("plain", ring),
        ("libaio (bare is io_uring)", LaneOptions { engine: LaneEngine::Libaio, ..ring }),
    ];
    for (name, options) in cases {
        let (lane, file) = opened(&options, &path);
        compare(&format!("{name} direct={direct}"), seconds, bare_ring(&path, direct), batched(lane, file));
    }
}

fn null(seconds: f64) {
    let (lane, file) = opened(&options(LaneEngine::Null, 1), Path::new("/x"));
    let mut offsets = Offsets(7);
    let bare = move || {
        (0..4096).for_each(|_| {
            black_box(read(0, 0, offsets.next()));
        });
        4096
    };
    compare("null depth 1", seconds, bare, at_once(lane, file));
    let (lane, file) = opened(&options(LaneEngine::Null, DEPTH), Path::new("/x"));
    compare("null depth 64", seconds, || black_box(4096), batched(lane, file));
}

/// Rates of names in one directory of tmpfs.
fn names() {
    const FILES: u32 = 20_000;
    let root = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut lane = make(&LaneOptions { slot_bytes: 0, ..options(LaneEngine::Names, 1) });
    let base = root.path().strip_prefix("/").unwrap().display().to_string();
    for at in 0..FILES {
        lane.declare(&format!("{base}/file.mdtest.0.{at}")).unwrap();
    }
    for round in 0..ROUNDS {
        for kind in [LaneKind::Create, LaneKind::Stat, LaneKind::Delete] {
            let before = cpu();
            for file in 0..FILES {
                let done = lane.start(&LaneRequest { offset: 0, len: 0, slot: 0, file, kind });
                assert!(matches!(done, Started::Done(Ok(0))));
            }
            println!(
                "names {round} {kind:?}: {:.0}/s of processor time",
                f64::from(FILES) / (cpu() - before).as_secs_f64()
            );
        }
    }
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let seconds = words.iter().find_map(|word| word.parse().ok()).unwrap_or(0.5);
    let asked = |name: &str| words.iter().all(|word| word.parse::<f64>().is_ok()) || words.iter().any(|w| w == name);
    asked("null").then(|| null(seconds));
    asked("psync").then(|| psync(seconds));
    asked("uring").then(|| queued(seconds, false));
    asked("direct").then(|| queued(seconds, true));
    asked("names").then(names);
}
