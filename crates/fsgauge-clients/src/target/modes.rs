//! How files and directories are made and opened.

use rustix::fs::{Mode, OFlags};

pub(super) const NEW_FILE: OFlags =
    OFlags::CREATE.union(OFlags::EXCL).union(OFlags::WRONLY).union(OFlags::CLOEXEC);
pub(super) const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR).union(Mode::RGRP).union(Mode::ROTH);
pub(super) const DIRECTORY_MODE: Mode =
    Mode::RWXU.union(Mode::RGRP).union(Mode::XGRP).union(Mode::ROTH).union(Mode::XOTH);

/// How a file that exists is opened.
#[inline]
pub(super) fn open_flags(write: bool) -> OFlags {
    OFlags::CLOEXEC | OFlags::NOFOLLOW | if write { OFlags::WRONLY } else { OFlags::RDONLY }
}
