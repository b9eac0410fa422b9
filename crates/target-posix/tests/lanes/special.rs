//! What is not the same for every engine: devices, pipes, flags.

use crate::kit::*;
use fsbench_target::{
    Allocate, ErrorKind, LaneAccess, LaneDone, LaneEngine, LaneKind, LaneOptions, NoProbe, Started, Target,
};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

const ENGINES: [LaneEngine; 6] = [
    LaneEngine::Psync,
    LaneEngine::Sync,
    LaneEngine::Pvsync,
    LaneEngine::Pvsync2,
    LaneEngine::Libaio,
    LaneEngine::IoUring,
];

#[test]
fn the_root_is_a_base_and_devices_are_files() {
    for engine in ENGINES {
        let mut lane = lane(Path::new("/"), &options(engine, 1));
        let (zero, null) = (lane.declare("dev/zero").unwrap(), lane.declare("dev/null").unwrap());
        lane.open(zero, READ).unwrap();
        lane.open(null, BOTH).unwrap();
        lane.buffer(0).fill(1);
        assert_eq!(one(&mut *lane, request(LaneKind::Write, 0, null, 4096, BLOCK)), Ok(BLOCK), "{engine:?}");
        assert_eq!(one(&mut *lane, request(LaneKind::Read, 0, zero, 1 << 20, BLOCK)), Ok(BLOCK), "{engine:?}");
        assert!(lane.buffer(0).iter().all(|byte| *byte == 0));
        assert_eq!(lane.size(zero), Ok(0));
    }
}

#[test]
fn adjacent_requests_become_one_call_and_others_wait() {
    let root = disk();
    write_file(&root.path().join("a"), 6 * 4096 + 100);
    let mut lane = lane(root.path(), &options(LaneEngine::Vsync, 8));
    let file = lane.declare("a").unwrap();
    lane.open(file, READ).unwrap();
    let read = |slot: u32, block: u32| request(LaneKind::Read, slot, file, u64::from(block * BLOCK), BLOCK);
    for slot in 0..4 {
        assert!(matches!(lane.start(&read(slot, slot + 4)), Started::Queued));
    }
    assert!(matches!(lane.start(&read(4, 0)), Started::Busy));
    assert!(matches!(lane.start(&request(LaneKind::Sync, 4, file, 0, 0)), Started::Busy));
    let mut done = Vec::new();
    lane.reap(1, 2, &mut done).unwrap();
    assert_eq!(done.len(), 2);
    lane.reap(2, 8, &mut done).unwrap();
    let moved: Vec<u32> = done.into_iter().map(|done| done.result.unwrap()).collect();
    assert_eq!(moved, [BLOCK, BLOCK, 100, 0]);
    assert!(is_pattern(5 * 4096, lane.buffer(1)));
}

#[test]
fn the_null_engine_looks_at_no_file() {
    for depth in [1, 4] {
        let mut lane = lane(Path::new("/no/such/base"), &options(LaneEngine::Null, depth));
        let file = lane.declare("x").unwrap();
        lane.open(file, LaneAccess { bytes: 1 << 40, ..READ }).unwrap();
        assert_eq!(lane.size(file), Ok(1 << 40));
        for kind in [LaneKind::Read, LaneKind::Write, LaneKind::Trim, LaneKind::Sync] {
            let moved = if kind == LaneKind::Sync { 0 } else { BLOCK };
            assert_eq!(one(&mut *lane, request(kind, 0, file, 0, BLOCK)), Ok(moved));
        }
        let started = (0..depth).map(|slot| lane.start(&request(LaneKind::Read, slot, file, 0, BLOCK)));
        assert!(started.into_iter().all(|started| matches!(started, Started::Queued) == (depth > 1)));
        lane.cancel();
        lane.close(file).unwrap();
        lane.size(file).unwrap_err();
    }
}

