//! What is not the same for every engine: devices, pipes, flags.

use crate::kit::*;
use fsbench_target::{ErrorKind, LaneDone, LaneEngine, LaneKind, LaneOptions, NoProbe, Started, Target};
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
