//! The same number of I/Os and bytes, for every direction, engine and way to say how much.

use crate::support::fio::{BOTH, Counts, Tool, counts, has_fio};
use crate::support::mounts::Loop;
use crate::support::room::Room;
use std::fmt::Write as _;

/// How much of two counts must be equal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Equal {
    /// I/Os and bytes of each direction.
    Directions,
    /// I/Os and bytes of all directions together: each tool draws directions by itself.
    Totals,
    /// Bytes: each tool draws the sizes of I/Os by itself.
    Bytes,
}

/// Ways to say how much is done, and whether sizes are drawn.
const AMOUNTS: [(&str, &str, bool); 17] = [
    ("plain", "bs=4k\nsize=64k", false),
    ("bsrange", "bsrange=4k-16k\nsize=128k", true),
    ("bssplit", "bssplit=4k/60:8k/40\nsize=128k", true),
    ("offset", "bs=4k\noffset=16k\nsize=64k", false),
    ("less", "bs=4k\nsize=64k\nio_size=24k", false),
    ("more", "bs=4k\nsize=64k\nio_size=160k", false),
    ("loops", "bs=4k\nsize=64k\nloops=3", false),
    ("files", "bs=4k\nsize=64k\nnrfiles=4", false),
    ("files-random", "bs=4k\nsize=64k\nnrfiles=4\nfile_service_type=random", false),
    ("files-seq", "bs=4k\nsize=64k\nnrfiles=4\nfile_service_type=sequential", false),
    ("files-zipf", "bs=4k\nsize=64k\nnrfiles=4\nfile_service_type=zipf:1.2", false),
    ("files-pareto", "bs=4k\nsize=64k\nnrfiles=4\nfile_service_type=pareto:0.3", false),
    ("files-normal", "bs=4k\nsize=64k\nnrfiles=4\nfile_service_type=normal:20", false),
    ("number", "bs=4k\nsize=64k\nnumber_ios=7", false),
    ("clones", "bs=4k\nsize=64k\nnumjobs=3", false),
    ("strided", "bs=4k\nsize=128k\nzonemode=strided\nzonesize=16k\nzonerange=32k\nzoneskip=0", false),
    ("increment", "bs=4k\nsize=64k\nnumjobs=2\noffset_increment=16k", false),
];

const MODES: [&str; 6] = ["read", "write", "randread", "randwrite", "rw", "randrw"];
const TRIMS: [&str; 4] = ["trim", "randtrim", "trimwrite", "randtrimwrite"];

fn equal_of(mode: &str, drawn: bool) -> Equal {
    match (mode, drawn) {
        (_, true) => Equal::Bytes,
        ("rw" | "randrw", _) => Equal::Totals,
        _ => Equal::Directions,
    }
}

fn differ(how: Equal, one: &Counts, other: &Counts) -> bool {
    let sum = |values: [u64; 3]| values.iter().sum::<u64>();
    match how {
        Equal::Directions => one != other,
        Equal::Totals => (sum(one.ios), sum(one.bytes)) != (sum(other.ios), sum(other.bytes)),
        Equal::Bytes => sum(one.bytes) != sum(other.bytes),
    }
}

/// A section for each mode and amount; and how its counts are compared.
fn sections(engine: &str, modes: &[&str], more: &[(&str, &str, bool)]) -> (String, Vec<(String, Equal)>) {
    let mut text = format!("{engine}\n");
    let mut jobs = Vec::new();
    for mode in modes {
        for (amount, lines, drawn) in more {
            let name = format!("{mode}-{amount}").replace(':', "_");
            writeln!(text, "[{name}]\nrw={mode}\n{lines}").expect("text");
            jobs.push((name, equal_of(mode.split(':').next().unwrap_or(mode), *drawn)));
        }
    }
    (text, jobs)
}

#[track_caller]
fn agree(engine: &str, modes: &[&str], amounts: &[(&str, &str, bool)]) {
    if !has_fio() {
        return;
    }
    let room = Room::new();
    let (text, jobs) = sections(engine, modes, amounts);
    let [fio, ours] = BOTH.map(|tool: Tool| counts(&tool.json_of(&room, &text)));
    let mut wrong = Vec::new();
    for (name, how) in jobs {
        let (fio, ours) = (fio[&name], ours[&name]);
        if differ(how, &fio, &ours) {
            wrong.push(format!("{name}: fio {fio:?}, fsbench {ours:?}"));
        }
    }
    assert!(wrong.is_empty(), "{engine}:\n{}", wrong.join("\n"));
}

