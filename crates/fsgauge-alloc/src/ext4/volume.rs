//! What all files share: blocks and inodes; and how an inode gets its next extent.

use super::blocks::{Blocks, Claim};
use super::extent_tree::{ExtentTree, NoSpace};
use super::inodes::{Inodes, Parent};
use crate::free_map::Run;
use crate::policy::{Purpose, Request};

/// Blocks of an extent at most: of data that is allocated before it is written, and of directories.
pub(super) const UNWRITTEN_BLOCKS: u32 = 32767;
pub(super) const WRITTEN_BLOCKS: u32 = 32768;

/// Blocks and inodes.
pub(super) struct Volume {
    pub(super) blocks: Blocks,
    pub(super) inodes: Inodes,
}

/// An inode with its extents.
pub(super) struct Inode {
    pub(super) number: u64,
    pub(super) tree: ExtentTree,
    is_directory: bool,
}

/// What an inode needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    pub(super) logical: u64,
    pub(super) blocks: u32,
    /// Blocks of the file as its size says.
    pub(super) file_blocks: u64,
    pub(super) purpose: Purpose,
    /// Whether the blocks were promised when the data was written to memory, and the data follows now.
    pub(super) is_promised: bool,
}

/// No space, or no inode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refused;

impl Inode {
    /// Of a directory that is there from the beginning, or of one that is made.
    pub(super) fn directory(number: u64, block_bytes: u32) -> Self {
        Inode { number, tree: ExtentTree::new(WRITTEN_BLOCKS, block_bytes), is_directory: true }
    }

    /// What policies know it by.
    pub(super) fn file(&self) -> u32 {
        self.number as u32
    }
}

impl Volume {
    /// A new file, in the flex group of its directory.
    pub(super) fn new_file(&mut self, parent: &mut Parent, tree: ExtentTree) -> Result<Inode, Refused> {
        let number = self.inodes.take(parent, None, self.blocks.roughly_free()).ok_or(Refused)?;
        Ok(Inode { number, tree, is_directory: false })
    }

    /// A new directory, without a block yet.
    pub(super) fn new_directory(&mut self, parent: &mut Parent, name: &[u8]) -> Result<Inode, Refused> {
        let number = self.inodes.take(parent, Some(name), self.blocks.roughly_free()).ok_or(Refused)?;
        Ok(Inode::directory(number, self.blocks.block_bytes))
    }

    /// One extent more, and what the tree needs for it.
    pub(super) fn allocate(&mut self, inode: &mut Inode, wish: Wish) -> Result<(), Refused> {
        let own_goal = self.own_goal(inode);
        let request = Request {
            file: inode.file(),
            inode: inode.number,
            logical: wish.logical,
            blocks: wish.blocks,
            file_blocks: wish.file_blocks,
            goal: inode.tree.goal(wish.logical).unwrap_or(own_goal),
            last: inode.tree.last().copied(),
            purpose: wish.purpose,
        };
        let Volume { blocks, inodes } = self;
        let flex = &mut inodes.flex;
        let claim = if wish.is_promised { Claim::Promised } else { Claim::New };
        let extent = blocks.take(flex, request, claim).ok_or(Refused)?;
        // What data on its way needs may come from what is kept back.
        let claim = if wish.is_promised { Claim::KeptBack } else { Claim::New };
        let mut new_block = |goal, at_goal| {
            let purpose = if at_goal { Purpose::MetadataAtGoal } else { Purpose::Metadata };
            let request = Request { goal, blocks: 1, purpose, ..request };
            blocks.take(flex, request, claim).map(|found| found.physical)
        };
        let appended = if wish.is_promised {
            inode.tree.append_unwritten(extent, own_goal, &mut new_block)
        } else {
            inode.tree.append(extent, own_goal, &mut new_block)
        };
        match appended {
            Ok(no_longer_needed) => {
                if let Some(start) = no_longer_needed {
                    blocks.free(flex, Run { start, blocks: 1 });
                }
                Ok(())
            }
            Err(NoSpace { unused_blocks }) => {
                for start in unused_blocks {
                    blocks.free(flex, Run { start, blocks: 1 });
                }
                blocks.free(flex, Run { start: extent.physical, blocks: extent.blocks });
                Err(Refused)
            }
        }
    }

    /// The data of an inode's new extents is on the device.
    pub(super) fn written(&mut self, inode: &mut Inode) {
        if let Some(start) = inode.tree.written() {
            self.blocks.free(&mut self.inodes.flex, Run { start, blocks: 1 });
        }
    }

    /// Where the blocks of an inode are best: in its flex group; those of files behind its first group, which is left to
    /// directories.
    fn own_goal(&self, inode: &Inode) -> u64 {
        let flex_groups = self.inodes.flex_groups();
        let mut group = self.inodes.group_of(inode.number);
        if flex_groups >= 4 {
            group = group / flex_groups * flex_groups + u32::from(!inode.is_directory);
        }
        self.blocks.space.first_block(group)
    }

    /// Cuts an inode's blocks behind so many, and gives back what was set aside for it.
    pub(super) fn cut(&mut self, inode: &mut Inode, kept_blocks: u64) {
        self.release(inode);
        for run in inode.tree.cut(kept_blocks) {
            self.blocks.free(&mut self.inodes.flex, run);
        }
    }

    /// Gives back what was set aside for an inode.
    pub(super) fn release(&mut self, inode: &Inode) {
        self.blocks.policy.release(&mut self.blocks.space, inode.file());
    }
}
