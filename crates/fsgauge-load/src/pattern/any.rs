//! An order that is chosen while running: the rarer ones have one loop together, at the cost of one call a place.

use std::num::NonZeroU32;

use fsgauge_wire::{Access, LoadJob};

use super::backwards::Backwards;
use super::by_kind::ByKind;
use super::in_turns::InTurns;
use super::on_from_there::OnFromThere;
use super::skewed::{Normal, Pareto, Zones};
use super::strided::Strided;
use super::{Order, Place, RangeOrder, Sequential, SizeClass, Sizes, Uniform, Zipf};
use crate::random::Random;
use crate::target::Geometry;

/// An order of any kind.
pub(crate) struct AnyOrder {
    inner: Box<dyn Order>,
    /// The first file of the job; 0 where it uses all.
    first_file: u32,
}

impl AnyOrder {
    /// Whether the order of a load is one of these: the usual ones have loops of their own.
    pub(crate) fn is_needed(load: &LoadJob) -> bool {
        let is_usual = matches!(load.access, Access::Sequential {} | Access::Random {} | Access::Zipf { .. });
        !is_usual
            || load.apart
            || load.hashed
            || load.files_per_job.is_some()
            || load.files_in_turn.is_some()
            || load.random_percent.is_some_and(|percent| percent < 100)
    }

    /// The order of job `job`.
    pub(crate) fn new(load: &LoadJob, sizes: &Sizes, job: u32) -> Self {
        let (geometry, turn, first_file) = part(load, job);
        let inner = match load.files_in_turn {
            None => over(load, sizes, &geometry, turn),
            Some(each) => Box::new(in_turns(load, sizes, &geometry, (turn, job), each.get())),
        };
        AnyOrder { inner, first_file }
    }
}

/// The order of places in files of such a shape.
fn over(load: &LoadJob, sizes: &Sizes, geometry: &Geometry, turn: (u32, u32)) -> Box<dyn Order> {
    let goes_on = |sizes: &Sizes| -> Box<dyn Order> {
        let inner = by_sizes(load, sizes, geometry, turn);
        match load.random_percent {
            Some(percent) if percent < 100 => Box::new(OnFromThere::new(inner, percent, geometry)),
            _ => inner,
        }
    };
    if load.apart { Box::new(ByKind::new(|write| goes_on(&sizes.only(write)))) } else { goes_on(sizes) }
}

/// An order for each file; with ranges each visits every place of its file once, and again.
fn in_turns(
    load: &LoadJob,
    sizes: &Sizes,
    geometry: &Geometry,
    (turn, job): ((u32, u32), u32),
    each: u32,
) -> InTurns {
    let one = Geometry { files: 1, ..*geometry };
    let is_walk =
        matches!(load.access, Access::Sequential {} | Access::Backwards {} | Access::Strided { .. });
    let goes_on = is_walk || load.random_percent.is_some_and(|percent| percent < 100);
    let orders: Vec<Box<dyn Order>> = if load.ranges.is_some() {
        let of = |file| RangeOrder::of(load, &one, job + file * load.jobs);
        (0..geometry.files).map(|file| Box::new(of(file)) as Box<dyn Order>).collect()
    } else {
        let different = if goes_on { geometry.files } else { 1 };
        (0..different).map(|_| over(load, sizes, &one, turn)).collect()
    };
    InTurns::new(geometry.files, each, orders)
}

/// What the load's `access` is; of places that are counted in blocks, by what reads and what writes.
fn by_sizes(load: &LoadJob, sizes: &Sizes, geometry: &Geometry, turn: (u32, u32)) -> Box<dyn Order> {
    let is_counted = matches!(load.access, Access::Normal { .. } | Access::Zones { .. });
    if is_counted && !load.write_block_sizes.is_empty() {
        return Box::new(ByKind::new(|write| order_of(load, &sizes.only(write), geometry, turn)));
    }
    order_of(load, sizes, geometry, turn)
}

