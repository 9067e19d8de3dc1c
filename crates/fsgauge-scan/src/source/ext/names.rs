//! Paths of some inodes, by one walk of the folders.
//!
//! Folders are read as linear lists; blocks of a hashed tree look like lists of unused entries on purpose.
//! Source: Documentation/filesystems/ext4/directory.rst of Linux 6.12.

use std::collections::HashMap;
use std::path::PathBuf;

use rustix::fs::FileType;

use super::file_blocks::FileBlocks;
use super::inode::{Inode, Layout};
use super::{Ext, ROOT_INODE, file_tree};
use crate::bytes::Bytes;
use crate::names::{FOLDER_BLOCKS_LIMIT, Tree};
use crate::visited_blocks::VisitedBlocks;
use crate::{Problems, Window};

const FOLDER_TYPE: u8 = 2;
const HEADER_BYTES: usize = 8;

/// The paths of those of `wanted` that are met.
pub(super) fn find(
    ext: &Ext<'_>,
    wanted: &[u64],
    stop: &dyn Fn() -> bool,
    problems: &mut Problems,
) -> HashMap<u64, PathBuf> {
    let mut tree = Tree::new(u64::from(ROOT_INODE), wanted);
    let mut inodes = Window::new(ext.image);
    let mut blocks = Window::new(ext.image);
    let met = VisitedBlocks::default();
    let mut file = FileBlocks::new(ext, &met, stop);
    let mut blocks_left = FOLDER_BLOCKS_LIMIT;
    while let Some(folder) = tree.next_folder() {
        if stop() {
            break;
        }
        let Some(inode) = read_inode(ext, &mut inodes, folder, problems) else { continue };
        // Names of an encrypted folder cannot be read without its key.
        if inode.kind() != FileType::Directory || inode.is_encrypted() {
            continue;
        }
        if inode.layout() == Layout::Inline {
            // The first four bytes are the number of the folder above.
            entries(inode.block.get(4..).unwrap_or(&[]), ext, &mut tree);
            continue;
        }
        file_tree::read(&mut file, folder, &inode, problems);
        read_blocks(ext, &mut blocks, &file, folder, &mut blocks_left, &mut tree, problems);
    }
    tree.into_found()
}

pub(super) fn read_inode(
    ext: &Ext<'_>,
    window: &mut Window<'_>,
    number: u64,
    problems: &mut Problems,
) -> Option<Inode> {
    let superblock = &ext.superblock;
    let index = number.checked_sub(1)?;
    let per_group = u64::from(superblock.inodes_per_group);
    let group = usize::try_from(index / per_group).ok()?;
    let table = ext.groups.get(group)?.as_ref()?.inode_table;
    let size = u64::from(superblock.inode_size);
    let offset =
        table.checked_mul(u64::from(superblock.block_size))?.checked_add(index % per_group * size)?;
    let bytes = window.get(offset, size as usize, problems, format_args!("inode {number}"))?;
    Inode::parse(bytes)
}

/// The blocks of a folder whose extents are in `file`.
fn read_blocks(
    ext: &Ext<'_>,
    window: &mut Window<'_>,
    file: &FileBlocks<'_, '_>,
    folder: u64,
    blocks_left: &mut u64,
    tree: &mut Tree,
    problems: &mut Problems,
) {
    let block_size = u64::from(ext.superblock.block_size);
    for extent in &file.extents {
        let end = extent.physical_bytes + extent.length_bytes;
        for offset in (extent.physical_bytes..end).step_by(block_size as usize) {
            // A folder that is damaged may claim all of a large device.
            let Some(left) = blocks_left.checked_sub(1) else { return };
            *blocks_left = left;
            let what = format_args!("folder {folder}");
            // Beyond the end of a truncated image there is nothing more to read.
            let Some(block) = window.get(offset, block_size as usize, problems, what) else { break };
            entries(block, ext, tree);
        }
    }
}

/// The entries of one block; ends at the first that makes no sense.
fn entries(block: &[u8], ext: &Ext<'_>, tree: &mut Tree) {
    let with_types = ext.superblock.has_types();
    let mut rest = block;
    while let Some((inode, length, name_length, kind)) = header(rest) {
        let length = match length {
            // 64 KiB do not fit into 16 bits.
            0 | 0xFFFF => rest.len(),
            length => usize::from(length),
        };
        let name = rest.get(HEADER_BYTES..HEADER_BYTES + usize::from(name_length));
        let Some(name) = name.filter(|_| length >= HEADER_BYTES) else { return };
        tree.add(name, u64::from(inode), !with_types || kind == FOLDER_TYPE);
        rest = rest.get(length..).unwrap_or(&[]);
    }
}

fn header(entry: &[u8]) -> Option<(u32, u16, u8, u8)> {
    Some((entry.le32(0)?, entry.le16(4)?, entry.u8(6)?, entry.u8(7)?))
}
