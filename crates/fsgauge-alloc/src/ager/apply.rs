//! One operation of a log as system calls.

use fsgauge_wire::{AgeOperation, Stop};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, FileType, Mode as Permissions, OFlags, fstat, fsync, ftruncate, openat, unlinkat};
use rustix::io::Errno;

use super::counts::Counts;
use super::descriptors::Descriptors;
use super::directories::Directories;
use super::file_table::{FileState, FileTable};
use super::mode::{Mode, Part, Put, uninterrupted};
use super::name::Name;
use super::open_files::OpenFiles;
use crate::operation::{Operation, Placement};

/// What became of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Applied {
    /// So many bytes.
    Done(u64),
    /// Its file was never made, or has nothing there.
    Skipped,
    /// After so many bytes.
    Failed(Errno, u64),
    /// Somebody asked to stop, after so many bytes.
    Stopped(u64),
}

/// What is below the aged directory, and how it gets there.
pub(crate) struct Ager {
    pub(crate) directories: Directories,
    pub(crate) files: FileTable,
    pub(crate) counts: Counts,
    pub(crate) reopened: u64,
    open: OpenFiles,
    mode: Mode,
    stop: Stop,
}

impl Ager {
    pub(crate) fn new(root: OwnedFd, placement: Placement, mode: Mode, stop: Stop) -> Self {
        let Descriptors { directories, files } = super::descriptors::descriptors();
        Ager {
            directories: Directories::new(root, placement, directories),
            files: FileTable::default(),
            counts: Counts::default(),
            reopened: 0,
            open: OpenFiles::new(files),
            mode,
            stop,
        }
    }

    /// Carries out one operation and counts it.
    pub(crate) fn apply(&mut self, operation: &Operation) -> Applied {
        self.counts.operations += 1;
        let applied = self.carry_out(operation).unwrap_or_else(|errno| Applied::Failed(errno, 0));
        let kind = operation.kind;
        match applied {
            Applied::Done(size_bytes) => self.counts.done(kind, size_bytes),
            Applied::Skipped => self.counts.skipped(kind),
            Applied::Failed(errno, size_bytes) => self.counts.failed(kind, size_bytes, errno),
            Applied::Stopped(size_bytes) => self.counts.add_bytes(kind, size_bytes),
        }
        applied
    }

    fn carry_out(&mut self, operation: &Operation) -> Result<Applied, Errno> {
        let &Operation { stream, kind, file, offset_bytes, size_bytes, .. } = operation;
        if kind == AgeOperation::Create {
            return self.create(stream, file, size_bytes);
        }
        let Some(state) = self.files.get(file) else { return Ok(Applied::Skipped) };
        match kind {
            AgeOperation::Create => Ok(Applied::Skipped),
            AgeOperation::Append => {
                let part = Part { offset_bytes: state.size_bytes, size_bytes, file_bytes: state.size_bytes };
                self.put(stream, file, state, part)
            }
            AgeOperation::Overwrite => {
                // What the file system refused before is not there to be overwritten.
                let size_bytes = size_bytes.min(state.size_bytes.saturating_sub(offset_bytes));
                if size_bytes == 0 {
                    return Ok(Applied::Skipped);
                }
                self.put(stream, file, state, Part { offset_bytes, size_bytes, file_bytes: state.size_bytes })
            }
            AgeOperation::Truncate => self.truncate(stream, file, state, offset_bytes),
            AgeOperation::Delete => self.delete(stream, file, state),
            AgeOperation::Fsync => {
                self.opened(stream, file, state)?;
                let Some(descriptor) = self.open.get(stream, file) else { return Ok(Applied::Skipped) };
                fsync(descriptor)?;
                Ok(Applied::Done(0))
            }
        }
    }

