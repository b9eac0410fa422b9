//! Normal and terse output: fio's lines and fields.

use crate::support::fio::{BOTH, has_fio, ours};
use crate::support::room::Room;

#[test]
fn terse_has_as_many_fields() {
    if !has_fio() {
        return;
    }
    let room = Room::new();
    let directory = format!("--directory={}", room.at(""));
    for version in 2..=5 {
        for more in [
            &["--rw=randrw"][..],
            &["--rw=write", "--description=some text"],
            &["--rw=read", "--continue_on_error=all"],
        ] {
            let version = format!("--terse-version={version}");
            let flags = ["--name=a", "--size=64k", "--output-format=terse", "--eta=never", &version, &directory];
            let fields = BOTH.map(|tool| {
                let ended = tool.call(&flags).args(more).in_dir(&room.path("")).run().expect(0);
                let line = ended.stdout.lines().find(|line| line.contains(";fio-3")).unwrap_or_default().to_string();
                line.split(';').count()
            });
            assert_eq!(fields[0], fields[1], "{version} {more:?}");
        }
    }
}

#[test]
fn minimal_is_terse_and_append_terse_adds_it() {
    let room = Room::new();
    let flags = ["--name=a", "--rw=write", "--size=64k", "--directory", &room.at("")];
    let minimal = ours(&flags).args(&["--minimal"]).run().expect(0);
    assert!(minimal.stdout.starts_with("3;fio-3"), "{minimal}");
    let both = ours(&flags).args(&["--append-terse"]).run().expect(0);
    assert!(both.stdout.contains("issued rwts") && both.stdout.contains("\n3;fio-3"), "{both}");
}

#[test]
fn all_formats_in_one_file() {
    let room = Room::new();
    let flags =
        ["--name=a", "--rw=write", "--size=64k", "--output-format=normal,json,terse", "--directory", &room.at("")];
    let ended = ours(&flags).args(&[format!("--output={}", room.at("out"))]).run().expect(0);
    assert_eq!(ended.stdout, "");
    let text = std::fs::read_to_string(room.path("out")).expect("the file");
    let (start, end) = (text.find("\n{").expect("JSON"), text.rfind("\n}").expect("JSON") + 2);
    serde_json::from_str::<serde_json::Value>(&text[start..end]).expect("one document");
    let rest = text[..start].to_string() + &text[end..];
    assert!(rest.contains("issued rwts: total=0,16,0,0") && rest.contains("3;fio-3"), "{rest}");
}

/// Shapes of fio's lines (stat.c of 3.33): `#` is a number with an optional unit, `*` any text. All else is literal;
/// blanks at the start count, runs of them inside of a line do not.
const SHAPES: &[&str] = &[
    "*: (g=#): rw=*, bs=(R) #-#, (W) #-#, (T) #-#, ioengine=*, iodepth=#",
    "...",
    "fio-3*",
    "Starting #*",
    "*: Laying out IO file*",
    "*: (groupid=#, jobs=#): err= #: pid=#: *",
    "  Description  : [*]",
    "  read: IOPS=#, BW=# (#)(#/#)",
    "  write: IOPS=#, BW=# (#)(#/#); # zone resets",
    "  fsync/fdatasync/sync_file_range:",
    "    sync (*sec): min=#, max=#, avg=#, stdev=#",
    "    sync percentiles (*sec):",
    "    slat (*sec): min=#, max=#, avg=#, stdev=#",
    "    clat (*sec): min=#, max=#, avg=#, stdev=#",
    "     lat (*sec): min=#, max=#, avg=#, stdev=#",
    "    clat percentiles (*sec):",
    "     | *th=[*]*",
    "   bw (*): min=#, max=#, per=#, avg=#, stdev=#, samples=#",
    "   iops        : min=#, max=#, avg=#, stdev=#, samples=#",
    "  lat (*sec)   : *=#%*",
    "  cpu          : usr=#, sys=#, ctx=#, majf=#, minf=#",
    "  IO depths    : 1=#, 2=#, 4=#, 8=#, 16=#, 32=#, >=64=#",
    "     submit    : 0=#, 4=#, 8=#, 16=#, 32=#, 64=#, >=64=#",
    "     complete  : 0=#, 4=#, 8=#, 16=#, 32=#, 64=#, >=64=#",
    "     issued rwts: total=#,#,#,# short=#,#,#,# dropped=#,#,#,#",
    "     latency   : target=#, window=#, percentile=#, depth=#",
    "Run status group # (all jobs):",
    "   READ: bw=# (#), #-# (#-#), io=# (#), run=#-#",
    "  WRITE: bw=# (#), #-# (#-#), io=# (#), run=#-#",
    "Disk stats (read/write):",
    "  *: ios=#/#, *merge=#/#, *ticks=#/#, *in_queue=#, *util=#*",
    "note: both iodepth >= 1 and synchronous I/O engine are selected, queue depth will be capped at 1",
];

/// Lines that fsbench adds below a job.
const OURS: &[&str] = &["     cache     : *", "     schedule  : *", "     engine    : *", "     note      : *"];

fn squeezed(line: &str) -> String {
    let words = line.split_whitespace().collect::<Vec<_>>().join(" ");
    let indent = line.len() - line.trim_start().len();
    " ".repeat(indent) + &words.replace("= ", "=").replace("( ", "(")
}

/// Whether the whole of `line` has `shape`.
fn has_shape(line: &str, shape: &str) -> bool {
    let Some(special) = shape.find(['#', '*']) else { return line == shape };
    let Some(rest) = line.strip_prefix(&shape[..special]) else { return false };
    let after = &shape[special + 1..];
    let number = |c: char| c.is_ascii_alphanumeric() || ".%/-".contains(c);
    let is_number = shape[special..].starts_with('#');
    let longest = if is_number { rest.find(|c| !number(c)).unwrap_or(rest.len()) } else { rest.len() };
    let starts = if is_number && !rest.starts_with(|c: char| c.is_ascii_digit() || c == '-') { longest + 1 } else { 0 };
    (starts..=longest).filter(|&at| rest.is_char_boundary(at)).any(|at| has_shape(&rest[at..], after))
}

#[track_caller]
fn parses(text: &str, shapes: &[&str]) {
    let shapes: Vec<_> = shapes.iter().map(|shape| squeezed(shape)).collect();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let squeezed = squeezed(line);
        assert!(shapes.iter().any(|shape| has_shape(&squeezed, shape)), "no line of fio's: {line:?} in\n{text}");
    }
}

const JOBS: [&[&str]; 4] = [
    &["--rw=randrw"],
    &["--rw=randread", "--ioengine=libaio", "--iodepth=8", "--direct=1", "--numjobs=2"],
    &["--rw=write", "--fsync=4", "--description=some text", "--numjobs=2", "--group_reporting"],
    &["--rw=randread", "--gtod_reduce=1"],
];

#[test]
fn normal_output_has_fios_lines() {
    let room = Room::new();
    let directory = format!("--directory={}", room.at(""));
    for job in JOBS {
        let flags = ["--name=a", "--size=256k", "--eta=never", &directory];
        if has_fio() {
            // The parser itself is right: it takes what fio prints.
            let fio = BOTH[0].call(&flags).args(job).in_dir(&room.path("")).run().expect(0);
            parses(&fio.stdout, SHAPES);
        }
        let ended = ours(&flags).args(job).run().expect(0);
        parses(&ended.stdout, &[SHAPES, OURS].concat());
    }
}
