//! Mode `fast`: fallocate(2), no data. One call an operation, hardly any real disk space on a sparse image.
//!
//! What it loses: delayed allocation, and with ext4 the normalising and preallocation of requests
//! (fs/ext4/extents.c, Linux 6.12: EXT4_GET_BLOCKS_NO_NORMALIZE), so damage is understated. An overwrite in place
//! moves nothing, so nothing is called; one on a file system that copies on write is a hole and a new allocation,
//! where the real one allocates first and frees later.

use fsgauge_wire::Stop;
use rustix::fd::BorrowedFd;
use rustix::fs::{FallocateFlags, fallocate, ftruncate};
use rustix::io::Errno;

use super::{Part, Put, uninterrupted};
use crate::space::punch;

pub(crate) struct Fast {
    pub(crate) copies_on_write: bool,
}

impl Fast {
    pub(crate) fn put(&self, file: BorrowedFd<'_>, part: Part, stop: Stop) -> Put {
        let Part { offset_bytes, size_bytes, file_bytes } = part;
        let call = |flags| uninterrupted(stop, || fallocate(file, flags, offset_bytes, size_bytes));
        let called = if !part.is_overwrite() {
            call(FallocateFlags::empty())
        } else if self.copies_on_write {
            call(punch()).and_then(|()| call(FallocateFlags::empty()))
        } else {
            Ok(())
        };
        match called {
            Ok(()) => Put::Done,
            Err(errno) => {
                // What the call allocated before it failed is given back; if that fails too, the file keeps it.
                if !part.is_overwrite() {
                    let _ = ftruncate(file, file_bytes);
                }
                if errno == Errno::INTR { Put::Stopped(0) } else { Put::Refused(errno, 0) }
            }
        }
    }
}
