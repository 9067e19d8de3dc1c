//! A second free map, slow and obviously right: one bool a block, everything counted anew. Drawn histories of both must
//! agree in every answer.

use super::{Buddies, FreeMap, ORDERS, Run, Tally, mean_order_of};
use crate::draw::Random;

struct Twin {
    free: Vec<bool>,
    group_blocks: usize,
    first_free: Vec<u32>,
}

impl Twin {
    fn new(blocks: u64, group_blocks: u32) -> Self {
        let groups = blocks.div_ceil(u64::from(group_blocks)) as usize;
        Twin {
            free: vec![true; blocks as usize],
            group_blocks: group_blocks as usize,
            first_free: vec![0; groups],
        }
    }

    fn group(&self, group: usize) -> &[bool] {
        let start = group * self.group_blocks;
        &self.free[start..(start + self.group_blocks).min(self.free.len())]
    }

    fn set(&mut self, start: u64, blocks: u32, free: bool) {
        let mut at = start as usize;
        let end = at + blocks as usize;
        while at < end {
            let group = at / self.group_blocks;
            let piece = end.min((group + 1) * self.group_blocks);
            let place = (at - group * self.group_blocks) as u32;
            let first_free = &mut self.first_free[group];
            if free {
                *first_free = (*first_free).min(place);
            } else if *first_free == place {
                *first_free += (piece - at) as u32;
            }
            self.free[at..piece].fill(free);
            at = piece;
        }
    }

    fn runs(&self) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (block, _) in self.free.iter().enumerate().filter(|(_, free)| **free) {
            match runs.last_mut() {
                Some(run) if run.end() == block as u64 && block % self.group_blocks != 0 => run.blocks += 1,
                _ => runs.push(Run { start: block as u64, blocks: 1 }),
            }
        }
        runs
    }

    /// A buddy is an aligned piece that is wholly free and whose parent is not, up to the largest order.
    fn tally(&self, group: usize) -> Tally {
        let free = self.group(group);
        let whole =
            |size: usize, at: usize| free.get(at..at + size).is_some_and(|part| part.iter().all(|&is| is));
        let mut tally = Tally { free: free.iter().filter(|is| **is).count() as u16, ..Tally::default() };
        tally.runs = (0..free.len()).filter(|&at| free[at] && (at == 0 || !free[at - 1])).count() as u16;
        for order in 0..ORDERS {
            let size = 1 << order;
            for at in (0..free.len()).step_by(size) {
                let parent = order + 1 < ORDERS && whole(2 * size, at & !(2 * size - 1));
                tally.buddies[order] += u16::from(whole(size, at) && !parent);
            }
        }
        tally
    }
}

fn assert_equal(map: &mut FreeMap, twin: &Twin, random: &mut Random) {
    let runs = twin.runs();
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(run) = map.next_run(from) {
        found.push(run);
        from = run.end();
    }
    assert_eq!(found, runs);
    assert_eq!(map.free_blocks(), runs.iter().map(|run| u64::from(run.blocks)).sum::<u64>());
    let tallies: Vec<Tally> = (0..map.groups()).map(|group| twin.tally(group as usize)).collect();
    for (group, tally) in tallies.iter().enumerate() {
        assert_eq!(map.tally(group as u32), *tally, "group {group}");
        assert_eq!(map.first_free(group as u32), twin.first_free[group], "group {group}");
    }
    let from = random.below(u64::from(map.groups()) + 1) as u32;
    let next =
        |fits: &dyn Fn(&Tally) -> bool| (from..map.groups()).find(|&group| fits(&tallies[group as usize]));
    for order in 0..ORDERS as u32 {
        let largest = |tally: &Tally| tally.buddies.iter().rposition(|&count| count > 0).map(|is| is as u32);
        assert_eq!(map.next_group(order, from), next(&|tally| largest(tally) >= Some(order)));
        assert_eq!(map.next_of_largest(order, from), next(&|tally| largest(tally) == Some(order)));
        let mean = |tally: &Tally| tally.runs > 0 && mean_order_of((tally.free / tally.runs).into()) == order;
        let least = 1 + random.below(100) as u32;
        let long_mean = |tally: &Tally| mean(tally) && u32::from(tally.free / tally.runs) >= least;
        assert_eq!(map.next_of_mean(order, 1, from), next(&mean));
        assert_eq!(map.next_of_mean(order, least, from), next(&long_mean));
    }
    let at_least = 1 + random.below(300) as u32;
    let shortest = runs.iter().filter(|run| run.blocks >= at_least).min_by_key(|run| (run.blocks, run.start));
    assert_eq!(map.shortest_run(at_least), shortest.copied());
    let from = random.below(map.blocks());
    let parts = runs.iter().filter(|run| run.end() > from).map(|run| {
        let start = run.start.max(from);
        Run { start, blocks: (run.end() - start) as u32 }
    });
    assert_eq!(map.next_long(from, at_least), parts.clone().find(|run| run.blocks >= at_least));
    let longest = runs.iter().min_by_key(|run| (u32::MAX - run.blocks, run.start));
    assert_eq!(map.longest_run(), longest.copied());
    let block = random.below(map.blocks());
    let at = runs.iter().find(|run| (run.start..run.end()).contains(&block));
    assert_eq!(map.run_at(block), at.copied());
}

