//! The body that every engine runs.

use crate::kit::*;
use fsbench_target::{Allocate, ErrorKind, Lane, LaneAccess, LaneEngine, LaneKind, LaneOptions, LaneRequest};
use std::path::Path;

const BLOCKS: u64 = 256;
const FILE_BYTES: u64 = BLOCKS * BLOCK as u64;

fn all(engine: LaneEngine, more: &[fn(&mut LaneOptions)]) {
    for depth in [1, 64] {
        let plain = options(engine, depth);
        on(disk().path(), &plain);
        for change in more {
            let mut options = plain;
            change(&mut options);
            on(disk().path(), &options);
        }
        match tempfile::tempdir_in("/dev/shm") {
            Ok(root) => on(root.path(), &plain),
            Err(error) => eprintln!("skipped on tmpfs: {error}"),
        }
    }
}

fn on(base: &Path, options: &LaneOptions) {
    eprintln!("{options:?}");
    let access = LaneAccess { bytes: FILE_BYTES, random: Some(true), once: true, ..BOTH };
    let mut lane = lane(base, options);
    let lane = &mut *lane;
    let file = lane.declare("a").unwrap();
    lane.open(file, access).unwrap();
    lane.allocate(file, Allocate::Native, FILE_BYTES).unwrap();
    written_blocks_are_read_back(lane, file, options.depth);
    syncs_succeed(lane, file);
    trimmed_blocks_are_zero(lane, file);
    cancelled_requests_are_gone(lane, file, options.depth);
    lane.invalidate(file).unwrap();
    lane.close(file).unwrap();
    reads_end_at_the_end(lane, base, options);
    errors_have_numbers(lane, base, options.direct);
}

/// Block numbers in an order that jumps about, each once.
fn shuffled() -> impl Iterator<Item = u64> {
    (0..BLOCKS).map(|at| at * 97 % BLOCKS)
}

fn batches(depth: u32, kind: LaneKind, file: u32) -> Vec<Vec<LaneRequest>> {
    let blocks: Vec<u64> = shuffled().collect();
    let of = |(slot, block): (usize, &u64)| request(kind, slot as u32, file, block * u64::from(BLOCK), BLOCK);
    blocks.chunks(depth as usize).map(|batch| batch.iter().enumerate().map(of).collect()).collect()
}

fn written_blocks_are_read_back(lane: &mut dyn Lane, file: u32, depth: u32) {
    for batch in batches(depth, LaneKind::Write, file) {
        batch.iter().for_each(|request| pattern(request.offset, lane.buffer(request.slot)));
        run(lane, &batch).iter().for_each(|done| assert_eq!(done.result, Ok(BLOCK)));
    }
    assert_eq!(lane.size(file), Ok(FILE_BYTES));
    for batch in batches(depth, LaneKind::Read, file) {
        batch.iter().for_each(|request| lane.buffer(request.slot).fill(0));
        run(lane, &batch).iter().for_each(|done| assert_eq!(done.result, Ok(BLOCK)));
        batch.iter().for_each(|request| assert!(is_pattern(request.offset, lane.buffer(request.slot)), "{request:?}"));
    }
}

fn syncs_succeed(lane: &mut dyn Lane, file: u32) {
    for kind in [LaneKind::Sync, LaneKind::DataSync, LaneKind::RangeSync] {
        assert_eq!(one(lane, request(kind, 0, file, 0, BLOCK)), Ok(0), "{kind:?}");
    }
}

fn trimmed_blocks_are_zero(lane: &mut dyn Lane, file: u32) {
    assert_eq!(one(lane, request(LaneKind::Trim, 0, file, 8192, BLOCK)), Ok(BLOCK));
    for (block, zero) in [(1, false), (2, true), (3, false)] {
        let offset = block * u64::from(BLOCK);
        assert_eq!(one(lane, request(LaneKind::Read, 0, file, offset, BLOCK)), Ok(BLOCK));
        assert_eq!(lane.buffer(0).iter().all(|byte| *byte == 0), zero, "block {block}");
    }
    assert_eq!(lane.size(file), Ok(FILE_BYTES));
}

