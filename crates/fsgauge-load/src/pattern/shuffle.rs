//! A permutation without memory: visits every number below a limit once, in an order that looks random.
//!
//! Rounds of an odd factor and a folded shift permute a power of two; a number that falls outside the limit
//! goes through them again until it falls inside (cycle walking: J. Black, P. Rogaway, "Ciphers with arbitrary
//! finite domains", CT-RSA 2002). Fewer than two walks on average.

use crate::random::Random;

const ROUNDS: usize = 3;

/// A one-to-one map of the numbers 0 to `limit` - 1.
#[derive(Debug, Clone, Copy)]
pub struct Shuffle {
    limit: u64,
    mask: u64,
    /// At least half of the mask's bits, so that the fold undoes itself.
    shift: u32,
    rounds: [Round; ROUNDS],
}

#[derive(Debug, Clone, Copy)]
struct Round {
    /// Odd.
    factor: u64,
    /// Its inverse modulo 2^64.
    inverse: u64,
    addend: u64,
}

impl Round {
    fn new(random: &mut Random) -> Self {
        let factor = random.next() | 1;
        // Newton: an odd number is its own inverse modulo 8, and each step doubles the right bits.
        let inverse = (0..5)
            .fold(factor, |inverse, _| inverse.wrapping_mul(2u64.wrapping_sub(factor.wrapping_mul(inverse))));
        Round { factor, inverse, addend: random.next() }
    }
}

impl Shuffle {
    /// `limit` is 1 to 2^63.
    pub fn new(limit: u64, mut random: Random) -> Self {
        let bits = limit.next_power_of_two().trailing_zeros();
        let mask = (1 << bits) - 1;
        let rounds = std::array::from_fn(|_| Round::new(&mut random));
        Shuffle { limit, mask, shift: bits.div_ceil(2).max(1), rounds }
    }

    /// What stands at `position`, which is below the limit.
    #[inline]
    pub fn at(&self, position: u64) -> u64 {
        let mut number = position;
        loop {
            for round in &self.rounds {
                number = number.wrapping_mul(round.factor).wrapping_add(round.addend) & self.mask;
                number ^= number >> self.shift;
            }
            if number < self.limit {
                return number;
            }
        }
    }

    /// Where `number`, which is below the limit, stands.
    pub(super) fn position(&self, number: u64) -> u64 {
        let mut position = number;
        loop {
            for round in self.rounds.iter().rev() {
                position ^= position >> self.shift;
                position = position.wrapping_sub(round.addend).wrapping_mul(round.inverse) & self.mask;
            }
            if position < self.limit {
                return position;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_stands_at_one_position() {
        for limit in (1..40).chain([255, 256, 257, 1000, 4096, 4097]) {
            let shuffle = Shuffle::new(limit, Random::new(7, limit));
            let mut numbers: Vec<u64> = (0..limit).map(|position| shuffle.at(position)).collect();
            assert!((0..limit).all(|position| shuffle.position(numbers[position as usize]) == position));
            numbers.sort_unstable();
            assert_eq!(numbers, (0..limit).collect::<Vec<u64>>());
        }
    }

    #[test]
    fn large_limits_go_back_and_forth() {
        let shuffle = Shuffle::new((1 << 62) + 12345, Random::new(3, 0));
        let mut random = Random::new(4, 0);
        for _ in 0..1000 {
            let position = random.next() >> 2;
            assert_eq!(shuffle.position(shuffle.at(position)), position);
        }
    }

    #[test]
    fn neighbours_are_scattered() {
        const LIMIT: u64 = 100_000;
        for seed in 0..20 {
            let shuffle = Shuffle::new(LIMIT, Random::new(seed, 0));
            let steps: Vec<u64> =
                (1..LIMIT).map(|position| shuffle.at(position).abs_diff(shuffle.at(position - 1))).collect();
            // Two independent draws are a third of the range apart.
            let mean = steps.iter().sum::<u64>() as f64 / steps.len() as f64;
            assert!((0.30..0.37).contains(&(mean / LIMIT as f64)), "seed {seed}: {mean}");
            let near = steps.iter().filter(|step| **step <= 16).count();
            // 32 expected of 100 000, with a standard deviation of 6.
            assert!(near < 100, "seed {seed}: {near} of {LIMIT} are neighbours");
        }
    }
}
