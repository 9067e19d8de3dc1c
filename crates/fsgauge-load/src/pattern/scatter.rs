//! A one-to-one map of ranks to positions, so that hot ones are not neighbours.

/// An odd factor permutes a power of two, which is walked until it falls inside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scatter {
    count: u64,
    mask: u64,
}

impl Scatter {
    /// Of so many ranks; at least 1.
    pub(crate) fn new(count: u64) -> Self {
        Scatter { count, mask: count.next_power_of_two() - 1 }
    }

    /// Where a rank, which is below the count, lies.
    #[inline]
    pub(crate) fn at(&self, rank: u64) -> u64 {
        let mut index = rank;
        loop {
            index = index.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x5851_f42d_4c95_7f2d) & self.mask;
            if index < self.count {
                return index;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_one_rank() {
        let scatter = Scatter::new(1000);
        let mut places: Vec<u64> = (0..1000).map(|rank| scatter.at(rank)).collect();
        assert_ne!(places[..3], [0, 1, 2]);
        places.sort_unstable();
        assert_eq!(places, (0..1000).collect::<Vec<_>>());
    }
}
