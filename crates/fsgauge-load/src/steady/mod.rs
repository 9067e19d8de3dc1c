//! Steady or not: judges the measured part of a load from its interval series, when the load has ended.
//!
//! Two questions. Do five rounds of equal length agree (SNIA Solid State Storage Performance Test Specification
//! 2.0.2: range at most 20 % of the mean, excursion of the fitted line at most 10 %)? And is there a moment at
//! which the rate changed for good? The series is there anyway, so nothing is done per operation.

mod change_point;
mod rounds;

use fsgauge_wire::{Arrival, Interval, LoadJob, Steady};

use change_point::Change;
use rounds::{ROUNDS, Spread};

const RANGE_LIMIT: f64 = 0.20;
const SLOPE_LIMIT: f64 = 0.10;
/// Fewer operations a round cannot tell 5 % from chance.
const OPERATIONS_MIN: u64 = 20;
/// Starts at random scatter by themselves: the range of five rounds of 1000 reaches 20 % once in 10 000 runs.
const RANDOM_OPERATIONS_MIN: u64 = 1000;

/// Judges the measured part of a load's series.
pub(crate) fn judge(load: &LoadJob, intervals: &[Interval]) -> Steady {
    let measured: Vec<Interval> = intervals.iter().filter(|interval| !interval.warm_up).copied().collect();
    if let Some(reason) = why_not_judged(load, &measured) {
        return Steady { rounds: ROUNDS as u32, reason: Some(reason), ..Steady::default() };
    }
    let spread = rounds::spread(&measured);
    let whole = whole(&measured);
    let change = change_point::find(whole);
    Steady {
        judged: true,
        reached: is_narrow(&spread) && change.is_none(),
        rounds: ROUNDS as u32,
        range_share: Some(spread.range_share),
        slope_share: Some(spread.slope_share),
        change_point_ns: change.map(|change| change.start_ns),
        change_share: change.map(|change| change.share),
        reason: reason(&spread, change, whole.len()),
    }
}

/// The series without a last interval that was cut short: its rate would be mostly chance.
fn whole(measured: &[Interval]) -> &[Interval] {
    match measured {
        [first, .., last] if last.elapsed_ns < first.elapsed_ns / 2 => &measured[..measured.len() - 1],
        _ => measured,
    }
}

fn why_not_judged(load: &LoadJob, measured: &[Interval]) -> Option<String> {
    let count = whole(measured).len();
    if count < ROUNDS {
        return Some(format!("too short: {count} of at least {ROUNDS} intervals"));
    }
    let is_random = load.rate.is_some_and(|rate| rate.arrival == Arrival::Exponential);
    let needed = if is_random { RANDOM_OPERATIONS_MIN } else { OPERATIONS_MIN };
    let a_round = measured.iter().map(operations).sum::<u64>() / ROUNDS as u64;
    (a_round < needed).then(|| format!("too few operations: {a_round} of at least {needed} a round"))
}

fn is_narrow(spread: &Spread) -> bool {
    spread.range_share <= RANGE_LIMIT && spread.slope_share <= SLOPE_LIMIT
}

/// What is not steady, or what was not looked at.
fn reason(spread: &Spread, change: Option<Change>, intervals: usize) -> Option<String> {
    let mut parts = Vec::new();
    if !is_narrow(spread) {
        let (range, slope) = (100.0 * spread.range_share, 100.0 * spread.slope_share);
        parts.push(format!("rounds range over {range:.0} %, trend {slope:.0} % of the mean"));
    }
    if let Some(change) = change {
        let (percent, seconds) = (100.0 * change.share, change.start_ns as f64 / 1e9);
        parts.push(format!("the rate changed by {percent:+.0} % of its mean at {seconds:.1} s"));
    }
    if parts.is_empty() && intervals < change_point::INTERVALS_MIN {
        let needed = change_point::INTERVALS_MIN;
        parts.push(format!("too few intervals to look for a change: {intervals} of at least {needed}"));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

/// Reads and writes of an interval.
fn operations(interval: &Interval) -> u64 {
    interval.read.operations + interval.write.operations
}

#[cfg(test)]
mod tests;