fn order_of(load: &LoadJob, sizes: &Sizes, geometry: &Geometry, (job, jobs): (u32, u32)) -> Box<dyn Order> {
    let share = || Sequential::new(geometry, sizes.largest_bytes(), job, jobs);
    match &load.access {
        Access::Sequential {} => Box::new(share()),
        Access::Backwards {} => Box::new(Backwards::new(geometry, sizes, job, jobs)),
        Access::Strided { stride_bytes } => Box::new(Strided::new(share(), *stride_bytes)),
        Access::Random {} => Box::new(Uniform::new(geometry)),
        Access::Zipf { theta } if load.hashed => Box::new(Zipf::new(*theta, geometry, sizes).hashed()),
        Access::Zipf { theta } => Box::new(Zipf::new(*theta, geometry, sizes)),
        Access::Pareto { h } if load.hashed => Box::new(Pareto::new(*h, geometry, sizes).hashed()),
        Access::Pareto { h } => Box::new(Pareto::new(*h, geometry, sizes)),
        Access::Normal { deviation_percent } => Box::new(Normal::new(*deviation_percent, geometry, sizes)),
        Access::Zones { zones } => Box::new(Zones::new(zones, geometry, sizes)),
    }
}

/// What job `job` uses: the shape of its files, which job it is among those that share them, and its first file.
fn part(load: &LoadJob, job: u32) -> (Geometry, (u32, u32), u32) {
    let geometry = Geometry::of(&load.target);
    match load.files_per_job.map(NonZeroU32::get) {
        Some(files) => (Geometry { files, ..geometry }, (0, 1), job * files),
        None => (geometry, (job, load.jobs), 0),
    }
}

impl Order for AnyOrder {
    #[inline]
    fn next(&mut self, random: &mut Random, class: &SizeClass) -> Place {
        self.next_of(false, random, class)
    }

