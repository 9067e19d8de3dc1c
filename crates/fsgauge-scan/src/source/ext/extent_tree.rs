//! Extent trees of ext4.
//!
//! Source: Documentation/filesystems/ext4/ifork.rst and fs/ext4/ext4_extents.h of Linux 6.12.

use super::file_blocks::FileBlocks;
use crate::bytes::Bytes;
use crate::{Kinds, Problems};

const MAGIC: u16 = 0xF30A;
const ENTRY_BYTES: usize = 12;
const DEPTH_LIMIT: u16 = 5;
/// Lengths above this are those of unwritten extents, plus this.
const WRITTEN_LIMIT: u16 = 32768;

/// Reads the tree whose root is in the inode.
pub(super) fn read(file: &mut FileBlocks<'_, '_>, root: &[u8], problems: &mut Problems) {
    match root.le16(6) {
        Some(depth) if depth <= DEPTH_LIMIT => read_node(file, root, depth, problems),
        _ => file.damaged(problems, format_args!("its extent tree is too deep")),
    }
}

fn read_node(file: &mut FileBlocks<'_, '_>, node: &[u8], depth: u16, problems: &mut Problems) {
    let room = node.len().saturating_sub(ENTRY_BYTES) / ENTRY_BYTES;
    let header = (node.le16(0), node.le16(2).map(usize::from), node.le16(6));
    let entries = match header {
        (Some(MAGIC), Some(entries), Some(found)) if entries <= room && found == depth => entries,
        _ => return file.damaged(problems, format_args!("a node of its extent tree has a wrong header")),
    };
    let entries = node.chunks_exact(ENTRY_BYTES).skip(1).take(entries);
    for entry in entries {
        let go_on = match depth {
            0 => read_extent(file, entry, problems),
            _ => read_index(file, entry, depth, problems),
        };
        if go_on != Some(true) {
            return;
        }
    }
}

fn read_extent(file: &mut FileBlocks<'_, '_>, entry: &[u8], problems: &mut Problems) -> Option<bool> {
    let logical = u64::from(entry.le32(0)?);
    let length = entry.le16(4)?;
    let physical = u64::from(entry.le32(8)?) | u64::from(entry.le16(6)?) << 32;
    let (length, kinds) = match length.checked_sub(WRITTEN_LIMIT) {
        Some(unwritten) if unwritten > 0 => (unwritten, Kinds::UNWRITTEN),
        _ => (length, Kinds::default()),
    };
    Some(file.push(logical, physical, u64::from(length), kinds, problems))
}

fn read_index(
    file: &mut FileBlocks<'_, '_>,
    entry: &[u8],
    depth: u16,
    problems: &mut Problems,
) -> Option<bool> {
    let child = u64::from(entry.le32(4)?) | u64::from(entry.le16(8)?) << 32;
    file.with_tree_block(child, usize::from(depth), problems, |file, node, problems| {
        read_node(file, node, depth - 1, problems);
    });
    Some(file.may_go_on())
}
