//! Files: how fallocate(2) asks for their blocks.

use super::volume::{Inode, Refused, UNWRITTEN_BLOCKS, Volume, Wish};
use crate::policy::Purpose;

const BLOCK_BYTES: u64 = 4096;
/// Commits that one call waits for when space is short.
const COMMITS: u32 = 3;

/// A file.
pub(super) struct File {
    pub(super) inode: Inode,
    pub(super) folder: u32,
    pub(super) stream: u32,
    size_bytes: u64,
}

impl File {
    pub(super) fn new(inode: Inode, folder: u32, stream: u32) -> Self {
        File { inode, folder, stream, size_bytes: 0 }
    }

    fn size_blocks(&self) -> u64 {
        self.size_bytes.div_ceil(BLOCK_BYTES)
    }

    /// Space behind what the file has, as fallocate(2) gives it; nothing if there is not enough.
    pub(super) fn allocate(&mut self, volume: &mut Volume, size_bytes: u64) -> Result<(), Refused> {
        let before_bytes = self.size_bytes;
        let after_bytes = before_bytes + size_bytes;
        let (first, end) = (before_bytes / BLOCK_BYTES, after_bytes.div_ceil(BLOCK_BYTES));
        // What fits in one extent is not made larger.
        let purpose =
            if end - first <= u64::from(UNWRITTEN_BLOCKS) { Purpose::ExactData } else { Purpose::Data };
        let mut commits = 0;
        loop {
            let logical = self.inode.tree.logical_end().max(first);
            if logical >= end {
                break;
            }
            let blocks = (end - logical).min(u64::from(UNWRITTEN_BLOCKS)) as u32;
            let file_blocks = self.size_blocks();
            let wish = Wish { logical, blocks, file_blocks, purpose };
            if volume.allocate(&mut self.inode, wish).is_ok() {
                commits = 0;
                let reached_bytes = self.inode.tree.logical_end() * BLOCK_BYTES;
                self.size_bytes = self.size_bytes.max(reached_bytes.min(after_bytes));
            } else if commits < COMMITS && volume.blocks.has_freed() {
                commits += 1;
                volume.blocks.commit();
            } else {
                self.cut(volume, before_bytes);
                return Err(Refused);
            }
        }
        self.size_bytes = after_bytes;
        Ok(())
    }

    /// Cuts the file.
    pub(super) fn cut(&mut self, volume: &mut Volume, to_bytes: u64) {
        self.size_bytes = self.size_bytes.min(to_bytes);
        volume.cut(&mut self.inode, self.size_bytes.div_ceil(BLOCK_BYTES));
    }
}
