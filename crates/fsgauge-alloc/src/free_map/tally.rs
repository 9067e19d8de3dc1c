//! What is counted of a group's free space.

use super::buddies::{Buddies, ORDERS};

/// Counts of the free space of one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Tally {
    /// Free blocks.
    pub free: u16,
    /// Free runs.
    pub runs: u16,
    /// Free buddies by order.
    pub buddies: [u16; ORDERS],
}

impl Tally {
    pub(super) fn of_run(start: u32, end: u32) -> Self {
        let mut tally = Tally::default();
        tally.add(start, end);
        tally
    }

    /// A run more, unless it is empty.
    pub(super) fn add(&mut self, start: u32, end: u32) {
        if start < end {
            self.free += (end - start) as u16;
            self.runs += 1;
            let buddies = Buddies::of(start, end);
            for (order, count) in self.buddies[..ORDERS - 1].iter_mut().enumerate() {
                *count += buddies.below_largest(order);
            }
            self.buddies[ORDERS - 1] += buddies.largest();
        }
    }

    /// A run less, unless it is empty.
    pub(super) fn remove(&mut self, start: u32, end: u32) {
        if start < end {
            self.free -= (end - start) as u16;
            self.runs -= 1;
            let buddies = Buddies::of(start, end);
            for (order, count) in self.buddies[..ORDERS - 1].iter_mut().enumerate() {
                *count -= buddies.below_largest(order);
            }
            self.buddies[ORDERS - 1] -= buddies.largest();
        }
    }

    /// The order of the largest free buddy; none in a full group.
    pub fn largest_order(&self) -> Option<u32> {
        self.buddies.iter().rposition(|&count| count > 0).map(|order| order as u32)
    }

    /// The order of the mean run: those of 2 and 3 blocks have 0, of 4 to 7 have 1, and so on; one block has 0 too. None in
    /// a full group.
    pub fn mean_order(&self) -> Option<u32> {
        (self.runs > 0).then(|| mean_order_of((self.free / self.runs).into()))
    }
}

/// The order among means of a length in blocks.
pub(crate) fn mean_order_of(blocks: u32) -> u32 {
    blocks.checked_ilog2().unwrap_or(0).saturating_sub(1).min(ORDERS as u32 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_means_are_those_of_the_kernel() {
        // fls(length) - 2, at least 0 and at most 13 (mb_avg_fragment_size_order, Linux 6.18).
        let found = [1, 2, 3, 4, 7, 8, 16384, 32767, 32768].map(mean_order_of);
        assert_eq!(found, [0, 0, 0, 1, 1, 2, 13, 13, 13]);
    }

    #[test]
    fn a_full_group_has_no_order() {
        assert_eq!((Tally::default().largest_order(), Tally::default().mean_order()), (None, None));
        let two = Tally::of_run(0, 2);
        assert_eq!((two.largest_order(), two.mean_order()), (Some(1), Some(0)));
    }
}
