//! XFS: a device in a few large allocation groups, each with its free runs in two trees, by place and by length. A file that
//! grows gets more than it needs, twice as much each time, which is given back when it is closed.
//!
//! Written from what fs/xfs does in Linux 6.18, for one processor and without a stripe. Of the code itself nothing is here.
//! What the trees take of the free space themselves is not modelled.

mod search;
mod settings;

pub use settings::XfsSettings;

use super::reserved::Reserved;
use super::{Extent, Policy, Purpose, Request};
use crate::free_map::{Areas, FreeMap, Run};
use search::{Wish, by_length, near};
use settings::EXTENT_BLOCKS;

/// Files below this size get nothing more than they need, and larger ones at least so much more (`m_allocsize_log`).
const LEAST_BYTES: u32 = 1 << 16;

/// The policy, with what is left of the extents of files that are being written.
#[derive(Debug, Clone)]
pub struct Xfs {
    settings: XfsSettings,
    left: Reserved,
}

impl Xfs {
    /// With these settings. Says what cannot be.
    pub fn new(settings: XfsSettings) -> Result<Self, String> {
        settings.check()?;
        Ok(Xfs { settings, left: Reserved::default() })
    }

    /// From what is set aside for the file, or from the free space.
    fn take(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let Xfs { settings, left } = self;
        left.allocate(space, request, |space| {
            let blocks = blocks_of(settings, request, space.free_blocks(), space.blocks());
            let device_blocks = space.blocks();
            let areas = space.areas(settings.group_blocks);
            // Behind the file's last block, unless that is in another group.
            let behind = request
                .last
                .map(|last| last.physical_end())
                .filter(|&block| block < device_blocks && areas.index(block) == areas.index(block - 1));
            let target = behind.unwrap_or(if request.goal < device_blocks { request.goal } else { 0 });
            let hint = if request.purpose.is_metadata() { 0 } else { u64::from(settings.extent_hint_blocks) };
            let multiple = if hint > 0 { (hint, (hint - request.logical % hint) % hint) } else { (1, 0) };
            let most = blocks.min(settings.group_blocks).min(u64::from(EXTENT_BLOCKS));
            let data = !request.purpose.is_metadata();
            let run = find(settings, areas, Wish { target, least: 1, most, multiple, data })?;
            space.take(run.start, run.blocks);
            Some(run)
        })
    }
}

/// Blocks that are asked for: those of the request, and what is set aside with them.
fn blocks_of(settings: &XfsSettings, request: &Request, free_blocks: u64, device_blocks: u64) -> u64 {
    let blocks = u64::from(request.blocks);
    let hint = u64::from(settings.extent_hint_blocks);
    if hint > 0 && !request.purpose.is_metadata() {
        let whole = (request.logical % hint + blocks).next_multiple_of(hint);
        return if whole > u64::from(EXTENT_BLOCKS) { blocks } else { whole };
    }
    match request.purpose {
        Purpose::Data => reserved_end(settings, request, free_blocks, device_blocks) - request.logical,
        // What was reserved behind its end is gone since it was closed; and nothing is for what never waited.
        _ => blocks,
    }
}

/// The end of what is reserved for a file that grows by the request, block by block: whenever it grows beyond, more is
/// reserved, twice what lies before.
fn reserved_end(settings: &XfsSettings, request: &Request, free_blocks: u64, device_blocks: u64) -> u64 {
    let fixed = u64::from(settings.preallocation_blocks);
    let least = if fixed > 0 { fixed } else { u64::from((LEAST_BYTES / settings.block_bytes).max(1)) };
    let end = request.logical + u64::from(request.blocks);
    let before = request.last.filter(|last| last.logical_end() == request.logical);
    let begin = before.map_or(request.logical, |last| last.logical);
    let mut reached = request.logical;
    while reached < end {
        // A small file gets nothing more than it needs.
        let more = if fixed > 0 {
            fixed
        } else if reached < least {
            0
        } else if reached == begin {
            least
        } else {
            speculative(reached - begin, free_blocks, device_blocks).max(least)
        };
        reached = (reached / least * least + more).max(reached + 1);
    }
    reached
}

/// What is reserved behind so many blocks in one piece.
fn speculative(before: u64, free_blocks: u64, device_blocks: u64) -> u64 {
    let mut blocks = (2 * before).min(u64::from(EXTENT_BLOCKS) + 1);
    // Less and less as the last 5 % of the device fill up.
    let percent = device_blocks / 100;
    if free_blocks < 5 * percent {
        blocks >>= 2 + (1..5).filter(|step| free_blocks < step * percent).count();
    }
    blocks = blocks.checked_ilog2().map_or(0, |log| 1 << log).min(u64::from(EXTENT_BLOCKS));
    while blocks > 0 && blocks >= free_blocks {
        blocks >>= 4;
    }
    blocks
}

/// Finds a run: in the target's group near the target, else by length in the next groups that have one as long.
fn find(settings: &XfsSettings, areas: &Areas, wish: Wish) -> Option<Run> {
    let (first, count) = (areas.index(wish.target), areas.count());
    let longest = |index: usize| areas.area(index).from_longest().next().map_or(0, |run| run.blocks);
    let order = || (0..count).map(|step| (first + step) % count);
    // The longest run of all, or of the groups up to one that holds everything.
    let mut best = 0;
    for index in order() {
        best = longest(index).max(best);
        if best >= wish.most {
            break;
        }
    }
    if best == 0 {
        return None;
    }
    for least in [best.min(wish.most), 1] {
        for index in order() {
            let area = areas.area(index);
            let available = area.free_blocks().saturating_sub(settings.reserved_blocks);
            if longest(index) < least || available < least {
                continue;
            }
            let wish = Wish { least, most: wish.most.min(available), ..wish };
            let is_near = index == first && !wish.target.is_multiple_of(areas.area_blocks());
            let found = if is_near { near(area, wish) } else { by_length(area, wish) };
            if let Some(found) = found {
                return Some(Run { start: found.start, blocks: found.blocks as u32 });
            }
        }
    }
    None
}

impl Policy for Xfs {
    fn name(&self) -> &'static str {
        "xfs"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        // Before it says that there is no space, it gives back what is set aside for all files.
        self.take(space, request).or_else(|| {
            self.left.release_all(space);
            self.take(space, request)
        })
    }

    fn release(&mut self, space: &mut FreeMap, file: u32) {
        self.left.release(space, file);
    }

    fn flushes_rewritten(&self) -> bool {
        true
    }

    fn release_all(&mut self, space: &mut FreeMap) {
        self.left.release_all(space);
    }

    fn delay_blocks(&self) -> Option<u32> {
        // It does not wait where there is a hint for the size of extents.
        (self.settings.extent_hint_blocks == 0).then_some(EXTENT_BLOCKS)
    }

    /// By direct I/O and fallocate(2) nothing is set aside.
    fn purpose_at_once(&self) -> Purpose {
        Purpose::ExactData
    }

    /// Directories go round the groups, and files lie where their directory's inodes are.
    fn home(&self, space: &FreeMap, directory: u32) -> u64 {
        let groups = space.blocks().div_ceil(self.settings.group_blocks);
        u64::from(directory) % groups * self.settings.group_blocks + INODES_AT
    }
}

/// Inodes of a new directory lie about here in their group, behind the group's own blocks.
const INODES_AT: u64 = 32;
