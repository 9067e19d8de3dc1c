//! Known answers: series with and without planted trends and steps. All seeded; the sizes are stated.

use fsgauge_wire::{IntervalCount, Rate};

use super::*;
use crate::random::Random;

const SECOND_NS: u64 = 1_000_000_000;

fn load(rate: Option<Rate>) -> LoadJob {
    LoadJob { rate, ..LoadJob::plain() }
}

/// Intervals of a second after a warm-up of one second that is ten times as fast.
fn series(rates: &[f64]) -> Vec<Interval> {
    let interval = |index: usize, rate: f64| Interval {
        start_ns: index as u64 * SECOND_NS,
        elapsed_ns: SECOND_NS,
        warm_up: index == 0,
        read: IntervalCount { operations: rate as u64, ..IntervalCount::default() },
        write: IntervalCount::default(),
    };
    let measured = rates.iter().enumerate().map(|(index, rate)| interval(index + 1, *rate));
    std::iter::once(interval(0, rates[0] * 10.0)).chain(measured).collect()
}

fn judged(rates: &[f64]) -> Steady {
    judge(&load(None), &series(rates))
}

/// White noise around 10 000 with a standard deviation of `share` of it: the sum of twelve uniform numbers.
fn noise(random: &mut Random, count: usize, share: f64) -> Vec<f64> {
    let normal = |random: &mut Random| (0..12).map(|_| random.fraction()).sum::<f64>() - 6.0;
    (0..count).map(|_| 10_000.0 * (1.0 + share * normal(random))).collect()
}

/// Rates with one number in ten halved, as garbage collection does.
fn noise_with_holes(random: &mut Random, count: usize) -> Vec<f64> {
    let mut rates = noise(random, count, 0.02);
    rates.iter_mut().for_each(|rate| *rate *= if random.fraction() < 0.1 { 0.5 } else { 1.0 });
    rates
}

fn share_with_change(series_count: u32, mut draw: impl FnMut() -> Vec<f64>) -> f64 {
    let found = (0..series_count).filter(|_| judged(&draw()).change_point_ns.is_some()).count();
    found as f64 / f64::from(series_count)
}

#[test]
fn a_constant_rate_is_steady() {
    let steady = judged(&[1000.0; 20]);
    assert_eq!((steady.judged, steady.reached, steady.reason), (true, true, None));
    assert_eq!(
        (steady.range_share, steady.slope_share, steady.change_point_ns),
        (Some(0.0), Some(0.0), None)
    );
}

#[test]
fn rounds_are_compared_as_snia_says() {
    // 1000, 1100, 1200, 1300, 1400: a range of 400 on a mean of 1200, and a line that moves as far.
    let rates: Vec<f64> = (0..20).map(|index| 1000.0 + 100.0 * f64::from(index / 4)).collect();
    let steady = judged(&rates);
    let near = |share: Option<f64>| (share.unwrap() - 1.0 / 3.0).abs() < 1e-9;
    assert!(!steady.reached && near(steady.range_share) && near(steady.slope_share));
    assert!(steady.reason.unwrap().starts_with("rounds range over 33 %, trend 33 % of the mean"));
}

#[test]
fn intervals_are_shared_between_the_rounds_that_they_lie_in() {
    let steady = judged(&[1000.0; 12]);
    assert!(steady.range_share.unwrap() < 1e-9, "{steady:?}");
}

#[test]
fn a_dip_in_the_middle_has_a_range_but_no_trend() {
    let mut rates = [1000.0; 20];
    rates[8..12].fill(700.0);
    let steady = judged(&rates);
    assert!(!steady.reached && steady.range_share.unwrap() > 0.3 && steady.slope_share.unwrap() < 1e-9);
}

#[test]
fn short_runs_are_not_judged() {
    let steady = judged(&[1000.0; 4]);
    assert_eq!((steady.judged, steady.reached, steady.range_share), (false, false, None));
    assert_eq!(steady.reason.unwrap(), "too short: 4 of at least 5 intervals");
    assert!(!judge(&load(None), &[]).judged);
    let steady = judged(&[1000.0; 9]);
    assert!(
        steady.judged && steady.reached && steady.reason.unwrap().starts_with("too few intervals to look for a change")
    );
}

#[test]
fn few_operations_are_not_judged() {
    assert!(!judged(&[1.0; 20]).judged);
    let rate = Some(Rate { operations_per_second: 100.0, arrival: Arrival::Exponential });
    let steady = judge(&load(rate), &series(&[100.0; 20]));
    assert_eq!(steady.reason.unwrap(), "too few operations: 400 of at least 1000 a round");
}

#[test]
fn a_last_interval_that_was_cut_short_is_no_change() {
    let mut intervals = series(&[1000.0; 20]);
    let cut = Interval { start_ns: 21 * SECOND_NS, elapsed_ns: 1000, ..Interval::default() };
    intervals.push(cut);
    assert!(judge(&load(None), &intervals).reached);
}

/// 2000 series of each kind; nominal is 2 %, with a standard error of 0.3 %.
#[test]
fn white_noise_has_a_change_in_at_most_five_of_a_hundred() {
    let mut random = Random::new(4, 0);
    for (count, share) in [(10, 0.2), (24, 0.2)] {
        let found = share_with_change(2000, || noise(&mut random, count, share));
        assert!((0.005..=0.035).contains(&found), "{found} of series of {count}");
    }
    let found = share_with_change(2000, || noise_with_holes(&mut random, 24));
    assert!(found <= 0.035, "{found} of series with holes");
}

/// 300 series of 24 with noise of 5 %.
#[test]
fn a_step_of_a_fifth_is_found_where_it_is() {
    let mut random = Random::new(5, 0);
    for (begin, factor) in [(6, 1.2), (12, 0.8), (18, 1.2)] {
        let (mut found, mut placed) = (0, 0);
        for _ in 0..300 {
            let mut rates = noise(&mut random, 24, 0.05);
            rates[begin..].iter_mut().for_each(|rate| *rate *= factor);
            let steady = judged(&rates);
            found += u32::from(!steady.reached && steady.change_point_ns.is_some());
            let expected_ns = (begin as u64 + 1) * SECOND_NS;
            let is_near = |at_ns: u64| at_ns.abs_diff(expected_ns) <= SECOND_NS;
            placed += u32::from(steady.change_point_ns.is_some_and(is_near));
        }
        assert!(found >= 290 && placed >= 275, "{found} found, {placed} in place, step at {begin}");
    }
}

#[test]
fn the_change_has_its_sign_and_size() {
    let mut rates = [1000.0; 20];
    rates[12..].fill(850.0);
    let steady = judged(&rates);
    assert!((steady.change_share.unwrap() + 150.0 / 940.0).abs() < 1e-9);
    assert!(steady.reason.unwrap().ends_with("the rate changed by -16 % of its mean at 13.0 s"));
}

#[test]
fn a_step_that_matters_to_nobody_is_left_out() {
    let mut rates = [1000.0; 40];
    rates[20..].fill(1040.0);
    assert!(judged(&rates).reached);
}

#[test]
fn long_series_are_judged_too_and_equally_each_time() {
    let mut random = Random::new(6, 0);
    let mut rates = noise(&mut random, 20_000, 0.05);
    rates[15_000..].iter_mut().for_each(|rate| *rate *= 1.08);
    let steady = judged(&rates);
    let at_ns = steady.change_point_ns.unwrap();
    assert!(at_ns.abs_diff(15_001 * SECOND_NS) <= 80 * SECOND_NS, "{at_ns}");
    assert_eq!(steady, judged(&rates));
}
