//! The file system that a policy works on, on one device: files alone, or ext4 with its inodes, directories and commits.
//!
//! ext4 is the second, as far as mke2fs makes one with its defaults. All others are files alone.

use fsgauge_alloc::Operation;
use fsgauge_alloc::Placement;
use fsgauge_alloc::ext4::{Ext4, Geometry, Setting, Writing};
use fsgauge_alloc::free_map::{FreeMap, Run};
use fsgauge_alloc::life::{Habits, Life};
use fsgauge_alloc::policy::Extent;
use fsgauge_wire::{AgeOperation, Failure, Mke2fs, Outcome, SimulateJob, SimulatedPolicy};

use crate::policy::{self, Made};
use crate::{folders, mke2fs, proof};

/// Directory hashes of ext4 are seeded; which seed it is makes no difference that counts.
const HASH_SEED: [u32; 4] = [0x6d6f_6465, 0x6c20_6f66, 0x2065_7874, 0x3400_0001];

/// Of the file systems that the models of ext4 were compared with group by group.
const PROVEN_BLOCK_BYTES: u32 = 4096;

/// A file system in memory.
pub(crate) enum FileSystem {
    /// Files and their extents.
    Files(Box<Life>, KeptBack),
    /// ext4 with all that takes blocks.
    Ext4(Box<Ext4>, Writing),
}

/// Blocks that files do not get, wherever they lie.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct KeptBack {
    /// The file system's own.
    own_blocks: u64,
    /// Left to root.
    root_blocks: u64,
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
        let Made { policy, reuse } = policy::made(&job.policy, &space, job.block_size_bytes)?;
        if let Some(geometry) = made_by_mke2fs(job)?
            && let SimulatedPolicy::Ext4 { release, delays, processors, .. } = job.policy
        {
            let writing = match placement {
                Some(_) => Writing::Allocated,
                None if delays => {
                    let largest_folio_pages = policy::release_of(release).largest_folio_pages();
                    Writing::Cached { largest_folio_pages, joins_at_once: false }
                }
                None => Writing::BlockByBlock,
            };
            let setting =
                Setting { placement: placement.unwrap_or(Placement::ByStream), processors, writing };
            let ext4 = Ext4::new(&geometry, policy, setting).map_err(cannot)?;
            return Ok(FileSystem::Ext4(Box::new(ext4), writing));
        }
        let habits = Habits { block_bytes: job.block_size_bytes.into(), reuse, sync_every_bytes: None };
        let kept_back = kept_back(job, blocks);
        if kept_back.own_blocks + kept_back.root_blocks >= blocks {
            return Err(cannot("the file system itself needs all of them".into()));
        }
        Ok(FileSystem::Files(Box::new(Life::new(space, policy, habits)), kept_back))
    }

    /// Whether space is allocated as fallocate(2) does it.
    pub(crate) fn is_allocated_whole(&self) -> bool {
        matches!(self, FileSystem::Ext4(_, Writing::Allocated))
    }

    /// How well its model is proven.
    pub(crate) fn proof(&self, policy: &SimulatedPolicy) -> String {
        let name = policy::name_of(policy);
        match self {
            FileSystem::Ext4(ext4, _) if ext4.block_bytes() < PROVEN_BLOCK_BYTES => {
                proof::proof_of(&format!("{name} small blocks"))
            }
            FileSystem::Ext4(_, Writing::Allocated) => proof::proof_of(&format!("{name} fallocate")),
            FileSystem::Ext4(_, Writing::Cached { .. }) => proof::proof_of(&format!("{name} write")),
            FileSystem::Ext4(_, Writing::BlockByBlock) => proof::proof_of(&format!("{name} nodelalloc")),
            FileSystem::Files(..) => proof::proof_of(name),
        }
    }

    /// Carries out an operation; false if there was no space for all of it.
    pub(crate) fn apply(&mut self, change: Change) -> bool {
        let Change { stream, file, kind, offset_bytes, size_bytes } = change;
        let operation = Operation { virtual_time_ns: 0, stream, kind, file, offset_bytes, size_bytes };
        let before = self.refused();
        match self {
            FileSystem::Files(life, _) => life.apply(&operation),
            FileSystem::Ext4(ext4, _) => ext4.apply(&operation),
        }
        self.refused() == before
    }

    /// The files of a stream lie in a directory that others have as well.
    pub(crate) fn lies_in(&mut self, stream: u32, directory: u32) {
        match self {
            FileSystem::Files(life, _) => life.lies_in(stream, directory),
            // It was told where the files of logs lie when it was made.
            FileSystem::Ext4(_, Writing::Allocated) => {}
            FileSystem::Ext4(ext4, _) => ext4.lies_with(stream, folders::first_stream(directory)),
        }
    }

    /// The file is closed by who wrote it, which gives back what was set aside for it.
    pub(crate) fn close(&mut self, change: Change) {
        match self {
            FileSystem::Files(..) => {
                self.apply(Change { kind: AgeOperation::Truncate, ..change });
            }
            FileSystem::Ext4(ext4, _) => ext4.close_file(change.file),
        }
    }

    /// What was just written of a file is allocated: it does not wait in memory. False if there was no space for all.
    pub(crate) fn allocate_at_once(&mut self, change: Change) -> bool {
        match self {
            FileSystem::Files(life, _) => life.allocate_at_once(change.file),
            FileSystem::Ext4(ext4, _) => ext4.allocate_waiting(change.file),
        }
    }

    /// What waits in memory is allocated, and what was freed can be taken again; false if there was no space for all.
    pub(crate) fn sync(&mut self) -> bool {
        let before = self.refused();
        match self {
            FileSystem::Files(life, _) => life.sync(),
            FileSystem::Ext4(ext4, _) => ext4.sync(),
        }
        self.refused() == before
    }

    /// Blocks that files can still take.
    pub(crate) fn free_blocks(&self) -> u64 {
        match self {
            FileSystem::Files(life, kept) => life.space().free_blocks().saturating_sub(kept.own_blocks),
            FileSystem::Ext4(ext4, _) => ext4.takeable_blocks(),
        }
    }

    /// Blocks that files of others than root can still take.
    pub(crate) fn available_blocks(&self) -> u64 {
        match self {
            FileSystem::Files(_, kept) => self.free_blocks().saturating_sub(kept.root_blocks),
            FileSystem::Ext4(ext4, _) => ext4.available_blocks(),
        }
    }

    /// The extents of a file, in the order of its blocks.
    pub(crate) fn extents(&self, file: u32) -> Vec<Extent> {
        match self {
            FileSystem::Files(life, _) => life.file(file).map(<[Extent]>::to_vec).unwrap_or_default(),
            FileSystem::Ext4(ext4, _) => ext4.file(file).unwrap_or_default(),
        }
    }

    /// Free runs, those that touch at the border of groups as one.
    pub(crate) fn free_runs(&self, found: &mut dyn FnMut(Run)) {
        let space = match self {
            FileSystem::Files(life, _) => life.space(),
            FileSystem::Ext4(ext4, _) => ext4.space(),
        };
        let first = self.first_block();
        let mut found = |run: Run| found(Run { start: run.start + first, ..run });
        let found = &mut found;
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

    /// Where the blocks of its free space begin on the device.
    fn first_block(&self) -> u64 {
        match self {
            FileSystem::Files(..) => 0,
            FileSystem::Ext4(ext4, _) => ext4.first_block(),
        }
    }

    /// Operations that found no space.
    pub(crate) fn refused(&self) -> u64 {
        match self {
            FileSystem::Files(life, _) => life.refused(),
            FileSystem::Ext4(ext4, _) => ext4.refused(),
        }
    }
}

