//! Which blocks: `rw` and its suffix, block sizes, distributions, zones.

use super::super::error::FioError;
use super::super::lists::weighted;
use super::super::numbers::{Unit, decimal, number, signed};
use super::super::value::{Part, Value};
use super::super::values::Values;
use fsbench_model::Bytes;
use fsbench_model::job::{BlockSizes, Distribution, Mode, Pattern, PerDirection, Sequencer, Strided, Weighted};

/// The pattern of a job.
pub(super) fn pattern(values: &Values, seed: u64) -> Result<Pattern, FioError> {
    let text = values.word("rw");
    let (word, suffix) = text.split_once(':').map_or((text.as_str(), None), |(word, suffix)| (word, Some(suffix)));
    let (mode, random) = mode(word);
    let (run_length, hole) = suffix.map_or(Ok((1, 0)), |suffix| after_colon(values, suffix, random))?;
    let blocks = blocks(values);
    let smallest = blocks.clone().map(|sizes| sizes.min());
    let align = values.each("ba", 0);
    let distribution = distribution(values)?;
    let uniform = distribution.iter().all(|one| *one == Distribution::Uniform);
    let percent = values.each("percentage_random", 100);
    Ok(Pattern {
        mode,
        random,
        run_length,
        hole,
        sequencer: if values.word("rw_sequencer") == "identical" {
            Sequencer::Identical
        } else {
            Sequencer::Sequential
        },
        read_percent: read_percent(values),
        align: std::array::from_fn(|at| if align[at] == 0 { smallest[at] } else { align[at] }),
        blocks,
        unaligned: values.is_on("bs_unaligned"),
        size_by_randomness: values.is_on("bs_is_seq_rand"),
        random_percent: percent.map(|percent| u32::try_from(percent).unwrap_or(100)),
        distribution,
        map: random && uniform && !values.is_on("norandommap"),
        seed,
        zone: zone(values)?,
    })
}

/// Whether a job of this `rw` writes or trims.
pub(super) fn changes(mode: Mode) -> bool {
    mode != Mode::Read
}

fn mode(word: &str) -> (Mode, bool) {
    let (word, random) = word.strip_prefix("rand").map_or((word, false), |word| (word, true));
    let mode = match word {
        "write" => Mode::Write,
        "trim" => Mode::Trim,
        "rw" | "readwrite" => Mode::ReadWrite,
        "trimwrite" => Mode::TrimWrite,
        _ => Mode::Read,
    };
    (mode, random)
}

/// The number behind `rw=…:`: requests for each random offset, or bytes to skip.
fn after_colon(values: &Values, suffix: &str, random: bool) -> Result<(u32, i64), FioError> {
    let refuse = |why: String| values.refuse("rw", why);
    if !random {
        return signed(suffix, Unit::Bytes(values.base())).map(|hole| (1, hole)).map_err(refuse);
    }
    match number(suffix, Unit::Count(1024)).map(u32::try_from) {
        Ok(Ok(count)) if count > 0 => Ok((count, 0)),
        Ok(_) => Err(refuse("requests for each random offset; accepted: 1 or more".into())),
        Err(why) => Err(refuse(why)),
    }
}

fn read_percent(values: &Values) -> u32 {
    if values.is_later("rwmixwrite", "rwmixread") {
        return 100 - values.count("rwmixwrite");
    }
    values.count("rwmixread")
}

/// `bssplit` beats `bsrange`, which beats `bs`, in whichever order they stand.
fn blocks(values: &Values) -> PerDirection<BlockSizes> {
    let fixed = values.each("bs", 4096);
    let ranges = match values.entry("bsrange").map(|entry| &entry.value) {
        Some(Value::Ranges(ranges)) => *ranges,
        _ => [None; 3],
    };
    let splits = match values.entry("bssplit").map(|entry| &entry.value) {
        Some(Value::Splits(splits)) => splits.clone(),
        _ => [None, None, None],
    };
    std::array::from_fn(|at| match (&splits[at], ranges[at]) {
        (Some(parts), _) if parts.len() == 1 => BlockSizes::Fixed(parts[0].value),
        (Some(parts), _) => BlockSizes::Split(parts.clone()),
        (None, Some((min, max))) if min == max => BlockSizes::Fixed(Bytes(min)),
        (None, Some((min, max))) => BlockSizes::Range { min: Bytes(min), max: Bytes(max) },
        (None, None) => BlockSizes::Fixed(Bytes(fixed[at])),
    })
}

fn distribution(values: &Values) -> Result<PerDirection<Distribution>, FioError> {
    let text = values.word("random_distribution");
    let (word, rest) = text.split_once([':', '=']).unwrap_or((&text, ""));
    let read = || -> Result<PerDirection<Distribution>, String> {
        Ok(match word {
            "zoned" => zones(rest, zoned)?,
            "zoned_abs" => zones(rest, |part| zoned_absolute(part, values.base()))?,
            _ => {
                let one = single(word, rest)?;
                [one.clone(), one.clone(), one]
            }
        })
    };
    read().map_err(|why| values.refuse("random_distribution", why))
}

