//! Steady or not: judges the measured part of a load from its interval series, when the load has ended.
//!
//! Two questions. Do five rounds of equal length agree (SNIA Solid State Storage Performance Test Specification
//! 2.0.2: range at most 20 % of the mean, excursion of the fitted line at most 10 %)? And is there a moment at
//! which the rate changed for good? Each counts only where it is more than the series' own scatter shows in other
//! orders. The series is there anyway, so nothing is done per operation.

mod change_point;
mod rounds;
mod scatter;

use fsgauge_wire::{Arrival, Interval, LoadJob, Steady};

use change_point::Change;
pub(crate) use rounds::ROUNDS;
use rounds::Spread;
use scatter::MoreThanScatter;

const RANGE_LIMIT: f64 = 0.20;
const SLOPE_LIMIT: f64 = 0.10;
/// With fewer, no order of the series is improbable.
pub(crate) const INTERVALS_MIN: usize = 10;
/// Fewer operations a round cannot tell 5 % from chance.
const OPERATIONS_MIN: u64 = 20;
/// Starts at random scatter by themselves: the range of five rounds of 1000 reaches 20 % once in 10 000 runs.
const RANDOM_OPERATIONS_MIN: u64 = 1000;
/// Longer series are added up to this many points: a bound on the time that judging takes, a few milliseconds.
const POINTS_LIMIT: usize = 500;

/// Judges the measured part of a load's series.
pub(crate) fn judge(load: &LoadJob, intervals: &[Interval]) -> Steady {
    let measured: Vec<Interval> = intervals.iter().filter(|interval| !interval.warm_up).copied().collect();
    judge_series(load, &measured)
}

/// Judges a series, whatever it is of.
pub(crate) fn judge_series(load: &LoadJob, series: &[Interval]) -> Steady {
    let whole = whole(series);
    if let Some(reason) = why_not_judged(load, whole) {
        return Steady { rounds: ROUNDS as u32, reason: Some(reason), ..Steady::default() };
    }
    let points = Points::of(whole);
    let spread = rounds::spread_of(&points.offsets, points.mean);
    let split = change_point::best_split(&points.offsets);
    let more = scatter::compare(&points.offsets, points.mean, &split, &spread);
    let change = change_point::at(whole, &points, &split).filter(|_| more.split);
    let moves = is_wide(&spread, more);
    Steady {
        judged: true,
        reached: !moves && change.is_none(),
        rounds: ROUNDS as u32,
        range_share: Some(spread.range_share),
        slope_share: Some(spread.slope_share),
        change_point_ns: change.map(|change| change.start_ns),
        change_share: change.map(|change| change.share),
        reason: reason(&spread, moves, change),
    }
}

/// A series as rates at equal distances in time.
#[derive(Debug)]
struct Points {
    /// Of each point, operations per nanosecond beyond the mean.
    offsets: Vec<f64>,
    mean: f64,
    intervals_each: usize,
}

impl Points {
    fn of(series: &[Interval]) -> Self {
        let intervals_each = series.len().div_ceil(POINTS_LIMIT);
        let rates: Vec<f64> = series.chunks(intervals_each).map(rate).collect();
        let mean = rates.iter().sum::<f64>() / rates.len() as f64;
        Points { offsets: rates.iter().map(|rate| rate - mean).collect(), mean, intervals_each }
    }
}

fn rate(intervals: &[Interval]) -> f64 {
    let elapsed_ns: u64 = intervals.iter().map(|interval| interval.elapsed_ns).sum();
    intervals.iter().map(operations).sum::<u64>() as f64 / elapsed_ns as f64
}

/// The series without a last interval that was cut short: its rate would be mostly chance.
fn whole(measured: &[Interval]) -> &[Interval] {
    match measured {
        [first, .., last] if last.elapsed_ns < first.elapsed_ns / 2 => &measured[..measured.len() - 1],
        _ => measured,
    }
}

fn why_not_judged(load: &LoadJob, whole: &[Interval]) -> Option<String> {
    let count = whole.len();
    if count < INTERVALS_MIN {
        return Some(format!("too short: {count} of at least {INTERVALS_MIN} intervals"));
    }
    let is_random = load.rate.is_some_and(|rate| rate.arrival == Arrival::Exponential);
    let needed = if is_random { RANDOM_OPERATIONS_MIN } else { OPERATIONS_MIN };
    let a_round = whole.iter().map(operations).sum::<u64>() / ROUNDS as u64;
    (a_round < needed).then(|| format!("too few operations: {a_round} of at least {needed} a round"))
}

fn is_wide(spread: &Spread, more: MoreThanScatter) -> bool {
    (more.range && spread.range_share > RANGE_LIMIT) || (more.slope && spread.slope_share > SLOPE_LIMIT)
}

/// What is not steady.
fn reason(spread: &Spread, moves: bool, change: Option<Change>) -> Option<String> {
    let mut parts = Vec::new();
    if moves {
        let (range, slope) = (100.0 * spread.range_share, 100.0 * spread.slope_share);
        parts.push(format!("rounds range over {range:.0} %, trend {slope:.0} % of the mean"));
    }
    if let Some(change) = change {
        let (percent, seconds) = (100.0 * change.share, change.start_ns as f64 / 1e9);
        parts.push(format!("the rate changed by {percent:+.0} % of its mean at {seconds:.1} s"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Reads and writes of an interval.
fn operations(interval: &Interval) -> u64 {
    interval.read.operations + interval.write.operations
}

#[cfg(test)]
mod tests;