    fn create(&mut self, stream: u32, file: u32, size_bytes: u64) -> Result<Applied, Errno> {
        if let Some(state) = self.files.get(file) {
            // Its delete was refused before.
            self.delete(stream, file, state)?;
        }
        self.open.close(stream);
        let directory = self.directories.with_room(stream)?;
        let descriptor = self.open_file(directory, file, OFlags::CREATE | OFlags::EXCL)?;
        if size_bytes == 0 {
            self.add(file, directory, 0);
            self.keep_open(stream, file, descriptor);
            return Ok(Applied::Done(0));
        }
        let part = Part { offset_bytes: 0, size_bytes, file_bytes: 0 };
        match self.mode.put(rustix::fd::AsFd::as_fd(&descriptor), part, self.stop) {
            Put::Done => {
                self.add(file, directory, size_bytes);
                Ok(Applied::Done(size_bytes))
            }
            Put::Stopped(done_bytes) => {
                self.add(file, directory, done_bytes);
                Ok(Applied::Stopped(done_bytes))
            }
            // As a program does whose file cannot be written: it goes again.
            Put::Refused(errno, done_bytes) => {
                drop(descriptor);
                if self.unlink(directory, file).is_err() {
                    self.add(file, directory, done_bytes);
                }
                Ok(Applied::Failed(errno, done_bytes))
            }
        }
    }

    fn put(&mut self, stream: u32, file: u32, state: FileState, part: Part) -> Result<Applied, Errno> {
        self.opened(stream, file, state)?;
        let Some(descriptor) = self.open.get(stream, file) else { return Ok(Applied::Skipped) };
        let (applied, done_bytes) = match self.mode.put(descriptor, part, self.stop) {
            Put::Done => (Applied::Done(part.size_bytes), part.size_bytes),
            Put::Refused(errno, done_bytes) => (Applied::Failed(errno, done_bytes), done_bytes),
            Put::Stopped(done_bytes) => (Applied::Stopped(done_bytes), done_bytes),
        };
        self.files.set_size(file, part.file_bytes.max(part.offset_bytes + done_bytes));
        Ok(applied)
    }

    fn truncate(
        &mut self,
        stream: u32,
        file: u32,
        state: FileState,
        to_bytes: u64,
    ) -> Result<Applied, Errno> {
        let to_bytes = to_bytes.min(state.size_bytes);
        self.opened(stream, file, state)?;
        let Some(descriptor) = self.open.get(stream, file) else { return Ok(Applied::Skipped) };
        uninterrupted(self.stop, || ftruncate(descriptor, to_bytes))?;
        self.files.set_size(file, to_bytes);
        Ok(Applied::Done(state.size_bytes - to_bytes))
    }

    fn delete(&mut self, stream: u32, file: u32, state: FileState) -> Result<Applied, Errno> {
        if self.open.get(stream, file).is_some() {
            self.open.close(stream);
        }
        let removed = self.unlink(state.directory, file);
        if matches!(removed, Ok(()) | Err(Errno::NOENT)) {
            self.directories.remove_file(state.directory);
            self.files.remove(file);
        }
        removed.map(|()| Applied::Done(state.size_bytes))
    }

    fn add(&mut self, file: u32, directory: u32, size_bytes: u64) {
        self.files.add(file, directory, size_bytes);
        self.directories.add_file(directory);
    }

    /// Sees to it that the stream has this file open.
    fn opened(&mut self, stream: u32, file: u32, state: FileState) -> Result<(), Errno> {
        if self.open.get(stream, file).is_some() {
            return Ok(());
        }
        let descriptor = self.open_file(state.directory, file, OFlags::empty())?;
        if state.closed_early {
            self.reopened += 1;
            self.files.set_closed_early(file, false);
        }
        self.keep_open(stream, file, descriptor);
        Ok(())
    }

    fn keep_open(&mut self, stream: u32, file: u32, descriptor: OwnedFd) {
        if let Some(closed) = self.open.keep(stream, file, descriptor) {
            self.files.set_closed_early(closed, true);
        }
    }

    fn unlink(&self, directory: u32, file: u32) -> Result<(), Errno> {
        unlinkat(self.directories.directory(directory)?, Name::file(file).as_c_str(), AtFlags::empty())
    }

    /// Creates a file that was not there, or opens one that was made in this run.
    fn open_file(&self, directory: u32, file: u32, flags: OFlags) -> Result<OwnedFd, Errno> {
        let wanted = flags | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | self.mode.open_flags();
        let directory = self.directories.directory(directory)?;
        let mode = Permissions::from_raw_mode(0o644);
        let opened = openat(directory, Name::file(file).as_c_str(), wanted, mode)?;
        if !flags.contains(OFlags::CREATE) {
            // A hard link to another's file would be written through.
            let found = fstat(&opened)?;
            let is_file = FileType::from_raw_mode(found.st_mode) == FileType::RegularFile;
            if !is_file || found.st_nlink != 1 {
                return Err(Errno::STALE);
            }
        }
        Ok(opened)
    }
}
