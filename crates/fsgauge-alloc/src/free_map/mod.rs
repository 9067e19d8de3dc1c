//! Free space of a device, in groups of blocks. A group that is wholly free or wholly taken has no memory of its own, one
//! with few free runs a list, and only one with many a bitmap: a petabyte that is mostly untouched takes little.
//!
//! Runs end at the borders of groups. What is free on both sides of a border is two runs that lie next to each other.

mod areas;
mod arrivals;
mod bits;
mod buddies;
mod group;
mod group_set;
mod list;
mod map;
mod ranked;
mod runs;
mod survey;
mod tally;
#[cfg(test)]
mod twin;

use std::collections::BTreeSet;

pub use areas::{Area, Areas, Stretch};
pub(crate) use arrivals::ListedBy;
pub(crate) use bits::Bits;
pub(crate) use buddies::Buddies;
pub use buddies::ORDERS;
pub use survey::Survey;
pub use tally::Tally;
pub(crate) use tally::mean_order_of;

use arrivals::Arrivals;
use group::Group;
use group_set::GroupSet;
use ranked::Ranked;

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
    /// Groups by the order of their largest buddy.
    by_largest: Vec<GroupSet>,
    /// The mean run of each group, by its order.
    by_mean: Vec<Ranked>,
    /// The longest run of each group.
    longest: Ranked,
    /// Runs by length and start, for policies that ask for it.
    by_length: Option<BTreeSet<(u32, u64)>>,
    /// The same space in larger groups, for policies that ask for it.
    areas: Option<Areas>,
    /// Groups in the order in which they came to their orders, for policies that ask for it.
    arrivals: Option<Arrivals>,
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
        let (count, last) = (groups as usize, groups as u32 - 1);
        let mut map = FreeMap {
            blocks,
            group_blocks,
            free_blocks: blocks,
            groups: vec![Group::free(group_blocks); count],
            by_largest: vec![GroupSet::new(count); ORDERS],
            by_mean: vec![Ranked::new(count); ORDERS],
            longest: Ranked::filled(count, group_blocks as u16),
            by_length: None,
            areas: None,
            arrivals: None,
        };
        let whole = Tally::of_run(0, group_blocks);
        if let (Some(largest), Some(mean)) = (whole.largest_order(), whole.mean_order()) {
            (0..=last).for_each(|group| map.by_largest[largest as usize].insert(group));
            map.by_mean[mean as usize] = Ranked::filled(count, group_blocks as u16);
        }
        let length = map.length(last);
        if length < group_blocks {
            let before = map.summary(last);
            map.groups[last as usize] = Group::free(length);
            map.move_group(last, before, map.summary(last));
        }
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
        if size.is_power_of_two() {
            // As nearly always, and much faster.
            return ((block >> size.trailing_zeros()) as u32, (block & (size - 1)) as u32);
        }
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
        self.groups[group as usize].tally()
    }

    /// A place in a group before which nothing is free.
    pub fn first_free(&self, group: u32) -> u32 {
        self.groups[group as usize].first_free()
    }

    /// Free blocks of a group.
    pub fn free_in_group(&self, group: u32) -> u32 {
        self.groups[group as usize].free_blocks()
    }

    /// Blocks of the mean free run of a group, without a remainder; 0 in a full group.
    pub fn mean_in_group(&self, group: u32) -> u32 {
        self.groups[group as usize].mean().into()
    }

    /// The order of the largest free buddy of a group; none in a full group.
    pub fn largest_in_group(&self, group: u32) -> Option<u32> {
        self.groups[group as usize].largest_order()
    }

    /// The first free run of a group with at least so many blocks from a place on, from there on: where it begins and ends.
    pub fn next_long_in_group(&self, group: u32, from: u32, at_least: u32) -> Option<(u32, u32)> {
        self.groups[group as usize].next_long(self.length(group), from, at_least)
    }

    /// Each free run of a group with at least so many blocks from a place on, from there on, until one is enough.
    pub fn each_long_in_group(
        &self,
        group: u32,
        from: u32,
        at_least: u32,
        is_enough: impl FnMut((u32, u32)) -> bool,
    ) {
        self.groups[group as usize].each_long(self.length(group), from, at_least, is_enough);
    }

    /// The free runs of a group from a place on: at most `most`, and those before the first of at least `below` blocks.
    pub fn survey(&self, group: u32, from: u32, below: u32, most: usize) -> Survey {
        self.groups[group as usize].survey(self.length(group), from, below, most)
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

    /// The first free run of at least so many blocks from a block on: of one that begins before it, the part from there on.
    pub fn next_long(&self, from: u64, at_least: u32) -> Option<Run> {
        if from >= self.blocks {
            return None;
        }
        let least = u16::try_from(at_least.max(1)).ok()?;
        let (mut group, mut place) = self.place(from);
        loop {
            if let Some((start, end)) = self.next_long_in_group(group, place, least.into()) {
                return Some(Run { start: self.first_block(group) + u64::from(start), blocks: end - start });
            }
            group = self.longest.next(group + 1, least)?;
            place = 0;
        }
    }

    /// Where the first free buddy of exactly this order begins in a group.
    pub fn first_buddy(&self, group: u32, order: u32) -> Option<u32> {
        let mut first = None;
        self.each_long_in_group(group, 0, 1 << order, |(start, end)| {
            first = Buddies::of(start, end).first(order);
            first.is_some()
        });
        first
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

    /// The first group from `from` on whose mean run has this order ([`Tally::mean_order`]) and at least so many blocks.
    pub fn next_of_mean(&self, order: u32, at_least: u32, from: u32) -> Option<u32> {
        self.by_mean[order as usize].next(from, u16::try_from(at_least.max(1)).ok()?)
    }

    /// The shortest run of at least so many blocks, the first of equal ones.
    pub fn shortest_run(&mut self, at_least: u32) -> Option<Run> {
        let &(blocks, start) = self.lengths().range((at_least, 0)..).next()?;
        Some(Run { start, blocks })
    }

    /// The longest run, the first of equal ones.
    pub fn longest_run(&self) -> Option<Run> {
        match self.longest.largest() {
            0 => None,
            blocks => self.next_long(0, blocks.into()),
        }
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

    /// The free space in areas of so many blocks. Made when they are first asked for, and kept up from then on.
    pub fn areas(&mut self, area_blocks: u64) -> &Areas {
        if self.areas.as_ref().is_none_or(|areas| areas.area_blocks() != area_blocks) {
            let mut areas = Areas::new(self.blocks, area_blocks);
            let mut from = 0;
            while let Some(run) = self.next_run(from) {
                from = run.end();
                areas.change(run.start, from, true);
            }
            self.areas = Some(areas);
        }
        self.areas.get_or_insert_with(|| Areas::new(self.blocks, area_blocks))
    }

    /// From now on, groups are listed in the order in which they come to an order; those that have it already, by number.
    pub(crate) fn keep_arrivals(&mut self) {
        if self.arrivals.is_none() {
            let mut arrivals = Arrivals::new(self.groups.len());
            for group in 0..self.groups() {
                let now = self.summary(group);
                arrivals.put(ListedBy::Largest, group, now.largest_order);
                arrivals.put(ListedBy::Mean, group, now.mean_order());
            }
            self.arrivals = Some(arrivals);
        }
    }

    /// The first listed group of this order that is good; none where lists are not kept.
    pub(crate) fn first_listed(
        &self,
        by: ListedBy,
        order: u32,
        is_good: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        self.arrivals.as_ref()?.first(by, order, is_good)
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
        if let Some(areas) = &mut self.areas {
            areas.change(start, end, given);
        }
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
        let before = self.summary(group);
        let state = &mut self.groups[group as usize];
        let whole = if given { state.give(length, start, end) } else { state.take(length, start, end) };
        let blocks = u64::from(end - start);
        if given {
            self.free_blocks += blocks;
        } else {
            self.free_blocks -= blocks;
        }
        let after = self.summary(group);
        self.move_group(group, before, after);
        if let Some(arrivals) = &mut self.arrivals {
            arrivals.put(ListedBy::Largest, group, after.largest_order);
            arrivals.put(ListedBy::Mean, group, after.mean_order());
        }
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

    fn summary(&self, group: u32) -> Summary {
        let state = &self.groups[group as usize];
        let (mean, longest) = (state.mean(), state.longest());
        Summary { largest_order: state.largest_order(), mean, longest }
    }

    /// Where a group is found from now on.
    fn move_group(&mut self, group: u32, before: Summary, after: Summary) {
        if before.largest_order != after.largest_order {
            if let Some(order) = before.largest_order {
                self.by_largest[order as usize].remove(group);
            }
            if let Some(order) = after.largest_order {
                self.by_largest[order as usize].insert(group);
            }
        }
        if before.mean != after.mean {
            let (from, to) = (mean_order_of(before.mean.into()), mean_order_of(after.mean.into()));
            if from != to {
                self.by_mean[from as usize].set(group, 0);
            }
            self.by_mean[to as usize].set(group, after.mean);
        }
        if before.longest != after.longest {
            self.longest.set(group, after.longest);
        }
    }
}

/// By what a group is found.
#[derive(Debug, Clone, Copy)]
struct Summary {
    largest_order: Option<u32>,
    mean: u16,
    longest: u16,
}

impl Summary {
    fn mean_order(self) -> Option<u32> {
        (self.mean > 0).then(|| mean_order_of(self.mean.into()))
    }
}
