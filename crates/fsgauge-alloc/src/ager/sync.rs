//! syncfs(2) that can be left: it may take many seconds, and no signal ends it.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use fsgauge_wire::Stop;
use rustix::fd::BorrowedFd;
use rustix::fs::syncfs;
use rustix::io::{Errno, Result};

/// How often a stop is looked for meanwhile.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Syncs the file system. None: somebody asked to stop before it was done; the kernel goes on by itself.
pub(crate) fn sync_unless_stopped(root: BorrowedFd<'_>, stop: Stop) -> Option<Result<()>> {
    let root = match root.try_clone_to_owned() {
        Ok(root) => root,
        Err(error) => return Some(Err(Errno::from_io_error(&error).unwrap_or(Errno::MFILE))),
    };
    let (done, wait) = channel();
    let syncing = std::thread::Builder::new().spawn(move || {
        // Who was to hear it may have gone.
        let _ = done.send(syncfs(&root));
    });
    if syncing.is_err() {
        return Some(Err(Errno::AGAIN));
    }
    loop {
        match wait.recv_timeout(LOOK_EVERY) {
            Ok(synced) => return Some(synced),
            Err(RecvTimeoutError::Timeout) if stop.is_set() => return None,
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return Some(Err(Errno::IO)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn it_says_what_the_kernel_said() {
        let folder = tempfile::tempdir().unwrap();
        let root = File::open(folder.path()).unwrap();
        assert_eq!(sync_unless_stopped(root.as_fd(), Stop::never()), Some(Ok(())));
    }
}
