//! The moment at which a rate changed for good, if there is one.
//!
//! Of all splits of the interval series in two, the one is taken whose two means explain most of the scatter; it is
//! also the split with the largest two-sample t. Whether that is more than chance is decided by shuffling: the same
//! search runs over 999 random orders of the same rates, so the search is paid for and the rates may have any
//! distribution (after Matteson and James, "A nonparametric approach for multiple change point analysis of
//! multivariate data", JASA 2014). The shuffles are seeded: equal series get equal verdicts.
//!
//! False positives: at most 2 % of series whose rates are independent. A device whose rate swings slowly has
//! dependent rates and is reported more often, which is right: it is not steady. Changes below 5 % of the mean
//! are left out, since a long quiet series proves changes that matter to nobody.

use fsgauge_wire::Interval;

use super::operations;
use crate::random::Random;

/// With fewer, shuffles cannot make a clear step improbable.
pub(super) const INTERVALS_MIN: usize = 10;
const SHUFFLES: u32 = 999;
/// At most 2 %: the series itself is one of the 1000 orders.
const AS_GOOD_LIMIT: u32 = (SHUFFLES + 1) / 50 - 1;
const SHARE_MIN: f64 = 0.05;
/// Longer series are added up to this many points: a bound on the time that judging takes, a few milliseconds.
const POINTS_LIMIT: usize = 500;
const SEED: u64 = 0x5eed;

/// A change of the rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Change {
    /// Start of the first interval after it, since the load's first moment.
    pub(super) start_ns: u64,
    /// Mean rate after minus before, as a share of the mean rate.
    pub(super) share: f64,
}

/// The change of a series that has operations. None when there is none, or when it has too few intervals to tell.
pub(super) fn find(series: &[Interval]) -> Option<Change> {
    if series.len() < INTERVALS_MIN {
        return None;
    }
    let group = series.len().div_ceil(POINTS_LIMIT);
    let rates: Vec<f64> = series.chunks(group).map(rate).collect();
    let mean = rates.iter().sum::<f64>() / rates.len() as f64;
    let mut offsets: Vec<f64> = rates.iter().map(|rate| rate - mean).collect();
    let split = best_split(&offsets);
    let before: f64 = offsets[..split.index].iter().sum();
    let (left, right) = (split.index as f64, (offsets.len() - split.index) as f64);
    let share = -before * (1.0 / left + 1.0 / right) / mean;
    if share.abs() < SHARE_MIN || is_chance(&mut offsets, split.explained) {
        return None;
    }
    Some(Change { start_ns: series[split.index * group].start_ns, share })
}

fn rate(intervals: &[Interval]) -> f64 {
    let elapsed_ns: u64 = intervals.iter().map(|interval| interval.elapsed_ns).sum();
    intervals.iter().map(operations).sum::<u64>() as f64 / elapsed_ns as f64
}

/// A split before `index`.
struct Split {
    index: usize,
    /// Squared deviations that the two means take away.
    explained: f64,
}

/// The split that explains most. Neither side is shorter than a tenth of the series: one odd interval is no change.
fn best_split(offsets: &[f64]) -> Split {
    let count = offsets.len();
    let shortest = (count / 10).max(2);
    let mut before = 0.0;
    let mut best = Split { index: shortest, explained: 0.0 };
    for (position, offset) in offsets[..count - shortest].iter().enumerate() {
        before += offset;
        let index = position + 1;
        // The offsets sum to 0, so the sum behind the split is the negative of the sum before it.
        let explained = before * before * count as f64 / (index as f64 * (count - index) as f64);
        if index >= shortest && explained > best.explained {
            best = Split { index, explained };
        }
    }
    best
}

/// Whether random orders of the same rates often have a split that is as good. Leaves `offsets` shuffled.
fn is_chance(offsets: &mut [f64], explained: f64) -> bool {
    let mut random = Random::new(SEED, offsets.len() as u64);
    // Equal but for rounding is as good.
    let explained = explained * (1.0 - 1e-9);
    let mut as_good = 0;
    for _ in 0..SHUFFLES {
        random.shuffle(offsets);
        as_good += u32::from(best_split(offsets).explained >= explained);
        if as_good > AS_GOOD_LIMIT {
            return true;
        }
    }
    false
}
