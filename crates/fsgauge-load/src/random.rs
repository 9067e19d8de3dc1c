//! A small fast random generator: wyrand (Wang Yi, public domain), 64 bits of state, about 1 ns a number.

/// The generator. Equal seeds give equal sequences on every machine.
#[derive(Debug, Clone)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator for stream `stream` of `seed`: streams of one seed do not resemble one another.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut mixer = Random { state: seed };
        mixer.state ^= mixer.next().rotate_left(23) ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixer.next();
        mixer
    }

    /// 64 random bits.
    #[inline]
    #[allow(clippy::should_implement_trait, reason = "an iterator may end, and this has no end to ask for")]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0xa076_1d64_78bd_642f);
        let product = u128::from(self.state) * u128::from(self.state ^ 0xe703_7ed1_a0b4_28db);
        (product >> 64) as u64 ^ product as u64
    }

    /// A number in (0, 1].
    #[inline]
    pub fn fraction(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Puts `items` into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = (u128::from(self.next()) * (last as u128 + 1)) >> 64;
            items.swap(last, other as usize);
        }
    }

    /// Fills `bytes`.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.next().to_le_bytes()[..chunk.len()]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_and_streams_decide() {
        let draw = |seed, stream| Random::new(seed, stream).next();
        assert_eq!(draw(1, 1), draw(1, 1));
        assert_ne!(draw(1, 1), draw(1, 2));
        assert_ne!(draw(1, 1), draw(2, 1));
    }

    #[test]
    fn every_bit_is_as_often_set_as_not() {
        let mut random = Random::new(7, 0);
        let mut counts = [0u32; 64];
        for _ in 0..40_000 {
            let draw = random.next();
            counts.iter_mut().enumerate().for_each(|(bit, count)| *count += (draw >> bit & 1) as u32);
        }
        // 20 000 expected each, with a standard deviation of 100.
        assert!(counts.iter().all(|count| (19_500..20_500).contains(count)), "{counts:?}");
    }

    #[test]
    fn every_order_is_as_likely() {
        let mut random = Random::new(7, 2);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..24_000 {
            let mut items = [0, 1, 2, 3];
            random.shuffle(&mut items);
            *counts.entry(items).or_insert(0) += 1;
        }
        // 1000 expected each of 24, with a standard deviation of 31.
        assert_eq!(counts.len(), 24);
        assert!(counts.values().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn fractions_are_above_zero_and_have_their_mean() {
        let mut random = Random::new(7, 1);
        let draws: Vec<f64> = (0..100_000).map(|_| random.fraction()).collect();
        assert!(draws.iter().all(|draw| *draw > 0.0 && *draw <= 1.0));
        assert!((draws.iter().sum::<f64>() / 1e5 - 0.5).abs() < 0.005);
    }
}
