//! The free space of one group, with what is often asked of it.

use super::runs::Runs;
use super::survey::{Ends, Survey};
use super::tally::{Lanes, Tally};

/// One group. Its length is known to the map. All but the runs themselves lies in one line of the processor's cache: on a
/// large device, each line that an operation touches is one to wait for.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(super) struct Group {
    /// None where all is free, or nothing.
    runs: Option<Runs>,
    tally: Lanes,
    /// No block before it is free: it moves on where a run is taken from its start, and back to what is given.
    first_free: u16,
    /// Blocks of the longest run; 0 in a full group.
    longest: u16,
    /// Blocks of the mean run; 0 in a full group.
    mean: u16,
    /// The order of the largest free buddy; none in a full group.
    largest_order: Option<u8>,
}

const _: () = assert!(size_of::<Group>() == 64);

impl Group {
    pub(super) fn free(length: u32) -> Self {
        let tally = Lanes::of_run(0, length);
        let largest_order = tally.largest_order().map(|order| order as u8);
        Group { runs: None, tally, first_free: 0, longest: length as u16, mean: length as u16, largest_order }
    }

    pub(super) fn first_free(&self) -> u32 {
        self.first_free.into()
    }

    pub(super) fn longest(&self) -> u16 {
        self.longest
    }

    pub(super) fn mean(&self) -> u16 {
        self.mean
    }

    /// The only run, of a group that is wholly free.
    fn whole(&self, length: u32) -> Option<Ends> {
        (self.longest > 0).then_some((0, length))
    }

    pub(super) fn tally(&self) -> Tally {
        self.tally.tally()
    }

    /// Free blocks.
    pub(super) fn free_blocks(&self) -> u32 {
        self.tally.free().into()
    }

    pub(super) fn largest_order(&self) -> Option<u32> {
        self.largest_order.map(u32::from)
    }

    /// The first free run that ends after `from`: start and end.
    pub(super) fn next_run(&self, length: u32, from: u32) -> Option<Ends> {
        match &self.runs {
            Some(runs) => runs.next_run(from),
            None => self.whole(length).filter(|run| from < run.1),
        }
    }

    /// The first run with so many blocks from `from` on, from there on.
    pub(super) fn next_long(&self, length: u32, from: u32, least: u32) -> Option<Ends> {
        if u32::from(self.longest) < least {
            return None;
        }
        match &self.runs {
            Some(runs) => runs.next_long(from, least),
            None => (from + least <= length).then_some((from, length)),
        }
    }

    /// Each run with so many blocks from `from` on, from there on, until one is enough.
    pub(super) fn each_long(
        &self,
        length: u32,
        from: u32,
        least: u32,
        mut is_enough: impl FnMut(Ends) -> bool,
    ) {
        match &self.runs {
            Some(runs) => runs.each_long(from, least, is_enough),
            None => {
                self.next_long(length, from, least).map(&mut is_enough);
            }
        }
    }

    /// At most `most` runs from `from` on, before the first of at least `below` blocks.
    pub(super) fn survey(&self, length: u32, from: u32, below: u32, most: usize) -> Survey {
        match &self.runs {
            Some(runs) => {
                let count = usize::from(self.tally.runs());
                if from <= self.first_free() && u32::from(self.longest) < below && count <= most {
                    return Survey { runs: count, longest: self.longest.into(), next: length };
                }
                runs.survey(from, below, most)
            }
            None => {
                let run = self.whole(length).filter(|run| most > 0 && from < run.1 && run.1 - from < below);
                run.map_or(Survey { runs: 0, longest: 0, next: from }, |run| Survey {
                    runs: 1,
                    longest: run.1 - from,
                    next: run.1,
                })
            }
        }
    }

    /// Takes blocks that are all free; gives the run that they were in.
    pub(super) fn take(&mut self, length: u32, start: u32, end: u32) -> Ends {
        let Some(whole) = self.own_runs(length).take(start, end) else {
            panic!("blocks {start} to {end} of a group are taken, and not all are free")
        };
        self.tally.remove(whole.0, whole.1);
        self.tally.add(whole.0, start);
        self.tally.add(end, whole.1);
        if self.first_free() == start {
            self.first_free = end as u16;
        }
        if whole.1 - whole.0 == u32::from(self.longest) {
            self.longest = self.own_runs(length).longest() as u16;
        }
        self.settle(length);
        whole
    }

    /// Gives back blocks that are all taken; gives the run that they are in now.
    pub(super) fn give(&mut self, length: u32, start: u32, end: u32) -> Ends {
        let Some(whole) = self.own_runs(length).give(start, end).filter(|_| end <= length) else {
            panic!("blocks {start} to {end} of a group are given back, and not all are taken")
        };
        self.tally.remove(whole.0, start);
        self.tally.remove(end, whole.1);
        self.tally.add(whole.0, whole.1);
        self.first_free = self.first_free.min(start as u16);
        self.longest = self.longest.max((whole.1 - whole.0) as u16);
        self.settle(length);
        whole
    }

    /// Runs that can change.
    fn own_runs(&mut self, length: u32) -> &mut Runs {
        let whole = self.whole(length);
        self.runs.get_or_insert_with(|| Runs::of(whole))
    }

    /// The smallest form again.
    fn settle(&mut self, length: u32) {
        let (free, runs) = (self.tally.free(), self.tally.runs());
        self.mean = free.checked_div(runs).unwrap_or(0);
        self.largest_order = self.tally.largest_order().map(|order| order as u8);
        if free == 0 || u32::from(free) == length {
            self.runs = None;
        } else if let Some(form) = &mut self.runs {
            form.fit(runs.into(), length);
        }
    }
}
