//! Group descriptors: where each group keeps its bitmaps and its inode table.
//!
//! Source: Documentation/filesystems/ext4/group_descr.rst and fs/ext4/super.c of Linux 6.12.

use super::superblock::Superblock;
use crate::bytes::Bytes;
use crate::{Image, Problems, Window};

const INODE_UNINIT: u16 = 1;
const BLOCK_UNINIT: u16 = 2;

/// One group's descriptor, as it was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Descriptor {
    pub(super) block_bitmap: u64,
    pub(super) inode_bitmap: u64,
    pub(super) inode_table: u64,
    /// How many inodes of the table, from its begin, may be in use.
    pub(super) inodes: u32,
    /// Clusters that are free, as the descriptor has it.
    pub(super) free_clusters: u32,
    /// Of the block bitmap, with `metadata_csum`; only its low half where descriptors have 32 bytes.
    pub(super) block_bitmap_checksum: u32,
    /// Whether the block bitmap was never written: everything but the group's own structures is free.
    pub(super) block_uninit: bool,
}

/// All descriptors that can be read. A block of descriptors that cannot be read stands as `None`s. Groups beyond the end of
/// a truncated image are left out, so a bad count costs nothing; their tables may lie with those before them.
pub(super) fn read(
    image: &Image,
    superblock: &Superblock,
    problems: &mut Problems,
) -> Vec<Option<Descriptor>> {
    let mut window = Window::new(image);
    let mut all = Vec::new();
    let per_block = superblock.descriptors_per_block();
    let size = superblock.descriptor_size as usize;
    let blocks_there = image.size_bytes() / u64::from(superblock.block_size);
    let groups_there =
        (blocks_there / superblock.blocks_per_group + 1).next_multiple_of(superblock.flex_groups);
    let count = superblock.groups.min(groups_there);
    for index in 0..count.div_ceil(per_block) {
        let offset = superblock.descriptor_block(index).saturating_mul(u64::from(superblock.block_size));
        let first = index * per_block;
        let groups = per_block.min(count - first);
        let block = window.get(
            offset,
            superblock.block_size as usize,
            problems,
            format_args!("descriptors of groups {first} to {}", first + groups - 1),
        );
        match block {
            Some(block) => {
                let descriptors = block.chunks_exact(size).take(groups as usize);
                all.extend(descriptors.map(|bytes| parse(bytes, superblock)));
            }
            None => all.extend((0..groups).map(|_| None)),
        }
    }
    all
}

/// Leaves the inodes of a group out whose table lies in that of another: no table is read twice.
pub(super) fn drop_shared_tables(all: &mut [Option<Descriptor>], table_blocks: u64, problems: &mut Problems) {
    let table = |(group, each): (usize, &Option<Descriptor>)| {
        each.filter(|found| found.inodes > 0 && found.inode_table > 0).map(|found| (found.inode_table, group))
    };
    let mut tables: Vec<(u64, usize)> = all.iter().enumerate().filter_map(table).collect();
    tables.sort_unstable();
    let mut end = 0;
    for (start, group) in tables {
        if start >= end {
            end = start.saturating_add(table_blocks);
        } else if let Some(Some(descriptor)) = all.get_mut(group) {
            descriptor.inodes = 0;
            problems.add_damage(format_args!("the inode table of group {group} overlaps that of another"));
        }
    }
}

fn parse(bytes: &[u8], superblock: &Superblock) -> Option<Descriptor> {
    let wide = superblock.descriptor_size >= 64;
    let number = |low: usize, high: usize| -> Option<u64> {
        let above = if wide { bytes.le32(high)? } else { 0 };
        Some(u64::from(bytes.le32(low)?) | u64::from(above) << 32)
    };
    let half = |low: usize, high: usize| -> Option<u32> {
        let above = if wide { bytes.le16(high)? } else { 0 };
        Some(u32::from(bytes.le16(low)?) | u32::from(above) << 16)
    };
    let flags = if superblock.has_uninit() { bytes.le16(0x12)? } else { 0 };
    let unused = half(0x1C, 0x32)?;
    let inodes = match (superblock.has_uninit(), flags & INODE_UNINIT != 0) {
        (_, true) => 0,
        // A count that is too large is damage; the whole table is read then.
        (true, false) => {
            superblock.inodes_per_group.checked_sub(unused).unwrap_or(superblock.inodes_per_group)
        }
        (false, false) => superblock.inodes_per_group,
    };
    Some(Descriptor {
        block_bitmap: number(0, 0x20)?,
        inode_bitmap: number(4, 0x24)?,
        inode_table: number(8, 0x28)?,
        inodes,
        free_clusters: half(0xC, 0x2C)?,
        block_bitmap_checksum: half(0x18, 0x38)?,
        block_uninit: flags & BLOCK_UNINIT != 0,
    })
}
