//! Opening a place itself: one that is held by its descriptor, another by its name.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, OFlags, fstat, openat};
use rustix::io::Result;

use crate::held::{Place, reach};
use crate::beneath;

/// Opens what a descriptor has open once more, with flags of its own. Whatever its name means by now, it is the same.
pub fn reopen(open: impl AsFd, flags: OFlags) -> Result<OwnedFd> {
    let open = open.as_fd();
    let flags = flags.difference(OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CREATE) | OFlags::CLOEXEC;
    if FileType::from_raw_mode(fstat(open)?.st_mode) == FileType::Directory {
        return openat(open, c".", flags, Mode::empty());
    }
    // A thread may have a table of descriptors of its own.
    openat(CWD, format!("/proc/thread-self/fd/{}", open.as_raw_fd()), flags, Mode::empty())
}

/// Opens what a user names, which may be a link: a file to look at, or a folder. A place that is held is opened
/// from its descriptor, and what lies below one without links.
pub fn open_named(path: &Path, flags: OFlags) -> Result<OwnedFd> {
    match reach(path) {
        Place::Held(descriptor) => reopen(descriptor, flags),
        Place::Below(root, rest) => beneath::open(root, rest, flags, Mode::empty()),
        Place::Named(path) => openat(CWD, path, flags | OFlags::CLOEXEC, Mode::empty()),
    }
}

/// Opens a device that a user names. One that is held is the holder's claim: it is not claimed again.
pub fn open_device(path: &Path, flags: OFlags, claims: bool) -> Result<OwnedFd> {
    let is_held = matches!(reach(path), Place::Held(_));
    let claim = if claims && !is_held { OFlags::EXCL } else { OFlags::empty() };
    open_named(path, flags | claim)
}
