//! Records on their way into files, without a copy where one thread writes for many clients.

use super::contents::{HEADER_BYTES, POOL_BYTES, split};
use super::{Contents, FileNumber, PAGE_BYTES};

/// Gives what is to be written, one record at a time.
#[derive(Debug)]
pub(crate) struct Records {
    bytes: Box<[u8]>,
    way: ConnectStep,
}

/// How a record is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ConnectStep {
    /// All records are zeros.
    Zeros,
    /// A piece of a pool of its own, in which the headers are put right. Only headers ever change, and all that
    /// a record has of them are its own, so nothing has to be restored.
    InPlace,
    /// Copied: a pool would take more memory than the copy takes time.
    Copied,
}

impl Records {
    /// For records up to this size, out of a pool of its own.
    pub(crate) fn in_place(contents: &Contents, record_size_bytes: u32) -> Self {
        let record_bytes = record_size_bytes as usize;
        if contents.is_zero() {
            return Records { bytes: vec![0; record_bytes].into(), way: ConnectStep::Zeros };
        }
        // So long that no record wraps, and no header either.
        let length = (POOL_BYTES + record_bytes).next_multiple_of(PAGE_BYTES);
        let mut bytes = Vec::with_capacity(length);
        while bytes.len() < length {
            bytes.extend_from_slice(&contents.pool()[..POOL_BYTES.min(length - bytes.len())]);
        }
        Records { bytes: bytes.into(), way: ConnectStep::InPlace }
    }

    /// For records up to this size, each copied: what a thread of one client can afford.
    pub(crate) fn copied(contents: &Contents, record_size_bytes: u32) -> Self {
        let way = if contents.is_zero() { ConnectStep::Zeros } else { ConnectStep::Copied };
        Records { bytes: vec![0; record_size_bytes as usize].into(), way }
    }

    /// For clients that write nothing.
    pub(crate) fn none() -> Self {
        Records { bytes: Box::default(), way: ConnectStep::Zeros }
    }

    /// Whether giving a record takes a time that depends on its size.
    #[inline]
    pub(crate) fn copies(&self) -> bool {
        self.way == ConnectStep::Copied
    }

    /// What the file holds from `offset_bytes` on. The contents are those that this was made for.
    #[inline]
    pub(crate) fn record(
        &mut self,
        contents: &Contents,
        number: FileNumber,
        offset_bytes: u64,
        size_bytes: usize,
    ) -> &[u8] {
        match self.way {
            ConnectStep::Zeros => &self.bytes[..size_bytes],
            ConnectStep::InPlace => self.patched(contents, number, offset_bytes, size_bytes),
            ConnectStep::Copied => {
                let record = &mut self.bytes[..size_bytes];
                contents.fill(number, offset_bytes, record);
                record
            }
        }
    }

    #[inline]
    fn patched(
        &mut self,
        contents: &Contents,
        number: FileNumber,
        offset_bytes: u64,
        size_bytes: usize,
    ) -> &[u8] {
        let key = contents.key(number);
        let (first_page, within) = split(offset_bytes);
        let first = key.in_pool(first_page);
        let (begin, end) = (first + within, first + within + size_bytes);
        let (mut page, mut at) = (first_page, first);
        if within >= HEADER_BYTES {
            (page, at) = (page + 1, at + PAGE_BYTES);
        }
        while at < end {
            self.bytes[at..at + HEADER_BYTES].copy_from_slice(&key.header(page));
            (page, at) = (page + 1, at + PAGE_BYTES);
        }
        &self.bytes[begin..end]
    }
}

#[cfg(test)]
mod tests {
    use fsgauge_wire::Data;

    use super::*;
    use fsgauge_load::Random;

    const HALF: Data = Data::Compressible { compressible_percent: 50 };
    const ZEROS: [Data; 2] = [Data::Zero, Data::Compressible { compressible_percent: 100 }];

    /// Compares with what `fill` says; nothing of earlier records may show.
    fn check(records: &mut Records, contents: &Contents, number: FileNumber, offset: u64, size_bytes: usize) {
        let mut expected = vec![0x55; size_bytes];
        contents.fill(number, offset, &mut expected);
        let found = records.record(contents, number, offset, size_bytes);
        assert!(found == expected, "{number:?}, {size_bytes} bytes from {offset}");
        assert_eq!(contents.first_difference(number, offset, found), None);
    }

    fn both(contents: &Contents, record_size_bytes: u32) -> [Records; 2] {
        [Records::in_place(contents, record_size_bytes), Records::copied(contents, record_size_bytes)]
    }

    #[test]
    fn records_are_what_files_hold_whatever_was_given_before() {
        const LONGEST: usize = 3 * PAGE_BYTES;
        for data in [Data::Incompressible, HALF, ZEROS[0], ZEROS[1]] {
            let contents = Contents::new(data, 11);
            for mut records in both(&contents, LONGEST as u32) {
                let mut random = Random::new(5, 0);
                for _ in 0..4000 {
                    let number =
                        FileNumber { client: (random.next() % 3) as u32, file: random.next() as u32 % 2 };
                    // Beginnings and ends that lie near a header as often as not.
                    let near = random.next() % 40;
                    let offset = match random.next() % 3 {
                        0 => random.next() % (3 * POOL_BYTES as u64),
                        1 => random.next() % 600 * PAGE_BYTES as u64,
                        _ => (1 + random.next() % 600) * PAGE_BYTES as u64 - 20 + near,
                    };
                    let size_bytes = match random.next() % 3 {
                        0 => random.next() as usize % (LONGEST + 1),
                        1 => random.next() as usize % 40,
                        _ => (PAGE_BYTES - 20 + random.next() as usize % 40).min(LONGEST),
                    };
                    check(&mut records, &contents, number, offset, size_bytes);
                }
            }
        }
    }

    #[test]
    fn every_short_piece_about_a_header_is_right() {
        let contents = Contents::new(Data::Incompressible, 11);
        let mut records = Records::in_place(&contents, 64);
        for offset in PAGE_BYTES - 24..PAGE_BYTES + 24 {
            for size_bytes in 0..=40 {
                for file in 0..2 {
                    let number = FileNumber { client: 0, file };
                    check(&mut records, &contents, number, offset as u64, size_bytes);
                }
            }
        }
    }

    #[test]
    fn a_record_ends_behind_the_pool_wherever_it_begins() {
        for record_bytes in [1, 77, 65536, POOL_BYTES + 5000, 3 * POOL_BYTES] {
            let contents = Contents::new(Data::Incompressible, 3);
            let mut records = Records::in_place(&contents, record_bytes as u32);
            for page in 0..(POOL_BYTES / PAGE_BYTES) as u64 {
                if record_bytes > POOL_BYTES && page % 16 != 0 {
                    continue;
                }
                for within in [0, 1, 4095] {
                    let number = FileNumber { client: 9, file: page as u32 % 2 };
                    check(&mut records, &contents, number, page * PAGE_BYTES as u64 + within, record_bytes);
                }
            }
        }
    }

    #[test]
    fn zeros_take_no_pool() {
        for data in ZEROS {
            let contents = Contents::new(data, 1);
            assert_eq!(Records::in_place(&contents, 4096).bytes.len(), 4096);
        }
        assert_eq!(Records::none().bytes.len(), 0);
    }
}
