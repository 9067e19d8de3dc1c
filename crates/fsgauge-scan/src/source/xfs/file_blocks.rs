//! The blocks of one fork of an inode: its extents, and the blocks of the tree that names them.
//!
//! Source: "XFS Algorithms & Data Structures", 3rd edition, chapter 17; `struct xfs_bmbt_rec` and `struct xfs_bmdr_block` in
//! fs/xfs/libxfs/xfs_format.h of Linux 6.12.

use super::Xfs;
use super::inode::{Fork, Format};
use crate::bytes::Bytes;
use crate::extent::FILE_EXTENTS_LIMIT;
use crate::visited_blocks::VisitedBlocks;
use crate::{Extent, Kinds, Problems, Window};

const RECORD_BYTES: usize = 16;
/// The magic numbers of versions 4 and 5.
const MAGIC: [u32; 2] = [0x424D_4150, 0x424D_4133];
/// No tree is higher (`XFS_BM_MAXLEVELS`).
const LEVELS_LIMIT: u16 = 10;

/// Reads one fork after the other, into memory that is used again. Each thread has its own.
pub(super) struct FileBlocks<'a, 's> {
    xfs: &'a Xfs<'a>,
    /// Blocks of the trees of all files.
    met: &'s VisitedBlocks,
    stop: &'s dyn Fn() -> bool,
    window: Window<'a>,
    /// Extents of the fork, ascending.
    pub(super) extents: Vec<Extent>,
    /// Where the blocks of its tree begin on the device.
    pub(super) tree: Vec<u64>,
    inode: u64,
    /// The first block of the file that may come next.
    next: u64,
    /// How many blocks the fork may still have.
    left: u64,
}

impl<'a, 's> FileBlocks<'a, 's> {
    pub(super) fn new(xfs: &'a Xfs<'a>, met: &'s VisitedBlocks, stop: &'s dyn Fn() -> bool) -> Self {
        let window = Window::new(xfs.image);
        FileBlocks {
            xfs,
            met,
            stop,
            window,
            extents: Vec::new(),
            tree: Vec::new(),
            inode: 0,
            next: 0,
            left: 0,
        }
    }

    /// Fills `extents` and `tree` with what can be read of a fork of inode `number`.
    pub(super) fn read(&mut self, number: u64, fork: &Fork<'_>, problems: &mut Problems) {
        self.extents.clear();
        self.tree.clear();
        self.inode = number;
        self.next = 0;
        let superblock = &self.xfs.superblock;
        // A file that has more blocks than the file system has is damage, unless it may share with itself.
        self.left = if superblock.has_reflink() { 1 << 54 } else { superblock.blocks };
        match fork.format {
            Format::Extents => {
                let room = fork.bytes.len() / RECORD_BYTES;
                let count = usize::try_from(fork.extents).ok().filter(|&count| count <= room);
                let Some(count) = count else {
                    return self.damaged(problems, format_args!("{} extents", fork.extents));
                };
                self.records(fork.bytes, count, problems);
            }
            Format::Tree => self.root(fork.bytes, problems),
            Format::Local | Format::None => {}
        }
    }

    /// Whether reading was to end, perhaps before the file did.
    pub(super) fn is_stopped(&self) -> bool {
        (self.stop)()
    }

    fn root(&mut self, bytes: &[u8], problems: &mut Problems) {
        let room = bytes.len().saturating_sub(4) / 16;
        let (level, count) = (bytes.be16(0).unwrap_or(0), bytes.be16(2).map_or(usize::MAX, usize::from));
        if level == 0 || level > LEVELS_LIMIT || count > room {
            return self.damaged(problems, format_args!("the root of its tree of extents"));
        }
        let pointers = bytes.get(4 + room * 8..).unwrap_or(&[]);
        self.children(pointers, count, level, problems);
    }

