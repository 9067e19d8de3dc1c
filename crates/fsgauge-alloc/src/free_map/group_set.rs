//! A set of groups: bits, with two levels of summaries above them, so that the next member after any group is found in
//! a few steps among millions.

const WORD: usize = 64;

/// A set of numbers below a limit.
#[derive(Debug, Clone)]
pub(super) struct GroupSet {
    /// Each level says which words of the one below are not zero; the last has one word.
    levels: Vec<Vec<u64>>,
}

impl GroupSet {
    pub(super) fn new(limit: usize) -> Self {
        let mut levels = Vec::new();
        let mut words = limit.max(1);
        loop {
            words = words.div_ceil(WORD);
            levels.push(vec![0; words]);
            if words == 1 {
                return GroupSet { levels };
            }
        }
    }

    pub(super) fn insert(&mut self, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level[place / WORD];
            let was_empty = *word == 0;
            *word |= 1 << (place % WORD);
            if !was_empty {
                break;
            }
            place /= WORD;
        }
    }

    pub(super) fn remove(&mut self, number: u32) {
        let mut place = number as usize;
        for level in &mut self.levels {
            let word = &mut level[place / WORD];
            *word &= !(1 << (place % WORD));
            if *word != 0 {
                break;
            }
            place /= WORD;
        }
    }

    /// The first member that is not below `from`.
    pub(super) fn next(&self, from: u32) -> Option<u32> {
        let mut place = from as usize;
        let mut height = 0;
        // Up, until a word has a member at or after the place; then down to the member itself.
        loop {
            let level = self.levels.get(height)?;
            let word = level.get(place / WORD).copied().unwrap_or(0) & (u64::MAX << (place % WORD));
            if word != 0 {
                place = place / WORD * WORD + word.trailing_zeros() as usize;
                break;
            }
            place = place / WORD + 1;
            height += 1;
        }
        while height > 0 {
            height -= 1;
            place = place * WORD + self.levels[height][place].trailing_zeros() as usize;
        }
        Some(place as u32)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::draw::Random;

    #[test]
    fn it_is_a_set_of_numbers() {
        for limit in [1, 63, 64, 65, 4096, 4097, 300_000] {
            let (mut set, mut twin) = (GroupSet::new(limit), BTreeSet::new());
            let mut random = Random::new(limit as u64);
            for _ in 0..3000 {
                let number = random.below(limit as u64) as u32;
                if random.below(3) == 0 {
                    set.remove(number);
                    twin.remove(&number);
                } else {
                    set.insert(number);
                    twin.insert(number);
                }
                let from = random.below(limit as u64 + 2) as u32;
                assert_eq!(set.next(from), twin.range(from..).next().copied(), "{from} of {limit}");
            }
            for number in std::mem::take(&mut twin) {
                set.remove(number);
            }
            assert_eq!(set.next(0), None);
        }
    }
}
