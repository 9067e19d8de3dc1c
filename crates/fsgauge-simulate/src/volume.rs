//! What a life is lived on: a file system on one device, or several with files striped over them.

use fsgauge_alloc::Placement;
use fsgauge_alloc::free_map::Run;
use fsgauge_alloc::policy::Extent;
use fsgauge_wire::{Outcome, SimulateJob, SimulatedPolicy};

use crate::file_system::{Change, FileSystem};
use crate::striped::Striped;

/// File systems in memory.
pub(crate) enum Volume {
    One(FileSystem),
    /// Several of one kind, with files striped over them.
    Striped(Striped),
}

impl Volume {
    /// An empty one, as the job says. `placement` is that of the logs to come, where space is allocated without data.
    pub(crate) fn new(job: &SimulateJob, placement: Option<Placement>) -> Outcome<Self> {
        if job.devices == 1 {
            return Ok(Volume::One(FileSystem::new(job, placement)?));
        }
        let of_devices: Outcome<Vec<FileSystem>> =
            (0..job.devices).map(|_| FileSystem::new(job, placement)).collect();
        let device_blocks = job.size_bytes / u64::from(job.block_size_bytes);
        Ok(Volume::Striped(Striped::new(of_devices?, device_blocks, job.stripe_bytes)))
    }

    /// Whether space is allocated as fallocate(2) does it.
    pub(crate) fn is_allocated_whole(&self) -> bool {
        matches!(self, Volume::One(one) if one.is_allocated_whole())
    }

    /// How well its model is proven.
    pub(crate) fn proof(&self, policy: &SimulatedPolicy) -> String {
        match self {
            Volume::One(one) => one.proof(policy),
            Volume::Striped(striped) => striped.file_systems()[0].proof(policy),
        }
    }

    /// Carries out an operation; false if there was no space for all of it.
    pub(crate) fn apply(&mut self, change: Change) -> bool {
        match self {
            Volume::One(one) => one.apply(change),
            Volume::Striped(striped) => striped.apply(change),
        }
    }

    /// The files of a stream lie in a directory that others have as well.
    pub(crate) fn lies_in(&mut self, stream: u32, directory: u32) {
        match self {
            Volume::One(one) => one.lies_in(stream, directory),
            Volume::Striped(striped) => striped.lies_in(stream, directory),
        }
    }

    /// The file is closed by who wrote it, which gives back what was set aside for it.
    pub(crate) fn close(&mut self, change: Change) {
        match self {
            Volume::One(one) => one.close(change),
            Volume::Striped(striped) => striped.close(change),
        }
    }

    /// What was just written of a file is allocated: it does not wait in memory. False if there was no space for all.
    pub(crate) fn allocate_at_once(&mut self, change: Change) -> bool {
        match self {
            Volume::One(one) => one.allocate_at_once(change),
            Volume::Striped(striped) => striped.allocate_at_once(change),
        }
    }

    /// What waits in memory is allocated, and what was freed can be taken again; false if there was no space for all.
    pub(crate) fn sync(&mut self) -> bool {
        match self {
            Volume::One(one) => one.sync(),
            Volume::Striped(striped) => striped.sync(),
        }
    }

    /// Blocks that files can still take.
    pub(crate) fn free_blocks(&self) -> u64 {
        match self {
            Volume::One(one) => one.free_blocks(),
            Volume::Striped(striped) => striped.file_systems().iter().map(FileSystem::free_blocks).sum(),
        }
    }

    /// Blocks that files of others than root can still take.
    pub(crate) fn available_blocks(&self) -> u64 {
        match self {
            Volume::One(one) => one.available_blocks(),
            Volume::Striped(striped) => striped.file_systems().iter().map(FileSystem::available_blocks).sum(),
        }
    }

    /// The extents of a file, in the order of its blocks.
    pub(crate) fn extents(&self, file: u32) -> Vec<Extent> {
        match self {
            Volume::One(one) => one.extents(file),
            Volume::Striped(striped) => striped.extents(file),
        }
    }

    /// Blocks that a file has.
    pub(crate) fn allocated_blocks(&self, file: u32) -> u64 {
        self.extents(file).iter().map(|extent| u64::from(extent.blocks)).sum()
    }

    /// Free runs, those that touch at the border of groups as one.
    pub(crate) fn free_runs(&self, found: &mut dyn FnMut(Run)) {
        match self {
            Volume::One(one) => one.free_runs(found),
            Volume::Striped(striped) => striped.free_runs(found),
        }
    }
}
