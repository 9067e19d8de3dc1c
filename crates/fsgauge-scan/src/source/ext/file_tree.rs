//! The tree of one inode, in whichever of three layouts it is.

use super::file_blocks::FileBlocks;
use super::inode::{Inode, Layout};
use super::{extent_tree, indirect};
use crate::Problems;

/// Fills the extents and the tree of `file` with what can be read of inode number `number`.
pub(super) fn read(file: &mut FileBlocks<'_, '_>, number: u64, inode: &Inode, problems: &mut Problems) {
    file.begin(number, inode);
    match inode.layout() {
        Layout::ExtentTree => extent_tree::read(file, &inode.block, problems),
        Layout::Indirect => indirect::read(file, &inode.block, problems),
        Layout::Inline if inode.size_bytes > 0 => file.push_inline(inode.size_bytes),
        Layout::Inline => {}
    }
}
