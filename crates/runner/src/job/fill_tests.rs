//! Tests of `fill.rs`: what a compressor and a deduplicator see.

use super::*;
use std::collections::{HashMap, HashSet};
use std::io::Write as _;

const BLOCK: usize = 4096;

fn data(fill: Fill) -> WriteData {
    WriteData { fill, compress_chunk: 512, ..WriteData::default() }
}

/// What a job that writes `blocks` blocks of 4 KiB through one slot sends to the file.
fn written(data: &WriteData, blocks: usize) -> Vec<u8> {
    let mut filler = Filler::new(data, 42, BLOCK as u32, (blocks * BLOCK) as u64);
    let mut slot = vec![0xAA; BLOCK];
    filler.prime(&mut slot);
    let mut all = Vec::new();
    for nth in 0..blocks {
        filler.fill(&mut slot, (nth * BLOCK) as u64, nth as u64);
        all.extend_from_slice(&slot);
    }
    all
}

fn compressed_share(bytes: &[u8]) -> f64 {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap().len() as f64 / bytes.len() as f64
}

fn unique(bytes: &[u8], size: usize) -> usize {
    bytes.chunks(size).collect::<HashSet<_>>().len()
}

#[test]
fn scrambled_blocks_are_all_different_down_to_512_bytes() {
    let bytes = written(&data(Fill::Scrambled), 1000);
    assert_eq!(unique(&bytes, 512), 8000);
    // Few bytes are changed: the rest is what the slot was primed with.
    let same = bytes[..BLOCK].iter().zip(&bytes[BLOCK..2 * BLOCK]).filter(|(a, b)| a == b).count();
    assert!((BLOCK - 8 * 40..BLOCK).contains(&same), "{same}");
}

#[test]
fn a_block_written_to_the_same_place_again_is_different() {
    let mut filler = Filler::new(&data(Fill::Scrambled), 1, 4096, 0);
    let mut slot = vec![0; BLOCK];
    filler.prime(&mut slot);
    filler.fill(&mut slot, 8192, 1);
    let first = slot.clone();
    filler.fill(&mut slot, 8192, 2);
    assert!(first.chunks(512).zip(slot.chunks(512)).all(|(a, b)| a != b));
    filler.fill(&mut slot[..100], 0, 3);
}

#[test]
fn once_repeats_refilled_does_not_and_zero_is_zero() {
    assert_eq!(unique(&written(&data(Fill::Once), 10), BLOCK), 1);
    assert_eq!(unique(&written(&data(Fill::Refilled), 100), 512), 800);
    assert!(written(&data(Fill::Zero), 3).iter().all(|byte| *byte == 0));
    let random = written(&data(Fill::Refilled), 64);
    assert!(compressed_share(&random) > 0.99);
    let mut counts = [0u32; 256];
    random.iter().for_each(|byte| counts[*byte as usize] += 1);
    let expected = random.len() as f64 / 256.0;
    let chi: f64 = counts.iter().map(|c| (f64::from(*c) - expected).powi(2) / expected).sum();
    assert!(chi < 400.0, "{chi}");
}

#[test]
fn patterns_repeat_and_hold_the_offset() {
    let plain = Fill::Pattern(PatternBytes { bytes: b"abcde".to_vec(), offsets: vec![] });
    let bytes = written(&data(plain), 2);
    assert!(bytes[..BLOCK].iter().enumerate().all(|(i, byte)| *byte == b"abcde"[i % 5]));
    assert_eq!(bytes[..BLOCK], bytes[BLOCK..]);

    let offset = PatternBytes { bytes: [&[0xFF; 2][..], &[0; 8], &[0xEE]].concat(), offsets: vec![2] };
    let bytes = written(&data(Fill::Pattern(offset.clone())), 3);
    for (i, block) in bytes.chunks(BLOCK).enumerate() {
        for unit in block.chunks_exact(11) {
            assert_eq!(unit[..2], [0xFF; 2]);
            assert_eq!(unit[2..10], ((i * BLOCK) as u64).to_le_bytes());
            assert_eq!(unit[10], 0xEE);
        }
    }
    // A buffer that ends within the offset.
    let mut short = [9; 5];
    repeat_pattern(&mut short, &offset, 0x0102_0304);
    assert_eq!(short, [0xFF, 0xFF, 4, 3, 2]);
    repeat_pattern(&mut short, &PatternBytes::default(), 7);
    assert_eq!(short, [0; 5]);
}

