//! Requests as plain system calls, in the calling thread.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use fsgauge_door::{Folder, open_beneath};
use fsgauge_net::{Answer, Request};
use fsgauge_wire::{Failure, Outcome};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat, fstat, fstatfs, fsync, mkdirat, openat, renameat, statat, unlinkat,
};
use rustix::io::{Errno, pread, pwrite};

use super::entered::Entered;
use super::guarded_calls::GuardedCalls;
use super::handle::{close, file_of, handle_of};
use super::interrupted::{EXISTS, negative, uninterrupted, uninterrupted_call};
use super::modes::{DIRECTORY_MODE, FILE_MODE, NEW_FILE, open_flags};
use super::names_of_call::{NAMES_BYTES, names_of_call};

/// A directory with more names is taken for a damaged one that has no end.
const NAME_LIMIT: u32 = 1 << 30;

/// File systems that keep files in the page cache alone (linux/magic.h: TMPFS_MAGIC, RAMFS_MAGIC).
const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];

/// The calls below one directory.
///
/// Where nobody else can change names in it, a name leads where it led: what lies below was made by this user, and is
/// no link. In any other directory each name is looked up by calls that cannot be misled ([`guarded_calls`]).
///
/// [`guarded_calls`]: super::guarded_calls
#[derive(Debug)]
pub(super) struct PlainCalls {
    root: OwnedFd,
    /// The directory in which paths are looked up, where there is one.
    entered: Option<Entered>,
    guarded: Option<GuardedCalls>,
    names: Box<[MaybeUninit<u8>]>,
}

impl PlainCalls {
    /// Opens the folder once more: threads that have one open file together wait for each other.
    pub(super) fn new(folder: &Folder) -> Outcome<Self> {
        let open = || folder.reopen().map_err(|errno| root_failure(folder, errno));
        let root = open()?;
        let guarded = if folder.is_private() { None } else { Some(GuardedCalls::new(folder, open()?)) };
        Ok(PlainCalls { root, entered: None, guarded, names: Box::new_uninit_slice(NAMES_BYTES) })
    }

    /// Whether others may change names here.
    pub(super) fn is_guarded(&self) -> bool {
        self.guarded.is_some()
    }

    /// Looks up what lies in this directory from there from now on; where it cannot be opened, all paths as before.
    pub(super) fn enter(&mut self, path: &CStr) {
        if self.is_guarded() {
            return;
        }
        self.entered = self.open_directory(path).ok().map(|directory| Entered::new(path, directory));
    }

