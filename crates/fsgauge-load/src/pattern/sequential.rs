//! Sequential order: each job walks its own share of the target, file after file, from start to end and again.

use super::{Order, Place, SizeClass};
use crate::random::Random;
use crate::target::Geometry;

/// A walk through the places from `begin` up to `end`.
#[derive(Debug)]
pub(crate) struct Sequential {
    begin: Place,
    end: Place,
    next: Place,
    file_size_bytes: u64,
}

impl Sequential {
    /// The share of job `job` of `jobs`: the places that all files have for the largest block are dealt in equal runs,
    /// so that each share begins where any block fits.
    pub(crate) fn new(geometry: &Geometry, largest_bytes: u64, job: u32, jobs: u32) -> Self {
        let (begin, end) = share_of(geometry, largest_bytes, job, jobs);
        Sequential { begin, end, next: begin, file_size_bytes: geometry.file_size_bytes }
    }

    /// Goes on from there.
    #[inline]
    pub(super) fn skip_to(&mut self, next: Place) {
        self.next = next;
    }

    /// Whether an operation of `size_bytes` at `place` would reach beyond this job's share.
    #[inline]
    fn is_past(&self, place: Place, size_bytes: u64) -> bool {
        place.file > self.end.file
            || (place.file == self.end.file && place.offset_bytes + size_bytes > self.end.offset_bytes)
    }
}

/// Where the share of job `job` of `jobs` begins and ends.
pub(super) fn share_of(geometry: &Geometry, largest_bytes: u64, job: u32, jobs: u32) -> (Place, Place) {
    let places = geometry.file_size_bytes / largest_bytes;
    let total = u128::from(places) * u128::from(geometry.files);
    let place = |share: u32| {
        let at = (total * u128::from(share) / u128::from(jobs)) as u64;
        Place { file: (at / places) as u32, offset_bytes: (at % places) * largest_bytes }
    };
    (place(job), place(job + 1))
}

impl Order for Sequential {
    #[inline]
    fn next(&mut self, _random: &mut Random, class: &SizeClass) -> Place {
        let size_bytes = u64::from(class.size_bytes);
        let mut place = self.next;
        if place.offset_bytes + size_bytes > self.file_size_bytes {
            place = Place { file: place.file + 1, offset_bytes: 0 };
        }
        if self.is_past(place, size_bytes) {
            place = self.begin;
        }
        self.next = Place { file: place.file, offset_bytes: place.offset_bytes + size_bytes };
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Sizes;
    use fsgauge_wire::BlockSize;

    fn walk(files: u32, blocks: u64, job: u32, jobs: u32, operations: usize) -> Vec<(u32, u64)> {
        let geometry = Geometry { files, file_size_bytes: blocks * 4096, base_bytes: 0 };
        let sizes = Sizes::new(&[BlockSize { size_bytes: 4096, weight: 1 }], &geometry);
        let (mut order, mut random) = (Sequential::new(&geometry, 4096, job, jobs), Random::new(1, 0));
        let class = *sizes.next(false, &mut random);
        let mut places = (0..operations).map(|_| order.next(&mut random, &class));
        std::iter::from_fn(|| places.next()).map(|place| (place.file, place.offset_bytes / 4096)).collect()
    }

    #[test]
    fn one_job_walks_everything_and_begins_again() {
        assert_eq!(walk(2, 3, 0, 1, 8), [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2), (0, 0), (0, 1)]);
    }

    #[test]
    fn jobs_share_without_gap_or_overlap() {
        let mut places: Vec<_> = (0..3).flat_map(|job| walk(5, 6, job, 3, 10)).collect();
        places.sort_unstable();
        let everything: Vec<_> = (0..5).flat_map(|file| (0..6).map(move |block| (file, block))).collect();
        assert_eq!(places, everything);
    }

    #[test]
    fn a_share_may_end_inside_a_file() {
        assert_eq!(walk(1, 7, 1, 2, 5), [(0, 3), (0, 4), (0, 5), (0, 6), (0, 3)]);
    }
}
