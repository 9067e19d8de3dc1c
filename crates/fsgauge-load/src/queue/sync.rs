//! pread(2) and pwrite(2): one operation at a time, in the calling thread.
//!
//! Unsafe code: hands the slot's own buffer on.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::Queue;
use super::transfer::{Mover, Whole};
use crate::operation::Operation;

/// A queue of depth 1, on which blocks are moved in one way.
#[derive(Debug)]
pub(crate) struct SyncQueue<M = Whole> {
    descriptors: Vec<RawFd>,
    mover: M,
    pushed: Option<(u32, Operation, *mut u8)>,
    completed: Option<(u32, i32)>,
}

impl SyncQueue {
    pub(crate) fn new(files: &[OwnedFd]) -> Self {
        Self::moving(Whole, files.iter().map(AsRawFd::as_raw_fd).collect())
    }
}

impl<M: Mover> SyncQueue<M> {
    /// On files by number; operations name none that is -1.
    pub(crate) fn moving(mover: M, descriptors: Vec<RawFd>) -> Self {
        SyncQueue { descriptors, mover, pushed: None, completed: None }
    }
}

impl<M: Mover> Queue for SyncQueue<M> {
    #[inline]
    fn push(&mut self, slot: u32, operation: &Operation, address: *mut u8) {
        debug_assert!(self.pushed.is_none(), "a second operation was pushed");
        self.pushed = Some((slot, *operation, address));
    }

    #[inline]
    fn enter(&mut self, _wanted: u32) -> io::Result<()> {
        if let Some((slot, operation, address)) = self.pushed.take() {
            let file = self.descriptors[operation.file as usize];
            // SAFETY: `push` was promised that the operation's bytes stay mapped and unused by others.
            self.completed = Some((slot, unsafe { self.mover.transfer(file, &operation, address) }));
        }
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        if let Some((slot, result)) = self.completed.take() {
            each(slot, result);
        }
    }
}
