//! The tag at the start of every sector that a verified load writes: who wrote it, when, where, and a checksum.
//!
//! Five words of 8 bytes: run, position, writer and sector, sequence, checksum. The words are in the machine's
//! own byte order: who reads them is the process that wrote them, or its parent.

use crate::random::Random;

/// The unit that carries a tag; the smallest piece that storage writes whole.
pub(crate) const SECTOR_BYTES: usize = 512;
pub(crate) const TAG_BYTES: usize = 40;

/// Where the words that change with every write lie in a sector.
pub(crate) const POSITION_AT: usize = 8;
pub(crate) const SEQUENCE_AT: usize = 24;
pub(crate) const CHECKSUM_AT: usize = 32;

/// Bits of a position that count sectors: files up to 512 TiB, and 16 million of them.
const SECTOR_BITS: u32 = 40;
/// The stream of the seed that gives the run's number.
const RUN_STREAM: u64 = 0x7a65_0000;

/// What a sector says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) run: u64,
    /// See [`position`].
    pub(crate) position: u64,
    pub(crate) writer: u32,
    /// Which sector of its block it is.
    pub(crate) sector: u32,
    /// Which write of its writer, from 0.
    pub(crate) sequence: u64,
}

impl Tag {
    /// The tag of a sector and the checksum that is stored with it.
    pub(crate) fn read(sector: &[u8]) -> (Tag, u64) {
        let word = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&sector[at..at + 8]);
            u64::from_ne_bytes(bytes)
        };
        let (writer, index) = ((word(16) >> 32) as u32, word(16) as u32);
        let tag = Tag { run: word(0), position: word(8), writer, sector: index, sequence: word(24) };
        (tag, word(CHECKSUM_AT))
    }

    /// Puts the tag and its checksum at the start of a sector.
    pub(crate) fn write(&self, sector: &mut [u8], body_sum: u64) {
        let words = [self.run, self.position, self.place_word(), self.sequence, self.checksum(body_sum)];
        for (bytes, word) in sector[..TAG_BYTES].chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_ne_bytes());
        }
    }

    /// The checksum over the tag and over a body whose sum is `body_sum`.
    #[inline]
    pub(crate) fn checksum(&self, body_sum: u64) -> u64 {
        let left = fold(self.run ^ body_sum, self.position);
        fold(left, fold(self.place_word(), self.sequence))
    }

    fn place_word(&self) -> u64 {
        (u64::from(self.writer) << 32) | u64::from(self.sector)
    }
}

/// The number of the sector at `offset_bytes` of file `file`, in the whole target.
#[inline]
pub(crate) fn position(file: u32, offset_bytes: u64) -> u64 {
    (u64::from(file) << SECTOR_BITS) | (offset_bytes / SECTOR_BYTES as u64)
}

/// File and offset of a position.
pub(crate) fn place_of(position: u64) -> (u64, u64) {
    (position >> SECTOR_BITS, (position & ((1 << SECTOR_BITS) - 1)) * SECTOR_BYTES as u64)
}

/// The number of the run with this seed.
pub(crate) fn run_of(seed: u64) -> u64 {
    Random::new(seed, RUN_STREAM).next()
}

/// A sum over the bytes of a sector that follow its tag.
pub(crate) fn body_sum(body: &[u8]) -> u64 {
    body.chunks(8).fold(body.len() as u64, |sum, chunk| {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        fold(sum, u64::from_ne_bytes(bytes))
    })
}

/// Mixes two words: the halves of their product (the mixer of wyhash, Wang Yi, public domain).
#[inline]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left ^ 0xa076_1d64_78bd_642f) * u128::from(right ^ 0xe703_7ed1_a0b4_28db);
    (product >> 64) as u64 ^ product as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const TAG: Tag = Tag { run: 7, position: 9, writer: 3, sector: 1, sequence: 12 };

    #[test]
    fn a_tag_comes_back_as_it_was_written() {
        let mut sector = [0xaa; SECTOR_BYTES];
        TAG.write(&mut sector, 5);
        assert_eq!(Tag::read(&sector), (TAG, TAG.checksum(5)));
        assert!(sector[TAG_BYTES..].iter().all(|byte| *byte == 0xaa));
    }

    #[test]
    fn every_bit_of_a_sector_is_in_its_checksum() {
        let mut sector = [0; SECTOR_BYTES];
        Random::new(1, 1).fill(&mut sector[TAG_BYTES..]);
        let sum = body_sum(&sector[TAG_BYTES..]);
        TAG.write(&mut sector, sum);
        let fits = |sector: &[u8]| {
            let (tag, stored) = Tag::read(sector);
            tag.checksum(body_sum(&sector[TAG_BYTES..])) == stored
        };
        assert!(fits(&sector));
        for bit in 0..SECTOR_BYTES * 8 {
            sector[bit / 8] ^= 1 << (bit % 8);
            assert!(!fits(&sector), "bit {bit}");
            sector[bit / 8] ^= 1 << (bit % 8);
        }
    }

    #[test]
    fn a_position_names_file_and_sector() {
        assert_eq!(place_of(position(1023, 5 << 40)), (1023, 5 << 40));
    }
}
