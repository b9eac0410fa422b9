//! Latencies as a mergeable histogram: HdrHistogram, two significant digits, 1 ns to 1 hour, 36 KiB.
//!
//! In a Record it is the HdrHistogram V2 format, compressed with zlib, in base64, which the HdrHistogram libraries of
//! other languages read. Merging adds buckets and loses nothing; percentiles are computed once, after merging.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer as Reader, Serializer as _, V2DeflateSerializer};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use std::fmt;

const MAX_NS: u64 = 3_600_000_000_000;
const DIGITS: u8 = 2;

/// Why a stored histogram could not be read.
#[derive(Debug, thiserror::Error)]
#[error("not a histogram in HdrHistogram's V2 format: {0}")]
pub struct LatencyError(String);

/// Durations in nanoseconds. Longer than an hour counts as an hour; 0 counts as 1.
#[derive(Clone)]
pub struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Self {
        Self(Histogram::new_with_bounds(1, MAX_NS, DIGITS).expect("the bounds are constants that the library accepts"))
    }
}

impl fmt::Debug for Latencies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Latencies({} of {}..{} ns)", self.count(), self.0.min(), self.0.max())
    }
}

impl PartialEq for Latencies {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Latencies {
    /// Adds one.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.0.saturating_record(ns.max(1));
    }

    /// Adds `count` of the same.
    pub fn record_many(&mut self, ns: u64, count: u64) {
        self.0.saturating_record_n(ns.max(1), count);
    }

    /// Every bucket that is not empty, as (smallest value, largest value, count), in rising order. Buckets are exact up
    /// to 255 ns, then 128 for each power of two: each lies inside of one of fio's (64 for each power of two).
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.0.iter_recorded().map(|step| {
            let value = step.value_iterated_to();
            (self.0.lowest_equivalent(value), self.0.highest_equivalent(value), step.count_at_value())
        })
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The latency that the share `quantile` (0 to 1) of all does not exceed, within 1 %; `None` when there is none.
    #[must_use]
    pub fn quantile(&self, quantile: f64) -> Option<u64> {
        (self.count() > 0).then(|| self.0.value_at_quantile(quantile))
    }

    /// Adds all of `other`.
    pub fn merge(&mut self, other: &Latencies) {
        self.0.add(&other.0).expect("all histograms have the same bounds");
    }

    /// Forgets all, keeping the memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    fn encode(&self) -> Result<String, String> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&self.0, &mut bytes).map_err(|e| format!("{e:?}"))?;
        Ok(STANDARD.encode(bytes))
    }

    fn decode(text: &str) -> Result<Self, LatencyError> {
        let bytes = STANDARD.decode(text).map_err(|e| LatencyError(e.to_string()))?;
        let stored: Histogram<u64> =
            Reader::new().deserialize(&mut bytes.as_slice()).map_err(|e| LatencyError(format!("{e:?}")))?;
        let mut latencies = Self::default();
        latencies.0.add(&stored).map_err(|e| LatencyError(format!("{e:?}")))?;
        Ok(latencies)
    }
}

impl Serialize for Latencies {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.encode().map_err(ser::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Latencies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::decode(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_loses_nothing_and_storing_keeps_all() {
        let (mut all, mut odd, mut even) = (Latencies::default(), Latencies::default(), Latencies::default());
        for ns in 0..10_000u64 {
            let ns = ns * ns;
            all.record(ns);
            if ns % 2 == 0 { even.record(ns) } else { odd.record(ns) }
        }
        odd.merge(&even);
        assert_eq!(odd, all);
        let text = serde_json::to_string(&all).expect("serializes");
        let back: Latencies = serde_json::from_str(&text).expect("deserializes");
        assert_eq!(back, all);
        assert_eq!(back.quantile(0.5), all.quantile(0.5));
    }

    #[test]
    fn quantiles_are_within_one_percent() {
        let mut latencies = Latencies::default();
        (1..=1000u64).for_each(|us| latencies.record(us * 1000));
        for (quantile, expected) in [(0.5, 500_000.0), (0.99, 990_000.0), (1.0, 1_000_000.0)] {
            let found = latencies.quantile(quantile).expect("there are some") as f64;
            assert!((found / expected - 1.0).abs() <= 0.01, "{quantile}: {found}");
        }
        assert_eq!(Latencies::default().quantile(0.5), None);
    }

    #[test]
    fn garbage_is_refused() {
        for text in ["\"\"", "\"AAAA\"", "\"not base64!\"", "12"] {
            assert!(serde_json::from_str::<Latencies>(text).is_err(), "{text}");
        }
    }

    #[test]
    fn extremes_are_kept() {
        let mut latencies = Latencies::default();
        latencies.record(0);
        latencies.record(u64::MAX);
        assert_eq!(latencies.count(), 2);
        assert!(latencies.quantile(1.0).expect("two") >= MAX_NS * 99 / 100);
    }
}
