//! What is written, synced, verified, replayed, and which errors are survived.

use super::super::error::FioError;
use super::super::numbers::{Unit, number};
use super::super::values::Values;
use super::super::world::World;
use super::build::Clone;
use super::place::{Site, given};
use super::{errors, pattern, patterns};
use fsbench_model::job::{
    Check, CheckKind, Direction, Fill, OnError, Pattern, PatternBytes, Replay, SyncRange, Syncs, VerifyPlan, WriteData,
};

/// What is written.
pub(super) fn written(values: &Values, world: &World<'_>) -> Result<WriteData, FioError> {
    let compress_percent = values.count("buffer_compress_percentage");
    let dedupe_percent = values.count("dedupe_percentage");
    let working_set = values.word("dedupe_mode") == "working_set";
    Ok(WriteData {
        fill: fill(values, compress_percent + dedupe_percent > 0, world)?,
        compress_percent,
        compress_chunk: values.count("buffer_compress_chunk"),
        dedupe_percent,
        dedupe_set_percent: working_set.then(|| values.count("dedupe_working_set_percentage")),
    })
}

/// Compressible, deduplicable and verified data are made anew for each write, as in fio.
fn fill(values: &Values, shaped: bool, world: &World<'_>) -> Result<Fill, FioError> {
    if let Some(pattern) = bytes(values, "buffer_pattern", world)? {
        return Ok(Fill::Pattern(pattern));
    }
    let refill = match values.has("refill_buffers") {
        true => values.is_on("refill_buffers"),
        false => shaped || is_verified(values),
    };
    Ok(match (values.is_on("zero_buffers"), refill, values.is_on("scramble_buffers")) {
        (true, ..) => Fill::Zero,
        (_, true, _) => Fill::Refilled,
        (.., true) => Fill::Scrambled,
        _ => Fill::Once,
    })
}

fn bytes(values: &Values, name: &str, world: &World<'_>) -> Result<Option<PatternBytes>, FioError> {
    let Some(text) = values.text(name) else { return Ok(None) };
    patterns::parse(&text, world).map(Some).map_err(|why| values.refuse(name, why))
}

/// Syncs between and after writes.
pub(super) fn syncs(values: &Values) -> Result<Syncs, FioError> {
    Ok(Syncs {
        fsync: values.count("fsync"),
        fdatasync: values.count("fdatasync"),
        range: sync_range(values)?,
        at_end: values.is_on("end_fsync"),
        on_close: values.is_on("fsync_on_close"),
    })
}

/// `wait_before,write:8`.
fn sync_range(values: &Values) -> Result<SyncRange, FioError> {
    let mut range = SyncRange::default();
    let Some(text) = values.text("sync_file_range") else { return Ok(range) };
    let refuse = |why: String| values.refuse("sync_file_range", why);
    let (words, every) = text.split_once(':').unwrap_or((&text, "1"));
    for word in words.split(',') {
        match word.trim() {
            "wait_before" => range.wait_before = true,
            "write" => range.write = true,
            "wait_after" => range.wait_after = true,
            word => return Err(refuse(format!("'{word}'; accepted: wait_before, write, wait_after"))),
        }
    }
    range.every = number(every, Unit::Count(1024))
        .and_then(|every| u32::try_from(every).map_err(|_| "it is too large".to_string()))
        .map_err(refuse)?;
    Ok(range)
}

/// Whether blocks are verified. A pattern alone means `verify=pattern`, as in fio.
pub(super) fn is_verified(values: &Values) -> bool {
    check_word(values) != "0"
}

fn check_word(values: &Values) -> String {
    if !values.has("verify") && values.has("verify_pattern") { "pattern".into() } else { values.word("verify") }
}

/// Verification.
pub(super) fn verify(values: &Values, job: &Pattern, world: &World<'_>) -> Result<Option<VerifyPlan>, FioError> {
    let Some(kind) = check_kind(values)? else { return Ok(None) };
    let pattern = bytes(values, "verify_pattern", world)?.unwrap_or_default();
    if pattern.bytes.is_empty() && matches!(kind, CheckKind::Pattern | CheckKind::PatternHeader) {
        return Err(values.refuse("verify", "it needs a verify_pattern"));
    }
    let (only, writes) = (values.is_on("verify_only"), pattern::changes(job.mode));
    Ok(Some(VerifyPlan {
        check: Check { kind, pattern, interval: interval(values, job), header_offset: values.count("verify_offset") },
        read_back: values.is_on("do_verify") && writes && !only,
        only,
        fatal: values.is_on("verify_fatal"),
        dump: values.is_on("verify_dump"),
        backlog: values.number("verify_backlog").unwrap_or(0),
        backlog_batch: values.number("verify_backlog_batch").unwrap_or(0),
        save_state: values.is_on("verify_state_save"),
        load_state: values.is_on("verify_state_load"),
        threads: values.count("verify_async"),
    }))
}

