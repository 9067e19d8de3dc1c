//! The moment at which a rate changed for good, if there is one.
//!
//! Of all splits of the interval series in two, the one is taken whose two means explain most of the scatter; it is
//! also the split with the largest two-sample t. Whether that is more than chance is for `scatter` to say. Changes
//! below 5 % of the mean are left out: a long quiet series proves changes that nobody needs to act on.

use fsgauge_wire::Interval;

use super::Points;

const SHARE_MIN: f64 = 0.05;

/// A change of the rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Change {
    /// Start of the first interval after it, since the load's first moment.
    pub(super) start_ns: u64,
    /// Mean rate after minus before, as a share of the mean rate.
    pub(super) share: f64,
}

/// The change at a split; None where it is too small to matter.
pub(super) fn at(series: &[Interval], points: &Points, split: &Split) -> Option<Change> {
    let before: f64 = points.offsets[..split.index].iter().sum();
    let (left, right) = (split.index as f64, (points.offsets.len() - split.index) as f64);
    let share = -before * (1.0 / left + 1.0 / right) / points.mean;
    (share.abs() >= SHARE_MIN)
        .then(|| Change { start_ns: series[split.index * points.intervals_each].start_ns, share })
}

/// A split before `index`.
#[derive(Debug)]
pub(super) struct Split {
    pub(super) index: usize,
    /// Squared deviations that the two means take away.
    pub(super) explained: f64,
}

/// The split that explains most. Neither side is shorter than a tenth of the series: one odd interval is no change.
/// The offsets of a random order need not sum to 0.
pub(super) fn best_split(offsets: &[f64]) -> Split {
    let count = offsets.len();
    let mean = offsets.iter().sum::<f64>() / count as f64;
    let shortest = (count / 10).max(2);
    let mut before = 0.0;
    let mut best = Split { index: shortest, explained: 0.0 };
    for (position, offset) in offsets[..count - shortest].iter().enumerate() {
        before += offset - mean;
        let index = position + 1;
        // The offsets from their mean sum to 0, so the sum behind the split is the negative of the sum before it.
        let explained = before * before * count as f64 / (index as f64 * (count - index) as f64);
        if index >= shortest && explained > best.explained {
            best = Split { index, explained };
        }
    }
    best
}