#[test]
fn psync() {
    agree("ioengine=psync", &MODES, &AMOUNTS);
}

#[test]
fn libaio_direct() {
    agree("ioengine=libaio\ndirect=1\niodepth=4", &MODES, &AMOUNTS);
}

#[test]
fn io_uring() {
    agree("ioengine=io_uring\niodepth=8", &MODES, &AMOUNTS);
}

#[test]
fn mmap() {
    agree("ioengine=mmap", &MODES, &AMOUNTS);
}

#[test]
fn null() {
    agree("ioengine=null", &MODES, &AMOUNTS);
    agree("ioengine=null\niodepth=16", &TRIMS, &AMOUNTS[..1]);
}

#[test]
fn several_ios_at_an_offset_and_holes() {
    let random = ["randread:8", "randwrite:3", "randrw:5"];
    let amounts = [AMOUNTS[0], ("more", "bs=4k\nsize=64k\nio_size=160k", false), AMOUNTS[13]];
    for engine in ["ioengine=psync", "ioengine=null", "ioengine=io_uring\niodepth=4"] {
        agree(engine, &random, &amounts);
        agree(engine, &["read:4k", "write:4k", "write:12k"], &amounts);
    }
}

/// A size that is no multiple of the block. (Direct I/O cannot have it: it ends on a sector.)
const RAGGED: [(&str, &str, bool); 1] = [("ragged", "bs=4k\nsize=66000", false)];

#[test]
fn a_size_that_is_no_multiple() {
    for engine in ["ioengine=psync", "ioengine=mmap", "ioengine=io_uring\niodepth=8"] {
        agree(engine, &["read", "write", "randread", "randwrite", "randrw"], &RAGGED);
    }
}

/// fio's sequential mix goes one block beyond `size`: neither of its two places has reached the end by then.
#[test]
fn a_sequential_mix_stays_within_its_size() {
    let room = Room::new();
    let counts = counts(&Tool::Ours.json_of(&room, "[t]\nrw=rw\nbs=4k\nsize=66000\n"));
    assert_eq!(counts["t"].bytes.iter().sum::<u64>(), 65536);
}

#[test]
fn a_size_that_is_no_multiple_on_null() {
    agree("ioengine=null", &["read", "write", "randread", "randwrite", "randrw"], &RAGGED);
}

/// fio counts fsync only, leaves out the one that is due after the last write, and lists fdatasync as short reads.
#[test]
fn each_sync_is_counted() {
    let room = Room::new();
    let mut text = "rw=write\nbs=4k\nsize=64k\n".to_string();
    for (name, line) in [("fsync", "fsync=4"), ("fdatasync", "fdatasync=5"), ("end", "end_fsync=1")] {
        writeln!(text, "[{name}]\n{line}").expect("text");
    }
    let document = Tool::Ours.json_of(&room, &text);
    let jobs = document["jobs"].as_array().expect("jobs");
    let syncs: Vec<_> = jobs.iter().map(|job| job["sync"]["total_ios"].as_u64()).collect();
    assert_eq!(syncs, [Some(4), Some(3), Some(1)]);
}

/// Trims need a device; both tools trim the same one.
#[test]
fn trims_of_a_device() {
    let room = Room::new();
    if !has_fio() {
        return;
    }
    let Some(device) = Loop::new(&room, "trim.img", 4 << 20) else { return };
    let mut text = format!("directory=/\nfilename={}\nbs=64k\ndirect=1\nsize=4m\n", device.device);
    for mode in TRIMS {
        writeln!(text, "[{mode}]\nstonewall\nrw={mode}").expect("text");
    }
    let [fio, ours] = BOTH.map(|tool: Tool| counts(&tool.json_of(&room, &text)));
    assert_eq!(fio, ours);
}

/// Shares of I/Os that were started at each depth: the queue is as full as it was asked to be.
#[test]
fn the_depth_is_kept() {
    if !has_fio() {
        return;
    }
    let room = Room::new();
    for engine in ["libaio", "io_uring"] {
        let text = format!("[t]\nioengine={engine}\ndirect=1\niodepth=64\nrw=randread\nbs=4k\nsize=16m\n");
        let [fio, ours] = BOTH.map(|tool: Tool| {
            let document = tool.json_of(&room, &text);
            document["jobs"][0]["iodepth_level"][">=64"].as_f64().expect("a share")
        });
        assert!((fio - ours).abs() < 10.0, "{engine}: at depth 64 fio starts {fio} %, fsbench {ours} %");
    }
}
