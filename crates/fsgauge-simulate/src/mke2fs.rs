//! What an ext4 that was just made has in use: where mke2fs puts its own blocks with its defaults (blocks of 4 KiB, flex
//! groups of 16, a journal in the middle). tests/mke2fs.rs compares it with mke2fs.

use fsgauge_alloc::ext4::Geometry;
use fsgauge_alloc::free_map::Run;

const BLOCK_BYTES: u64 = 4096;
const GROUP_BLOCKS: u64 = 32768;
const FLEX_GROUPS: u64 = 16;
/// Of an inode.
const INODE_BYTES: u64 = 256;
/// Group descriptors of 64 bytes.
const DESCRIPTORS_PER_BLOCK: u64 = 64;
/// The first ten and lost+found.
const INODES_IN_USE: u32 = 11;
/// The root directory, lost+found, and the tree of the inode that keeps space for more descriptors.
const ROOT_BLOCKS: u64 = 6;
/// An inode has four extents of at most 32768 blocks; a journal of more has a block of extents, right before it.
const JOURNAL_IN_INODE: u64 = 4 * 32768;
/// A last group with less room than this for files is not made.
const LEAST_BLOCKS_OF_LAST: u64 = 50;

/// Whether it is known what mke2fs makes on so many bytes: beyond 256 TiB, descriptors lie otherwise (meta_bg).
pub(crate) fn has_geometry(size_bytes: u64) -> bool {
    Sizes::of(size_bytes / BLOCK_BYTES).superblock() < GROUP_BLOCKS
}

/// An empty file system on a device of so many bytes.
pub fn geometry(size_bytes: u64, hash_seed: [u32; 4]) -> Geometry {
    let mut blocks = size_bytes / BLOCK_BYTES;
    let mut sizes = Sizes::of(blocks);
    let last = blocks % GROUP_BLOCKS;
    let own = sizes.inode_table + 2 + if has_superblock(sizes.groups - 1) { sizes.superblock() } else { 0 };
    if sizes.groups > 1 && last > 0 && last < own + LEAST_BLOCKS_OF_LAST {
        blocks -= last;
        sizes = Sizes::of(blocks);
    }
    let mut used = Vec::new();
    for group in 0..sizes.groups {
        let start = group * GROUP_BLOCKS;
        let mut at = start;
        if has_superblock(group) {
            used.push((at, at + sizes.superblock()));
            at += sizes.superblock();
        }
        if group % FLEX_GROUPS == 0 {
            let groups = FLEX_GROUPS.min(sizes.groups - group);
            // Bitmaps of blocks, then those of inodes, then the inodes.
            used.push((at, at + groups * (2 + sizes.inode_table)));
        }
    }
    let mut free = complement(used, blocks);
    let root = take(&mut free, 0, ROOT_BLOCKS);
    let goal = journal_goal(&sizes, blocks, &free);
    take(&mut free, goal, journal_blocks(blocks));
    if journal_blocks(blocks) > JOURNAL_IN_INODE {
        take(&mut free, goal - 1, 1);
    }
    let groups = sizes.groups as usize;
    let (mut inodes_in_use, mut directories) = (vec![0; groups], vec![0; groups]);
    (inodes_in_use[0], directories[0]) = (INODES_IN_USE, 2);
    Geometry {
        blocks,
        group_blocks: GROUP_BLOCKS as u32,
        inodes_per_group: sizes.inodes_per_group as u32,
        flex_groups: FLEX_GROUPS as u32,
        hash_seed,
        free: in_groups(&free),
        inodes_in_use,
        directories,
        root_block: root,
    }
}

struct Sizes {
    groups: u64,
    inodes_per_group: u64,
    inode_table: u64,
    descriptors: u64,
    reserved_descriptors: u64,
}

