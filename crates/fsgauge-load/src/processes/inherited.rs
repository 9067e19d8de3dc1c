//! Open files that workers have from the engine: one open file description for all of them.
//!
//! Unsafe code: taking descriptors by their numbers, which the engine has sent.

use std::io;
use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::io::{FdFlags, fcntl_setfd};

/// Lets processes that are started from now on have a file open as well, under its number.
pub(super) fn pass_on(file: BorrowedFd<'_>) -> io::Result<()> {
    Ok(fcntl_setfd(file, FdFlags::empty())?)
}

/// Takes files that the engine has passed on; call it once for each, before anything else is opened.
pub(super) fn take(numbers: &[RawFd]) -> io::Result<Vec<OwnedFd>> {
    numbers.iter().map(|number| take_one(*number)).collect()
}

pub(super) fn take_one(number: RawFd) -> io::Result<OwnedFd> {
    if number <= libc::STDERR_FILENO {
        return Err(io::Error::other(format!("descriptor {number} is not a file of the load")));
    }
    // SAFETY: the number is borrowed for this call alone, which fails where nothing is open under it.
    fcntl_setfd(unsafe { BorrowedFd::borrow_raw(number) }, FdFlags::CLOEXEC)?;
    // SAFETY: it is open, as was just seen; the engine has passed it on for this process to own, and sends
    // each number once.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}
