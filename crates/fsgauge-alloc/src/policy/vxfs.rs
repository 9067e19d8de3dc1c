//! The extent policy of VxFS, as its documentation describes it: the first extent of a file is the power of two above its
//! first write, at least 8 KiB; each further one is as large as the file is then, up to a largest size; what is left at the
//! last close is given back. Where an extent is placed is not documented: here behind the file's last one, if there is room,
//! else in the next run from a place that all files share.

use super::cursor::{run_behind, run_round};
use super::reserved::Reserved;
use super::{Extent, Policy, Request};
use crate::free_map::{FreeMap, Run};

/// The parameters, in blocks.
#[derive(Debug, Clone, Copy)]
pub struct VxfsSizes {
    /// The first extent, at least (`initial_extent_size`).
    pub initial_blocks: u32,
    /// An extent, at most (`max_seqio_extent_size`).
    pub largest_blocks: u32,
}

impl Default for VxfsSizes {
    /// 8 KiB and 2048 blocks, with blocks of 4 KiB.
    fn default() -> Self {
        VxfsSizes { initial_blocks: 2, largest_blocks: 2048 }
    }
}

/// The policy, with what is left of the extents of files that are being written.
#[derive(Debug, Clone)]
pub struct Vxfs {
    sizes: VxfsSizes,
    cursor: u64,
    left: Reserved,
}

impl Vxfs {
    /// With these parameters. Says what cannot be.
    pub fn new(sizes: VxfsSizes) -> Result<Self, String> {
        if sizes.initial_blocks == 0 || sizes.largest_blocks < sizes.initial_blocks {
            return Err(format!(
                "extents of {} blocks at first and {} at most: the first must be above 0, and no larger",
                sizes.initial_blocks, sizes.largest_blocks
            ));
        }
        Ok(Vxfs { sizes, cursor: 0, left: Reserved::default() })
    }

    /// Blocks of the next extent.
    fn extent_blocks(sizes: VxfsSizes, request: &Request) -> u32 {
        let doubled = u32::try_from(request.logical).unwrap_or(u32::MAX);
        let first = request.blocks.checked_next_power_of_two().unwrap_or(request.blocks);
        doubled.max(first).max(sizes.initial_blocks).min(sizes.largest_blocks)
    }
}

impl Policy for Vxfs {
    fn name(&self) -> &'static str {
        "vxfs"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let Vxfs { sizes, cursor, left } = self;
        left.allocate(space, request, |space| {
            let sets_aside = request.purpose.sets_aside();
            let wanted = if sets_aside { Self::extent_blocks(*sizes, request) } else { request.blocks };
            let size = wanted.min(space.group_blocks());
            let run = run_behind(space, request, size)
                .or_else(|| run_round(space, *cursor, size))
                .or_else(|| space.longest_run())?;
            let extent = Run { start: run.start, blocks: size.min(run.blocks) };
            space.take(extent.start, extent.blocks);
            *cursor = extent.end();
            Some(extent)
        })
    }

    fn release(&mut self, space: &mut FreeMap, file: u32) {
        self.left.release(space, file);
    }

    fn release_all(&mut self, space: &mut FreeMap) {
        self.left.release_all(space);
    }
}
