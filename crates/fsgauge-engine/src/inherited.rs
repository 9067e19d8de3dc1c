//! Open files that the engine was started with by mistake: it has its three streams and nothing else.
//!
//! Unsafe code: closing descriptors by their numbers, before this process has opened anything.

use std::os::fd::{BorrowedFd, FromRawFd, OwnedFd, RawFd};

use rustix::io::fcntl_getfd;

/// Without /proc, descriptors above this one are left: few programs have more open.
const MOST_WITHOUT_PROC: RawFd = 1024;

/// Closes all but standard input, output and error. Call it before anything else is opened.
///
/// A worker does not: it has the files of a load from the engine.
pub(crate) fn close() {
    for number in numbers() {
        // SAFETY: the number is borrowed for this call alone, which fails where nothing is open under it: the
        // descriptor that listed the others is closed by now.
        if fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }).is_ok() {
            // SAFETY: it is open, as was just seen, and nothing in this process owns a descriptor yet.
            drop(unsafe { OwnedFd::from_raw_fd(number) });
        }
    }
}

fn numbers() -> Vec<RawFd> {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        return (3..MOST_WITHOUT_PROC).collect();
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    names.filter(|number| *number > 2).collect()
}
