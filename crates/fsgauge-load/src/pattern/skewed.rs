//! Random orders that prefer some places: pareto, normal, and zones with weights.

use fsgauge_wire::Zone;

use super::scatter::Scatter;
use super::{Order, Place, SizeClass, Sizes};
use crate::file_sizes::normal;
use crate::random::Random;
use crate::target::Geometry;

/// All positions of a target as one line, file after file.
#[derive(Debug, Clone, Copy)]
struct Line {
    per_file: u64,
    count: u64,
}

impl Line {
    fn new(geometry: &Geometry, sizes: &Sizes) -> Self {
        let per_file = sizes.common_positions();
        Line { per_file, count: per_file * u64::from(geometry.files) }
    }

    fn place(&self, index: u64, class: &SizeClass) -> Place {
        let offset_bytes = index % self.per_file * class.step_bytes;
        Place { file: (index / self.per_file) as u32, offset_bytes }
    }
}

/// A share h of the positions gets a share 1 - h of the draws, and so on within it, as fio's pareto; scattered.
#[derive(Debug)]
pub(crate) struct Pareto {
    line: Line,
    power: f64,
    scatter: Scatter,
}

impl Pareto {
    pub(crate) fn new(h: f64, geometry: &Geometry, sizes: &Sizes) -> Self {
        let line = Line::new(geometry, sizes);
        Pareto { line, power: h.ln() / (1.0 - h).ln(), scatter: Scatter::new(line.count) }
    }

    /// With its ranks where fio's hash puts them.
    pub(crate) fn hashed(self) -> Self {
        Pareto { scatter: self.scatter.hashed(), ..self }
    }

    fn rank(&self, random: &mut Random) -> u64 {
        let drawn = self.line.count as f64 * random.fraction().powf(self.power);
        (drawn as u64).min(self.line.count - 1)
    }
}

impl Order for Pareto {
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place {
        let rank = self.rank(random);
        self.line.place(self.scatter.at(rank), class)
    }
}

/// Around the middle.
#[derive(Debug)]
pub(crate) struct Normal {
    line: Line,
    deviation: f64,
}

impl Normal {
    pub(crate) fn new(deviation_percent: u8, geometry: &Geometry, sizes: &Sizes) -> Self {
        let line = Line::new(geometry, sizes);
        Normal { line, deviation: f64::from(deviation_percent) / 100.0 }
    }
}

impl Order for Normal {
    /// A draw outside of the target is drawn again: of the widest distribution, three of ten are.
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place {
        for _ in 0..64 {
            let drawn = 0.5 + self.deviation * normal(random);
            if (0.0..1.0).contains(&drawn) {
                let index = (drawn * self.line.count as f64) as u64;
                return self.line.place(index.min(self.line.count - 1), class);
            }
        }
        self.line.place(self.line.count / 2, class)
    }
}

/// Zones, drawn by weight.
#[derive(Debug)]
pub(crate) struct Zones {
    line: Line,
    /// Of each: a draw at or below `up_to` is its, and the positions from `first` on, `count` of them.
    zones: Vec<OneZone>,
}

#[derive(Debug, Clone, Copy)]
struct OneZone {
    up_to: u64,
    first: u64,
    count: u64,
}

impl Zones {
    pub(crate) fn new(zones: &[Zone], geometry: &Geometry, sizes: &Sizes) -> Self {
        let line = Line::new(geometry, sizes);
        let total: u64 = zones.iter().map(|zone| u64::from(zone.weight)).sum();
        let (mut percent, mut weight) = (0u64, 0u64);
        let at = |percent: u64| (u128::from(line.count) * u128::from(percent) / 100) as u64;
        let mut one = |zone: &Zone| {
            let first = at(percent);
            percent += u64::from(zone.size_percent);
            weight += u64::from(zone.weight);
            let up_to = (u128::from(u64::MAX) * u128::from(weight) / u128::from(total.max(1))) as u64;
            let first = first.min(line.count - 1);
            OneZone { up_to, first, count: (at(percent.min(100)) - first).max(1) }
        };
        Zones { zones: zones.iter().map(&mut one).collect(), line }
    }
}

impl Order for Zones {
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place {
        let draw = random.next();
        let zone = self.zones.iter().find(|zone| draw <= zone.up_to).unwrap_or(&self.zones[0]);
        let inside = (u128::from(random.next()) * u128::from(zone.count)) >> 64;
        self.line.place(zone.first + inside as u64, class)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::BlockSize;

    const DRAWS: usize = 100_000;

    fn geometry() -> Geometry {
        Geometry { files: 4, file_size_bytes: 250 * 4096, base_bytes: 0 }
    }

    fn sizes() -> Sizes {
        Sizes::new(&[BlockSize { size_bytes: 4096, weight: 1 }], &geometry())
    }

    /// How often each of 1000 positions is drawn.
    fn counts(mut order: impl Order) -> Vec<usize> {
        let (sizes, mut random) = (sizes(), Random::new(9, 0));
        let class = *sizes.next(false, &mut random);
        let mut counts = vec![0; 1000];
        for _ in 0..DRAWS {
            let place = order.next(&mut random, &class);
            counts[place.file as usize * 250 + (place.offset_bytes / 4096) as usize] += 1;
        }
        counts
    }

    #[test]
    fn a_fifth_of_the_places_gets_four_fifths_of_a_pareto_load() {
        let mut counts = counts(Pareto::new(0.2, &geometry(), &sizes()));
        let middle: usize = counts[400..600].iter().sum();
        counts.sort_unstable_by(|left, right| right.cmp(left));
        let hot: usize = counts[..200].iter().sum();
        assert!((78_000..83_000).contains(&hot), "{hot}");
        assert!(middle < 60_000, "hot places are neighbours: {middle}");
    }

    #[test]
    fn a_normal_load_is_around_the_middle() {
        let counts = counts(Normal::new(10, &geometry(), &sizes()));
        let within: usize = counts[400..600].iter().sum();
        // Within one standard deviation: 0.683.
        assert!((67_000..69_700).contains(&within), "{within}");
        assert!(counts[0] < 20 && counts[999] < 20);
    }

    #[test]
    fn zones_are_drawn_by_weight_and_evenly_inside() {
        let zone = |size_percent, weight| Zone { size_percent, weight };
        let counts = counts(Zones::new(&[zone(10, 3), zone(90, 1)], &geometry(), &sizes()));
        let hot: usize = counts[..100].iter().sum();
        assert!((74_000..76_000).contains(&hot), "{hot}");
        assert!(counts[..100].iter().all(|count| (600..900).contains(count)));
        assert!(counts[100..].iter().all(|count| *count > 3));
    }
}
