//! The index of a large folder: whether new names are refused because it cannot grow.
//!
//! Source: Documentation/filesystems/ext4/directory.rst and ext4_dx_add_entry in fs/ext4/namei.c of Linux 6.12.

use super::Ext;
use super::inode::Inode;
use crate::bytes::Bytes;
use crate::{Extent, FolderIndex, Problems, Window};

/// Where the root has the length of its header, and how many levels of index blocks lie below it.
const ROOT_HEADER_AT: usize = 24;
const ENTRY_BYTES: usize = 8;
/// A block's number has 28 bits.
const BLOCK_MASK: u32 = 0x0FFF_FFFF;

/// A folder with fewer bytes has room in its root: index blocks are split in halves.
pub(in crate::source) fn least_bytes(block_bytes: u64) -> u64 {
    let entries = |other_bytes: u64| block_bytes.saturating_sub(other_bytes) / ENTRY_BYTES as u64;
    // Headers, and room for checksums.
    entries(40) * (entries(16) / 2) * block_bytes
}

/// `None` where the root has room or may still get a level below it; `extents` are the folder's.
pub(super) fn read(
    ext: &Ext<'_>,
    inode: &Inode,
    extents: &[Extent],
    problems: &mut Problems,
) -> Option<FolderIndex> {
    if !inode.is_indexed() || inode.size_bytes < least_bytes(ext.superblock.block_size.into()) {
        return None;
    }
    let deepest = if ext.superblock.has_large_folders() { 2 } else { 1 };
    let mut index = Reader { ext, extents, window: Window::new(ext.image), found: FolderIndex::default() };
    let root = index.block(0, problems)?;
    let header = ROOT_HEADER_AT + usize::from(root.u8(ROOT_HEADER_AT + 5)?);
    let root_is_full = index.is_full(&root, header, 0, problems)?;
    if root.u8(ROOT_HEADER_AT + 6)? != deepest || !root_is_full {
        return None;
    }
    index.below((&root, 0), header, deepest, true, problems);
    Some(index.found)
}

struct Reader<'a> {
    ext: &'a Ext<'a>,
    extents: &'a [Extent],
    window: Window<'a>,
    found: FolderIndex,
}

impl Reader<'_> {
    /// Counts what an index block with so many levels below it leads to. `is_stuck`: nothing above it can grow.
    fn below(
        &mut self,
        (block, number): (&[u8], u64),
        at: usize,
        levels: u8,
        is_stuck: bool,
        problems: &mut Problems,
    ) {
        let Some(is_full) = self.is_full(block, at, number, problems) else { return };
        let is_stuck = is_stuck && is_full;
        if levels == 0 {
            self.found.blocks += 1;
            self.found.full_blocks += u64::from(is_stuck);
            return;
        }
        let count = block.le16(at + 2).map_or(0, usize::from);
        for entry in (0..count).map(|entry| at + entry * ENTRY_BYTES) {
            let Some(number) = block.le32(entry + 4) else { return };
            let number = u64::from(number & BLOCK_MASK);
            let Some(next) = self.block(number, problems) else { continue };
            // An entry without a name is before those of the index.
            self.below((&next, number), ENTRY_BYTES, levels - 1, is_stuck, problems);
        }
    }

    /// A block of the folder.
    fn block(&mut self, number: u64, problems: &mut Problems) -> Option<Vec<u8>> {
        let size = self.ext.superblock.block_size;
        let Some(place) = self.place(number.saturating_mul(size.into())) else {
            problems.add_damage(format_args!("index of a folder: its block {number} lies nowhere"));
            return None;
        };
        if !self.ext.met.insert(place / u64::from(size)) {
            problems.add_damage(format_args!(
                "index of a folder: the block at byte {place} is part of another tree"
            ));
            return None;
        }
        self.window.get(place, size as usize, problems, "index of a folder").map(<[u8]>::to_vec)
    }

    /// Where a byte of the folder lies.
    fn place(&self, logical_bytes: u64) -> Option<u64> {
        let behind = self.extents.partition_point(|extent| extent.logical_bytes <= logical_bytes);
        let extent = self.extents.get(behind.checked_sub(1)?)?;
        let within = logical_bytes - extent.logical_bytes;
        (within < extent.length_bytes).then(|| extent.physical_bytes + within)
    }

    fn is_full(&self, block: &[u8], at: usize, number: u64, problems: &mut Problems) -> Option<bool> {
        let found = is_full(block, at);
        if found.is_none() {
            problems.add_damage(format_args!("index of a folder: its block {number} contradicts itself"));
        }
        found
    }
}

/// Whether an index block has as many entries as it can; `None` where it has none, or more.
fn is_full(block: &[u8], at: usize) -> Option<bool> {
    let (limit, count) = (block.le16(at)?, block.le16(at + 2)?);
    let fits = at + usize::from(limit) * ENTRY_BYTES <= block.len();
    (fits && (1..=limit).contains(&count)).then_some(count == limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_root_is_full_from_half_full_blocks_on() {
        // 123 entries of the root, 126 of a block: of 1 KiB.
        assert_eq!(least_bytes(1024), 123 * 63 * 1024);
        assert_eq!(least_bytes(4096), 507 * 255 * 4096);
        assert_eq!(least_bytes(0), 0);
    }

    #[test]
    fn a_block_is_full_at_its_limit() {
        let block = |limit: u16, count: u16| {
            [&[0; 8], &limit.to_le_bytes()[..], &count.to_le_bytes(), &[0; 1012]].concat()
        };
        assert_eq!(is_full(&block(126, 126), 8), Some(true));
        assert_eq!(is_full(&block(126, 125), 8), Some(false));
        for (limit, count) in [(126, 0), (0, 0), (126, 127), (128, 128)] {
            assert_eq!(is_full(&block(limit, count), 8), None, "{count} of {limit}");
        }
        assert_eq!(is_full(&block(1, 1), 1023), None);
    }
}
