//! Files: how fallocate(2) asks for their blocks, and how the write-back does.

use super::folios::Folios;
use super::volume::{Inode, Refused, UNWRITTEN_BLOCKS, Volume, Wish};
use crate::policy::Purpose;

/// Commits that one call waits for when space is short.
const COMMITS: u32 = 3;

/// A file.
pub(super) struct File {
    pub(super) inode: Inode,
    pub(super) folder: u32,
    pub(super) stream: u32,
    block_bytes: u32,
    size_bytes: u64,
    /// Its turn in the write-back, while it is dirty.
    pub(super) turn: Option<u64>,
    /// It was cut to nothing: what is written then waits no longer than until it is closed.
    pub(super) flushes_at_close: bool,
    folios: Folios,
}

/// Pages that one call of the write-back gathers (MAX_WRITEPAGES_EXTENT_LEN, fs/ext4/inode.c).
const WRITE_BACK_BLOCKS: u64 = 2048;

impl File {
    pub(super) fn new(inode: Inode, folder: u32, stream: u32, block_bytes: u32) -> Self {
        let folios = Folios::new(block_bytes);
        File {
            inode,
            folder,
            stream,
            block_bytes,
            size_bytes: 0,
            turn: None,
            flushes_at_close: false,
            folios,
        }
    }

    /// Blocks that wait in memory and have none on the device.
    pub(super) fn waiting_blocks(&self) -> u64 {
        self.size_blocks().saturating_sub(self.inode.tree.logical_end())
    }

    pub(super) fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Writes behind what the file has, into one folio: all that goes there, or nothing. Where nothing may wait, blocks are
    /// allocated one by one.
    pub(super) fn write(
        &mut self,
        volume: &mut Volume,
        end_bytes: u64,
        largest_folio: u64,
        is_delayed: bool,
    ) -> Result<(), Refused> {
        let part = self.folios.part(self.size_bytes, end_bytes, largest_folio);
        if is_delayed {
            let wanted = part.end_bytes.div_ceil(self.block_bytes()) - self.size_blocks();
            if !volume.blocks.promise(wanted) {
                return Err(Refused);
            }
            self.size_bytes = part.end_bytes;
        } else {
            self.write_back(volume, Purpose::Data)?;
            self.write_through(volume, part.end_bytes - self.size_bytes)?;
        }
        self.folios.add(&part);
        Ok(())
    }

    /// Blocks for what waits, as the write-back asks for them: for as much as one call gathers; where fewer were found, and
    /// a folio is in part without, first for the rest of that.
    pub(super) fn write_back(&mut self, volume: &mut Volume, purpose: Purpose) -> Result<(), Refused> {
        let file_blocks = self.size_blocks();
        let mut until = 0;
        while self.inode.tree.logical_end() < file_blocks {
            let logical = self.inode.tree.logical_end();
            let end = if logical < until { until } else { logical + WRITE_BACK_BLOCKS };
            let blocks = (end.min(file_blocks) - logical) as u32;
            let wish = Wish { logical, blocks, file_blocks, purpose, is_promised: true };
            if let Err(refused) = self.extend(volume, wish) {
                self.lose(volume);
                return Err(refused);
            }
            until = self.folios.end_around(self.inode.tree.logical_end());
        }
        // Nothing more is expected of a file that is closed.
        if purpose == Purpose::DataOfClosed && until > 0 {
            volume.release(&self.inode);
        }
        self.folios.forget_before(file_blocks);
        volume.written(&mut self.inode);
        Ok(())
    }

    /// Writes behind what the file has: each block is allocated when it comes. As much as there is space for.
    pub(super) fn write_through(&mut self, volume: &mut Volume, size_bytes: u64) -> Result<(), Refused> {
        let wanted_bytes = self.size_bytes + size_bytes;
        while self.inode.tree.logical_end() * self.block_bytes() < wanted_bytes {
            let logical = self.inode.tree.logical_end();
            let (file_blocks, purpose) = (self.size_blocks(), Purpose::Data);
            self.extend(volume, Wish { logical, blocks: 1, file_blocks, purpose, is_promised: false })?;
            self.size_bytes = wanted_bytes.min((logical + 1) * self.block_bytes());
        }
        self.size_bytes = wanted_bytes;
        Ok(())
    }

    /// One extent more. Where there is no space, what was freed becomes free by a commit, and the kernel looks again.
    fn extend(&mut self, volume: &mut Volume, wish: Wish) -> Result<(), Refused> {
        for _ in 0..COMMITS {
            if volume.allocate(&mut self.inode, wish).is_ok() {
                return Ok(());
            }
            if !volume.blocks.has_freed() {
                return Err(Refused);
            }
            volume.blocks.commit();
        }
        volume.allocate(&mut self.inode, wish)
    }

    /// What has no blocks is lost.
    fn lose(&mut self, volume: &mut Volume) {
        volume.written(&mut self.inode);
        volume.blocks.forget(self.waiting_blocks());
        let end = self.inode.tree.logical_end();
        self.folios.cut(end);
        self.size_bytes = self.size_bytes.min(end * self.block_bytes());
    }

    fn block_bytes(&self) -> u64 {
        self.block_bytes.into()
    }

    fn size_blocks(&self) -> u64 {
        self.size_bytes.div_ceil(self.block_bytes())
    }

    /// Space behind what the file has, as fallocate(2) gives it; nothing if there is not enough.
    pub(super) fn allocate(&mut self, volume: &mut Volume, size_bytes: u64) -> Result<(), Refused> {
        let before_bytes = self.size_bytes;
        let after_bytes = before_bytes + size_bytes;
        let (first, end) = (before_bytes / self.block_bytes(), after_bytes.div_ceil(self.block_bytes()));
        // What fits in one extent is not made larger.
        let purpose =
            if end - first <= u64::from(UNWRITTEN_BLOCKS) { Purpose::ExactData } else { Purpose::Data };
        loop {
            let logical = self.inode.tree.logical_end().max(first);
            if logical >= end {
                break;
            }
            let blocks = (end - logical).min(u64::from(UNWRITTEN_BLOCKS)) as u32;
            let file_blocks = self.size_blocks();
            let wish = Wish { logical, blocks, file_blocks, purpose, is_promised: false };
            if let Err(refused) = self.extend(volume, wish) {
                self.cut(volume, before_bytes);
                return Err(refused);
            }
            let reached_bytes = self.inode.tree.logical_end() * self.block_bytes();
            self.size_bytes = self.size_bytes.max(reached_bytes.min(after_bytes));
        }
        self.size_bytes = after_bytes;
        Ok(())
    }

    /// Cuts the file.
    pub(super) fn cut(&mut self, volume: &mut Volume, to_bytes: u64) {
        let waiting_blocks = self.waiting_blocks();
        self.size_bytes = self.size_bytes.min(to_bytes);
        self.flushes_at_close |= self.size_bytes == 0;
        self.folios.cut(self.size_blocks());
        volume.blocks.forget(waiting_blocks - self.waiting_blocks());
        let kept_blocks = self.size_blocks();
        volume.cut(&mut self.inode, kept_blocks);
    }
}
