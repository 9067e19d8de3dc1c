//! Buddies: aligned pieces of a power of two of blocks. Every free run consists of buddies in exactly one way, each
//! as large as its place allows: up to the roundest place in the run they become larger, and from there on smaller. So the
//! distances from there to both ends, as binary numbers, name them all.

/// Orders of buddies: of 1 to 8192 blocks.
pub const ORDERS: usize = 14;

const LARGEST: u32 = ORDERS as u32 - 1;

/// The buddies of a run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Buddies {
    roundest: u32,
    /// Blocks before and behind the roundest place.
    before: u32,
    behind: u32,
}

impl Buddies {
    /// Of a run of at least one block, from its start to its end.
    #[inline]
    pub(crate) fn of(start: u32, end: u32) -> Self {
        // The last place whose lower bits can all be cleared without leaving the run.
        let bits = (start.wrapping_sub(1) ^ end).ilog2();
        let roundest = end >> bits << bits;
        Buddies { roundest, before: roundest - start, behind: end - roundest }
    }

    /// As binary numbers, those below the largest order: before the roundest place and behind it. And how many there are of
    /// the largest order.
    #[inline]
    pub(super) fn sums(&self) -> (u32, u32, u32) {
        (self.before, self.behind, (self.before >> LARGEST) + (self.behind >> LARGEST))
    }

    /// The order of the one that holds a block of the run.
    #[inline]
    pub(crate) fn order_at(&self, block: u32) -> u32 {
        let Buddies { roundest, before, behind } = *self;
        let (blocks, distance) =
            if block < roundest { (before, roundest - block - 1) } else { (behind, block - roundest) };
        (blocks ^ distance).ilog2().min(LARGEST)
    }

    /// Where the first of exactly this order begins.
    pub(super) fn first(&self, order: u32) -> Option<u32> {
        let has =
            |blocks: u32| if order == LARGEST { blocks >> LARGEST > 0 } else { blocks & 1 << order > 0 };
        if has(self.before) {
            Some(self.roundest - self.before + (self.before & ((1 << order) - 1)))
        } else if has(self.behind) {
            let larger = if order == LARGEST { 0 } else { self.behind >> (order + 1) << (order + 1) };
            Some(self.roundest + larger)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tally;
    use super::*;
    use crate::draw::Random;

    /// Place and order of each, found one after the other.
    fn buddies_of(start: u32, end: u32) -> Vec<(u32, u32)> {
        let (mut at, mut found) = (start, Vec::new());
        while at < end {
            let aligned = if at == 0 { LARGEST } else { at.trailing_zeros().min(LARGEST) };
            let order = aligned.min((end - at).ilog2());
            found.push((at, order));
            at += 1 << order;
        }
        found
    }

    #[test]
    fn a_run_is_cut_at_its_alignment() {
        assert_eq!(buddies_of(3, 17), [(3, 0), (4, 2), (8, 3), (16, 0)]);
        let mut random = Random::new(1);
        let drawn = (0..2000).map(|_| {
            let start = random.below(32768) as u32;
            (start, start + 1 + random.below(u64::from(32768 - start)) as u32)
        });
        let fixed = [(3, 17), (0, 32768), (0, 1), (32767, 32768), (1, 32768), (8192, 16384), (8191, 8193)];
        for (start, end) in fixed.into_iter().chain(drawn) {
            let (found, all) = (Buddies::of(start, end), buddies_of(start, end));
            for order in 0..ORDERS as u32 {
                let of_order: Vec<u32> = all.iter().filter(|is| is.1 == order).map(|is| is.0).collect();
                let count = Tally::of_run(start, end).buddies[order as usize];
                assert_eq!(usize::from(count), of_order.len(), "order {order} of {start} to {end}");
                assert_eq!(
                    found.first(order),
                    of_order.first().copied(),
                    "order {order} of {start} to {end}"
                );
            }
            for (place, order) in all {
                for block in [place, place + (1 << order) / 2, place + (1 << order) - 1] {
                    assert_eq!(found.order_at(block), order, "{block} of {start} to {end}");
                }
            }
        }
    }
}
