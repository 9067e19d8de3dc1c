//! Lanes that wait for a time: for their client's turn in the ramp, or during think time between files.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fsgauge_load::Random;
use fsgauge_wire::{Arrival, Think};

/// Waiting lanes by due time; of equal ones, the lower number first.
#[derive(Debug, Default)]
pub(crate) struct WakeQueue {
    heap: BinaryHeap<Reverse<(u64, u32)>>,
}

impl WakeQueue {
    pub(crate) fn add(&mut self, due_ns: u64, lane: u32) {
        self.heap.push(Reverse((due_ns, lane)));
    }

    /// The next lane that is due, and since when.
    #[inline]
    pub(crate) fn due(&mut self, now_ns: u64) -> Option<(u64, u32)> {
        if self.next_ns() > now_ns {
            return None;
        }
        self.heap.pop().map(|Reverse(rest)| rest)
    }

    /// When the next lane is due; `u64::MAX` is never.
    #[inline]
    pub(crate) fn next_ns(&self) -> u64 {
        self.heap.peek().map_or(u64::MAX, |Reverse((due_ns, _))| *due_ns)
    }
}

/// One think time.
pub(crate) fn think_time_ns(think: &Think, random: &mut Random) -> u64 {
    match think.spread {
        Arrival::Constant => think.mean_ns,
        Arrival::Exponential => (-random.fraction().ln() * think.mean_ns as f64) as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_wake_in_the_order_of_their_time() {
        let mut rests = WakeQueue::default();
        for (due_ns, lane) in [(30, 1), (10, 7), (10, 2), (20, 3)] {
            rests.add(due_ns, lane);
        }
        let mut woken = Vec::new();
        while let Some(rest) = rests.due(25) {
            woken.push(rest);
        }
        assert_eq!(woken, [(10, 2), (10, 7), (20, 3)]);
        assert_eq!((rests.next_ns(), WakeQueue::default().next_ns()), (30, u64::MAX));
    }

    #[test]
    fn lengths_have_the_mean_and_spread_of_their_law() {
        let mut random = Random::new(3, 0);
        let constant = Think { mean_ns: 1000, spread: Arrival::Constant };
        assert_eq!(think_time_ns(&constant, &mut random), 1000);
        let think = Think { mean_ns: 1_000_000, spread: Arrival::Exponential };
        let lengths: Vec<f64> = (0..100_000).map(|_| think_time_ns(&think, &mut random) as f64).collect();
        let mean = lengths.iter().sum::<f64>() / 1e5;
        let variance = lengths.iter().map(|length| (length - mean).powi(2)).sum::<f64>() / 1e5;
        assert!((mean / 1e6 - 1.0).abs() < 0.02 && (variance.sqrt() / mean - 1.0).abs() < 0.03);
    }
}
