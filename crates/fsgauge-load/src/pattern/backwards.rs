//! Backwards: each job walks its own share of the target from its end to its start, and again.

use super::sequential::share_of;
use super::{Order, Place, SizeClass, Sizes};
use crate::random::Random;
use crate::target::Geometry;

/// A walk from `end` down to `begin`.
#[derive(Debug)]
pub(crate) struct Backwards {
    begin: Place,
    end: Place,
    next: Place,
    /// The largest part of a file that whole steps fill.
    used_bytes: u64,
}

impl Backwards {
    /// The share of job `job` of `jobs`, as a sequential walk has it.
    pub(crate) fn new(geometry: &Geometry, sizes: &Sizes, job: u32, jobs: u32) -> Self {
        let (begin, end) = share_of(geometry, sizes.largest_bytes(), job, jobs);
        let step_bytes = sizes.step_bytes();
        let used_bytes = geometry.file_size_bytes / step_bytes * step_bytes;
        Backwards { begin, end, next: end, used_bytes }
    }

    /// Where an operation that ends at `next` begins; none where it would reach below this job's share.
    fn before(&self, next: Place, size_bytes: u64) -> Option<Place> {
        let place = if next.offset_bytes >= size_bytes {
            Place { file: next.file, offset_bytes: next.offset_bytes - size_bytes }
        } else {
            Place { file: next.file.checked_sub(1)?, offset_bytes: self.used_bytes.checked_sub(size_bytes)? }
        };
        let begins = (place.file, place.offset_bytes);
        (begins >= (self.begin.file, self.begin.offset_bytes)).then_some(place)
    }
}

impl Order for Backwards {
    #[inline]
    fn next(&mut self, _random: &mut Random, class: &SizeClass) -> Place {
        let size_bytes = u64::from(class.size_bytes);
        let place = self.before(self.next, size_bytes).or_else(|| self.before(self.end, size_bytes));
        self.next = place.unwrap_or(self.begin);
        self.next
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::BlockSize;

    fn walk(files: u32, blocks: u64, (job, jobs): (u32, u32), operations: usize) -> Vec<(u32, u64)> {
        let geometry = Geometry { files, file_size_bytes: blocks * 4096 + 100, base_bytes: 0 };
        let sizes = Sizes::new(&[BlockSize { size_bytes: 4096, weight: 1 }], &geometry);
        let (mut order, mut random) = (Backwards::new(&geometry, &sizes, job, jobs), Random::new(1, 0));
        let class = *sizes.next(false, &mut random);
        let places = (0..operations).map(|_| order.next(&mut random, &class));
        places.map(|place| (place.file, place.offset_bytes / 4096)).collect()
    }

    #[test]
    fn everything_is_walked_from_its_end_and_again() {
        assert_eq!(walk(2, 2, (0, 1), 5), [(1, 1), (1, 0), (0, 1), (0, 0), (1, 1)]);
    }

    #[test]
    fn jobs_keep_to_their_shares() {
        assert_eq!(walk(1, 6, (0, 2), 4), [(0, 2), (0, 1), (0, 0), (0, 2)]);
        assert_eq!(walk(1, 6, (1, 2), 4), [(0, 5), (0, 4), (0, 3), (0, 5)]);
    }
}
