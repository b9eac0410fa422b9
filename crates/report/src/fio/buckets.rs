//! fio's histogram, made of ours: its buckets, its percentiles, its shares of latencies.
//!
//! fio counts exactly below 128 ns, then in 64 buckets for each power of two, and all above 2^34 ns in its last bucket.
//! Each of our buckets lies inside of one of those, so that counting over loses nothing more than fio itself does.
//! Shares have other limits (1 ms, say): a bucket of ours that contains a limit is divided as if its latencies were spread
//! evenly.

use super::number::share;
use fsbench_results::{LatencyRecord, Moments};

const BITS: u32 = 6;
const IN_GROUP: u64 = 1 << BITS;
const GROUPS: u64 = 29;
const LAST: u64 = GROUPS * IN_GROUP - 1;

/// The bucket of a latency.
fn index(ns: u64) -> u64 {
    let high = ns.checked_ilog2().unwrap_or(0);
    if high <= BITS {
        return ns;
    }
    let shift = high - BITS;
    (u64::from(shift + 1) * IN_GROUP + (ns >> shift) % IN_GROUP).min(LAST)
}

/// What fio says for a latency in this bucket: its middle.
fn middle(index: u64) -> u64 {
    if index < 2 * IN_GROUP {
        return index;
    }
    let shift = index / IN_GROUP - 1;
    ((IN_GROUP + index % IN_GROUP) << shift) + (1 << shift) / 2
}

/// fio's buckets that are not empty: (middle in ns, count), rising.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Buckets(pub(super) Vec<(u64, u64)>);

impl Buckets {
    /// Of one kind of latency; `None` where only its moments were kept.
    pub(super) fn of(record: &LatencyRecord) -> Option<Self> {
        let mut all: Vec<(u64, u64)> = Vec::new();
        for (low, _, count) in record.latencies.as_ref()?.buckets() {
            let middle = middle(index(low));
            match all.last_mut() {
                Some(last) if last.0 == middle => last.1 += count,
                _ => all.push((middle, count)),
            }
        }
        Some(Self(all))
    }

    fn count(&self) -> u64 {
        self.0.iter().map(|(_, count)| count).sum()
    }

    /// The latency of each of `percents`, which rise: the first bucket at which the sum of counts is not below
    /// `percent / 100` of all. Empty when nothing was counted.
    pub(super) fn percentiles(&self, percents: &[f64]) -> Vec<u64> {
        let (total, mut sum, mut found) = (self.count(), 0, Vec::new());
        for (middle, count) in &self.0 {
            sum += count;
            while percents.get(found.len()).is_some_and(|percent| reaches(sum, *percent, total)) {
                found.push(*middle);
            }
        }
        found
    }
}

/// `sum >= percent / 100 * total`, exactly: fio computes it in 80 bits, and 64 give another bucket now and then.
fn reaches(sum: u64, percent: f64, total: u64) -> bool {
    let bits = percent.to_bits();
    let exponent = 1075 - (bits >> 52 & 0x7ff) as i64;
    let mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let whole = u32::try_from(exponent).ok().and_then(|shift| {
        let hundredfold = u128::from(sum) * 100;
        (hundredfold.leading_zeros() > shift).then(|| hundredfold << shift >= mantissa * u128::from(total))
    });
    whole.unwrap_or(sum as f64 >= percent / 100.0 * total as f64)
}

/// Upper limits of the shares in ns, us and ms, as fio labels them; the last of ms has none.
pub(super) const LIMITS: [u64; 10] = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000];
/// Labels of milliseconds.
pub(super) const MILLISECONDS: [&str; 12] =
    ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000", "2000", ">=2000"];

/// The highest limit that is not above `ns`: at most one lies in a bucket.
fn limit(ns: u64) -> Option<u64> {
    let unit = if ns < 1000 {
        1
    } else if ns < 1_000_000 {
        1000
    } else {
        1_000_000
    };
    let limits = [1].iter().chain(&LIMITS).chain(&[2000]).map(|limit| limit * unit);
    limits.filter(|limit| *limit <= ns).max()
}

/// `count * part / whole`, rounded.
fn divided(count: u64, part: u64, whole: u64) -> u64 {
    let whole = u128::from(whole);
    u64::try_from((u128::from(count) * u128::from(part) + whole / 2) / whole).unwrap_or(count).min(count)
}

/// How many latencies are below each limit and not below the one before.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spread {
    ns: [u64; 10],
    us: [u64; 10],
    ms: [u64; 12],
}