#[test]
fn names_are_created_looked_at_and_deleted() {
    let root = disk();
    std::fs::create_dir_all(root.path().join("d/e")).unwrap();
    let mut lane = lane(root.path(), &LaneOptions { slot_bytes: 0, ..options(LaneEngine::Names, 1) });
    let lane = &mut *lane;
    let files = ["a", "d/b", "d/e/c", "late/x"].map(|name| lane.declare(name).unwrap());
    std::fs::create_dir(root.path().join("late")).unwrap();
    let name = |kind, file| request(kind, 0, file, 0, 0);
    for file in files {
        assert_eq!(one(lane, name(LaneKind::Stat, file)).unwrap_err().errno, libc::ENOENT);
        assert_eq!(one(lane, name(LaneKind::Create, file)), Ok(0));
        assert_eq!(one(lane, name(LaneKind::Create, file)), Ok(0), "it may be there");
        assert_eq!(one(lane, name(LaneKind::Stat, file)), Ok(0));
    }
    assert!(root.path().join("d/e/c").exists() && root.path().join("late/x").exists());
    for file in files {
        assert_eq!(one(lane, name(LaneKind::Delete, file)), Ok(0));
        let error = one(lane, name(LaneKind::Delete, file)).unwrap_err();
        assert_eq!((error.kind, error.errno), (ErrorKind::NotFound, libc::ENOENT));
    }
    assert_eq!(one(lane, name(LaneKind::Read, files[0])).unwrap_err().kind, ErrorKind::Unsupported);
    assert_eq!(one(lane, name(LaneKind::Stat, 99)).unwrap_err().errno, libc::EBADF);
}

#[test]
fn space_is_reserved_as_asked() {
    use std::os::unix::fs::MetadataExt;
    let root = disk();
    let mut lane = lane(root.path(), &options(LaneEngine::Psync, 1));
    let cases = [
        (Allocate::None, 0, false),
        (Allocate::Native, 1 << 20, true),
        (Allocate::Posix, 1 << 20, true),
        (Allocate::Keep, 0, true),
        (Allocate::Truncate, 1 << 20, false),
    ];
    for (how, size, reserved) in cases {
        let name = format!("{how:?}");
        let file = lane.declare(&name).unwrap();
        lane.open(file, BOTH).unwrap();
        match lane.allocate(file, how, 1 << 20) {
            Err(error) if error.kind == ErrorKind::Unsupported => eprintln!("skipped: {error}"),
            other => {
                other.unwrap();
                assert_eq!(lane.size(file), Ok(size), "{name}");
                assert_eq!(std::fs::metadata(root.path().join(&name)).unwrap().blocks() > 0, reserved, "{name}");
            }
        }
    }
}

#[test]
fn links_are_followed() {
    let root = disk();
    write_file(&root.path().join("a"), 4096);
    std::os::unix::fs::symlink("a", root.path().join("link")).unwrap();
    let mut lane = lane(root.path(), &options(LaneEngine::Psync, 1));
    let file = lane.declare("link").unwrap();
    lane.open(file, READ).unwrap();
    assert_eq!(one(&mut *lane, request(LaneKind::Read, 0, file, 0, BLOCK)), Ok(BLOCK));
}

#[test]
fn opening_never_empties_a_file() {
    let root = disk();
    write_file(&root.path().join("a"), 4096);
    let mut lane = lane(root.path(), &options(LaneEngine::Psync, 1));
    let file = lane.declare("a").unwrap();
    lane.open(file, BOTH).unwrap();
    assert_eq!(lane.size(file), Ok(4096));
}

#[test]
fn an_interrupt_ends_a_wait_and_the_pipe_can_be_left() {
    let root = disk();
    let fifo = std::ffi::CString::new(root.path().join("fifo").to_str().unwrap()).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, &*fifo, rustix::fs::FileType::Fifo, rustix::fs::Mode::from_raw_mode(0o600), 0)
        .unwrap();
    let target = target(root.path());
    let mut lane = target.lane(&options(LaneEngine::IoUring, 4), Rc::new(NoProbe)).unwrap().unwrap();
    let file = lane.declare("fifo").unwrap();
    lane.open(file, BOTH).unwrap();
    assert!(matches!(lane.start(&request(LaneKind::Read, 0, file, 0, BLOCK)), Started::Queued));
    let start = Instant::now();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            target.interrupt();
        });
        let error = lane.reap(1, 1, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Interrupted);
    });
    lane.cancel();
    assert!(start.elapsed() < Duration::from_millis(230), "{:?}", start.elapsed());
    target.resume();
    lane.buffer(0).fill(1);
    lane.start(&request(LaneKind::Read, 0, file, 0, BLOCK));
    // Dropped with a read under way that nothing will ever answer.
}

#[test]
#[should_panic(expected = "a request in flight")]
fn a_buffer_in_flight_is_not_given_out() {
    let root = disk();
    write_file(&root.path().join("a"), 4096);
    let mut lane = lane(root.path(), &options(LaneEngine::IoUring, 1));
    let file = lane.declare("a").unwrap();
    lane.open(file, READ).unwrap();
    lane.start(&request(LaneKind::Read, 0, file, 0, BLOCK));
    lane.buffer(0);
}

