//! The log queue: pwrite(2), then fdatasync(2), as one operation.
//!
//! Unsafe code: fdatasync(2) on a descriptor that the queue's maker keeps open.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use super::{Queue, SyncQueue};
use crate::operation::Operation;

/// A queue of depth 1 on one file.
#[derive(Debug)]
pub(crate) struct LogQueue {
    writes: SyncQueue,
    descriptor: RawFd,
    /// The error of the last fdatasync, negative, until it is reaped.
    error: Option<i32>,
}

impl LogQueue {
    pub(crate) fn new(file: &OwnedFd) -> Self {
        let writes = SyncQueue::new(std::slice::from_ref(file));
        LogQueue { writes, descriptor: file.as_raw_fd(), error: None }
    }
}

impl Queue for LogQueue {
    #[inline]
    fn push(&mut self, slot: u32, operation: &Operation, address: *mut u8) {
        self.writes.push(slot, operation, address);
    }

    #[inline]
    fn enter(&mut self, wanted: u32) -> io::Result<()> {
        self.writes.enter(wanted)?;
        // SAFETY: the call takes a number; a wrong one is an error and nothing worse.
        let is_done = unsafe { libc::fdatasync(self.descriptor) } == 0;
        self.error = (!is_done).then(|| -io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO));
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        let error = self.error.take();
        self.writes.reap(|slot, bytes| each(slot, if bytes < 0 { bytes } else { error.unwrap_or(bytes) }));
    }
}
