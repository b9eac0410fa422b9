//! What is written: as compressible and as repetitive as asked, measured with a compressor and by comparing blocks.

use crate::support::fio::{has, ours};
use crate::support::program_output;
use crate::support::room::Room;
use std::collections::HashSet;

fn written(room: &Room, more: &[&str]) -> Vec<u8> {
    let file = format!("--filename={}", room.at("data"));
    drop(std::fs::remove_file(room.path("data")));
    ours(&["--name=w", "--rw=write", "--bs=64k", "--size=4m", &file]).args(more).run().expect(0);
    std::fs::read(room.path("data")).expect("the file")
}

/// Size after gzip, as a share.
fn compressed(room: &Room) -> f64 {
    let (fine, said) = program_output("sh", &["-c", &format!("gzip -6 -c {} | wc -c", room.at("data"))]);
    assert!(fine, "{said}");
    said.trim().parse::<f64>().expect("a size") / f64::from(4 << 20)
}

#[test]
fn as_compressible_as_asked() {
    if !has("gzip", "apt-get install gzip") {
        return;
    }
    let room = Room::new();
    for percent in [0, 25, 50, 80] {
        written(&room, &["--refill_buffers", &format!("--buffer_compress_percentage={percent}")]);
        let (seen, asked) = (compressed(&room), 1.0 - f64::from(percent) / 100.0);
        assert!((seen - asked).abs() < 0.06, "{percent} % asked: {seen:.3} is left");
    }
}

#[test]
fn as_repetitive_as_asked() {
    let room = Room::new();
    for percent in [0, 30, 70] {
        let bytes = written(&room, &["--bs=4k", "--refill_buffers", &format!("--dedupe_percentage={percent}")]);
        let different = bytes.chunks(4096).collect::<HashSet<_>>().len();
        let (seen, asked) = (1.0 - different as f64 / 1024.0, f64::from(percent) / 100.0);
        assert!((seen - asked).abs() < 0.08, "{percent} % asked: {seen:.3} seen");
    }
}

#[test]
fn patterns_and_zeros() {
    let room = Room::new();
    assert!(written(&room, &["--zero_buffers"]).iter().all(|&byte| byte == 0));
    let bytes = written(&room, &["--buffer_pattern=0xabcd"]);
    assert!(bytes.chunks(2).all(|pair| pair == [0xab, 0xcd]), "{:x?}", &bytes[..8]);
    let bytes = written(&room, &["--buffer_pattern=\"xyz\""]);
    assert!(bytes.starts_with(b"xyzxyz"), "{:?}", &bytes[..8]);
}

#[test]
fn random_data_does_not_compress() {
    if !has("gzip", "apt-get install gzip") {
        return;
    }
    let room = Room::new();
    written(&room, &["--refill_buffers"]);
    assert!(compressed(&room) > 0.99);
    // Buffers that are filled once and scrambled: blocks differ.
    let bytes = written(&room, &[]);
    assert_eq!(bytes.chunks(65536).collect::<HashSet<_>>().len(), 64);
}