/// fio's rules: blocks of several sizes are verified in units, and a unit divides every block.
fn interval(values: &Values, job: &Pattern) -> u32 {
    let blocks = &job.blocks[Direction::Write as usize];
    let (min, max) = (blocks.min(), blocks.max());
    let given = u64::from(values.count("verify_interval"));
    let unit = match given {
        0 if min == max => return 0,
        0 => min,
        given => given.min(min),
    };
    let fits = min % unit == 0 && max % unit == 0;
    u32::try_from(if fits { unit } else { gcd(min, max) }).unwrap_or(u32::MAX)
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

fn check_kind(values: &Values) -> Result<Option<CheckKind>, FioError> {
    Ok(Some(match check_word(values).as_str() {
        "0" => return Ok(None),
        "md5" => CheckKind::Md5,
        "crc64" => CheckKind::Crc64,
        "crc32c" | "crc32c-intel" => CheckKind::Crc32c,
        "crc32" => CheckKind::Crc32,
        "crc16" => CheckKind::Crc16,
        "crc7" => CheckKind::Crc7,
        "xxhash" => CheckKind::Xxhash,
        "sha1" => CheckKind::Sha1,
        "sha256" => CheckKind::Sha256,
        "sha512" => CheckKind::Sha512,
        "sha3-224" => CheckKind::Sha3_224,
        "sha3-256" => CheckKind::Sha3_256,
        "sha3-384" => CheckKind::Sha3_384,
        "sha3-512" => CheckKind::Sha3_512,
        "pattern" => CheckKind::Pattern,
        "pattern_hdr" => CheckKind::PatternHeader,
        "null" => CheckKind::Null,
        _ => return Err(values.refuse("verify", "not supported; every header has what meta has: use crc32c")),
    }))
}

/// A trace to replay.
pub(super) fn replay(clone: &Clone<'_>) -> Result<Option<Replay>, FioError> {
    let values = clone.values;
    let Some(path) = values.text("read_iolog") else { return Ok(None) };
    Ok(Some(Replay {
        path,
        no_stall: values.is_on("replay_no_stall"),
        time_percent: values.count("replay_time_scale"),
        redirect: redirect(clone)?,
        scale: values.count("replay_scale"),
        align: values.count("replay_align"),
        skip: skip(values)?,
    }))
}

fn redirect(clone: &Clone<'_>) -> Result<Option<String>, FioError> {
    let names = given(clone.values, "replay_redirect")?;
    Ok(names.first().map(|named| match clone.site {
        Site::Local => clone.world.absolute(&named.path).trim_start_matches('/').to_string(),
        Site::Nowhere | Site::Store(_) => named.path.clone(),
    }))
}

fn skip(values: &Values) -> Result<[bool; 4], FioError> {
    let mut skip = [false; 4];
    let Some(text) = values.text("replay_skip") else { return Ok(skip) };
    for word in text.split([',', ':']).map(str::trim) {
        let at = ["read", "write", "trim", "sync"].iter().position(|kind| *kind == word);
        let at = at.ok_or_else(|| values.refuse("replay_skip", format!("'{word}'; accepted: read, write, trim, sync")));
        skip[at?] = true;
    }
    Ok(skip)
}

/// Which errors do not end the job.
pub(super) fn on_error(values: &Values) -> Result<OnError, FioError> {
    let word = values.word("continue_on_error");
    let is = |words: &[&str]| words.contains(&word.as_str());
    let ignored = match values.text("ignore_error") {
        Some(text) => errors::parse(&text).map_err(|why| values.refuse("ignore_error", why))?,
        None => Default::default(),
    };
    Ok(OnError {
        read: is(&["read", "io", "all", "1"]),
        write: is(&["write", "io", "all", "1"]),
        verify: is(&["verify", "all", "1"]),
        ignored,
        dump: values.is_on("error_dump"),
    })
}
