//! Handles of files that the kernel has open: a handle is the descriptor's number.
//!
//! Unsafe code: descriptors by their number. A client holds a handle from the answer that gave it to its
//! close, as a program holds an integer; a number that is not open is an error (EBADF) and nothing worse.

use std::os::fd::{BorrowedFd, IntoRawFd, OwnedFd, RawFd};

use fsgauge_net::{Answer, Handle};

/// The handle of a file that was just opened: its client closes it.
#[inline]
pub(super) fn handle_of(file: OwnedFd) -> Handle {
    file.into_raw_fd() as Handle
}

/// The number of a handle's descriptor.
#[inline]
pub(super) fn descriptor_of(handle: Handle) -> RawFd {
    debug_assert!(RawFd::try_from(handle).is_ok(), "no handle of this target: {handle}");
    handle as RawFd
}

/// The file of a handle.
#[inline]
pub(super) fn file_of(handle: Handle) -> BorrowedFd<'static> {
    // SAFETY: the number is no -1 (handles were given by the kernel), and it is used for one call only, in
    // which a closed one would be answered with EBADF.
    unsafe { BorrowedFd::borrow_raw(descriptor_of(handle)) }
}

/// Closes a handle and gives what close(2) says, which an owned descriptor would swallow: a network file
/// system may report there that what was written is lost. The descriptor is free whatever it says.
///
/// Not by the C library's close, which makes itself a place where the thread may be cancelled, once for each file.
#[inline]
pub(super) fn close(handle: Handle) -> Answer {
    // SAFETY: the call takes a number, which nothing else owns: `handle_of` gave it away.
    match unsafe { libc::syscall(libc::SYS_close, descriptor_of(handle)) } {
        0 => 0,
        _ => -Answer::from(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)),
    }
}
