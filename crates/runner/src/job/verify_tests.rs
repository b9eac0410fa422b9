//! Tests of `verify.rs`: every kind finds every flipped bit, and the text of every message.

use super::super::random::Rng;
use super::*;
use proptest::prelude::*;

const KINDS: [CheckKind; 17] = [
    CheckKind::Md5,
    CheckKind::Crc64,
    CheckKind::Crc32c,
    CheckKind::Crc32,
    CheckKind::Crc16,
    CheckKind::Crc7,
    CheckKind::Xxhash,
    CheckKind::Sha1,
    CheckKind::Sha256,
    CheckKind::Sha512,
    CheckKind::Sha3_224,
    CheckKind::Sha3_256,
    CheckKind::Sha3_384,
    CheckKind::Sha3_512,
    CheckKind::Pattern,
    CheckKind::PatternHeader,
    CheckKind::Null,
];

const AT: Place = Place { file: 1, offset: 8192, number: 7, seed: 42 };

fn check(kind: CheckKind) -> Check {
    let pattern = matches!(kind, CheckKind::Pattern | CheckKind::PatternHeader);
    let bytes = if pattern { vec![0xde, 0xad, 0xbe, 0xef, 1] } else { Vec::new() };
    Check { kind, pattern: PatternBytes { bytes, offsets: vec![] }, ..Check::default() }
}

fn random(len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    super::super::fill::random_bytes(&mut Rng::new(3), &mut bytes);
    bytes
}

fn sealed(checker: &Checker, len: usize) -> Vec<u8> {
    let mut block = random(len);
    checker.seal(&mut block, &AT);
    block
}

proptest! {
    #[test]
    fn sealed_blocks_pass_and_any_flipped_bit_is_found(
        kind in 0..KINDS.len(), units in 1usize..5, interval in 0..2, header_offset in 0u32..100, bit in any::<usize>()
    ) {
        let (kind, unit) = (KINDS[kind], 512);
        let interval = if interval == 1 { unit as u32 } else { 0 };
        let checker = Checker::new(&Check { interval, header_offset, ..check(kind) }, unit as u32).unwrap();
        let mut block = sealed(&checker, unit * units);
        prop_assert_eq!(checker.check(&block, &AT, Some(7)), Ok(()));
        let bit = bit % (block.len() * 8);
        block[bit / 8] ^= 1 << (bit % 8);
        match checker.check(&block, &AT, Some(7)) {
            Err(mismatch) => {
                let unit = if interval > 0 { unit } else { block.len() };
                prop_assert_eq!(mismatch.offset, AT.offset + (bit / 8 / unit * unit) as u64);
                prop_assert_eq!(mismatch.len, unit as u64);
            }
            // The zeros that fill up a header belong to nothing.
            Ok(()) => {
                let within = bit / 8 % if interval > 0 { unit } else { block.len() };
                let padding = header_offset as usize + FIXED + digest::len(kind)..header_offset as usize + checker.header;
                prop_assert!(kind == CheckKind::Null || padding.contains(&within), "{} of {:?}", within, kind);
            }
        }
    }
}

#[test]
fn stale_and_misplaced_blocks_are_told_apart() {
    let checker = Checker::new(&check(CheckKind::Crc32c), 4096).unwrap();
    let block = sealed(&checker, 4096);
    let what = |at: Place, number| checker.check(&block, &at, number).unwrap_err().what;
    assert_eq!(checker.check(&block, &AT, None), Ok(()));
    assert_eq!(checker.check(&block, &Place { number: 99, ..AT }, None), Ok(()));
    assert_eq!(what(AT, Some(8)), "verify: bad header numberio 7, wanted 8");
    assert_eq!(what(Place { offset: 0, ..AT }, None), "verify: bad header offset 8192, wanted 0");
    assert_eq!(what(Place { file: 0, ..AT }, None), "verify: bad header file 1, wanted 0");
    assert_eq!(what(Place { seed: 1, ..AT }, None), "verify: bad header rand_seed 42, wanted 1");
    assert_eq!(
        checker.check(&block[..2048], &AT, None).unwrap_err().what,
        "verify: bad header length 4096, wanted 2048"
    );
    assert_eq!(
        checker.check(&[0; 4096], &AT, None).unwrap_err().message("f1"),
        "verify: bad magic header 0, wanted 76627346 at file f1 offset 8192, length 4096 \
         (requested block: offset=8192, length=4096)"
    );
    let other = Checker::new(&check(CheckKind::Crc32), 4096).unwrap();
    assert_eq!(other.check(&block, &AT, None).unwrap_err().what, "verify: bad header type 2, wanted 3");
}

