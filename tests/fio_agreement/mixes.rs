//! Mixes of directions and sizes, and distributions of offsets: against theory, and against what fio does.

use crate::statistics::{binned, concentration, drawn_with, float, follows};
use crate::support::fio::{BOTH, Tool, Traced, has_fio, iolog};
use crate::support::room::Room;

const SIZE: u64 = 4 << 20;
const BLOCKS: usize = 1024;

/// What a job on 1024 blocks of 4 KiB does, as `tool` wrote it down. Engine null: nothing is stored.
#[track_caller]
fn trace_of(tool: Tool, job: &str) -> Vec<Traced> {
    let room = Room::new();
    let log = room.path("iolog");
    let text = format!("[t]\nioengine=null\nbs=4k\nsize={SIZE}\n{job}\nwrite_iolog={}\n", log.display());
    tool.json_of(&room, &text);
    iolog(&log)
}

fn offsets(ios: &[Traced]) -> Vec<u64> {
    ios.iter().map(|io| io.offset).collect()
}

fn share(ios: &[Traced], of: impl Fn(&Traced) -> bool) -> [u64; 2] {
    let count = ios.iter().filter(|io| of(io)).count() as u64;
    [count, ios.len() as u64 - count]
}

#[test]
fn directions() {
    for percent in [5, 30, 50, 75, 99] {
        for mode in ["rw", "randrw"] {
            let ios = trace_of(Tool::Ours, &format!("rw={mode}\nrwmixread={percent}\nio_size=64m"));
            let part = f64::from(percent) / 100.0;
            let reads = share(&ios, |io| io.action == "read");
            drawn_with(&format!("{mode} {percent} %"), &reads, &[part, 1.0 - part]);
        }
    }
    let ios = trace_of(Tool::Ours, "rw=randrw\nrwmixwrite=20\nio_size=64m");
    drawn_with("rwmixwrite", &share(&ios, |io| io.action == "write"), &[0.2, 0.8]);
}

#[test]
fn sizes() {
    let ios = trace_of(Tool::Ours, "rw=randread\nnorandommap\nbssplit=4k/10:8k/50:32k/40\nnumber_ios=8192\nio_size=1g");
    let of = |length| ios.iter().filter(|io| io.length == length).count() as u64;
    drawn_with("bssplit", &[of(4096), of(8192), of(32768)], &[0.1, 0.5, 0.4]);
    let ios = trace_of(Tool::Ours, "rw=randread\nnorandommap\nbsrange=4k-16k\nnumber_ios=8192\nio_size=1g");
    let of = |length| ios.iter().filter(|io| io.length == length).count() as u64;
    drawn_with("bsrange", &[of(4096), of(8192), of(12288), of(16384)], &[0.25; 4]);
    let ios =
        trace_of(Tool::Ours, "rw=randrw\nnorandommap\nbssplit=4k/50:8k/50,16k/25:32k/75\nnumber_ios=8192\nio_size=1g");
    let of = |action, length| ios.iter().filter(|io| io.action == action && io.length == length).count() as u64;
    drawn_with("reads", &[of("read", 4096), of("read", 8192)], &[0.5, 0.5]);
    drawn_with("writes", &[of("write", 16384), of("write", 32768)], &[0.25, 0.75]);
}

#[test]
fn even_offsets() {
    let even = vec![1.0 / 64.0; 64];
    for generator in ["tausworthe", "tausworthe64"] {
        let job = format!("rw=randread\nnorandommap\nrandom_generator={generator}\nio_size=64m");
        drawn_with(generator, &binned(&offsets(&trace_of(Tool::Ours, &job)), SIZE, 64), &even);
    }
    // A pass without the map hits some blocks twice: 1/e of them are left out.
    let once = trace_of(Tool::Ours, "rw=randread\nnorandommap");
    let mut hit = offsets(&once);
    hit.sort_unstable();
    hit.dedup();
    assert!((580..710).contains(&hit.len()), "{} of {BLOCKS}", hit.len());
}

#[test]
fn part_random() {
    for percent in [0, 20, 80, 100] {
        let ios = trace_of(Tool::Ours, &format!("rw=randread\nnorandommap\npercentage_random={percent}\nio_size=32m"));
        let followers = ios.windows(2).filter(|pair| pair[1].offset == (pair[0].offset + 4096) % SIZE).count();
        let asked = 1.0 - f64::from(percent) / 100.0;
        let seen = float(followers as u64) / float(ios.len() as u64);
        assert!((seen - asked).abs() < 0.03, "percentage_random={percent}: {seen:.3} follow, {asked:.3} asked");
    }
}

