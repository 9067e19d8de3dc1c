//! The warm-up of a mix ends as soon as the rate of each of its loads was steady for a while.
//!
//! It is judged as the measured part is, over the last window, after every round of one. The end is told some time
//! before it comes, so all jobs of all loads have one.

use fsgauge_wire::{Interval, LoadJob};

use crate::instruments::WarmUp;
use crate::steady::{ROUNDS, judge_series};

/// How long before it the end is told: a thread that waits for a processor hears of it in time.
const NOTICE_NS: u64 = 100_000_000;

/// What the loads have told so far.
pub(crate) struct UntilSteady<'a> {
    loads: &'a [LoadJob],
    warm_ups: Vec<WarmUp>,
    window_ns: u64,
    /// The warm-up of each load.
    series: Vec<Vec<Interval>>,
    judged_ns: u64,
}

impl<'a> UntilSteady<'a> {
    /// None where the warm-up has its full time.
    pub(crate) fn new(loads: &'a [LoadJob], warm_ups: Vec<WarmUp>) -> Option<Self> {
        let window_ns = loads.first()?.steady_window_ns?;
        Some(UntilSteady { loads, warm_ups, window_ns, series: vec![Vec::new(); loads.len()], judged_ns: 0 })
    }

    /// Takes an interval of load `number`; `now_ns` counts from the first moment of the mix, and is read when
    /// all loads are judged.
    pub(crate) fn hear(&mut self, number: usize, interval: &Interval, now_ns: impl FnOnce() -> u64) {
        if !interval.warm_up {
            return;
        }
        self.series[number].push(*interval);
        let told = |series: &Vec<Interval>| series.last().map_or(0, |last| last.start_ns + last.elapsed_ns);
        let told_ns = self.series.iter().map(told).min().unwrap_or(0);
        if told_ns < self.window_ns.max(self.judged_ns + self.window_ns / ROUNDS as u64) {
            return;
        }
        self.judged_ns = told_ns;
        if (0..self.loads.len()).all(|load| self.is_steady(load, told_ns)) {
            let interval_ns = self.loads[number].interval_ns;
            let ahead = (now_ns() + NOTICE_NS).saturating_sub(told_ns).div_ceil(interval_ns);
            self.warm_ups.iter().for_each(|warm_up| warm_up.cut(told_ns + ahead * interval_ns));
        }
    }

    fn is_steady(&self, load: usize, end_ns: u64) -> bool {
        let series = &self.series[load];
        let begin_ns = end_ns - self.window_ns;
        let from = series.partition_point(|interval| interval.start_ns < begin_ns);
        let to = series.partition_point(|interval| interval.start_ns < end_ns);
        judge_series(&self.loads[load], &series[from..to]).reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::IntervalCount;

    const SECOND_NS: u64 = 1_000_000_000;

    /// Two loads of which the second falls for a while; gives when their warm-ups end, in seconds.
    fn ends_after(falling: u64, told: u64) -> [u64; 2] {
        let load = LoadJob { steady_window_ns: Some(10 * SECOND_NS), ..LoadJob::plain() };
        let (loads, warm_ups) = ([load.clone(), load], [1000, 1000].map(|end| WarmUp::from(end * SECOND_NS)));
        let mut watch = UntilSteady::new(&loads, warm_ups.to_vec()).unwrap();
        for second in 0..told {
            for number in [0, 1] {
                let slow = if number == 1 { 1000 * falling.saturating_sub(second) } else { 0 };
                let read = IntervalCount { operations: 10_000 + slow, ..IntervalCount::default() };
                let (start_ns, elapsed_ns) = (second * SECOND_NS, SECOND_NS);
                let interval = Interval { start_ns, elapsed_ns, warm_up: true, read, ..Interval::default() };
                watch.hear(number, &interval, || start_ns + SECOND_NS + 1);
            }
        }
        warm_ups.map(|warm_up| warm_up.end_ns() / SECOND_NS)
    }

    #[test]
    fn it_ends_when_every_load_was_steady_for_the_window() {
        assert_eq!(ends_after(0, 9), [1000, 1000]);
        assert_eq!(ends_after(0, 10), [11, 11]);
        assert_eq!(ends_after(20, 24), [1000, 1000]);
        let ended = ends_after(20, 60);
        assert!((26..=34).contains(&ended[0]) && ended[0] == ended[1], "{ended:?}");
    }

    #[test]
    fn without_a_window_nothing_is_judged() {
        assert!(UntilSteady::new(&[LoadJob::plain()], vec![WarmUp::from(1)]).is_none());
    }
}