#[test]
fn reap_takes_no_more_than_it_may() {
    let root = disk();
    write_file(&root.path().join("a"), 1 << 20);
    for engine in [LaneEngine::Libaio, LaneEngine::IoUring] {
        let mut lane = lane(root.path(), &options(engine, 64));
        let file = lane.declare("a").unwrap();
        lane.open(file, READ).unwrap();
        for slot in 0..64 {
            let read = request(LaneKind::Read, slot, file, u64::from(slot * BLOCK), BLOCK);
            assert!(matches!(lane.start(&read), Started::Queued));
        }
        assert_eq!(lane.submit(), Ok(64));
        let mut done: Vec<LaneDone> = Vec::new();
        for taken in 1..=8 {
            lane.reap(3, 3, &mut done).unwrap();
            assert_eq!(done.len(), taken * 3);
        }
        lane.reap(u32::MAX, u32::MAX, &mut done).unwrap();
        assert_eq!(done.len(), 64);
        lane.reap(1, 1, &mut done).unwrap();
        assert_eq!(done.len(), 64);
    }
}

#[test]
fn a_wait_hands_over_what_is_queued() {
    let root = disk();
    write_file(&root.path().join("a"), 1 << 20);
    for engine in [LaneEngine::Libaio, LaneEngine::IoUring, LaneEngine::Vsync, LaneEngine::Null] {
        let mut lane = lane(root.path(), &options(engine, 8));
        let file = lane.declare("a").unwrap();
        lane.open(file, READ).unwrap();
        for slot in 0..8 {
            lane.start(&request(LaneKind::Read, slot, file, u64::from(slot * BLOCK), BLOCK));
        }
        let mut done = Vec::new();
        lane.reap(0, 8, &mut done).unwrap();
        lane.reap(8 - done.len() as u32, 8, &mut done).unwrap();
        assert_eq!(done.len(), 8, "{engine:?}");
    }
}

#[test]
fn what_an_engine_lacks_is_refused_by_name() {
    let root = disk();
    let refused = |options: LaneOptions| {
        let error = target(root.path()).lane(&options, Rc::new(NoProbe)).err().expect("refused");
        assert_eq!(error.kind, ErrorKind::Unsupported);
        error.to_string()
    };
    let text = refused(LaneOptions { nowait: true, ..options(LaneEngine::Psync, 1) });
    assert!(text.contains("the engine psync has no RWF_NOWAIT"), "{text}");
    refused(LaneOptions { fixed_buffers: true, ..options(LaneEngine::Libaio, 1) });
    let store = target(root.path()).lane(&options(LaneEngine::Store, 1), Rc::new(NoProbe)).expect("no error");
    assert!(store.is_none());
}

#[test]
fn misaligned_direct_io_says_what_is_needed() {
    let root = disk();
    write_file(&root.path().join("a"), 1 << 16);
    for engine in ENGINES {
        let mut lane = lane(root.path(), &LaneOptions { direct: true, ..options(engine, 1) });
        let file = lane.declare("a").unwrap();
        if let Err(error) = lane.open(file, READ) {
            return eprintln!("skipped: no direct I/O here ({error})");
        }
        let error = one(&mut *lane, request(LaneKind::Read, 0, file, 100, 1000)).unwrap_err();
        assert_eq!(error.errno, libc::EINVAL);
        assert!(error.to_string().contains("must be multiples of 512 here"), "{error}");
    }
}

#[test]
fn what_would_wait_is_an_error_with_nowait() {
    let root = disk();
    for engine in [LaneEngine::Pvsync2, LaneEngine::Libaio, LaneEngine::IoUring] {
        write_file(&root.path().join("a"), 1 << 20);
        let mut lane = lane(root.path(), &LaneOptions { nowait: true, ..options(engine, 1) });
        let file = lane.declare("a").unwrap();
        lane.open(file, LaneAccess { random: Some(true), ..READ }).unwrap();
        let read = request(LaneKind::Read, 0, file, 0, BLOCK);
        match one(&mut *lane, read) {
            Err(error) if error.errno == libc::EOPNOTSUPP => return eprintln!("skipped: {error}"),
            result => assert_eq!(result, Ok(BLOCK), "{engine:?}"),
        }
        std::fs::File::open(root.path().join("a")).unwrap().sync_all().unwrap();
        lane.invalidate(file).unwrap();
        let error = one(&mut *lane, read).unwrap_err();
        assert_eq!(error.errno, libc::EAGAIN, "{engine:?}");
        assert!(error.to_string().contains("RWF_NOWAIT"), "{error}");
    }
}

