//! Sizes of files.

use fsgauge_wire::AgeSizes;

use super::{Bins, Lognormal, Random};

/// A law of sizes, ready to draw from.
#[derive(Debug, Clone)]
pub(crate) enum Sizes {
    LognormalPareto { body: Lognormal, tail: Tail, largest_bytes: u64 },
    Bins(Bins),
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Tail {
    share: f64,
    from_bytes: f64,
    inverse_alpha: f64,
}

/// Draws of one size before the largest is taken: more than enough for any law that is not mostly too large.
const TRIES: u32 = 64;

impl Sizes {
    /// The law with its largest size filled in: a twentieth of the room for live files.
    pub(crate) fn resolve(sizes: &AgeSizes, room_bytes: u64) -> AgeSizes {
        let mut sizes = sizes.clone();
        if let AgeSizes::LognormalPareto { largest_bytes, .. } = &mut sizes {
            largest_bytes.get_or_insert((room_bytes / 20).max(1));
        }
        sizes
    }

    /// Says what is wrong with a law.
    pub(crate) fn new(sizes: &AgeSizes) -> Result<Self, String> {
        match sizes {
            AgeSizes::Bins { bins } => {
                Bins::new(bins.iter().map(|bin| (bin.at_least_bytes, bin.below_bytes, bin.weight)))
                    .map(Sizes::Bins)
            }
            &AgeSizes::LognormalPareto {
                median_bytes,
                sigma,
                tail_percent,
                tail_from_bytes,
                tail_alpha,
                largest_bytes,
            } => {
                let largest_bytes = largest_bytes.unwrap_or(u64::MAX);
                if median_bytes == 0 || tail_from_bytes == 0 || largest_bytes == 0 {
                    return Err("median_bytes, tail_from_bytes and largest_bytes must be above 0".into());
                }
                if !(sigma.is_finite() && (0.0..=10.0).contains(&sigma)) {
                    return Err(format!("sigma {sigma} is not between 0 and 10"));
                }
                if !(0.0..=100.0).contains(&tail_percent) {
                    return Err(format!("tail_percent {tail_percent} is not between 0 and 100"));
                }
                if !(tail_alpha.is_finite() && tail_alpha > 0.0) {
                    return Err(format!("tail_alpha {tail_alpha} is not above 0"));
                }
                let tail = Tail {
                    share: tail_percent / 100.0,
                    from_bytes: tail_from_bytes as f64,
                    inverse_alpha: 1.0 / tail_alpha,
                };
                let body = Lognormal::new(median_bytes, sigma);
                Ok(Sizes::LognormalPareto { body, tail, largest_bytes })
            }
        }
    }

    /// The largest size that can be drawn.
    pub(crate) fn largest_bytes(&self) -> u64 {
        match self {
            Sizes::LognormalPareto { largest_bytes, .. } => *largest_bytes,
            Sizes::Bins(bins) => bins.below() - 1,
        }
    }

    /// At least 1.
    pub(crate) fn draw(&self, random: &mut Random) -> u64 {
        match self {
            Sizes::Bins(bins) => bins.draw(random),
            Sizes::LognormalPareto { body, tail, largest_bytes } => {
                for _ in 0..TRIES {
                    let size = if tail.share > 0.0 && random.share() <= tail.share {
                        tail.from_bytes * libm::pow(random.share(), -tail.inverse_alpha)
                    } else {
                        body.draw(random)
                    };
                    if size <= *largest_bytes as f64 {
                        return (size as u64).max(1);
                    }
                }
                *largest_bytes
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pareto(tail_percent: f64, largest_bytes: Option<u64>) -> Sizes {
        Sizes::new(&AgeSizes::LognormalPareto {
            median_bytes: 4096,
            sigma: 0.5,
            tail_percent,
            tail_from_bytes: 1 << 20,
            tail_alpha: 1.0,
            largest_bytes,
        })
        .unwrap()
    }

    #[test]
    fn the_tail_has_its_share_and_its_exponent() {
        let (sizes, mut random) = (pareto(25.0, None), Random::new(5));
        let drawn: Vec<u64> = (0..20_000).map(|_| sizes.draw(&mut random)).collect();
        let above = |limit: u64| drawn.iter().filter(|&&size| size >= limit).count() as f64 / 20_000.0;
        assert!((above(1 << 20) - 0.25).abs() < 0.01, "{}", above(1 << 20));
        // Exponent 1: half of the tail lies above twice its beginning.
        assert!((above(2 << 20) - 0.125).abs() < 0.01, "{}", above(2 << 20));
    }

    #[test]
    fn nothing_is_larger_than_the_largest() {
        let (sizes, mut random) = (pareto(50.0, Some(3 << 20)), Random::new(6));
        assert!((0..20_000).all(|_| (1..=3 << 20).contains(&sizes.draw(&mut random))));
    }

    #[test]
    fn the_default_has_its_median() {
        let sizes = Sizes::new(&AgeSizes::default()).unwrap();
        let mut random = Random::new(7);
        let mut drawn: Vec<u64> = (0..20_001).map(|_| sizes.draw(&mut random)).collect();
        drawn.sort_unstable();
        assert!((12_300..13_900).contains(&drawn[10_000]), "{}", drawn[10_000]);
        let same = drawn.iter().filter(|size| size.is_power_of_two()).count();
        assert!(same < 400, "{same} of 20,001 are powers of two");
    }

    #[test]
    fn the_room_limits_the_largest() {
        let sizes = Sizes::resolve(&AgeSizes::default(), 20 << 30);
        assert_eq!(Sizes::new(&sizes).unwrap().largest_bytes(), 1 << 30);
    }
}
