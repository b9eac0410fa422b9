//! Units as types: bytes and spans of time, their spelling in and out.
//!
//! Integers inside; floats only when printing.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Bytes(pub u64);

/// A span of time in nanoseconds, as the monotonic clock measures it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(pub u64);

/// Why a number was refused. The text says what was wrong and what is accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError(pub String);

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnitError {}

const UNITS: [(&str, u64); 25] = [
    ("", 1),
    ("b", 1),
    ("k", 1 << 10),
    ("kb", 1_000),
    ("kib", 1 << 10),
    ("ki", 1 << 10),
    ("m", 1 << 20),
    ("mb", 1_000_000),
    ("mib", 1 << 20),
    ("mi", 1 << 20),
    ("g", 1 << 30),
    ("gb", 1_000_000_000),
    ("gib", 1 << 30),
    ("gi", 1 << 30),
    ("t", 1 << 40),
    ("tb", 1_000_000_000_000),
    ("tib", 1 << 40),
    ("ti", 1 << 40),
    ("p", 1 << 50),
    ("pb", 1_000_000_000_000_000),
    ("pib", 1 << 50),
    ("pi", 1 << 50),
    ("bytes", 1),
    ("byte", 1),
    ("kbytes", 1_000),
];

/// Reads a size: `1024000`, `10MiB`, `10M` (= MiB), `10MB` (= 10,000,000), `1.5GiB`.
///
/// # Errors
/// Anything after the unit, a negative number, an unknown unit, a fraction of a byte, or more than 2^64-1 bytes.
pub fn parse_bytes(text: &str) -> Result<Bytes, UnitError> {
    let text = text.trim();
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '_')).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let unit = unit.trim().to_ascii_lowercase();
    let refuse = |why: &str| {
        UnitError(format!("'{text}' is not a size: {why}; write bytes, or a unit: 1024000, 10MiB, 10MB, 1.5GiB"))
    };
    if digits.is_empty() {
        return Err(refuse(if text.starts_with('-') { "it is negative" } else { "it does not begin with a number" }));
    }
    let factor = UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, factor)| *factor)
        .ok_or_else(|| refuse(&format!("'{unit}' is not a unit of bytes")))?;
    scaled(&digits.replace('_', ""), factor).map(Bytes).map_err(refuse)
}

/// `digits` (with at most one point) times `factor`, exactly.
fn scaled(digits: &str, factor: u64) -> Result<u64, &'static str> {
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if fraction.contains('.') || (whole.is_empty() && fraction.is_empty()) {
        return Err("it is not a number");
    }
    let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| "it is too large")? };
    let mut total = whole.checked_mul(u128::from(factor)).ok_or("it is too large")?;
    if !fraction.is_empty() {
        let scale = 10u128.checked_pow(u32::try_from(fraction.len()).unwrap_or(u32::MAX)).ok_or("too many decimals")?;
        let part = fraction.parse::<u128>().map_err(|_| "it is not a number")? * u128::from(factor);
        if part % scale != 0 && factor == 1 {
            return Err("it is a fraction of a byte");
        }
        total += part / scale;
    }
    u64::try_from(total).map_err(|_| "it is too large")
}

/// Reads a whole number without unit. Unlike C's `strtol`, garbage after the number is an error.
///
/// # Errors
/// Anything but decimal digits, or more than 2^64-1.
pub fn parse_count(text: &str) -> Result<u64, UnitError> {
    let trimmed = text.trim();
    if trimmed.is_empty() || !trimmed.bytes().all(|b| b.is_ascii_digit()) {
        return Err(UnitError(format!("'{text}' is not a whole number")));
    }
    trimmed.parse().map_err(|_| UnitError(format!("'{text}' is too large")))
}

impl fmt::Display for Bytes {
    /// Binary units with at most two decimals: `1000000 B`, `10 MiB`, `1.5 GiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const NAMES: [&str; 5] = ["KiB", "MiB", "GiB", "TiB", "PiB"];
        let mut power = 0;
        while power < NAMES.len() && self.0 >= 1024u64.pow(power as u32 + 1) {
            power += 1;
        }
        match power {
            0 => write!(f, "{} B", self.0),
            _ => write!(f, "{} {}", two_decimals(self.0 as f64 / 1024f64.powi(power as i32)), NAMES[power - 1]),
        }
    }
}

impl fmt::Display for Span {
    /// The unit that keeps one to three digits before the point: `850 ns`, `22 us`, `4.25 ms`, `1.5 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ns = self.0 as f64;
        match self.0 {
            0..1_000 => write!(f, "{} ns", self.0),
            1_000..1_000_000 => write!(f, "{} us", two_decimals(ns / 1e3)),
            1_000_000..1_000_000_000 => write!(f, "{} ms", two_decimals(ns / 1e6)),
            _ => write!(f, "{} s", two_decimals(ns / 1e9)),
        }
    }
}

impl Span {
    /// Seconds, for printing and rates.
    #[must_use]
    pub fn seconds(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

fn two_decimals(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_exactly() {
        for (text, bytes) in [
            ("0", 0),
            ("1024000", 1_024_000),
            ("10MiB", 10 << 20),
            ("10M", 10 << 20),
            ("10MB", 10_000_000),
            ("1.5GiB", 3 << 29),
            (" 4 k ", 4096),
            ("1_000_000", 1_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse_bytes(text), Ok(Bytes(bytes)), "{text}");
        }
    }

    #[test]
    fn what_stol_would_misread_is_refused() {
        for text in ["", "-1", "10XB", "10MBs", "1.5", "2x", "1..5k", "18446744073709551616", "17179869184G", "0x10"] {
            let error = parse_bytes(text).expect_err(text);
            assert!(error.0.contains("is not a size"), "{text}: {error}");
        }
    }

    #[test]
    fn counts_take_digits_only() {
        assert_eq!(parse_count(" 3 "), Ok(3));
        for text in ["", "2x", "-2", "1e3", "99999999999999999999"] {
            assert!(parse_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn printing_keeps_the_digits_that_matter() {
        assert_eq!(Bytes(1_000_000).to_string(), "976.56 KiB");
        assert_eq!(Bytes(10 << 20).to_string(), "10 MiB");
        assert_eq!(Bytes(512).to_string(), "512 B");
        assert_eq!(Span(850).to_string(), "850 ns");
        assert_eq!(Span(22_041).to_string(), "22.04 us");
        assert_eq!(Span(1_500_000_000).to_string(), "1.5 s");
    }
}
