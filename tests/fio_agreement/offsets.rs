//! With a random map every block is touched exactly once; sequential orders are fio's own. Taken from the iologs of
//! both.

use crate::support::fio::{BOTH, Tool, Traced, has_fio, iolog};
use crate::support::room::Room;
use std::collections::BTreeMap;

/// What a job does, as both wrote it down.
#[track_caller]
fn traces(job: &str) -> [Vec<Traced>; 2] {
    let room = Room::new();
    BOTH.map(|tool| trace_of(tool, &room, job))
}

#[track_caller]
fn trace_of(tool: Tool, room: &Room, job: &str) -> Vec<Traced> {
    let log = room.path(&format!("{}.iolog", tool.name()));
    tool.json_of(room, &format!("[t]\n{job}\nwrite_iolog={}\n", log.display()));
    iolog(&log)
}

/// Checks that the I/Os lie side by side: from `start` for `length` bytes of each file, nothing twice.
#[track_caller]
fn exactly_once(ios: &[Traced], start: u64, length: u64) {
    let mut files = BTreeMap::<&str, Vec<(u64, u64)>>::new();
    for io in ios {
        files.entry(&io.file).or_default().push((io.offset, io.length));
    }
    assert!(!files.is_empty(), "nothing was traced");
    for (file, mut places) in files {
        places.sort_unstable();
        let mut at = start;
        for (offset, length) in places {
            assert_eq!(offset, at, "{file}: the next block");
            at += length;
        }
        assert_eq!(at, start + length, "{file}: the end");
    }
}

#[test]
fn every_block_once() {
    if !has_fio() {
        return;
    }
    for engine in ["ioengine=psync", "ioengine=libaio\ndirect=1\niodepth=8", "ioengine=io_uring\niodepth=8"] {
        for mode in ["randread", "randwrite", "randrw"] {
            let [fio, ours] = traces(&format!("{engine}\nrw={mode}\nbs=4k\nsize=1m"));
            exactly_once(&fio, 0, 1 << 20);
            exactly_once(&ours, 0, 1 << 20);
            let [fio, ours] = traces(&format!("{engine}\nrw={mode}\nbs=4k\noffset=64k\nsize=256k"));
            exactly_once(&fio, 64 << 10, 256 << 10);
            exactly_once(&ours, 64 << 10, 256 << 10);
        }
    }
}

#[test]
fn every_block_once_in_many_files_and_with_any_generator() {
    if !has_fio() {
        return;
    }
    for more in ["", "random_generator=lfsr", "random_generator=tausworthe64", "randseed=77", "randrepeat=0"] {
        let [fio, ours] = traces(&format!("rw=randwrite\nbs=4k\nsize=512k\nnrfiles=4\n{more}"));
        exactly_once(&fio, 0, 128 << 10);
        exactly_once(&ours, 0, 128 << 10);
    }
}

#[test]
fn every_byte_once_with_sizes_drawn() {
    if !has_fio() {
        return;
    }
    for sizes in ["bsrange=4k-16k", "bssplit=4k/50:8k/50", "bs=4k,8k"] {
        let [_, ours] = traces(&format!("rw=randread\n{sizes}\nsize=1m"));
        exactly_once(&ours, 0, 1 << 20);
    }
}

#[test]
fn each_loop_is_a_whole_pass() {
    if !has_fio() {
        return;
    }
    for log in traces("rw=randread\nbs=4k\nsize=256k\nloops=3") {
        assert_eq!(log.len(), 192);
        log.chunks(64).for_each(|pass| exactly_once(pass, 0, 256 << 10));
    }
}

#[test]
fn orders_that_are_not_random_are_equal() {
    if !has_fio() {
        return;
    }
    for job in [
        "rw=read\nbs=4k\nsize=64k",
        "rw=read:4k\nbs=4k\nsize=64k",
        "rw=write:12k\nbs=4k\nsize=64k",
        "rw=read\nbs=4k\nsize=64k\nio_size=160k",
        "rw=read\nbs=4k\nsize=64k\nloops=2",
        "rw=read\nbs=4k\noffset=8k\nsize=64k",
        "rw=read\nbs=4k\nsize=64k\nnrfiles=4",
        "rw=read\nbs=4k\nsize=64k\nnrfiles=4\nfile_service_type=roundrobin:2",
        "rw=read\nbs=4k\nsize=64k\nnrfiles=4\nfile_service_type=sequential",
        "rw=read\nbs=4k\nsize=128k\nzonemode=strided\nzonesize=16k\nzonerange=32k",
        "rw=read\nbs=4k\nsize=128k\nzonemode=strided\nzonesize=8k\nzonerange=8k\nzoneskip=24k",
        "rw=read\nbs=4k\nsize=64k\nnumber_ios=5",
    ] {
        let [fio, ours] = traces(job);
        assert_eq!(fio, ours, "{job}");
    }
}

#[test]
fn random_order_is_random_and_the_same_in_every_run() {
    let room = Room::new();
    let job = "rw=randread\nbs=4k\nsize=1m";
    let first = trace_of(Tool::Ours, &room, job);
    assert_eq!(trace_of(Tool::Ours, &room, job), first, "randrepeat=1");
    assert_ne!(trace_of(Tool::Ours, &room, &format!("{job}\nrandseed=5")), first, "another seed");
    let neighbours = first.windows(2).filter(|pair| pair[1].offset == pair[0].offset + 4096).count();
    assert!(neighbours < 10, "{neighbours} of 255 follow their neighbour");
}
