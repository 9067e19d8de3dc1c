//! What the threads of a process share, and those of several processes do not: each use of it writes to one place in
//! memory. While threads share a table of descriptors, the kernel takes and gives back a reference to the file at each
//! read and write (`fdget` in fs/file.c of Linux 6.18); while they share credentials, at each open and close
//! (`alloc_empty_file` in fs/file_table.c).
//!
//! Unsafe code: unshare(2) of the descriptors.

use rustix::thread::{UnshareFlags, capabilities, set_capabilities, unshare_unsafe};

/// Gives the thread of a job, or of some clients, a table of descriptors of its own, with what is open now, and
/// credentials of its own, equal to those before. What it opens from then on, it alone uses and closes. Where this is
/// refused, such as in a container, it goes on with what it shares.
pub fn unshare() {
    // SAFETY: such a thread is given no descriptor after its start, and gives none away: it opens its files after this
    // call and closes them before it ends.
    let _ = unsafe { unshare_unsafe(UnshareFlags::FILES) };
    // The kernel makes new ones for those that are set, equal or not.
    let _ = capabilities(None).and_then(|same| set_capabilities(None, same));
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::{AsRawFd, BorrowedFd};

    use rustix::io::{Errno, fcntl_getfd};
    use rustix::thread::capabilities;

    use super::unshare;

    /// Whether a number is open here, by the kernel.
    fn is_open(number: i32) -> bool {
        // SAFETY: asked for its flags alone, which harms nobody's descriptor.
        fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }) != Err(Errno::BADF)
    }

    #[test]
    fn what_a_thread_opens_in_its_unshare_is_not_open_elsewhere() {
        let directory = tempfile::tempdir().unwrap();
        let before = File::create(directory.path().join("before")).unwrap();
        let opened = std::thread::spawn(move || {
            let may = capabilities(None).unwrap();
            unshare();
            assert_eq!(capabilities(None).unwrap(), may);
            let many: Vec<File> = (0..100).map(|_| before.try_clone().unwrap()).collect();
            let last = many.last().map(AsRawFd::as_raw_fd).unwrap();
            assert!(is_open(last));
            (last, before)
        });
        let (last, before) = opened.join().unwrap();
        assert!(is_open(before.as_raw_fd()));
        // Other tests open a few descriptors at the same time, not a hundred.
        assert!(!is_open(last));
    }
}
