//! Zipf order: the k-th hottest position is drawn with a chance that goes as k^-theta.
//!
//! Rejection-inversion (W. Hörmann, G. Derflinger, "Rejection-inversion to generate variates from monotone
//! discrete distributions", ACM TOMACS 6(3), 1996): exact for any number of positions, with no table.

use super::scatter::Scatter;
use super::{Order, Place, SizeClass, Sizes};
use crate::random::Random;
use crate::target::Geometry;

/// Draws ranks and scatters them over the target, so that hot positions are not neighbours.
#[derive(Debug)]
pub(crate) struct Zipf {
    theta: f64,
    ranks: u64,
    integral_first: f64,
    integral_last: f64,
    squeeze: f64,
    positions: u64,
    scatter: Scatter,
}

impl Zipf {
    pub(crate) fn new(theta: f64, geometry: &Geometry, sizes: &Sizes) -> Self {
        let positions = sizes.common_positions();
        let ranks = positions * u64::from(geometry.files);
        let scatter = Scatter::new(ranks);
        let mut zipf =
            Zipf { theta, ranks, integral_first: 0.0, integral_last: 0.0, squeeze: 0.0, positions, scatter };
        zipf.integral_first = zipf.integral(1.5) - 1.0;
        zipf.integral_last = zipf.integral(ranks as f64 + 0.5);
        zipf.squeeze = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.density(2.0));
        zipf
    }

    /// With its ranks where fio's hash puts them.
    pub(crate) fn hashed(self) -> Self {
        Zipf { scatter: self.scatter.hashed(), ..self }
    }

    fn density(&self, x: f64) -> f64 {
        (-self.theta * x.ln()).exp()
    }

    /// The integral of the density from 1 to x.
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        let scaled = (1.0 - self.theta) * log;
        let factor = if scaled.abs() > 1e-8 { scaled.exp_m1() / scaled } else { 1.0 + scaled / 2.0 };
        factor * log
    }

    fn inverse(&self, area: f64) -> f64 {
        let scaled = (area * (1.0 - self.theta)).max(-1.0);
        let factor = if scaled.abs() > 1e-8 { scaled.ln_1p() / scaled } else { 1.0 - scaled / 2.0 };
        (factor * area).exp()
    }

    /// A rank from 0 (hottest). Accepts at least 7 draws of 10; the bound is never met in practice.
    fn rank(&self, random: &mut Random) -> u64 {
        for _ in 0..64 {
            let area = self.integral_last + random.fraction() * (self.integral_first - self.integral_last);
            let x = self.inverse(area);
            let rank = x.round().clamp(1.0, self.ranks as f64);
            if rank - x <= self.squeeze || area >= self.integral(rank + 0.5) - self.density(rank) {
                return rank as u64 - 1;
            }
        }
        0
    }
}

impl Order for Zipf {
    #[inline]
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place {
        let index = self.scatter.at(self.rank(random));
        let file = (index / self.positions) as u32;
        Place { file, offset_bytes: (index % self.positions) * class.step_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::BlockSize;

    fn zipf(theta: f64, files: u32, blocks: u64) -> Zipf {
        let geometry = Geometry { files, file_size_bytes: blocks * 4096, base_bytes: 0 };
        Zipf::new(theta, &geometry, &Sizes::new(&[BlockSize { size_bytes: 4096, weight: 1 }], &geometry))
    }

    #[test]
    fn chances_follow_the_law() {
        const DRAWS: u32 = 200_000;
        for theta in [0.5, 1.0, 1.1, 2.0] {
            let (zipf, mut random) = (zipf(theta, 1, 1000), Random::new(11, 0));
            let mut counts = vec![0u32; 1000];
            (0..DRAWS).for_each(|_| counts[zipf.rank(&mut random) as usize] += 1);
            let norm: f64 = (1..=1000).map(|rank| f64::from(rank).powf(-theta)).sum();
            for rank in [1u32, 2, 3, 10] {
                let expected = f64::from(DRAWS) * f64::from(rank).powf(-theta) / norm;
                let found = f64::from(counts[rank as usize - 1]);
                assert!(
                    (found - expected).abs() < 5.0 * expected.sqrt(),
                    "{theta} {rank}: {found} {expected}"
                );
            }
        }
    }

    #[test]
    fn scattering_is_one_to_one() {
        let zipf = zipf(1.1, 3, 333);
        let mut places: Vec<u64> = (0..999).map(|rank| zipf.scatter.at(rank)).collect();
        assert!(places[0].abs_diff(places[1]) > 10, "hot positions are neighbours");
        places.sort_unstable();
        assert_eq!(places, (0..999).collect::<Vec<u64>>());
    }
}
