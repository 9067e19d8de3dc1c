//! What a target stands on: its folder, or its device and the claim on it. It is resolved once, and every file of
//! the target is reached from there, by each job and to the end.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;

use fsgauge_door::{Folder, reopen};
use fsgauge_wire::{Failure, Target};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use super::{block, directory_of, open_failure, path_of};

/// Where a target's files or its device are.
#[derive(Debug, Clone, Default)]
pub(crate) enum Ground {
    /// It has no files on this machine.
    #[default]
    None,
    /// Files lie in it.
    Folder(Arc<Folder>),
    /// The device; with a claim where it is written and nobody else holds one.
    Device(Arc<OwnedFd>),
}

impl Ground {
    /// Enters the target's folder, or claims its device, for as long as the ground is kept.
    pub(crate) fn of(target: &Target, writes: bool) -> Result<Self, Failure> {
        if let Target::Block { path, offset_bytes, size_bytes } = target {
            let claimed = block::claim(path, *offset_bytes, *size_bytes, writes)?;
            return Ok(Ground::Device(Arc::new(claimed)));
        }
        let Some(directory) = directory_of(target) else { return Ok(Ground::None) };
        let entered = Folder::enter(&directory).map_err(|errno| open_failure(&directory, errno, false))?;
        Ok(Ground::Folder(Arc::new(entered)))
    }

    /// The ground of a target that another process has passed on.
    pub(crate) fn passed_on(target: &Target, open: OwnedFd) -> Self {
        match directory_of(target) {
            Some(directory) => Ground::Folder(Arc::new(Folder::passed_on(&directory, open))),
            None => Ground::Device(Arc::new(open)),
        }
    }

    /// What is open, to pass it on.
    pub(crate) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        match self {
            Ground::None => None,
            Ground::Folder(folder) => Some(folder.as_fd()),
            Ground::Device(device) => Some(device.as_fd()),
        }
    }

    /// The folder, where the target has files.
    pub(crate) fn folder(&self) -> Option<&Arc<Folder>> {
        match self {
            Ground::Folder(folder) => Some(folder),
            Ground::None | Ground::Device(_) => None,
        }
    }

    /// Whether file `number` of a target that has files is not there.
    pub(crate) fn lacks(&self, target: &Target, number: u32) -> bool {
        let found = self.folder().map(|folder| folder.stat(folder.name_of(&path_of(target, number))));
        matches!(found, Some(Err(Errno::NOENT)))
    }

    /// Opens file `number` of the target, or its device.
    pub(crate) fn open(&self, target: &Target, number: u32, flags: OFlags) -> Result<OwnedFd, Errno> {
        // Others may read what is made, nobody else may write it.
        let permissions = Mode::RUSR | Mode::WUSR | Mode::RGRP | Mode::ROTH;
        match self {
            Ground::None => Err(Errno::NODEV),
            Ground::Folder(folder) => {
                folder.open_file(folder.name_of(&path_of(target, number)), flags, permissions)
            }
            Ground::Device(device) => reopen(device, flags),
        }
    }
}
