//! Data that gets into files: at once, or by way of the page cache.

use super::Ext4;
use super::extent_tree::ExtentTree;
use super::file::File;
use super::volume::{Refused, UNWRITTEN_BLOCKS, WRITTEN_BLOCKS};
use crate::ager::WRITE_PIECE_BYTES;
use crate::policy::Purpose;

/// How data gets into files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writing {
    /// Not at all: fallocate(2) gives the blocks at once.
    Allocated,
    /// Each block is allocated as it is written (the mount option `nodelalloc`).
    BlockByBlock,
    /// Through the page cache: blocks are allocated when it is written back.
    Cached {
        /// Pages of the page cache's largest folio: a power of two; 1 before Linux 6.16, 512 since.
        largest_folio_pages: u64,
        /// Whether an extent is joined with its neighbour as it is allocated (the mount option `dioread_lock`), and not when
        /// its data is on the device.
        joins_at_once: bool,
    },
}

impl Writing {
    /// The extents of a new file.
    pub(super) fn tree(self, block_bytes: u32) -> ExtentTree {
        match self {
            Writing::Allocated => ExtentTree::new(UNWRITTEN_BLOCKS, block_bytes),
            Writing::BlockByBlock => ExtentTree::new(WRITTEN_BLOCKS, block_bytes),
            Writing::Cached { joins_at_once, .. } => {
                ExtentTree::cached(WRITTEN_BLOCKS, block_bytes, joins_at_once)
            }
        }
    }
}

impl Ext4 {
    /// What waits of a file is allocated, without a commit; false if there was no space for all.
    pub fn allocate_waiting(&mut self, file: u32) -> bool {
        let done = self.write_back(file).is_ok();
        self.refused += u64::from(!done);
        done
    }

    /// Bytes behind what a file has; as many as there is space for.
    pub(super) fn append(&mut self, file: u32, size_bytes: u64) -> Result<(), Refused> {
        match self.writing {
            Writing::Allocated => self.with(file, |state, volume| state.allocate(volume, size_bytes)),
            Writing::BlockByBlock => self.with(file, |state, volume| state.write_through(volume, size_bytes)),
            Writing::Cached { largest_folio_pages, .. } => self.write(file, size_bytes, largest_folio_pages),
        }
    }

    /// Into the page cache, a folio at a time. Before each, the kernel looks whether too much waits already.
    fn write(&mut self, file: u32, size_bytes: u64, largest_folio: u64) -> Result<(), Refused> {
        let Some(mut at_bytes) = self.size_bytes(file) else { return Ok(()) };
        let end_bytes = at_bytes + size_bytes;
        let mut piece_end_bytes = at_bytes;
        while at_bytes < end_bytes {
            if at_bytes == piece_end_bytes {
                piece_end_bytes = end_bytes.min(at_bytes + WRITE_PIECE_BYTES);
            }
            let shortage = self.volume.blocks.shortage();
            if shortage.writes_back {
                self.write_back_all();
                if self.size_bytes(file) != Some(at_bytes) {
                    // There were no blocks for what this call has written so far.
                    return Err(Refused);
                }
            }
            self.dirty(file);
            let is_delayed = !shortage.allocates_at_once;
            self.with(file, |state, volume| state.write(volume, piece_end_bytes, largest_folio, is_delayed))?;
            at_bytes = self.size_bytes(file).unwrap_or(end_bytes);
        }
        Ok(())
    }

    fn size_bytes(&self, file: u32) -> Option<u64> {
        self.files.get(file as usize)?.as_ref().map(File::size_bytes)
    }

    /// A file has something to be written back, from now on if it had nothing before.
    pub(super) fn dirty(&mut self, file: u32) {
        let Some(state) = self.files.get_mut(file as usize).and_then(Option::as_mut) else { return };
        if state.turn.is_none() && matches!(self.writing, Writing::Cached { .. }) {
            state.turn = Some(self.write_back.add(file));
        }
    }

    pub(super) fn write_back(&mut self, file: u32) -> Result<(), Refused> {
        let purpose = if self.is_open(file) { Purpose::Data } else { Purpose::DataOfClosed };
        self.with(file, |state, volume| state.write_back(volume, purpose))
    }

    pub(super) fn write_back_all(&mut self) {
        for file in self.write_back.take() {
            if let Some(state) = self.files.get_mut(file as usize).and_then(Option::as_mut) {
                state.turn = None;
            }
            let done = self.write_back(file);
            self.refused += u64::from(done.is_err());
        }
    }
}