    /// Where a path is looked up, and what is then left of it.
    #[inline]
    fn place<'path>(&self, path: &'path CStr) -> (BorrowedFd<'_>, &'path CStr) {
        let inside = self.entered.as_ref().and_then(|entered| entered.place(path));
        inside.unwrap_or((self.root.as_fd(), path))
    }

    /// The directory that paths are relative to.
    pub(super) fn root(&self) -> &OwnedFd {
        &self.root
    }

    /// Whether files lie in memory and nowhere else. What cannot be told lies on a device.
    pub(super) fn is_in_memory(&self) -> bool {
        fstatfs(&self.root).is_ok_and(|found| IN_MEMORY.contains(&(found.f_type as u64)))
    }

    /// Does what a request asks for. `record` is what a read fills.
    #[inline(always)]
    pub(super) fn answer(&mut self, request: &Request<'_>, record: &mut [u8]) -> Answer {
        if let Some(guarded) = &self.guarded
            && let Some(answer) = guarded.answer(request)
        {
            return answer;
        }
        match *request {
            Request::MakeDirectory { path } => {
                match uninterrupted(|| mkdirat(&self.root, path, DIRECTORY_MODE).map(|()| 0)) {
                    EXISTS => self.directory_that_exists(path),
                    answer => answer,
                }
            }
            Request::Create { path } => self.open(path, NEW_FILE, FILE_MODE),
            Request::Open { path, write } => self.open(path, open_flags(write), Mode::empty()),
            Request::Read { handle, offset_bytes, size_bytes } => {
                let record = &mut record[..size_bytes as usize];
                uninterrupted(|| {
                    pread(file_of(handle), &mut *record, offset_bytes).map(|bytes: usize| bytes as Answer)
                })
            }
            Request::Write { handle, offset_bytes, data } => write_all(handle, offset_bytes, data),
            Request::Fsync { handle } => uninterrupted(|| fsync(file_of(handle)).map(|()| 0)),
            Request::Close { handle } => close(handle),
            Request::Stat { path } => {
                let (from, path) = self.place(path);
                let flags = AtFlags::SYMLINK_NOFOLLOW;
                uninterrupted(|| statat(from, path, flags).map(|status| status.st_size as Answer))
            }
            Request::List { path } => self.count_names(path),
            Request::Rename { from, to } => {
                let ((from_place, from), (to_place, to)) = (self.place(from), self.place(to));
                uninterrupted(|| renameat(from_place, from, to_place, to).map(|()| 0))
            }
            Request::Unlink { path } => {
                let (from, path) = self.place(path);
                uninterrupted(|| unlinkat(from, path, AtFlags::empty()).map(|()| 0))
            }
            Request::RemoveDirectory { path } => {
                uninterrupted(|| unlinkat(&self.root, path, AtFlags::REMOVEDIR).map(|()| 0))
            }
            Request::Null => 0,
        }
    }

    /// Opens a file: its handle.
    #[inline(always)]
    fn open(&self, path: &CStr, flags: OFlags, mode: Mode) -> Answer {
        let (from, path) = self.place(path);
        uninterrupted(|| openat(from, path, flags, mode).map(|file| handle_of(file) as Answer))
    }

    /// The answer to making a directory whose name is taken: fine if it is a directory of the same user, in which
    /// nobody else can change names.
    #[cold]
    pub(super) fn directory_that_exists(&self, path: &CStr) -> Answer {
        let found = statat(&self.root, path, AtFlags::SYMLINK_NOFOLLOW);
        match (found, fstat(&self.root)) {
            (Ok(found), Ok(root)) if is_directory_of(&found, root.st_uid) => 0,
            _ => EXISTS,
        }
    }

    /// Opens a directory, to read its names.
    pub(super) fn open_directory(&self, path: &CStr) -> Result<OwnedFd, Answer> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = || match self.guarded {
            None => openat(&self.root, path, flags, Mode::empty()),
            Some(_) => open_beneath(self.root.as_fd(), path, flags, Mode::empty()),
        };
        uninterrupted_call(open).map_err(negative)
    }

    /// The names that one call gives; see [`fsgauge_net::Target::read_names`].
    pub(super) fn read_names(
        &mut self,
        directory: &OwnedFd,
        each: &mut dyn FnMut(&CStr),
    ) -> Result<Option<u32>, Answer> {
        names_of_call(directory, &mut self.names, each).map_err(negative)
    }

    /// Reads a directory whole: how many names it has.
    fn count_names(&mut self, path: &CStr) -> Answer {
        let directory = match self.open_directory(path) {
            Ok(directory) => directory,
            Err(answer) => return answer,
        };
        let mut names: u32 = 0;
        loop {
            match self.read_names(&directory, &mut |_| ()) {
                Ok(None) => return Answer::from(names),
                Ok(Some(more)) => names += more,
                Err(answer) => return answer,
            }
            if names > NAME_LIMIT {
                return negative(Errno::OVERFLOW);
            }
        }
    }
}

fn is_directory_of(found: &Stat, user: u32) -> bool {
    let others_write = Mode::WGRP | Mode::WOTH;
    FileType::from_raw_mode(found.st_mode).is_dir()
        && found.st_uid == user
        && !Mode::from_raw_mode(found.st_mode).intersects(others_write)
}

/// Writes all of a record. One write(2) that comes back short is continued, so that what stopped it shows: the
/// answer is the record's size or an error.
pub(super) fn write_all(handle: u64, offset_bytes: u64, record: &[u8]) -> Answer {
    let mut written = 0;
    loop {
        let place = offset_bytes + written as u64;
        let rest = &record[written..];
        match uninterrupted(|| pwrite(file_of(handle), rest, place).map(|bytes| bytes as Answer)) {
            // Nothing taken and no error: no file system does this, and it must not be tried for ever.
            0 => return written as Answer,
            bytes if bytes < 0 => return bytes,
            bytes => written += bytes as usize,
        }
        if written >= record.len() {
            return written as Answer;
        }
    }
}

fn root_failure(folder: &Folder, errno: Errno) -> Failure {
    let what = format!("the directory {} cannot be opened again: {errno}", folder.path().display());
    let (cause, next) = match errno {
        Errno::MFILE | Errno::NFILE => ("too many files are open", "ulimit -n 65536"),
        _ => ("the kernel refused it", "dmesg | tail"),
    };
    Failure::system("target.open", Some(errno.raw_os_error()), what, cause, next)
}
