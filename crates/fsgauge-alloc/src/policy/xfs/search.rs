//! The search in one allocation group: near a block, or by length alone.

use crate::free_map::{Area, Stretch};

/// Records of a leaf of the tree of lengths, with blocks of 4 KiB.
const LEAF_RECORDS: usize = 505;
/// Of a tree with more than one leaf, so many are in the last: leaves are halves when they are split, and fill up. How full
/// the last one is goes back to every insertion before.
const LAST_LEAF_RECORDS: usize = LEAF_RECORDS * 3 / 4;

/// What is searched for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish {
    /// Where it would be best.
    pub(super) target: u64,
    /// Blocks, at least and at most.
    pub(super) least: u64,
    pub(super) most: u64,
    /// A length that is less than all should be a multiple of the first, and so much more.
    pub(super) multiple: (u64, u64),
    /// Whether it is for a file's data.
    pub(super) data: bool,
}

impl Wish {
    /// Blocks of a run that are taken.
    fn cut(&self, blocks: u64) -> u64 {
        let (multiple, more) = self.multiple;
        let blocks = blocks.min(self.most);
        if blocks == self.most || blocks < more || (more == 0 && blocks < multiple) {
            return blocks;
        }
        let rest = (blocks + multiple - more) % multiple;
        if blocks - rest < self.least { blocks } else { blocks - rest }
    }

    /// Where in a free run so many blocks are best. Behind the target, and for data before it as well, at the run's start,
    /// so that what follows has room; else at the target, or at the run's end.
    fn place(&self, run: Stretch, blocks: u64) -> u64 {
        let wanted_end = self.target + blocks;
        if run.start >= self.target || (self.data && run.end() < wanted_end) {
            run.start
        } else if run.end() >= wanted_end {
            self.target
        } else {
            run.end() - blocks
        }
    }
}

/// The best so far.
#[derive(Debug)]
struct Best {
    wish: Wish,
    found: Option<Stretch>,
    distance: u64,
}

/// What a run is to the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    Better,
    /// Better, and there is nothing better still.
    Perfect,
    NoBetter,
    /// Farther off than the best so far.
    Farther,
    TooShort,
}

impl Best {
    fn see(&mut self, run: Stretch) -> Seen {
        if run.blocks < self.wish.least {
            return Seen::TooShort;
        }
        let blocks = self.wish.cut(run.blocks);
        if self.found.is_some_and(|found| blocks < found.blocks) {
            return Seen::NoBetter;
        }
        let start = self.wish.place(run, blocks);
        let distance = start.abs_diff(self.wish.target);
        if distance > self.distance {
            return Seen::Farther;
        }
        (self.found, self.distance) = (Some(Stretch { start, blocks }), distance);
        if distance == 0 && blocks == self.wish.most { Seen::Perfect } else { Seen::Better }
    }

    /// The first of runs that is better, if it comes before one that is farther off.
    fn walk(&mut self, runs: impl Iterator<Item = Stretch>) {
        for run in runs {
            if matches!(self.see(run), Seen::Better | Seen::Perfect | Seen::Farther) {
                return;
            }
        }
    }
}

/// The shortest run that holds all; else the longest.
pub(super) fn by_length(area: &Area, wish: Wish) -> Option<Stretch> {
    let run = area.at_least(wish.most, 0).next().or_else(|| area.from_longest().next())?;
    (run.blocks >= wish.least).then(|| Stretch { start: run.start, blocks: wish.cut(run.blocks) })
}

/// The run that is best by distance and length, as far as is looked.
pub(super) fn near(area: &Area, wish: Wish) -> Option<Stretch> {
    let mut best = Best { wish, found: None, distance: u64::MAX };
    let leaf = if area.runs() <= LEAF_RECORDS { LEAF_RECORDS } else { LAST_LEAF_RECORDS };
    let first = area.at_least(wish.most, 0).next();
    match first {
        None => {
            // None holds all: those of the last leaf, from its first on.
            let mut last: Vec<Stretch> = area.from_longest().take(leaf).collect();
            last.retain(|run| run.blocks >= wish.least);
            last.into_iter().rev().for_each(|run| {
                best.see(run);
            });
        }
        Some(_) if area.at_least(wish.most, 0).nth(leaf).is_none() => {
            for run in area.at_least(wish.most, 0) {
                if best.see(run) == Seen::Perfect {
                    break;
                }
            }
        }
        Some(_) => around(area, &mut best),
    }
    best.found
}

/// The nearest run on both sides, step by step, until one of them holds enough; and in turn with that, the nearest of each
/// length.
fn around(area: &Area, best: &mut Best) {
    let target = best.wish.target;
    let (mut before, mut behind) = (area.up_to(target).fuse(), area.from(target).fuse());
    let (mut is_left, mut is_right) = (true, true);
    let mut length = best.wish.most;
    loop {
        match step(best, &mut before, &mut is_left) {
            // The other side has one chance: its next that is not farther off.
            true if is_right => return best.walk(behind),
            true => return,
            false => {}
        }
        match step(best, &mut behind, &mut is_right) {
            true if is_left => return best.walk(before),
            true => return,
            false => {}
        }
        match of_length(area, best, length) {
            Some(next) => length = next,
            None => break,
        }
    }
    if best.found.is_none() {
        best.walk(area.from_longest());
    }
}

