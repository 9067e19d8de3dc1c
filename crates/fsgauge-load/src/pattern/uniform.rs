//! Uniform random order: every position of every file is as likely as any other.

use super::{Order, Place, SizeClass};
use crate::random::Random;
use crate::target::Geometry;

/// Draws a file, and a position in it, from one random number and without a division.
#[derive(Debug)]
pub(crate) struct Uniform {
    files: u64,
}

impl Uniform {
    pub(crate) fn new(geometry: &Geometry) -> Self {
        Uniform { files: u64::from(geometry.files) }
    }
}

impl Order for Uniform {
    /// The high half of the first product is the file; its low half is still uniform and gives the position.
    #[inline]
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place {
        let product = u128::from(random.next()) * u128::from(self.files);
        let position = (u128::from(product as u64) * u128::from(class.positions)) >> 64;
        Place { file: (product >> 64) as u32, offset_bytes: position as u64 * class.step_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Sizes;
    use fsgauge_wire::BlockSize;

    #[test]
    fn every_position_is_reached_and_as_likely() {
        let geometry = Geometry { files: 3, file_size_bytes: 10 * 4096 + 100, base_bytes: 0 };
        let sizes = Sizes::new(&[BlockSize { size_bytes: 4096, weight: 1 }], &geometry);
        let (mut order, mut random) = (Uniform::new(&geometry), Random::new(5, 0));
        let mut counts = [0u32; 30];
        for _ in 0..90_000 {
            let class = *sizes.next(false, &mut random);
            let place = order.next(&mut random, &class);
            assert_eq!(place.offset_bytes % 4096, 0);
            counts[place.file as usize * 10 + (place.offset_bytes / 4096) as usize] += 1;
        }
        // 3000 expected each, with a standard deviation of 54.
        assert!(counts.iter().all(|count| (2_700..3_300).contains(count)), "{counts:?}");
    }
}
