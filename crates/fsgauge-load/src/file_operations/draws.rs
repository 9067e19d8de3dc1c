//! Which operation comes next: drawn by weight.

use fsgauge_wire::{FileOperation, WeightedOperation};

use crate::random::Random;

/// Operations with their shares of all draws.
#[derive(Debug)]
pub(crate) struct Draws {
    /// A draw at or below the number belongs to this operation or to one before it.
    up_to: Vec<(u64, FileOperation)>,
}

impl Draws {
    /// `operations` has at least one, and no weight is 0. The most frequent are looked at first.
    pub(crate) fn new(operations: &[WeightedOperation]) -> Self {
        let mut sorted = operations.to_vec();
        sorted.sort_by_key(|each| std::cmp::Reverse(each.weight));
        let total: u64 = sorted.iter().map(|each| u64::from(each.weight)).sum();
        let mut weight = 0;
        let share = |each: &WeightedOperation| {
            weight += u64::from(each.weight);
            let up_to = u128::from(u64::MAX) * u128::from(weight) / u128::from(total.max(1));
            (up_to as u64, each.operation)
        };
        Draws { up_to: sorted.iter().map(share).collect() }
    }

    #[inline]
    pub(crate) fn next(&self, random: &mut Random) -> FileOperation {
        let draw = random.next();
        let found = self.up_to.iter().find(|(up_to, _)| draw <= *up_to);
        found.map_or(self.up_to[0].1, |(_, operation)| *operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_decide_how_often() {
        let one = |operation, weight| WeightedOperation { operation, weight };
        let draws = Draws::new(&[one(FileOperation::Stat, 1), one(FileOperation::Append, 3)]);
        let mut random = Random::new(4, 0);
        let appends = (0..40_000).filter(|_| draws.next(&mut random) == FileOperation::Append).count();
        // 30 000 expected, with a standard deviation of 87.
        assert!((29_600..30_400).contains(&appends), "{appends}");
    }
}