#[test]
fn zones() {
    let relative = "random_distribution=zoned:60/10:30/20:8/30:2/40";
    let ios = trace_of(Tool::Ours, &format!("rw=randread\n{relative}\nio_size=32m"));
    zones_are(&ios, &[0.1, 0.3, 0.6], &[0.6, 0.3, 0.08, 0.02]);
    let absolute = "random_distribution=zoned_abs:60/1m:30/1m:10/2m";
    let ios = trace_of(Tool::Ours, &format!("rw=randread\n{absolute}\nio_size=32m"));
    zones_are(&ios, &[0.25, 0.5], &[0.6, 0.3, 0.1]);
    // Reads and writes have zones of their own.
    let both = "random_distribution=zoned:90/50:10/50,20/50:80/50";
    let ios = trace_of(Tool::Ours, &format!("rw=randrw\n{both}\nio_size=32m"));
    for (action, shares) in [("read", [0.9, 0.1]), ("write", [0.2, 0.8])] {
        let part: Vec<_> = ios.iter().filter(|io| io.action == action).cloned().collect();
        zones_are(&part, &[0.5], &shares);
    }
}

#[track_caller]
fn zones_are(ios: &[Traced], borders: &[f64], shares: &[f64]) {
    let mut counts = vec![0; shares.len()];
    for io in ios {
        let at = float(io.offset) / float(SIZE);
        counts[borders.iter().filter(|&&border| at >= border).count()] += 1;
    }
    drawn_with("zones", &counts, shares);
}

/// Share of the `first` most likely of `BLOCKS` blocks when block k has a share of 1/k^theta.
fn zipf_share(theta: f64, first: usize) -> f64 {
    let weight = |k: usize| float(k as u64).powf(-theta);
    (1..=first).map(weight).sum::<f64>() / (1..=BLOCKS).map(weight).sum::<f64>()
}

#[test]
fn zipf() {
    for theta in [0.6, 1.2] {
        let ios = trace_of(Tool::Ours, &format!("rw=randread\nrandom_distribution=zipf:{theta}\nio_size=256m"));
        let seen = concentration(&offsets(&ios), BLOCKS);
        let asked = [1, BLOCKS / 100, BLOCKS / 10, BLOCKS / 2].map(|first| zipf_share(theta, first));
        for (seen, asked) in seen.iter().zip(asked) {
            assert!((seen - asked).abs() < 0.03, "zipf:{theta}: {seen:.3} seen, {asked:.3} in theory");
        }
    }
}

#[test]
fn pareto() {
    // fio's pareto:h is a power of a uniform number: h of the blocks get 1-h of the I/Os.
    for h in [0.2_f64, 0.4] {
        let ios = trace_of(Tool::Ours, &format!("rw=randread\nrandom_distribution=pareto:{h}\nio_size=256m"));
        let power = (1.0 - h).ln() / h.ln();
        let asked = |part: f64| part.powf(power);
        let seen = concentration(&offsets(&ios), BLOCKS);
        for (seen, asked) in seen[1..].iter().zip([0.01, 0.1, 0.5].map(asked)) {
            assert!((seen - asked).abs() < 0.04, "pareto:{h}: {seen:.3} seen, {asked:.3} in theory");
        }
    }
}

#[test]
fn distributions_are_as_uneven_as_those_of_fio() {
    if !has_fio() {
        return;
    }
    for distribution in ["zipf:0.8", "zipf:1.2", "pareto:0.2", "pareto:0.4", "normal:10", "normal:25"] {
        let job = format!("rw=randread\nrandom_distribution={distribution}\nio_size=256m");
        let [fio, ours] = BOTH.map(|tool| concentration(&offsets(&trace_of(tool, &job)), BLOCKS));
        for (fio, ours) in fio.iter().zip(ours) {
            assert!((fio - ours).abs() < 0.05, "{distribution}: fsbench {ours:.3?}, fio {fio:.3?}");
        }
    }
}

#[test]
fn even_offsets_are_even_for_both() {
    if !has_fio() {
        return;
    }
    for tool in BOTH {
        let ios = trace_of(tool, "rw=randread\nnorandommap\nio_size=64m");
        let values = ios.iter().map(|io| (float(io.offset) + 2048.0) / float(SIZE)).collect();
        follows(&format!("{tool:?}"), values, |part| part);
    }
}
