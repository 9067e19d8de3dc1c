//! The pace: when the next operation is meant to start.

use fsgauge_wire::{Arrival, Rate};

use crate::random::Random;

/// A backlog older than this is dropped and counted.
pub(crate) const BACKLOG_LIMIT_NS: u64 = 10_000_000_000;

/// When operations are due. `PACED` is known while compiling, so a closed loop pays nothing.
pub(crate) trait Pace {
    const PACED: bool;

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
pub(crate) struct Paced {
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
    pub(crate) fn new(rate: &Rate, job: u32, jobs: u32, zero_ns: u64, random: Random) -> Self {
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
    fn jobs_interleave() {
        let rate = Rate { operations_per_second: 1e6, arrival: Arrival::Constant };
        let first = |job| Paced::new(&rate, job, 4, 0, Random::new(1, 0)).due_ns();
        assert_eq!([first(0), first(1), first(2), first(3)], [0, 1000, 2000, 3000]);
    }
}
