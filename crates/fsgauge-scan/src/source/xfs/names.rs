//! Paths of some inodes, by one walk of the folders.
//!
//! Source: "XFS Algorithms & Data Structures", 3rd edition, chapter 18, and fs/xfs/libxfs/xfs_da_format.h of Linux 6.12.

use std::collections::HashMap;
use std::path::PathBuf;

use rustix::fs::FileType;

use super::Xfs;
use super::file_blocks::FileBlocks;
use super::inode::{Format, Inode};
use crate::bytes::Bytes;
use crate::names::{FOLDER_BLOCKS_LIMIT, Tree};
use crate::visited_blocks::VisitedBlocks;
use crate::{Problems, Window};

const FOLDER_TYPE: u8 = 2;
/// Blocks of a folder from here on hold no names but hashes of them.
const HASHES_AT_BYTES: u64 = 32 << 30;
/// One block with everything: "XD2B", "XDB3".
const ONE_BLOCK: [u32; 2] = [0x5844_3242, 0x5844_4233];
/// One of several blocks with names: "XD2D", "XDD3".
const DATA_BLOCK: [u32; 2] = [0x5844_3244, 0x5844_4433];
const UNUSED: u16 = 0xFFFF;

/// The paths of those of `wanted` that are met.
pub(super) fn find<'a>(
    xfs: &'a Xfs<'a>,
    wanted: &[u64],
    stop: &dyn Fn() -> bool,
    problems: &mut Problems,
) -> HashMap<u64, PathBuf> {
    let superblock = &xfs.superblock;
    let mut tree = Tree::new(superblock.root_inode, wanted);
    let mut inodes = Window::new(xfs.image);
    let mut blocks = Window::new(xfs.image);
    let met = VisitedBlocks::default();
    let mut file = FileBlocks::new(xfs, &met, stop);
    let mut blocks_left = FOLDER_BLOCKS_LIMIT;
    while let Some(folder) = tree.next_folder() {
        if stop() {
            break;
        }
        let Some(offset) = superblock.inode_offset(folder) else { continue };
        let what = format_args!("inode {folder}");
        let Some(bytes) = inodes.get(offset, superblock.inode_size as usize, problems, what) else {
            continue;
        };
        let Some(inode) = Inode::parse(bytes, superblock).filter(|inode| inode.kind() == FileType::Directory)
        else {
            continue;
        };
        if inode.data.format == Format::Local {
            short(inode.data.bytes, superblock.has_types(), &mut tree);
            continue;
        }
        file.read(folder, &inode.data, problems);
        read_blocks(xfs, &mut blocks, &file, folder, &mut blocks_left, &mut tree, problems);
    }
    tree.into_found()
}

/// Puts blocks of folders together, which may be larger than those of the file system.
fn read_blocks(
    xfs: &Xfs<'_>,
    window: &mut Window<'_>,
    file: &FileBlocks<'_, '_>,
    folder: u64,
    blocks_left: &mut u64,
    tree: &mut Tree,
    problems: &mut Problems,
) {
    let block_size = u64::from(xfs.superblock.block_size);
    let folder_block_size = xfs.superblock.folder_block_size as usize;
    let mut block = Vec::with_capacity(folder_block_size);
    for extent in file.extents.iter().take_while(|extent| extent.logical_bytes < HASHES_AT_BYTES) {
        for at in (0..extent.length_bytes).step_by(block_size as usize) {
            // A folder that is damaged may claim all of a large device.
            let Some(left) = blocks_left.checked_sub(1) else { return };
            *blocks_left = left;
            if (extent.logical_bytes + at) % folder_block_size as u64 == 0 {
                block.clear();
            }
            let what = format_args!("folder {folder}");
            let Some(bytes) = window.get(extent.physical_bytes + at, block_size as usize, problems, what)
            else {
                break;
            };
            block.extend_from_slice(bytes);
            if block.len() >= folder_block_size {
                entries(&block, xfs, tree);
                block.clear();
            }
        }
    }
}

/// The entries of one block; ends at the first that makes no sense.
fn entries(block: &[u8], xfs: &Xfs<'_>, tree: &mut Tree) {
    let version_5 = xfs.superblock.version_5;
    let magic = block.be32(0);
    let end = if magic == Some(ONE_BLOCK[usize::from(version_5)]) {
        // Hashes of eight bytes each, and their number, are at the end.
        let hashes = block.be32(block.len().saturating_sub(8)).unwrap_or(0) as usize;
        block.len().saturating_sub(8).saturating_sub(hashes.saturating_mul(8))
    } else if magic == Some(DATA_BLOCK[usize::from(version_5)]) {
        block.len()
    } else {
        return;
    };
    let header = if version_5 { 64 } else { 16 };
    let with_types = xfs.superblock.has_types();
    let mut rest = block.get(header..end).unwrap_or(&[]);
    while let Some(length) = entry(rest, with_types, tree) {
        rest = rest.get(length..).unwrap_or(&[]);
    }
}

/// One entry, used or not; its length, at least 8.
fn entry(bytes: &[u8], with_types: bool, tree: &mut Tree) -> Option<usize> {
    if bytes.be16(0)? == UNUSED {
        return Some(usize::from(bytes.be16(2)?)).filter(|&length| length >= 8);
    }
    let name_length = usize::from(bytes.u8(8)?);
    let name = bytes.get(9..9 + name_length)?;
    let may_be_folder = !with_types || bytes.u8(9 + name_length)? == FOLDER_TYPE;
    tree.add(name, bytes.be64(0)?, may_be_folder);
    Some((8 + 1 + name_length + usize::from(with_types) + 2).next_multiple_of(8))
}

/// A folder that fits into its inode.
fn short(bytes: &[u8], with_types: bool, tree: &mut Tree) -> Option<()> {
    let count = bytes.u8(0)?;
    let wide = bytes.u8(1)? > 0;
    let number_bytes = if wide { 8 } else { 4 };
    let mut rest = bytes.get(2 + number_bytes..)?;
    for _ in 0..count {
        let name_length = usize::from(rest.u8(0)?);
        let name = rest.get(3..3 + name_length)?;
        let mut at = 3 + name_length;
        let may_be_folder = !with_types || rest.u8(at)? == FOLDER_TYPE;
        at += usize::from(with_types);
        let number = if wide { rest.be64(at)? } else { u64::from(rest.be32(at)?) };
        tree.add(name, number, may_be_folder);
        rest = rest.get(at + number_bytes..)?;
    }
    Some(())
}
