//! Folios of a file in the page cache: a write makes them as large as it is itself, and its place allows. The write-back
//! finishes a folio that it has begun before it goes on to the next.

use crate::ager::WRITE_PIECE_BYTES;

const BLOCK_BYTES: u64 = 4096;

/// Where the folios end that hold data without blocks, and the one before them.
#[derive(Debug, Clone, Default)]
pub(super) struct Folios {
    ends: Vec<u64>,
}

impl Folios {
    /// The file grows by these bytes, written in the ager's pieces. What its last folio has room for goes there.
    pub(super) fn write(&mut self, start_bytes: u64, end_bytes: u64, largest_blocks: u64) {
        let mut piece = start_bytes;
        while piece < end_bytes {
            let piece_end = end_bytes.min(piece + WRITE_PIECE_BYTES);
            let cached = self.ends.last().copied().unwrap_or(start_bytes.div_ceil(BLOCK_BYTES));
            let mut at = piece.max(cached * BLOCK_BYTES);
            while at < piece_end {
                let index = at / BLOCK_BYTES;
                let fits = ((piece_end - at) / BLOCK_BYTES).max(1).min(largest_blocks);
                let aligned = 1 << index.trailing_zeros().min(32);
                let end = index + (1 << fits.ilog2()).min(aligned);
                self.ends.push(end);
                at = end * BLOCK_BYTES;
            }
            piece = piece_end;
        }
    }

    /// The end of the folio that holds a block, if it begins before that; else the block itself.
    pub(super) fn end_around(&self, block: u64) -> u64 {
        let place = self.ends.partition_point(|&end| end <= block);
        let begins_here = place > 0 && self.ends[place - 1] == block;
        if begins_here { block } else { self.ends.get(place).copied().unwrap_or(block) }
    }

    /// The blocks before this one are on the device; what ends there may still be written to.
    pub(super) fn forget_before(&mut self, block: u64) {
        let place = self.ends.partition_point(|&end| end < block);
        self.ends.drain(..place);
    }

    /// The file is cut: a folio that is cut is split.
    pub(super) fn cut(&mut self, blocks: u64) {
        let place = self.ends.partition_point(|&end| end < blocks);
        self.ends.truncate(place);
        if blocks > 0 {
            self.ends.push(blocks);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_is_cut_into_folios_of_powers_of_two() {
        let mut folios = Folios::default();
        folios.write(0, 11 * BLOCK_BYTES, 512);
        assert_eq!(folios.ends, [8, 10, 11]);
        // Behind eleven blocks, only one and four fit in their places.
        folios.write(11 * BLOCK_BYTES, 25 * BLOCK_BYTES, 512);
        assert_eq!(folios.ends, [8, 10, 11, 12, 16, 24, 25]);
        assert_eq!((folios.end_around(9), folios.end_around(10), folios.end_around(17)), (10, 10, 24));
        folios.forget_before(25);
        assert_eq!(folios.ends, [25]);
    }

    #[test]
    fn the_last_page_is_filled_first_and_calls_are_of_one_mebibyte() {
        let mut folios = Folios::default();
        folios.write(0, 100, 512);
        folios.write(100, 100 + 2 * BLOCK_BYTES, 512);
        assert_eq!(folios.ends, [1, 2, 3]);
        folios.cut(0);
        folios.write(0, 600 * BLOCK_BYTES, 512);
        assert_eq!(folios.ends, [256, 512, 576, 592, 600]);
        folios.cut(0);
        folios.write(0, 3 * BLOCK_BYTES, 1);
        assert_eq!(folios.ends, [1, 2, 3]);
    }
}
