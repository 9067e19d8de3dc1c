//! How many extents there are of each exact length.

use std::collections::BTreeMap;

use fsgauge_wire::ExactLength;

/// Up to here, and in whole blocks of this size, a length is a place in a table.
const TABLE_BYTES: u64 = 128 << 20;
const BLOCK_BYTES: u64 = 4096;
/// Other lengths that are told apart; with more none of them is.
const OTHERS: usize = 65_536;
/// Lengths that a result has, those of most bytes.
const LISTED: usize = 1_000;

#[derive(Debug, Clone, Default)]
pub(crate) struct ExactLengths {
    /// By length in blocks; empty before the first extent.
    table: Vec<u64>,
    others: BTreeMap<u64, u64>,
    too_many: bool,
}

impl ExactLengths {
    /// One more extent.
    #[inline]
    pub(crate) fn add(&mut self, length_bytes: u64) {
        if length_bytes <= TABLE_BYTES && length_bytes.is_multiple_of(BLOCK_BYTES) {
            if self.table.is_empty() {
                self.table = vec![0; (TABLE_BYTES / BLOCK_BYTES) as usize + 1];
            }
            self.table[(length_bytes / BLOCK_BYTES) as usize] += 1;
        } else {
            self.add_other(length_bytes, 1);
        }
    }

    #[cold]
    fn add_other(&mut self, length_bytes: u64, extents: u64) {
        if !self.too_many {
            *self.others.entry(length_bytes).or_default() += extents;
            self.too_many = self.others.len() > OTHERS;
        }
    }

    pub(crate) fn merge(&mut self, other: ExactLengths) {
        if self.table.is_empty() {
            self.table = other.table;
        } else {
            self.table.iter_mut().zip(other.table).for_each(|(count, more)| *count += more);
        }
        self.too_many |= other.too_many;
        other.others.into_iter().for_each(|(length_bytes, extents)| self.add_other(length_bytes, extents));
    }

    /// Those of most bytes, ascending in length, whatever the order they came in.
    pub(crate) fn list(self) -> Vec<ExactLength> {
        let tabled = self.table.into_iter().enumerate().filter(|&(_, extents)| extents > 0);
        let tabled = tabled.map(|(blocks, extents)| (blocks as u64 * BLOCK_BYTES, extents));
        let others = self.others.into_iter().filter(|_| !self.too_many);
        let mut found: Vec<ExactLength> = tabled
            .chain(others)
            .map(|(length_bytes, extents)| ExactLength { length_bytes, extents })
            .collect();
        found.sort_by_key(|each| {
            (u128::from(each.length_bytes) * u128::from(each.extents), each.length_bytes)
        });
        found.drain(..found.len().saturating_sub(LISTED));
        found.sort_by_key(|each| each.length_bytes);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(lengths: ExactLengths) -> Vec<(u64, u64)> {
        lengths.list().into_iter().map(|each| (each.length_bytes, each.extents)).collect()
    }

    fn of(given: impl IntoIterator<Item = u64>) -> ExactLengths {
        let mut lengths = ExactLengths::default();
        given.into_iter().for_each(|length| lengths.add(length));
        lengths
    }

    #[test]
    fn every_length_is_counted_whatever_its_number_and_the_threads() {
        let many = std::iter::repeat_n(1 << 20, 100_000).chain([512, 4096, 4097, 1 << 30]);
        let expected = [(512, 2), (4096, 1), (4097, 1), (1 << 20, 100_000), (1 << 30, 1)];
        let (mut one, mut other) = (of(many), of([512]));
        let mut turned = other.clone();
        turned.merge(one.clone());
        one.merge(std::mem::take(&mut other));
        assert_eq!(listed(one), expected);
        assert_eq!(listed(turned), expected);
    }

    #[test]
    fn of_many_lengths_those_of_most_bytes_are_listed() {
        let list = listed(of((1..=1_100).map(|blocks| blocks * BLOCK_BYTES)));
        assert_eq!((list.len(), list[0]), (1_000, (101 * BLOCK_BYTES, 1)));
    }

    #[test]
    fn of_too_many_odd_lengths_none_is_told_and_whole_blocks_are() {
        let odd = (0..=OTHERS as u64).map(|at| at * BLOCK_BYTES + 1);
        let mut half = of(odd.clone().step_by(2));
        half.merge(of(odd.chain([BLOCK_BYTES])));
        assert_eq!(listed(half), [(BLOCK_BYTES, 1)]);
    }
}
