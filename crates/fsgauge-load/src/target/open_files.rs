//! The files of a target as a job has them open: found by their number, closed with the last who uses them.

use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd, OwnedFd, RawFd};
use std::sync::Arc;

use fsgauge_wire::{Failure, Target};
use rustix::io::Errno;

use super::close::close;
use super::{Geometry, Ground, OpenMode, open, open_number};

/// Open files by number; a job that uses some of them has holes in place of the others.
#[derive(Debug, Clone, Default)]
pub(crate) struct OpenFiles {
    files: Vec<Option<Arc<OwnedFd>>>,
}

impl From<Vec<OwnedFd>> for OpenFiles {
    /// Takes files that are open already, in the order of their numbers.
    fn from(files: Vec<OwnedFd>) -> Self {
        OpenFiles { files: files.into_iter().map(|file| Some(Arc::new(file))).collect() }
    }
}

impl OpenFiles {
    /// Opens every file. The null target has none.
    pub(crate) fn all(target: &Target, ground: &Ground, mode: OpenMode) -> Result<Self, Failure> {
        open(target, ground, mode).map(OpenFiles::from)
    }

    /// Opens the files of these numbers alone.
    pub(crate) fn some(
        target: &Target,
        ground: &Ground,
        numbers: Range<u32>,
        mode: OpenMode,
    ) -> Result<Self, Failure> {
        let mut files = vec![None; Geometry::of(target).files as usize];
        if !matches!(ground, Ground::None) {
            for number in numbers {
                files[number as usize] = Some(Arc::new(open_number(target, ground, number, mode)?));
            }
        }
        Ok(OpenFiles { files })
    }

    /// The files of these numbers alone, as they are open here.
    pub(crate) fn only(&self, numbers: Range<u32>) -> Self {
        let keep = |(index, file): (usize, &Option<Arc<OwnedFd>>)| {
            file.clone().filter(|_| numbers.contains(&(index as u32)))
        };
        OpenFiles { files: self.files.iter().enumerate().map(keep).collect() }
    }

    /// The descriptor of each number; -1, which io_uring takes as a hole too, where there is none.
    pub(crate) fn descriptors(&self) -> Vec<RawFd> {
        self.files.iter().map(|file| file.as_ref().map_or(-1, AsRawFd::as_raw_fd)).collect()
    }

    /// Closes every file that nobody else has. The first error is given when all are closed.
    pub(crate) fn close(self) -> Result<(), Errno> {
        let own = self.files.into_iter().flatten().filter_map(Arc::into_inner);
        own.map(close).fold(Ok(()), Result::and)
    }

    /// The files that are open.
    pub(crate) fn iter(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.files.iter().flatten().map(|file| std::os::fd::AsFd::as_fd(file.as_ref()))
    }
}
