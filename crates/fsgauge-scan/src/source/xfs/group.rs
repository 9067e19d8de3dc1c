//! The headers of an allocation group: where its trees begin.
//!
//! Source: "XFS Algorithms & Data Structures", 3rd edition, chapter 12; `struct xfs_agf` and `struct xfs_agi` in
//! fs/xfs/libxfs/xfs_format.h of Linux 6.12.

use super::Xfs;
use super::superblock::Superblock;
use crate::bytes::Bytes;
use crate::{Problems, Window};

const FREE_SPACE_MAGIC: u32 = 0x5841_4746;
const INODE_MAGIC: u32 = 0x5841_4749;

/// A tree: its root's block in the group, and its levels.
#[derive(Debug, Clone, Copy)]
pub(super) struct Root {
    pub(super) block: u64,
    pub(super) levels: u32,
}

/// The header of the group's free space.
#[derive(Debug)]
pub(super) struct FreeSpaceHeader {
    pub(super) by_block: Root,
    pub(super) by_size: Root,
    pub(super) reverse_map: Option<Root>,
    pub(super) references: Option<Root>,
    /// Blocks kept for the trees of this group to grow.
    pub(super) kept: Vec<u64>,
    /// Blocks in free pieces.
    pub(super) free_blocks: u64,
    pub(super) used: UsedByTrees,
}

/// Blocks that some trees have.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct UsedByTrees {
    pub(super) reverse_map: u64,
    pub(super) references: u64,
}

/// The header of the group's inodes.
#[derive(Debug)]
pub(super) struct InodeHeader {
    pub(super) inodes: Root,
    pub(super) free: Option<Root>,
    /// Blocks of that tree; of an XFS that does not count them, one.
    pub(super) free_blocks: u64,
}

/// Blocks at the begin of a group that hold its four headers of a sector each.
pub(super) fn header_blocks(superblock: &Superblock) -> u64 {
    u64::from(4 * superblock.sector_size).div_ceil(u64::from(superblock.block_size))
}

pub(super) fn free_space(
    xfs: &Xfs<'_>,
    window: &mut Window<'_>,
    group: u64,
    problems: &mut Problems,
) -> Option<FreeSpaceHeader> {
    let sector = sector(xfs, window, group, 1, FREE_SPACE_MAGIC, problems)?;
    let root = |block: usize, levels: usize| {
        Some(Root { block: u64::from(sector.be32(block)?), levels: sector.be32(levels)? })
    };
    let superblock = &xfs.superblock;
    let mut header = FreeSpaceHeader {
        by_block: root(16, 28)?,
        by_size: root(20, 32)?,
        reverse_map: root(24, 36).filter(|_| superblock.has_reverse_map()),
        references: root(88, 92).filter(|_| superblock.has_reflink()),
        kept: Vec::new(),
        free_blocks: u64::from(sector.be32(52)?),
        used: UsedByTrees {
            reverse_map: u64::from(sector.be32(80)?),
            references: u64::from(sector.be32(84)?),
        },
    };
    let (first, count) = (sector.be32(40)? as usize, sector.be32(48)? as usize);
    header.kept = kept_blocks(xfs, window, group, first, count, problems);
    Some(header)
}

/// The free list: a ring of block numbers in the fourth sector.
fn kept_blocks(
    xfs: &Xfs<'_>,
    window: &mut Window<'_>,
    group: u64,
    first: usize,
    count: usize,
    problems: &mut Problems,
) -> Vec<u64> {
    let sector_size = xfs.superblock.sector_size as usize;
    let Some(start) = xfs.superblock.group_offset(group, 0) else { return Vec::new() };
    let what = format_args!("free list of group {group}");
    let Some(sector) = window.get(start + 3 * sector_size as u64, sector_size, problems, what) else {
        return Vec::new();
    };
    let header = if xfs.superblock.version_5 { 36 } else { 0 };
    let slots = sector.get(header..).unwrap_or(&[]);
    let room = slots.len() / 4;
    if first >= room || count > room {
        problems.add_damage(format_args!("free list of group {group}"));
        return Vec::new();
    }
    let numbers = (0..count).filter_map(|index| slots.be32((first + index) % room * 4));
    numbers.map(u64::from).collect()
}

pub(super) fn inodes(
    xfs: &Xfs<'_>,
    window: &mut Window<'_>,
    group: u64,
    problems: &mut Problems,
) -> Option<InodeHeader> {
    let sector = sector(xfs, window, group, 2, INODE_MAGIC, problems)?;
    let root = |block: usize, levels: usize| {
        Some(Root { block: u64::from(sector.be32(block)?), levels: sector.be32(levels)? })
    };
    let free = root(328, 332).filter(|_| xfs.superblock.has_free_inode_tree());
    let counted = sector.be32(340).filter(|_| xfs.superblock.counts_inode_trees());
    Some(InodeHeader { inodes: root(20, 24)?, free, free_blocks: counted.map_or(1, u64::from) })
}

/// A header, when its magic number and its group's number are right.
fn sector(
    xfs: &Xfs<'_>,
    window: &mut Window<'_>,
    group: u64,
    index: u64,
    magic: u32,
    problems: &mut Problems,
) -> Option<Vec<u8>> {
    let size = xfs.superblock.sector_size;
    let offset = xfs.superblock.group_offset(group, 0)? + index * u64::from(size);
    let what = format_args!("header {index} of group {group}");
    let sector = window.get(offset, size as usize, problems, what)?;
    if sector.be32(0) != Some(magic) || sector.be32(8).map(u64::from) != Some(group) {
        problems.add_damage(format_args!("header {index} of group {group}"));
        return None;
    }
    Some(sector.to_vec())
}
