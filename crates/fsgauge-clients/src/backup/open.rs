//! Opening what is found, without a change of its time of access where that is allowed.

use std::ffi::{CStr, OsStr};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use fsgauge_door::{Folder, open_beneath};
use fsgauge_wire::{Failure, Outcome};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Opens files and directories below the root.
#[derive(Debug)]
pub(super) struct Opener {
    root: Folder,
    /// Until it is refused once: a second try for each file would be in every time that is measured.
    noatime: bool,
}

impl Opener {
    /// Opens the root, the directory that a user names; a symbolic link is followed.
    pub(super) fn new(directory: &str) -> Outcome<Self> {
        let root = Folder::enter(Path::new(directory)).map_err(|errno| refused(directory, errno))?;
        Ok(Opener { root, noatime: true })
    }

    /// A path below the root as a person knows it.
    pub(super) fn shown(&self, path: &CStr) -> String {
        if matches!(path.to_bytes(), b"" | b".") {
            return self.root.path().display().to_string();
        }
        self.root.path().join(OsStr::from_bytes(path.to_bytes())).display().to_string()
    }

    pub(super) fn root(&self) -> &Folder {
        &self.root
    }

    /// Whether files were opened so that reading them changes their time of access.
    pub(super) fn changes_access_times(&self) -> bool {
        !self.noatime
    }

    /// Opens a file for reading. What is no file any more is not waited for.
    pub(super) fn file(&mut self, path: &CStr) -> Result<OwnedFd, Errno> {
        self.below(path, OFlags::NONBLOCK | OFlags::NOCTTY)
    }

    /// Opens a directory.
    pub(super) fn directory(&mut self, path: &CStr) -> Result<OwnedFd, Errno> {
        self.below(path, OFlags::DIRECTORY)
    }

    fn below(&mut self, path: &CStr, more: OFlags) -> Result<OwnedFd, Errno> {
        let flags = OFlags::RDONLY | more;
        let open = |flags| open_beneath(self.root.as_fd(), path, flags, Mode::empty());
        if !self.noatime {
            return open(flags);
        }
        match open(flags | OFlags::NOATIME) {
            // Only the owner and root may; where the plain open is refused too, it was something else.
            Err(Errno::PERM) => {
                let opened = open(flags)?;
                self.noatime = false;
                Ok(opened)
            }
            opened => opened,
        }
    }
}

fn refused(directory: &str, errno: Errno) -> Failure {
    let (cause, next) = match errno {
        Errno::NOENT => ("it does not exist", "name the directory whose files are to be backed up".into()),
        Errno::NOTDIR => ("it is no directory", "name the directory that it is in".into()),
        Errno::ACCESS | Errno::PERM => ("this user may not", format!("ls -ld {directory}; or run as root")),
        _ => ("the kernel refused", "dmesg | tail".into()),
    };
    let what = format!("{directory} cannot be opened: {errno}");
    match errno {
        Errno::NOENT | Errno::NOTDIR => Failure::job("target", what, cause, next),
        _ => Failure::system("target.open", Some(errno.raw_os_error()), what, cause, next),
    }
}
