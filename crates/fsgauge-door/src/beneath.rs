//! From a folder's descriptor to what lies below it: never through a link, never onto another mount, never upward.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, ResolveFlags, fstat, openat, openat2};
use rustix::io::{Errno, Result};

/// What the kernel is asked to keep to.
const RESOLVE: ResolveFlags =
    ResolveFlags::BENEATH.union(ResolveFlags::NO_SYMLINKS).union(ResolveFlags::NO_XDEV);
/// A directory as what names are relative to.
const STEP: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// A rename anywhere may make the kernel unsure of its way for a moment.
const TRIES: u32 = 16;

/// Opens `path`, which is relative and has no "..", below `root`.
pub(crate) fn open(root: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // The kernel refuses permissions for what is not made.
    let makes = flags.contains(OFlags::CREATE) || flags.contains(OFlags::TMPFILE);
    let mode = if makes { mode } else { Mode::empty() };
    for _ in 0..TRIES {
        match openat2(root, path, flags, mode, RESOLVE) {
            Err(Errno::AGAIN) => {}
            // Linux before 5.6, and sandboxes that do not know the call.
            Err(Errno::NOSYS | Errno::PERM) => return step_by_step(root, path, flags, mode),
            opened => return opened,
        }
    }
    Err(Errno::AGAIN)
}

/// The directory that `path` lies in, and what it is called there. None is opened where that is `root` itself.
pub(crate) fn parent<'path>(
    root: BorrowedFd<'_>,
    path: &'path Path,
) -> Result<(Option<OwnedFd>, &'path OsStr)> {
    let (above, name) = split(path)?;
    let opened = above.map(|above| open(root, above, STEP, Mode::empty())).transpose()?;
    Ok((opened, name))
}

/// The same as [`open`], one name after the other.
pub(crate) fn step_by_step(root: BorrowedFd<'_>, path: &Path, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
    if path == Path::new(".") {
        return openat(root, path, flags, mode);
    }
    let device = fstat(root)?.st_dev;
    let (above, last) = split(path)?;
    let mut reached: Option<OwnedFd> = None;
    let names = above.into_iter().flat_map(Path::components).map(|name| (name.as_os_str(), STEP, Mode::empty()));
    for (name, flags, mode) in names.chain([(last, flags, mode)]) {
        let next = openat(reached.as_ref().map_or(root, AsFd::as_fd), name, flags, mode)?;
        if fstat(&next)?.st_dev != device {
            return Err(Errno::XDEV);
        }
        reached = Some(next);
    }
    reached.ok_or(Errno::NOENT)
}

/// What lies above the last name of a relative path, where there is anything.
fn split(path: &Path) -> Result<(Option<&Path>, &OsStr)> {
    if !path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(Errno::XDEV);
    }
    let name = path.file_name().filter(|_| !ends_in_slash(path)).ok_or(Errno::ISDIR)?;
    Ok((path.parent().filter(|above| !above.as_os_str().is_empty()), name))
}

fn ends_in_slash(path: &Path) -> bool {
    path.as_os_str().as_bytes().ends_with(b"/")
}
