//! The pattern: what the next operation is. Takes a [`Geometry`], gives an endless stream of [`Operation`]s.

mod any;
mod backwards;
mod by_kind;
mod divisor;
mod in_turns;
mod on_from_there;
mod ranges;
mod scatter;
mod sequential;
mod shuffle;
mod sizes;
mod skewed;
mod strided;
mod uniform;
mod zipf;

pub(crate) use any::AnyOrder;
pub(crate) use ranges::RangeOrder;
pub(crate) use sequential::Sequential;
pub use shuffle::Shuffle;
pub(crate) use sizes::{SizeClass, Sizes};
pub(crate) use uniform::Uniform;
pub(crate) use zipf::Zipf;

use crate::operation::Operation;
use crate::random::Random;
use crate::target::Geometry;

/// A place in the target, counted from the start of the used part of its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) file: u32,
    pub(crate) offset_bytes: u64,
}

/// An order of places.
pub(crate) trait Order {
    /// The place of the next operation, which has the size `class`.
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place;

    /// The same, where reads and writes may go on from places of their own.
    #[inline]
    fn next_of(&mut self, _write: bool, random: &mut Random, class: &SizeClass) -> Place {
        self.next(random, class)
    }
}

/// Reads and writes in a fixed proportion, each drawn by itself.
#[derive(Debug, Clone, Copy)]
struct Mix {
    mixed: bool,
    always_write: bool,
    /// A draw below it is a read.
    read_below: u64,
}

impl Mix {
    fn new(read_percent: u8) -> Self {
        let read_below = (u64::MAX / 100) * u64::from(read_percent);
        Mix { mixed: (1..100).contains(&read_percent), always_write: read_percent == 0, read_below }
    }

    #[inline]
    fn is_write(&self, random: &mut Random) -> bool {
        if self.mixed { random.next() >= self.read_below } else { self.always_write }
    }
}

/// Order, sizes and mix together: the stream of operations of one job.
#[derive(Debug)]
pub(crate) struct Pattern<O> {
    order: O,
    sizes: Sizes,
    mix: Mix,
    random: Random,
    base_bytes: u64,
}

impl<O: Order> Pattern<O> {
    pub(crate) fn new(order: O, sizes: Sizes, read_percent: u8, random: Random, geometry: &Geometry) -> Self {
        Pattern { order, sizes, mix: Mix::new(read_percent), random, base_bytes: geometry.base_bytes }
    }

    /// The next operation.
    #[inline]
    pub(crate) fn next(&mut self) -> Operation {
        let write = self.mix.is_write(&mut self.random);
        let class = self.sizes.next(write, &mut self.random);
        let place = self.order.next_of(write, &mut self.random, class);
        let offset_bytes = self.base_bytes + place.offset_bytes;
        Operation { write, file: place.file, size_bytes: class.size_bytes, offset_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::backwards::Backwards;
    use super::*;
    use fsgauge_wire::BlockSize;

    /// A job's whole share once lay on the border of two files, where its large blocks fitted on neither side.
    #[test]
    fn walks_with_blocks_of_several_sizes_stay_within_their_files() {
        let geometry = Geometry { files: 5, file_size_bytes: 100 << 10, base_bytes: 0 };
        let list = [4 << 10, 64 << 10].map(|size_bytes| BlockSize { size_bytes, weight: 1 });
        let sizes = Sizes::new(&list, &geometry);
        for job in 0..4 {
            let mut random = Random::new(1, u64::from(job));
            let mut onwards = Sequential::new(&geometry, sizes.largest_bytes(), job, 4);
            let mut backwards = Backwards::new(&geometry, &sizes, job, 4);
            for _ in 0..100 {
                let class = *sizes.next(false, &mut random);
                for place in [onwards.next(&mut random, &class), backwards.next(&mut random, &class)] {
                    let end_bytes = place.offset_bytes + u64::from(class.size_bytes);
                    assert!(place.file < 5 && end_bytes <= 100 << 10);
                }
            }
        }
    }

    #[test]
    fn the_mix_keeps_its_share() {
        let geometry = Geometry { files: 1, file_size_bytes: 1 << 30, base_bytes: 4096 };
        let sizes = Sizes::new(&[BlockSize { size_bytes: 4096, weight: 1 }], &geometry);
        let mut pattern = Pattern::new(Uniform::new(&geometry), sizes, 70, Random::new(1, 0), &geometry);
        let operations: Vec<Operation> = (0..100_000).map(|_| pattern.next()).collect();
        let reads = operations.iter().filter(|operation| !operation.write).count();
        // 70 000 expected, with a standard deviation of 145.
        assert!((69_300..70_700).contains(&reads), "{reads}");
        assert!(operations.iter().all(|operation| operation.offset_bytes >= 4096));
    }

    #[test]
    fn an_unmixed_load_is_unmixed() {
        let mut random = Random::new(1, 0);
        assert!((0..1000).all(|_| Mix::new(0).is_write(&mut random)));
        assert!((0..1000).all(|_| !Mix::new(100).is_write(&mut random)));
    }
}
