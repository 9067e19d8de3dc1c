//! What an ext4 that was just made has in use: where mke2fs puts its own blocks (flex groups of 16, a journal in the middle), by
//! what it is told and what its mke2fs.conf says for the size. tests/mke2fs.rs compares it with mke2fs.
//!
//! Blocks are counted from the first of the first group, which blocks of 1 KiB have one block behind the device's beginning.

use fsgauge_alloc::ext4::Geometry;
use fsgauge_alloc::free_map::Run;
use fsgauge_wire::Mke2fs;

const FLEX_GROUPS: u64 = 16;
/// The first ten and lost+found.
const INODES_IN_USE: u32 = 11;
/// Of lost+found: so many bytes, but no more blocks than an inode names without another block.
const LOST_AND_FOUND_BYTES: u64 = 16 << 10;
const LOST_AND_FOUND_BLOCKS: u64 = 12;
/// An inode has four extents of at most so many blocks; a journal of more has a block of extents, right before it.
const EXTENT_BLOCKS: u64 = 32768;
const EXTENTS_IN_INODE: u64 = 4;
/// A last group with less room than this for files is not made.
const LEAST_BLOCKS_OF_LAST: u64 = 50;
/// What mke2fs takes for a journal.
const LEAST_JOURNAL_BLOCKS: u64 = 1024;
const MOST_JOURNAL_BLOCKS: u64 = 10_240_000;

/// An empty file system on a device of so many bytes. None where it is not known what mke2fs makes: beyond 256 TiB with blocks of
/// 4 KiB, descriptors lie otherwise (meta_bg). Says what mke2fs would not make.
pub fn geometry(
    size_bytes: u64,
    block_bytes: u32,
    told: &Mke2fs,
    hash_seed: [u32; 4],
) -> Result<Option<Geometry>, String> {
    let sizes = |blocks: u64| Sizes::of(blocks, u64::from(block_bytes), told, size_bytes);
    let mut blocks = size_bytes / u64::from(block_bytes);
    let mut made = sizes(blocks)?;
    let last = (blocks - made.first_block) % made.group_blocks;
    let own = made.inode_table + 2 + if has_superblock(made.groups - 1) { made.superblock() } else { 0 };
    if made.groups > 1 && last > 0 && last < own + LEAST_BLOCKS_OF_LAST {
        blocks -= last;
        made = sizes(blocks)?;
    }
    let root_blocks = (told.reserved_percent * blocks as f64 / 100.0) as u64;
    if made.superblock() >= made.group_blocks {
        return Ok(None);
    }
    blocks -= made.first_block;
    let mut free = with_tables(&made, blocks)?;
    let lost_and_found = (LOST_AND_FOUND_BYTES / u64::from(block_bytes)).min(LOST_AND_FOUND_BLOCKS);
    // The root directory and lost+found, and a block of the inode that keeps space for more descriptors.
    let root = take(&mut free, 0, 1 + lost_and_found + u64::from(told.resize_inode)).first;
    if let Some(journal) = journal_blocks(blocks + made.first_block, u64::from(block_bytes), told)? {
        let goal = journal_goal(&made, blocks, &free);
        let taken = take(&mut free, goal, journal);
        if taken.extents > EXTENTS_IN_INODE {
            take(&mut free, goal.saturating_sub(1), 1);
        }
    }
    let groups = made.groups as usize;
    let (mut inodes_in_use, mut directories) = (vec![0; groups], vec![0; groups]);
    (inodes_in_use[0], directories[0]) = (INODES_IN_USE, 2);
    Ok(Some(Geometry {
        block_bytes,
        blocks,
        group_blocks: made.group_blocks as u32,
        inodes_per_group: made.inodes_per_group as u32,
        flex_groups: FLEX_GROUPS as u32,
        hash_seed,
        root_blocks,
        free: in_groups(&free, made.group_blocks),
        inodes_in_use,
        directories,
        root_block: root,
    }))
}

struct Sizes {
    first_block: u64,
    group_blocks: u64,
    groups: u64,
    inodes_per_group: u64,
    inode_table: u64,
    descriptors: u64,
    reserved_descriptors: u64,
}