fn single(word: &str, rest: &str) -> Result<Distribution, String> {
    let (value, center) = rest.split_once('/').map_or((rest, None), |(value, center)| (value, Some(center)));
    let center = center.map(decimal).transpose()?;
    if center.is_some_and(|center| center > 1.0) {
        return Err("the centre is a share of the file; accepted: 0 to 1".into());
    }
    let value = |default: f64| if value.is_empty() { Ok(default) } else { decimal(value) };
    match word {
        "zipf" => match value(1.1)? {
            1.0 => Err("zipf's theta cannot be 1; accepted: above 0 and not 1, as in zipf:1.2".into()),
            theta if theta > 0.0 => Ok(Distribution::Zipf { theta, center }),
            _ => Err("zipf's theta; accepted: above 0 and not 1, as in zipf:1.2".into()),
        },
        "pareto" => match value(0.2)? {
            power if power > 0.0 && power < 1.0 => Ok(Distribution::Pareto { power, center }),
            _ => Err("pareto's power; accepted: between 0 and 1, as in pareto:0.2".into()),
        },
        "normal" => match value(0.0)? {
            deviation if deviation <= 100.0 => Ok(Distribution::Normal { deviation, center }),
            _ => Err("normal's deviation; accepted: 0 to 100 (percent)".into()),
        },
        "sequence" => Err("sequence is not supported; accepted: random, zipf, pareto, normal, zoned, zoned_abs".into()),
        _ if rest.is_empty() => Ok(Distribution::Uniform),
        _ => Err("random takes no value".into()),
    }
}

/// Zones for each direction, separated by commas; the last counts for those that are missing.
fn zones(
    text: &str,
    read: impl Fn(&str) -> Result<Distribution, String>,
) -> Result<PerDirection<Distribution>, String> {
    if text.is_empty() {
        return Err("zones are missing; write zoned:60/10:40/90, percent of requests/percent of the file".into());
    }
    let each = super::super::lists::each(text, read)?;
    Ok(each.map(|one| one.unwrap_or_default()))
}

/// `requests/range:…` of percentages, as weights of the ranges.
fn zoned(text: &str) -> Result<Distribution, String> {
    let flipped = weighted(text, decimal_percent)?;
    // weighted() reads value/percent and checks the second; in zones the first is the share of the requests.
    let total: f64 = flipped.iter().map(|zone| zone.value).sum();
    hundred(total)?;
    Ok(Distribution::Zoned(flipped.iter().map(|zone| Weighted { value: zone.percent, percent: zone.value }).collect()))
}

fn decimal_percent(text: &str) -> Result<f64, String> {
    decimal(text.trim_end_matches('%'))
}

fn zoned_absolute(text: &str, base: u64) -> Result<Distribution, String> {
    let mut zones = Vec::new();
    for part in text.split(':') {
        let (percent, size) = part.split_once('/').unwrap_or((part, "0"));
        let size = number(size, Unit::Bytes(base))?;
        zones.push(Weighted { value: Bytes(size), percent: decimal_percent(percent)? });
    }
    hundred(zones.iter().map(|zone| zone.percent).sum())?;
    let last = zones.len() - 1;
    if zones.iter().take(last).any(|zone| zone.value.0 == 0) {
        return Err("only the last zone may have size 0, the rest".into());
    }
    Ok(Distribution::ZonedAbsolute(zones))
}

fn hundred(total: f64) -> Result<(), String> {
    let full = (total - 100.0).abs() < 1e-6;
    full.then_some(()).ok_or_else(|| format!("the zones' requests are {total} percent together; 100 is accepted"))
}

fn zone(values: &Values) -> Result<Option<Strided>, FioError> {
    let size = values.number("zonesize").unwrap_or(0);
    let strided = match (values.has("zonemode"), values.word("zonemode").as_str()) {
        (_, "zbd") => return Err(values.refuse("zonemode", "zoned block devices are not supported; accepted: strided")),
        // As in fio, a zonesize without a mode means strided.
        (false, _) => size > 0,
        (true, mode) => mode == "strided",
    };
    if !strided {
        return Ok(None);
    }
    if size == 0 {
        return Err(values.refuse("zonemode", "strided zones need a zonesize"));
    }
    let range = values.number("zonerange").filter(|range| *range > 0).unwrap_or(size);
    let Some(Part::Bytes(skip)) = values.part("zoneskip") else {
        return Err(values.refuse("zoneskip", "a percentage; accepted: bytes"));
    };
    Ok(Some(Strided { size: Bytes(size), range: Bytes(range), skip: Bytes(skip) }))
}
