//! Numbers as Hadoop writes them: sizes (`128m`), durations (`60s`), switches.

/// A size in bytes: an integer with at most one binary suffix, `k m g t p e` in either case. Hadoop's
/// `StringUtils.TraditionalBinaryPrefix`, which `dfs.blocksize` is read with.
pub(crate) fn size_bytes(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let (digits, shift) = match text.chars().last().map(|c| c.to_ascii_lowercase()) {
        Some('k') => (&text[..text.len() - 1], 10),
        Some('m') => (&text[..text.len() - 1], 20),
        Some('g') => (&text[..text.len() - 1], 30),
        Some('t') => (&text[..text.len() - 1], 40),
        Some('p') => (&text[..text.len() - 1], 50),
        Some('e') => (&text[..text.len() - 1], 60),
        _ => (text, 0),
    };
    let wrong = || format!("\"{text}\" is not a size: a whole number, or one with k, m, g, t, p or e (128m)");
    let number: u64 = digits.trim().parse().map_err(|_| wrong())?;
    number.checked_mul(1u64 << shift).ok_or_else(|| format!("\"{text}\" is too large"))
}

/// A duration in milliseconds: a plain number counts milliseconds, or with Hadoop's units `ns us ms s m h d`.
pub(crate) fn millis(text: &str) -> Result<u64, String> {
    let text = text.trim().to_ascii_lowercase();
    let split = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let wrong = || format!("\"{text}\" is not a duration: milliseconds, or a number with ms, s, m, h or d");
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let (times, over) = match unit.trim() {
        "" | "ms" => (1, 1),
        "ns" => (1, 1_000_000),
        "us" => (1, 1_000),
        "s" => (1_000, 1),
        "m" => (60_000, 1),
        "h" => (3_600_000, 1),
        "d" => (86_400_000, 1),
        _ => return Err(wrong()),
    };
    number.checked_mul(times).map(|product| product / over).ok_or_else(|| format!("\"{text}\" is too long"))
}

/// A switch: `true` or `false`, in any case.
pub(crate) fn switch(text: &str) -> Result<bool, String> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        _ => Err(format!("\"{}\" is neither true nor false", text.trim())),
    }
}

/// A whole number above zero.
pub(crate) fn count(text: &str) -> Result<u32, String> {
    match text.trim().parse() {
        Ok(0) | Err(_) => Err(format!("\"{}\" is not a whole number above 0", text.trim())),
        Ok(number) => Ok(number),
    }
}

/// A whole number, zero included.
pub(crate) fn number(text: &str) -> Result<u32, String> {
    text.trim().parse().map_err(|_| format!("\"{}\" is not a whole number", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn sizes_are_hadoops() {
        assert_eq!(size_bytes("134217728"), Ok(134_217_728));
        assert_eq!(size_bytes(" 128M "), Ok(134_217_728));
        assert_eq!(size_bytes("1k"), Ok(1024));
        assert_eq!(size_bytes("4 g"), Ok(4 << 30));
        for wrong in ["", "m", "1.5g", "128mb", "-1", "1kk", "ü", "16e999", "99999999e"] {
            assert!(size_bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn durations_and_switches() {
        assert_eq!(millis("60000"), Ok(60_000));
        assert_eq!(millis("60s"), Ok(60_000));
        assert_eq!(millis("2 m"), Ok(120_000));
        assert_eq!(millis("1500us"), Ok(1));
        assert!(millis("soon").is_err() && millis("").is_err() && millis("1y").is_err());
        assert_eq!((switch(" TRUE"), switch("false")), (Ok(true), Ok(false)));
        assert!(switch("yes").is_err());
        assert!(count("0").is_err() && count("3").is_ok() && number("0").is_ok() && number("-1").is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".*") {
            let _ = (size_bytes(&text), millis(&text), switch(&text), count(&text));
        }

        #[test]
        fn suffixes_multiply(number in 0u64..1 << 30, exponent in 0usize..4) {
            let text = format!("{number}{}", ["", "k", "m", "g"][exponent]);
            prop_assert_eq!(size_bytes(&text), Ok(number << (10 * exponent)));
        }
    }
}
