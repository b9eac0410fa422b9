//! Traces and logs: what fio writes we replay, what we write fio replays.

use crate::support::fio::{BOTH, counts, has_fio, iolog, json, ours};
use crate::support::room::{Room, files_below};

#[test]
fn iologs_go_both_ways() {
    if !has_fio() {
        return;
    }
    for (writer, reader) in [(0, 1), (1, 0), (1, 1)] {
        let room = Room::new();
        let (log, again) = (room.path("log"), room.path("again"));
        let data = format!("--filename={}", room.at("data"));
        let flags = ["--name=t", "--rw=randrw", "--bs=4k", "--size=256k", &data];
        let to = format!("--write_iolog={}", log.display());
        BOTH[writer].call(&flags).args(&[&to]).in_dir(&room.path("")).run().expect(0);
        let replay = ["--name=t", &format!("--read_iolog={}", log.display()), "--replay_no_stall=1"];
        let ended = BOTH[reader].call(&replay).args(&["--output-format=json"]).in_dir(&room.path("")).run().expect(0);
        let written = iolog(&log);
        let counts = counts(&json(&ended))["t"];
        let of = |action: &str| written.iter().filter(|io| io.action == action).count() as u64;
        assert_eq!(counts.ios, [of("read"), of("write"), 0], "from {writer} to {reader}");
        if reader == 1 {
            let retraced = format!("--write_iolog={}", again.display());
            ours(&replay).args(&[&retraced]).in_dir(&room.path("")).run().expect(0);
            assert_eq!(iolog(&again), written, "the same in the same order");
        }
    }
}

#[test]
fn a_replay_keeps_the_times_unless_told_otherwise() {
    let room = Room::new();
    let data = room.file("data", &"x".repeat(8192));
    let text = format!(
        "fio version 3 iolog\n0 {data} add\n0 {data} open\n0 {data} read 0 4096\n300000 {data} read 4096 4096\n300000 {data} close\n"
    );
    let log = format!("--read_iolog={}", room.file("log", &text));
    let runtime = |more: &[&str]| {
        let document = json(&ours(&["--name=t", &log, "--output-format=json"]).args(more).run().expect(0));
        assert_eq!(document["jobs"][0]["read"]["total_ios"], 2);
        document["jobs"][0]["read"]["runtime"].as_u64().expect("milliseconds")
    };
    assert!(runtime(&[]) >= 295);
    assert!(runtime(&["--replay_time_scale=200"]) >= 145);
    assert!(runtime(&["--replay_no_stall=1"]) < 295);
}

#[test]
fn version_2_and_broken_logs() {
    let room = Room::new();
    let data = room.file("data", &"x".repeat(8192));
    let text =
        format!("fio version 2 iolog\n{data} add\n{data} open\n{data} read 0 4096\n{data} wait 1000 0\n{data} close\n");
    let log = format!("--read_iolog={}", room.file("log", &text));
    let document = json(&ours(&["--name=t", &log, "--output-format=json"]).run().expect(0));
    assert_eq!(document["jobs"][0]["read"]["total_ios"], 1);
    let broken = format!("--read_iolog={}", room.file("broken", &text.replace("read 0 4096", "read 0 x")));
    ours(&["--name=t", &broken]).run().expect(1).complains(&["broken"]);
    let missing = format!("--read_iolog={}", room.at("missing"));
    ours(&["--name=t", &missing]).run().expect(1).complains(&["missing"]);
}

/// Lines of a log, as numbers.
fn lines(room: &Room, name: &str) -> Vec<Vec<i64>> {
    let text = std::fs::read_to_string(room.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let number = |field: &str| match field.trim().strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).expect("hexadecimal"),
        None => field.trim().parse().expect("a number"),
    };
    text.lines().map(|line| line.split(',').map(number).collect()).collect()
}

#[test]
fn logs_of_each_io() {
    let room = Room::new();
    let prefix = room.at("l");
    let flags =
        ["--name=t", "--rw=randrw", "--bs=4k", "--size=256k", "--log_offset=1", "--ioengine=libaio", "--iodepth=2"];
    let logs = ["bw", "lat", "iops"].map(|kind| format!("--write_{kind}_log={prefix}"));
    ours(&flags).args(&logs).args(&[format!("--filename={}", room.at("data"))]).run().expect(0);
    for kind in ["bw", "lat", "clat", "slat", "iops"] {
        let lines = lines(&room, &format!("l_{kind}.1.log"));
        assert_eq!(lines.len(), 64, "{kind}: a line for each I/O");
        assert!(lines.iter().all(|line| line.len() >= 5 && [0, 1].contains(&line[2]) && line[3] == 4096), "{kind}");
        let mut offsets: Vec<_> = lines.iter().map(|line| line[4]).collect();
        offsets.sort_unstable();
        assert_eq!(offsets, (0..64).map(|block| block * 4096).collect::<Vec<_>>(), "{kind}: offsets");
        assert!(lines.is_sorted_by_key(|line| line[0]), "{kind}: in order of time");
    }
}

#[test]
fn logs_have_as_many_columns_as_those_of_fio() {
    if !has_fio() {
        return;
    }
    for more in [&[][..], &["--log_avg_msec=100"], &["--log_offset=1"], &["--per_job_logs=0"]] {
        let shapes = BOTH.map(|tool| {
            let room = Room::new();
            let prefix = room.at("l");
            let flags = [
                "--name=t",
                "--ioengine=null",
                "--iodepth=2",
                "--rw=randread",
                "--rate_iops=1000",
                "--number_ios=400",
                "--size=64m",
            ];
            let logs = ["bw", "lat", "iops"].map(|kind| format!("--write_{kind}_log={prefix}"));
            tool.call(&flags).args(&logs).args(more).in_dir(&room.path("")).run().expect(0);
            let names = files_below(&room.path("")).into_iter().filter(|name| name.ends_with(".log"));
            names.map(|name| (lines(&room, &name).first().map_or(0, Vec::len), name)).collect::<Vec<_>>()
        });
        assert_eq!(shapes[0], shapes[1], "{more:?}");
    }
}

#[test]
fn averaged_logs_and_histograms() {
    let room = Room::new();
    let prefix = room.at("l");
    let flags = [
        "--name=t",
        "--ioengine=null",
        "--rw=randread",
        "--size=1g",
        "--time_based",
        "--runtime=1",
        "--log_avg_msec=100",
    ];
    let logs = [format!("--write_iops_log={prefix}"), format!("--write_hist_log={prefix}")];
    ours(&flags).args(&logs).args(&["--log_hist_msec=200", "--rate_iops=2000"]).run().expect(0);
    let iops = lines(&room, "l_iops.1.log");
    assert!((8..=11).contains(&iops.len()), "{} windows of 100 ms", iops.len());
    let mean = iops.iter().map(|line| line[1]).sum::<i64>() / iops.len() as i64;
    assert!((1800..2200).contains(&mean), "{iops:?}");
    let histograms = lines(&room, "l_clat_hist.1.log");
    let total: i64 = histograms.iter().flat_map(|line| &line[3..]).sum();
    assert!((1800..=2000).contains(&total), "{total} of 2000 in histograms");
}
