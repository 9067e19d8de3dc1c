//! A descriptor table of a job's own. While threads share one, the kernel takes and gives back a reference to the file
//! at each read and write (`fdget` in fs/file.c of Linux 6.18); in a table of one thread it does not.
//!
//! Unsafe code: unshare(2) of the descriptors.

use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Gives the thread of a job, or of some clients, a table of its own, with what is open now. What it opens from then on,
/// it alone uses and closes. Where this is refused, such as in a container, it goes on with the table that it shares.
pub fn own_table() {
    // SAFETY: such a thread is given no descriptor after its start, and gives none away: it opens its files after this
    // call and closes them before it ends.
    let _ = unsafe { unshare_unsafe(UnshareFlags::FILES) };
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::{AsRawFd, BorrowedFd};

    use rustix::io::{Errno, fcntl_getfd};

    use super::own_table;

    /// Whether a number is open here, by the kernel.
    fn is_open(number: i32) -> bool {
        // SAFETY: asked for its flags alone, which harms nobody's descriptor.
        fcntl_getfd(unsafe { BorrowedFd::borrow_raw(number) }) != Err(Errno::BADF)
    }

    #[test]
    fn what_a_thread_opens_in_its_own_table_is_not_open_elsewhere() {
        let directory = tempfile::tempdir().unwrap();
        let before = File::create(directory.path().join("before")).unwrap();
        let opened = std::thread::spawn(move || {
            own_table();
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
