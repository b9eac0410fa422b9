//! The wall clock, for the date that AWS Signature V4 puts into every request. The only clock of this crate: durations
//! come from the probe, timeouts from tokio's timers.

use std::time::{SystemTime, UNIX_EPOCH};

/// Seconds since 1970-01-01T00:00:00Z. A signature needs the calendar's time, so a monotonic clock cannot serve here.
pub(crate) fn unix_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The time as ISO 8601's basic form, `20130524T000000Z`.
pub(crate) fn stamp(unix_seconds: u64) -> [u8; 16] {
    let (year, month, day) = civil(unix_seconds / 86_400);
    let second = unix_seconds % 86_400;
    let mut text = *b"00000000T000000Z";
    digits(&mut text[0..4], year);
    digits(&mut text[4..6], month);
    digits(&mut text[6..8], day);
    digits(&mut text[9..11], second / 3600);
    digits(&mut text[11..13], second / 60 % 60);
    digits(&mut text[13..15], second % 60);
    text
}

fn digits(place: &mut [u8], mut value: u64) {
    for digit in place.iter_mut().rev() {
        *digit = b'0' + u8::try_from(value % 10).unwrap_or(0);
        value /= 10;
    }
}

/// Year, month and day of a day count since 1970 (Howard Hinnant's `civil_from_days`, for days after 1970).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let of_era = shifted % 146_097;
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stamps_follow_the_calendar() {
        for (unix, text) in [
            (0, "19700101T000000Z"),
            (951_782_400, "20000229T000000Z"),
            (1_369_353_600, "20130524T000000Z"),
            (1_709_251_199, "20240229T235959Z"),
            (1_709_251_200, "20240301T000000Z"),
            (4_102_444_799, "20991231T235959Z"),
        ] {
            assert_eq!(std::str::from_utf8(&stamp(unix)), Ok(text));
        }
    }
}
