//! What a steady rate does by chance: other orders of a series' own scatter.
//!
//! Any series has rounds that differ and a best split. Whether they show more than the series' own scatter is decided
//! by shuffling: the same numbers are taken of 999 random orders (after Matteson and James, "A nonparametric approach
//! for multiple change point analysis of multivariate data", JASA 2014). The rates may have any distribution.
//!
//! Neighbours in time resemble one another: a cache that drains, a commit every few seconds. Shuffled as they are,
//! such rates lose their slow swings, and a device that only swings would be called unsteady in every other run. So
//! the innovations of a first-order autoregression are shuffled, and the swings are put back (Bühlmann, "Sieve
//! bootstrap for time series", Bernoulli 1997). Its coefficient is that of the scatter around the best split or the
//! fitted line, whichever leaves less, corrected for the two means that were fitted. The shuffles are seeded: equal
//! series get equal verdicts.

use super::change_point::{Split, best_split};
use super::rounds::{Spread, spread_of};
use crate::random::Random;

const SHUFFLES: u32 = 999;
/// At most 1.5 % for each of three questions: the series itself is one of the 1000 orders.
const AS_GOOD_LIMIT: u32 = (SHUFFLES + 1) * 3 / 200 - 1;
const COEFFICIENT_MAX: f64 = 0.9;
/// Fitted lines and means take autocorrelation away: about this share of (1 + 3 x coefficient) / points.
const FITTED: f64 = 3.0;
const SEED: u64 = 0x5eed;

/// Which of a series' features are more than its scatter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct MoreThanScatter {
    pub(super) range: bool,
    pub(super) slope: bool,
    pub(super) split: bool,
}

/// Compares a series of rates, their offsets from `mean`, with random orders of its own scatter.
pub(super) fn compare(offsets: &[f64], mean: f64, split: &Split, spread: &Spread) -> MoreThanScatter {
    let coefficient = coefficient(offsets, split);
    let mut innovations = innovations(offsets, coefficient);
    let mut random = Random::new(SEED, offsets.len() as u64);
    let mut order = vec![0.0; offsets.len()];
    // Equal but for rounding is as good.
    let as_good = |found: f64, drawn: f64| u32::from(drawn >= found * (1.0 - 1e-9));
    let (mut range, mut slope, mut explained) = (0, 0, 0);
    for _ in 0..SHUFFLES {
        random.shuffle(&mut innovations);
        recolour(&innovations, coefficient, &mut order);
        let drawn = spread_of(&order, mean);
        range += as_good(spread.range_share, drawn.range_share);
        slope += as_good(spread.slope_share, drawn.slope_share);
        explained += as_good(split.explained, best_split(&order).explained);
        if range.min(slope).min(explained) > AS_GOOD_LIMIT {
            break;
        }
    }
    let more = |as_good: u32| as_good <= AS_GOOD_LIMIT;
    MoreThanScatter { range: more(range), slope: more(slope), split: more(explained) }
}

/// How much of a rate's offset the next one keeps, of what neither a step nor a line explains; 0 to 0.9.
fn coefficient(offsets: &[f64], split: &Split) -> f64 {
    let (steps, line) = (around_means(offsets, split.index), around_line(offsets));
    let residuals = if squares(&line) < squares(&steps) { line } else { steps };
    let all = squares(&residuals);
    if all == 0.0 {
        return 0.0;
    }
    let count = offsets.len() as f64;
    let found = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / all;
    (found + FITTED * (1.0 + 3.0 * found) / count).clamp(0.0, COEFFICIENT_MAX)
}

fn squares(values: &[f64]) -> f64 {
    values.iter().map(|value| value * value).sum()
}

fn around_means(offsets: &[f64], index: usize) -> Vec<f64> {
    let (before, after) = offsets.split_at(index);
    let centred = |part: &[f64]| {
        let mean = part.iter().sum::<f64>() / part.len() as f64;
        part.iter().map(|offset| offset - mean).collect::<Vec<_>>()
    };
    [centred(before), centred(after)].concat()
}

/// Least squares; the offsets' mean is 0.
fn around_line(offsets: &[f64]) -> Vec<f64> {
    let middle = (offsets.len() - 1) as f64 / 2.0;
    let place = |index: usize| index as f64 - middle;
    let along: f64 = offsets.iter().enumerate().map(|(index, offset)| place(index) * offset).sum();
    let places: f64 = (0..offsets.len()).map(|index| place(index).powi(2)).sum();
    offsets.iter().enumerate().map(|(index, offset)| offset - place(index) * along / places).collect()
}

/// What each rate adds to what it keeps of the one before; their mean is 0.
fn innovations(offsets: &[f64], coefficient: f64) -> Vec<f64> {
    let first = offsets[0] * start_scale(coefficient);
    let later = offsets.windows(2).map(|pair| pair[1] - coefficient * pair[0]);
    let mut found: Vec<f64> = std::iter::once(first).chain(later).collect();
    let mean = found.iter().sum::<f64>() / found.len() as f64;
    found.iter_mut().for_each(|innovation| *innovation -= mean);
    found
}

/// A first rate has the variance of all the innovations before it.
fn start_scale(coefficient: f64) -> f64 {
    (1.0 - coefficient * coefficient).sqrt()
}

fn recolour(innovations: &[f64], coefficient: f64, order: &mut [f64]) {
    let mut last = innovations[0] / start_scale(coefficient);
    order[0] = last;
    for (place, innovation) in order.iter_mut().zip(innovations).skip(1) {
        last = coefficient * last + innovation;
        *place = last;
    }
}
