//! Which write must be found where: the order of places, and how many writes each job has made.

use fsgauge_wire::LoadJob;

use super::image::Write;
use crate::pattern::{Place, RangeOrder};

/// What the jobs of a load have written.
#[derive(Debug)]
pub(crate) struct Ledger {
    /// Each job's order, and how many writes it has made.
    jobs: Vec<(RangeOrder, u64)>,
}

impl Ledger {
    /// `issued` holds the number of writes of each job.
    pub(crate) fn new(load: &LoadJob, issued: &[u64]) -> Self {
        Ledger {
            jobs: (0u32..).zip(issued).map(|(job, count)| (RangeOrder::new(load, job), *count)).collect(),
        }
    }

    pub(crate) fn writers(&self) -> u32 {
        self.jobs.len() as u32
    }

    /// The last write of `writer` to `place`; none where it has not written there.
    pub(crate) fn last(&self, writer: u32, place: Place) -> Option<Write> {
        let (order, issued) = self.jobs.get(writer as usize)?;
        let (visit, places) = (order.visit(place)?, order.places());
        let passes_after = issued.checked_sub(visit + 1)? / places;
        Some(Write { writer, sequence: visit + passes_after * places })
    }

    /// Every write that may be found at `place`: the last one of each job that has written there.
    pub(crate) fn expected(&self, place: Place) -> Vec<Write> {
        (0..self.writers()).filter_map(|writer| self.last(writer, place)).collect()
    }

    /// Where `write` went; none where it was never made.
    pub(crate) fn place(&self, write: Write) -> Option<Place> {
        let (order, issued) = self.jobs.get(write.writer as usize)?;
        (write.sequence < *issued).then(|| order.place(write.sequence % order.places()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::{Access, BlockSize, Ranges, Target};

    #[test]
    fn the_last_write_of_a_place_is_the_last_in_order() {
        for (ranges, issued) in [(Ranges::Shared {}, [0, 7, 25]), (Ranges::Interleaved {}, [3, 4, 11])] {
            let load = LoadJob {
                target: Target::Null { size_bytes: 10 * 512 },
                block_sizes: vec![BlockSize { size_bytes: 512, weight: 1 }],
                ranges: Some(ranges),
                access: Access::Random {},
                jobs: 3,
                ..LoadJob::plain()
            };
            let ledger = Ledger::new(&load, &issued);
            for block in 0..10 {
                let place = Place { file: 0, offset_bytes: block * 512 };
                for (writer, count) in (0u32..).zip(issued) {
                    let mut made = (0..count).rev().map(|sequence| Write { writer, sequence });
                    let last = made.find(|write| ledger.place(*write) == Some(place));
                    assert_eq!(ledger.last(writer, place), last, "{ranges:?} {block} {writer}");
                }
            }
        }
    }
}
