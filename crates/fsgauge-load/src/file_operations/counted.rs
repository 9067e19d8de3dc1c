//! What was done, counted once: at the operation that was drawn. Sides and calls are added up when they are told.

use fsgauge_wire::{FileOperation, IntervalCount};

use super::Done;
use crate::instruments::Tally;
use crate::pace::Pace;

const KINDS: usize = FileOperation::ALL.len();

/// Operations of one job so far.
pub(super) struct Counted {
    /// At the places of their numbers.
    drawn: Box<[Tally; KINDS]>,
    /// Every call of open, and every call of close, that an operation made.
    calls: [Tally; 2],
}

impl Counted {
    pub(super) fn new() -> Self {
        Counted { drawn: Box::new(std::array::from_fn(|_| Tally::default())), calls: Default::default() }
    }

    /// Counts an operation with when it was due, began and ended.
    #[inline]
    pub(super) fn count<P: Pace>(
        &mut self,
        operation: FileOperation,
        done: Done,
        (due_ns, start_ns, now_ns): (u64, u64, u64),
    ) {
        let tally = &mut self.drawn[operation as usize];
        if done.refused {
            tally.refused += 1;
            return;
        }
        tally.operations += 1;
        tally.size_bytes += done.size_bytes;
        tally.service.record(now_ns - start_ns, 1);
        if P::OPEN {
            tally.response.record(now_ns.saturating_sub(due_ns), 1);
        }
        if done.open_ns > 0 {
            for (tally, latency_ns) in self.calls.iter_mut().zip([done.open_ns, done.close_ns]) {
                tally.operations += 1;
                tally.service.record(latency_ns, 1);
            }
        }
    }

    /// Those that change nothing, then the others.
    pub(super) fn sides(&self) -> [IntervalCount; 2] {
        let mut sides = [IntervalCount::default(); 2];
        self.by_side(|side, tally| sides[side].add(&tally.count()));
        sides
    }

    /// Forgets the warm-up.
    pub(super) fn clear(&mut self) {
        self.drawn.iter_mut().chain(&mut self.calls).for_each(Tally::clear);
    }

    /// The two sides, and each operation by itself. Of open that is every call, whatever operation made it.
    pub(super) fn told(self) -> ([Tally; 2], Vec<Tally>) {
        let mut sides: [Tally; 2] = Default::default();
        self.by_side(|side, tally| sides[side].merge(tally));
        let mut kinds = Vec::from(*self.drawn);
        let [open, close] = self.calls;
        kinds[FileOperation::Open as usize] = open;
        kinds[FileOperation::Close as usize] = close;
        (sides, kinds)
    }

    fn by_side(&self, mut add: impl FnMut(usize, &Tally)) {
        for (operation, tally) in FileOperation::ALL.iter().zip(self.drawn.iter()) {
            if tally.operations + tally.refused > 0 {
                add(usize::from(!operation.only_reads()), tally);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pace::{Paced, Unpaced};

    fn counted() -> Counted {
        let mut counted = Counted::new();
        let moved = |size_bytes| Done { size_bytes, ..Done::default() };
        let opened = Done { open_ns: 30, close_ns: 20, ..Done::default() };
        counted.count::<Paced>(FileOperation::Read, moved(4096), (90, 100, 150));
        counted.count::<Paced>(FileOperation::Write, moved(100), (140, 150, 400));
        counted.count::<Unpaced>(FileOperation::Open, opened, (0, 400, 480));
        counted.count::<Unpaced>(FileOperation::Append, Done { size_bytes: 7, ..opened }, (0, 500, 700));
        counted
    }

    #[test]
    fn an_operation_is_once_in_a_side_and_once_in_its_kind() {
        let counted = counted();
        let [reads, writes] = counted.sides();
        assert_eq!((reads.operations, reads.size_bytes, reads.latency_sum_ns), (2, 4096, 130));
        assert_eq!((writes.operations, writes.size_bytes, writes.latency_sum_ns), (2, 107, 450));
        let (sides, kinds) = counted.told();
        assert_eq!([sides[0].count(), sides[1].count()], [reads, writes]);
        let largest_ns = sides.each_ref().map(|side| side.service.to_histogram().max_ns);
        assert_eq!(largest_ns, [80, 250]);
        assert_eq!(sides[1].response.to_histogram().sum_ns, 260);
        assert_eq!(kinds[FileOperation::Append as usize].count().latency_sum_ns, 200);
    }

    #[test]
    fn what_a_full_file_system_refused_is_in_no_other_count() {
        let (mut counted, before) = (counted(), counted().sides());
        let refused = Done { refused: true, size_bytes: 9, open_ns: 5, ..Done::default() };
        counted.count::<Paced>(FileOperation::Create, refused, (0, 1, 2));
        assert_eq!(counted.sides(), before);
        let (sides, kinds) = counted.told();
        let create = &kinds[FileOperation::Create as usize];
        assert_eq!((sides[1].refused, create.refused, create.operations), (1, 1, 0));
        assert_eq!(kinds[FileOperation::Open as usize].operations, 2);
    }

    #[test]
    fn open_and_close_are_the_calls_of_all_operations() {
        let (_, kinds) = counted().told();
        let of = |operation: FileOperation| kinds[operation as usize].service.to_histogram();
        let (opens, closes) = (of(FileOperation::Open), of(FileOperation::Close));
        assert_eq!((opens.operations, opens.sum_ns), (2, 60));
        assert_eq!((closes.operations, closes.sum_ns), (2, 40));
    }

    #[test]
    fn the_warm_up_is_forgotten() {
        let mut counted = counted();
        counted.clear();
        assert_eq!(counted.sides(), [IntervalCount::default(); 2]);
        let (_, kinds) = counted.told();
        assert!(kinds.iter().all(|tally| tally.service.to_histogram().operations == 0));
    }
}