/// A history of one shape of device; `mean_blocks` is the mean of what is taken and given back at a time.
fn history(blocks: u64, group_blocks: u32, mean_blocks: u64, steps: u32, seed: u64) {
    let (mut map, mut twin) = (FreeMap::new(blocks, group_blocks).unwrap(), Twin::new(blocks, group_blocks));
    let mut random = Random::new(seed);
    let mut taken: Vec<Run> = Vec::new();
    for step in 0..steps {
        // Tides: it fills, and it empties.
        let fills = random.below(10) < if step / 400 % 2 == 0 { 8 } else { 2 };
        let length = 1 + random.below(2 * mean_blocks) as u32;
        if fills {
            let from = random.below(blocks);
            if let Some(run) = map.next_run(from) {
                let start = run.start.max(from);
                let piece = Run { start, blocks: length.min((run.end() - start) as u32) };
                map.take(piece.start, piece.blocks);
                twin.set(piece.start, piece.blocks, false);
                taken.push(piece);
            }
        } else if !taken.is_empty() {
            let run = taken.swap_remove(random.below(taken.len() as u64) as usize);
            // Sometimes only its end, so that pieces that were taken together are given back apart.
            let kept = random.below(u64::from(run.blocks)) as u32 * u32::from(random.below(3) == 0);
            map.give(run.start + u64::from(kept), run.blocks - kept);
            twin.set(run.start + u64::from(kept), run.blocks - kept, true);
            if kept > 0 {
                taken.push(Run { start: run.start, blocks: kept });
            }
        }
        if step % 97 == 0 || step + 1 == steps {
            assert_equal(&mut map, &twin, &mut random);
        }
    }
    for run in taken {
        map.give(run.start, run.blocks);
        twin.set(run.start, run.blocks, true);
    }
    assert_equal(&mut map, &twin, &mut random);
    assert_eq!(map.free_blocks(), blocks);
}

#[test]
fn the_map_agrees_with_its_twin() {
    for seed in 0..4 {
        // One group and many, a short last group, groups that are no power of two, lists and bitmaps.
        history(1, 1, 1, 50, seed);
        history(1000, 64, 3, 2000, seed);
        history(4096 * 3 + 17, 4096, 2, 4000, seed);
        history(32768 + 5, 32768, 40, 1500, seed);
        history(7 * 100, 100, 30, 2000, seed);
    }
}

/// Shapes of devices that are drawn as well: some by default, FSGAUGE_FUZZ_EXAMPLES in `make fuzz`.
#[test]
fn fuzz_the_map_against_its_twin() {
    let examples = std::env::var("FSGAUGE_FUZZ_EXAMPLES").ok().and_then(|count| count.parse().ok());
    for seed in 0..examples.unwrap_or(40u64) {
        let mut random = Random::new(seed);
        let order = 1 + random.below(12);
        let group_blocks = 1 + random.below(1 << order) as u32;
        let blocks = 1 + random.below(6 * u64::from(group_blocks));
        let mean_blocks = 1 + random.below(1 + u64::from(group_blocks) / 4);
        history(blocks, group_blocks, mean_blocks, 300, seed);
    }
}

#[test]
fn a_run_over_a_border_is_two_and_is_taken_as_one() {
    let mut map = FreeMap::new(300, 100).unwrap();
    assert_eq!(map.next_run(0), Some(Run { start: 0, blocks: 100 }));
    map.take(50, 200);
    assert_eq!(map.free_blocks(), 100);
    assert_eq!(map.next_run(10), Some(Run { start: 0, blocks: 50 }));
    assert_eq!(map.next_run(50), Some(Run { start: 250, blocks: 50 }));
    map.give(50, 200);
    assert_eq!(map.tally(1), Tally::of_run(0, 100));
}

#[test]
fn what_cannot_be_is_named() {
    assert!(FreeMap::new(0, 10).unwrap_err().contains("0 blocks"));
    assert!(FreeMap::new(10, 0).unwrap_err().contains("groups of 0 blocks"));
    assert!(FreeMap::new(10, 32769).unwrap_err().contains("32769"));
    assert!(FreeMap::new(u64::MAX, 8).unwrap_err().contains("2^32"));
}

#[test]
#[should_panic(expected = "not all are free")]
fn taking_twice_is_a_mistake() {
    let mut map = FreeMap::new(100, 100).unwrap();
    map.take(10, 10);
    map.take(15, 1);
}

#[test]
#[should_panic(expected = "not all are taken")]
fn giving_back_twice_is_a_mistake() {
    let mut map = FreeMap::new(100, 100).unwrap();
    map.take(10, 10);
    map.give(9, 3);
}

/// Buddies of a run, as its blocks see them.
#[test]
fn every_block_is_in_one_buddy() {
    let mut counts = [0u32; ORDERS];
    let buddies = Buddies::of(3000, 20_000);
    (3000..20_000).for_each(|block| counts[buddies.order_at(block) as usize] += 1);
    let tally = Tally::of_run(3000, 20_000);
    for (order, count) in counts.into_iter().enumerate() {
        assert_eq!(count, u32::from(tally.buddies[order]) << order, "order {order}");
    }
}
