//! What files hold: a pure function of the seed, the file and the offset, whatever the size of a record.
//!
//! A file is a slice of a pool of random bytes, used round and round; where it begins follows from its
//! number. Each 4096 bytes begin with a header of 16 bytes: the page's number in the file and the file's number,
//! both made to look random by steps that can be undone. So no two pages of a set are equal.

use fsgauge_load::{Filler, Random};
use fsgauge_wire::Data;

use super::FileNumber;

/// The unit that differs from every other.
pub(crate) const PAGE_BYTES: usize = 4096;
pub(super) const HEADER_BYTES: usize = 16;
/// Larger than the window of any compressor that file systems use (ZFS records and zstd: 1 MiB at most by
/// default), and small enough for a processor's second or third cache.
pub(super) const POOL_BYTES: usize = 1 << 20;
const POOL_PAGES: u64 = (POOL_BYTES / PAGE_BYTES) as u64;
/// Odd, so that multiplying by it can be undone.
const ODD: u64 = 0x9e37_79b9_7f4a_7c15;

/// The contents of a file set.
#[derive(Debug)]
pub(crate) struct Contents {
    pool: Box<[u8]>,
    seed: u64,
    is_zero: bool,
}

/// What pages of one file have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct FileKey {
    first_page: u64,
    page_mask: u64,
    file_word: u64,
}

impl FileKey {
    #[inline]
    pub(super) fn header(&self, page: u64) -> [u8; HEADER_BYTES] {
        let page_word = (page ^ self.page_mask).wrapping_mul(ODD);
        (u128::from(self.file_word) << 64 | u128::from(page_word)).to_le_bytes()
    }

    #[inline]
    pub(super) fn in_pool(&self, page: u64) -> usize {
        (self.first_page.wrapping_add(page) % POOL_PAGES) as usize * PAGE_BYTES
    }
}

impl Contents {
    pub(crate) fn new(data: Data, seed: u64) -> Self {
        let mut pool = vec![0; POOL_BYTES].into_boxed_slice();
        Filler::for_data(data, seed, 0).fill(&mut pool);
        let is_zero = matches!(data, Data::Zero | Data::Compressible { compressible_percent: 100.. });
        Contents { pool, seed, is_zero }
    }

    /// Whether files hold nothing but zeros.
    #[inline]
    pub(super) fn is_zero(&self) -> bool {
        self.is_zero
    }

    /// The bytes that files are slices of, but for their headers.
    pub(super) fn pool(&self) -> &[u8] {
        &self.pool
    }

    #[inline]
    pub(super) fn key(&self, number: FileNumber) -> FileKey {
        let mut random = Random::new(self.seed, number.key());
        let page_mask = self.seed.rotate_left(32);
        FileKey {
            first_page: random.next(),
            page_mask,
            file_word: (number.key() ^ self.seed).wrapping_mul(ODD),
        }
    }

    /// Fills `record` with what the file holds from `offset_bytes` on.
    #[inline]
    pub(crate) fn fill(&self, number: FileNumber, offset_bytes: u64, record: &mut [u8]) {
        if self.is_zero {
            record.fill(0);
            return;
        }
        let key = self.key(number);
        let (mut page, mut within) = split(offset_bytes);
        let mut rest = record;
        while !rest.is_empty() {
            let length = rest.len().min(PAGE_BYTES - within);
            let (now, later) = rest.split_at_mut(length);
            let in_pool = key.in_pool(page) + within;
            now.copy_from_slice(&self.pool[in_pool..in_pool + length]);
            if within < HEADER_BYTES {
                let header = &key.header(page)[within..HEADER_BYTES.min(within + length)];
                now[..header.len()].copy_from_slice(header);
            }
            (page, within, rest) = (page + 1, 0, later);
        }
    }

    /// The first byte, counted in the file, at which `record` is not what the file must hold from
    /// `offset_bytes` on.
    #[inline]
    pub(crate) fn first_difference(
        &self,
        number: FileNumber,
        offset_bytes: u64,
        record: &[u8],
    ) -> Option<u64> {
        let key = self.key(number);
        let (mut page, mut within) = split(offset_bytes);
        let mut done = 0;
        while done < record.len() {
            let length = (record.len() - done).min(PAGE_BYTES - within);
            let found = &record[done..done + length];
            if !self.is_page(&key, page, within, found) {
                return Some(offset_bytes + (done + self.difference(number, page, within, found)) as u64);
            }
            (page, within, done) = (page + 1, 0, done + length);
        }
        None
    }

    #[inline]
    fn is_page(&self, key: &FileKey, page: u64, within: usize, found: &[u8]) -> bool {
        let in_pool = if self.is_zero { 0 } else { key.in_pool(page) };
        let body = HEADER_BYTES.saturating_sub(within).min(found.len());
        if self.is_zero {
            return found == &self.pool[..found.len()];
        }
        let header = &key.header(page)[within.min(HEADER_BYTES)..];
        let begin = in_pool + within;
        found[..body] == header[..body] && found[body..] == self.pool[begin + body..begin + found.len()]
    }

    /// Where a part of a page begins to differ.
    #[cold]
    fn difference(&self, number: FileNumber, page: u64, within: usize, found: &[u8]) -> usize {
        let mut expected = vec![0; found.len()];
        self.fill(number, page * PAGE_BYTES as u64 + within as u64, &mut expected);
        found.iter().zip(&expected).position(|(found, expected)| found != expected).unwrap_or(0)
    }
}

