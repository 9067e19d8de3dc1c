//! What is written: random bytes, zeros, or both, made before the load starts.
//!
//! Every 4096 bytes of a buffer begin with random bytes and end in zeros, in the proportion that was asked
//! for. Before each write the first word of every 4096 bytes is replaced by one that was never used before:
//! no block of 4096 bytes or more is written twice, so neither compression nor block deduplication can win.
//! A load that is verified writes tags instead, see `contents`.

use fsgauge_wire::Data;

use crate::random::Random;

/// The unit that is stamped.
const PAGE_BYTES: usize = 4096;

/// Makes data.
#[derive(Debug, Clone)]
pub struct Filler {
    random_bytes: usize,
    random: Random,
    /// Step between stamps that are never equal; odd, so that 2^64 of them differ.
    serial: u64,
}

impl Filler {
    /// The filler that a job's data asks for.
    pub fn for_data(data: Data, seed: u64, job: u32) -> Self {
        let random_bytes = match data {
            Data::Incompressible => 4096,
            Data::Zero => 0,
            Data::Compressible { compressible_percent } => {
                4096 * (100 - usize::from(compressible_percent)) / 100
            }
        };
        Filler::new(random_bytes, seed, job)
    }

    /// `random_bytes` of every 4096 are random, the rest zero.
    fn new(random_bytes: usize, seed: u64, job: u32) -> Self {
        let mut random = Random::new(seed, 0x0da7a000 + u64::from(job));
        let serial = random.next();
        Filler { random_bytes, random, serial }
    }

    /// Fills a buffer.
    pub fn fill(&mut self, region: &mut [u8]) {
        for page in region.chunks_mut(PAGE_BYTES) {
            let random_bytes = self.random_bytes.min(page.len());
            self.random.fill(&mut page[..random_bytes]);
        }
    }

    /// The words that make the next write of `size_bytes` new, with their offsets. Zeros stay zeros.
    #[inline]
    pub fn stamps(&mut self, size_bytes: u32) -> impl Iterator<Item = (usize, u64)> + use<> {
        let pages = if self.random_bytes < 8 { 0 } else { (size_bytes as usize).div_ceil(PAGE_BYTES) };
        let serial = self.serial;
        self.serial = serial.wrapping_add(pages as u64);
        let word = move |page: usize| serial.wrapping_add(page as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (0..pages).map(move |page| (page * PAGE_BYTES, word(page)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_stamp_is_used_twice() {
        let mut filler = Filler::new(4096, 1, 0);
        let words: Vec<u64> =
            (0..1000).flat_map(|_| filler.stamps(16384).map(|(_, word)| word).collect::<Vec<_>>()).collect();
        assert_eq!(words.len(), 4000);
        assert_eq!(words.iter().collect::<HashSet<_>>().len(), words.len());
    }

    #[test]
    fn the_share_of_zeros_is_kept() {
        for (percent, zeros) in [(0, 0), (50, 2048), (100, 4096)] {
            let data = Data::Compressible { compressible_percent: percent };
            let mut page = vec![0; 4096];
            Filler::for_data(data, 1, 0).fill(&mut page);
            let found = page.iter().rev().take_while(|byte| **byte == 0).count();
            assert!(found.abs_diff(zeros) <= 2, "{percent} %: {found} zeros at the end");
        }
    }

    #[test]
    fn zeros_are_not_stamped() {
        assert_eq!(Filler::for_data(Data::Zero, 1, 0).stamps(65536).count(), 0);
    }
}
