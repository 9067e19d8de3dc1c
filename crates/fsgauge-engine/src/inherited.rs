//! Open files that the engine was started with by mistake: it has its three streams and nothing else.
//!
//! Unsafe code: closing descriptors by their numbers, before this process has opened anything.

use std::os::fd::RawFd;

/// Without /proc, descriptors above this one are left: few programs have more open.
const MOST_WITHOUT_PROC: RawFd = 1024;

/// Closes all but standard input, output and error. Call it before anything else is opened.
///
/// A worker does not: it has the files of a load from the engine.
pub(crate) fn close() {
    for number in numbers() {
        // SAFETY: nothing in this process owns a descriptor yet, so none is closed under its owner. The one that
        // listed the others is closed already, which the kernel says and nobody minds.
        unsafe { rustix::io::close(number) };
    }
}

fn numbers() -> Vec<RawFd> {
    let Ok(entries) = std::fs::read_dir("/proc/self/fd") else {
        return (3..MOST_WITHOUT_PROC).collect();
    };
    let names = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    names.filter(|number| *number > 2).collect()
}
