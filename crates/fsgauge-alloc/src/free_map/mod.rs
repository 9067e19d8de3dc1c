//! Free space of a device, in groups of blocks. A group that is wholly free or wholly taken has no memory of its own, one
//! with few free runs a list, and only one with many a bitmap: a petabyte that is mostly untouched takes little.
//!
//! Runs end at the borders of groups. What is free on both sides of a border is two runs that lie next to each other.

mod bits;
mod buddies;
mod group;
mod group_set;
mod tally;
#[cfg(test)]
mod twin;

use std::collections::BTreeSet;

pub use buddies::ORDERS;
pub(crate) use buddies::order_at;
pub use tally::Tally;
pub(crate) use tally::mean_order_of;

use buddies::buddies_of;
use group::Group;
use group_set::GroupSet;

/// Blocks in one group, at most.
pub const GROUP_BLOCKS_LIMIT: u32 = 32768;

/// Consecutive blocks of one group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Run {
    /// The first block.
    pub start: u64,
    /// How many.
    pub blocks: u32,
}

impl Run {
    /// The block behind it.
    pub fn end(&self) -> u64 {
        self.start + u64::from(self.blocks)
    }
}

/// Which blocks of a device are free.
#[derive(Debug, Clone)]
pub struct FreeMap {
    blocks: u64,
    group_blocks: u32,
    free_blocks: u64,
    groups: Vec<Group>,
    /// Groups by the order of their largest buddy, and by that of their mean run.
    by_largest: Vec<GroupSet>,
    by_mean: Vec<GroupSet>,
    /// Runs by length and start, for policies that ask for it.
    by_length: Option<BTreeSet<(u32, u64)>>,
}

impl FreeMap {
    /// A device that is wholly free. Says what cannot be.
    pub fn new(blocks: u64, group_blocks: u32) -> Result<Self, String> {
        if blocks == 0 {
            return Err("a device of 0 blocks has no space".into());
        }
        if group_blocks == 0 || group_blocks > GROUP_BLOCKS_LIMIT {
            return Err(format!(
                "groups of {group_blocks} blocks: from 1 to {GROUP_BLOCKS_LIMIT} are possible"
            ));
        }
        let groups = blocks.div_ceil(u64::from(group_blocks));
        if groups > u64::from(u32::MAX) {
            return Err(format!("{blocks} blocks in groups of {group_blocks} are more than 2^32 groups"));
        }
        let sets = || vec![GroupSet::new(groups as usize); ORDERS];
        let (mut by_largest, mut by_mean) = (sets(), sets());
        let mut map = FreeMap {
            blocks,
            group_blocks,
            free_blocks: blocks,
            groups: vec![Group::free(); groups as usize],
            by_largest: Vec::new(),
            by_mean: Vec::new(),
            by_length: None,
        };
        for group in 0..groups as u32 {
            let tally = map.tally(group);
            if let (Some(largest), Some(mean)) = (tally.largest_order(), tally.mean_order()) {
                by_largest[largest as usize].insert(group);
                by_mean[mean as usize].insert(group);
            }
        }
        (map.by_largest, map.by_mean) = (by_largest, by_mean);
        Ok(map)
    }

    /// Blocks of the device.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// Blocks of every group but the last, which may be shorter.
    pub fn group_blocks(&self) -> u32 {
        self.group_blocks
    }

    /// How many groups there are.
    pub fn groups(&self) -> u32 {
        self.groups.len() as u32
    }

    /// Blocks that are free.
    pub fn free_blocks(&self) -> u64 {
        self.free_blocks
    }

    /// The group of a block, and the block's place in it.
    pub fn place(&self, block: u64) -> (u32, u32) {
        let size = u64::from(self.group_blocks);
        ((block / size) as u32, (block % size) as u32)
    }

    /// The first block of a group.
    pub fn first_block(&self, group: u32) -> u64 {
        u64::from(group) * u64::from(self.group_blocks)
    }

    /// Blocks of one group.
    pub fn length(&self, group: u32) -> u32 {
        (self.blocks - self.first_block(group)).min(u64::from(self.group_blocks)) as u32
    }

    /// What is free in a group.
    pub fn tally(&self, group: u32) -> Tally {
        self.groups[group as usize].tally(self.length(group))
    }

    /// A place in a group before which nothing is free.
    pub fn first_free(&self, group: u32) -> u32 {
        self.groups[group as usize].first_free
    }

    /// The first free run of a group that ends after a place in it: where it begins, perhaps before the place, and ends.
    pub fn next_in_group(&self, group: u32, from: u32) -> Option<(u32, u32)> {
        self.groups[group as usize].next_run(self.length(group), from)
    }

    /// The first free run of the device that ends after a block.
    pub fn next_run(&self, from: u64) -> Option<Run> {
        if from >= self.blocks {
            return None;
        }
        let (mut group, mut place) = self.place(from);
        loop {
            if let Some((start, end)) = self.next_in_group(group, place) {
                return Some(Run { start: self.first_block(group) + u64::from(start), blocks: end - start });
            }
            group = self.next_group(0, group + 1)?;
            place = 0;
        }
    }