/// The page that an offset lies in, and where in it.
#[inline]
pub(super) fn split(offset_bytes: u64) -> (u64, usize) {
    (offset_bytes / PAGE_BYTES as u64, (offset_bytes % PAGE_BYTES as u64) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    const FILE: FileNumber = FileNumber { client: 3, file: 5 };

    fn contents() -> Contents {
        Contents::new(Data::Incompressible, 11)
    }

    fn whole(contents: &Contents, number: FileNumber, size_bytes: usize) -> Vec<u8> {
        let mut bytes = vec![0; size_bytes];
        contents.fill(number, 0, &mut bytes);
        bytes
    }

    #[test]
    fn contents_do_not_depend_on_the_record() {
        let contents = contents();
        let size_bytes = POOL_BYTES + 3 * PAGE_BYTES + 77;
        let whole = whole(&contents, FILE, size_bytes);
        for record_bytes in [1000, 4096, 5000, 65536, size_bytes] {
            let mut pieces = vec![0; size_bytes];
            for (at, piece) in pieces.chunks_mut(record_bytes).enumerate() {
                contents.fill(FILE, (at * record_bytes) as u64, piece);
                let checked = contents.first_difference(FILE, (at * record_bytes) as u64, piece);
                assert_eq!(checked, None, "records of {record_bytes}");
            }
            assert_eq!(pieces, whole, "records of {record_bytes}");
        }
        let mut bytes = vec![0; 3 * PAGE_BYTES];
        bytes.iter_mut().enumerate().for_each(|(at, byte)| {
            contents.fill(FILE, at as u64, std::slice::from_mut(byte));
            assert_eq!(contents.first_difference(FILE, at as u64, std::slice::from_ref(byte)), None);
        });
        assert_eq!(bytes, whole[..bytes.len()]);
    }

    #[test]
    fn no_two_pages_of_a_set_are_equal() {
        let contents = contents();
        let mut pages = HashSet::new();
        for number in (0..20).flat_map(|client| (0..20).map(move |file| FileNumber { client, file })) {
            whole(&contents, number, 8 * PAGE_BYTES).chunks(PAGE_BYTES).for_each(|page| {
                assert!(pages.insert(page.to_vec()));
            });
        }
        let long = whole(&contents, FileNumber { client: 20, file: 0 }, 3 * POOL_BYTES);
        assert!(long.chunks(PAGE_BYTES).all(|page| pages.insert(page.to_vec())));
    }

    #[test]
    fn every_changed_byte_is_found_where_it_is() {
        let contents = contents();
        for (offset, size_bytes) in [(0, 9000), (4096, 4096), (5, 10), (4090, 30), (8000, 700)] {
            let mut record = vec![0; size_bytes];
            contents.fill(FILE, offset, &mut record);
            for at in 0..size_bytes {
                record[at] ^= 1 << (at % 8);
                let found = contents.first_difference(FILE, offset, &record);
                assert_eq!(found, Some(offset + at as u64));
                record[at] ^= 1 << (at % 8);
            }
            assert_eq!(contents.first_difference(FILE, offset, &record), None);
        }
    }

    #[test]
    fn what_belongs_elsewhere_is_found() {
        let contents = contents();
        let page = |number, offset| {
            let mut page = vec![0; PAGE_BYTES];
            contents.fill(number, offset, &mut page);
            page
        };
        let other_file = FileNumber { file: 6, ..FILE };
        let other_client = FileNumber { client: 4, ..FILE };
        let swapped = FileNumber { client: 5, file: 3 };
        for wrong in [page(FILE, 4096), page(other_file, 0), page(other_client, 0), page(swapped, 0)] {
            assert!(contents.first_difference(FILE, 0, &wrong).is_some());
        }
        let other_seed = Contents::new(Data::Incompressible, 12);
        assert!(other_seed.first_difference(FILE, 0, &page(FILE, 0)).is_some());
        // As far round the pool as it goes, the header alone tells.
        assert!(contents.first_difference(FILE, 0, &page(FILE, POOL_BYTES as u64)).is_some());
    }

    #[test]
    fn the_share_of_zeros_is_kept_and_zeros_stay_zeros() {
        let half = Contents::new(Data::Compressible { compressible_percent: 50 }, 1);
        let bytes = whole(&half, FILE, 16 * PAGE_BYTES);
        let zeros = bytes.chunks(PAGE_BYTES).map(|page| page.iter().rev().take_while(|b| **b == 0).count());
        assert!(zeros.into_iter().all(|zeros| zeros.abs_diff(2048) <= 2));
        for data in [Data::Zero, Data::Compressible { compressible_percent: 100 }] {
            let zero = Contents::new(data, 1);
            let mut bytes = vec![1; 10_000];
            zero.fill(FILE, 1, &mut bytes);
            assert!(bytes.iter().all(|byte| *byte == 0));
            assert_eq!(zero.first_difference(FILE, 1, &bytes), None);
            bytes[9_000] = 1;
            assert_eq!(zero.first_difference(FILE, 1, &bytes), Some(9_001));
        }
    }

    #[test]
    fn a_pool_does_not_shrink() {
        // Every byte value as often as every other: 4096 expected of each of 256, deviation 64.
        let mut counts = [0u32; 256];
        whole(&contents(), FILE, POOL_BYTES).iter().for_each(|byte| counts[usize::from(*byte)] += 1);
        assert!(counts.iter().all(|count| (3700..4500).contains(count)), "{counts:?}");
    }
}