impl Spread {
    /// Adds all of `record`.
    pub(super) fn add(&mut self, record: &LatencyRecord) {
        let Moments { min, max, .. } = record.moments;
        for (low, high, count) in record.latencies.iter().flat_map(|latencies| latencies.buckets()) {
            let inside = |ns: u64| if min <= max && max > 0 { ns.clamp(min, max) } else { ns };
            let (low, high) = (inside(low), inside(high));
            let below = limit(high).filter(|limit| *limit > low);
            let below = below.map_or(0, |limit| divided(count, limit - low, high - low + 1));
            *self.slot(low) += below;
            *self.slot(high) += count - below;
        }
    }

    fn slot(&mut self, ns: u64) -> &mut u64 {
        let place = |value: u64| LIMITS.iter().position(|limit| value < *limit);
        match (place(ns), place(ns / 1000), place(ns / 1_000_000)) {
            (Some(at), _, _) => &mut self.ns[at],
            (_, Some(at), _) => &mut self.us[at],
            (_, _, Some(at)) => &mut self.ms[at],
            _ if ns < 2_000_000_000 => &mut self.ms[10],
            _ => &mut self.ms[11],
        }
    }

    /// Percent of `total` in ns, us and ms; what is not nothing is at least 0.01.
    pub(super) fn shares(&self, total: u64) -> [Vec<f64>; 3] {
        [&self.ns[..], &self.us[..], &self.ms[..]]
            .map(|counts| counts.iter().map(|count| share(*count, total, 0.01)).collect())
    }

    /// Percent of `total` below a microsecond: terse output puts it into its first bucket.
    pub(super) fn below_microsecond(&self, total: u64) -> f64 {
        share(self.ns.iter().sum(), total, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsbench_results::Latencies;

    fn record(values: &[(u64, u64)]) -> LatencyRecord {
        let (mut moments, mut latencies) = (Moments::default(), Latencies::default());
        for (ns, count) in values {
            (0..*count).for_each(|_| moments.add(*ns));
            latencies.record_many(*ns, *count);
        }
        LatencyRecord { moments, latencies: Some(latencies) }
    }

    #[test]
    fn buckets_are_those_of_fio() {
        // Middles that fio 3.33 printed.
        for ns in [17, 127, 506, 510, 5664, 10_304, 16_512, 56_064, 129_536, 2_473_984, 18_481_152] {
            assert_eq!(middle(index(ns)), ns, "{ns}");
        }
        assert_eq!((index(u64::MAX), middle(LAST)), (LAST, 17_112_760_320));
        for ns in 0..100_000 {
            let found = middle(index(ns));
            assert!(found.abs_diff(ns) as f64 <= ns as f64 * 0.0079 + 0.5, "{ns}: {found}");
        }
    }

    #[test]
    fn a_bucket_of_ours_lies_in_one_of_fios() {
        let mut latencies = Latencies::default();
        (0..1_000_000u64).step_by(7).for_each(|ns| latencies.record(ns * ns));
        for (low, high, _) in latencies.buckets() {
            assert_eq!(index(low), index(high), "{low} to {high}");
        }
    }

    #[test]
    fn percentiles_follow_the_rule() {
        let buckets = Buckets::of(&record(&[(10, 500), (20, 499), (30, 1)])).expect("a distribution");
        assert_eq!(buckets.0, [(10, 500), (20, 499), (30, 1)]);
        // As a double, 99.9 is a little more than that, so that 999 of 1000 are not enough.
        assert_eq!(buckets.percentiles(&[0.1, 50.0, 50.01, 99.9, 100.0]), [10, 10, 20, 30, 30]);
        assert_eq!(Buckets::default().percentiles(&[50.0]), [] as [u64; 0]);
        assert_eq!(Buckets::of(&LatencyRecord::default()), None);
    }

    #[test]
    fn shares_are_raised_to_what_can_be_seen() {
        let mut spread = Spread::default();
        spread.add(&record(&[(1, 1), (999, 1), (1000, 100_000), (2_100_000, 50_000), (2_100_000_000, 50_000)]));
        let [ns, us, ms] = spread.shares(200_002);
        assert_eq!((ns[0], ns[9]), (0.01, 0.01));
        assert!((us[0] - 49.9995).abs() < 1e-3 && (ms[1] - 24.9997).abs() < 1e-3 && (ms[11] - 24.9997).abs() < 1e-3);
        let sum: f64 = [ns, us, ms].iter().flatten().sum();
        assert!((100.0..100.03).contains(&sum), "{sum}");
        assert!((spread.below_microsecond(200_002) - 0.001).abs() < 1e-6);
    }

    #[test]
    fn a_bucket_with_a_limit_is_divided() {
        let mut latencies = Latencies::default();
        (99_000..101_000).for_each(|ns| latencies.record(ns));
        let moments = Moments { count: 2000, min: 99_000, max: 100_999, ..Moments::default() };
        let mut spread = Spread::default();
        spread.add(&LatencyRecord { moments, latencies: Some(latencies) });
        assert_eq!((spread.us[5], spread.us[6]), (1000, 1000));
    }
}
