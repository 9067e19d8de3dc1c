//! A small fast random generator: wyrand (Wang Yi, public domain), 64 bits of state, about 1 ns a number.

/// The generator. Equal seeds give equal sequences on every machine.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    /// A generator for stream `stream` of `seed`: streams of one seed do not resemble one another.
    pub(crate) fn new(seed: u64, stream: u64) -> Self {
        let mut mixer = Random { state: seed };
        mixer.state ^= mixer.next().rotate_left(23) ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixer.next();
        mixer
    }

    /// 64 random bits.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0xa076_1d64_78bd_642f);
        let product = u128::from(self.state) * u128::from(self.state ^ 0xe703_7ed1_a0b4_28db);
        (product >> 64) as u64 ^ product as u64
    }

    /// A number below `bound`, by multiplication instead of division.
    #[inline]
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in (0, 1].
    #[inline]
    pub(crate) fn fraction(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Fills `bytes`.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
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
    fn every_number_below_a_bound_is_as_likely() {
        let mut random = Random::new(7, 0);
        let mut counts = [0u32; 10];
        for _ in 0..100_000 {
            counts[random.below(10) as usize] += 1;
        }
        // 10 000 expected each, with a standard deviation of 95.
        assert!(counts.iter().all(|count| (9_500..10_500).contains(count)), "{counts:?}");
    }
}
