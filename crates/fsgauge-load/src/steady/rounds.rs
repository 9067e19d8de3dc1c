//! Five rounds of equal length, and how far their rates lie apart.

use fsgauge_wire::Interval;

use super::operations;

/// The window of the SNIA test.
pub(super) const ROUNDS: usize = 5;

/// How far rounds lie apart, as shares of their mean rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// Largest minus smallest.
    pub(super) range_share: f64,
    /// How far the fitted line moves from the first round to the last.
    pub(super) slope_share: f64,
}

/// The spread of a series that is not empty and has operations.
pub(super) fn spread(measured: &[Interval]) -> Spread {
    let rates = rates(measured);
    let mean = rates.iter().sum::<f64>() / ROUNDS as f64;
    let largest = rates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let last = (ROUNDS - 1) as f64;
    // Least squares over the places -2 to 2, whose squares sum to 10.
    let places = (0..ROUNDS).map(|round| round as f64 - last / 2.0);
    let squares: f64 = places.clone().map(|place| place * place).sum();
    let slope = places.zip(rates).map(|(place, rate)| place * rate).sum::<f64>() / squares;
    Spread { range_share: (largest - smallest) / mean, slope_share: slope.abs() * last / mean }
}

/// Operations in each round. An interval that lies in two rounds is shared by its time in each.
fn rates(measured: &[Interval]) -> [f64; ROUNDS] {
    let begin_ns = measured[0].start_ns;
    let elapsed_ns: u64 = measured.iter().map(|interval| interval.elapsed_ns).sum();
    let place = |at_ns: u64| (at_ns - begin_ns) as f64 * ROUNDS as f64 / elapsed_ns as f64;
    let mut rounds = [0.0; ROUNDS];
    for interval in measured {
        let (from, to) = (place(interval.start_ns), place(interval.start_ns + interval.elapsed_ns));
        for (round, sum) in rounds.iter_mut().enumerate() {
            let inside = to.min((round + 1) as f64) - from.max(round as f64);
            if inside > 0.0 {
                *sum += operations(interval) as f64 * inside / (to - from);
            }
        }
    }
    rounds
}
