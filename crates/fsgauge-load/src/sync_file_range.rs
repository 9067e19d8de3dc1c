//! sync_file_range(2), which rustix does not have.
//!
//! Unsafe code: the call, by a file's number.

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use rustix::io::Errno;

/// sync_file_range(2) of a whole file: its pages are written when it returns, and may still be in the device's cache.
pub(crate) fn sync_file_range(file: impl AsFd) -> Result<(), Errno> {
    let all =
        libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    // SAFETY: a number, no memory.
    match unsafe { libc::sync_file_range(file.as_fd().as_raw_fd(), 0, 0, all) } {
        0 => Ok(()),
        _ => Err(Errno::from_raw_os_error(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))),
    }
}
