//! The file system that a policy works on, on one device: files alone, or ext4 with its inodes, directories and commits.
//!
//! ext4 is the second, as far as mke2fs makes one with its defaults. All others are files alone.

use fsgauge_alloc::Operation;
use fsgauge_alloc::Placement;
use fsgauge_alloc::ext4::{Ext4, Setting, Writing};
use fsgauge_alloc::free_map::{FreeMap, Run};
use fsgauge_alloc::life::{Habits, Life};
use fsgauge_alloc::policy::Extent;
use fsgauge_wire::{AgeOperation, Failure, Outcome, SimulateJob, SimulatedPolicy};

use crate::policy::{self, Made};
use crate::{folders, mke2fs, proof};

/// Directory hashes of ext4 are seeded; which seed it is makes no difference that counts.
const HASH_SEED: [u32; 4] = [0x6d6f_6465, 0x6c20_6f66, 0x2065_7874, 0x3400_0001];

/// A file system in memory.
pub(crate) enum FileSystem {
    /// Files and their extents.
    Files(Box<Life>),
    /// ext4 with all that takes blocks.
    Ext4(Box<Ext4>, Writing),
}

/// What a stream does to a file; others are made of these.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Change {
    pub(crate) stream: u32,
    pub(crate) file: u32,
    pub(crate) kind: AgeOperation,
    pub(crate) offset_bytes: u64,
    pub(crate) size_bytes: u64,
}

impl FileSystem {
    /// An empty one, as the job says. `placement` is that of the logs to come, where space is allocated without data.
    pub(crate) fn new(job: &SimulateJob, placement: Option<Placement>) -> Outcome<Self> {
        let blocks = job.size_bytes / u64::from(job.block_size_bytes);
        let cannot = |cause: String| {
            let what = format!("no device can be simulated with {} bytes", job.size_bytes);
            Failure::job("geometry", what, cause, "another size of the device, its blocks, or its groups")
        };
        let space = FreeMap::new(blocks, job.group_blocks).map_err(cannot)?;
        let Made { policy, reuse } = policy::made(&job.policy, &space)?;
        if let SimulatedPolicy::Ext4 { release, delays, processors, .. } = job.policy
            && mke2fs::has_geometry(job.size_bytes)
        {
            let writing = match placement {
                Some(_) => Writing::Allocated,
                None if delays => {
                    let largest_folio_blocks = policy::release_of(release).largest_folio_blocks();
                    Writing::Cached { largest_folio_blocks, joins_at_once: false }
                }
                None => Writing::BlockByBlock,
            };
            let geometry = mke2fs::geometry(job.size_bytes, HASH_SEED);
            let setting =
                Setting { placement: placement.unwrap_or(Placement::ByStream), processors, writing };
            let ext4 = Ext4::new(&geometry, policy, setting).map_err(cannot)?;
            return Ok(FileSystem::Ext4(Box::new(ext4), writing));
        }
        let habits = Habits { block_bytes: job.block_size_bytes.into(), reuse, sync_every_bytes: None };
        Ok(FileSystem::Files(Box::new(Life::new(space, policy, habits))))
    }

    /// Whether space is allocated as fallocate(2) does it.
    pub(crate) fn is_allocated_whole(&self) -> bool {
        matches!(self, FileSystem::Ext4(_, Writing::Allocated))
    }

    /// How well its model is proven.
    pub(crate) fn proof(&self, policy: &SimulatedPolicy) -> String {
        let name = policy::name_of(policy);
        match self {
            FileSystem::Ext4(_, Writing::Allocated) => proof::proof_of(&format!("{name} fallocate")),
            FileSystem::Ext4(_, Writing::Cached { .. }) => proof::proof_of(&format!("{name} write")),
            FileSystem::Ext4(_, Writing::BlockByBlock) => proof::proof_of(&format!("{name} nodelalloc")),
            FileSystem::Files(_) => proof::proof_of(name),
        }
    }