    #[inline]
    fn next_of(&mut self, write: bool, random: &mut Random, class: &SizeClass) -> Place {
        let place = self.inner.next_of(write, random, class);
        Place { file: self.first_file + place.file, ..place }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::{BlockSize, Ranges, Target, Zone};

    fn load(access: Access) -> LoadJob {
        let target = Target::Files {
            directory: "/mnt".into(),
            prefix: "f".into(),
            count: 4,
            file_size_bytes: 8 * 4096,
        };
        LoadJob {
            access,
            target,
            block_sizes: vec![BlockSize { size_bytes: 4096, weight: 1 }],
            ..LoadJob::plain()
        }
    }

    fn places(load: &LoadJob, job: u32, count: usize) -> Vec<Place> {
        let sizes = Sizes::new(&load.block_sizes, &Geometry::of(&load.target));
        let (mut order, mut random) = (AnyOrder::new(load, &sizes, job), Random::new(1, 0));
        let class = *sizes.next(false, &mut random);
        (0..count).map(|_| order.next(&mut random, &class)).collect()
    }

    #[test]
    fn the_usual_orders_keep_their_own_loops() {
        let usual = [Access::Sequential {}, Access::Random {}, Access::Zipf { theta: 1.1 }];
        assert!(usual.into_iter().all(|access| !AnyOrder::is_needed(&load(access))));
        assert!(AnyOrder::is_needed(&load(Access::Backwards {})));
        assert!(AnyOrder::is_needed(&LoadJob { random_percent: Some(50), ..load(Access::Random {}) }));
        assert!(!AnyOrder::is_needed(&LoadJob { random_percent: Some(100), ..load(Access::Random {}) }));
    }

    #[test]
    fn reads_and_writes_apart_go_on_from_places_of_their_own() {
        let load = LoadJob { apart: true, read_percent: 50, ..load(Access::Sequential {}) };
        assert!(AnyOrder::is_needed(&load));
        let sizes = Sizes::new(&load.block_sizes, &Geometry::of(&load.target));
        let (mut order, mut random) = (AnyOrder::new(&load, &sizes, 0), Random::new(1, 0));
        let class = *sizes.next(false, &mut random);
        let kinds = [false, false, true, false, true];
        let found = kinds.map(|write| order.next_of(write, &mut random, &class).offset_bytes / 4096);
        assert_eq!(found, [0, 1, 0, 2, 1]);
    }

    #[test]
    fn places_of_unlike_writes_are_counted_in_their_own_blocks() {
        let zones = vec![Zone { size_percent: 50, weight: 1 }, Zone { size_percent: 50, weight: 1 }];
        let write_block_sizes = vec![BlockSize { size_bytes: 16384, weight: 1 }];
        let zoned = LoadJob { write_block_sizes, read_percent: 50, ..load(Access::Zones { zones }) };
        for random_percent in [None, Some(99)] {
            let load = LoadJob { random_percent, ..zoned.clone() };
            let sizes = Sizes::of(&load, &Geometry::of(&load.target));
            let (mut order, mut random) = (AnyOrder::new(&load, &sizes, 0), Random::new(1, 0));
            let mut furthest = |write: bool| {
                let class = *sizes.next(write, &mut random);
                let drawn = (0..500).map(|_| order.next_of(write, &mut random, &class).offset_bytes);
                drawn.max().unwrap()
            };
            assert_eq!([furthest(false), furthest(true)], [7 * 4096, 4 * 4096]);
        }
    }

    fn in_turns(each: u32, access: Access) -> LoadJob {
        LoadJob { files_in_turn: NonZeroU32::new(each), ..load(access) }
    }

    fn walked(load: &LoadJob, job: u32, count: usize) -> Vec<(u32, u64)> {
        places(load, job, count).into_iter().map(|place| (place.file, place.offset_bytes / 4096)).collect()
    }

    #[test]
    fn files_in_turns_each_go_on_from_their_own_place() {
        let one = in_turns(1, Access::Sequential {});
        assert!(AnyOrder::is_needed(&one));
        assert_eq!(walked(&one, 0, 6), [(0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (1, 1)]);
        let two = in_turns(2, Access::Backwards {});
        assert_eq!(walked(&two, 0, 5), [(0, 7), (0, 6), (1, 7), (1, 6), (2, 7)]);
        assert_eq!(walked(&one, 0, 33)[32], (0, 0), "from the start again");
    }

    #[test]
    fn jobs_that_share_the_files_share_each_of_them() {
        let shared = LoadJob { jobs: 2, ..in_turns(1, Access::Sequential {}) };
        assert_eq!(walked(&shared, 1, 3), [(0, 4), (1, 4), (2, 4)]);
        let own = LoadJob { files_per_job: NonZeroU32::new(2), ..shared };
        assert_eq!(walked(&own, 1, 3), [(2, 0), (3, 0), (2, 1)]);
    }

    #[test]
    fn drawn_places_lie_anywhere_in_the_file_whose_turn_it_is() {
        let drawn = walked(&in_turns(1, Access::Random {}), 0, 4000);
        assert!(drawn.iter().enumerate().all(|(at, (file, _))| *file == at as u32 % 4));
        for block in 0..8 {
            let often = drawn.iter().filter(|place| **place == (2, block)).count();
            // 125 expected, with a standard deviation of 10.
            assert!((70..180).contains(&often), "{block}: {often}");
        }
    }

    #[test]
    fn with_ranges_each_file_has_every_block_once_in_a_round_of_its_own() {
        let once = LoadJob { ranges: Some(Ranges::Shared {}), ..in_turns(3, Access::Random {}) };
        let rounds = walked(&once, 0, 64);
        let of = |file: u32| -> Vec<u64> {
            rounds.iter().filter(|place| place.0 == file).map(|place| place.1).take(8).collect()
        };
        for file in 0..4 {
            let mut sorted = of(file);
            sorted.sort_unstable();
            assert_eq!(sorted, (0..8).collect::<Vec<u64>>(), "file {file}");
        }
        assert!((1..4).any(|file| of(file) != of(0)), "and in an order of its own");
    }

    #[test]
    fn reads_and_writes_apart_have_places_of_their_own_in_each_file() {
        let load = LoadJob { apart: true, read_percent: 50, ..in_turns(1, Access::Sequential {}) };
        let sizes = Sizes::new(&load.block_sizes, &Geometry::of(&load.target));
        let (mut order, mut random) = (AnyOrder::new(&load, &sizes, 0), Random::new(1, 0));
        let class = *sizes.next(false, &mut random);
        let kinds = [false, true, false, false, true, true];
        let found = kinds.map(|write| order.next_of(write, &mut random, &class));
        let found = found.map(|place| (place.file, place.offset_bytes / 4096));
        assert_eq!(found, [(0, 0), (1, 0), (2, 0), (3, 0), (0, 0), (1, 1)]);
    }

    #[test]
    fn a_job_stays_in_its_own_files() {
        let files_per_job = NonZeroU32::new(2);
        let own = LoadJob { files_per_job, jobs: 2, ..load(Access::Random {}) };
        let files =
            |job| -> Vec<u32> { places(&own, job, 200).into_iter().map(|place| place.file).collect() };
        assert!(files(0).iter().all(|file| *file < 2) && files(0).contains(&1));
        assert!(files(1).iter().all(|file| (2..4).contains(file)) && files(1).contains(&2));
        let in_order = LoadJob { files_per_job, jobs: 2, ..load(Access::Sequential {}) };
        let walked: Vec<u32> = places(&in_order, 1, 17).into_iter().map(|place| place.file).collect();
        assert_eq!((walked[0], walked[8], walked[16]), (2, 3, 2));
    }
}
