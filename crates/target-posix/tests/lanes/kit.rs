//! What the tests of lanes share: a directory, a lane in it, and requests one after the other or many at once.

use fsbench_target::{
    Lane, LaneAccess, LaneDone, LaneEngine, LaneKind, LaneOptions, LaneRequest, LaneResult, NoProbe, Started, Target,
};
use fsbench_target_posix::PosixTarget;
use std::path::Path;
use std::rc::Rc;

pub(crate) const BLOCK: u32 = 4096;

pub(crate) const READ: LaneAccess =
    LaneAccess { read: true, write: false, create: false, stream_bytes: 0, random: None, once: false, bytes: 0 };
pub(crate) const BOTH: LaneAccess = LaneAccess { write: true, create: true, ..READ };

pub(crate) fn disk() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a temporary directory")
}

pub(crate) fn target(base: &Path) -> PosixTarget {
    PosixTarget::open(base).expect("opens")
}

pub(crate) fn options(engine: LaneEngine, depth: u32) -> LaneOptions {
    LaneOptions { engine, depth, slot_bytes: BLOCK, align: 512, sync_range: 7, ..LaneOptions::default() }
}

pub(crate) fn lane(base: &Path, options: &LaneOptions) -> Box<dyn Lane> {
    target(base).lane(options, Rc::new(NoProbe)).expect("a lane").expect("not one of sessions")
}

pub(crate) fn request(kind: LaneKind, slot: u32, file: u32, offset: u64, len: u32) -> LaneRequest {
    LaneRequest { offset, len, slot, file, kind }
}

/// Starts all requests, in parts where the engine is busy, and gives back what each came to, by slot.
pub(crate) fn run(lane: &mut dyn Lane, requests: &[LaneRequest]) -> Vec<LaneDone> {
    let mut done = Vec::new();
    for request in requests {
        loop {
            match lane.start(request) {
                Started::Done(result) => done.push(LaneDone { slot: request.slot, result }),
                Started::Queued => {}
                Started::Busy => {
                    lane.submit().expect("submits");
                    lane.reap(1, u32::MAX, &mut done).expect("reaps");
                    continue;
                }
            }
            break;
        }
    }
    lane.submit().expect("submits");
    while done.len() < requests.len() {
        lane.reap(1, u32::MAX, &mut done).expect("reaps");
    }
    assert_eq!(done.len(), requests.len(), "each request ends once");
    done.sort_by_key(|done| done.slot);
    done
}

pub(crate) fn one(lane: &mut dyn Lane, request: LaneRequest) -> LaneResult {
    run(lane, &[request]).pop().expect("one").result
}

/// The bytes that belong at an offset.
pub(crate) fn pattern(offset: u64, bytes: &mut [u8]) {
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = ((offset + at as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8;
    }
}

pub(crate) fn is_pattern(offset: u64, bytes: &[u8]) -> bool {
    let mut wanted = vec![0; bytes.len()];
    pattern(offset, &mut wanted);
    wanted == bytes
}

/// A file of the pattern.
pub(crate) fn write_file(path: &Path, bytes: usize) {
    let mut content = vec![0; bytes];
    pattern(0, &mut content);
    std::fs::write(path, content).expect("writes");
}
