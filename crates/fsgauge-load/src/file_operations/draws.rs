//! Which operation comes next: drawn by weight.

use fsgauge_wire::{FileOperation, WeightedOperation};

use crate::random::Random;

/// Operations with their shares of all draws.
#[derive(Debug)]
pub(crate) struct Draws {
    operations: Vec<FileOperation>,
    /// A draw above the number belongs to an operation after the one at its place.
    up_to: Vec<u64>,
}

impl Draws {
    /// `operations` has at least one, and no weight is 0.
    pub(crate) fn new(operations: &[WeightedOperation]) -> Self {
        let mut sorted = operations.to_vec();
        sorted.sort_by_key(|each| std::cmp::Reverse(each.weight));
        let total: u64 = sorted.iter().map(|each| u64::from(each.weight)).sum();
        let mut weight = 0;
        let share = |each: &WeightedOperation| {
            weight += u64::from(each.weight);
            (u128::from(u64::MAX) * u128::from(weight) / u128::from(total.max(1))) as u64
        };
        let up_to = sorted.iter().map(share).collect();
        Draws { operations: sorted.iter().map(|each| each.operation).collect(), up_to }
    }

    /// Each of them once, the likeliest first.
    pub(crate) fn all(&self) -> impl Iterator<Item = FileOperation> + '_ {
        self.operations.iter().copied()
    }

    /// All shares are compared: a search that ends where the draw lies is a branch that no processor foresees.
    #[inline]
    pub(crate) fn next(&self, random: &mut Random) -> FileOperation {
        let draw = random.next();
        let place: usize = self.up_to.iter().map(|up_to| usize::from(draw > *up_to)).sum();
        self.operations[place]
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