#[test]
fn compressors_reach_what_was_asked_for() {
    for percent in [0u32, 20, 50, 80, 100] {
        for chunk in [0, 512, 4096] {
            let asked = WriteData { compress_percent: percent, compress_chunk: chunk, ..data(Fill::Refilled) };
            let share = compressed_share(&written(&asked, 256));
            let expected = 1.0 - f64::from(percent) / 100.0;
            assert!((share - expected).abs() < 0.03, "{percent} % in {chunk}: {share}");
        }
    }
    let pattern = Fill::Pattern(PatternBytes { bytes: vec![0xAB, 0xCD], offsets: vec![] });
    let asked = WriteData { compress_percent: 50, ..data(pattern) };
    let bytes = written(&asked, 256);
    assert!((compressed_share(&bytes) - 0.5).abs() < 0.03);
    assert_eq!(bytes[256..260], [0xAB, 0xCD, 0xAB, 0xCD]);
    assert_eq!(unique(&bytes, BLOCK), 256);
}

#[test]
fn so_many_percent_of_the_blocks_repeat() {
    for percent in [10u32, 30, 80, 100] {
        let asked = WriteData { dedupe_percent: percent, ..data(Fill::Scrambled) };
        let blocks = 4000;
        let share = 1.0 - unique(&written(&asked, blocks), BLOCK) as f64 / blocks as f64;
        assert!((share - f64::from(percent) / 100.0).abs() < 0.025, "{percent}: {share}");
    }
    let both = WriteData { dedupe_percent: 50, compress_percent: 50, ..data(Fill::Scrambled) };
    let bytes = written(&both, 2000);
    assert!((unique(&bytes, BLOCK) as f64 / 2000.0 - 0.5).abs() < 0.04);
}

#[test]
fn repeats_of_a_working_set_come_from_that_set() {
    let asked = WriteData { dedupe_percent: 60, dedupe_set_percent: Some(5), ..data(Fill::Refilled) };
    let blocks = 4000;
    let bytes = written(&asked, blocks);
    let mut seen: HashMap<&[u8], u32> = HashMap::new();
    bytes.chunks(BLOCK).for_each(|block| *seen.entry(block).or_default() += 1);
    let repeated: Vec<u32> = seen.values().copied().filter(|count| *count > 1).collect();
    assert!((190..=200).contains(&repeated.len()), "{}", repeated.len());
    let share = f64::from(repeated.iter().sum::<u32>()) / blocks as f64;
    assert!((share - 0.6).abs() < 0.03, "{share}");
}

#[test]
fn seeds_make_different_content_and_equal_seeds_the_same() {
    let asked = data(Fill::Scrambled);
    let make = |seed| {
        let mut buffer = vec![0; 1001];
        Filler::new(&asked, seed, 512, 0).prime(&mut buffer);
        buffer
    };
    assert_eq!(make(1), make(1));
    assert_ne!(make(1), make(2));
}

#[test]
#[ignore = "a measurement, for an idle machine"]
fn speed() {
    for (name, fill) in [("scrambled", Fill::Scrambled), ("refilled", Fill::Refilled)] {
        let mut filler = Filler::new(&data(fill), 1, 4096, 0);
        let mut slot = vec![0; BLOCK];
        filler.prime(&mut slot);
        let start = std::time::Instant::now();
        (0..2_000_000u64).for_each(|nth| filler.fill(std::hint::black_box(&mut slot), nth * 4096, nth));
        println!("{name}: {:.2} ns a chunk", start.elapsed().as_nanos() as f64 / 16e6);
    }
}
