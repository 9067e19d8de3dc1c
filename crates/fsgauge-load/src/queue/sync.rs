//! pread(2) and pwrite(2): one operation at a time, in the calling thread.
//!
//! Unsafe code: the two calls, on the slot's own buffer.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::Queue;
use crate::operation::Operation;

/// A queue of depth 1.
#[derive(Debug)]
pub(crate) struct SyncQueue {
    descriptors: Vec<RawFd>,
    pushed: Option<(u32, Operation, *mut u8)>,
    completed: Option<(u32, i32)>,
}

impl SyncQueue {
    pub(crate) fn new(files: &[OwnedFd]) -> Self {
        Self::on(files.iter().map(AsRawFd::as_raw_fd).collect())
    }

    /// The same by number; operations name none that is -1.
    pub(crate) fn on(descriptors: Vec<RawFd>) -> Self {
        SyncQueue { descriptors, pushed: None, completed: None }
    }

    #[inline]
    fn call(&self, operation: &Operation, address: *mut u8) -> i32 {
        let descriptor = self.descriptors[operation.file as usize];
        let (size, offset) = (operation.size_bytes as usize, operation.offset_bytes as libc::off_t);
        // SAFETY: `push` was promised that `size` bytes at `address` stay mapped and unused by others.
        let bytes = unsafe {
            if operation.write {
                libc::pwrite(descriptor, address.cast(), size, offset)
            } else {
                libc::pread(descriptor, address.cast(), size, offset)
            }
        };
        if bytes < 0 { -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO) } else { bytes as i32 }
    }
}

impl Queue for SyncQueue {
    #[inline]
    fn push(&mut self, slot: u32, operation: &Operation, address: *mut u8) {
        debug_assert!(self.pushed.is_none(), "a second operation was pushed");
        self.pushed = Some((slot, *operation, address));
    }

    #[inline]
    fn enter(&mut self, _wanted: u32) -> io::Result<()> {
        if let Some((slot, operation, address)) = self.pushed.take() {
            self.completed = Some((slot, self.call(&operation, address)));
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
