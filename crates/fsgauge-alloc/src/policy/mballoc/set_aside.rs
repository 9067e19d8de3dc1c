//! Blocks that are set aside: for one file (preallocations of inodes), and for all small files together (those of the
//! locality group; there is one a processor, and the model has one processor).

use std::collections::BTreeMap;

use crate::free_map::{FreeMap, Run};
use crate::policy::Extent;

/// A window of one file.
#[derive(Debug, Clone)]
struct OfFile {
    extent: Extent,
    /// Blocks that are in use, as places in the window.
    used: Vec<(u32, u32)>,
    unused_blocks: u32,
}

impl OfFile {
    fn unused(&self) -> impl Iterator<Item = Run> {
        let mut used = self.used.clone();
        used.sort_unstable();
        used.push((self.extent.blocks, self.extent.blocks));
        let start = self.extent.physical;
        let mut from = 0;
        used.into_iter().filter_map(move |(begin, end)| {
            let run = Run { start: start + u64::from(from), blocks: begin - from };
            from = end;
            (run.blocks > 0).then_some(run)
        })
    }
}

/// Lists of the locality group: by the order of what is left, each from the shortest on.
const LISTS: usize = 10;
/// A list with more members than this loses the shortest, until so many are left.
const MOST: usize = 8;
const KEPT: usize = 5;

/// All that mballoc has set aside.
#[derive(Debug, Clone, Default)]
pub(super) struct SetAside {
    /// By file, then by the first block in the file.
    files: BTreeMap<u32, BTreeMap<u64, OfFile>>,
    small: [Vec<Run>; LISTS],
}

fn list_of(blocks: u32) -> usize {
    (blocks.ilog2() as usize).min(LISTS - 1)
}

/// Gives runs back; says how many blocks they have.
fn give(space: &mut FreeMap, runs: impl IntoIterator<Item = Run>) -> u32 {
    let mut blocks = 0;
    for run in runs {
        space.give(run.start, run.blocks);
        blocks += run.blocks;
    }
    blocks
}

impl SetAside {
    /// Blocks of a file's own window for a request.
    pub(super) fn take_of_file(&mut self, file: u32, logical: u64, blocks: u32) -> Option<Extent> {
        let windows = self.files.get_mut(&file)?;
        let (&key, window) = windows.range_mut(..=logical).next_back()?;
        if logical >= window.extent.logical_end() {
            return None;
        }
        let place = (logical - window.extent.logical) as u32;
        let blocks = blocks.min(window.extent.blocks - place);
        let extent = Extent { logical, physical: window.extent.physical + u64::from(place), blocks };
        window.used.push((place, place + blocks));
        window.unused_blocks -= blocks;
        if window.unused_blocks == 0 {
            windows.remove(&key);
        }
        Some(extent)
    }

    /// The ends of windows before a block of a file, and the beginning of one behind it.
    pub(super) fn neighbours(&self, file: u32, logical: u64) -> (Option<u64>, Option<u64>) {
        let Some(windows) = self.files.get(&file) else { return (None, None) };
        let before = windows.range(..logical).next_back().map(|(_, window)| window.extent.logical_end());
        (before, windows.range(logical + 1..).next().map(|(start, _)| *start))
    }

    pub(super) fn add_of_file(&mut self, file: u32, extent: Extent) {
        let window = OfFile { extent, used: Vec::new(), unused_blocks: extent.blocks };
        self.files.entry(file).or_default().insert(extent.logical, window);
    }

    /// Blocks of the small files' windows: of those that have enough, the nearest to the goal.
    pub(super) fn take_of_small(&mut self, space: &mut FreeMap, goal: u64, blocks: u32) -> Option<u64> {
        let mut best: Option<(u64, usize, usize)> = None;
        for list in list_of(blocks)..LISTS {
            for (place, run) in self.small[list].iter().enumerate().filter(|(_, run)| run.blocks >= blocks) {
                let distance = goal.abs_diff(run.start);
                if best.is_none_or(|(nearest, ..)| distance < nearest) {
                    best = Some((distance, list, place));
                }
            }
        }
        let (_, list, place) = best?;
        let run = self.small[list].remove(place);
        self.add_of_small(space, Run { start: run.start + u64::from(blocks), blocks: run.blocks - blocks });
        Some(run.start)
    }

    /// What is left of a window goes to the list of its length. A list that is too long loses its shortest members, but
    /// not the one that was just used.
    pub(super) fn add_of_small(&mut self, space: &mut FreeMap, run: Run) {
        if run.blocks == 0 {
            return;
        }
        let list = &mut self.small[list_of(run.blocks)];
        let place = list.iter().position(|other| run.blocks < other.blocks).unwrap_or(list.len());
        list.insert(place, run);
        if list.len() > MOST {
            let (mut at, mut lost) = (0, Vec::new());
            while list.len() > KEPT && at < list.len() {
                if list[at] == run {
                    at += 1;
                } else {
                    lost.push(list.remove(at));
                }
            }
            // The kernel gathers them, and frees what it has gathered last first: Linux 6.1 lists groups in the order in which
            // they change.
            give(space, lost.into_iter().rev());
        }
    }

