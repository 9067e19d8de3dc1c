//! Closing a file where the answer matters: a file system may say only then that it could not store what was written.
//!
//! Unsafe code: close(2), of a descriptor that was owned and is gone then.

use std::os::fd::{IntoRawFd, OwnedFd};

use rustix::io::Errno;

/// Closes a file. It is closed whatever the answer is.
pub(super) fn close(file: OwnedFd) -> Result<(), Errno> {
    // SAFETY: the descriptor is taken out of its owner, so nobody else closes or uses it.
    if unsafe { libc::close(file.into_raw_fd()) } == 0 {
        return Ok(());
    }
    let error = std::io::Error::last_os_error();
    match error.raw_os_error().unwrap_or(libc::EIO) {
        // On Linux the descriptor is closed then, and there is nothing that could be tried again.
        libc::EINTR => Ok(()),
        number => Err(Errno::from_raw_os_error(number)),
    }
}