    fn children(&mut self, pointers: &[u8], count: usize, level: u16, problems: &mut Problems) {
        let children: Vec<u64> =
            pointers.chunks_exact(8).take(count).filter_map(|pointer| pointer.be64(0)).collect();
        for child in children {
            if self.left == 0 || (self.stop)() {
                return;
            }
            self.node(child, level - 1, problems);
        }
    }

    fn node(&mut self, number: u64, level: u16, problems: &mut Problems) {
        let Some(offset) = self.xfs.superblock.offset(number, 1) else {
            return self.damaged(problems, format_args!("its tree leads to block {number}"));
        };
        if !self.met.insert(number) {
            return self.damaged(
                problems,
                format_args!("its tree leads to block {number}, which is referenced twice"),
            );
        }
        let size = self.xfs.superblock.block_size as usize;
        let version_5 = self.xfs.superblock.version_5;
        let inode = self.inode;
        let what = format_args!("tree of inode {inode}");
        let Some(bytes) = self.window.get(offset, size, problems, what) else { return };
        let header = if version_5 { 72 } else { 24 };
        let room = size.saturating_sub(header) / RECORD_BYTES;
        let count = bytes.be16(6).map_or(usize::MAX, usize::from);
        let right = bytes.be32(0) == Some(MAGIC[usize::from(version_5)]) && bytes.be16(4) == Some(level);
        if !right || count > room {
            return self.damaged(problems, format_args!("block {number} of its tree"));
        }
        self.tree.push(offset);
        if level > 0 {
            let pointers = bytes.get(header + room * 8..).unwrap_or(&[]).to_vec();
            return self.children(&pointers, count, level, problems);
        }
        // The window stays where it is while records are taken in, but is part of `self`.
        let window = std::mem::replace(&mut self.window, Window::new(self.xfs.image));
        if let Some(bytes) = window.last(offset, size) {
            self.records(bytes.get(header..).unwrap_or(&[]), count, problems);
        }
        self.window = window;
    }

    fn records(&mut self, bytes: &[u8], count: usize, problems: &mut Problems) {
        for record in bytes.chunks_exact(RECORD_BYTES).take(count) {
            let (Some(high), Some(low)) = (record.be64(0), record.be64(8)) else { return };
            let unwritten = high >> 63 == 1;
            let logical = high << 1 >> 10;
            let physical = (high & 0x1FF) << 43 | low >> 21;
            let length = low & 0x1F_FFFF;
            self.push(logical, physical, length, unwritten, problems);
            if self.left == 0 {
                return;
            }
        }
    }

    fn push(&mut self, logical: u64, physical: u64, length: u64, unwritten: bool, problems: &mut Problems) {
        let place = self.xfs.superblock.offset(physical, length);
        let (Some(physical_bytes), true) = (place, logical >= self.next) else {
            return self.damaged(
                problems,
                format_args!("{length} blocks from block {logical} on, at block {physical}"),
            );
        };
        if length > self.left {
            self.damaged(problems, format_args!("more blocks than the file system has"));
            self.left = 0;
            return;
        }
        if self.extents.len() >= FILE_EXTENTS_LIMIT {
            self.left = 0;
            return problems.add_too_many_extents(format_args!("inode {}", self.inode));
        }
        self.left -= length;
        self.next = logical + length;
        let block_size = u64::from(self.xfs.superblock.block_size);
        let Some(end_bytes) = (logical + length).checked_mul(block_size) else {
            return self.damaged(problems, format_args!("block {logical} is too far"));
        };
        let kinds = if unwritten { Kinds::UNWRITTEN } else { Kinds::default() };
        let length_bytes = length * block_size;
        self.extents.push(Extent::plain(end_bytes - length_bytes, physical_bytes, length_bytes, kinds));
    }

    fn damaged(&self, problems: &mut Problems, what: std::fmt::Arguments<'_>) {
        problems.add_damage(format_args!("inode {}: {what}", self.inode));
    }
}