    /// Carries out an operation; false if there was no space for all of it.
    pub(crate) fn apply(&mut self, change: Change) -> bool {
        let Change { stream, file, kind, offset_bytes, size_bytes } = change;
        let operation = Operation { virtual_time_ns: 0, stream, kind, file, offset_bytes, size_bytes };
        let before = self.refused();
        match self {
            FileSystem::Files(life) => life.apply(&operation),
            FileSystem::Ext4(ext4, _) => ext4.apply(&operation),
        }
        self.refused() == before
    }

    /// The files of a stream lie in a directory that others have as well.
    pub(crate) fn lies_in(&mut self, stream: u32, directory: u32) {
        match self {
            FileSystem::Files(life) => life.lies_in(stream, directory),
            // It was told where the files of logs lie when it was made.
            FileSystem::Ext4(_, Writing::Allocated) => {}
            FileSystem::Ext4(ext4, _) => ext4.lies_with(stream, folders::first_stream(directory)),
        }
    }

    /// The file is closed by who wrote it, which gives back what was set aside for it.
    pub(crate) fn close(&mut self, change: Change) {
        match self {
            FileSystem::Files(_) => {
                self.apply(Change { kind: AgeOperation::Truncate, ..change });
            }
            FileSystem::Ext4(ext4, _) => ext4.close_file(change.file),
        }
    }

    /// What was just written of a file is allocated: it does not wait in memory. False if there was no space for all.
    pub(crate) fn allocate_at_once(&mut self, change: Change) -> bool {
        match self {
            FileSystem::Files(life) => life.allocate_at_once(change.file),
            FileSystem::Ext4(ext4, _) => ext4.allocate_waiting(change.file),
        }
    }

    /// What waits in memory is allocated, and what was freed can be taken again; false if there was no space for all.
    pub(crate) fn sync(&mut self) -> bool {
        let before = self.refused();
        match self {
            FileSystem::Files(life) => life.sync(),
            FileSystem::Ext4(ext4, _) => ext4.sync(),
        }
        self.refused() == before
    }

    /// Blocks that files can still take.
    pub(crate) fn free_blocks(&self) -> u64 {
        match self {
            FileSystem::Files(life) => life.space().free_blocks(),
            FileSystem::Ext4(ext4, _) => ext4.available_blocks(),
        }
    }

    /// The extents of a file, in the order of its blocks.
    pub(crate) fn extents(&self, file: u32) -> Vec<Extent> {
        match self {
            FileSystem::Files(life) => life.file(file).map(<[Extent]>::to_vec).unwrap_or_default(),
            FileSystem::Ext4(ext4, _) => ext4.file(file).unwrap_or_default(),
        }
    }

    /// Free runs, those that touch at the border of groups as one.
    pub(crate) fn free_runs(&self, found: &mut dyn FnMut(Run)) {
        let space = match self {
            FileSystem::Files(life) => life.space(),
            FileSystem::Ext4(ext4, _) => ext4.space(),
        };
        let (mut from, mut waiting): (u64, Option<(u64, u64)>) = (0, None);
        while let Some(run) = space.next_run(from) {
            from = run.end();
            match &mut waiting {
                Some((_, end)) if *end == run.start => *end = run.end(),
                _ => {
                    if let Some((start, end)) = waiting.replace((run.start, run.end())) {
                        pieces(start, end, found);
                    }
                }
            }
        }
        if let Some((start, end)) = waiting {
            pieces(start, end, found);
        }
    }

    /// Operations that found no space.
    pub(crate) fn refused(&self) -> u64 {
        match self {
            FileSystem::Files(life) => life.refused(),
            FileSystem::Ext4(ext4, _) => ext4.refused(),
        }
    }
}

/// A run has at most 2^32 - 1 blocks.
fn pieces(start: u64, end: u64, found: &mut dyn FnMut(Run)) {
    let mut at = start;
    while at < end {
        let blocks = (end - at).min(u64::from(u32::MAX)) as u32;
        found(Run { start: at, blocks });
        at += u64::from(blocks);
    }
}
