//! JSON: fio's keys and one document, whatever happens.

use crate::support::fio::{BOTH, Tool, has_fio, json, ours};
use crate::support::room::Room;
use serde_json::Value;
use std::collections::BTreeSet;

/// Paths of all keys; members of arrays share theirs. What depends on the measurement is left out: bins, percentiles
/// of what happened by chance, the disk's name.
fn keys(value: &Value, path: &str, all: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let path = format!("{path}/{key}");
                all.insert(path.clone());
                if key != "bins" && key != "fsbench" {
                    keys(member, &path, all);
                }
            }
        }
        Value::Array(members) => members.iter().for_each(|member| keys(member, path, all)),
        _ => {}
    }
}

fn keys_of(document: &Value) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    keys(document, "", &mut all);
    all
}

#[track_caller]
fn same_keys(format: &str, text: &str) {
    let room = Room::new();
    let [fio, ours] = BOTH.map(|tool: Tool| {
        std::fs::create_dir_all(room.path(tool.name())).expect("a directory");
        let file = room.file("job.fio", &text.replace("@DIR@", &room.at(tool.name())));
        let format = format!("--output-format={format}");
        keys_of(&json(&tool.call(&[&format, "--eta=never", &file]).in_dir(&room.path(tool.name())).run().expect(0)))
    });
    let missing: Vec<_> = fio.difference(&ours).collect();
    // Members that fio 3.42 has and Debian's 3.33 has not may be there, and options that 3.33 forgets (time_based).
    let newer =
        |key: &&String| ["/fsbench", "/job_start", "sectors", "job options/"].iter().any(|part| key.contains(part));
    let added: Vec<_> = ours.difference(&fio).filter(|key| !newer(key)).collect();
    assert!(missing.is_empty() && added.is_empty(), "{format} of {text}:\nmissing {missing:?}\nadded {added:?}");
}

const JOBS: [&str; 9] = [
    "[a]\ndirectory=@DIR@\nrw=randrw\nbs=4k\nsize=256k",
    "[a]\ndirectory=@DIR@\nrw=randread\nbs=4k\nsize=256k\nioengine=libaio\niodepth=8\ndirect=1",
    "[global]\ndirectory=@DIR@\nsize=64k\n[a]\nrw=read\n[b]\nrw=write",
    "[a]\ndirectory=@DIR@\nrw=randrw\nsize=64k\nnumjobs=2\ngroup_reporting\ndescription=two of them",
    "[a]\ndirectory=@DIR@\nrw=write\nsize=64k\nlat_percentiles=1\nslat_percentiles=1\nclat_percentiles=0",
    "[a]\ndirectory=@DIR@\nrw=randrw\nsize=64k\nunified_rw_reporting=mixed",
    "[a]\ndirectory=@DIR@\nrw=randrw\nsize=64k\nunified_rw_reporting=both\ndisk_util=0",
    "[a]\ndirectory=@DIR@\nrw=read\nsize=64k\ncontinue_on_error=all\npercentile_list=50:99",
    "[a]\ndirectory=@DIR@\nrw=randrw\nsize=64k\ngtod_reduce=1",
];

#[test]
fn keys_are_those_of_fio() {
    if !has_fio() {
        return;
    }
    JOBS.iter().for_each(|job| same_keys("json", job));
}

#[test]
fn keys_of_json_plus_are_those_of_fio() {
    if !has_fio() {
        return;
    }
    JOBS.iter().for_each(|job| same_keys("json+", job));
}

#[test]
fn keys_of_syncs() {
    if has_fio() {
        same_keys("json", "[a]\ndirectory=@DIR@\nsize=64k\nrw=write\nfsync=4");
        same_keys("json+", "[a]\ndirectory=@DIR@\nsize=64k\nrw=write\nfsync=4");
    }
}

#[test]
fn keys_of_a_steady_state() {
    if !has_fio() {
        return;
    }
    same_keys(
        "json",
        "[a]\nioengine=null\nrw=read\nsize=1g\ntime_based\nruntime=4\nsteadystate=iops:90%\nsteadystate_duration=2",
    );
}

