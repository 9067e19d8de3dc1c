//! A folder that was resolved once: what lies below is reached from here.

use std::ffi::OsStr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat, fcntl_getfl, fcntl_setfl, fstat, fsync, mkdirat, renameat, statat,
    unlinkat,
};
use rustix::io::{Errno, Result};
use rustix::process::geteuid;

use crate::beneath;
use crate::held::{Place, reach};
use crate::reopen::{open_named, reopen};

/// The folder, open for reading.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    root: OwnedFd,
    /// Its caller holds it, and has looked whose it is.
    is_held: bool,
}

impl Folder {
    /// Enters the folder that a user names. Its name may have links in it, and is resolved here and never again; a
    /// place that is held has no name to resolve.
    pub fn enter(path: &Path) -> Result<Self> {
        let root = open_named(path, OFlags::DIRECTORY | OFlags::RDONLY)?;
        let is_held = !matches!(reach(path), Place::Named(_));
        Ok(Folder { path: path.to_path_buf(), root, is_held })
    }

    /// One that another process has entered and passed on.
    pub fn passed_on(path: &Path, root: OwnedFd) -> Self {
        Folder { path: path.to_path_buf(), root, is_held: false }
    }

    /// As a person knows it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What a path below it is called from here; a path that is not below it stays as it is, and opens nothing.
    pub fn name_of<'path>(&self, path: &'path Path) -> &'path Path {
        path.strip_prefix(&self.path).unwrap_or(path)
    }

    /// The folder itself, open once more.
    pub fn reopen(&self) -> Result<OwnedFd> {
        reopen(&self.root, OFlags::DIRECTORY | OFlags::RDONLY)
    }

    /// Whether nobody but this user can rename or plant what lies directly in it.
    pub fn is_private(&self) -> bool {
        self.is_ours_without(Mode::WGRP | Mode::WOTH)
    }

    fn is_ours_without(&self, rights: Mode) -> bool {
        fstat(&self.root).is_ok_and(|found| {
            let is_ours = self.is_held || found.st_uid == geteuid().as_raw();
            is_ours && !Mode::from_raw_mode(found.st_mode).intersects(rights)
        })
    }

    /// Opens what lies below it.
    pub fn open(&self, name: impl AsRef<Path>, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
        beneath::open(self.root.as_fd(), name.as_ref(), flags, mode)
    }

    /// Opens a file below it, or a device. A pipe or a directory is refused (ENXIO, EISDIR) and not waited for, and
    /// so is writing to a file with a second name (EMLINK), which may be another's file. In a folder that nobody else
    /// can enter (0700) the name is ours: hosts of a fleet share their files by such names.
    pub fn open_file(&self, name: impl AsRef<Path>, flags: OFlags, mode: Mode) -> Result<OwnedFd> {
        let file = self.open(name, flags | OFlags::NONBLOCK | OFlags::NOCTTY, mode)?;
        let found = fstat(&file)?;
        if found.st_nlink > 1 && !self.is_ours_without(Mode::RWXG | Mode::RWXO) {
            require_one_name(&found, flags)?;
        }
        require_file(&found)?;
        // io_uring answers EAGAIN on files that are not to be waited for.
        fcntl_setfl(&file, fcntl_getfl(&file)?.difference(OFlags::NONBLOCK))?;
        Ok(file)
    }

    /// What lies below it; of a link, the link.
    pub fn stat(&self, name: impl AsRef<Path>) -> Result<Stat> {
        self.at(name.as_ref(), |parent, name| statat(parent, name, AtFlags::SYMLINK_NOFOLLOW))
    }

    /// Removes a file.
    pub fn remove_file(&self, name: impl AsRef<Path>) -> Result<()> {
        self.at(name.as_ref(), |parent, name| unlinkat(parent, name, AtFlags::empty()))
    }

    /// Removes an empty directory.
    pub fn remove_directory(&self, name: impl AsRef<Path>) -> Result<()> {
        self.at(name.as_ref(), |parent, name| unlinkat(parent, name, AtFlags::REMOVEDIR))
    }

    /// Makes a directory.
    pub fn make_directory(&self, name: impl AsRef<Path>, mode: Mode) -> Result<()> {
        self.at(name.as_ref(), |parent, name| mkdirat(parent, name, mode))
    }

    /// Gives a file another name below the folder.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<()> {
        self.at(from.as_ref(), |from_parent, from| {
            self.at(to.as_ref(), |to_parent, to| renameat(from_parent, from, to_parent, to))
        })
    }

    /// Makes the names in it durable.
    pub fn sync(&self) -> Result<()> {
        fsync(&self.root)
    }

    fn at<T>(&self, path: &Path, call: impl FnOnce(BorrowedFd<'_>, &OsStr) -> Result<T>) -> Result<T> {
        let (parent, name) = beneath::parent(self.root.as_fd(), path)?;
        call(parent.as_ref().map_or(self.root.as_fd(), AsFd::as_fd), name)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.root.as_fd()
    }
}

fn require_one_name(found: &Stat, flags: OFlags) -> Result<()> {
    let writes = flags.intersects(OFlags::WRONLY | OFlags::RDWR);
    let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
    if writes && is_file { Err(Errno::MLINK) } else { Ok(()) }
}

fn require_file(found: &Stat) -> Result<()> {
    match FileType::from_raw_mode(found.st_mode) {
        FileType::RegularFile | FileType::BlockDevice | FileType::CharacterDevice => Ok(()),
        FileType::Directory => Err(Errno::ISDIR),
        _ => Err(Errno::NXIO),
    }
}
