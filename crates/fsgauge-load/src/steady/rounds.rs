//! Five rounds of equal length, and how far their rates lie apart.

/// The window of the SNIA test.
pub(crate) const ROUNDS: usize = 5;

/// How far rounds lie apart, as shares of their mean rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    /// Largest minus smallest.
    pub(super) range_share: f64,
    /// How far the fitted line moves from the first round to the last.
    pub(super) slope_share: f64,
}

/// The spread of rates at equal distances in time, given as offsets from `mean`, which is not 0.
pub(super) fn spread_of(offsets: &[f64], mean: f64) -> Spread {
    let rounds = rounds(offsets);
    let mean = mean + rounds.iter().sum::<f64>() / ROUNDS as f64;
    let largest = rounds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let smallest = rounds.iter().copied().fold(f64::INFINITY, f64::min);
    let last = (ROUNDS - 1) as f64;
    // Least squares over the places -2 to 2, whose squares sum to 10.
    let places = (0..ROUNDS).map(|round| round as f64 - last / 2.0);
    let squares: f64 = places.clone().map(|place| place * place).sum();
    let slope = places.zip(rounds).map(|(place, rate)| place * rate).sum::<f64>() / squares;
    Spread { range_share: (largest - smallest) / mean, slope_share: slope.abs() * last / mean }
}

/// The mean offset of each round. A point that lies in two rounds is shared by its time in each.
fn rounds(offsets: &[f64]) -> [f64; ROUNDS] {
    let length = offsets.len() as f64 / ROUNDS as f64;
    let mut rounds = [0.0; ROUNDS];
    for (round, mean) in rounds.iter_mut().enumerate() {
        let (from, to) = (round as f64 * length, (round + 1) as f64 * length);
        let touched = from as usize..(to.ceil() as usize).min(offsets.len());
        let share = |index: usize| to.min((index + 1) as f64) - from.max(index as f64);
        *mean = touched.map(|index| share(index) * offsets[index]).sum::<f64>() / length;
    }
    rounds
}
