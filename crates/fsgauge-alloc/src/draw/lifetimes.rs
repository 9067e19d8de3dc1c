//! How long files live, in virtual time.

use fsgauge_wire::AgeLifetimes;

use super::{Bins, Lognormal, Random};

/// A law of lifetimes, ready to draw from.
#[derive(Debug, Clone)]
pub(crate) enum Lifetimes {
    Lognormal(Lognormal),
    Exponential { mean_ns: f64 },
    Bins(Bins),
}

/// A hundred years: longer lifetimes are cut to it, so that virtual time does not overflow.
const LONGEST_NS: f64 = 100.0 * 365.0 * 86_400.0 * 1e9;

impl Lifetimes {
    /// Says what is wrong with a law.
    pub(crate) fn new(lifetimes: &AgeLifetimes) -> Result<Self, String> {
        match lifetimes {
            &AgeLifetimes::Lognormal { median_ns, sigma } => {
                if median_ns == 0 || !(sigma.is_finite() && (0.0..=20.0).contains(&sigma)) {
                    return Err(format!("median_ns {median_ns} must be above 0, sigma {sigma} up to 20"));
                }
                Ok(Lifetimes::Lognormal(Lognormal::new(median_ns, sigma)))
            }
            &AgeLifetimes::Exponential { mean_ns } if mean_ns > 0 => {
                Ok(Lifetimes::Exponential { mean_ns: mean_ns as f64 })
            }
            AgeLifetimes::Exponential { .. } => Err("mean_ns is 0".into()),
            AgeLifetimes::Bins { bins } => {
                Bins::new(bins.iter().map(|bin| (bin.at_least_ns, bin.below_ns, bin.weight)))
                    .map(Lifetimes::Bins)
            }
        }
    }

    pub(crate) fn draw_ns(&self, random: &mut Random) -> u64 {
        let drawn = match self {
            Lifetimes::Lognormal(law) => law.draw(random),
            Lifetimes::Exponential { mean_ns } => -mean_ns * libm::log(random.share()),
            Lifetimes::Bins(bins) => bins.draw(random) as f64,
        };
        drawn.min(LONGEST_NS) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_has_35_in_100_end_within_ten_minutes() {
        let law = Lifetimes::new(&AgeLifetimes::default()).unwrap();
        let mut random = Random::new(1);
        let short = (0..20_000).filter(|_| law.draw_ns(&mut random) < 600_000_000_000).count();
        assert!((0.34..0.36).contains(&(short as f64 / 20_000.0)), "{short}");
    }

    #[test]
    fn exponential_lifetimes_have_their_mean_and_an_end() {
        let mut random = Random::new(2);
        let law = Lifetimes::new(&AgeLifetimes::Exponential { mean_ns: 1000 }).unwrap();
        let sum: u64 = (0..20_000).map(|_| law.draw_ns(&mut random)).sum();
        assert!((960.0..1040.0).contains(&(sum as f64 / 20_000.0)), "{sum}");
        let endless = Lifetimes::new(&AgeLifetimes::Exponential { mean_ns: u64::MAX }).unwrap();
        assert!((0..1000).all(|_| endless.draw_ns(&mut random) <= LONGEST_NS as u64));
    }
}
