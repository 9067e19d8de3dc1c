//! A value for each group, and the first group from any on whose value is large enough: a tree of maxima, so that it is
//! found in a few steps among millions.

const FAN: usize = 16;
const BITS: [u16; FAN] = {
    let mut bits = [0; FAN];
    let mut place = 0;
    while place < FAN {
        bits[place] = 1 << place;
        place += 1;
    }
    bits
};

/// Values of numbers below a limit; 0 of those that are not there.
#[derive(Debug, Clone)]
pub(super) struct Ranked {
    limit: usize,
    /// The values, then of every sixteen the largest, up to a level of sixteen. None before the first value.
    levels: Vec<Vec<u16>>,
    largest: u16,
}

impl Ranked {
    pub(super) fn new(limit: usize) -> Self {
        Ranked { limit, levels: Vec::new(), largest: 0 }
    }

    /// One value for all.
    pub(super) fn filled(limit: usize, value: u16) -> Self {
        let mut levels = Vec::new();
        let mut count = limit;
        loop {
            let mut level = vec![0; count.next_multiple_of(FAN)];
            level[..count].fill(value);
            levels.push(level);
            if count <= FAN {
                return Ranked { limit, levels, largest: value };
            }
            count = count.div_ceil(FAN);
        }
    }

    pub(super) fn set(&mut self, number: u32, value: u16) {
        if self.levels.is_empty() {
            if value == 0 {
                return;
            }
            *self = Ranked::filled(self.limit, 0);
        }
        let (mut place, mut largest) = (number as usize, value);
        for height in 0..self.levels.len() {
            let level = &mut self.levels[height];
            let before = std::mem::replace(&mut level[place], largest);
            let first = place / FAN * FAN;
            place /= FAN;
            let above = self.levels.get(height + 1).map_or(self.largest, |above| above[place]);
            if largest <= above {
                if before < above || largest == above {
                    return;
                }
                // It was the largest, perhaps the only one.
                largest = self.levels[height][first..first + FAN].iter().copied().fold(0, u16::max);
            }
        }
        self.largest = largest;
    }

    /// The first number from `from` on whose value is at least `least`, which is above 0.
    #[inline]
    pub(super) fn next(&self, from: u32, least: u16) -> Option<u32> {
        // Most that are asked have none.
        if least > self.largest { None } else { self.next_of_some(from, least) }
    }

    fn next_of_some(&self, from: u32, least: u16) -> Option<u32> {
        let mut place = from as usize;
        let mut height = 0;
        // Up, until one at or after the place is large enough; then down to the number itself.
        loop {
            let sixteen = self.levels.get(height)?.as_chunks::<FAN>().0.get(place / FAN);
            let behind = sixteen.map_or(0, |values| large(values, least) & (u16::MAX << (place % FAN)));
            if behind != 0 {
                place = place / FAN * FAN + behind.trailing_zeros() as usize;
                break;
            }
            place = place / FAN + 1;
            height += 1;
        }
        while height > 0 {
            height -= 1;
            let values = self.levels[height].as_chunks::<FAN>().0.get(place)?;
            place = place * FAN + large(values, least).trailing_zeros() as usize;
        }
        Some(place as u32)
    }

    /// The largest value of all.
    pub(super) fn largest(&self) -> u16 {
        self.largest
    }
}

/// A bit for each of sixteen values, set where it is at least `least`: all are compared at once.
fn large(values: &[u16; FAN], least: u16) -> u16 {
    let bit = |(&value, &bit): (&u16, &u16)| if value >= least { bit } else { 0 };
    values.iter().zip(&BITS).map(bit).fold(0, |bits, bit| bits | bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Random;

    #[test]
    fn it_finds_what_a_list_finds() {
        for limit in [1, 15, 16, 17, 256, 257, 5000] {
            let (mut ranked, mut twin) = (Ranked::new(limit), vec![0u16; limit]);
            let mut random = Random::new(limit as u64);
            assert_eq!((ranked.next(0, 1), ranked.largest()), (None, 0));
            for _ in 0..3000 {
                let number = random.below(limit as u64) as u32;
                let value = if random.below(3) == 0 { 0 } else { random.below(40) as u16 };
                ranked.set(number, value);
                twin[number as usize] = value;
                let (from, least) = (random.below(limit as u64 + 2) as u32, 1 + random.below(40) as u16);
                let expected = (from as usize..limit).find(|&at| twin[at] >= least);
                assert_eq!(ranked.next(from, least), expected.map(|at| at as u32), "{from} of {limit}");
                assert_eq!(ranked.largest(), *twin.iter().max().unwrap());
            }
        }
        let filled = Ranked::filled(20, 7);
        assert_eq!((filled.next(19, 7), filled.next(20, 1), filled.next(0, 8)), (Some(19), None, None));
    }
}
