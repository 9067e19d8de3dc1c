//! What several files share, counted once.

/// Ranges that are told apart; with more, none are.
const LIMIT: usize = 1 << 22;

/// Where shared extents lie on the device.
#[derive(Debug, Clone, Default)]
pub(crate) struct SharedOnce {
    ranges: Vec<(u64, u64)>,
    is_unknown: bool,
}

impl SharedOnce {
    /// One more shared extent of a file, by its begin and its length on the device; 0 for a length that is not known.
    #[cold]
    pub(crate) fn add(&mut self, offset_bytes: u64, device_bytes: u64) {
        self.is_unknown |= device_bytes == 0;
        self.push((offset_bytes, offset_bytes.saturating_add(device_bytes)));
    }

    fn push(&mut self, range: (u64, u64)) {
        if self.is_unknown {
            self.ranges = Vec::new();
            return;
        }
        self.ranges.push(range);
        if self.ranges.len() >= LIMIT {
            self.fold();
            self.is_unknown = self.ranges.len() > LIMIT / 2;
        }
    }

    fn fold(&mut self) {
        self.ranges.sort_unstable();
        self.ranges.dedup();
    }

    pub(crate) fn merge(&mut self, other: SharedOnce) {
        self.is_unknown |= other.is_unknown;
        other.ranges.into_iter().for_each(|range| self.push(range));
    }

    /// How many there are and their bytes, each once; `None` where that is not known.
    pub(crate) fn sum(mut self) -> Option<(u64, u64)> {
        self.fold();
        let mut at = 0;
        let mut size_bytes = 0u64;
        for &(from, to) in &self.ranges {
            size_bytes = size_bytes.saturating_add(to.saturating_sub(from.max(at)));
            at = at.max(to);
        }
        (!self.is_unknown).then_some((self.ranges.len() as u64, size_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_two_files_share_counts_once_whatever_the_threads_and_the_overlaps() {
        let (mut one, mut other) = (SharedOnce::default(), SharedOnce::default());
        [(100, 50), (0, 10), (100, 50)].into_iter().for_each(|(at, length)| one.add(at, length));
        [(100, 50), (140, 20)].into_iter().for_each(|(at, length)| other.add(at, length));
        one.merge(other);
        assert_eq!(one.sum(), Some((3, 70)));
        assert_eq!(SharedOnce::default().sum(), Some((0, 0)));
    }

    #[test]
    fn with_a_length_that_is_not_known_neither_is_the_sum() {
        let (mut one, mut other) = (SharedOnce::default(), SharedOnce::default());
        one.add(0, 10);
        other.add(100, 0);
        one.merge(other);
        assert_eq!(one.sum(), None);
    }

    #[test]
    fn memory_is_bounded() {
        let mut many = SharedOnce::default();
        (0..LIMIT as u64 + 5).for_each(|at| many.add(at * 10, 5));
        assert!(many.ranges.capacity() == 0 && many.sum().is_none());
        let mut same = SharedOnce::default();
        (0..LIMIT as u64 + 5).for_each(|at| same.add(at % 7 * 10, 5));
        assert_eq!(same.sum(), Some((7, 35)));
    }
}
