//! A histogram to draw from: a bin by weight, then a value within it, evenly on the scale of logarithms. Values
//! are never the bins' borders alone: a hole left by a file of one bin would else fit the next exactly.

use super::Random;

/// Bins with the sum of weights up to each.
#[derive(Debug, Clone)]
pub(crate) struct Bins {
    bins: Vec<Bin>,
    total: f64,
}

#[derive(Debug, Clone, Copy)]
struct Bin {
    up_to: f64,
    at_least: u64,
    below: u64,
    /// The logarithm of `at_least`, and how far that of `below` is from it.
    low: f64,
    width: f64,
}

impl Bins {
    /// Takes (at least, below, weight); says what is wrong with them.
    pub(crate) fn new(bins: impl Iterator<Item = (u64, u64, f64)>) -> Result<Self, String> {
        let mut total = 0.0;
        let mut kept = Vec::new();
        for (at_least, below, weight) in bins {
            if at_least == 0 || at_least >= below {
                return Err(format!("a bin goes from {at_least} to {below}"));
            }
            if !(weight.is_finite() && weight >= 0.0) {
                return Err(format!("a bin has the weight {weight}"));
            }
            total += weight;
            let low = libm::log(at_least as f64);
            let width = libm::log(below as f64) - low;
            kept.push(Bin { up_to: total, at_least, below, low, width });
        }
        let any = total > 0.0 && total.is_finite();
        if any { Ok(Bins { bins: kept, total }) } else { Err("no bin has any weight".into()) }
    }

    /// The border above all bins.
    pub(crate) fn below(&self) -> u64 {
        self.bins.iter().map(|bin| bin.below).max().unwrap_or(0)
    }

    pub(crate) fn draw(&self, random: &mut Random) -> u64 {
        let place = random.share() * self.total;
        let at = self.bins.partition_point(|bin| bin.up_to < place).min(self.bins.len() - 1);
        let bin = self.bins[at];
        let value = libm::exp(bin.low + random.share() * bin.width) as u64;
        value.clamp(bin.at_least, bin.below - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_fill_their_bins_by_weight() {
        let bins = Bins::new([(1, 2, 1.0), (1024, 4096, 3.0), (9, 10, 0.0)].into_iter()).unwrap();
        let mut random = Random::new(3);
        let drawn: Vec<u64> = (0..10_000).map(|_| bins.draw(&mut random)).collect();
        let large: Vec<u64> = drawn.into_iter().filter(|&value| value != 1).collect();
        assert!((7300..7700).contains(&large.len()), "{}", large.len());
        assert!(large.iter().all(|value| (1024..4096).contains(value)));
        // Half of the values below the middle of the logarithms, and hardly any a power of two.
        let low = large.iter().filter(|&&value| value < 2048).count();
        assert!((0.47..0.53).contains(&(low as f64 / large.len() as f64)), "{low}");
        assert!(large.iter().filter(|value| value.is_power_of_two()).count() < 40);
    }

    #[test]
    fn wrong_bins_are_named() {
        assert!(Bins::new([].into_iter()).unwrap_err().contains("no bin"));
        assert!(Bins::new([(0, 4, 1.0)].into_iter()).unwrap_err().contains("from 0 to 4"));
        assert!(Bins::new([(4, 4, 1.0)].into_iter()).unwrap_err().contains("from 4 to 4"));
        assert!(Bins::new([(1, 4, -1.0)].into_iter()).unwrap_err().contains("-1"));
    }
}
