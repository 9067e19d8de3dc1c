//! Block sizes: one, or a list with weights, and how many positions each has in a file.

use fsgauge_wire::BlockSize;

use crate::random::Random;
use crate::target::Geometry;

/// One block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SizeClass {
    pub(crate) size_bytes: u32,
    /// Distance of positions: the smallest size of the list.
    pub(crate) step_bytes: u64,
    /// How many positions a file has for this size; at least 1.
    pub(crate) positions: u64,
    /// A draw at or below it belongs to this size or to one before it.
    draw_up_to: u64,
}

/// The sizes of a load.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    first: SizeClass,
    /// All of them when there are several; else empty.
    several: Vec<SizeClass>,
}

impl Sizes {
    /// `list` has at least one size, and none is larger than a file.
    pub(crate) fn new(list: &[BlockSize], geometry: &Geometry) -> Self {
        let step_bytes = list.iter().map(|size| u64::from(size.size_bytes)).min().unwrap_or(1);
        let total: u64 = list.iter().map(|size| u64::from(size.weight)).sum();
        let mut drawn = 0;
        let mut class = |size: &BlockSize| {
            drawn += u64::from(size.weight);
            let draw_up_to = ((u128::from(u64::MAX) * u128::from(drawn)) / u128::from(total.max(1))) as u64;
            let positions = (geometry.file_size_bytes - u64::from(size.size_bytes)) / step_bytes + 1;
            SizeClass { size_bytes: size.size_bytes, step_bytes, positions, draw_up_to }
        };
        let classes: Vec<SizeClass> = list.iter().map(&mut class).collect();
        let first = classes[0];
        Sizes { first, several: if classes.len() > 1 { classes } else { Vec::new() } }
    }

    /// The size of the next operation.
    #[inline]
    pub(crate) fn next(&self, random: &mut Random) -> &SizeClass {
        if self.several.is_empty() {
            return &self.first;
        }
        let draw = random.next();
        self.several.iter().find(|class| draw <= class.draw_up_to).unwrap_or(&self.first)
    }

    /// Distance of positions: the smallest size.
    pub(crate) fn step_bytes(&self) -> u64 {
        self.first.step_bytes
    }

    /// The fewest positions that any size has: those at which every size fits.
    pub(crate) fn common_positions(&self) -> u64 {
        self.several.iter().map(|class| class.positions).fold(self.first.positions, u64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_decide_how_often() {
        let geometry = Geometry { files: 1, file_size_bytes: 1 << 20, base_bytes: 0 };
        let list = [BlockSize { size_bytes: 4096, weight: 3 }, BlockSize { size_bytes: 65536, weight: 1 }];
        let (sizes, mut random) = (Sizes::new(&list, &geometry), Random::new(3, 0));
        let large = (0..40_000).filter(|_| sizes.next(&mut random).size_bytes == 65536).count();
        // 10 000 expected, with a standard deviation of 87.
        assert!((9_600..10_400).contains(&large), "{large}");
        assert_eq!(sizes.common_positions(), 256 - 15);
    }
}
