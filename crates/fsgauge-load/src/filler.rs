//! What is written: random bytes, zeros, or both, made before the load starts.
//!
//! Every 4096 bytes of a buffer begin with random bytes and end in zeros, in the proportion that was asked
//! for. Before each write the first word of every 4096 bytes is replaced by one that was never used before:
//! no block of 4096 bytes or more is written twice, so neither compression nor block deduplication can win.
//! Where duplicates are asked for, that word is for a share of the writes one that stays the same in its buffer.
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
    /// A draw below it repeats the block that its buffer first held; 0 where no block is written twice.
    repeat_below: u64,
    /// The serial number of repeated blocks: no other write comes to it.
    repeated: u64,
}

impl Filler {
    /// The filler that a job's data asks for.
    pub fn for_data(data: Data, seed: u64, job: u32) -> Self {
        let (duplicate_percent, zeros_percent) = match data {
            Data::Incompressible => (0, 0),
            Data::Zero => (0, 100),
            Data::Compressible { compressible_percent } => (0, compressible_percent),
            Data::Duplicated { duplicate_percent, compressible_percent } => {
                (duplicate_percent, compressible_percent)
            }
        };
        let random_bytes = 4096 * (100 - usize::from(zeros_percent)) / 100;
        let repeat_below = u64::MAX / 100 * u64::from(duplicate_percent);
        Filler { repeat_below, ..Filler::new(random_bytes, seed, job) }
    }

    /// `random_bytes` of every 4096 are random, the rest zero.
    fn new(random_bytes: usize, seed: u64, job: u32) -> Self {
        let mut random = Random::new(seed, 0x0da7a000 + u64::from(job));
        let serial = random.next();
        Filler { random_bytes, random, serial, repeat_below: 0, repeated: serial.wrapping_sub(1 << 32) }
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
        let repeats = self.repeat_below > 0 && self.random.next() < self.repeat_below;
        let serial = if repeats { self.repeated } else { self.serial };
        if !repeats {
            self.serial = serial.wrapping_add(pages as u64);
        }
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
    fn a_share_of_the_writes_repeats_its_buffer() {
        let data = Data::Duplicated { duplicate_percent: 30, compressible_percent: 50 };
        let mut filler = Filler::for_data(data, 1, 0);
        let mut page = vec![0; 4096];
        filler.fill(&mut page);
        assert!(page[2048..].iter().all(|byte| *byte == 0));
        let writes: Vec<Vec<u64>> =
            (0..10_000).map(|_| filler.stamps(8192).map(|(_, word)| word).collect()).collect();
        let unlike = writes.iter().collect::<HashSet<_>>().len();
        // 3000 repeat one block: 7001 differ, with a standard deviation of 46.
        assert!((6_800..7_200).contains(&unlike), "{unlike}");
    }

    #[test]
    fn zeros_are_not_stamped() {
        assert_eq!(Filler::for_data(Data::Zero, 1, 0).stamps(65536).count(), 0);
    }
}