#[test]
fn bins_add_up() {
    let room = Room::new();
    let flags = ["--name=a", "--rw=randrw", "--size=1m", "--output-format=json+", "--ioengine=libaio", "--iodepth=4"];
    let document = json(&ours(&flags).args(&[format!("--directory={}", room.at(""))]).run().expect(0));
    for direction in ["read", "write"] {
        let part = &document["jobs"][0][direction];
        let ios = part["total_ios"].as_u64().expect("total_ios");
        for latency in ["slat_ns", "clat_ns", "lat_ns"] {
            assert_eq!(part[latency]["N"].as_u64(), Some(ios), "{direction} {latency}");
            // fio bins slat and lat only when their percentiles are asked for.
            let Some(bins) = part[latency]["bins"].as_object() else { continue };
            assert_eq!(bins.values().filter_map(Value::as_u64).sum::<u64>(), ios, "{direction} {latency}");
            let outside = |key: &String| {
                let middle: f64 = key.parse().expect("nanoseconds");
                let of = |name: &str| part[latency][name].as_f64().expect("a number");
                middle < of("min") * 0.98 || middle > of("max") * 1.02
            };
            assert!(!bins.keys().any(outside), "{direction} {latency}: bins lie between min and max");
        }
        assert!(part["clat_ns"]["bins"].is_object());
    }
}

#[test]
fn one_document_with_status_intervals() {
    let flags = ["--name=a", "--ioengine=null", "--rw=randrw", "--size=1g", "--time_based", "--runtime=1"];
    let more = ["--status-interval=250ms", "--output-format=json"];
    let document = json(&ours(&flags).args(&more).run().expect(0));
    let status = document["status"].as_array().expect("an array of what was so far");
    assert!(!status.is_empty());
    let ios = |document: &Value| document["jobs"][0]["read"]["total_ios"].as_u64().expect("total_ios");
    let mut all: Vec<_> = status.iter().map(ios).collect();
    all.push(ios(&document));
    assert!(all.is_sorted(), "{all:?}");
}

#[test]
fn one_document_with_errors_and_layouts() {
    let room = Room::new();
    let path = room.at("");
    let laid_out = ours(&["--name=a", "--rw=read", "--size=64k", "--output-format=json", "--directory", &path]).run();
    assert!(laid_out.stdout.starts_with('{'), "{laid_out}");
    assert_eq!(json(&laid_out)["jobs"][0]["read"]["total_ios"], 16);
    assert_eq!(laid_out.stderr, "", "bench-fio takes any word there for a failure");
    let missing = format!("--filename={}", room.at("not-there"));
    let flags = ["--name=a", "--rw=read", "--size=64k", "--allow_file_create=0", "--output-format=json", &missing];
    let failed = ours(&flags).run().expect(1).complains(&["not-there"]);
    json(&failed);
}

#[test]
fn times_and_options() {
    let room = Room::new();
    let text = format!("[global]\nbs=8k\ndirectory={}\n[a]\nrw=write\nsize=64k\n", room.at(""));
    let file = room.file("job.fio", &text);
    let document = json(&ours(&["--output-format=json", &file]).run().expect(0));
    assert_eq!(document["global options"]["bs"], "8k");
    assert_eq!(document["jobs"][0]["job options"]["rw"], "write");
    let seconds = document["timestamp"].as_u64().expect("seconds");
    assert_eq!(document["timestamp_ms"].as_u64().expect("milliseconds") / 1000, seconds);
    assert!(document["fio version"].as_str().expect("a version").starts_with("fio-3"));
    // A job without options of its own has an empty object: fio leaves the key out, and fio-plot crashes.
    let text = format!("[global]\nrw=write\nsize=64k\ndirectory={}\n[a]\n", room.at(""));
    let document = json(&ours(&["--output-format=json", &room.file("job.fio", &text)]).run().expect(0));
    assert!(document["jobs"][0]["job options"].is_object());
}
