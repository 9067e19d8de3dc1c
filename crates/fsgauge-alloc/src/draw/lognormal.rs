//! The log-normal distribution, by the transform of Box and Muller (1958).

use std::f64::consts::TAU;

use super::Random;

/// e^(mu + sigma Z), Z standard normal.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lognormal {
    mu: f64,
    sigma: f64,
}

impl Lognormal {
    pub(crate) fn new(median: u64, sigma: f64) -> Self {
        Lognormal { mu: libm::log(median as f64), sigma }
    }

    pub(crate) fn draw(&self, random: &mut Random) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(random.share()));
        libm::exp(self.mu + self.sigma * radius * libm::cos(TAU * random.share()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_and_spread_are_those_asked_for() {
        let (law, mut random) = (Lognormal::new(1000, 2.0), Random::new(1));
        let mut logs: Vec<f64> = (0..20_000).map(|_| libm::log(law.draw(&mut random))).collect();
        logs.sort_by(f64::total_cmp);
        let at = |share: f64| logs[(share * 20_000.0) as usize];
        assert!((at(0.5) - 6.9078).abs() < 0.05, "{}", at(0.5));
        // One standard deviation above the median: 84.13 %.
        assert!((at(0.8413) - at(0.5) - 2.0).abs() < 0.06, "{}", at(0.8413));
    }
}
