//! mballoc, the allocator of ext4: requests are made larger, what is too much is set aside for the file or for all small
//! files, and groups are searched in passes.
//!
//! Written from what fs/ext4/mballoc.c does in Linux 6.1.192, 6.12.117 and 6.18, for one processor and for groups that were all
//! looked at before, as after a reading of /proc/fs/ext4/DEVICE/mb_groups. Of the code itself nothing is here.

mod criteria;
mod normalize;
mod search;
mod set_aside;
mod settings;

pub use settings::{Release, Settings, Windows};

use super::{Extent, Policy, Purpose, Request};
use crate::free_map::{FreeMap, Run};
use search::{Chunk, Wish};
use set_aside::SetAside;

/// Searches with less and less set aside before it is said that nothing is free.
const TRIES: u32 = 3;

/// The policy, with what it has set aside and where streams go on.
#[derive(Debug, Clone)]
pub struct Mballoc {
    settings: Settings,
    aside: SetAside,
    stream_groups: Vec<u32>,
}

/// What sort of search a request is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    /// Of the file system's own: as it is asked for.
    Metadata,
    /// Data, exactly as it is asked for.
    Exact,
    /// Data of a small file, from what all small files share.
    Small { exact: bool },
    /// Data of a larger file: next to where the last one was found.
    Stream { exact: bool },
}

impl Mballoc {
    /// For a device of so many groups.
    pub fn new(settings: Settings, groups: u32) -> Self {
        let stream_groups = vec![0; settings.goals(groups)];
        Mballoc { settings, aside: SetAside::default(), stream_groups }
    }

    /// Where the search for large files goes on (`mb_last_group` of ldiskfs, which can be written).
    pub fn set_stream_group(&mut self, group: u32) {
        self.stream_groups.fill(group);
    }

    fn sort(&self, request: &Request, wanted_blocks: u32) -> Sort {
        let exact = request.purpose == Purpose::ExactData;
        if request.purpose.is_metadata() {
            return Sort::Metadata;
        }
        let end = request.logical + u64::from(wanted_blocks);
        let file_blocks = end.max(request.file_blocks);
        let is_small = match &self.settings.windows {
            Windows::Growing { shared_blocks } => file_blocks <= u64::from(*shared_blocks),
            Windows::Table { small_request_blocks, large_file_blocks, .. } => {
                wanted_blocks < *small_request_blocks && file_blocks < u64::from(*large_file_blocks)
            }
        };
        if is_small && self.settings.group_preallocation_blocks > 0 {
            return Sort::Small { exact };
        }
        // Nothing more is expected of a file that is closed and ends here.
        let is_whole = request.purpose == Purpose::DataOfClosed && end == request.file_blocks;
        if is_whole { Sort::Exact } else { Sort::Stream { exact } }
    }

    fn stream(&mut self, request: &Request) -> &mut u32 {
        let count = self.stream_groups.len() as u64;
        &mut self.stream_groups[(request.inode % count) as usize]
    }

    /// The blocks to search for, and the block of the file that they begin with.
    fn wish(&mut self, space: &FreeMap, request: &Request, sort: Sort, wanted_blocks: u32) -> (Wish, u64) {
        let (group, start) = space.place(if request.goal < space.blocks() { request.goal } else { 0 });
        let mut wish = Wish {
            goal: Chunk { group, start, blocks: wanted_blocks },
            wanted_blocks,
            restored_blocks: wanted_blocks,
            try_goal: request.purpose == Purpose::MetadataAtGoal,
            data: sort != Sort::Metadata,
            stream_group: matches!(sort, Sort::Stream { .. }).then(|| *self.stream(request)),
        };
        let mut logical = request.logical;
        match sort {
            Sort::Small { exact: false } => {
                let stripe = self.settings.stripe_blocks.max(1);
                let blocks = self.settings.group_preallocation_blocks.next_multiple_of(stripe);
                // The kernel keeps the length of the request alone: this one is gone once it was cut in vain.
                wish.goal.blocks = blocks;
            }
            Sort::Stream { exact: false } => {
                let neighbours = self.aside.neighbours(request.file, request.logical);
                let group_blocks = space.group_blocks();
                let window =
                    normalize::window(&self.settings, group_blocks, request, wanted_blocks, neighbours);
                (logical, wish.goal.blocks) = (window.logical, window.blocks);
                wish.restored_blocks = window.blocks;
                if let Some(last) = request.last
                    && last.logical_end() == logical
                    && last.physical_end() < space.blocks()
                {
                    (wish.goal.group, wish.goal.start) = space.place(last.physical_end());
                    wish.try_goal = true;
                }
            }
            _ => {}
        }
        (wish, logical)
    }

