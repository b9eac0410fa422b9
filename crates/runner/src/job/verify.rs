//! Sealing blocks before they are written and checking them when they are read back.
//!
//! Every unit of a block gets a header that says what was written, where and when (as a write's number), and a checksum
//! of the rest of the unit, so that lost, torn, stale and misplaced writes are told apart. The header is fsbench's own:
//! fio changes its header between versions, and neither checks what the other wrote. Which blocks to read back is the
//! driver's business; [`state`] keeps that over a restart.
//!
//! Header, little-endian: magic u32, version u8, kind u8, 0 u16, unit length u32, file u32, offset u64, write number u64,
//! seed u64, 0 u32, CRC-32C of these 44 bytes u32; then the checksum, filled up with zeros to a multiple of 8 bytes.

pub(crate) mod digest;
pub(crate) mod state;

use super::fill::repeat_pattern;
use digest::{Digest, sum};
use fsbench_model::job::{Check, CheckKind, PatternBytes};

const MAGIC: u32 = 0x7662_7346;
const VERSION: u8 = 1;
/// Bytes of a header before the checksum.
const FIXED: usize = 48;

/// Which write a block belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The file's number in the job.
    pub(crate) file: u32,
    /// Where the block begins in the file.
    pub(crate) offset: u64,
    /// Which write of the job it was.
    pub(crate) number: u64,
    /// The job's seed.
    pub(crate) seed: u64,
}

/// Why blocks cannot be checked as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum CheckError {
    #[error(
        "verify={name} needs {header} bytes of header at verify_offset {offset}, and a unit has {unit}: make verify_interval or bs at least {}",
        header + offset
    )]
    TooSmall { name: &'static str, header: usize, offset: usize, unit: usize },
    #[error("verify={0} needs a verify_pattern")]
    NoPattern(&'static str),
    #[error("blocks of {block} bytes are not whole units of verify_interval {interval}")]
    Ragged { block: usize, interval: usize },
}

/// A block that is not what was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mismatch {
    /// Where the bad unit begins in the file.
    pub(crate) offset: u64,
    /// Its bytes.
    pub(crate) len: u64,
    /// What is wrong with it, in fio's words.
    pub(crate) what: String,
    requested: (u64, u64),
    before: String,
    after: String,
}

impl Mismatch {
    /// What fio prints: one line that says where, and what was expected and found.
    #[must_use]
    pub(crate) fn message(&self, file: &str) -> String {
        let Self { offset, len, what, requested, before, after } = self;
        format!(
            "{before}{what} at file {file} offset {offset}, length {len} (requested block: offset={}, length={}){after}",
            requested.0, requested.1
        )
    }
}

/// What went wrong within a unit.
struct Wrong {
    what: String,
    before: String,
    after: String,
}

impl Wrong {
    fn header(field: &str, found: impl std::fmt::Display, wanted: impl std::fmt::Display) -> Self {
        let what = format!("verify: bad {field} {found}, wanted {wanted}");
        Self { what, before: String::new(), after: String::new() }
    }
}

/// Seals and checks the blocks of one job.
#[derive(Clone, Debug)]
pub(crate) struct Checker {
    kind: CheckKind,
    pattern: PatternBytes,
    interval: usize,
    header_at: usize,
    header: usize,
}

impl Checker {
    /// For blocks of at least `block_min` bytes.
    ///
    /// # Errors
    /// A unit that cannot hold a header, a block that is no whole number of units, a pattern that is missing.
    pub(crate) fn new(check: &Check, block_min: u32) -> Result<Self, CheckError> {
        let (name, block) = (digest::name(check.kind), block_min as usize);
        let interval = check.interval as usize;
        let header = match check.kind {
            CheckKind::Null | CheckKind::Pattern => 0,
            kind => (FIXED + digest::len(kind)).next_multiple_of(8),
        };
        if matches!(check.kind, CheckKind::Pattern | CheckKind::PatternHeader) && check.pattern.bytes.is_empty() {
            return Err(CheckError::NoPattern(name));
        }
        if interval > 0 && !block.is_multiple_of(interval) {
            return Err(CheckError::Ragged { block, interval });
        }
        let (offset, unit) = (check.header_offset as usize, if interval > 0 { interval } else { block });
        if header > 0 && offset + header > unit {
            return Err(CheckError::TooSmall { name, header, offset, unit });
        }
        Ok(Self { kind: check.kind, pattern: check.pattern.clone(), interval, header_at: offset, header })
    }