impl Sizes {
    /// `blocks` are all of the file system, `size_bytes` those of the device.
    fn of(blocks: u64, block_bytes: u64, told: &Mke2fs, size_bytes: u64) -> Result<Self, String> {
        let first_block = u64::from(block_bytes == 1024);
        let group_blocks = 8 * block_bytes;
        let groups = (blocks - first_block).div_ceil(group_blocks);
        // mke2fs.conf: types small, big and huge, by size.
        let usual = match size_bytes {
            bytes if bytes < 512 << 20 => 4096,
            bytes if bytes < 4 << 40 => 16384,
            bytes if bytes < 16 << 40 => 32768,
            _ => 65536,
        };
        let inode_bytes = u64::from(told.inode_size_bytes);
        let wanted = told
            .inodes
            .unwrap_or(size_bytes / block_bytes * block_bytes / told.bytes_per_inode.unwrap_or(usual));
        let most = 8 * block_bytes;
        let each = wanted.max(u64::from(INODES_IN_USE) + 1).div_ceil(groups).max(8);
        if each > most {
            return Err(format!("{wanted} inodes are {each} a group, and its bitmap is one block: {most}"));
        }
        let rounded = (each * inode_bytes).div_ceil(block_bytes) * block_bytes / inode_bytes / 8 * 8;
        let inode_table = (rounded * inode_bytes).div_ceil(block_bytes);
        let in_block = block_bytes / if told.has_64bit { 64 } else { 32 };
        let descriptors = groups.div_ceil(in_block);
        let most = u64::from(u32::MAX);
        let reserved_descriptors = if blocks > most || !told.resize_inode {
            0
        } else {
            let largest = if blocks < most / 1024 { blocks * 1024 } else { most };
            let needed = (largest - first_block).div_ceil(group_blocks).div_ceil(in_block);
            needed.saturating_sub(descriptors).min(block_bytes / 4)
        };
        let inodes_per_group = rounded;
        Ok(Sizes {
            first_block,
            group_blocks,
            groups,
            inodes_per_group,
            inode_table,
            descriptors,
            reserved_descriptors,
        })
    }

    /// A superblock with the descriptors behind it.
    fn superblock(&self) -> u64 {
        1 + self.descriptors + self.reserved_descriptors
    }
}

/// Groups 0, 1 and powers of 3, 5 and 7 have one.
fn has_superblock(group: u64) -> bool {
    let is_power = |base: u64| {
        let mut power = base;
        while power < group {
            power *= base;
        }
        power == group
    };
    group <= 1 || is_power(3) || is_power(5) || is_power(7)
}

/// What is free beside superblocks, bitmaps and inodes. Those of a flex group lie at its beginning, one behind the other, and go
/// on behind a superblock that is in their way.
fn with_tables(made: &Sizes, blocks: u64) -> Result<Vec<(u64, u64)>, String> {
    let mut all = Vec::new();
    for first in (0..made.groups).step_by(FLEX_GROUPS as usize) {
        let groups = FLEX_GROUPS.min(made.groups - first);
        let end = ((first + groups) * made.group_blocks).min(blocks);
        let supers = (first..first + groups).filter(|&group| has_superblock(group));
        let mut free = complement(
            supers.map(|group| (group * made.group_blocks, group * made.group_blocks + made.superblock())),
            first * made.group_blocks,
            end,
        );
        // Bitmaps of blocks, then those of inodes, then the inodes.
        let mut hint = first * made.group_blocks;
        for (count, length) in [(2 * groups, 1), (groups, made.inode_table)] {
            for _ in 0..count {
                hint = take_whole(&mut free, hint, length)
                    .ok_or("the inodes have no room in their groups")?
                    + length;
            }
        }
        all.append(&mut free);
    }
    let mut joined: Vec<(u64, u64)> = Vec::with_capacity(all.len());
    for run in all {
        match joined.last_mut() {
            Some(last) if last.1 == run.0 => last.1 = run.1,
            _ => joined.push(run),
        }
    }
    Ok(joined)
}

/// Blocks of the journal: as many as it was told, or as ext2fs_default_journal_size says; none without one.
fn journal_blocks(blocks: u64, block_bytes: u64, told: &Mke2fs) -> Result<Option<u64>, String> {
    if let Some(bytes) = told.journal_size_bytes {
        let wanted = bytes / block_bytes;
        if bytes > 0 && !(LEAST_JOURNAL_BLOCKS..=MOST_JOURNAL_BLOCKS.min(blocks / 2)).contains(&wanted) {
            return Err(format!(
                "a journal has from {LEAST_JOURNAL_BLOCKS} blocks to half of {blocks}, not {wanted}"
            ));
        }
        return Ok((bytes > 0).then_some(wanted));
    }
    let steps: [(u64, u64); 7] = [
        (32 << 10, 1024),
        (256 << 10, 4096),
        (512 << 10, 8192),
        (4096 << 10, 16384),
        (8192 << 10, 32768),
        (16384 << 10, 65536),
        (32768 << 10, 131_072),
    ];
    Ok(Some(steps.iter().find(|step| blocks < step.0).map_or(262_144, |step| step.1)))
}