    /// What is more than was asked for is set aside; gives what the request gets.
    fn keep(&mut self, space: &mut FreeMap, request: &Request, sort: Sort, kept: Kept) -> Option<Extent> {
        let Kept { physical, blocks, goal_logical, goal_blocks, wanted_blocks } = kept;
        if blocks <= wanted_blocks {
            return Some(Extent { logical: request.logical, physical, blocks });
        }
        if matches!(sort, Sort::Small { .. }) {
            let rest = Run { start: physical + u64::from(wanted_blocks), blocks: blocks - wanted_blocks };
            self.aside.add_of_small(space, rest);
            return Some(Extent { logical: request.logical, physical, blocks: wanted_blocks });
        }
        // Fewer than hoped for: at the window's end, else at its beginning, else where the request begins.
        let mut logical = goal_logical;
        if blocks < goal_blocks {
            let at_end = goal_logical + u64::from(goal_blocks - blocks);
            if request.logical >= at_end {
                logical = at_end;
            } else if request.logical + u64::from(wanted_blocks) > goal_logical + u64::from(blocks) {
                logical = request.logical;
            }
        }
        self.aside.add_of_file(request.file, Extent { logical, physical, blocks });
        self.aside.take_of_file(request.file, request.logical, wanted_blocks)
    }
}

/// Blocks that were found, and what was hoped for.
struct Kept {
    physical: u64,
    blocks: u32,
    goal_logical: u64,
    goal_blocks: u32,
    wanted_blocks: u32,
}

impl Policy for Mballoc {
    fn name(&self) -> &'static str {
        match self.settings.release {
            Release::Ldiskfs => "ldiskfs",
            Release::Linux6_1 => "mballoc:6.1",
            Release::Linux6_12 => "mballoc:6.12",
            Release::Linux6_18 => "mballoc:6.18",
        }
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let wanted_blocks = request.blocks.min(space.group_blocks());
        let sort = self.sort(request, wanted_blocks);
        if sort != Sort::Metadata
            && let Some(extent) = self.aside.take_of_file(request.file, request.logical, wanted_blocks)
        {
            return Some(extent);
        }
        if matches!(sort, Sort::Small { .. })
            && let Some(physical) = self.aside.take_of_small(space, request.goal, wanted_blocks)
        {
            return Some(Extent { logical: request.logical, physical, blocks: wanted_blocks });
        }
        if self.settings.release == Release::Linux6_1 && self.settings.ordered_groups {
            space.keep_arrivals();
        }
        let (mut wish, goal_logical) = self.wish(space, request, sort, wanted_blocks);
        let mut tries = 0;
        let found = loop {
            if let Some(found) = search::find(space, &self.settings, &mut wish) {
                break found;
            }
            tries += 1;
            if tries >= TRIES || self.aside.release_some(space, wanted_blocks) == 0 {
                return None;
            }
        };
        if matches!(sort, Sort::Stream { .. }) {
            *self.stream(request) = found.group;
        }
        let physical = space.first_block(found.group) + u64::from(found.start);
        space.take(physical, found.blocks);
        let goal_blocks = wish.goal.blocks;
        let kept = Kept { physical, blocks: found.blocks, goal_logical, goal_blocks, wanted_blocks };
        self.keep(space, request, sort, kept)
    }

    fn release(&mut self, space: &mut FreeMap, file: u32) {
        self.aside.release(space, file);
    }

    fn flushes_rewritten(&self) -> bool {
        true
    }

    fn release_all(&mut self, space: &mut FreeMap) {
        self.aside.release_some(space, u32::MAX);
    }

    fn delay_blocks(&self) -> Option<u32> {
        self.settings.delays.then_some(settings::WRITE_BACK_BLOCKS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GROUP_BLOCKS: u32 = 32768;
    const GROUPS: u32 = 16;

    /// In each group, a free run of eight blocks, and behind it one free block.
    fn nearly_full() -> FreeMap {
        let mut space = FreeMap::new(u64::from(GROUPS * GROUP_BLOCKS), GROUP_BLOCKS).unwrap();
        for group in 0..u64::from(GROUPS) {
            let start = group * u64::from(GROUP_BLOCKS);
            space.take(start, 1000);
            space.take(start + 1008, 500);
            space.take(start + 1509, GROUP_BLOCKS - 1509);
        }
        space
    }

    /// The model went on to look for the 512 blocks that small files share, took the longest run that there was, and parted
    /// from the kernel on every device that was nearly full.
    #[test]
    fn a_small_file_gets_what_it_asks_for_once_the_goal_was_cut_in_vain() {
        let mut space = nearly_full();
        let mut policy = Mballoc::new(Settings::new(Release::Linux6_18, GROUPS), GROUPS);
        let goal = u64::from(GROUP_BLOCKS);
        let purpose = Purpose::Data;
        let request =
            Request { file: 1, inode: 12, logical: 0, blocks: 1, file_blocks: 1, goal, last: None, purpose };
        let found = policy.allocate(&mut space, &request);
        assert_eq!(found, Some(Extent { logical: 0, physical: goal + 1508, blocks: 1 }));
        assert_eq!(space.free_blocks(), u64::from(GROUPS) * 9 - 1);
    }
}
