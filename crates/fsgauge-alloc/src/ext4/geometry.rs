//! What mke2fs made: sizes, and what is in use before the first file is.

use crate::free_map::{FreeMap, Run};

/// An empty ext4 with extents, flex_bg, checksums and an index of directories. Blocks are counted from the first of the first
/// group.
#[derive(Debug, Clone)]
pub struct Geometry {
    /// Bytes of a block: 1024, 2048 or 4096.
    pub block_bytes: u32,
    /// Blocks of all groups.
    pub blocks: u64,
    /// Blocks of a group.
    pub group_blocks: u32,
    /// Inodes of a group.
    pub inodes_per_group: u32,
    /// Groups whose bitmaps and inodes lie together.
    pub flex_groups: u32,
    /// The seed of the hash of names.
    pub hash_seed: [u32; 4],
    /// Blocks that are left to root.
    pub root_blocks: u64,
    /// What is free.
    pub free: Vec<Run>,
    /// Inodes in use at the start of each group.
    pub inodes_in_use: Vec<u32>,
    /// Directories of each group.
    pub directories: Vec<u32>,
    /// The block of the root directory.
    pub root_block: u64,
}

impl Geometry {
    /// The first block of the first group on the device: a block of 1 KiB before it is left to boot from.
    pub fn first_block(&self) -> u64 {
        u64::from(self.block_bytes == 1024)
    }

    /// The free space. Says what cannot be.
    pub(super) fn space(&self) -> Result<FreeMap, String> {
        let mut space = FreeMap::new(self.blocks, self.group_blocks)?;
        let groups = space.groups() as usize;
        if self.inodes_in_use.len() != groups || self.directories.len() != groups {
            let (inodes, directories) = (self.inodes_in_use.len(), self.directories.len());
            return Err(format!(
                "{groups} groups, but inodes of {inodes} and directories of {directories} are named"
            ));
        }
        if self.flex_groups < 2 || self.inodes_per_group == 0 {
            return Err(format!(
                "flex groups of {} groups with {} inodes each: at least 2 and 1 are needed",
                self.flex_groups, self.inodes_per_group
            ));
        }
        if let Some(used) = self.inodes_in_use.iter().find(|used| **used > self.inodes_per_group) {
            return Err(format!("{used} inodes are in use in a group of {}", self.inodes_per_group));
        }
        let mut at = 0;
        for run in &self.free {
            if run.start < at || run.end() > self.blocks {
                return Err(format!("free blocks from {} are not ascending within the device", run.start));
            }
            take(&mut space, at, run.start);
            at = run.end();
        }
        take(&mut space, at, self.blocks);
        Ok(space)
    }
}

fn take(space: &mut FreeMap, start: u64, end: u64) {
    let mut at = start;
    while at < end {
        let blocks = (end - at).min(1 << 30) as u32;
        space.take(at, blocks);
        at += u64::from(blocks);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_named() {
        let geometry = Geometry {
            block_bytes: 4096,
            blocks: 1000,
            group_blocks: 500,
            inodes_per_group: 10,
            flex_groups: 16,
            hash_seed: [0; 4],
            root_blocks: 0,
            free: vec![Run { start: 100, blocks: 5 }, Run { start: 105, blocks: 600 }],
            inodes_in_use: vec![10, 0],
            directories: vec![1, 0],
            root_block: 3,
        };
        assert_eq!(geometry.space().unwrap().free_blocks(), 605);
        let wrong = |change: &dyn Fn(&mut Geometry)| {
            let mut geometry = geometry.clone();
            change(&mut geometry);
            geometry.space().unwrap_err()
        };
        assert!(wrong(&|is| is.free[1].start = 104).contains("from 104"));
        assert!(wrong(&|is| is.free[1].blocks = 900).contains("from 105"));
        assert!(wrong(&|is| is.directories.clear()).contains("directories of 0"));
        assert!(wrong(&|is| is.inodes_in_use[1] = 11).contains("11 inodes"));
        assert!(wrong(&|is| is.flex_groups = 1).contains("flex groups of 1"));
    }
}