#[test]
fn messages_are_those_of_fio() {
    let checker = Checker::new(&Check { interval: 512, ..check(CheckKind::Crc32c) }, 512).unwrap();
    let mut block = vec![0; 4096];
    checker.seal(&mut block, &Place { offset: 4096, ..AT });
    block[600] = 1;
    assert_eq!(
        checker.check(&block, &Place { offset: 4096, ..AT }, None).unwrap_err().message("f1"),
        "crc32c: verify failed at file f1 offset 4608, length 512 (requested block: offset=4096, length=4096)\n       \
         Expected CRC: 587f43f4\n       Received CRC: 3df97890"
    );
    let checker = Checker::new(&check(CheckKind::Pattern), 512).unwrap();
    let mut block = sealed(&checker, 4096);
    block[904] = 0x58;
    assert_eq!(
        checker.check(&block, &AT, None).unwrap_err().message("f1"),
        "got pattern '58', wanted '01'. Bad bits 4\nbad pattern block offset 904\n\
         pattern: verify failed at file f1 offset 8192, length 4096 (requested block: offset=8192, length=4096)"
    );
}

#[test]
fn patterns_with_offsets_are_checked_by_the_offset() {
    let pattern = PatternBytes { bytes: [&[0xAA; 3][..], &[0; 8]].concat(), offsets: vec![3] };
    for kind in [CheckKind::Pattern, CheckKind::PatternHeader] {
        let asked = Check { pattern: pattern.clone(), header_offset: 16, interval: 1024, ..check(kind) };
        let checker = Checker::new(&asked, 1024).unwrap();
        let block = sealed(&checker, 4096);
        assert_eq!(checker.check(&block, &AT, None), Ok(()));
        let moved = checker.check(&block, &Place { offset: 0, ..AT }, None).unwrap_err();
        assert!(moved.what.contains(if kind == CheckKind::Pattern { "verify failed" } else { "bad header offset" }));
    }
    let checker = Checker::new(&check(CheckKind::Pattern), 1).unwrap();
    (0..20).for_each(|len| assert_eq!(checker.check(&sealed(&checker, len), &AT, None), Ok(())));
}

#[test]
fn what_surrounds_a_header_is_the_pattern_where_one_is_given() {
    let pattern = PatternBytes { bytes: vec![0x5A], offsets: vec![] };
    let checker = Checker::new(&Check { pattern, ..check(CheckKind::Md5) }, 4096).unwrap();
    let block = sealed(&checker, 4096);
    assert!(block[64..].iter().all(|byte| *byte == 0x5A));
    let checker = Checker::new(&check(CheckKind::Md5), 4096).unwrap();
    assert_eq!(sealed(&checker, 4096)[64..], random(4096)[64..]);
}

#[test]
fn units_that_cannot_work_are_refused_with_what_would() {
    let refused = |check: Check, block| Checker::new(&check, block).unwrap_err().to_string();
    assert_eq!(
        refused(Check { header_offset: 20, ..check(CheckKind::Sha512) }, 64),
        "verify=sha512 needs 112 bytes of header at verify_offset 20, and a unit has 64: make verify_interval or bs at least 132"
    );
    assert_eq!(
        refused(Check { interval: 16, ..check(CheckKind::Crc7) }, 4096).split(':').next_back(),
        Some(" make verify_interval or bs at least 56")
    );
    assert_eq!(
        refused(Check { interval: 1000, ..check(CheckKind::Crc7) }, 4096),
        "blocks of 4096 bytes are not whole units of verify_interval 1000"
    );
    let none = Check { pattern: PatternBytes::default(), ..check(CheckKind::Pattern) };
    assert_eq!(refused(none, 512), "verify=pattern needs a verify_pattern");
}

#[test]
#[ignore = "a measurement, for an idle machine"]
fn speed() {
    for kind in KINDS {
        let checker = Checker::new(&check(kind), 4096).unwrap();
        let mut block = random(4096);
        let start = std::time::Instant::now();
        for _ in 0..2000 {
            checker.seal(std::hint::black_box(&mut block), &AT);
        }
        let sealing = start.elapsed().as_nanos() as f64 / 2000.0;
        let start = std::time::Instant::now();
        assert!((0..2000).all(|_| checker.check(std::hint::black_box(&block), &AT, None).is_ok()));
        let checking = start.elapsed().as_nanos() as f64 / 2000.0;
        println!("{:12} seal {sealing:8.0} ns, check {checking:8.0} ns for 4 KiB", digest::name(kind));
    }
}
