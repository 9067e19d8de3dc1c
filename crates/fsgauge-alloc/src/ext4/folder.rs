//! Directories with their inodes.

use super::directory::Directory;
use super::inodes::Parent;
use super::volume::{Inode, Refused, Volume, Wish};
use crate::policy::{Extent, Purpose};

const ROOT_INODE: u64 = 2;

/// A directory.
pub(super) struct Folder {
    pub(super) parent: Parent,
    inode: Inode,
    names: Directory,
}

impl Folder {
    /// The root, whose block is there from the beginning.
    pub(super) fn root(block: u64, block_bytes: u32, seed: [u32; 4]) -> Self {
        let mut inode = Inode::directory(ROOT_INODE, block_bytes);
        let first = Extent { logical: 0, physical: block, blocks: 1 };
        // The first extent is in the inode itself.
        let appended = inode.tree.append(first, 0, &mut |_, _| None);
        debug_assert!(appended.is_ok());
        let parent = Parent { group: 0, is_root: true, last_group: None };
        Folder { parent, inode, names: Directory::root(seed, block_bytes as usize) }
    }

    /// A new directory in another.
    pub(super) fn new(
        volume: &mut Volume,
        parent: &mut Folder,
        key: u64,
        name: &[u8],
        seed: [u32; 4],
    ) -> Result<Self, Refused> {
        let mut inode = volume.new_directory(&mut parent.parent, name)?;
        add_block(volume, &mut inode, 0)?;
        parent.insert(volume, key, name)?;
        let group = volume.inodes.group_of(inode.number);
        let own = Parent { group, is_root: false, last_group: None };
        let names = Directory::new(seed, volume.blocks.block_bytes as usize);
        Ok(Folder { parent: own, inode, names })
    }

    /// A name, with blocks for it if there is no room.
    pub(super) fn insert(&mut self, volume: &mut Volume, key: u64, name: &[u8]) -> Result<(), Refused> {
        let inode = &mut self.inode;
        let mut new_block = |logical| add_block(volume, inode, logical).is_ok();
        self.names.insert(key, name, &mut new_block).map_err(|_| Refused)
    }

    pub(super) fn remove(&mut self, key: u64, name: &[u8]) {
        self.names.remove(key, name);
    }
}

fn add_block(volume: &mut Volume, inode: &mut Inode, logical: u64) -> Result<(), Refused> {
    let purpose = Purpose::Metadata;
    let wish = Wish { logical, blocks: 1, file_blocks: logical, purpose, is_promised: false };
    volume.allocate(inode, wish)
}
