//! The working directory of a single thread: all others keep theirs.
//!
//! Unsafe code: unshare(2), which is unsafe where it parts tables of descriptors. It parts nothing else here than the
//! working directory, the root directory and the umask, of which the thread then has copies.

use std::os::fd::OwnedFd;

use rustix::io::Errno;
use rustix::process::fchdir;
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Changes the calling thread's working directory. Needs no privilege; a sandbox may refuse it (Docker's does).
pub(super) fn change(directory: &OwnedFd) -> Result<(), Errno> {
    // SAFETY: the table of descriptors stays shared.
    unsafe { unshare_unsafe(UnshareFlags::FS) }?;
    fchdir(directory)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::path::PathBuf;

    fn here() -> PathBuf {
        std::fs::read_link("/proc/thread-self/cwd").unwrap()
    }

    #[test]
    fn other_threads_stay_where_they_are() {
        let (before, directory) = (here(), tempfile::tempdir().unwrap());
        let open = OwnedFd::from(File::open(directory.path()).unwrap());
        let changed = std::thread::spawn(move || {
            change(&open).unwrap();
            here()
        });
        assert_eq!(changed.join().unwrap(), directory.path().canonicalize().unwrap());
        assert_eq!(here(), before);
    }
}
