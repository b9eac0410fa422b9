//! Numbers, sizes and times as fio spells them, read strictly: what fio would misread is an error.
//!
//! fio's rules (HOWTO, "Parameter types"): decimal or `0x`; sizes with k, m, g, t, p, which are 1024^n, and kib, mib, …,
//! which are 1000^n, both the other way round with `kb_base=1000`; times with d, h, m, s, ms, us; arithmetic in
//! parentheses. Wrong numbers are told as text; the caller knows the place.

use super::expression;

/// Units that may stand behind a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// k, m, …; the base of `k` is 1024 or 1000.
    Count(u64),
    /// k, kb, kib, …; the base of `k` is 1024 or 1000.
    Bytes(u64),
    /// d, h, m, s, ms, us; a bare number is so many of these nanoseconds. The result is in nanoseconds.
    Time(u64),
    /// None.
    None,
}

impl Unit {
    /// What is accepted, for messages.
    fn accepted(self) -> &'static str {
        match self {
            Unit::Count(_) => "a whole number, as in 64, 0x40, 4k or (2*32)",
            Unit::Bytes(1024) => "bytes, as in 4096, 4k, 1m, 2g or (4*1024); k is 1024, kib is 1000 (kb_base=1024)",
            Unit::Bytes(_) => "bytes, as in 4096, 4kib, 1m, 2g or (4*1024); k is 1000, kib is 1024 (kb_base=1000)",
            Unit::Time(1_000) => "a time, as in 500 (microseconds), 10ms, 1s or 2m",
            Unit::Time(1_000_000) => "a time, as in 500 (milliseconds), 10ms, 1s or 2m",
            Unit::Time(_) => "a time, as in 30 (seconds), 500ms, 10m, 2h or 1d",
            Unit::None => "a whole number without unit",
        }
    }
}

/// Reads one number.
pub(super) fn number(text: &str, unit: Unit) -> Result<u64, String> {
    let text = text.trim();
    if text.starts_with('(') {
        return expression::evaluate(text, unit);
    }
    literal(text, unit)
}

/// Reads one number that may be negative.
pub(super) fn signed(text: &str, unit: Unit) -> Result<i64, String> {
    let text = text.trim();
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let value = i64::try_from(number(digits, unit)?).map_err(|_| format!("'{text}' is too large"))?;
    Ok(if negative { -value } else { value })
}

/// Reads a number that is no expression.
pub(super) fn literal(text: &str, unit: Unit) -> Result<u64, String> {
    let refuse = |why: String| format!("'{text}' is not a number: {why}; accepted: {}", unit.accepted());
    let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let (radix, body) = hex.map_or((10, text), |hex| (16, hex));
    let split = body.find(|c: char| !c.is_digit(radix)).unwrap_or(body.len());
    let (digits, suffix) = body.split_at(split);
    if digits.is_empty() {
        return Err(refuse(nothing(text)));
    }
    let value = u64::from_str_radix(digits, radix).map_err(|_| refuse("it is too large".into()))?;
    let factor = factor(suffix.trim(), unit).map_err(|why| refuse(format!("{why} (fio reads {digits})")))?;
    value.checked_mul(factor).ok_or_else(|| refuse("it is too large".into()))
}

fn nothing(text: &str) -> String {
    match text.chars().next() {
        None => "nothing is given".into(),
        Some('-') => "it is negative".into(),
        Some(_) => "it does not begin with a digit".into(),
    }
}

fn factor(suffix: &str, unit: Unit) -> Result<u64, String> {
    let lower = suffix.to_ascii_lowercase();
    let found = match unit {
        Unit::None => lower.is_empty().then_some(1),
        Unit::Time(bare) => time_factor(&lower, bare),
        Unit::Count(base) if !lower.ends_with('b') => byte_factor(&lower, base),
        Unit::Count(_) => None,
        Unit::Bytes(base) => byte_factor(&lower, base),
    };
    let ambiguous = matches!(unit, Unit::Bytes(_) | Unit::Count(_)) && is_half_unit(&lower);
    match (found, suffix.chars().next()) {
        (Some(factor), _) => Ok(factor),
        _ if ambiguous => {
            Err(format!("fio takes '{suffix}' for 1024 or for 1000, its documentation for the other; write {suffix}b"))
        }
        (None, Some('.')) => Err("fractions are not accepted".into()),
        (None, Some('*' | '+' | '/' | '^' | '-')) => Err("arithmetic stands in parentheses".into()),
        (None, _) => Err(format!("'{suffix}' is no unit")),
    }
}

const LETTERS: &str = "kmgtp";

/// `ki`, `mi`, …: what fio computes is not what it documents.
fn is_half_unit(suffix: &str) -> bool {
    suffix.len() == 2 && suffix.ends_with('i') && suffix.starts_with(|c| LETTERS.contains(c))
}

