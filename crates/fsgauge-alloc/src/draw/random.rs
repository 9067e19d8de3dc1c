//! The generator: xoshiro256++ of Blackman and Vigna (2021), seeded by SplitMix64.

/// A stream of random numbers; the same seed gives the same stream.
#[derive(Debug, Clone)]
pub(crate) struct Random {
    state: [u64; 4],
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        let mut at = seed;
        let state = std::array::from_fn(|_| {
            at = at.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (at ^ (at >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        });
        Random { state }
    }

    pub(crate) fn next(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let shifted = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= shifted;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// From 0 to below `limit`, which is above 0. Off from even by less than limit / 2^64.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(limit)) >> 64) as u64
    }

    /// Above 0, at most 1.
    pub(crate) fn share(&mut self) -> f64 {
        ((self.next() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the reference code (prng.di.unimi.it, xoshiro256plusplus.c) from the state 1, 2, 3, 4.
    #[test]
    fn it_is_the_published_generator() {
        let mut random = Random { state: [1, 2, 3, 4] };
        assert_eq!([(); 3].map(|()| random.next()), [41_943_041, 58_720_359, 3_588_806_011_781_223]);
    }

    #[test]
    fn numbers_stay_below_their_limit_and_reach_it() {
        let mut random = Random::new(7);
        let mut seen = [0u32; 5];
        for _ in 0..10_000 {
            seen[random.below(5) as usize] += 1;
            let share = random.share();
            assert!(share > 0.0 && share <= 1.0);
        }
        assert!(seen.iter().all(|&count| (1800..2200).contains(&count)), "{seen:?}");
    }
}