    /// Makes `block` one that [`Self::check`] accepts at `at`: fills it with the pattern, if there is one, and writes the
    /// headers. Its other content stays as it is.
    pub(crate) fn seal(&self, block: &mut [u8], at: &Place) {
        if !self.pattern.bytes.is_empty() {
            repeat_pattern(block, &self.pattern, at.offset);
        }
        if self.header == 0 {
            return;
        }
        let mut offset = at.offset;
        let unit = self.unit(block.len());
        for unit in block.chunks_mut(unit).filter(|unit| self.fits(unit)) {
            let digest = self.digest(unit);
            let header = &mut unit[self.header_at..self.header_at + self.header];
            header.fill(0);
            self.write_header(header, &Place { offset, ..*at }, digest.len_of_unit);
            header[FIXED..FIXED + digest.sum.len].copy_from_slice(digest.sum.bytes());
            offset += digest.len_of_unit as u64;
        }
    }

    /// Whether `block`, read from `at`, is what was written there: `at.number` is not looked at, `expect_number` is.
    ///
    /// # Errors
    /// The first unit that is not.
    pub(crate) fn check(&self, block: &[u8], at: &Place, expect_number: Option<u64>) -> Result<(), Mismatch> {
        if self.kind == CheckKind::Null {
            return Ok(());
        }
        let mut within = 0;
        for unit in block.chunks(self.unit(block.len())) {
            let offset = at.offset + within as u64;
            self.check_unit(unit, within, at, expect_number).map_err(|wrong| Mismatch {
                offset,
                len: unit.len() as u64,
                what: wrong.what,
                requested: (at.offset, block.len() as u64),
                before: wrong.before,
                after: wrong.after,
            })?;
            within += unit.len();
        }
        Ok(())
    }

    fn unit(&self, block: usize) -> usize {
        if self.interval > 0 { self.interval } else { block.max(1) }
    }

    /// The last unit of a block that a short read or the end of the file cut off may be too small to be checked.
    fn fits(&self, unit: &[u8]) -> bool {
        unit.len() >= self.header_at + self.header
    }

    fn check_unit(&self, unit: &[u8], within: usize, at: &Place, number: Option<u64>) -> Result<(), Wrong> {
        if self.kind == CheckKind::Pattern {
            return self.check_pattern(unit, within, at.offset);
        }
        if !self.fits(unit) {
            return Ok(());
        }
        let header = &unit[self.header_at..self.header_at + self.header];
        self.check_header(header, unit.len(), &Place { offset: at.offset + within as u64, ..*at }, number)?;
        if self.kind == CheckKind::PatternHeader {
            let (before, after) = (&unit[..self.header_at], self.header_at + self.header);
            self.check_pattern(before, within, at.offset)?;
            return self.check_pattern(&unit[after..], within + after, at.offset);
        }
        let (found, digest) = (&header[FIXED..FIXED + digest::len(self.kind)], self.digest(unit));
        if found == digest.sum.bytes() {
            return Ok(());
        }
        let hex = |bytes: &[u8]| bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
        let plain = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        // Numbers are printed as numbers, digests as their bytes.
        let show = |bytes: &[u8]| if bytes.len() <= 8 { hex(bytes) } else { plain(bytes) };
        Err(Wrong {
            what: format!("{}: verify failed", digest::name(self.kind)),
            before: String::new(),
            after: format!("\n       Expected CRC: {}\n       Received CRC: {}", show(found), show(digest.sum.bytes())),
        })
    }

    fn digest(&self, unit: &[u8]) -> UnitDigest {
        let parts = [&unit[..self.header_at], &unit[self.header_at + self.header..]];
        UnitDigest { sum: sum(self.kind, parts), len_of_unit: unit.len() }
    }

