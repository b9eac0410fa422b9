//! The checksums that a block can be verified with, under fio's names.

use crc::{CRC_7_MMC, CRC_16_ARC, CRC_64_XZ, Crc, Table};
use fsbench_model::job::CheckKind;
use md5::Md5;
use sha1::Sha1;
use sha2::{Sha256, Sha512};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};
use std::hash::Hasher as _;
use twox_hash::XxHash32;

static CRC7: Crc<u8, Table<16>> = Crc::<u8, Table<16>>::new(&CRC_7_MMC);
static CRC16: Crc<u16, Table<16>> = Crc::<u16, Table<16>>::new(&CRC_16_ARC);
static CRC64: Crc<u64, Table<16>> = Crc::<u64, Table<16>>::new(&CRC_64_XZ);

/// fio's seed of xxhash.
const XXHASH_SEED: u32 = 0x8989;

/// A checksum of up to 64 bytes; numbers are little-endian.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digest {
    all: [u8; 64],
    pub(crate) len: usize,
}

impl Digest {
    fn of(bytes: &[u8]) -> Self {
        let mut all = [0; 64];
        all[..bytes.len()].copy_from_slice(bytes);
        Self { all, len: bytes.len() }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.all[..self.len]
    }
}

/// fio's name of a kind.
#[must_use]
pub(crate) fn name(kind: CheckKind) -> &'static str {
    match kind {
        CheckKind::Md5 => "md5",
        CheckKind::Crc64 => "crc64",
        CheckKind::Crc32c => "crc32c",
        CheckKind::Crc32 => "crc32",
        CheckKind::Crc16 => "crc16",
        CheckKind::Crc7 => "crc7",
        CheckKind::Xxhash => "xxhash",
        CheckKind::Sha1 => "sha1",
        CheckKind::Sha256 => "sha256",
        CheckKind::Sha512 => "sha512",
        CheckKind::Sha3_224 => "sha3-224",
        CheckKind::Sha3_256 => "sha3-256",
        CheckKind::Sha3_384 => "sha3-384",
        CheckKind::Sha3_512 => "sha3-512",
        CheckKind::Pattern => "pattern",
        CheckKind::PatternHeader => "pattern_hdr",
        CheckKind::Null => "null",
    }
}

/// Bytes of a kind's checksum.
#[must_use]
pub(crate) fn len(kind: CheckKind) -> usize {
    match kind {
        CheckKind::Pattern | CheckKind::PatternHeader | CheckKind::Null => 0,
        CheckKind::Crc7 => 1,
        CheckKind::Crc16 => 2,
        CheckKind::Crc32c | CheckKind::Crc32 | CheckKind::Xxhash => 4,
        CheckKind::Crc64 => 8,
        CheckKind::Md5 => 16,
        CheckKind::Sha1 => 20,
        CheckKind::Sha3_224 => 28,
        CheckKind::Sha256 | CheckKind::Sha3_256 => 32,
        CheckKind::Sha3_384 => 48,
        CheckKind::Sha512 | CheckKind::Sha3_512 => 64,
    }
}

/// The checksum of two pieces, one after the other.
#[must_use]
pub(crate) fn sum(kind: CheckKind, [a, b]: [&[u8]; 2]) -> Digest {
    match kind {
        CheckKind::Pattern | CheckKind::PatternHeader | CheckKind::Null => Digest::of(&[]),
        CheckKind::Crc32c => Digest::of(&crc32c::crc32c_append(crc32c::crc32c(a), b).to_le_bytes()),
        CheckKind::Crc32 => {
            let mut hasher = crc32fast::Hasher::new();
            hasher.update(a);
            hasher.update(b);
            Digest::of(&hasher.finalize().to_le_bytes())
        }
        CheckKind::Crc7 => {
            let mut digest = CRC7.digest();
            digest.update(a);
            digest.update(b);
            Digest::of(&[digest.finalize()])
        }
        CheckKind::Crc16 => {
            let mut digest = CRC16.digest();
            digest.update(a);
            digest.update(b);
            Digest::of(&digest.finalize().to_le_bytes())
        }
        CheckKind::Crc64 => {
            let mut digest = CRC64.digest();
            digest.update(a);
            digest.update(b);
            Digest::of(&digest.finalize().to_le_bytes())
        }
        CheckKind::Xxhash => {
            let mut hasher = XxHash32::with_seed(XXHASH_SEED);
            hasher.write(a);
            hasher.write(b);
            Digest::of(&hasher.finish_32().to_le_bytes())
        }
        CheckKind::Md5 => hash::<Md5>(a, b),
        CheckKind::Sha1 => hash::<Sha1>(a, b),
        CheckKind::Sha256 => hash::<Sha256>(a, b),
        CheckKind::Sha512 => hash::<Sha512>(a, b),
        CheckKind::Sha3_224 => hash::<Sha3_224>(a, b),
        CheckKind::Sha3_256 => hash::<Sha3_256>(a, b),
        CheckKind::Sha3_384 => hash::<Sha3_384>(a, b),
        CheckKind::Sha3_512 => hash::<Sha3_512>(a, b),
    }
}

fn hash<H: sha2::Digest>(a: &[u8], b: &[u8]) -> Digest {
    Digest::of(&H::new().chain_update(a).chain_update(b).finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(kind: CheckKind, a: &str, b: &str) -> String {
        let digest = sum(kind, [a.as_bytes(), b.as_bytes()]);
        assert_eq!(digest.len, len(kind));
        let number = digest.len <= 8;
        let mut bytes = digest.bytes().to_vec();
        if number {
            bytes.reverse();
        }
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The check values of the catalogue of CRCs ("123456789"), and "abc" of the standards for the hashes.
    #[test]
    fn known_answers() {
        for (kind, expected) in [
            (CheckKind::Crc7, "75"),
            (CheckKind::Crc16, "bb3d"),
            (CheckKind::Crc32, "cbf43926"),
            (CheckKind::Crc32c, "e3069283"),
            (CheckKind::Crc64, "995dc9bbdf1939fa"),
        ] {
            assert_eq!(hex(kind, "123456789", ""), expected);
            assert_eq!(hex(kind, "1234", "56789"), expected);
        }
        for (kind, expected) in [
            (CheckKind::Md5, "900150983cd24fb0d6963f7d28e17f72"),
            (CheckKind::Sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
            (CheckKind::Sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                CheckKind::Sha512,
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            ),
            (CheckKind::Sha3_224, "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf"),
            (CheckKind::Sha3_256, "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
            (
                CheckKind::Sha3_384,
                "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25",
            ),
            (
                CheckKind::Sha3_512,
                "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
            ),
        ] {
            assert_eq!(hex(kind, "abc", ""), expected);
            assert_eq!(hex(kind, "a", "bc"), expected);
        }
        // xxHash has no official answer for fio's seed; without one, "abc" is 32d153ff.
        let mut plain = XxHash32::with_seed(0);
        plain.write(b"abc");
        assert_eq!(plain.finish_32(), 0x32d1_53ff);
        assert_eq!(hex(CheckKind::Xxhash, "a", "bc"), hex(CheckKind::Xxhash, "abc", ""));
    }
}
