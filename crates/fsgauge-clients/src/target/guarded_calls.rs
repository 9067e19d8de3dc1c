//! Requests in a folder where others may change names: each name is looked up without links and mounts, and what is
//! opened is looked at before it is used. It costs two more calls for most requests, and is for such folders alone.

use std::ffi::{CStr, OsStr};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use fsgauge_door::Folder;
use fsgauge_net::{Answer, Request};
use rustix::fs::{FileType, Mode};

use super::handle::handle_of;
use super::interrupted::{EXISTS, uninterrupted};
use super::modes::{DIRECTORY_MODE, FILE_MODE, NEW_FILE, open_flags};

/// The calls.
#[derive(Debug)]
pub(super) struct GuardedCalls {
    folder: Folder,
}

impl GuardedCalls {
    /// Below a folder that was opened once more.
    pub(super) fn new(folder: &Folder, root: OwnedFd) -> Self {
        GuardedCalls { folder: Folder::passed_on(folder.path(), root) }
    }

    /// Does what a request asks for; none where it asks by no name, or for the names of a directory.
    pub(super) fn answer(&self, request: &Request<'_>) -> Option<Answer> {
        let folder = &self.folder;
        Some(match *request {
            Request::MakeDirectory { path } => {
                match uninterrupted(|| folder.make_directory(name(path), DIRECTORY_MODE).map(|()| 0)) {
                    EXISTS => self.directory_that_exists(path),
                    answer => answer,
                }
            }
            Request::Create { path } => uninterrupted(|| {
                folder.open(name(path), NEW_FILE, FILE_MODE).map(|file| handle_of(file) as Answer)
            }),
            Request::Open { path, write } => uninterrupted(|| {
                let file = folder.open_file(name(path), open_flags(write), Mode::empty())?;
                Ok(handle_of(file) as Answer)
            }),
            Request::Stat { path } => {
                uninterrupted(|| folder.stat(name(path)).map(|status| status.st_size as Answer))
            }
            Request::Rename { from, to } => uninterrupted(|| folder.rename(name(from), name(to)).map(|()| 0)),
            Request::Unlink { path } => uninterrupted(|| folder.remove_file(name(path)).map(|()| 0)),
            Request::RemoveDirectory { path } => {
                uninterrupted(|| folder.remove_directory(name(path)).map(|()| 0))
            }
            Request::Read { .. }
            | Request::Write { .. }
            | Request::Fsync { .. }
            | Request::Close { .. }
            | Request::List { .. }
            | Request::Null => return None,
        })
    }

    /// The answer to making a directory whose name is taken. Whatever it is, each name in it is looked up anew.
    #[cold]
    fn directory_that_exists(&self, path: &CStr) -> Answer {
        let found = self.folder.stat(name(path));
        let is_directory = found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_dir());
        if is_directory { 0 } else { EXISTS }
    }
}

fn name(path: &CStr) -> &Path {
    Path::new(OsStr::from_bytes(path.to_bytes()))
}