/// With requests in every state: queued, handed over, finished.
fn cancelled_requests_are_gone(lane: &mut dyn Lane, file: u32, depth: u32) {
    for handed_over in [false, true] {
        for slot in 0..depth {
            let _ = lane.start(&request(LaneKind::Read, slot, file, u64::from(slot * BLOCK), BLOCK));
            if handed_over && slot % 2 == 0 {
                lane.submit().unwrap();
            }
        }
        lane.cancel();
        let mut done = Vec::new();
        lane.reap(1, u32::MAX, &mut done).unwrap();
        assert!(done.is_empty());
        (0..depth).for_each(|slot| lane.buffer(slot).fill(7));
        assert_eq!(one(lane, request(LaneKind::Read, 0, file, 0, BLOCK)), Ok(BLOCK));
        assert!(is_pattern(0, lane.buffer(0)));
    }
}

fn reads_end_at_the_end(lane: &mut dyn Lane, base: &Path, options: &LaneOptions) {
    write_file(&base.join("short"), 10_000);
    let file = lane.declare("short").unwrap();
    lane.open(file, READ).unwrap();
    assert_eq!(lane.size(file), Ok(10_000));
    for (offset, bytes) in [(0, 4096), (8192, 1808), (12_288, 0)] {
        assert_eq!(one(lane, request(LaneKind::Read, 0, file, offset, BLOCK)), Ok(bytes), "{options:?}");
        assert!(is_pattern(offset, &lane.buffer(0)[..bytes as usize]));
    }
    lane.close(file).unwrap();
}

fn errors_have_numbers(lane: &mut dyn Lane, base: &Path, direct: bool) {
    let missing = lane.declare("missing").unwrap();
    let error = lane.open(missing, READ).unwrap_err();
    assert_eq!((error.kind, error.errno), (ErrorKind::NotFound, libc::ENOENT));
    assert!(error.path.ends_with("/missing"), "{error}");
    for kind in [LaneKind::Read, LaneKind::Write, LaneKind::Sync, LaneKind::Trim] {
        let error = one(lane, request(kind, 0, missing, 0, BLOCK)).unwrap_err();
        assert_eq!((error.kind, error.errno), (ErrorKind::Invalid, libc::EBADF), "{error}");
    }
    assert_eq!(lane.size(missing).unwrap_err().errno, libc::EBADF);
    assert_eq!(lane.close(missing).unwrap_err().errno, libc::EBADF);
    assert_eq!(one(lane, request(LaneKind::Create, 0, missing, 0, 0)).unwrap_err().kind, ErrorKind::Unsupported);
    assert_eq!(lane.declare("../up").unwrap_err().kind, ErrorKind::Invalid);
    std::fs::create_dir(base.join("d")).unwrap();
    let directory = lane.declare("d").unwrap();
    let errno = lane.open(directory, READ).unwrap_err().errno;
    assert!(errno == libc::EISDIR || direct && errno == libc::EINVAL, "{errno}");
    let only_read = lane.declare("short").unwrap();
    lane.open(only_read, READ).unwrap();
    let error = one(lane, request(LaneKind::Write, 0, only_read, 0, BLOCK)).unwrap_err();
    assert_eq!(error.errno, libc::EBADF, "{error}");
    lane.close(only_read).unwrap();
}

#[test]
fn psync() {
    all(LaneEngine::Psync, &[|o| o.dsync = true, |o| o.direct = true]);
}

#[test]
fn sync() {
    all(LaneEngine::Sync, &[|o| o.sync = true]);
}

#[test]
fn pvsync() {
    all(LaneEngine::Pvsync, &[]);
}

#[test]
fn pvsync2() {
    all(LaneEngine::Pvsync2, &[|o| o.hipri = true]);
}

#[test]
fn vsync() {
    all(LaneEngine::Vsync, &[|o| o.direct = true]);
}

#[test]
fn mmap() {
    all(LaneEngine::Mmap, &[|o| o.direct = true]);
}

#[test]
fn libaio() {
    all(LaneEngine::Libaio, &[|o| o.direct = true]);
}

#[test]
fn io_uring() {
    all(
        LaneEngine::IoUring,
        &[
            |o| o.fixed_buffers = true,
            |o| o.registered_files = true,
            |o| (o.fixed_buffers, o.registered_files, o.direct) = (true, true, true),
            |o| (o.submission_thread, o.submission_processor, o.registered_files) = (true, Some(0), true),
            |o| o.force_async = 3,
        ],
    );
}
