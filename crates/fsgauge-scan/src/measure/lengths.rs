//! A distribution of lengths in powers of two.

use fsgauge_wire::LengthBin;

/// How many pieces, and how many bytes, for each power of two.
#[derive(Debug, Clone)]
pub(crate) struct Lengths {
    bins: [(u64, u64); 64],
}

impl Lengths {
    pub(crate) fn new() -> Self {
        Lengths { bins: [(0, 0); 64] }
    }

    /// One more piece; one of no bytes is none.
    #[inline]
    pub(crate) fn add(&mut self, length_bytes: u64) {
        let Some(power) = length_bytes.checked_ilog2() else { return };
        let bin = &mut self.bins[power as usize];
        bin.0 += 1;
        bin.1 = bin.1.saturating_add(length_bytes);
    }

    pub(crate) fn merge(&mut self, other: &Lengths) {
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            bin.0 += more.0;
            bin.1 = bin.1.saturating_add(more.1);
        }
    }

    /// How many pieces.
    pub(crate) fn pieces(&self) -> u64 {
        self.bins.iter().map(|bin| bin.0).sum()
    }

    /// Their bytes.
    pub(crate) fn size_bytes(&self) -> u64 {
        self.size_bytes_from(1)
    }

    /// The bytes of those that are no shorter than a power of two.
    pub(crate) fn size_bytes_from(&self, power_bytes: u64) -> u64 {
        let first = power_bytes.trailing_zeros() as usize;
        self.bins.iter().skip(first).fold(0, |sum, bin| sum.saturating_add(bin.1))
    }

    /// Ascending, empty bins left out.
    pub(crate) fn list(&self) -> Vec<LengthBin> {
        let bin = |(power, &(extents, size_bytes)): (usize, &(u64, u64))| LengthBin {
            at_least_bytes: 1 << power,
            extents,
            size_bytes,
        };
        self.bins.iter().enumerate().filter(|(_, bin)| bin.0 > 0).map(bin).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bin_begins_at_a_power_of_two_and_ends_below_the_next() {
        let mut lengths = Lengths::new();
        [4096, 8191, 8192, 0, u64::MAX].into_iter().for_each(|length| lengths.add(length));
        let list = lengths.list();
        let pairs: Vec<_> =
            list.iter().map(|bin| (bin.at_least_bytes, bin.extents, bin.size_bytes)).collect();
        assert_eq!(pairs, [(4096, 2, 12287), (8192, 1, 8192), (1 << 63, 1, u64::MAX)]);
        assert_eq!(lengths.pieces(), 4);
    }

    #[test]
    fn threads_add_up() {
        let (mut one, mut other) = (Lengths::new(), Lengths::new());
        one.add(4096);
        other.add(5000);
        other.add(1 << 20);
        one.merge(&other);
        assert_eq!((one.pieces(), one.size_bytes()), (3, 9096 + (1 << 20)));
        assert_eq!(one.list()[0].extents, 2);
    }
}