/// What mke2fs makes, if the policy is ext4's. None beyond what is known: there are files alone, and nothing that mke2fs can be
/// told but what it leaves to root.
fn made_by_mke2fs(job: &SimulateJob) -> Outcome<Option<Geometry>> {
    let SimulatedPolicy::Ext4 { mke2fs: told, .. } = &job.policy else { return Ok(None) };
    let refused = |cause: String| {
        let what = format!("there is no model of such an ext4 on {} bytes", job.size_bytes);
        Failure::job("mke2fs", what, cause, "change what mke2fs is told, or leave it out")
    };
    let made = mke2fs::geometry(job.size_bytes, job.block_size_bytes, told, HASH_SEED).map_err(refused)?;
    let untold = Mke2fs { reserved_percent: told.reserved_percent, ..Mke2fs::default() };
    if made.is_none() && (job.block_size_bytes < 4096 || *told != untold) {
        let cause =
            "its descriptors are more than a group holds, and where mke2fs puts them then is not simulated";
        return Err(refused(cause.into()));
    }
    Ok(made)
}

/// What files alone do not show.
fn kept_back(job: &SimulateJob, blocks: u64) -> KeptBack {
    match &job.policy {
        SimulatedPolicy::Ext4 { mke2fs, .. } => {
            let root_blocks = (mke2fs.reserved_percent * blocks as f64 / 100.0) as u64;
            KeptBack { root_blocks, ..KeptBack::default() }
        }
        SimulatedPolicy::Xfs { groups, .. } => {
            KeptBack { own_blocks: policy::own_blocks_of_xfs(blocks, *groups), ..KeptBack::default() }
        }
        _ => KeptBack::default(),
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
