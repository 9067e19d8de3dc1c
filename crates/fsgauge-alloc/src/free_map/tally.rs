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
        Lanes::of_run(start, end).tally()
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

/// A tally as a group keeps it: sixteen counts of 16 bits, four in a word, which change together. Buddies by order, then
/// runs and blocks. No count leaves its bits, as none is above a group's blocks or below 0.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Lanes([u64; 4]);

/// Of one count in a word.
const COUNT_BITS: u32 = u16::BITS;
const COUNTS: usize = 4;

impl Lanes {
    pub(super) fn of_run(start: u32, end: u32) -> Self {
        let mut lanes = Lanes::default();
        lanes.add(start, end);
        lanes
    }

    /// A run more, unless it is empty.
    #[inline]
    pub(super) fn add(&mut self, start: u32, end: u32) {
        if start < end {
            self.0.iter_mut().zip(words(start, end)).for_each(|(all, some)| *all += some);
        }
    }

    /// A run less, unless it is empty.
    #[inline]
    pub(super) fn remove(&mut self, start: u32, end: u32) {
        if start < end {
            self.0.iter_mut().zip(words(start, end)).for_each(|(all, some)| *all -= some);
        }
    }

    fn count(&self, at: usize) -> u16 {
        (self.0[at / COUNTS] >> (at % COUNTS * COUNT_BITS as usize)) as u16
    }

    pub(super) fn runs(&self) -> u16 {
        self.count(ORDERS)
    }

    pub(super) fn free(&self) -> u16 {
        self.count(ORDERS + 1)
    }

    pub(super) fn largest_order(&self) -> Option<u32> {
        let [first, second, third, last] = self.0;
        // The last word has runs and blocks above its two orders.
        let words = [first, second, third, last & u64::from(u32::MAX)];
        let highest = |at: usize| (at * COUNTS) as u32 + words[at].ilog2() / COUNT_BITS;
        words.iter().rposition(|&word| word != 0).map(highest)
    }

    pub(super) fn tally(&self) -> Tally {
        let mut tally = Tally { free: self.free(), runs: self.runs(), ..Tally::default() };
        tally.buddies.iter_mut().enumerate().for_each(|(order, count)| *count = self.count(order));
        tally
    }
}

/// What one run, which is not empty, has of each.
#[inline]
fn words(start: u32, end: u32) -> [u64; 4] {
    let (before, behind, largest) = Buddies::of(start, end).sums();
    let four = |shift: u32| spread(before >> shift) + spread(behind >> shift);
    let one = u64::from(before >> 12 & 1) + u64::from(behind >> 12 & 1);
    let rest = one | u64::from(largest) << 16 | 1 << 32 | u64::from(end - start) << 48;
    [four(0), four(4), four(8), rest]
}

/// The four lowest bits, each a count: by 1 + 2^15 + 2^30 + 2^45 each comes to its place.
#[inline]
fn spread(bits: u32) -> u64 {
    u64::from(bits & 15).wrapping_mul(0x2000_4000_8001) & 0x0001_0001_0001_0001
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
