//! Part random: some operations follow a random order, the others go on where the one before ended.

use super::{Order, Place, SizeClass};
use crate::random::Random;
use crate::target::Geometry;

/// A random order that goes on for a while wherever it came to.
pub(crate) struct OnFromThere {
    drawn: Box<dyn Order>,
    /// A draw below it follows the random order.
    drawn_below: u64,
    next: Place,
    files: u32,
    file_size_bytes: u64,
}

impl OnFromThere {
    /// `percent` of the operations, below 100, follow `drawn`.
    pub(crate) fn new(drawn: Box<dyn Order>, percent: u8, geometry: &Geometry) -> Self {
        let Geometry { files, file_size_bytes, .. } = *geometry;
        let next = Place { file: 0, offset_bytes: 0 };
        let drawn_below = u64::MAX / 100 * u64::from(percent);
        OnFromThere { drawn, drawn_below, next, files, file_size_bytes }
    }
}

impl Order for OnFromThere {
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place {
        self.next_of(false, random, class)
    }

    fn next_of(&mut self, write: bool, random: &mut Random, class: &SizeClass) -> Place {
        let size_bytes = u64::from(class.size_bytes);
        let place = if random.next() < self.drawn_below {
            self.drawn.next_of(write, random, class)
        } else if self.next.offset_bytes + size_bytes <= self.file_size_bytes {
            self.next
        } else {
            Place { file: (self.next.file + 1) % self.files, offset_bytes: 0 }
        };
        self.next = Place { offset_bytes: place.offset_bytes + size_bytes, ..place };
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::{Sizes, Uniform};
    use fsgauge_wire::BlockSize;

    #[test]
    fn the_share_that_is_drawn_is_kept_and_the_rest_goes_on() {
        let geometry = Geometry { files: 2, file_size_bytes: 4096 << 20, base_bytes: 0 };
        let sizes = Sizes::new(&[BlockSize { size_bytes: 4096, weight: 1 }], &geometry);
        let drawn = Box::new(Uniform::new(&geometry));
        let (mut order, mut random) = (OnFromThere::new(drawn, 30, &geometry), Random::new(1, 0));
        let class = *sizes.next(false, &mut random);
        let places: Vec<Place> = (0..10_000).map(|_| order.next(&mut random, &class)).collect();
        let on = places.windows(2).filter(|two| two[1].offset_bytes == two[0].offset_bytes + 4096);
        // 7000 expected, with a standard deviation of 46.
        let on = on.count();
        assert!((6_800..7_200).contains(&on), "{on}");
    }

    #[test]
    fn the_end_of_a_file_leads_to_the_next() {
        let geometry = Geometry { files: 2, file_size_bytes: 2 * 4096, base_bytes: 0 };
        let sizes = Sizes::new(&[BlockSize { size_bytes: 4096, weight: 1 }], &geometry);
        let drawn = Box::new(Uniform::new(&geometry));
        let (mut order, mut random) = (OnFromThere::new(drawn, 0, &geometry), Random::new(1, 0));
        let class = *sizes.next(false, &mut random);
        let places = (0..5).map(|_| order.next(&mut random, &class));
        let found: Vec<_> = places.map(|place| (place.file, place.offset_bytes / 4096)).collect();
        assert_eq!(found, [(0, 0), (0, 1), (1, 0), (1, 1), (0, 0)]);
    }
}
