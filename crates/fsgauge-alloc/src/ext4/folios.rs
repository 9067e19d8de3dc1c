//! Folios of a file in the page cache: a write makes them as large as it is itself, and its place allows. The write-back
//! finishes a folio that it has begun before it goes on to the next.

const BLOCK_BYTES: u64 = 4096;

/// A part of a write that goes to one folio.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) end_bytes: u64,
    /// Where the folio ends, if it is a new one.
    new_end: Option<u64>,
}

/// Where the folios end that hold data without blocks, and the one before them.
#[derive(Debug, Clone, Default)]
pub(super) struct Folios {
    ends: Vec<u64>,
}

impl Folios {
    /// What goes to one folio of these bytes that one call writes: as much as the last one has room for, else a new one.
    pub(super) fn part(&self, start_bytes: u64, end_bytes: u64, largest_blocks: u64) -> Part {
        let cached_bytes =
            BLOCK_BYTES * self.ends.last().copied().unwrap_or(start_bytes.div_ceil(BLOCK_BYTES));
        if start_bytes < cached_bytes {
            return Part { end_bytes: end_bytes.min(cached_bytes), new_end: None };
        }
        let index = start_bytes / BLOCK_BYTES;
        let fits = ((end_bytes - start_bytes) / BLOCK_BYTES).max(1).min(largest_blocks);
        let aligned = 1 << index.trailing_zeros().min(32);
        let end = index + (1 << fits.ilog2()).min(aligned);
        Part { end_bytes: end_bytes.min(end * BLOCK_BYTES), new_end: Some(end) }
    }

    /// The part is written.
    pub(super) fn add(&mut self, part: &Part) {
        self.ends.extend(part.new_end);
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

    /// Calls of 1 MiB, each in its parts.
    fn write(folios: &mut Folios, start_bytes: u64, end_bytes: u64, largest_blocks: u64) {
        let (mut at, mut call_end) = (start_bytes, start_bytes);
        while at < end_bytes {
            if at == call_end {
                call_end = end_bytes.min(at + (1 << 20));
            }
            let part = folios.part(at, call_end, largest_blocks);
            at = part.end_bytes;
            folios.add(&part);
        }
    }

    #[test]
    fn a_write_is_cut_into_folios_of_powers_of_two() {
        let mut folios = Folios::default();
        write(&mut folios, 0, 11 * BLOCK_BYTES, 512);
        assert_eq!(folios.ends, [8, 10, 11]);
        // Behind eleven blocks, only one and four fit in their places.
        write(&mut folios, 11 * BLOCK_BYTES, 25 * BLOCK_BYTES, 512);
        assert_eq!(folios.ends, [8, 10, 11, 12, 16, 24, 25]);
        assert_eq!((folios.end_around(9), folios.end_around(10), folios.end_around(17)), (10, 10, 24));
        folios.forget_before(25);
        assert_eq!(folios.ends, [25]);
    }

    #[test]
    fn the_last_page_is_filled_first_and_calls_are_of_one_mebibyte() {
        let mut folios = Folios::default();
        write(&mut folios, 0, 100, 512);
        write(&mut folios, 100, 100 + 2 * BLOCK_BYTES, 512);
        assert_eq!(folios.ends, [1, 2, 3]);
        folios.cut(0);
        write(&mut folios, 0, 600 * BLOCK_BYTES, 512);
        assert_eq!(folios.ends, [256, 512, 576, 592, 600]);
        folios.cut(0);
        write(&mut folios, 0, 3 * BLOCK_BYTES, 1);
        assert_eq!(folios.ends, [1, 2, 3]);
    }
}
