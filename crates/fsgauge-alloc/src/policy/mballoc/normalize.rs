//! How a request is made larger: to a window in the file whose size goes with that of the file.

use super::settings::{Settings, Windows};
use crate::policy::Request;

/// Blocks of a file that are searched for together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Window {
    /// Counted in the file.
    pub(super) logical: u64,
    pub(super) blocks: u32,
}

/// Files up to so many bytes get a window of a power of two from their beginning.
const WHOLE_BYTES: u64 = 1 << 20;
const SMALLEST_BYTES: u64 = 16 << 10;

/// The window around a request of `wanted_blocks`, before that of neighbours is taken off.
fn around(settings: &Settings, request: &Request, wanted_blocks: u32) -> (u64, u64) {
    let block_bytes = u64::from(settings.block_bytes);
    let end = request.logical + u64::from(wanted_blocks);
    if let Windows::Table { entries, .. } = &settings.windows {
        return from_table(entries, request.logical, end, end.max(request.file_blocks));
    }
    let size_bytes = end.max(request.file_blocks) * block_bytes;
    if size_bytes <= WHOLE_BYTES {
        return (0, size_bytes.next_power_of_two().max(SMALLEST_BYTES) / block_bytes);
    }
    // The kernel compares chunks with this number of blocks, too: with blocks of 4 KiB it lets all through the last.
    let chunk_limit = 2 * block_bytes;
    let aligned = |size_bytes: u64| {
        let blocks = size_bytes / block_bytes;
        (request.logical / blocks * blocks, blocks)
    };
    if size_bytes <= 4 << 20 || chunk_limit <= 2 << 10 {
        aligned(2 << 20)
    } else if size_bytes <= 8 << 20 || chunk_limit <= 4 << 10 {
        aligned(4 << 20)
    } else if u64::from(wanted_blocks) <= (8 << 20) / block_bytes || chunk_limit <= 8 << 10 {
        aligned(8 << 20)
    } else {
        (request.logical, u64::from(wanted_blocks))
    }
}

/// The first entry that holds the file, from its beginning; beyond the last, whole windows of that around the request.
fn from_table(entries: &[u32], start: u64, end: u64, file_blocks: u64) -> (u64, u64) {
    if let Some(&entry) = entries.iter().find(|&&entry| u64::from(entry) >= file_blocks) {
        return (0, entry.into());
    }
    let largest = entries.last().map_or(1, |&entry| u64::from(entry));
    let start = start / largest * largest;
    (start, end.next_multiple_of(largest) - start)
}

/// The window of a request, without what the file has already and without `neighbours`, which are set aside for it: ends
/// of what lies before the request, and beginnings of what lies behind it.
pub(super) fn window(
    settings: &Settings,
    group_blocks: u32,
    request: &Request,
    wanted_blocks: u32,
    neighbours: (Option<u64>, Option<u64>),
) -> Window {
    let (start, blocks) = around(settings, request, wanted_blocks);
    let mut start = start.max(request.logical / u64::from(group_blocks) * u64::from(group_blocks));
    let mut end = start + blocks;
    if let Some(last) = request.last
        && start < last.logical_end()
    {
        start = last.logical_end();
    }
    end = end.min(start + u64::from(group_blocks));
    if let Some(before) = neighbours.0 {
        start = start.max(before);
    }
    if let Some(behind) = neighbours.1 {
        end = end.min(behind);
    }
    debug_assert!(start <= request.logical && request.logical < end);
    Window { logical: start, blocks: (end - start) as u32 }
}

#[cfg(test)]
mod tests {
    use super::super::settings::Release;
    use super::*;
    use crate::policy::{Extent, Purpose};

    fn found(logical: u64, blocks: u32, file_blocks: u64, last_end: u64) -> (u64, u32) {
        let last = (last_end > 0).then_some(Extent { logical: 0, physical: 9, blocks: last_end as u32 });
        let purpose = Purpose::Data;
        let request = Request { file: 1, inode: 12, logical, blocks, file_blocks, goal: 0, last, purpose };
        let settings = Settings::new(Release::Linux6_18, 100);
        let window = window(&settings, 32768, &request, blocks, (None, None));
        (window.logical, window.blocks)
    }

    /// The table of ext4_mb_normalize_request, in blocks of 4 KiB.
    #[test]
    fn windows_grow_with_the_file() {
        assert_eq!(found(0, 1, 0, 0), (0, 4));
        assert_eq!(found(0, 5, 0, 0), (0, 8));
        assert_eq!(found(0, 17, 0, 0), (0, 32));
        assert_eq!(found(0, 256, 0, 0), (0, 256));
        assert_eq!(found(0, 257, 0, 0), (0, 512));
        assert_eq!(found(600, 1, 0, 0), (512, 512));
        assert_eq!(found(1100, 1, 0, 0), (1024, 1024));
        assert_eq!(found(3000, 1, 0, 0), (2048, 2048));
        assert_eq!(found(4096, 3000, 0, 0), (4096, 2048));
    }

    #[test]
    fn a_table_gives_its_entries_and_then_whole_windows_of_the_last() {
        let of = |start, end, file_blocks| from_table(&[4, 64, 256], start, end, file_blocks);
        assert_eq!([of(0, 1, 1), of(3, 5, 5), of(0, 1, 65)], [(0, 4), (0, 64), (0, 256)]);
        assert_eq!([of(256, 300, 300), of(500, 513, 600)], [(256, 256), (256, 512)]);
    }

    #[test]
    fn what_the_file_has_is_not_covered() {
        assert_eq!(found(16, 1, 0, 16), (16, 16));
        assert_eq!(found(32, 1, 0, 32), (32, 32));
        assert_eq!(found(600, 1, 0, 600), (600, 424));
    }
}