    /// Gives back what a file did not use: of the window that was used last first, as the kernel does. In files that grow at
    /// their end, that is the one furthest behind.
    pub(super) fn release(&mut self, space: &mut FreeMap, file: u32) -> u32 {
        let windows = self.files.remove(&file).unwrap_or_default();
        give(space, windows.values().rev().flat_map(OfFile::unused))
    }

    /// Gives back what is set aside, group by group from the first on, until there are so many blocks or nothing is left.
    pub(super) fn release_some(&mut self, space: &mut FreeMap, needed: u32) -> u32 {
        let mut groups = BTreeMap::<u32, (Vec<(u32, u64)>, Vec<Run>)>::new();
        for (file, windows) in &self.files {
            for (logical, window) in windows {
                groups.entry(space.place(window.extent.physical).0).or_default().0.push((*file, *logical));
            }
        }
        for run in self.small.iter().flatten() {
            groups.entry(space.place(run.start).0).or_default().1.push(*run);
        }
        let mut freed = 0;
        for (of_files, of_small) in groups.into_values() {
            for (file, logical) in of_files {
                let window = self.files.get_mut(&file).and_then(|windows| windows.remove(&logical));
                freed += give(space, window.iter().flat_map(OfFile::unused));
            }
            for run in &of_small {
                self.small[list_of(run.blocks)].retain(|other| other != run);
            }
            freed += give(space, of_small);
            if freed >= needed {
                break;
            }
        }
        freed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::free_map::ListedBy;

    fn space() -> FreeMap {
        FreeMap::new(1 << 20, 32768).unwrap()
    }

    #[test]
    fn a_window_is_used_where_its_blocks_are_and_the_rest_given_back() {
        let (mut aside, mut space) = (SetAside::default(), space());
        space.take(1000, 64);
        aside.add_of_file(7, Extent { logical: 32, physical: 1000, blocks: 64 });
        assert_eq!(aside.take_of_file(7, 31, 1), None);
        assert_eq!(aside.take_of_file(7, 96, 1), None);
        let extent = aside.take_of_file(7, 40, 100).unwrap();
        assert_eq!((extent.physical, extent.blocks), (1008, 56));
        assert_eq!(aside.neighbours(7, 100), (Some(96), None));
        assert_eq!(aside.neighbours(7, 3), (None, Some(32)));
        assert_eq!(aside.release(&mut space, 7), 8);
        assert_eq!(space.next_run(1000).unwrap().start, 0);
        assert_eq!(space.free_blocks(), (1 << 20) - 56);
    }

    #[test]
    fn small_files_share_the_nearest_window_and_lists_stay_short() {
        let (mut aside, mut space) = (SetAside::default(), space());
        for start in (0..9).map(|which| which * 10_000) {
            space.take(start, 512);
            aside.add_of_small(&mut space, Run { start, blocks: 512 });
        }
        // Nine of equal length are too many: the five that came last are left.
        assert_eq!(space.free_blocks(), (1 << 20) - 5 * 512);
        assert_eq!(aside.take_of_small(&mut space, 59_000, 4), Some(60_000));
        assert_eq!(aside.take_of_small(&mut space, 59_000, 1), Some(60_004));
        assert_eq!(aside.take_of_small(&mut space, 0, 600), None);
        // Group by group: three windows are in the second, two in the third.
        assert_eq!(aside.release_some(&mut space, 1), 3 * 512 - 5);
        assert_eq!(aside.release_some(&mut space, u32::MAX), 2 * 512);
        assert_eq!(space.free_blocks(), (1 << 20) - 5);
    }

    /// Windows were given back the other way round, and groups of equal means were searched in another order than by Linux
    /// 6.1.
    #[test]
    fn what_was_set_aside_last_is_given_back_first() {
        let (mut aside, mut space) = (SetAside::default(), space());
        space.take(0, 1 << 20);
        space.keep_arrivals();
        let first = |space: &FreeMap, order| space.first_listed(ListedBy::Mean, order, |_| true);
        for logical in [0, 8] {
            aside.add_of_file(7, Extent { logical, physical: logical * 32768, blocks: 8 });
        }
        aside.release(&mut space, 7);
        assert_eq!(first(&space, 2), Some(8));
        // Four of the nine are too many: those of 32 to 35 blocks.
        for which in 0..9 {
            aside.add_of_small(&mut space, Run { start: (which + 16) * 32768, blocks: 32 + which as u32 });
        }
        assert_eq!(first(&space, 4), Some(19));
    }
}
