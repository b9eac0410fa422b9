//! Lists and ranges: a value for each direction, ranges, weighted sizes, percentiles, processors.

use super::numbers::{Unit, decimal, number};
use fsbench_model::Bytes;
use fsbench_model::job::Weighted;

/// Most processors that a mask or list names.
const PROCESSORS_MAX: u64 = 65_536;

/// Reads `r,w,t`: a missing one is like the one before, an empty one is the default (`None`).
pub(super) fn each<T: Clone>(text: &str, read: impl Fn(&str) -> Result<T, String>) -> Result<[Option<T>; 3], String> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() > 3 {
        return Err(format!("'{text}' has {} parts; at most three are accepted: reads,writes,trims", parts.len()));
    }
    let mut out = [None, None, None];
    for at in 0..3 {
        out[at] = match parts.get(at) {
            Some(&"") => None,
            Some(part) => Some(read(part)?),
            None => out[at - 1].clone(),
        };
    }
    if text.is_empty() {
        return Err("nothing is given".into());
    }
    Ok(out)
}

/// Reads `a-b` or `a:b`, in either order, or one number for both ends.
pub(super) fn range(text: &str, unit: Unit) -> Result<(u64, u64), String> {
    let split = (!text.starts_with('(')).then(|| text.split_once(['-', ':'])).flatten();
    let (a, b) = match split {
        None => (number(text, unit)?, number(text, unit)?),
        Some((a, b)) => (number(a, unit)?, number(b, unit)?),
    };
    Ok((a.min(b), a.max(b)))
}

/// Reads `value/percent:value/percent`; values without a percentage share what is left.
pub(super) fn weighted<T: Copy>(
    text: &str,
    read: impl Fn(&str) -> Result<T, String>,
) -> Result<Vec<Weighted<T>>, String> {
    let mut parts: Vec<(T, Option<f64>)> = Vec::new();
    for part in text.split(':').map(str::trim) {
        let (value, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = percent.trim();
        let percent = if percent.is_empty() { None } else { Some(decimal(percent)?) };
        parts.push((read(value)?, percent));
    }
    shares(&parts).map_err(|why| format!("'{text}': {why}"))
}

fn shares<T: Copy>(parts: &[(T, Option<f64>)]) -> Result<Vec<Weighted<T>>, String> {
    let given: f64 = parts.iter().filter_map(|(_, percent)| *percent).sum();
    let open = parts.iter().filter(|(_, percent)| percent.is_none()).count();
    let full = (given - 100.0).abs() < 1e-6;
    if given > 100.0 && !full {
        return Err(format!("the percentages add up to {given}, more than 100"));
    }
    if open == 0 && !full {
        return Err(format!("the percentages add up to {given}; they must be 100 together, or one left out"));
    }
    let share = if open == 0 { 0.0 } else { (100.0 - given).max(0.0) / open as f64 };
    Ok(parts.iter().map(|(value, percent)| Weighted { value: *value, percent: percent.unwrap_or(share) }).collect())
}

/// Reads `bssplit` for one direction.
pub(super) fn size_split(text: &str, base: u64) -> Result<Vec<Weighted<Bytes>>, String> {
    weighted(text, |size| match number(size, Unit::Bytes(base))? {
        0 => Err(format!("'{size}' is a block of no bytes; at least 1 is accepted")),
        size => Ok(Bytes(size)),
    })
}

/// Reads numbers with decimals, separated by colons, each in this range.
pub(super) fn decimals(text: &str, min: u32, max: u32) -> Result<Vec<f64>, String> {
    let one = |part: &str| {
        let value = decimal(part)?;
        let fits = (f64::from(min)..=f64::from(max)).contains(&value);
        fits.then_some(value).ok_or_else(|| format!("{value} is out of range; accepted: {min} to {max}"))
    };
    text.split(':').map(one).collect()
}

/// Reads `0,2-5`, as it was typed and without repetitions.
pub(super) fn processors(text: &str) -> Result<Vec<u32>, String> {
    let mut out = Vec::new();
    for part in text.split([',', ':']).map(str::trim) {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        let (from, to) = (number(from, Unit::None)?, number(to, Unit::None)?);
        if to < from || to >= PROCESSORS_MAX {
            return Err(format!("'{part}' is no range of processors; accepted: 0 to {}", PROCESSORS_MAX - 1));
        }
        for processor in (from..=to).filter_map(|at| u32::try_from(at).ok()) {
            if !out.contains(&processor) {
                out.push(processor);
            }
        }
    }
    Ok(out)
}

/// The processors of a mask.
pub(super) fn mask(bits: u64) -> Vec<u32> {
    (0..64).filter(|at| bits >> at & 1 == 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directions_follow_the_commas() {
        let read = |text: &str| number(text, Unit::Bytes(1024));
        for (text, want) in [
            ("256k", [Some(262_144); 3]),
            ("8k,32k", [Some(8192), Some(32768), Some(32768)]),
            ("8k,32k,", [Some(8192), Some(32768), None]),
            (",8k", [None, Some(8192), Some(8192)]),
            (",8k,", [None, Some(8192), None]),
            ("1,2,3", [Some(1), Some(2), Some(3)]),
            ("4k,", [Some(4096), None, None]),
        ] {
            assert_eq!(each(text, read), Ok(want), "{text}");
        }
        assert!(each("1,2,3,4", read).is_err());
        assert!(each("", read).is_err());
    }

    #[test]
    fn ranges_go_both_ways() {
        for text in ["4k-16k", "16k:4k", "4k:16k"] {
            assert_eq!(range(text, Unit::Bytes(1024)), Ok((4096, 16384)), "{text}");
        }
        assert_eq!(range("8", Unit::Bytes(1024)), Ok((8, 8)));
        assert!(range("4k-", Unit::Bytes(1024)).is_err());
    }

    #[test]
    fn weights_add_up_to_100() {
        let split = |text: &str| -> Result<Vec<(u64, f64)>, String> {
            Ok(size_split(text, 1024)?.iter().map(|part| (part.value.0, part.percent)).collect())
        };
        assert_eq!(split("4k/50:8k/50"), Ok(vec![(4096, 50.0), (8192, 50.0)]));
        assert_eq!(split("4k/10:8k/:16k/"), Ok(vec![(4096, 10.0), (8192, 45.0), (16384, 45.0)]));
        assert_eq!(split("4k:8k"), Ok(vec![(4096, 50.0), (8192, 50.0)]));
        for text in ["4k/60:8k/60", "4k/10:8k/20", "4k/x", "0/100", "", ":"] {
            assert!(split(text).is_err(), "{text}");
        }
    }

    #[test]
    fn processors_and_masks() {
        assert_eq!(processors("0,2-5,3"), Ok(vec![0, 2, 3, 4, 5]));
        assert!(processors("5-2").is_err());
        assert!(processors("0-99999999").is_err());
        assert_eq!(mask(0b1011), [0, 1, 3]);
        assert_eq!(decimals("99.9:50", 0, 100), Ok(vec![99.9, 50.0]));
        assert!(decimals("101", 0, 100).is_err());
    }
}