#[test]
fn a_polled_ring_reads_or_says_why_not() {
    let root = disk();
    write_file(&root.path().join("a"), 1 << 16);
    let options = LaneOptions { direct: true, hipri: true, fixed_buffers: true, ..options(LaneEngine::IoUring, 4) };
    let mut lane = lane(root.path(), &options);
    let file = lane.declare("a").unwrap();
    lane.open(file, BOTH).unwrap();
    match one(&mut *lane, request(LaneKind::Read, 0, file, 4096, BLOCK)) {
        Ok(moved) => assert_eq!(moved, BLOCK),
        Err(error) => {
            assert_eq!(error.errno, libc::EOPNOTSUPP);
            eprintln!("skipped: the device cannot be polled ({error})");
        }
    }
    assert_eq!(one(&mut *lane, request(LaneKind::Sync, 0, file, 0, 0)), Ok(0));
}

#[test]
fn more_files_than_are_registered_are_used_all_the_same() {
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current.unwrap_or(u64::MAX);
    if limit < 1200 {
        return eprintln!("skipped: only {limit} files may be open");
    }
    let root = disk();
    write_file(&root.path().join("a"), 8192);
    let options = LaneOptions { registered_files: true, ..options(LaneEngine::IoUring, 2) };
    let mut lane = lane(root.path(), &options);
    for round in 0..2 {
        let files: Vec<u32> = (0..1030).map(|_| lane.declare("a").unwrap()).collect();
        files.iter().for_each(|file| lane.open(*file, READ).unwrap());
        for file in &files {
            assert_eq!(one(&mut *lane, request(LaneKind::Read, 0, *file, 4096, BLOCK)), Ok(BLOCK), "round {round}");
        }
        files.iter().for_each(|file| lane.close(*file).unwrap());
    }
}

#[test]
fn an_interrupt_from_before_ends_a_wait_of_libaio_too() {
    let root = disk();
    write_file(&root.path().join("a"), 8192);
    let target = target(root.path());
    let mut lane = target.lane(&options(LaneEngine::Libaio, 2), Rc::new(NoProbe)).unwrap().unwrap();
    let file = lane.declare("a").unwrap();
    lane.open(file, READ).unwrap();
    target.interrupt();
    assert_eq!(lane.open(file, READ).unwrap_err().kind, ErrorKind::Interrupted);
    assert!(matches!(lane.start(&request(LaneKind::Read, 0, file, 0, BLOCK)), Started::Queued));
    let mut done = Vec::new();
    // What is there is taken; only a wait is cut short.
    while let Err(error) = lane.reap(1, 1, &mut done) {
        assert_eq!(error.kind, ErrorKind::Interrupted);
    }
    assert_eq!(done.len(), 1);
    lane.close(file).unwrap();
}

#[test]
fn uncached_reads_leave_nothing_in_the_cache() {
    let root = disk();
    for engine in [LaneEngine::Pvsync2, LaneEngine::Libaio, LaneEngine::IoUring] {
        let name = format!("{engine:?}");
        write_file(&root.path().join(&name), 1 << 20);
        std::fs::File::open(root.path().join(&name)).unwrap().sync_all().unwrap();
        let target = target(root.path());
        let options = LaneOptions { uncached: true, ..options(engine, 1) };
        let mut lane = target.lane(&options, Rc::new(NoProbe)).unwrap().unwrap();
        let file = lane.declare(&name).unwrap();
        lane.open(file, LaneAccess { random: Some(true), ..READ }).unwrap();
        lane.invalidate(file).unwrap();
        for block in 0..256 {
            match one(&mut *lane, request(LaneKind::Read, 0, file, block * u64::from(BLOCK), BLOCK)) {
                Err(error) if error.errno == libc::EOPNOTSUPP => return eprintln!("skipped: {error}"),
                result => assert_eq!(result, Ok(BLOCK), "{engine:?}"),
            }
        }
        let cached = target.session(Rc::new(NoProbe)).unwrap().cached(&name).unwrap();
        assert!(cached.is_none_or(|cached| cached.bytes < 1 << 19), "{engine:?}: {cached:?}");
    }
}
