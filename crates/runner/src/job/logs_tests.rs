//! Tests of `logs.rs`: lines that fio wrote, windows, names.

use super::*;
use fsbench_model::Span;

fn sample(value: u64) -> Sample {
    Sample { direction: Direction::Read, value, block: 4096, offset: 8192 }
}

fn rendered(log: &mut SeriesLog) -> String {
    let mut text = Vec::new();
    log.drain_to(&mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn windows(ms: u64) -> Logs {
    Logs { average: Span(ms * 1_000_000), ..Logs::default() }
}

/// Lines that Debian's fio 3.33 wrote, column by column.
#[test]
fn lines_are_those_of_fio() {
    let mut log = SeriesLog::new(&Logs::default(), 99);
    log.add(0, sample(66_657));
    log.add(3, Sample { direction: Direction::Trim, ..sample(1) });
    assert_eq!(rendered(&mut log), "0, 66657, 0, 4096, 0\n3, 1, 2, 4096, 0\n");
    let epoch = Logs { offset: true, unix_epoch: true, ..Logs::default() };
    let mut log = SeriesLog::new(&epoch, 1_795_212_715_784);
    log.add(0, Sample { offset: 61_440, ..sample(15_980) });
    assert_eq!(rendered(&mut log), "1795212715784, 15980, 0, 4096, 61440, 0\n");
    assert_eq!(rendered(&mut log), "");
    // The clat of 66657 ns that stood beside this bandwidth.
    assert_eq!(request_bandwidth(4096, 66_657), 61_448);
    assert_eq!(request_bandwidth(4096, 0), 0);
}

#[test]
fn windows_are_averaged_for_each_direction_and_dated_by_their_last_sample() {
    let mut log = SeriesLog::new(&Logs { offset: true, ..windows(100) }, 0);
    for at in [0, 50, 101] {
        log.add(at, sample(at));
    }
    log.add(102, Sample { direction: Direction::Write, ..sample(7) });
    log.add(150, sample(1000));
    log.add(199, sample(2000));
    log.add(200, sample(3000));
    log.add(230, sample(5));
    assert_eq!(rendered(&mut log), "101, 50, 0, 0, 0, 0\n102, 7, 1, 0, 0, 0\n200, 2000, 0, 0, 0, 0\n");
    log.finish(240);
    assert_eq!(rendered(&mut log), "240, 5, 0, 0, 0, 0\n");
}

#[test]
fn maxima_alone_or_beside_averages() {
    let run = |logs: Logs| {
        let mut log = SeriesLog::new(&logs, 0);
        [(10, 4), (20, 10), (100, 1)].into_iter().for_each(|(at, value)| {
            log.add(at, sample(value));
        });
        rendered(&mut log)
    };
    assert_eq!(run(windows(100)), "100, 5, 0, 0, 0\n");
    assert_eq!(run(Logs { maximum: true, ..windows(100) }), "100, 10, 0, 0, 0\n");
    assert_eq!(run(Logs { both: true, ..windows(100) }), "100, 5, 10, 0, 0, 0\n");
}

#[test]
fn memory_is_allocated_once_and_add_says_when_to_drain() {
    let mut log = SeriesLog::new(&Logs::default(), 0);
    let capacity = log.entries.capacity();
    let mut lines = 0;
    for i in 0..100_000 {
        if log.add(i, sample(i)) {
            lines += rendered(&mut log).lines().count();
        }
    }
    lines += rendered(&mut log).lines().count();
    assert_eq!((lines, log.entries.capacity()), (100_000, capacity));
}

#[test]
fn names_of_files() {
    assert_eq!(file_name("out/a", LogKind::Bandwidth, 1, true), "out/a_bw.1.log");
    assert_eq!(file_name("a", LogKind::Histogram, 2, true), "a_clat_hist.2.log");
    let names = [LogKind::Iops, LogKind::Slat, LogKind::Clat, LogKind::Lat].map(|kind| file_name("c", kind, 1, false));
    assert_eq!(names, ["c_iops.log", "c_slat.log", "c_clat.log", "c_lat.log"]);
}
