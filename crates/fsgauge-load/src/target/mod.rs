//! The target: what the I/O goes to, opened and checked.

mod alignment;
mod block;
mod close;
mod file;
mod ground;
mod name;
mod on_share;
mod open_files;

pub(crate) use alignment::required_alignment;
pub(crate) use file::{DSYNC, allow_open_files};
pub(crate) use ground::Ground;
pub(crate) use name::{describe_io_failure, directory_of, open_failure, path_of};
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
pub(crate) fn open(target: &Target, ground: &Ground, mode: OpenMode) -> Result<Vec<OwnedFd>, Failure> {
    let count = if matches!(ground, Ground::None) { 0 } else { Geometry::of(target).files };
    file::allow_open_files(count);
    (0..count).map(|number| open_number(target, ground, number, mode)).collect()
}

/// Opens the first file of a target, to ask it what it can do. The null target has none.
pub(crate) fn open_first(
    target: &Target,
    ground: &Ground,
    mode: OpenMode,
) -> Result<Option<OwnedFd>, Failure> {
    match ground {
        Ground::None => Ok(None),
        Ground::Folder(_) | Ground::Device(_) => open_number(target, ground, 0, mode).map(Some),
    }
}

/// Opens file `number` of a target that has files of this machine.
fn open_number(target: &Target, ground: &Ground, number: u32, mode: OpenMode) -> Result<OwnedFd, Failure> {
    // A device was measured with its claim.
    let size_bytes = match ground {
        Ground::Device(_) | Ground::None => 0,
        Ground::Folder(_) => Geometry::of(target).file_size_bytes,
    };
    file::open(target, ground, (number, size_bytes), mode)
}

/// Empties every file of a target, and makes that durable: freeing the space is no part of what follows.
/// Files that are missing are made. Devices, the null target and what is on a share stay as they are.
pub(crate) fn empty(target: &Target, ground: &Ground, preallocate: bool) -> Result<(), Failure> {
    if ground.folder().is_none() {
        return Ok(());
    }
    let Geometry { files, file_size_bytes, .. } = Geometry::of(target);
    let allocated_bytes = preallocate.then_some(file_size_bytes);
    (0..files).try_for_each(|number| file::empty(target, ground, number, allocated_bytes))
}
