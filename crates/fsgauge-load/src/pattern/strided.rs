//! Strided: as sequential, with a gap behind each operation.

use super::{Order, Place, Sequential, SizeClass};
use crate::random::Random;

/// A sequential walk that skips what lies between strides.
#[derive(Debug)]
pub(crate) struct Strided {
    walk: Sequential,
    stride_bytes: u64,
}

impl Strided {
    pub(crate) fn new(walk: Sequential, stride_bytes: u64) -> Self {
        Strided { walk, stride_bytes }
    }
}

impl Order for Strided {
    #[inline]
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place {
        let place = self.walk.next(random, class);
        self.walk.skip_to(Place { offset_bytes: place.offset_bytes + self.stride_bytes, ..place });
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Sizes;
    use crate::target::Geometry;
    use fsgauge_wire::BlockSize;

    #[test]
    fn what_lies_between_is_left_out_in_every_file() {
        let geometry = Geometry { files: 2, file_size_bytes: 6 * 4096, base_bytes: 0 };
        let sizes = Sizes::new(&[BlockSize { size_bytes: 4096, weight: 1 }], &geometry);
        let mut order = Strided::new(Sequential::new(&geometry, 4096, 0, 1), 3 * 4096);
        let mut random = Random::new(1, 0);
        let class = *sizes.next(false, &mut random);
        let places = (0..5).map(|_| order.next(&mut random, &class));
        let found: Vec<_> = places.map(|place| (place.file, place.offset_bytes / 4096)).collect();
        assert_eq!(found, [(0, 0), (0, 3), (1, 0), (1, 3), (0, 0)]);
    }
}
