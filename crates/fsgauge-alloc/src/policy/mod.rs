//! Allocation policies, one file each: which free blocks a file gets. A policy is given the free space and a request, and
//! takes one extent; it remembers what it has set aside. It knows nothing of who asks, and why.

mod best_fit;
mod block_at_a_time;
mod buddy;
mod cursor;
mod delayed;
mod first_fit;
pub mod mballoc;
mod next_fit;
mod reserved;
mod vxfs;
mod window;
mod worst_fit;
pub mod xfs;

pub use best_fit::BestFit;
pub use block_at_a_time::BlockAtATime;
pub use buddy::Buddy;
pub use delayed::Delayed;
pub use first_fit::FirstFit;
pub use next_fit::NextFit;
pub use vxfs::{Vxfs, VxfsSizes};
pub use window::Window;
pub use worst_fit::WorstFit;

use crate::free_map::{FreeMap, Run};

/// A piece of a file and where it lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The first block, counted in the file.
    pub logical: u64,
    /// The first block, counted on the device.
    pub physical: u64,
    /// How many.
    pub blocks: u32,
}

impl Extent {
    /// The block of the file behind it.
    pub fn logical_end(&self) -> u64 {
        self.logical + u64::from(self.blocks)
    }

    /// The block of the device behind it.
    pub fn physical_end(&self) -> u64 {
        self.physical + u64::from(self.blocks)
    }

    /// Whether another goes on where this one ends, in the file and on the device.
    pub fn is_followed_by(&self, next: &Extent) -> bool {
        self.logical_end() == next.logical && self.physical_end() == next.physical
    }
}

/// What blocks are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Data of a file that is open for writing.
    Data,
    /// Data of a file that nobody has open for writing any more.
    DataOfClosed,
    /// Data that is wanted exactly as it is asked for: nothing is set aside for the file.
    ExactData,
    /// A block of the file system's own.
    Metadata,
    /// One of the file system's own that should lie at the goal itself.
    MetadataAtGoal,
}

impl Purpose {
    /// Whether the blocks are the file system's own.
    pub fn is_metadata(self) -> bool {
        matches!(self, Purpose::Metadata | Purpose::MetadataAtGoal)
    }

    /// Whether more than is asked for may be set aside for the file.
    pub fn sets_aside(self) -> bool {
        matches!(self, Purpose::Data | Purpose::DataOfClosed)
    }
}

/// A wish for blocks.
#[derive(Debug, Clone, Copy)]
pub struct Request {
    /// The file's number, by which a policy remembers what it has set aside.
    pub file: u32,
    /// The number that the file system gave to the file.
    pub inode: u64,
    /// The first block wanted, counted in the file. Nothing of the file lies behind it.
    pub logical: u64,
    /// How many, above 0.
    pub blocks: u32,
    /// Blocks of the file as its size says, before this.
    pub file_blocks: u64,
    /// Where on the device it would be best.
    pub goal: u64,
    /// The file's last extent.
    pub last: Option<Extent>,
    /// What for.
    pub purpose: Purpose,
}

/// A way to choose free blocks.
pub trait Policy: Send + Sync {
    /// Its name in studies.
    fn name(&self) -> &'static str;

    /// Takes blocks for the beginning of what is wanted: at least one and at most all; who wants the rest asks again.
    /// None if nothing is free.
    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent>;

    /// The file's last writer has closed it, or its end was cut: what was set aside for it is given back.
    fn release(&mut self, _space: &mut FreeMap, _file: u32) {}

    /// The file system is unmounted: all that is set aside is given back.
    fn release_all(&mut self, _space: &mut FreeMap) {}

    /// Where the first blocks of a directory's files are best; the beginning of the device where it does not matter.
    fn home(&self, _space: &FreeMap, _directory: u32) -> u64 {
        0
    }

    /// Blocks of a file that may wait in memory and are then allocated together; none where each write allocates.
    fn delay_blocks(&self) -> Option<u32> {
        None
    }

    /// What blocks are wanted for that never wait in memory: direct I/O, and fallocate(2).
    fn purpose_at_once(&self) -> Purpose {
        Purpose::Data
    }

    /// Whether a file that was cut to nothing and written again waits no longer than until it is closed, so that a crash
    /// leaves no empty file.
    fn flushes_rewritten(&self) -> bool {
        false
    }
}

/// Cuts a file's extents behind so many blocks, from the last on; says what is free then.
pub(crate) fn cut(extents: &mut Vec<Extent>, kept_blocks: u64, mut freed: impl FnMut(Run)) {
    while let Some(last) = extents.last_mut().filter(|last| last.logical_end() > kept_blocks) {
        let kept = kept_blocks.saturating_sub(last.logical) as u32;
        freed(Run { start: last.physical + u64::from(kept), blocks: last.blocks - kept });
        last.blocks = kept;
        if kept == 0 {
            extents.pop();
        }
    }
}

/// Takes the beginning of a run for a request.
fn take(space: &mut FreeMap, request: &Request, physical: u64, blocks: u32) -> Extent {
    space.take(physical, blocks);
    Extent { logical: request.logical, physical, blocks }
}

/// Blocks that one group can give at once.
fn piece(space: &FreeMap, request: &Request) -> u32 {
    request.blocks.min(space.group_blocks())
}
