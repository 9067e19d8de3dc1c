//! The free space of allocation groups that are larger than groups of the map, as two trees each: runs by their place, and
//! by their length. Runs end at the borders of areas alone.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound::{Excluded, Unbounded};

/// A free run of an area: its first block on the device, and how many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    /// The first block.
    pub start: u64,
    /// How many.
    pub blocks: u64,
}

impl Stretch {
    /// The block behind it.
    pub fn end(&self) -> u64 {
        self.start + self.blocks
    }
}

/// The free space of one area.
#[derive(Debug, Clone, Default)]
pub struct Area {
    by_place: BTreeMap<u64, u64>,
    by_length: BTreeSet<(u64, u64)>,
    free_blocks: u64,
}

fn of_place((&start, &blocks): (&u64, &u64)) -> Stretch {
    Stretch { start, blocks }
}

fn of_length(&(blocks, start): &(u64, u64)) -> Stretch {
    Stretch { start, blocks }
}

impl Area {
    /// Free blocks.
    pub fn free_blocks(&self) -> u64 {
        self.free_blocks
    }

    /// How many free runs there are.
    pub fn runs(&self) -> usize {
        self.by_place.len()
    }

    /// Runs that begin at a block or before, from the nearest on.
    pub fn up_to(&self, block: u64) -> impl Iterator<Item = Stretch> {
        self.by_place.range(..=block).rev().map(of_place)
    }

    /// Runs that begin at a block or behind it, from the nearest on.
    pub fn from(&self, block: u64) -> impl Iterator<Item = Stretch> {
        self.by_place.range(block..).map(of_place)
    }

    /// Runs of at least so many blocks, of equal ones those from a block on, and all that are longer.
    pub fn at_least(&self, blocks: u64, from: u64) -> impl Iterator<Item = Stretch> {
        self.by_length.range((blocks, from)..).map(of_length)
    }

    /// Runs from the longest on, of equal ones the last first.
    pub fn from_longest(&self) -> impl Iterator<Item = Stretch> {
        self.by_length.iter().rev().map(of_length)
    }

    /// The run before another in the order of lengths.
    pub fn next_shorter(&self, than: Stretch) -> Option<Stretch> {
        self.by_length.range(..(than.blocks, than.start)).next_back().map(of_length)
    }

    fn insert(&mut self, start: u64, end: u64) {
        if start < end {
            self.by_place.insert(start, end - start);
            self.by_length.insert((end - start, start));
        }
    }

    fn remove(&mut self, run: Stretch) {
        self.by_place.remove(&run.start);
        self.by_length.remove(&(run.blocks, run.start));
    }

    fn take(&mut self, start: u64, end: u64) {
        let run = self.up_to(start).next().filter(|run| run.end() >= end);
        let Some(run) = run else { panic!("blocks {start} to {end} are taken, and not all are free") };
        self.remove(run);
        self.insert(run.start, start);
        self.insert(end, run.end());
        self.free_blocks -= end - start;
    }

    fn give(&mut self, start: u64, end: u64) {
        let before = self.up_to(start).next().filter(|run| run.end() == start);
        let behind = self.by_place.range((Excluded(start), Unbounded)).next().map(of_place);
        let behind = behind.filter(|run| run.start == end);
        [before, behind].into_iter().flatten().for_each(|run| self.remove(run));
        self.insert(before.map_or(start, |run| run.start), behind.map_or(end, |run| run.end()));
        self.free_blocks += end - start;
    }
}

/// The areas of a device.
#[derive(Debug, Clone)]
pub struct Areas {
    area_blocks: u64,
    areas: Vec<Area>,
}

impl Areas {
    /// Areas of so many blocks, but for the last; nothing in them is free yet.
    pub(super) fn new(blocks: u64, area_blocks: u64) -> Self {
        Areas { area_blocks, areas: vec![Area::default(); blocks.div_ceil(area_blocks) as usize] }
    }

    /// Blocks of every area but the last, which may be shorter.
    pub fn area_blocks(&self) -> u64 {
        self.area_blocks
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.areas.len()
    }

    /// The area of a block.
    pub fn index(&self, block: u64) -> usize {
        (block / self.area_blocks) as usize
    }

    /// One area.
    pub fn area(&self, index: usize) -> &Area {
        &self.areas[index]
    }

    pub(super) fn change(&mut self, start: u64, end: u64, given: bool) {
        let mut at = start;
        while at < end {
            let index = self.index(at);
            let border = end.min((index as u64 + 1) * self.area_blocks);
            let area = &mut self.areas[index];
            if given {
                area.give(at, border);
            } else {
                area.take(at, border);
            }
            at = border;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::FreeMap;
    use super::*;
    use crate::draw::Random;

    /// The areas are what the map's own runs are when neighbours over the borders of groups are joined.
    #[test]
    fn areas_are_the_maps_runs_joined() {
        let (blocks, area_blocks) = (1000, 350);
        let mut map = FreeMap::new(blocks, 64).unwrap();
        map.areas(area_blocks);
        let mut random = Random::new(3);
        for _ in 0..3000 {
            let (start, length) = (random.below(blocks), 1 + random.below(30) as u32);
            if let Some(run) = map.run_at(start) {
                map.take(start, length.min((run.end() - start) as u32));
            } else {
                let end = map.next_run(start).map_or(blocks, |run| run.start);
                map.give(start, length.min((end - start) as u32));
            }
            let mut joined: Vec<Stretch> = Vec::new();
            let mut from = 0;
            while let Some(run) = map.next_run(from) {
                from = run.end();
                match joined.last_mut() {
                    Some(last) if last.end() == run.start && run.start % area_blocks != 0 => {
                        last.blocks += u64::from(run.blocks);
                    }
                    _ => joined.push(Stretch { start: run.start, blocks: run.blocks.into() }),
                }
                // A run of the map may reach over the border of an area.
                let last = joined.pop().unwrap();
                let border = (last.start / area_blocks + 1) * area_blocks;
                joined.push(Stretch { blocks: last.blocks.min(border - last.start), ..last });
                if last.end() > border {
                    joined.push(Stretch { start: border, blocks: last.end() - border });
                }
            }
            let areas = map.areas(area_blocks);
            let all = || (0..areas.count()).map(|index| areas.area(index));
            assert!(all().flat_map(|area| area.from(0)).eq(joined.iter().copied()));
            assert_eq!(all().map(Area::runs).sum::<usize>(), joined.len());
            assert_eq!(all().map(Area::free_blocks).sum::<u64>(), map.free_blocks());
        }
        let longest = |area: &Area| area.from_longest().next();
        let areas = map.areas(area_blocks);
        for area in (0..areas.count()).map(|index| areas.area(index)) {
            let by_length = area.from(0).map(|run| (run.blocks, run.start)).max();
            assert_eq!(longest(area).map(|run| (run.blocks, run.start)), by_length);
        }
    }
}
