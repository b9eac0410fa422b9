//! Numbers as Google Benchmark prints them: its own rules over C's `%f`, `%e` and C++'s default stream format.

/// `value`, or 0 where it is not finite: no report holds `nan` or `inf`.
pub(super) fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

/// C++'s default stream format (`%g`): six significant digits, trailing zeros dropped.
pub(super) fn general(value: f64) -> String {
    let value = finite(value);
    if value == 0.0 {
        return "0".into();
    }
    let (mantissa, exponent) = split_exponent(&format!("{value:.5e}"));
    if (-4..6).contains(&exponent) {
        let decimals = usize::try_from(5 - exponent).unwrap_or(0);
        return trimmed(&format!("{value:.decimals$}"));
    }
    c_exponent(&trimmed(&mantissa), exponent)
}

/// C's `%.<digits>e`: the exponent has a sign and at least two digits.
pub(super) fn scientific(value: f64, digits: usize) -> String {
    let (mantissa, exponent) = split_exponent(&format!("{:.digits$e}", finite(value)));
    c_exponent(&mantissa, exponent)
}

fn split_exponent(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.to_string(), exponent.parse().unwrap_or(0))
}

fn c_exponent(mantissa: &str, exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs())
}

fn trimmed(text: &str) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text.into() }
}

/// A time in the console's columns: three significant digits below 100, in at least ten columns.
pub(super) fn time(value: f64) -> String {
    let value = finite(value);
    match value {
        v if v < 1.0 => format!("{v:10.3}"),
        v if v < 10.0 => format!("{v:10.2}"),
        v if v < 100.0 => format!("{v:10.1}"),
        v if v > 9_999_999_999.0 => scientific(v, 4),
        v => format!("{v:10.0}"),
    }
}

/// Above it (times 1000) a prefix shrinks the number; below it a prefix makes it larger.
const THRESHOLD: f64 = 1.1;
/// From here to [`THRESHOLD`] numbers stay as they are.
const PLAIN: f64 = 0.01;
const LARGE: [char; 8] = ['k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y'];
const SMALL: [char; 8] = ['m', 'u', 'n', 'p', 'f', 'a', 'z', 'y'];

/// A counter in the console: six significant digits with an SI prefix to the base of 1000.
pub(super) fn human(value: f64) -> String {
    let value = finite(value);
    let sign = if value < 0.0 { "-" } else { "" };
    let size = value.abs();
    let (scaled, prefix) =
        prefixed(size).map_or((size, String::new()), |(scaled, prefix)| (scaled, prefix.to_string()));
    format!("{sign}{}{prefix}", general(scaled))
}

/// The number scaled into the range that is shown, if one prefix does that.
fn prefixed(size: f64) -> Option<(f64, char)> {
    let mut scaled = size;
    if size > THRESHOLD * 1000.0 {
        return LARGE.into_iter().find_map(|prefix| {
            scaled /= 1000.0;
            (scaled <= THRESHOLD * 1000.0).then_some((scaled, prefix))
        });
    }
    if size >= PLAIN {
        return None;
    }
    SMALL.into_iter().find_map(|prefix| {
        scaled *= 1000.0;
        (scaled >= THRESHOLD).then_some((scaled, prefix))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counters_of_the_specification() {
        for (value, text) in [
            (0.0, "0"),
            (22.041e-6, "22.041u"),
            (1e-6, "1000n"),
            (0.0005, "500u"),
            (0.0009, "900u"),
            (0.0099, "9.9m"),
            (0.01, "0.01"),
            (0.0118, "0.0118"),
            (0.4, "0.4"),
            (1.0, "1"),
            (1100.0, "1100"),
            (1101.0, "1.101k"),
            (1.1e6, "1100k"),
            (3_072_000.0, "3.072M"),
            (1.37926e9, "1.37926G"),
            (3.91824, "3.91824"),
            (0.032_853_6, "0.0328536"),
            (617_610.0, "617.61k"),
            (-2_000_000.0, "-2M"),
            (1e30, "1e+30"),
            (1e-30, "1e-30"),
        ] {
            assert_eq!(human(value), text, "{value}");
        }
    }

    #[test]
    fn times_of_the_specification() {
        for (value, text) in [
            (0.0, "     0.000"),
            (0.0007, "     0.001"),
            (0.5, "     0.500"),
            (8.55, "      8.55"),
            (9.999, "     10.00"),
            (20.7, "      20.7"),
            (99.96, "     100.0"),
            (3918.24, "      3918"),
            (9_999_999_999.0, "9999999999"),
            (10_000_000_000.0, "1.0000e+10"),
        ] {
            assert_eq!(time(value), text, "{value}");
        }
    }

    #[test]
    fn doubles_as_c_prints_them() {
        assert_eq!(scientific(57.5, 16), "5.7500000000000000e+01");
        assert_eq!(scientific(0.0, 16), "0.0000000000000000e+00");
        assert_eq!(scientific(0.4123 * 1e3, 16), "4.1230000000000001e+02");
        assert_eq!(scientific(1e-300, 16), "1.0000000000000000e-300");
        for (value, text) in [
            (1.08, "1.08"),
            (158.166_666, "158.167"),
            (928_073_192_512.310_2, "9.28073e+11"),
            (123_456.0, "123456"),
            (999_999.9, "1e+06"),
            (0.000_01, "1e-05"),
            (0.000_1, "0.0001"),
            (100_000.0, "100000"),
        ] {
            assert_eq!(general(value), text);
        }
    }

    fn check(text: &str, value: f64) -> Result<(), TestCaseError> {
        prop_assert!(!text.trim().is_empty(), "{value}: nothing");
        prop_assert!(!text.contains("nan") && !text.contains("inf") && !text.contains("NaN"), "{value}: {text}");
        Ok(())
    }

    proptest! {
        #[test]
        fn any_number_prints_as_a_number_of_its_width(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            for text in [human(value), time(value), general(value), scientific(value, 16)] {
                check(&text, value)?;
            }
            prop_assert!(human(value).len() <= 13, "{}", human(value));
            prop_assert!(general(value).len() <= 13, "{}", general(value));
        }

        #[test]
        fn a_time_keeps_its_column(value in 0.0f64..1e100) {
            prop_assert_eq!(time(value).len(), 10);
        }

        #[test]
        fn what_json_gets_is_the_very_number(value in -1e300f64..1e300) {
            prop_assert_eq!(scientific(value, 16).parse::<f64>().expect("a number"), value);
        }
    }
}
