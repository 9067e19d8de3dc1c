//! A one-to-one map of ranks to positions, so that hot ones are not neighbours.

/// An odd factor permutes a power of two, which is walked until it falls inside.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scatter {
    count: u64,
    mask: u64,
    hashed: bool,
}

impl Scatter {
    /// Of so many ranks; at least 1.
    pub(crate) fn new(count: u64) -> Self {
        Scatter { count, mask: count.next_power_of_two() - 1, hashed: false }
    }

    /// As fio scatters (lib/zipf.c): not every place is a rank's where their number is no power of two.
    pub(crate) fn hashed(self) -> Self {
        Scatter { hashed: true, ..self }
    }

    /// Where a rank, which is below the count, lies.
    #[inline]
    pub(crate) fn at(&self, rank: u64) -> u64 {
        if self.hashed {
            return rank.wrapping_mul(0x61c8_8646_80b5_83eb) % self.count;
        }
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
    fn hashed_ranks_meet_unless_there_is_a_power_of_two_of_them() {
        for (count, used) in [(1024, 1024), (1280, 947)] {
            let scatter = Scatter::new(count).hashed();
            let places: std::collections::BTreeSet<u64> = (0..count).map(|rank| scatter.at(rank)).collect();
            assert_eq!(places.len(), used);
        }
    }

    #[test]
    fn every_place_is_one_rank() {
        let scatter = Scatter::new(1000);
        let mut places: Vec<u64> = (0..1000).map(|rank| scatter.at(rank)).collect();
        assert_ne!(places[..3], [0, 1, 2]);
        places.sort_unstable();
        assert_eq!(places, (0..1000).collect::<Vec<_>>());
    }
}