fn byte_factor(suffix: &str, base: u64) -> Option<u64> {
    let other = if base == 1024 { 1000 } else { 1024 };
    if matches!(suffix, "" | "b") {
        return Some(1);
    }
    let power = u32::try_from(LETTERS.find(suffix.chars().next()?)?).ok()? + 1;
    match &suffix[1..] {
        "" | "b" => Some(base.pow(power)),
        "ib" => Some(u64::pow(other, power)),
        _ => None,
    }
}

fn time_factor(suffix: &str, bare: u64) -> Option<u64> {
    const SECOND: u64 = 1_000_000_000;
    Some(match suffix {
        "" => bare,
        "d" => 86_400 * SECOND,
        "h" => 3_600 * SECOND,
        "m" => 60 * SECOND,
        "s" => SECOND,
        "ms" | "msec" => 1_000_000,
        "us" | "usec" => 1_000,
        _ => return None,
    })
}

/// A number with decimals.
pub(super) fn decimal(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let plain = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit() || b == b'.') && text != ".";
    let value = plain.then(|| text.parse::<f64>().ok()).flatten().filter(|value| value.is_finite());
    value.ok_or_else(|| format!("'{text}' is not a number; accepted: digits and a point, as in 99.9"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: Unit = Unit::Bytes(1024);

    #[test]
    fn sizes_are_read_as_fio_documents_them() {
        for (text, base, bytes) in [
            ("4096", 1024, 4096),
            ("4096b", 1024, 4096),
            ("4k", 1024, 4096),
            ("4K", 1024, 4096),
            ("4kb", 1024, 4096),
            ("4kB", 1024, 4096),
            ("4kib", 1024, 4000),
            ("4KiB", 1000, 4096),
            ("4k", 1000, 4000),
            ("1mib", 1024, 1_000_000),
            ("2g", 1024, 2 << 30),
            ("1p", 1024, 1 << 50),
            ("0x10", 1024, 16),
            ("0x10k", 1024, 16384),
            ("0x1b", 1024, 27),
            ("(4*1024)", 1024, 4096),
            ("(1k+2k)", 1024, 3072),
            (" 8k ", 1024, 8192),
        ] {
            assert_eq!(number(text, Unit::Bytes(base)), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_fio_misreads_is_refused() {
        for (text, why) in [
            ("1.5k", "fractions are not accepted (fio reads 1)"),
            ("1e3", "'e3' is no unit (fio reads 1)"),
            ("4*1024", "arithmetic stands in parentheses (fio reads 4)"),
            ("-4k", "it is negative"),
            ("", "nothing is given"),
            ("k", "does not begin with a digit"),
            ("4x", "'x' is no unit"),
            ("4kk", "'kk' is no unit"),
            ("4ki", "its documentation for the other"),
            ("4Mi", "its documentation for the other"),
            ("18446744073709551616", "too large"),
            ("99999999p", "too large"),
            ("4k 8k", "is no unit"),
        ] {
            let error = number(text, BYTES).expect_err(text);
            assert!(error.contains(why) && error.contains("accepted:"), "{text}: {error}");
        }
    }

    #[test]
    fn times_have_their_own_default_unit() {
        for (text, bare, ns) in [
            ("10", 1_000_000_000, 10_000_000_000),
            ("10", 1_000, 10_000),
            ("10ms", 1_000_000_000, 10_000_000),
            ("10usec", 1_000_000_000, 10_000),
            ("2m", 1_000, 120_000_000_000),
            ("1D", 1, 86_400_000_000_000),
            ("1h", 1, 3_600_000_000_000),
            ("(10*60)", 1_000_000_000, 600_000),
            ("(2*3s)", 1_000_000_000, 6_000_000_000),
        ] {
            assert_eq!(number(text, Unit::Time(bare)), Ok(ns), "{text}");
        }
        assert!(number("10k", Unit::Time(1)).is_err());
    }

    #[test]
    fn counts_and_signs() {
        assert_eq!(number("1k", Unit::Count(1024)), Ok(1024));
        assert!(number("1kb", Unit::Count(1024)).is_err());
        assert_eq!(signed("-8k", BYTES), Ok(-8192));
        assert_eq!(signed("-20", Unit::None), Ok(-20));
        assert!(number("5x", Unit::None).is_err());
        assert_eq!(decimal("99.95"), Ok(99.95));
        for text in ["", ".", "1e3", "inf", "-1", "1.2.3"] {
            assert!(decimal(text).is_err(), "{text}");
        }
    }

    #[test]
    fn any_text_is_read_or_refused() {
        let alphabet = ["0", "1", "9", "k", "i", "b", ".", "-", "(", ")", "*", "0x", " ", "%", "é"];
        for a in alphabet {
            for b in alphabet {
                for c in alphabet {
                    let text = format!("{a}{b}{c}");
                    for unit in [BYTES, Unit::Count(1000), Unit::Time(1), Unit::None] {
                        drop(number(&text, unit));
                        drop(signed(&text, unit));
                    }
                }
            }
        }
    }
}
