//! What a mounted XFS keeps of its free space for itself, and how many inodes there can be.
//!
//! Source: xfs_ag_resv.c, xfs_ialloc_btree.c, xfs_rmap_btree.c, xfs_refcount_btree.c and xfs_alloc.c in fs/xfs/libxfs,
//! xfs_default_resblks and xfs_fs_statfs in fs/xfs of Linux 6.12.

use fsgauge_wire::Inodes;

use super::superblock::Superblock;
use super::{Xfs, group};
use crate::{Problems, Window};

/// Bytes of a tree's block before its records, with checksums.
const TREE_HEADER_BYTES: u64 = 56;
/// Bytes of a record, and of a key with its pointer.
const FREE_INODES: (u64, u64) = (16, 8);
const REFERENCES: (u64, u64) = (12, 8);
const REVERSE_MAP: (u64, u64) = (24, 44);
/// Blocks that each group sets aside for the splits of its trees (xfs_alloc_set_aside).
const SET_ASIDE_BLOCKS: u64 = 8;
/// The most that is kept for what must not fail, else a twentieth.
const POOL_BLOCKS_LIMIT: u64 = 8192;

/// Blocks in free pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct FreeBlocks {
    /// Those that files never get.
    pub(super) kept: u64,
    pub(super) available: u64,
}

/// `None` where a header cannot be read.
pub(super) fn free_blocks(xfs: &Xfs<'_>) -> Option<FreeBlocks> {
    let (superblock, mut window) = (&xfs.superblock, Window::new(xfs.image));
    // What reads free space says what is damaged.
    let mut quiet = Problems::new();
    let mut kept = (superblock.blocks / 20).min(POOL_BLOCKS_LIMIT);
    let mut free = 0u64;
    for number in 0..superblock.groups {
        let space = group::free_space(xfs, &mut window, number, &mut quiet)?;
        let inodes = group::inodes(xfs, &mut window, number, &mut quiet)?;
        let own = SET_ASIDE_BLOCKS + of_trees(superblock, number, &space.used, inodes.free_blocks);
        // Blocks of the free list are counted as free, but lie in no free piece.
        kept = kept.saturating_add(own.saturating_sub(space.kept.len() as u64));
        free = free.saturating_add(space.free_blocks);
    }
    Some(FreeBlocks { kept, available: free.saturating_sub(kept) })
}

/// What trees of a group may still grow by. That of reverse mappings lives in what is counted as free.
fn of_trees(superblock: &Superblock, group: u64, used: &group::UsedByTrees, free_inodes: u64) -> u64 {
    // A log never needs an entry more.
    let blocks = superblock.blocks_of(group).saturating_sub(superblock.log_blocks_in(group));
    let size = |records, kind| tree_blocks(superblock.block_size.into(), records, kind);
    let mut asked = 0;
    let mut has = 0;
    if superblock.has_reflink() {
        asked += size(blocks, REFERENCES);
        has += used.references;
    }
    if superblock.has_free_inode_tree() {
        asked += size(blocks * u64::from(superblock.block_size / superblock.inode_size) / 64, FREE_INODES);
        has += free_inodes;
    }
    let more = asked.saturating_sub(has);
    if !superblock.has_reverse_map() {
        return more;
    }
    more + (blocks / 100).max(size(blocks, REVERSE_MAP)).saturating_sub(used.reverse_map)
}

/// Blocks of a tree whose blocks are half full (xfs_btree_calc_size).
fn tree_blocks(block_size: u64, records: u64, (record_bytes, key_bytes): (u64, u64)) -> u64 {
    let least = |bytes: u64| ((block_size - TREE_HEADER_BYTES) / bytes / 2).max(2);
    let mut level = records.div_ceil(least(record_bytes));
    let mut all = level;
    while level > 1 {
        level = level.div_ceil(least(key_bytes));
        all += level;
    }
    all
}

/// All inodes that there can be, and those without a file: by the share that they may take, and by the room for more.
pub(super) fn inodes(superblock: &Superblock, available_blocks: u64) -> Inodes {
    let of_blocks =
        |blocks: u64| blocks.saturating_mul((superblock.block_size / superblock.inode_size).into());
    let (made, free) = (superblock.inodes, superblock.free_inodes);
    let chunk_blocks = (64 * u64::from(superblock.inode_size)).div_ceil(superblock.block_size.into());
    let percent = u64::from(superblock.inode_percent);
    let limit = match superblock.blocks.saturating_mul(percent) / 100 / chunk_blocks * chunk_blocks {
        0 => u64::MAX,
        blocks => of_blocks(blocks),
    };
    let total = made.saturating_add(of_blocks(available_blocks)).min(limit).max(made);
    Inodes { total, free: total.saturating_sub(made.saturating_sub(free)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_as_large_as_with_blocks_half_full() {
        // (4096 - 56) / 12 / 2 = 168 records, (4096 - 56) / 8 / 2 = 252 keys.
        assert_eq!(tree_blocks(4096, 0, REFERENCES), 0);
        assert_eq!(tree_blocks(4096, 168, REFERENCES), 1);
        assert_eq!(tree_blocks(4096, 169, REFERENCES), 2 + 1);
        assert_eq!(tree_blocks(4096, 168 * 252 + 1, REFERENCES), 253 + 2 + 1);
    }
}