/// Sees the next run of a side that is not at its end; says whether it is better.
fn step(best: &mut Best, runs: &mut impl Iterator<Item = Stretch>, is_active: &mut bool) -> bool {
    if !*is_active {
        return false;
    }
    let seen = runs.next().map(|run| best.see(run));
    *is_active = seen.is_some_and(|seen| seen != Seen::Farther);
    matches!(seen, Some(Seen::Better | Seen::Perfect))
}

/// The nearest run of the first length from one on; gives the length to go on with, none at the end.
fn of_length(area: &Area, best: &mut Best, length: u64) -> Option<u64> {
    let run = area.at_least(length, best.wish.target).next()?;
    let mut is_over = best.see(run) == Seen::Perfect;
    if run.start > best.wish.target
        && let Some(other) = area.next_shorter(run).filter(|other| other.blocks == run.blocks)
    {
        is_over |= best.see(other) == Seen::Perfect;
    }
    let next = if best.found.is_none() || run.blocks >= 2 * length { run.blocks + 1 } else { 2 * length };
    (!is_over).then_some(next)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Random;
    use crate::free_map::FreeMap;

    const BLOCKS: u64 = 30_000;

    /// A device of one area that is half free, in runs of this mean.
    fn space(mean_blocks: u64, seed: u64) -> FreeMap {
        let mut map = FreeMap::new(BLOCKS, 32768).unwrap();
        let mut random = Random::new(seed);
        let mut at = random.below(5);
        while at < BLOCKS {
            let taken = (1 + random.below(2 * mean_blocks)).min(BLOCKS - at) as u32;
            map.take(at, taken);
            at += u64::from(taken) + 1 + random.below(2 * mean_blocks);
        }
        map
    }

    fn wish(target: u64, least: u64, most: u64) -> Wish {
        Wish { target, least, most, multiple: (1, 0), data: true }
    }

    /// With few runs all are seen: the nearest of those that hold all; else the longest, and of these the nearest.
    #[test]
    fn among_few_runs_the_nearest_is_found() {
        for seed in 0..20 {
            let mut map = space(40, seed);
            let mut random = Random::new(seed);
            let area = map.areas(BLOCKS).area(0);
            assert!(area.runs() <= LEAF_RECORDS);
            for _ in 0..50 {
                let (target, most) = (1 + random.below(BLOCKS - 1), 1 + random.below(120));
                let longest = area.from_longest().next().unwrap().blocks;
                let wish = wish(target, longest.min(most), most);
                let found = near(area, wish).unwrap();
                let fits = || area.from(0).filter(|run| run.blocks >= wish.least);
                let distance = |run: Stretch| wish.place(run, found.blocks).abs_diff(target);
                assert_eq!(found.blocks, longest.min(most));
                assert_eq!(found.start.abs_diff(target), fits().map(distance).min().unwrap());
                assert!(fits().any(|run| run.start <= found.start && found.end() <= run.end()));
            }
        }
    }

    /// With many, the two sides of the target are looked at in turn, and lengths that double: what is found is free, long
    /// enough, and no farther off than the nearest of the asked length.
    #[test]
    fn among_many_runs_what_is_found_is_near_enough() {
        for seed in 0..6 {
            let mut map = space(5, seed);
            let mut random = Random::new(seed);
            let area = map.areas(BLOCKS).area(0);
            assert!(area.runs() > 2 * LEAF_RECORDS);
            for _ in 0..200 {
                let (target, most) = (1 + random.below(BLOCKS - 1), 1 + random.below(6));
                let found = near(area, wish(target, most, most)).unwrap();
                assert_eq!(found.blocks, most);
                let run = area.up_to(found.start).next().unwrap();
                assert!(found.end() <= run.end());
                let of_length = area.at_least(most, target).next().unwrap();
                let limit = of_length.start.abs_diff(target);
                assert!(found.start.abs_diff(target) <= limit, "{found:?} for {target}, {of_length:?}");
            }
            // At the target itself, where it is free.
            let run = area.from(BLOCKS / 2).find(|run| run.blocks >= 4).unwrap();
            let found = near(area, wish(run.start + 1, 3, 3)).unwrap();
            assert_eq!(found.start, run.start + 1);
        }
    }

    #[test]
    fn by_length_is_the_shortest_that_fits_or_the_longest() {
        let mut map = FreeMap::new(1000, 1000).unwrap();
        // Free: 100 to 110, 200 to 205, 300 to 305, 400 to 420.
        for (start, end) in [(0, 100), (110, 200), (205, 300), (305, 400), (420, 1000)] {
            map.take(start, (end - start) as u32);
        }
        let area = map.areas(1000).area(0);
        let found = |least, most| by_length(area, wish(0, least, most)).map(|run| (run.start, run.blocks));
        assert_eq!(
            [found(1, 5), found(1, 6), found(1, 11)],
            [Some((200, 5)), Some((100, 6)), Some((400, 11))]
        );
        assert_eq!([found(1, 50), found(21, 50)], [Some((400, 20)), None]);
        // Less than all is cut to a multiple.
        let hinted = Wish { multiple: (16, 0), ..wish(0, 1, 64) };
        assert_eq!(by_length(area, hinted).unwrap().blocks, 16);
        let hinted = Wish { multiple: (16, 3), ..wish(0, 1, 64) };
        assert_eq!(by_length(area, hinted).unwrap().blocks, 19);
    }
}
