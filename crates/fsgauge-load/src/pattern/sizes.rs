//! Block sizes: one, or lists with weights for what reads and what writes, and how many positions each has in a file.

use std::num::NonZeroU32;

use fsgauge_wire::{BlockSize, LoadJob};

use crate::random::Random;
use crate::target::Geometry;

/// One block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SizeClass {
    pub(crate) size_bytes: u32,
    /// Distance of positions: what the load is aligned to, or the smallest size of its list.
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
    /// Where there are several: all of what reads, and all of what writes; else empty.
    several: [Vec<SizeClass>; 2],
}

impl Sizes {
    /// Those of all operations of a load; none is larger than a file.
    pub(crate) fn of(load: &LoadJob, geometry: &Geometry) -> Self {
        let aligned = |list| classes(list, geometry, load.align_bytes);
        let sizes = Sizes::of_classes(aligned(&load.block_sizes));
        if load.write_block_sizes.is_empty() {
            return sizes;
        }
        let kinds = [load.block_sizes.as_slice(), load.write_block_sizes.as_slice()];
        Sizes { several: kinds.map(aligned), ..sizes }
    }

    /// `list` has at least one size, and none is larger than a file.
    pub(crate) fn new(list: &[BlockSize], geometry: &Geometry) -> Self {
        Sizes::of_classes(classes(list, geometry, None))
    }

    fn of_classes(all: Vec<SizeClass>) -> Self {
        let first = all[0];
        Sizes { first, several: if all.len() > 1 { [all.clone(), all] } else { Default::default() } }
    }

    /// Those of what reads, or of what writes, alone.
    pub(crate) fn only(&self, write: bool) -> Sizes {
        match self.several[usize::from(write)].as_slice() {
            [] => self.clone(),
            [first, ..] => {
                let kind = self.several[usize::from(write)].clone();
                Sizes { first: *first, several: [kind.clone(), kind] }
            }
        }
    }

    /// The size of the next operation.
    #[inline]
    pub(crate) fn next(&self, write: bool, random: &mut Random) -> &SizeClass {
        let several = &self.several[usize::from(write)];
        if several.is_empty() {
            return &self.first;
        }
        let draw = random.next();
        several.iter().find(|class| draw <= class.draw_up_to).unwrap_or(&self.first)
    }

    fn all(&self) -> impl Iterator<Item = &SizeClass> {
        self.several.iter().flatten().chain([&self.first])
    }

    /// Distance of positions: the smallest.
    pub(crate) fn step_bytes(&self) -> u64 {
        self.all().map(|class| class.step_bytes).fold(self.first.step_bytes, u64::min)
    }

    pub(crate) fn largest_bytes(&self) -> u64 {
        self.all().map(|class| u64::from(class.size_bytes)).fold(u64::from(self.first.size_bytes), u64::max)
    }

    /// The fewest positions that any size has: those at which every size fits.
    pub(crate) fn common_positions(&self) -> u64 {
        self.all().map(|class| class.positions).fold(self.first.positions, u64::min)
    }
}

fn classes(list: &[BlockSize], geometry: &Geometry, align_bytes: Option<NonZeroU32>) -> Vec<SizeClass> {
    let smallest = || list.iter().map(|size| u64::from(size.size_bytes)).min().unwrap_or(1);
    let step_bytes = align_bytes.map_or_else(smallest, |align| u64::from(align.get()));
    let total: u64 = list.iter().map(|size| u64::from(size.weight)).sum();
    let mut drawn = 0;
    let class = |size: &BlockSize| {
        drawn += u64::from(size.weight);
        let draw_up_to = ((u128::from(u64::MAX) * u128::from(drawn)) / u128::from(total.max(1))) as u64;
        let positions = (geometry.file_size_bytes - u64::from(size.size_bytes)) / step_bytes + 1;
        SizeClass { size_bytes: size.size_bytes, step_bytes, positions, draw_up_to }
    };
    list.iter().map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_decide_how_often() {
        let geometry = Geometry { files: 1, file_size_bytes: 1 << 20, base_bytes: 0 };
        let list = [BlockSize { size_bytes: 4096, weight: 3 }, BlockSize { size_bytes: 65536, weight: 1 }];
        let (sizes, mut random) = (Sizes::new(&list, &geometry), Random::new(3, 0));
        let large = (0..40_000).filter(|_| sizes.next(true, &mut random).size_bytes == 65536).count();
        // 10 000 expected, with a standard deviation of 87.
        assert!((9_600..10_400).contains(&large), "{large}");
        assert_eq!(sizes.common_positions(), 256 - 15);
    }

    #[test]
    fn positions_are_as_far_apart_as_the_load_is_aligned() {
        let geometry = Geometry { files: 1, file_size_bytes: 1 << 20, base_bytes: 0 };
        let list = [512, 65536].map(|size_bytes| BlockSize { size_bytes, weight: 1 }).to_vec();
        let align_bytes = NonZeroU32::new(4096);
        let load = LoadJob { block_sizes: list, align_bytes, ..LoadJob::plain() };
        let (sizes, mut random) = (Sizes::of(&load, &geometry), Random::new(3, 0));
        let drawn: Vec<SizeClass> = (0..100).map(|_| *sizes.next(true, &mut random)).collect();
        assert!(drawn.iter().all(|class| class.step_bytes == 4096));
        let found = |size_bytes| drawn.iter().find(|class| class.size_bytes == size_bytes).unwrap();
        assert_eq!([512, 65536].map(|size| found(size).positions), [256, 241]);
        assert_eq!(sizes.common_positions(), 241);
    }

    #[test]
    fn what_writes_has_sizes_and_positions_of_its_own() {
        let geometry = Geometry { files: 1, file_size_bytes: 1 << 20, base_bytes: 0 };
        let one = |size_bytes| BlockSize { size_bytes, weight: 1 };
        let write_block_sizes = vec![one(16384), one(65536)];
        let load = LoadJob { block_sizes: vec![one(4096)], write_block_sizes, ..LoadJob::plain() };
        let (sizes, mut random) = (Sizes::of(&load, &geometry), Random::new(3, 0));
        assert!((0..100).all(|_| sizes.next(false, &mut random).size_bytes == 4096));
        let writes: Vec<SizeClass> = (0..100).map(|_| *sizes.next(true, &mut random)).collect();
        let found = |size_bytes| writes.iter().find(|class| class.size_bytes == size_bytes).unwrap();
        assert_eq!([16384, 65536].map(|size| found(size).positions), [64, 61]);
        assert!(writes.iter().all(|class| class.step_bytes == 16384));
        let (reads, writes) = (sizes.only(false), sizes.only(true));
        assert_eq!([&sizes, &reads, &writes].map(Sizes::step_bytes), [4096, 4096, 16384]);
        assert_eq!([&sizes, &reads, &writes].map(Sizes::common_positions), [61, 256, 61]);
    }
}
