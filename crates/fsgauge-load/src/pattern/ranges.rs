//! Ranges: which places of the target belong to a job, and the order in which it visits them.
//!
//! A place is one block. Everything is a pure function of the load and the job, so what was written where can
//! be told afterwards. With own files, a job's places all lie in the file of its number.

use fsgauge_wire::{Access, LoadJob, Ranges};

use super::divisor::Divisor;
use super::shuffle::Shuffle;
use super::{Order, Place, SizeClass};
use crate::random::Random;
use crate::target::Geometry;

/// Streams of random numbers from here on belong to the orders of jobs.
const ORDER_STREAM: u64 = 2 << 32;

/// One job's places and its walk through them: all of them once, and again in the same order.
#[derive(Debug, Clone)]
pub(crate) struct RangeOrder {
    deal: Deal,
    /// Of a random order.
    shuffle: Option<Shuffle>,
    blocks_per_file: Divisor,
    block_bytes: Divisor,
    block_size_bytes: u64,
    visit: u64,
}

impl RangeOrder {
    /// The places of job `job`. The load has ranges, one block size, and for own files as many as jobs.
    pub(crate) fn new(load: &LoadJob, job: u32) -> Self {
        RangeOrder::of(load, &Geometry::of(&load.target), job)
    }

    /// The same in files of another shape.
    pub(super) fn of(load: &LoadJob, geometry: &Geometry, job: u32) -> Self {
        let block_size_bytes = load.block_sizes.first().map_or(1, |size| u64::from(size.size_bytes)).max(1);
        let blocks_per_file = geometry.file_size_bytes / block_size_bytes;
        let deal = Deal::new(load, job, blocks_per_file, u64::from(geometry.files), block_size_bytes);
        let is_shuffled = !matches!(load.access, Access::Sequential {}) && deal.places > 0;
        let random = Random::new(load.seed, ORDER_STREAM + u64::from(job));
        RangeOrder {
            shuffle: is_shuffled.then(|| Shuffle::new(deal.places, random)),
            deal,
            blocks_per_file: Divisor::new(blocks_per_file),
            block_bytes: Divisor::new(block_size_bytes),
            block_size_bytes,
            visit: 0,
        }
    }

    /// How many places this job has.
    pub(crate) fn places(&self) -> u64 {
        self.deal.places
    }

    /// The place of visit `visit` of a pass, which is below [`RangeOrder::places`].
    #[inline]
    pub(crate) fn place(&self, visit: u64) -> Place {
        let index = self.shuffle.as_ref().map_or(visit, |shuffle| shuffle.at(visit));
        let (file, block) = self.blocks_per_file.divide(self.deal.block(index));
        Place { file: file as u32, offset_bytes: block * self.block_size_bytes }
    }

    /// The visit of a pass that comes to `place`, which begins a block; none where it is not this job's.
    pub(crate) fn visit(&self, place: Place) -> Option<u64> {
        let block =
            u64::from(place.file) * self.blocks_per_file.by() + self.block_bytes.divide(place.offset_bytes).0;
        let index = self.deal.index(block)?;
        Some(self.shuffle.as_ref().map_or(index, |shuffle| shuffle.position(index)))
    }
}

impl Order for RangeOrder {
    #[inline]
    fn next(&mut self, _random: &mut Random, _class: &SizeClass) -> Place {
        let place = self.place(self.visit);
        self.visit += 1;
        if self.visit == self.deal.places {
            self.visit = 0;
        }
        place
    }
}

/// How the blocks of all files, counted through, are dealt: runs of `run` blocks, one in every `round`.
#[derive(Debug, Clone, Copy)]
struct Deal {
    first: u64,
    run: Divisor,
    round: Divisor,
    places: u64,
}

impl Deal {
    fn new(load: &LoadJob, job: u32, blocks_per_file: u64, files: u64, block_size_bytes: u64) -> Self {
        let total = blocks_per_file * files;
        let (own, (jobs, job)) = (u64::from(job), among_all(load, job));
        match load.ranges {
            None | Some(Ranges::Shared {}) => Deal::one(0, total),
            Some(Ranges::Segmented {}) => {
                let cut = |job: u64| (u128::from(total) * u128::from(job) / u128::from(jobs)) as u64;
                Deal::one(cut(job), cut(job + 1) - cut(job))
            }
            Some(Ranges::Interleaved {}) => Deal::in_turn(total, job, jobs, 1),
            Some(Ranges::Strided { stride_bytes }) => {
                Deal::in_turn(total, job, jobs, (stride_bytes / block_size_bytes).max(1))
            }
            Some(Ranges::OwnFiles {}) => Deal::one(own * blocks_per_file, blocks_per_file),
        }
    }