/// The first block of the group where the journal begins, near the middle.
fn journal_goal(made: &Sizes, blocks: u64, free: &[(u64, u64)]) -> u64 {
    let middle = (blocks / 2 - made.first_block) / made.group_blocks;
    let free_of = |group: u64| {
        let (start, end) = (group * made.group_blocks, (group + 1) * made.group_blocks);
        free.iter().map(|run| run.1.min(end).saturating_sub(run.0.max(start))).sum::<u64>()
    };
    let (from, group) = if middle > FLEX_GROUPS {
        let first = middle / FLEX_GROUPS * FLEX_GROUPS;
        let group = (first..made.groups).find(|&group| free_of(group) > 0).unwrap_or(0);
        (group, group)
    } else {
        (middle.saturating_sub(1), middle)
    };
    let to = (group + 1).min(made.groups - 1);
    let freest = |best, group| if free_of(group) > free_of(best) { group } else { best };
    (from..=to).fold(from, freest) * made.group_blocks
}

/// What lies between these, which are ascending, from a block to another.
fn complement(used: impl Iterator<Item = (u64, u64)>, start: u64, end: u64) -> Vec<(u64, u64)> {
    let (mut free, mut at) = (Vec::new(), start);
    for (from, to) in used.chain([(end, end)]) {
        if from.min(end) > at {
            free.push((at, from.min(end)));
        }
        at = at.max(to);
    }
    free
}

/// Takes blocks that lie together: at the hint, else where they first fit; gives where they begin.
fn take_whole(free: &mut Vec<(u64, u64)>, hint: u64, length: u64) -> Option<u64> {
    let at_hint = free.iter().any(|run| run.0 <= hint && hint + length <= run.1);
    let start = if at_hint { hint } else { free.iter().find(|run| run.1 - run.0 >= length)?.0 };
    Some(take(free, start, length).first)
}

/// Where what was taken begins, and in how many extents it lies.
struct Taken {
    first: u64,
    extents: u64,
}

/// Takes the first free blocks from a goal on.
fn take(free: &mut Vec<(u64, u64)>, goal: u64, mut wanted: u64) -> Taken {
    let (mut first, mut extents) = (None, 0);
    let mut left = Vec::with_capacity(free.len() + 1);
    for &(start, end) in free.iter() {
        let from = start.max(goal);
        if from >= end || wanted == 0 {
            left.push((start, end));
            continue;
        }
        let taken = wanted.min(end - from);
        first = first.or(Some(from));
        wanted -= taken;
        extents += taken.div_ceil(EXTENT_BLOCKS);
        left.extend([(start, from), (from + taken, end)].into_iter().filter(|run| run.0 < run.1));
    }
    *free = left;
    Taken { first: first.unwrap_or(goal), extents }
}

/// Cut at the borders of groups, as groups count them.
fn in_groups(free: &[(u64, u64)], group_blocks: u64) -> Vec<Run> {
    let mut found = Vec::new();
    for &(start, end) in free {
        let mut at = start;
        while at < end {
            let border = (at / group_blocks + 1) * group_blocks;
            let to = end.min(border);
            found.push(Run { start: at, blocks: (to - at) as u32 });
            at = to;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn superblocks_have_copies_in_powers_of_3_5_and_7() {
        let found: Vec<u64> = (0..130).filter(|&group| has_superblock(group)).collect();
        assert_eq!(found, [0, 1, 3, 5, 7, 9, 25, 27, 49, 81, 125]);
    }

    #[test]
    fn blocks_are_taken_from_the_goal_on() {
        let mut free = vec![(10, 20), (30, 40)];
        let taken = take(&mut free, 15, 8);
        assert_eq!((taken.first, taken.extents), (15, 2));
        assert_eq!(free, [(10, 15), (33, 40)]);
    }

    #[test]
    fn a_table_lies_whole_behind_what_is_in_its_way() {
        let mut free = vec![(10, 20), (30, 40)];
        assert_eq!(take_whole(&mut free, 12, 4), Some(12));
        assert_eq!(take_whole(&mut free, 16, 8), Some(30));
        assert_eq!(take_whole(&mut free, 38, 8), None);
    }

    #[test]
    fn what_mke2fs_would_not_make_is_said() {
        let said = |told: Mke2fs| geometry(1 << 30, 4096, &told, [0; 4]).unwrap_err();
        let usual = Mke2fs::default();
        assert!(
            said(Mke2fs { bytes_per_inode: Some(1024), ..usual.clone() })
                .contains("its bitmap is one block: 32768")
        );
        assert!(said(Mke2fs { inodes: Some(1 << 30), ..usual.clone() }).contains("1073741824 inodes"));
        assert!(said(Mke2fs { journal_size_bytes: Some(1 << 20), ..usual.clone() }).contains("not 256"));
        assert!(said(Mke2fs { journal_size_bytes: Some(1 << 30), ..usual }).contains("to half of 262144"));
    }
}
