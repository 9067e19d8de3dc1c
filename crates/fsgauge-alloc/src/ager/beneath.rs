//! Opening directories beneath the aged one: never through a symbolic link and never on another mount. Whoever may write
//! there, before or during the run, cannot redirect files.

use std::ffi::CStr;

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{Mode, OFlags, ResolveFlags, fstat, openat, openat2};
use rustix::io::{self, Errno};

/// A directory as what names are relative to.
const FLAGS: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// Opens the directory `path` beneath `root`.
pub(super) fn open_directory(root: BorrowedFd<'_>, path: &CStr) -> io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_XDEV;
    match openat2(root, path, FLAGS, Mode::empty(), resolve) {
        // Linux before 5.6, and sandboxes that do not know the call.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(root, path),
        opened => opened,
    }
}

fn step_by_step(root: BorrowedFd<'_>, path: &CStr) -> io::Result<OwnedFd> {
    let device = fstat(root)?.st_dev;
    let mut opened: Option<OwnedFd> = None;
    for name in path.to_bytes().split(|&byte| byte == b'/') {
        if matches!(name, b"" | b"." | b"..") {
            return Err(Errno::XDEV);
        }
        let above = opened.as_ref().map_or(root, AsFd::as_fd);
        let next = openat(above, name, FLAGS, Mode::empty())?;
        if fstat(&next)?.st_dev != device {
            return Err(Errno::XDEV);
        }
        opened = Some(next);
    }
    opened.ok_or(Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_on_the_way_is_refused_in_both_ways() {
        let (root, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::create_dir_all(root.path().join("g0001/d0001")).unwrap();
        std::fs::create_dir_all(elsewhere.path().join("d0001")).unwrap();
        symlink(elsewhere.path(), root.path().join("d0002")).unwrap();
        symlink(elsewhere.path(), root.path().join("g0002")).unwrap();
        symlink("g0001", root.path().join("g0003")).unwrap();
        let open = rustix::fs::open(root.path(), OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()).unwrap();
        for way in [open_directory, step_by_step] {
            assert!(way(open.as_fd(), c"g0001").is_ok() && way(open.as_fd(), c"g0001/d0001").is_ok());
            for planted in [c"d0002", c"g0002/d0001", c"g0003/d0001", c"../x", c"/tmp"] {
                assert!(way(open.as_fd(), planted).is_err(), "{planted:?}");
            }
        }
    }
}