impl Sizes {
    fn of(blocks: u64) -> Self {
        let groups = blocks.div_ceil(GROUP_BLOCKS);
        // mke2fs.conf: types small, big and huge, by size.
        let bytes_per_inode = match blocks * BLOCK_BYTES {
            bytes if bytes < 512 << 20 => 4096,
            bytes if bytes < 4 << 40 => 16384,
            bytes if bytes < 16 << 40 => 32768,
            _ => 65536,
        };
        let inodes = blocks * BLOCK_BYTES / bytes_per_inode;
        let wanted = inodes.div_ceil(groups).min(BLOCK_BYTES * 8);
        let inode_table = (wanted * INODE_BYTES).div_ceil(BLOCK_BYTES);
        let inodes_per_group = inode_table * BLOCK_BYTES / INODE_BYTES;
        let descriptors = groups.div_ceil(DESCRIPTORS_PER_BLOCK);
        let most = u64::from(u32::MAX);
        let reserved_descriptors = if blocks > most {
            0
        } else {
            let largest = if blocks < most / 1024 { blocks * 1024 } else { most };
            let needed = largest.div_ceil(GROUP_BLOCKS).div_ceil(DESCRIPTORS_PER_BLOCK);
            needed.saturating_sub(descriptors).min(BLOCK_BYTES / 4)
        };
        Sizes { groups, inodes_per_group, inode_table, descriptors, reserved_descriptors }
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

/// ext2fs_default_journal_size.
fn journal_blocks(blocks: u64) -> u64 {
    let steps: [(u64, u64); 7] = [
        (32 << 10, 1024),
        (256 << 10, 4096),
        (512 << 10, 8192),
        (4096 << 10, 16384),
        (8192 << 10, 32768),
        (16384 << 10, 65536),
        (32768 << 10, 131_072),
    ];
    steps.iter().find(|step| blocks < step.0).map_or(262_144, |step| step.1)
}

/// The first block of the group where the journal begins, near the middle.
fn journal_goal(sizes: &Sizes, blocks: u64, free: &[(u64, u64)]) -> u64 {
    let middle = blocks / 2 / GROUP_BLOCKS;
    let free_of = |group: u64| {
        let (start, end) = (group * GROUP_BLOCKS, (group + 1) * GROUP_BLOCKS);
        free.iter().map(|run| run.1.min(end).saturating_sub(run.0.max(start))).sum::<u64>()
    };
    let (from, group) = if middle > FLEX_GROUPS {
        let first = middle / FLEX_GROUPS * FLEX_GROUPS;
        let group = (first..sizes.groups).find(|&group| free_of(group) > 0).unwrap_or(0);
        (group, group)
    } else {
        (middle.saturating_sub(1), middle)
    };
    let to = (group + 1).min(sizes.groups - 1);
    let freest = |best, group| if free_of(group) > free_of(best) { group } else { best };
    (from..=to).fold(from, freest) * GROUP_BLOCKS
}

fn complement(mut used: Vec<(u64, u64)>, blocks: u64) -> Vec<(u64, u64)> {
    used.sort_unstable();
    let (mut free, mut at) = (Vec::new(), 0);
    for (start, end) in used.into_iter().chain([(blocks, blocks)]) {
        if start > at {
            free.push((at, start.min(blocks)));
        }
        at = at.max(end);
    }
    free
}

/// Takes the first free blocks from a goal on; gives where they begin.
fn take(free: &mut Vec<(u64, u64)>, goal: u64, mut wanted: u64) -> u64 {
    let mut first = None;
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
        left.extend([(start, from), (from + taken, end)].into_iter().filter(|run| run.0 < run.1));
    }
    *free = left;
    first.unwrap_or(goal)
}

/// Cut at the borders of groups, as groups count them.
fn in_groups(free: &[(u64, u64)]) -> Vec<Run> {
    let mut found = Vec::new();
    for &(start, end) in free {
        let mut at = start;
        while at < end {
            let border = (at / GROUP_BLOCKS + 1) * GROUP_BLOCKS;
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
        assert_eq!(take(&mut free, 15, 8), 15);
        assert_eq!(free, [(10, 15), (33, 40)]);
    }
}
