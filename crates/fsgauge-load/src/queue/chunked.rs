//! A queue whose file is given space with fallocate(2), a chunk at a time, when the writes come to its beginning.
//!
//! The calls are made where operations are started: their time is in the latency of the writes that need them, as it
//! is where a file system preallocates by itself. The file grows by whole chunks, as it does when all of it is
//! preallocated, so that direct writes within a chunk do not extend it one by one.

use std::io;
use std::path::Path;
use std::time::Duration;

use fsgauge_wire::Failure;
use rustix::fd::BorrowedFd;
use rustix::fs::{FallocateFlags, fallocate};
use rustix::io::Errno;

use super::Queue;
use crate::operation::Operation;

/// The space of one file that is written from start to end.
pub(crate) struct Chunks<'file> {
    pub(crate) file: BorrowedFd<'file>,
    pub(crate) path: &'file Path,
    pub(crate) chunk_bytes: u64,
    /// The file's last size: the last chunk may be shorter.
    pub(crate) file_bytes: u64,
}

/// Another queue, on the job's one file.
pub(crate) struct ChunkedQueue<'file, Q> {
    queue: Q,
    chunks: Chunks<'file>,
    allocated_bytes: u64,
    /// Where the writes have come to.
    reached_bytes: u64,
}

impl<'file, Q> ChunkedQueue<'file, Q> {
    pub(crate) fn new(queue: Q, chunks: Chunks<'file>) -> Self {
        ChunkedQueue { queue, chunks, allocated_bytes: 0, reached_bytes: 0 }
    }

    /// Allocates up to where the writes have come to. False: a signal came first; the next `enter` goes on.
    fn allocate(&mut self) -> io::Result<bool> {
        while self.allocated_bytes < self.reached_bytes {
            let next_bytes = self.allocated_bytes.saturating_add(self.chunks.chunk_bytes);
            let end_bytes = self.chunks.file_bytes.min(next_bytes);
            let size_bytes = end_bytes - self.allocated_bytes;
            match fallocate(self.chunks.file, FallocateFlags::empty(), self.allocated_bytes, size_bytes) {
                Ok(()) => self.allocated_bytes = end_bytes,
                Err(Errno::INTR) => return Ok(false),
                Err(errno) => return Err(io::Error::other(self.failure(errno, size_bytes))),
            }
        }
        Ok(true)
    }

    #[cold]
    fn failure(&self, errno: Errno, size_bytes: u64) -> Failure {
        let (path, offset) = (self.chunks.path.display(), self.allocated_bytes);
        let what = format!("fallocate of {size_bytes} bytes at offset {offset} of {path} failed: {errno}");
        let (cause, next) = match errno {
            Errno::OPNOTSUPP | Errno::NOSYS => {
                ("its file system has no fallocate(2)", "leave preallocate_chunk_bytes out")
            }
            Errno::NOSPC | Errno::DQUOT => {
                ("the file system or the quota is full", "df -h; choose a smaller target")
            }
            Errno::FBIG => (
                "the file would be larger than the file system or ulimit -f allows",
                "choose a smaller target",
            ),
            _ => ("the device or the file system reported an error", "dmesg | tail"),
        };
        Failure::system("preallocate.failed", Some(errno.raw_os_error()), what, cause, next)
    }
}

impl<Q: Queue> Queue for ChunkedQueue<'_, Q> {
    #[inline]
    fn push(&mut self, slot: u32, operation: &Operation, address: *mut u8) {
        let end_bytes = operation.offset_bytes + u64::from(operation.size_bytes);
        self.reached_bytes = self.reached_bytes.max(end_bytes);
        self.queue.push(slot, operation, address);
    }

    #[inline]
    fn enter(&mut self, wanted: u32) -> io::Result<()> {
        if self.allocate()? { self.queue.enter(wanted) } else { Ok(()) }
    }

    fn enter_for(&mut self, limit: Duration, idle: bool) -> io::Result<()> {
        if self.allocate()? { self.queue.enter_for(limit, idle) } else { Ok(()) }
    }

    #[inline]
    fn reap(&mut self, each: impl FnMut(u32, i32)) {
        self.queue.reap(each);
    }
}
