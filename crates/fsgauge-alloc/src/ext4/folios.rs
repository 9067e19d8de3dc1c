//! Folios of a file in the page cache: a write makes them as large as it is itself, and its place allows. The write-back
//! finishes a folio that it has begun before it goes on to the next.

const PAGE_BYTES: u64 = 4096;

/// A part of a write that goes to one folio.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) end_bytes: u64,
    /// The page at which the folio ends, if it is a new one.
    new_end: Option<u64>,
}

/// Where the folios end that hold data without blocks, and the one before them.
#[derive(Debug, Clone)]
pub(super) struct Folios {
    /// In pages.
    ends: Vec<u64>,
    page_blocks: u64,
}

impl Folios {
    /// None yet, of a file system with such blocks: of a page, or smaller ones.
    pub(super) fn new(block_bytes: u32) -> Self {
        Folios { ends: Vec::new(), page_blocks: PAGE_BYTES / u64::from(block_bytes) }
    }

    /// What goes to one folio of these bytes that one call writes: as much as the last one has room for, else a new one.
    pub(super) fn part(&self, start_bytes: u64, end_bytes: u64, largest_pages: u64) -> Part {
        let cached_bytes = PAGE_BYTES * self.ends.last().copied().unwrap_or(start_bytes.div_ceil(PAGE_BYTES));
        if start_bytes < cached_bytes {
            return Part { end_bytes: end_bytes.min(cached_bytes), new_end: None };
        }
        let index = start_bytes / PAGE_BYTES;
        let fits = ((end_bytes - start_bytes) / PAGE_BYTES).max(1).min(largest_pages);
        let aligned = 1 << index.trailing_zeros().min(32);
        let end = index + (1 << fits.ilog2()).min(aligned);
        Part { end_bytes: end_bytes.min(end * PAGE_BYTES), new_end: Some(end) }
    }

    /// The part is written.
    pub(super) fn add(&mut self, part: &Part) {
        self.ends.extend(part.new_end);
    }

    /// The block behind the folio that holds a block, if it begins before that; else the block itself.
    pub(super) fn end_around(&self, block: u64) -> u64 {
        let place = self.ends.partition_point(|&end| end * self.page_blocks <= block);
        let begins_here = place > 0 && self.ends[place - 1] * self.page_blocks == block;
        if begins_here { block } else { self.ends.get(place).map_or(block, |end| end * self.page_blocks) }
    }

    /// The blocks before this one are on the device; what ends there may still be written to.
    pub(super) fn forget_before(&mut self, block: u64) {
        let place = self.ends.partition_point(|&end| end * self.page_blocks < block);
        self.ends.drain(..place);
    }

    /// The file is cut: a folio that is cut is split.
    pub(super) fn cut(&mut self, blocks: u64) {
        let pages = blocks.div_ceil(self.page_blocks);
        let place = self.ends.partition_point(|&end| end < pages);
        self.ends.truncate(place);
        if pages > 0 {
            self.ends.push(pages);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls of 1 MiB, each in its parts.
    fn write(folios: &mut Folios, start_bytes: u64, end_bytes: u64, largest_pages: u64) {
        let (mut at, mut call_end) = (start_bytes, start_bytes);
        while at < end_bytes {
            if at == call_end {
                call_end = end_bytes.min(at + (1 << 20));
            }
            let part = folios.part(at, call_end, largest_pages);
            at = part.end_bytes;
            folios.add(&part);
        }
    }

    #[test]
    fn a_write_is_cut_into_folios_of_powers_of_two() {
        let mut folios = Folios::new(4096);
        write(&mut folios, 0, 11 * PAGE_BYTES, 512);
        assert_eq!(folios.ends, [8, 10, 11]);
        // Behind eleven blocks, only one and four fit in their places.
        write(&mut folios, 11 * PAGE_BYTES, 25 * PAGE_BYTES, 512);
        assert_eq!(folios.ends, [8, 10, 11, 12, 16, 24, 25]);
        assert_eq!((folios.end_around(9), folios.end_around(10), folios.end_around(17)), (10, 10, 24));
        folios.forget_before(25);
        assert_eq!(folios.ends, [25]);
    }

    #[test]
    fn the_last_page_is_filled_first_and_calls_are_of_one_mebibyte() {
        let mut folios = Folios::new(4096);
        write(&mut folios, 0, 100, 512);
        write(&mut folios, 100, 100 + 2 * PAGE_BYTES, 512);
        assert_eq!(folios.ends, [1, 2, 3]);
        folios.cut(0);
        write(&mut folios, 0, 600 * PAGE_BYTES, 512);
        assert_eq!(folios.ends, [256, 512, 576, 592, 600]);
        folios.cut(0);
        write(&mut folios, 0, 3 * PAGE_BYTES, 1);
        assert_eq!(folios.ends, [1, 2, 3]);
    }

    /// A page has four of them, and is written back whole.
    #[test]
    fn blocks_of_1_kib_share_pages() {
        let mut folios = Folios::new(1024);
        write(&mut folios, 0, 6 * 1024, 512);
        assert_eq!(folios.ends, [1, 2]);
        assert_eq!([0, 3, 4, 5].map(|block| folios.end_around(block)), [4, 4, 4, 8]);
        folios.forget_before(6);
        assert_eq!(folios.ends, [2]);
        folios.cut(5);
        assert_eq!((folios.ends.as_slice(), folios.end_around(5)), ([2].as_slice(), 8));
    }
}
