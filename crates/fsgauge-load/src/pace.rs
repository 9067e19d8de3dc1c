//! The pace: when the next operation is meant to start.

use std::num::NonZeroU32;

use fsgauge_wire::{Arrival, Rate, Rest};

use crate::random::Random;

/// A backlog older than this is dropped and counted.
pub(crate) const BACKLOG_LIMIT_NS: u64 = 10_000_000_000;

/// When operations are due. `PACED` and `OPEN` are known while compiling, so a closed loop pays nothing.
pub trait Pace {
    /// Whether an operation may have to be waited for.
    const PACED: bool;
    /// Whether operations are due whatever becomes of those before: then there may be a backlog.
    const OPEN: bool = Self::PACED;

    /// A job has room for an operation, and the clock says so.
    #[inline]
    fn has_room(&mut self, _now_ns: u64) {}

    /// When the next operation is due, in the clock's nanoseconds.
    fn due_ns(&self) -> u64;

    /// The next operation has been started or dropped.
    fn advance(&mut self);
}

/// A closed loop: always due.
#[derive(Debug)]
pub(crate) struct Unpaced;

impl Pace for Unpaced {
    const PACED: bool = false;

    #[inline]
    fn due_ns(&self) -> u64 {
        0
    }

    #[inline]
    fn advance(&mut self) {}
}

/// An open loop: due at constant or exponential distances, whatever the target does.
#[derive(Debug)]
pub struct Paced {
    arrival: Arrival,
    begin_ns: f64,
    gap_ns: f64,
    /// Operations that have been due; their distance from `begin_ns` is computed, not added up.
    passed: u64,
    due_ns: f64,
    random: Random,
}

impl Paced {
    /// The share of job `job` of `jobs`. Constant arrivals of the jobs interleave evenly.
    pub fn new(rate: &Rate, job: u32, jobs: u32, zero_ns: u64, random: Random) -> Self {
        let gap_ns = 1e9 / rate.operations_per_second;
        let begin_ns = zero_ns as f64 + gap_ns * f64::from(job);
        let gap_ns = gap_ns * f64::from(jobs);
        let mut pace = Paced { arrival: rate.arrival, begin_ns, gap_ns, passed: 0, due_ns: begin_ns, random };
        if rate.arrival == Arrival::Exponential {
            pace.due_ns = zero_ns as f64;
            pace.advance();
        }
        pace
    }
}

impl Pace for Paced {
    const PACED: bool = true;

    #[inline]
    fn due_ns(&self) -> u64 {
        self.due_ns as u64
    }

    #[inline]
    fn advance(&mut self) {
        self.passed += 1;
        self.due_ns = match self.arrival {
            Arrival::Constant => self.begin_ns + self.passed as f64 * self.gap_ns,
            Arrival::Exponential => self.due_ns - self.random.fraction().ln() * self.gap_ns,
        };
    }
}

/// As `Paced`, several of a job at a time.
#[derive(Debug)]
pub(crate) struct Bursts {
    pace: Paced,
    burst: u32,
    left: u32,
}

impl Bursts {
    /// As [`Paced::new`]; the distances of bursts are those of so many operations.
    pub(crate) fn new(
        rate: &Rate,
        burst: NonZeroU32,
        (job, jobs): (u32, u32),
        zero_ns: u64,
        random: Random,
    ) -> Self {
        let burst = burst.get();
        let bursts = Rate { operations_per_second: rate.operations_per_second / f64::from(burst), ..*rate };
        Bursts { pace: Paced::new(&bursts, job, jobs, zero_ns, random), burst, left: burst }
    }
}

impl Pace for Bursts {
    const PACED: bool = true;

    #[inline]
    fn due_ns(&self) -> u64 {
        self.pace.due_ns()
    }

    #[inline]
    fn advance(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            self.left = self.burst;
            self.pace.advance();
        }
    }
}

/// A closed loop with rests: after so many operations the next one is due a while after the last one has ended.
#[derive(Debug)]
pub(crate) struct Resting {
    rest: Rest,
    left: u32,
    rests: bool,
    due_ns: u64,
    random: Random,
}

impl Resting {
    pub(crate) fn new(rest: Rest, random: Random) -> Self {
        Resting { rest, left: rest.every.get(), rests: false, due_ns: 0, random }
    }
}

impl Pace for Resting {
    const PACED: bool = true;
    const OPEN: bool = false;

    fn has_room(&mut self, now_ns: u64) {
        if self.rests {
            self.rests = false;
            let mean_ns = self.rest.think.mean_ns as f64;
            let length_ns = match self.rest.think.spread {
                Arrival::Constant => mean_ns,
                Arrival::Exponential => -self.random.fraction().ln() * mean_ns,
            };
            self.due_ns = now_ns + length_ns as u64;
        }
    }

    #[inline]
    fn due_ns(&self) -> u64 {
        self.due_ns
    }

    #[inline]
    fn advance(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            self.left = self.rest.every.get();
            self.rests = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(arrival: Arrival, operations: usize) -> Vec<f64> {
        let rate = Rate { operations_per_second: 30_000.0, arrival };
        let mut pace = Paced::new(&rate, 1, 3, 500, Random::new(2, 0));
        let mut last = pace.due_ns;
        let next = |_| {
            pace.advance();
            pace.due_ns - std::mem::replace(&mut last, pace.due_ns)
        };
        (0..operations).map(next).collect()
    }

    #[test]
    fn constant_arrivals_are_equally_far_apart() {
        assert!(gaps(Arrival::Constant, 100_000).iter().all(|gap| (gap - 100_000.0).abs() < 0.01));
    }

    #[test]
    fn exponential_arrivals_have_the_mean_and_spread_of_their_law() {
        let gaps = gaps(Arrival::Exponential, 200_000);
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((mean / 100_000.0 - 1.0).abs() < 0.01, "mean {mean}");
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "deviation {}", variance.sqrt());
    }

    #[test]
    fn bursts_keep_the_rate_and_come_together() {
        let rate = Rate { operations_per_second: 1e6, arrival: Arrival::Constant };
        let burst = NonZeroU32::new(4).unwrap();
        let mut pace = Bursts::new(&rate, burst, (0, 1), 0, Random::new(1, 0));
        let due: Vec<u64> = (0..9).map(|_| (pace.due_ns(), pace.advance()).0).collect();
        assert_eq!(due, [0, 0, 0, 0, 4000, 4000, 4000, 4000, 8000]);
    }

    #[test]
    fn a_rest_begins_when_the_operation_before_it_has_ended() {
        let think = fsgauge_wire::Think { mean_ns: 100, spread: Arrival::Constant };
        let rest = Rest { every: NonZeroU32::new(2).unwrap(), think };
        let mut pace = Resting::new(rest, Random::new(1, 0));
        let mut due = |now_ns| {
            pace.has_room(now_ns);
            let due_ns = pace.due_ns();
            pace.advance();
            due_ns
        };
        assert_eq!([due(10), due(20), due(500), due(700), due(900)], [0, 0, 600, 600, 1000]);
    }

    #[test]
    fn jobs_interleave() {
        let rate = Rate { operations_per_second: 1e6, arrival: Arrival::Constant };
        let first = |job| Paced::new(&rate, job, 4, 0, Random::new(1, 0)).due_ns();
        assert_eq!([first(0), first(1), first(2), first(3)], [0, 1000, 2000, 3000]);
    }
}
