//! What a job writes, syncs, verifies and replays, and which errors it survives.

use serde::{Deserialize, Serialize};

/// Bytes to repeat: `0xdeadbeef`, `"abcd"`, `'file'`, or several of them; `%o` puts the block's offset.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatternBytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Where in `bytes` eight bytes are replaced by the block's offset, little-endian.
    pub offsets: Vec<u32>,
}

/// The content of what is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fill {
    /// Random bytes made once for each buffer; a few bytes are changed for each write (`scramble_buffers`).
    #[default]
    Scrambled,
    /// Random bytes made once, written again and again (`scramble_buffers=0`).
    Once,
    /// Random bytes made anew for each write (`refill_buffers`).
    Refilled,
    /// Zeros (`zero_buffers`).
    Zero,
    /// A pattern (`buffer_pattern`).
    Pattern(PatternBytes),
}

/// What is written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteData {
    /// The content.
    pub fill: Fill,
    /// Percent of each chunk that is zeros or the pattern, and so can be compressed away (`buffer_compress_percentage`).
    pub compress_percent: u32,
    /// Bytes of a chunk (`buffer_compress_chunk`).
    pub compress_chunk: u32,
    /// Percent of the writes that repeat an earlier block (`dedupe_percentage`).
    pub dedupe_percent: u32,
    /// Repeat blocks of a working set of so many percent of the job's size, instead of the last one (`dedupe_mode`).
    pub dedupe_set_percent: Option<u32>,
}

/// Parts of `sync_file_range(2)`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SyncRange {
    /// After how many writes, 0 never.
    pub every: u32,
    /// `SYNC_FILE_RANGE_WAIT_BEFORE`.
    pub wait_before: bool,
    /// `SYNC_FILE_RANGE_WRITE`.
    pub write: bool,
    /// `SYNC_FILE_RANGE_WAIT_AFTER`.
    pub wait_after: bool,
}

/// Syncs between and after writes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Syncs {
    /// `fsync` after so many writes, 0 never.
    pub fsync: u32,
    /// `fdatasync` after so many writes, 0 never.
    pub fdatasync: u32,
    /// `sync_file_range`.
    pub range: SyncRange,
    /// `fsync` at the end (`end_fsync`).
    pub at_end: bool,
    /// `fsync` before each close (`fsync_on_close`).
    pub on_close: bool,
}

/// What is compared when a block is verified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckKind {
    /// MD5.
    Md5,
    /// CRC-64/XZ.
    Crc64,
    /// CRC-32C (Castagnoli).
    #[default]
    Crc32c,
    /// CRC-32.
    Crc32,
    /// CRC-16.
    Crc16,
    /// CRC-7.
    Crc7,
    /// xxHash, 32 bits.
    Xxhash,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
    /// SHA3-224.
    Sha3_224,
    /// SHA3-256.
    Sha3_256,
    /// SHA3-384.
    Sha3_384,
    /// SHA3-512.
    Sha3_512,
    /// The pattern, and nothing else.
    Pattern,
    /// The pattern, with a header.
    PatternHeader,
    /// Nothing; everything but comparing is done.
    Null,
}

/// How blocks are checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// By what.
    pub kind: CheckKind,
    /// The pattern of `pattern` and of what surrounds a header; empty is random data.
    pub pattern: PatternBytes,
    /// Bytes of a checked unit (`verify_interval`), 0 is the whole block.
    pub interval: u32,
    /// Where in the unit the header is (`verify_offset`).
    pub header_offset: u32,
}

/// Verification.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct VerifyPlan {
    /// How.
    pub check: Check,
    /// Read everything back after writing (`do_verify`).
    pub read_back: bool,
    /// Nothing is written; what an earlier run of the same job wrote is verified (`verify_only`).
    pub only: bool,
    /// The first bad block ends the job (`verify_fatal`).
    pub fatal: bool,
    /// Save bad blocks to files (`verify_dump`).
    pub dump: bool,
    /// Verify after so many writes (`verify_backlog`), 0 at the end.
    pub backlog: u64,
    /// How many then (`verify_backlog_batch`); 0 all.
    pub backlog_batch: u64,
    /// Write down at the end, or when interrupted, what was written (`verify_state_save`).
    pub save_state: bool,
    /// Verify only what the saved state says was written (`verify_state_load`).
    pub load_state: bool,
    /// Threads that check (`verify_async`); 0 is the job's own.
    pub threads: u32,
}

/// Which errors do not end the job (`continue_on_error`, `ignore_error`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OnError {
    /// Errors of reads.
    pub read: bool,
    /// Errors of writes and syncs.
    pub write: bool,
    /// Failed verifications.
    pub verify: bool,
    /// Error numbers of reads, writes and verifications that are not counted at all (`ignore_error`).
    pub ignored: [Vec<i32>; 3],
    /// Print ignored errors (`error_dump`).
    pub dump: bool,
}

/// A trace to replay (`read_iolog`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Replay {
    /// The trace on this host, version 2 or 3 of fio's text format.
    pub path: String,
    /// As fast as possible (`replay_no_stall`).
    pub no_stall: bool,
    /// Speed in percent: 200 is twice as fast (`replay_time_scale`).
    pub time_percent: u32,
    /// All requests go to this file (`replay_redirect`), relative like [`crate::job::JobFile::path`].
    pub redirect: Option<String>,
    /// Offsets are divided by this (`replay_scale`), at least 1.
    pub scale: u32,
    /// And aligned to this, 0 not (`replay_align`).
    pub align: u32,
    /// Skip these kinds: read, write, trim, sync (`replay_skip`).
    pub skip: [bool; 4],
}
