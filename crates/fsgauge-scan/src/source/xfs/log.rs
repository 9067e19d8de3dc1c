//! Whether the log is clean: its last record says that the file system was unmounted.
//!
//! Source: "XFS Algorithms & Data Structures", 3rd edition, chapter 14; `xlog_find_head` and `xlog_check_unmount_rec` in
//! fs/xfs/xfs_log_recover.c of Linux 6.12.

use super::superblock::Superblock;
use crate::bytes::Bytes;
use crate::{Image, Problems, Window};

const SECTOR: u64 = 512;
const RECORD_MAGIC: u32 = 0xFEED_BABE;
const UNMOUNT_FLAG: u8 = 0x20;
/// A record is at most 256 KiB, and its header at most 4 KiB.
const RECORD_SECTORS_LIMIT: u64 = 600;
/// A header sector holds the cycle words of so many bytes.
const HEADER_COVERS_BYTES: u32 = 32 << 10;

/// `None` when the log is elsewhere or cannot be understood.
pub(super) fn is_clean(image: &Image, superblock: &Superblock, problems: &mut Problems) -> Option<bool> {
    if superblock.log_start == 0 {
        return None;
    }
    let start = superblock.offset(superblock.log_start, superblock.log_blocks)?;
    let sectors = superblock.log_blocks * u64::from(superblock.block_size) / SECTOR;
    let mut log = Log { window: Window::new(image), start, sectors, problems };
    let head = log.head()?;
    // The last record begins before the head, perhaps behind the log's end.
    for back in 1..=RECORD_SECTORS_LIMIT.min(sectors) {
        let place = (head + sectors - back) % sectors;
        if log.sector(place)?.be32(0) == Some(RECORD_MAGIC) {
            return log.is_unmount(place, back);
        }
    }
    None
}

struct Log<'a, 'p> {
    window: Window<'a>,
    start: u64,
    sectors: u64,
    problems: &'p mut Problems,
}

impl Log<'_, '_> {
    fn sector(&mut self, index: u64) -> Option<&[u8]> {
        self.window.get(self.start + index * SECTOR, SECTOR as usize, self.problems, format_args!("log"))
    }

    /// Each time the log is written from the start again its cycle is one more; every sector begins with it,
    /// but for headers of records, which have it in their second word.
    fn cycle(&mut self, index: u64) -> Option<u32> {
        let sector = self.sector(index)?;
        let word = sector.be32(0)?;
        if word == RECORD_MAGIC { sector.be32(4) } else { Some(word) }
    }

    /// The first sector behind what was written last: where the cycle falls; the start when it never does.
    fn head(&mut self) -> Option<u64> {
        let first = self.cycle(0)?;
        let (mut low, mut high) = (0, self.sectors);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if self.cycle(middle)? == first {
                low = middle;
            } else {
                high = middle;
            }
        }
        Some(high % self.sectors)
    }

    /// Whether the record whose header is at `place` is the one of an unmount, and ends at the head.
    fn is_unmount(&mut self, place: u64, until_head: u64) -> Option<bool> {
        let header = self.sector(place)?;
        let (version, operations, size) = (header.be32(8)?, header.be32(40)?, header.be32(320)?);
        let length = u64::from(header.be32(12)?);
        let header_sectors =
            if version & 2 != 0 { u64::from(size.div_ceil(HEADER_COVERS_BYTES)).max(1) } else { 1 };
        let ends_at_head = header_sectors.checked_add(length.div_ceil(SECTOR))? == until_head;
        if !ends_at_head || operations != 1 {
            return Some(false);
        }
        let flags = self.sector((place + header_sectors) % self.sectors)?.u8(9)?;
        Some(flags & UNMOUNT_FLAG != 0)
    }
}
