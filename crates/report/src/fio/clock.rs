//! When a Record ends, in the forms that fio prints.

use super::shape::elapsed_ns;
use fsbench_results::Record;
use jiff::Timestamp;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use std::time::Duration;

/// The moment at which the last of a Record was measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct End {
    /// Milliseconds since 1970.
    pub unix_ms: i64,
    /// In the run's own time zone: `Fri Nov 20 10:37:26 2026`.
    pub text: String,
}

/// The end of a Record: its last phase's start and how long that took. 1970 if the Record has no readable time.
pub(super) fn end(record: &Record) -> End {
    let last = record.phases.iter().filter_map(|phase| phase.repetitions.last()).rfind(|last| !last.started.is_empty());
    let (started, ns) = match last {
        Some(last) => (&last.started, last.jobs.iter().map(|job| job.elapsed_ns).fold(last.elapsed_ns, u64::max)),
        None => (&record.started, elapsed_ns(record)),
    };
    let start = started.parse::<Timestamp>().unwrap_or_default();
    let end = start.saturating_add(Duration::from_nanos(ns)).unwrap_or(start);
    let local = offset(started).to_datetime(end);
    End { unix_ms: end.as_millisecond(), text: local.strftime("%a %b %e %H:%M:%S %Y").to_string() }
}

fn offset(text: &str) -> Offset {
    Pieces::parse(text).ok().and_then(|pieces| pieces.to_numeric_offset()).unwrap_or(Offset::UTC)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::golden;

    #[test]
    fn the_end_is_in_the_zone_of_the_run() {
        let mut record = golden();
        record.phases.clear();
        record.started = "2026-11-09T23:30:00.250+08:00".into();
        let expected = End { unix_ms: 1_794_238_200_250, text: "Mon Nov  9 23:30:00 2026".into() };
        assert_eq!(end(&record), expected);
        record.started = "garbage".into();
        assert_eq!(end(&record).unix_ms, 0);
    }
}
