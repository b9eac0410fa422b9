//! Rates that were asked for are kept; latencies that a rate makes stable lie where fio's do.

use crate::statistics::float;
use crate::support::fio::{Tool, has_fio};
use crate::support::room::Room;
use serde_json::Value;

/// I/Os per second of a direction, from the counts and not from what is called IOPS.
fn rate_of(document: &Value, direction: &str) -> f64 {
    let part = &document["jobs"][0][direction];
    float(part["total_ios"].as_u64().expect("total_ios")) * 1000.0 / float(part["runtime"].as_u64().expect("runtime"))
}

#[track_caller]
fn keeps(job: &str, direction: &str, asked: f64) {
    let room = Room::new();
    let document = Tool::Ours.json_of(&room, &format!("[t]\nbs=4k\nsize=8m\npre_read=1\ninvalidate=0\n{job}\n"));
    let seen = rate_of(&document, direction);
    assert!((seen / asked - 1.0).abs() < 0.05, "{job}: {seen:.1} IOPS, {asked} asked");
    let printed = document["jobs"][0][direction]["iops"].as_f64().expect("iops");
    assert!((printed / asked - 1.0).abs() < 0.05, "{job}: {printed} printed, {asked} asked");
}

#[test]
fn rates_are_kept() {
    for engine in ["psync", "null", "io_uring\niodepth=4", "libaio\niodepth=4", "mmap"] {
        // Read from the page cache: a disk that others use is no measure.
        keeps(&format!("ioengine={engine}\nrw=randread\nrate_iops=1000\nnumber_ios=600"), "read", 1000.0);
    }
    keeps("rw=write\nrate=4m\nnumber_ios=600", "write", 1024.0);
    keeps("rw=randread\nrate_iops=800,50\nnumber_ios=500", "read", 800.0);
}

#[test]
fn each_direction_has_its_rate() {
    let job = "ioengine=null\nrw=randrw\nrate_iops=900,300\nnumber_ios=720";
    keeps(job, "read", 900.0);
    keeps(job, "write", 300.0);
}

#[test]
fn random_distances_have_the_asked_mean() {
    keeps(
        "ioengine=null\nrw=randread\nrate_iops=8000\nrate_process=poisson\nnumber_ios=12000\nio_size=1g",
        "read",
        8000.0,
    );
}

#[test]
fn rates_of_clones_add_up() {
    let room = Room::new();
    let text =
        "[t]\nioengine=null\nrw=read\nbs=4k\nsize=8m\nnumjobs=4\ngroup_reporting\nrate_iops=500\nnumber_ios=300\n";
    let document = Tool::Ours.json_of(&room, text);
    let seen = rate_of(&document, "read");
    assert!((seen / 2000.0 - 1.0).abs() < 0.05, "{seen} IOPS of four times 500");
}

/// How far from fio's own spread a median may lie: other people's load moves it, a wrong unit or clock moves it more.
const FACTOR: f64 = 8.0;

#[test]
fn medians_of_a_slow_rate_lie_where_those_of_fio_do() {
    if !has_fio() {
        return;
    }
    let room = Room::new();
    let text =
        "[t]\nioengine=psync\nrw=randread\nbs=4k\nsize=4m\ninvalidate=0\npre_read=1\nrate_iops=500\nnumber_ios=150\n";
    let median = |tool: Tool| {
        let document = tool.json_of(&room, text);
        assert_eq!(document["jobs"][0]["read"]["total_ios"], 150);
        float(document["jobs"][0]["read"]["clat_ns"]["percentile"]["50.000000"].as_u64().expect("a median"))
    };
    let (mut fio, mut ours) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        fio.push(median(Tool::Fio));
        ours.push(median(Tool::Ours));
    }
    fio.sort_by(f64::total_cmp);
    ours.sort_by(f64::total_cmp);
    let (from, to) = (fio[0] / FACTOR, fio[2] * FACTOR);
    assert!((from..to).contains(&ours[1]), "median {} ns, fio's {fio:?}", ours[1]);
}
