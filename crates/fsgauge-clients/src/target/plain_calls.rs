//! Requests as plain system calls, in the calling thread.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::path::Path;

use fsgauge_net::{Answer, Request};
use fsgauge_wire::{Failure, Outcome};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawDir, StatxFlags, fstatfs, fsync, mkdirat, open, openat, renameat,
    statat, statx, unlinkat,
};
use rustix::io::{Errno, pread, pwrite};

use super::handle::{close, file_of, handle_of};

/// How often in a row a call that a signal interrupts is made again.
const INTERRUPT_LIMIT: u32 = 1000;
/// A directory with more names is taken for a damaged one that has no end.
const NAME_LIMIT: i64 = 1 << 30;
/// Names of one call of getdents(2), as the C library has it.
const LISTING_BYTES: usize = 32 << 10;

/// File systems that keep files in the page cache alone (linux/magic.h: TMPFS_MAGIC, RAMFS_MAGIC).
const IN_MEMORY: [u64; 2] = [0x0102_1994, 0x8584_58f6];

pub(super) const NEW_FILE: OFlags =
    OFlags::CREATE.union(OFlags::EXCL).union(OFlags::WRONLY).union(OFlags::CLOEXEC);
pub(super) const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR).union(Mode::RGRP).union(Mode::ROTH);
pub(super) const DIRECTORY_MODE: Mode =
    Mode::RWXU.union(Mode::RGRP).union(Mode::XGRP).union(Mode::ROTH).union(Mode::XOTH);

/// How a file that exists is opened.
#[inline]
pub(super) fn open_flags(write: bool) -> OFlags {
    OFlags::CLOEXEC | if write { OFlags::WRONLY } else { OFlags::RDONLY }
}

/// The calls below one directory.
#[derive(Debug)]
pub(super) struct PlainCalls {
    root: OwnedFd,
    listing: Box<[MaybeUninit<u8>]>,
}

impl PlainCalls {
    /// Opens the directory that paths are relative to.
    pub(super) fn new(root: &Path) -> Outcome<Self> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let root = open(root, flags, Mode::empty()).map_err(|errno| root_failure(root, errno))?;
        Ok(PlainCalls { root, listing: Box::new_uninit_slice(LISTING_BYTES) })
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
    #[inline]
    pub(super) fn answer(&mut self, request: &Request<'_>, record: &mut [u8]) -> Answer {
        let root = &self.root;
        match *request {
            Request::MakeDirectory { path } => {
                match uninterrupted(|| mkdirat(root, path, DIRECTORY_MODE).map(|()| 0)) {
                    EXISTS => self.directory_that_exists(path),
                    answer => answer,
                }
            }
            Request::Create { path } => uninterrupted(|| {
                openat(root, path, NEW_FILE, FILE_MODE).map(|file| handle_of(file) as Answer)
            }),
            Request::Open { path, write } => uninterrupted(|| {
                openat(root, path, open_flags(write), Mode::empty()).map(|file| handle_of(file) as Answer)
            }),
            Request::Read { handle, offset_bytes, size_bytes } => {
                let record = &mut record[..size_bytes as usize];
                uninterrupted(|| {
                    pread(file_of(handle), &mut *record, offset_bytes).map(|bytes: usize| bytes as Answer)
                })
            }
            Request::Write { handle, offset_bytes, data } => write_all(handle, offset_bytes, data),
            Request::Fsync { handle } => uninterrupted(|| fsync(file_of(handle)).map(|()| 0)),
            Request::Close { handle } => close(handle),
            Request::Stat { path } => uninterrupted(|| {
                statx(root, path, AtFlags::empty(), StatxFlags::BASIC_STATS)
                    .map(|status| status.stx_size as Answer)
            }),
            Request::List { path } => self.read_directory(path, &mut |_| ()),
            Request::Rename { from, to } => uninterrupted(|| renameat(root, from, root, to).map(|()| 0)),
            Request::Unlink { path } => uninterrupted(|| unlinkat(root, path, AtFlags::empty()).map(|()| 0)),
            Request::RemoveDirectory { path } => {
                uninterrupted(|| unlinkat(root, path, AtFlags::REMOVEDIR).map(|()| 0))
            }
            Request::Null => 0,
        }
    }

    /// The answer to making a directory whose name is taken: fine if it is a directory.
    #[cold]
    pub(super) fn directory_that_exists(&self, path: &CStr) -> Answer {
        match statat(&self.root, path, AtFlags::empty()) {
            Ok(status) if FileType::from_raw_mode(status.st_mode).is_dir() => 0,
            _ => EXISTS,
        }
    }

    /// Reads a directory whole: how many names it has, or a negative error number.
    pub(super) fn read_directory(&mut self, path: &CStr, each: &mut dyn FnMut(&CStr)) -> Answer {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        let directory = match uninterrupted_call(|| openat(&self.root, path, flags, Mode::empty())) {
            Ok(directory) => directory,
            Err(errno) => return negative(errno),
        };
        let mut entries = RawDir::new(&directory, &mut self.listing);
        let (mut names, mut interrupts) = (0, 0);
        while let Some(entry) = entries.next() {
            match entry {
                Ok(entry) if matches!(entry.file_name().to_bytes(), b"." | b"..") => {}
                Ok(entry) => {
                    names += 1;
                    each(entry.file_name());
                }
                Err(Errno::INTR) if interrupts < INTERRUPT_LIMIT => interrupts += 1,
                Err(errno) => return negative(errno),
            }
            if names > NAME_LIMIT {
                return negative(Errno::OVERFLOW);
            }
        }
        names
    }
}

const EXISTS: Answer = -(libc::EEXIST as Answer);

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

#[inline]
fn uninterrupted(call: impl FnMut() -> Result<Answer, Errno>) -> Answer {
    uninterrupted_call(call).unwrap_or_else(negative)
}

/// Makes a call again that a signal interrupted.
#[inline]
fn uninterrupted_call<T>(mut call: impl FnMut() -> Result<T, Errno>) -> Result<T, Errno> {
    for _ in 0..INTERRUPT_LIMIT {
        match call() {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
    Err(Errno::INTR)
}

fn negative(errno: Errno) -> Answer {
    -Answer::from(errno.raw_os_error())
}

fn root_failure(root: &Path, errno: Errno) -> Failure {
    let shown = root.display();
    let (cause, next) = match errno {
        Errno::NOENT => ("it does not exist", format!("mkdir -p {shown}")),
        Errno::NOTDIR => ("it is no directory", "name a directory".into()),
        Errno::ACCESS | Errno::PERM => ("this user may not", format!("ls -ld {shown}; or run as root")),
        Errno::MFILE | Errno::NFILE => ("too many files are open", "ulimit -n 65536".into()),
        _ => ("the kernel refused it", "dmesg | tail".into()),
    };
    let what = format!("the directory {shown} cannot be opened: {errno}");
    Failure::system("target.open", Some(errno.raw_os_error()), what, cause, next)
}