    /// Where the first free buddy of exactly this order begins in a group.
    pub fn first_buddy(&self, group: u32, order: u32) -> Option<u32> {
        let mut from = 0;
        while let Some((start, end)) = self.next_in_group(group, from) {
            if end - start >= 1 << order
                && let Some((place, _)) = buddies_of(start, end).find(|&(_, found)| found == order)
            {
                return Some(place);
            }
            from = end;
        }
        None
    }

    /// The free run that a block is in.
    pub fn run_at(&self, block: u64) -> Option<Run> {
        self.next_run(block).filter(|run| run.start <= block)
    }

    /// The first group from `from` on with a free buddy of this order or a larger one.
    pub fn next_group(&self, order: u32, from: u32) -> Option<u32> {
        self.by_largest[order as usize..].iter().filter_map(|set| set.next(from)).min()
    }

    /// The first group from `from` on whose largest free buddy has this order.
    pub fn next_of_largest(&self, order: u32, from: u32) -> Option<u32> {
        self.by_largest[order as usize].next(from)
    }

    /// The first group from `from` on whose mean run has this order ([`Tally::mean_order`]).
    pub fn next_of_mean(&self, order: u32, from: u32) -> Option<u32> {
        self.by_mean[order as usize].next(from)
    }

    /// The shortest run of at least so many blocks, the first of equal ones.
    pub fn shortest_run(&mut self, at_least: u32) -> Option<Run> {
        let &(blocks, start) = self.lengths().range((at_least, 0)..).next()?;
        Some(Run { start, blocks })
    }

    /// The longest run, the first of equal ones.
    pub fn longest_run(&mut self) -> Option<Run> {
        let lengths = self.lengths();
        let &(blocks, _) = lengths.last()?;
        lengths.range((blocks, 0)..).next().map(|&(blocks, start)| Run { start, blocks })
    }

    /// Made when it is first asked for, and kept up from then on.
    fn lengths(&mut self) -> &BTreeSet<(u32, u64)> {
        if self.by_length.is_none() {
            let mut found = BTreeSet::new();
            let mut from = 0;
            while let Some(run) = self.next_run(from) {
                found.insert((run.blocks, run.start));
                from = run.end();
            }
            self.by_length = Some(found);
        }
        self.by_length.get_or_insert_default()
    }

    /// Takes blocks. Panics unless all are free: who asks for them has just found them.
    pub fn take(&mut self, start: u64, blocks: u32) {
        self.change(start, blocks, false);
    }

    /// Gives blocks back. Panics unless all are taken.
    pub fn give(&mut self, start: u64, blocks: u32) {
        self.change(start, blocks, true);
    }

    /// In pieces, where the blocks lie in several groups.
    fn change(&mut self, start: u64, blocks: u32, given: bool) {
        let end = start + u64::from(blocks);
        assert!(end <= self.blocks, "blocks {start} to {end} of a device of {}", self.blocks);
        let mut at = start;
        while at < end {
            let (group, place) = self.place(at);
            let length = self.length(group);
            let piece = (end - at).min(u64::from(length - place)) as u32;
            self.change_in_group(group, length, place, place + piece, given);
            at += u64::from(piece);
        }
    }

    fn change_in_group(&mut self, group: u32, length: u32, start: u32, end: u32, given: bool) {
        let first = self.first_block(group);
        let state = &mut self.groups[group as usize];
        let before = state.tally(length);
        let whole = if given { state.give(length, start, end) } else { state.take(length, start, end) };
        let after = state.tally(length);
        let blocks = u64::from(end - start);
        if given {
            self.free_blocks += blocks;
        } else {
            self.free_blocks -= blocks;
        }
        move_group(&mut self.by_largest, group, before.largest_order(), after.largest_order());
        move_group(&mut self.by_mean, group, before.mean_order(), after.mean_order());
        if let Some(lengths) = &mut self.by_length {
            let entry = |from: u32, to: u32| (to - from, first + u64::from(from));
            let ends = [(whole.0, start), (end, whole.1)].into_iter().filter(|run| run.0 < run.1);
            if given {
                for run in ends {
                    lengths.remove(&entry(run.0, run.1));
                }
                lengths.insert(entry(whole.0, whole.1));
            } else {
                lengths.remove(&entry(whole.0, whole.1));
                lengths.extend(ends.map(|run| entry(run.0, run.1)));
            }
        }
    }
}

fn move_group(sets: &mut [GroupSet], group: u32, before: Option<u32>, after: Option<u32>) {
    if before != after {
        if let Some(order) = before {
            sets[order as usize].remove(group);
        }
        if let Some(order) = after {
            sets[order as usize].insert(group);
        }
    }
}
