//! The target: what the I/O goes to, opened and checked.

mod alignment;
mod block;
mod close;
mod file;
mod name;
mod on_share;
mod open_files;

pub(crate) use alignment::required_alignment;
pub(crate) use file::{allow_open_files, open_failure};
pub(crate) use name::{describe_io_failure, directory_of, path_of};
pub(crate) use on_share::{io_advice, path_in, shown};
pub(crate) use open_files::OpenFiles;

use std::os::fd::OwnedFd;

use fsgauge_wire::{Failure, Target};

/// The shape of a target: equal files, or one device as one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Geometry {
    pub(crate) files: u32,
    pub(crate) file_size_bytes: u64,
    /// Where the used part begins, in each file.
    pub(crate) base_bytes: u64,
}

impl Geometry {
    pub(crate) fn of(target: &Target) -> Self {
        let (files, file_size_bytes, base_bytes) = match target {
            Target::Null { size_bytes }
            | Target::File { size_bytes, .. }
            | Target::ShareFile { size_bytes, .. } => (1, *size_bytes, 0),
            Target::Block { offset_bytes, size_bytes, .. } => (1, *size_bytes, *offset_bytes),
            Target::Files { count, file_size_bytes, .. }
            | Target::ShareFiles { count, file_size_bytes, .. } => (*count, *file_size_bytes, 0),
        };
        Geometry { files, file_size_bytes, base_bytes }
    }
}

/// How a target is to be opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OpenMode {
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    pub(crate) direct: bool,
    pub(crate) noatime: bool,
    /// Whether each write is durable when it returns (O_DSYNC).
    pub(crate) dsync: bool,
    /// Files that are missing or too short are made, not refused.
    pub(crate) create: bool,
}

/// Opens every file of a target for one job. The null target has none, and those on a share are open in a session.
pub(crate) fn open(target: &Target, mode: OpenMode) -> Result<Vec<OwnedFd>, Failure> {
    match target {
        Target::Null { .. } | Target::ShareFiles { .. } | Target::ShareFile { .. } => Ok(Vec::new()),
        Target::Block { path, .. } => Ok(vec![block::open(path, mode)?]),
        Target::File { size_bytes, .. } => Ok(vec![file::open(target, 0, *size_bytes, mode)?]),
        Target::Files { count, file_size_bytes, .. } => {
            file::allow_open_files(*count);
            (0..*count).map(|index| file::open(target, index, *file_size_bytes, mode)).collect()
        }
    }
}

/// Opens the first file of a target, to ask it what it can do. The null target has none.
pub(crate) fn open_first(target: &Target, mode: OpenMode) -> Result<Option<OwnedFd>, Failure> {
    open_number(target, 0, mode)
}

/// Opens file `number` of a target, if that has files of this machine.
fn open_number(target: &Target, number: u32, mode: OpenMode) -> Result<Option<OwnedFd>, Failure> {
    match target {
        Target::Null { .. } | Target::ShareFiles { .. } | Target::ShareFile { .. } => Ok(None),
        Target::Block { path, .. } => block::open(path, mode).map(Some),
        Target::File { size_bytes, .. } => file::open(target, number, *size_bytes, mode).map(Some),
        Target::Files { file_size_bytes, .. } => file::open(target, number, *file_size_bytes, mode).map(Some),
    }
}

/// Empties every file of a target, and makes that durable: freeing the space is no part of what follows.
/// Files that are missing are made. Devices, the null target and what is on a share stay as they are.
pub(crate) fn empty(target: &Target, preallocate: bool) -> Result<(), Failure> {
    match target {
        Target::Null { .. } | Target::Block { .. } | Target::ShareFiles { .. } | Target::ShareFile { .. } => {
            Ok(())
        }
        Target::File { size_bytes, .. } => file::empty(target, 0, preallocate.then_some(*size_bytes)),
        Target::Files { count, file_size_bytes, .. } => {
            let allocated_bytes = preallocate.then_some(*file_size_bytes);
            (0..*count).try_for_each(|number| file::empty(target, number, allocated_bytes))
        }
    }
}

/// Claims a block device for as long as the claim is held, and checks that the part is in it. Other targets need
/// no claim.
pub(crate) fn claim(target: &Target, writes: bool) -> Result<Option<OwnedFd>, Failure> {
    match target {
        Target::Block { path, offset_bytes, size_bytes } => {
            block::claim(path, *offset_bytes, *size_bytes, writes)
        }
        _ => Ok(None),
    }
}
