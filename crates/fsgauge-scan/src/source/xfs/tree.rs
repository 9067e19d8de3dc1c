//! The B+trees of an allocation group: free space, inodes, and those that are only looked at for their own blocks.
//!
//! Source: "XFS Algorithms & Data Structures", 3rd edition, chapter 8, and fs/xfs/libxfs/xfs_btree.h of Linux 6.12.

use super::Xfs;
use super::group::Root;
use super::superblock::Superblock;
use crate::bytes::Bytes;
use crate::visited_blocks::VisitedBlocks;
use crate::{Piece, PieceKind, Problems, Sink, Window};

/// No tree is higher (`XFS_BTREE_MAXLEVELS`).
const LEVELS_LIMIT: u32 = 10;

/// A kind of tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) name: &'static str,
    /// The magic numbers of versions 4 and 5.
    magic: [u32; 2],
    record_bytes: usize,
    key_bytes: usize,
}

pub(super) const FREE_BY_BLOCK: Kind =
    Kind { name: "free space by block", magic: [0x4142_5442, 0x4142_3342], record_bytes: 8, key_bytes: 8 };
pub(super) const FREE_BY_SIZE: Kind =
    Kind { name: "free space by size", magic: [0x4142_5443, 0x4142_3343], record_bytes: 8, key_bytes: 8 };
pub(super) const INODES: Kind =
    Kind { name: "inodes", magic: [0x4941_4254, 0x4941_4233], record_bytes: 16, key_bytes: 4 };
pub(super) const FREE_INODES: Kind =
    Kind { name: "free inodes", magic: [0x4649_4254, 0x4649_4233], record_bytes: 16, key_bytes: 4 };
/// Its keys come in pairs, the lowest and the highest below.
pub(super) const REVERSE_MAP: Kind =
    Kind { name: "reverse map", magic: [0, 0x524D_4233], record_bytes: 24, key_bytes: 40 };
pub(super) const REFERENCES: Kind =
    Kind { name: "reference counts", magic: [0, 0x5233_4643], record_bytes: 12, key_bytes: 4 };

/// Takes one record of a leaf; `None` where a part of the tree cannot be read.
pub(super) type EachRecord<'e> = dyn FnMut(Option<&[u8]>, &mut Problems) + 'e;

/// A walk of one tree. It ends early when `stop` says so.
pub(super) struct Walk<'a, 'w> {
    pub(super) xfs: &'a Xfs<'a>,
    pub(super) window: &'w mut Window<'a>,
    pub(super) group: u64,
    pub(super) kind: Kind,
    /// Blocks of the group that are part of this tree, or of others that are walked with it.
    pub(super) met: &'w VisitedBlocks,
    pub(super) stop: &'w dyn Fn() -> bool,
}

impl Walk<'_, '_> {
    /// Hands every record to `each`, ascending, and every block of the tree to `block`, by its place in the group.
    /// Damaged blocks are problems, and what lies below them is left out.
    pub(super) fn records(
        &mut self,
        root: Root,
        problems: &mut Problems,
        block: &mut dyn FnMut(u64),
        each: &mut EachRecord<'_>,
    ) {
        self.walk(root, problems, block, Some(each));
    }

    /// Pours the blocks of a tree whose records are not wanted.
    pub(super) fn blocks(&mut self, root: Root, sink: &mut dyn Sink, problems: &mut Problems) {
        let (xfs, group) = (self.xfs, self.group);
        self.walk(root, problems, &mut |block| add_block(&xfs.superblock, group, block, sink), None);
    }

    fn walk(
        &mut self,
        root: Root,
        problems: &mut Problems,
        block: &mut dyn FnMut(u64),
        each: Option<&mut EachRecord<'_>>,
    ) {
        if root.levels == 0 || root.levels > LEVELS_LIMIT {
            let levels = root.levels;
            let (name, group) = (self.kind.name, self.group);
            problems.add_damage(format_args!("tree of {name} of group {group}: {levels} levels"));
            if let Some(each) = each {
                each(None, problems);
            }
            return;
        }
        self.node(root.block, root.levels - 1, problems, block, each);
    }

    /// Walks a node, and says where it or one below it cannot be read.
    fn node(
        &mut self,
        number: u64,
        level: u32,
        problems: &mut Problems,
        block: &mut dyn FnMut(u64),
        mut each: Option<&mut EachRecord<'_>>,
    ) {
        if (self.stop)() {
            return;
        }
        let children = self.node_itself(number, level, problems, block, each.as_deref_mut());
        match (children, each) {
            (None, Some(each)) => each(None, problems),
            (None, None) => {}
            (Some(children), mut each) => {
                for child in children {
                    self.node(u64::from(child), level - 1, problems, block, each.as_deref_mut());
                }
            }
        }
    }

    /// Hands on the records of a leaf, or gives the children of a node; `None` and a problem for damage.
    fn node_itself(
        &mut self,
        number: u64,
        level: u32,
        problems: &mut Problems,
        block: &mut dyn FnMut(u64),
        each: Option<&mut EachRecord<'_>>,
    ) -> Option<Vec<u32>> {
        let (group, name) = (self.group, self.kind.name);
        let Some(offset) = self.xfs.superblock.group_offset(group, number) else {
            problems.add_damage(format_args!("tree of {name} of group {group} leads to block {number}"));
            return None;
        };
        if !self.met.insert(number) {
            problems
                .add_damage(format_args!("tree of {name} of group {group} leads to block {number} again"));
            return None;
        }
        block(number);
        // Leaves whose records are not wanted need not be read.
        if level == 0 && each.is_none() {
            return Some(Vec::new());
        }
        let size = self.xfs.superblock.block_size as usize;
        let what = format_args!("tree of {name} of group {group}");
        let bytes = self.window.get(offset, size, problems, what)?;
        let header = if self.xfs.superblock.version_5 { 56 } else { 16 };
        let magic = self.kind.magic[usize::from(self.xfs.superblock.version_5)];
        let entry_bytes = if level == 0 { self.kind.record_bytes } else { self.kind.key_bytes + 4 };
        let room = size.saturating_sub(header) / entry_bytes;
        let count = bytes.be16(6).map_or(usize::MAX, usize::from);
        let right = bytes.be32(0) == Some(magic) && bytes.be16(4).map(u32::from) == Some(level);
        if !right || count > room {
            problems.add_damage(format_args!("tree of {name} of group {group}: block {number}"));
            return None;
        }
        if level == 0 {
            let records = bytes.get(header..).unwrap_or(&[]).chunks_exact(self.kind.record_bytes);
            if let Some(each) = each {
                records.take(count).for_each(|record| each(Some(record), problems));
            }
            return Some(Vec::new());
        }
        // The window moves on below: the numbers are kept aside.
        let first = header + room * self.kind.key_bytes;
        let pointers = bytes.get(first..).unwrap_or(&[]).chunks_exact(4).take(count);
        Some(pointers.filter_map(|pointer| pointer.be32(0)).collect())
    }
}

/// One block of a group as metadata.
pub(super) fn add_block(superblock: &Superblock, group: u64, block: u64, sink: &mut dyn Sink) {
    if let Some(offset_bytes) = superblock.group_offset(group, block) {
        let length_bytes = u64::from(superblock.block_size);
        sink.piece(&Piece { offset_bytes, length_bytes, kind: PieceKind::Metadata });
    }
}
