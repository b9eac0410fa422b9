//! fio's way to write numbers: so many characters, then a prefix and a unit.

/// What a number counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// Nothing: IOPS.
    None,
    /// Bytes.
    Byte,
    /// Bytes a second.
    ByteRate,
    /// Bits a second, given in bytes a second.
    BitRate,
}

impl Unit {
    /// The unit of rates, by fio's `unit_base`.
    pub(super) fn rate(bits: bool) -> Self {
        if bits { Unit::BitRate } else { Unit::ByteRate }
    }

    fn suffix(self) -> &'static str {
        match self {
            Unit::None => "",
            Unit::Byte => "B",
            Unit::ByteRate => "B/s",
            Unit::BitRate => "bit/s",
        }
    }
}

/// Digits and base of numbers in text: `significant_figures`, `kb_base`, `unit_base`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Style {
    /// Characters of a number, a decimal point included.
    pub figures: usize,
    /// 1024, not 1000.
    pub binary: bool,
    /// Rates in bits.
    pub bits: bool,
}

impl Style {
    /// Bytes in the base that was asked for.
    pub(super) fn bytes(self, bytes: u64) -> String {
        number(bytes, self.figures, self.binary, Unit::Byte)
    }

    /// `307MiB (322MB)`.
    pub(super) fn bytes_twice(self, bytes: u64) -> String {
        format!("{} ({})", self.bytes(bytes), number(bytes, self.figures, !self.binary, Unit::Byte))
    }

    /// A rate of bytes in the base that was asked for, or in the other.
    pub(super) fn rate(self, bytes: u64, binary: bool) -> String {
        number(bytes, self.figures, binary, Unit::rate(self.bits))
    }

    /// `153MiB/s (161MB/s)`.
    pub(super) fn rate_twice(self, bytes: u64) -> String {
        format!("{} ({})", self.rate(bytes, self.binary), self.rate(bytes, !self.binary))
    }

    /// A plain number, `39.3k`.
    pub(super) fn count(self, count: u64) -> String {
        number(count, self.figures, false, Unit::None)
    }
}

/// `value` in at most `width` characters and a prefix: divided by 1000 or 1024 until its whole part fits, the rest as
/// decimals where there is room for them, else rounded half up.
pub(super) fn number(value: u64, width: usize, binary: bool, unit: Unit) -> String {
    let value = if unit == Unit::BitRate { value.saturating_mul(8) } else { value };
    scaled(value, 0, width, binary, unit)
}

/// The same of a number of Ki (or k), as fio keeps current rates.
pub(super) fn number_of_kilo(value: u64, width: usize, binary: bool, unit: Unit) -> String {
    let value = if unit == Unit::BitRate { value.saturating_mul(8) } else { value };
    scaled(value, 1, width, binary, unit)
}

fn scaled(mut value: u64, mut prefix: usize, width: usize, binary: bool, unit: Unit) -> String {
    let prefixes = if binary { ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] } else { ["", "k", "M", "G", "T", "P", "E"] };
    let base = if binary { 1024 } else { 1000 };
    let mut rest = None;
    while digits(value) > width && prefix + 1 < prefixes.len() {
        rest = Some(value % base);
        value /= base;
        prefix += 1;
    }
    let end = format!("{}{}", prefixes[prefix], unit.suffix());
    let Some(rest) = rest else { return format!("{value}{end}") };
    let decimals = width.saturating_sub(digits(value) + 1);
    if decimals == 0 {
        return format!("{}{end}", value + u64::from(rest >= base / 2));
    }
    let fraction = format!("{:.decimals$}", rest as f64 / base as f64);
    let carry = u64::from(fraction.starts_with('1'));
    format!("{}.{}{end}", value + carry, &fraction[2..])
}

fn digits(value: u64) -> usize {
    value.checked_ilog10().map_or(1, |log| log as usize + 1)
}

/// No number in a report is `nan` or `inf`.
pub(super) fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

/// `value` of `total` in percent; a part that is not nothing is at least `least`, so that it can be seen.
pub(super) fn share(value: u64, total: u64, least: f64) -> f64 {
    match (value, total) {
        (0, _) | (_, 0) => 0.0,
        _ => (value as f64 / total as f64 * 100.0).max(least),
    }
}

/// `amount` in `ns` nanoseconds, as an amount a second, rounded down.
pub(super) fn per_second(amount: u64, ns: u64) -> u64 {
    if ns == 0 {
        return 0;
    }
    u64::try_from(u128::from(amount) * 1_000_000_000 / u128::from(ns)).unwrap_or(u64::MAX)
}

/// Whole milliseconds, at least 1 of what is not nothing: fio leaves out what took none.
pub(super) fn milliseconds(ns: u64) -> u64 {
    if ns == 0 { 0 } else { (ns / 1_000_000).max(1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_fio_printed() {
        // fio 3.33 printed all of these (fio-samples, and runs of its null engine).
        let style = Style { figures: 4, binary: true, bits: false };
        let iops = [(39_313, "39.3k"), (1999, "1999"), (4_818_823, "4819k"), (30_000, "30.0k"), (998_000, "998k")];
        for (value, expected) in iops {
            assert_eq!(style.count(value), expected);
        }
        assert_eq!(style.bytes(4096), "4096B");
        assert_eq!(style.bytes(16_384), "16.0KiB");
        assert_eq!(style.bytes(1 << 30), "1024MiB");
        assert_eq!(style.bytes_twice(429_496_729_600), "400GiB (429GB)");
        assert_eq!(style.rate_twice(8_190_976), "7999KiB/s (8191kB/s)");
        assert_eq!(style.rate_twice(105_678_800_572), "98.4GiB/s (106GB/s)");
        assert_eq!(number(14_532_958, 6, false, Unit::None), "14533k");
        assert_eq!(number(9_769_911, 6, false, Unit::None), "9769.9k");
        assert_eq!(number(126_544, 6, false, Unit::None), "126544");
        let bits = Style { figures: 4, binary: false, bits: true };
        assert_eq!(bits.rate_twice(37_158_000_000), "297Gbit/s (277Gibit/s)");
    }

    #[test]
    fn a_fraction_that_rounds_to_one_carries() {
        assert_eq!(number(39_960, 4, false, Unit::None), "40.0k");
        assert_eq!(number(u64::MAX, 4, false, Unit::None), "18.4E");
        assert_eq!(number(u64::MAX, 1, true, Unit::Byte), "16EiB");
        assert_eq!(number_of_kilo(8000, 4, true, Unit::ByteRate), "8000KiB/s");
        assert_eq!(number_of_kilo(0, 4, true, Unit::ByteRate), "0KiB/s");
    }

    #[test]
    fn small_shares_can_be_seen() {
        assert_eq!((share(0, 10, 0.1), share(1, 0, 0.1), share(1, 100_000, 0.1), share(1, 2, 0.1)), (0., 0., 0.1, 50.));
        assert_eq!((milliseconds(0), milliseconds(10), milliseconds(2_999_999)), (0, 1, 2));
        assert_eq!(per_second(386_633_728, 2_002_000_000), 193_123_740);
    }
}
