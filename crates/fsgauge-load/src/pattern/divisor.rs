//! Division by a number that does not change: two multiplications instead of a division for every I/O.

/// A divisor with its reciprocal, 2^64 / divisor rounded down.
#[derive(Debug, Clone, Copy)]
pub(super) struct Divisor {
    by: u64,
    reciprocal: u64,
}

impl Divisor {
    /// Zero counts as one.
    pub(super) fn new(by: u64) -> Self {
        let by = by.max(1);
        Divisor { by, reciprocal: u64::MAX / by }
    }

    /// The divisor itself.
    #[inline]
    pub(super) fn by(&self) -> u64 {
        self.by
    }

    /// Quotient and remainder. The product with the reciprocal is right, or one too small.
    #[inline]
    pub(super) fn divide(&self, number: u64) -> (u64, u64) {
        let quotient = ((u128::from(number) * u128::from(self.reciprocal)) >> 64) as u64;
        let remainder = number - quotient * self.by;
        let missed = u64::from(remainder >= self.by);
        (quotient + missed, remainder - missed * self.by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn it_divides() {
        let mut random = Random::new(1, 0);
        let edges = [1, 2, 3, 4, 1 << 32, (1 << 32) - 1, u64::MAX / 2, u64::MAX - 1, u64::MAX];
        let draws: Vec<u64> = (0..2000).map(|draw| random.next() >> (draw % 64)).collect();
        for by in edges.iter().chain(&draws).copied().filter(|by| *by > 0) {
            let divisor = Divisor::new(by);
            let near = [0, by - 1, by, by.saturating_add(1), by.saturating_mul(3), by.saturating_mul(7) - 1];
            for number in edges.into_iter().chain(near).chain([random.next(), random.next() >> 20]) {
                assert_eq!(divisor.divide(number), (number / by, number % by), "{number} / {by}");
            }
        }
    }
}