    /// One run, and no other.
    fn one(first: u64, places: u64) -> Self {
        Deal { first, run: Divisor::new(places), round: Divisor::new(u64::MAX), places }
    }

    /// Runs in turn; the last round may be short.
    fn in_turn(total: u64, job: u64, jobs: u64, run: u64) -> Self {
        let (first, round) = (job.saturating_mul(run), jobs.saturating_mul(run));
        let places = total / round * run + (total % round).saturating_sub(first).min(run);
        Deal { first, run: Divisor::new(run), round: Divisor::new(round), places }
    }

    /// The block of the job's place `index`.
    #[inline]
    fn block(&self, index: u64) -> u64 {
        let (runs, rest) = self.run.divide(index);
        self.first + runs * self.round.by() + rest
    }

    /// The other way round.
    fn index(&self, block: u64) -> Option<u64> {
        let (rounds, rest) = self.round.divide(block.checked_sub(self.first)?);
        let index = rounds * self.run.by() + rest;
        (rest < self.run.by() && index < self.places).then_some(index)
    }
}

/// How many jobs share the target, and the number of this engine's job `job` among them.
fn among_all(load: &LoadJob, job: u32) -> (u64, u64) {
    load.jobs_of_all.map_or((u64::from(load.jobs), u64::from(job)), |all| {
        (u64::from(all.of), u64::from(all.first) + u64::from(job))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::{BlockSize, JobsOfAll, Target};
    use std::collections::BTreeSet;

    const BLOCK: u64 = 8192;
    const DISJOINT: [Ranges; 5] = [
        Ranges::Segmented {},
        Ranges::Interleaved {},
        Ranges::Strided { stride_bytes: BLOCK },
        Ranges::Strided { stride_bytes: 3 * BLOCK },
        Ranges::Strided { stride_bytes: 7 * BLOCK },
    ];

    fn load(ranges: Ranges, access: Access, files: u32, blocks: u64, jobs: u32) -> LoadJob {
        LoadJob {
            ranges: Some(ranges),
            access,
            jobs,
            target: Target::Files {
                directory: "/".into(),
                prefix: "f".into(),
                count: files,
                // A file may end with a part of a block.
                file_size_bytes: blocks * BLOCK + 100,
            },
            block_sizes: vec![BlockSize { size_bytes: BLOCK as u32, weight: 1 }],
            ..LoadJob::plain()
        }
    }

    fn key(place: Place) -> (u32, u64) {
        assert_eq!(place.offset_bytes % BLOCK, 0);
        (place.file, place.offset_bytes / BLOCK)
    }

    fn places(load: &LoadJob, job: u32) -> Vec<(u32, u64)> {
        let order = RangeOrder::new(load, job);
        (0..order.places()).map(|visit| key(order.place(visit))).collect()
    }

    fn everything(files: u32, blocks: u64) -> Vec<(u32, u64)> {
        (0..files).flat_map(|file| (0..blocks).map(move |block| (file, block))).collect()
    }

    #[test]
    fn disjoint_ranges_cover_every_place_once() {
        for access in [Access::Sequential {}, Access::Random {}] {
            for ranges in DISJOINT {
                for (files, blocks, jobs) in [(1, 64, 4), (1, 61, 4), (1, 100, 7), (3, 37, 5), (1, 5, 1)] {
                    let load = load(ranges, access.clone(), files, blocks, jobs);
                    let mut all: Vec<_> = (0..jobs).flat_map(|job| places(&load, job)).collect();
                    all.sort_unstable();
                    assert_eq!(all, everything(files, blocks), "{ranges:?} {jobs} jobs");
                }
            }
        }
    }

    #[test]
    fn engines_that_share_a_file_cover_every_place_once() {
        for access in [Access::Sequential {}, Access::Random {}] {
            for ranges in DISJOINT {
                let whole = load(ranges, access.clone(), 1, 61, 5);
                let of = |first, jobs| LoadJob {
                    jobs,
                    jobs_of_all: Some(JobsOfAll { first, of: 5 }),
                    ..whole.clone()
                };
                let engines = [of(0, 2), of(2, 2), of(4, 1)];
                let mut all: Vec<_> = engines
                    .iter()
                    .flat_map(|engine| (0..engine.jobs).flat_map(|job| places(engine, job)))
                    .collect();
                all.sort_unstable();
                assert_eq!(all, everything(1, 61), "{ranges:?}");
            }
        }
        let whole = load(Ranges::Segmented {}, Access::Sequential {}, 1, 8, 2);
        let second = LoadJob { jobs: 1, jobs_of_all: Some(JobsOfAll { first: 1, of: 2 }), ..whole.clone() };
        assert_eq!(places(&second, 0), places(&whole, 1));
        let ledger = RangeOrder::new(&second, 0);
        assert_eq!(ledger.visit(Place { file: 0, offset_bytes: 0 }), None, "it is another engine's");
    }

    #[test]
    fn shared_ranges_are_everything_for_each_job() {
        for access in [Access::Sequential {}, Access::Random {}] {
            let load = load(Ranges::Shared {}, access, 2, 33, 3);
            for job in 0..3 {
                let mut all = places(&load, job);
                all.sort_unstable();
                assert_eq!(all, everything(2, 33));
            }
        }
    }

    #[test]
    fn own_files_are_whole_and_one_each() {
        for access in [Access::Sequential {}, Access::Random {}] {
            let load = load(Ranges::OwnFiles {}, access, 4, 33, 4);
            for job in 0..4 {
                let mut all = places(&load, job);
                all.sort_unstable();
                assert_eq!(all, (0..33).map(|block| (job, block)).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn ranges_lie_as_they_are_named() {
        let blocks = |ranges, job| -> Vec<u64> {
            let load = load(ranges, Access::Sequential {}, 1, 8, 2);
            places(&load, job).into_iter().map(|(_, block)| block).collect()
        };
        assert_eq!(blocks(Ranges::Segmented {}, 1), [4, 5, 6, 7]);
        assert_eq!(blocks(Ranges::Interleaved {}, 1), [1, 3, 5, 7]);
        assert_eq!(blocks(Ranges::Strided { stride_bytes: 2 * BLOCK }, 1), [2, 3, 6, 7]);
        assert_eq!(blocks(Ranges::Shared {}, 1), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[test]
    fn a_visit_is_found_by_its_place_and_only_by_its_owner() {
        for access in [Access::Sequential {}, Access::Random {}] {
            for ranges in DISJOINT.into_iter().chain([Ranges::Shared {}, Ranges::OwnFiles {}]) {
                let load = load(ranges, access.clone(), 3, 37, 3);
                for job in 0..3 {
                    let order = RangeOrder::new(&load, job);
                    let own: BTreeSet<_> = places(&load, job).into_iter().collect();
                    for visit in 0..order.places() {
                        assert_eq!(order.visit(order.place(visit)), Some(visit));
                    }
                    for (file, block) in everything(3, 37) {
                        let visit = order.visit(Place { file, offset_bytes: block * BLOCK });
                        assert_eq!(visit.is_some(), own.contains(&(file, block)), "{ranges:?} {job}");
                    }
                }
            }
        }
    }

    #[test]
    fn every_pass_is_the_same() {
        for access in [Access::Sequential {}, Access::Random {}] {
            let load = load(Ranges::Strided { stride_bytes: 2 * BLOCK }, access, 1, 61, 4);
            let mut order = RangeOrder::new(&load, 3);
            let mut random = Random::new(9, 9);
            let geometry = Geometry::of(&load.target);
            let class = *crate::pattern::Sizes::new(&load.block_sizes, &geometry).next(false, &mut random);
            let one = places(&load, 3);
            for _ in 0..3 {
                let walked: Vec<_> = one.iter().map(|_| key(order.next(&mut random, &class))).collect();
                assert_eq!(walked, one);
            }
        }
    }

    #[test]
    fn jobs_and_seeds_shuffle_differently() {
        let load = load(Ranges::Shared {}, Access::Random {}, 1, 1000, 2);
        let other = LoadJob { seed: load.seed + 1, ..load.clone() };
        assert_ne!(places(&load, 0), places(&load, 1));
        assert_ne!(places(&load, 0), places(&other, 0));
        assert_eq!(places(&load, 0), places(&load, 0));
    }

    #[test]
    fn a_job_beyond_the_ranges_has_no_place() {
        let too_many = load(Ranges::Interleaved {}, Access::Random {}, 1, 3, 4);
        assert_eq!(RangeOrder::new(&too_many, 3).places(), 0);
        let endless = load(Ranges::Strided { stride_bytes: u64::MAX }, Access::Random {}, 1, 3, 4);
        assert_eq!([0, 1].map(|job| RangeOrder::new(&endless, job).places()), [3, 0]);
    }
}