    fn write_header(&self, header: &mut [u8], at: &Place, unit: usize) {
        header[..4].copy_from_slice(&MAGIC.to_le_bytes());
        (header[4], header[5]) = (VERSION, self.kind as u8);
        header[8..12].copy_from_slice(&(unit as u32).to_le_bytes());
        header[12..16].copy_from_slice(&at.file.to_le_bytes());
        for (place, value) in [(16, at.offset), (24, at.number), (32, at.seed)] {
            header[place..place + 8].copy_from_slice(&value.to_le_bytes());
        }
        let crc = crc32c::crc32c(&header[..FIXED - 4]);
        header[FIXED - 4..FIXED].copy_from_slice(&crc.to_le_bytes());
    }

    fn check_header(&self, header: &[u8], unit: usize, at: &Place, number: Option<u64>) -> Result<(), Wrong> {
        let magic = short(header, 0);
        if magic != MAGIC {
            return Err(Wrong::header("magic header", format!("{magic:x}"), format!("{MAGIC:x}")));
        }
        let (crc, found) = (crc32c::crc32c(&header[..FIXED - 4]), short(header, FIXED - 4));
        if crc != found {
            return Err(Wrong::header("header crc", format!("{found:x}"), format!("{crc:x}")));
        }
        let (version, kind, length, file) = (header[4], header[5], short(header, 8), short(header, 12));
        let wanted_number = number.unwrap_or(long(header, 24));
        let fields = [
            ("header version", u64::from(version), u64::from(VERSION)),
            ("header type", u64::from(kind), self.kind as u64),
            ("header length", u64::from(length), unit as u64),
            ("header file", u64::from(file), u64::from(at.file)),
            ("header offset", long(header, 16), at.offset),
            ("header rand_seed", long(header, 32), at.seed),
            ("header numberio", long(header, 24), wanted_number),
        ];
        match fields.into_iter().find(|(_, found, wanted)| found != wanted) {
            Some((field, found, wanted)) => Err(Wrong::header(field, found, wanted)),
            None => Ok(()),
        }
    }

    fn check_pattern(&self, region: &[u8], within: usize, block: u64) -> Result<(), Wrong> {
        let Some((at, found, wanted)) = first_difference(region, &self.pattern, within, block) else {
            return Ok(());
        };
        let bits = (found ^ wanted).count_ones();
        Err(Wrong {
            what: format!("{}: verify failed", digest::name(self.kind)),
            before: format!(
                "got pattern '{found:02x}', wanted '{wanted:02x}'. Bad bits {bits}\nbad pattern block offset {}\n",
                within + at
            ),
            after: String::new(),
        })
    }
}

struct UnitDigest {
    sum: Digest,
    len_of_unit: usize,
}

fn short(bytes: &[u8], at: usize) -> u32 {
    bytes[at..at + 4].iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte))
}

fn long(bytes: &[u8], at: usize) -> u64 {
    bytes[at..at + 8].iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// Where `region`, which begins `within` a block at the offset `block`, leaves the pattern: place, found, wanted.
fn first_difference(region: &[u8], pattern: &PatternBytes, within: usize, block: u64) -> Option<(usize, u8, u8)> {
    let period = pattern.bytes.len();
    let wanted = |at: usize| {
        let at = (within + at) % period;
        let inserted = pattern.offsets.iter().rev().map(|offset| *offset as usize);
        match inserted.into_iter().find(|offset| (*offset..offset + 8).contains(&at)) {
            Some(offset) => block.to_le_bytes()[at - offset],
            None => pattern.bytes[at],
        }
    };
    let head = region.len().min(period);
    if let Some(at) = (0..head).find(|at| region[*at] != wanted(*at)) {
        return Some((at, region[at], wanted(at)));
    }
    // The first repetition is right: every other must equal the one before, which is one comparison of memory.
    let (early, late) = (&region[..region.len() - head], &region[head..]);
    if early == late {
        return None;
    }
    early.iter().zip(late).position(|(a, b)| a != b).map(|at| (at + head, late[at], early[at]))
}

#[cfg(test)]
#[path = "verify_tests.rs"]
mod tests;
