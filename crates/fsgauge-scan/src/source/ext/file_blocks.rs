//! The blocks of one inode: extents of its contents, and the blocks of the tree that names them.

use super::Ext;
use super::inode::Inode;
use crate::extent::FILE_EXTENTS_LIMIT;
use crate::visited_blocks::VisitedBlocks;
use crate::{Extent, Kinds, Problems, Window};

/// Reads the blocks of one inode after the other, into memory that is used again. Each thread has its own.
pub(super) struct FileBlocks<'a, 's> {
    ext: &'a Ext<'a>,
    /// Blocks of the trees of all files.
    met: &'s VisitedBlocks,
    stop: &'s dyn Fn() -> bool,
    window: Window<'a>,
    /// One block for each level of a tree that is being read.
    levels: Vec<Vec<u8>>,
    /// Extents of the inode, ascending.
    pub(super) extents: Vec<Extent>,
    /// Blocks of its tree.
    pub(super) tree: Vec<u64>,
    inode: u64,
    kinds: Kinds,
    /// The first block of the file that may come next.
    next: u64,
    /// How many blocks the file may still have.
    left: u64,
}

impl<'a, 's> FileBlocks<'a, 's> {
    pub(super) fn new(ext: &'a Ext<'a>, met: &'s VisitedBlocks, stop: &'s dyn Fn() -> bool) -> Self {
        FileBlocks {
            ext,
            met,
            stop,
            window: Window::new(ext.image),
            levels: Vec::new(),
            extents: Vec::new(),
            tree: Vec::new(),
            inode: 0,
            kinds: Kinds::default(),
            next: 0,
            left: 0,
        }
    }

    /// Forgets the last inode; the blocks of inode number `number` come next.
    pub(super) fn begin(&mut self, number: u64, inode: &Inode) {
        self.extents.clear();
        self.tree.clear();
        self.inode = number;
        self.kinds = inode.kinds();
        self.next = 0;
        // A file that has more blocks than the file system has is damage; files may only share with others.
        self.left =
            if self.ext.superblock.has_shared_blocks() { 1 << 48 } else { self.ext.superblock.blocks };
    }

    /// Takes in what lies in the inode itself.
    pub(super) fn push_inline(&mut self, size_bytes: u64) {
        self.extents.push(Extent::plain(
            0,
            0,
            size_bytes.min(u64::from(self.ext.superblock.inode_size)),
            self.kinds.with(Kinds::INLINE),
        ));
    }

    /// Takes one extent of `length` blocks in; says a problem instead when it makes no sense.
    /// Returns whether more may follow.
    pub(super) fn push(
        &mut self,
        logical: u64,
        physical: u64,
        length: u64,
        kinds: Kinds,
        problems: &mut Problems,
    ) -> bool {
        let superblock = &self.ext.superblock;
        let inside = physical > superblock.first_data_block
            && physical.checked_add(length).is_some_and(|end| end <= superblock.blocks);
        if !inside || logical < self.next || length == 0 {
            self.damaged(
                problems,
                format_args!("{length} blocks from block {logical} on, at block {physical} of the device"),
            );
            return true;
        }
        if length > self.left {
            self.damaged(problems, format_args!("more blocks than the file system has"));
            self.left = 0;
            return false;
        }
        if self.extents.len() >= FILE_EXTENTS_LIMIT {
            self.left = 0;
            problems.add_too_many_extents(format_args!("inode {}", self.inode));
            return false;
        }
        self.left -= length;
        self.next = logical + length;
        let block_size = u64::from(superblock.block_size);
        self.extents.push(Extent::plain(
            logical * block_size,
            physical * block_size,
            length * block_size,
            self.kinds.with(kinds),
        ));
        true
    }

    /// As `push` for one block, which goes on with the last extent where it can.
    pub(super) fn push_block(&mut self, logical: u64, physical: u64, problems: &mut Problems) -> bool {
        let block_size = u64::from(self.ext.superblock.block_size);
        if let Some(last) = self.extents.last_mut()
            && logical == self.next
            && physical < self.ext.superblock.blocks
            && last.physical_bytes + last.length_bytes == physical * block_size
            && self.left > 0
        {
            last.length_bytes += block_size;
            last.device_bytes += block_size;
            self.next += 1;
            self.left -= 1;
            return true;
        }
        self.push(logical, physical, 1, Kinds::default(), problems)
    }

    /// Reads a block of the inode's tree and hands it to `each`; says a problem when it cannot be.
    /// `level` is its height above the leaves' entries.
    pub(super) fn with_tree_block(
        &mut self,
        block: u64,
        level: usize,
        problems: &mut Problems,
        each: impl FnOnce(&mut Self, &[u8], &mut Problems),
    ) {
        let superblock = &self.ext.superblock;
        if block <= superblock.first_data_block || block >= superblock.blocks {
            self.damaged(problems, format_args!("its tree leads to block {block}"));
            return;
        }
        if !self.met.insert(block) {
            return self.damaged(
                problems,
                format_args!("its tree leads to block {block}, which is referenced twice"),
            );
        }
        let size = superblock.block_size as usize;
        let offset = block * u64::from(superblock.block_size);
        let number = self.inode;
        let what = format_args!("tree of inode {number}");
        let Some(bytes) = self.window.get(offset, size, problems, what) else { return };
        if self.levels.len() <= level {
            self.levels.resize_with(level + 1, Vec::new);
        }
        let mut copy = std::mem::take(&mut self.levels[level]);
        copy.clear();
        copy.extend_from_slice(bytes);
        self.tree.push(block);
        each(self, &copy, problems);
        self.levels[level] = copy;
    }

    /// Whether reading was to end, perhaps before the file did.
    pub(super) fn is_stopped(&self) -> bool {
        (self.stop)()
    }

    /// Numbers of one indirect block.
    pub(super) fn pointers_per_block(&self) -> u64 {
        u64::from(self.ext.superblock.block_size / 4)
    }

    /// Whether the file may have more blocks; reading a tree ends when not.
    pub(super) fn may_go_on(&self) -> bool {
        self.left > 0 && !(self.stop)()
    }

    pub(super) fn damaged(&self, problems: &mut Problems, what: std::fmt::Arguments<'_>) {
        problems.add_damage(format_args!("inode {}: {what}", self.inode));
    }
}
