//! Sizes and offsets of files, by fio's rules (`setup_files` and `get_start_offset` in its filesetup.c).

use super::super::error::FioError;
use super::super::value::Part;
use super::super::values::Values;
use super::build::Clone;
use super::seed;
use fsbench_model::Bytes;

/// How large the files of one clone are.
pub(super) struct Sizes {
    rule: Rule,
    files: u64,
    block: u64,
    seed: u64,
    needed: bool,
}

enum Rule {
    /// `size`, divided by the files.
    Shared(u64),
    /// `size=N%` of whatever each file has.
    Percent(u32),
    /// `filesize`.
    Each(u64, u64),
    /// Whatever the files have.
    Whole,
}

impl Sizes {
    pub(super) fn of(clone: &Clone<'_>, files: usize, block: u64, seed: u64) -> Result<Self, FioError> {
        let values = clone.values;
        let scale = |bytes: u64| scaled(bytes, clone.switches.scale, block);
        let rule = match (values.range("filesize"), values.part("size")) {
            (Some((min, max)), _) if max > 0 => Rule::Each(scale(min), scale(max)),
            (_, Some(Part::Percent(0))) => return Err(values.refuse("size", "accepted: 1% to 100%")),
            (_, Some(Part::Percent(percent))) => Rule::Percent(percent),
            (_, Some(Part::Bytes(bytes))) if bytes > 0 => Rule::Shared(scale(bytes)),
            _ => Rule::Whole,
        };
        let needed = !values.is_on("fill_device") && !values.has("read_iolog");
        let sizes = Self { rule, files: files.max(1) as u64, block, seed, needed };
        sizes.holds_a_block(values)?;
        Ok(sizes)
    }

    /// fio's "blocksize too large for data set".
    fn holds_a_block(&self, values: &Values) -> Result<(), FioError> {
        let (option, smallest) = match self.rule {
            Rule::Shared(total) => ("size", total / self.files),
            Rule::Each(min, _) => ("filesize", min),
            Rule::Percent(_) | Rule::Whole => return Ok(()),
        };
        let of_names = values.word("ioengine").starts_with("file");
        if smallest >= self.block || of_names {
            return Ok(());
        }
        let what = format!(
            "each file has {smallest} bytes, less than one block of {}; make the size larger, or the blocks or nrfiles \
             smaller",
            self.block
        );
        Err(values.refuse(option, what))
    }

    /// Whether files that do not exist need a size.
    pub(super) fn is_needed(&self) -> bool {
        self.needed
    }

    /// Bytes, or percentage, of the file with this index.
    pub(super) fn of_file(&self, at: usize) -> (Option<Bytes>, Option<u32>) {
        let at = at as u64;
        match self.rule {
            Rule::Shared(total) => {
                let each = total / self.files;
                // The first files get one block more until nothing is left.
                let more = (total - each * self.files) / self.block;
                (Some(Bytes(if at < more { each + self.block } else { each })), None)
            }
            Rule::Percent(percent) => (None, Some(percent)),
            Rule::Each(min, max) if min == max => (Some(Bytes(min)), None),
            Rule::Each(min, max) => {
                let drawn = seed::between(self.seed.wrapping_add(at), min, max);
                (Some(Bytes((drawn - drawn % self.block).max(min))), None)
            }
            Rule::Whole => (None, None),
        }
    }
}

/// `--scale`: whole blocks, at least one.
pub(super) fn scaled(bytes: u64, scale: f64, block: u64) -> u64 {
    if scale == 1.0 || bytes == 0 {
        return bytes;
    }
    let scaled = (bytes as f64 * scale) as u64;
    (scaled - scaled % block).max(block)
}

/// Where a clone's part of a file begins: bytes, and a percentage of the file. `found` is the file's size.
pub(super) fn offset(clone: &Clone<'_>, found: Option<u64>, block: u64) -> Result<(Bytes, Option<u32>), FioError> {
    let values = clone.values;
    let (mut bytes, mut percent) = (0u64, 0u32);
    match values.part("offset") {
        Some(Part::Bytes(offset)) => bytes = offset,
        Some(Part::Percent(offset)) => percent = offset,
        None => {}
    }
    let too_far = || values.refuse("offset_increment", "the last clone would begin behind the end");
    match values.part("offset_increment") {
        Some(Part::Bytes(each)) => {
            let more = each.checked_mul(u64::from(clone.index)).ok_or_else(too_far)?;
            bytes = bytes.checked_add(more).ok_or_else(too_far)?;
        }
        Some(Part::Percent(each)) => percent += each * clone.index,
        None => {}
    }
    if percent >= 100 {
        return Err(if values.has("offset_increment") {
            too_far()
        } else {
            values.refuse("offset", "accepted: below 100%")
        });
    }
    let align = values.number("offset_align").unwrap_or(0);
    if percent == 0 || align == 0 {
        return Ok((Bytes(bytes), (percent > 0).then_some(percent)));
    }
    let Some(size) = found else {
        return Err(values.refuse("offset_align", "the file must exist, so that its percentage can be computed"));
    };
    let share = u64::try_from(u128::from(size) * u128::from(percent) / 100).unwrap_or(u64::MAX);
    Ok((Bytes((share + bytes).next_multiple_of(align.max(block.min(align)))), None))
}
