//! Which files the write-back takes, and in which order: an inode keeps its turn from when it becomes dirty until all that
//! is dirty is written back. An fsync, or a close that flushes, writes its data and leaves it where it is.

use std::collections::BTreeMap;

/// Dirty files by their turn.
#[derive(Debug, Default)]
pub(super) struct WriteBack {
    dirty: BTreeMap<u64, u32>,
    turns: u64,
}

impl WriteBack {
    /// A file becomes dirty: its turn.
    pub(super) fn add(&mut self, file: u32) -> u64 {
        self.turns += 1;
        self.dirty.insert(self.turns, file);
        self.turns
    }

    /// A file is deleted.
    pub(super) fn remove(&mut self, turn: u64) {
        self.dirty.remove(&turn);
    }

    /// All dirty files, the first to become dirty first; from now on they are clean.
    pub(super) fn take(&mut self) -> impl Iterator<Item = u32> + use<> {
        std::mem::take(&mut self.dirty).into_values()
    }
}
