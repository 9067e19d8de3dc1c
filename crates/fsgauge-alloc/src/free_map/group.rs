//! The free space of one group, with what is often asked of it.

use super::runs::Runs;
use super::survey::{Ends, Survey};
use super::tally::Tally;

/// One group. Its length is known to the map.
#[derive(Debug, Clone)]
pub(super) struct Group {
    /// None where all is free, or nothing.
    own: Option<Box<Own>>,
    /// No block before it is free: it moves on where a run is taken from its start, and back to what is given.
    first_free: u16,
    /// Blocks of the longest run; 0 in a full group.
    longest: u16,
    /// Blocks of the mean run; 0 in a full group.
    mean: u16,
    /// The order of the largest free buddy; none in a full group.
    largest_order: Option<u8>,
}

#[derive(Debug, Clone)]
struct Own {
    runs: Runs,
    tally: Tally,
}

impl Group {
    pub(super) fn free(length: u32) -> Self {
        let largest_order = Tally::of_run(0, length).largest_order().map(|order| order as u8);
        Group { own: None, first_free: 0, longest: length as u16, mean: length as u16, largest_order }
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

    pub(super) fn tally(&self, length: u32) -> Tally {
        match &self.own {
            Some(own) => own.tally,
            None => self.whole(length).map_or_else(Tally::default, |run| Tally::of_run(run.0, run.1)),
        }
    }

    /// Free blocks.
    pub(super) fn free_blocks(&self, length: u32) -> u32 {
        match &self.own {
            Some(own) => own.tally.free,
            None => self.whole(length).map_or(0, |run| run.1),
        }
    }

    pub(super) fn largest_order(&self) -> Option<u32> {
        self.largest_order.map(u32::from)
    }

    /// The first free run that ends after `from`: start and end.
    pub(super) fn next_run(&self, length: u32, from: u32) -> Option<Ends> {
        match &self.own {
            Some(own) => own.runs.next_run(from),
            None => self.whole(length).filter(|run| from < run.1),
        }
    }

    /// The first run with so many blocks from `from` on, from there on.
    pub(super) fn next_long(&self, length: u32, from: u32, least: u32) -> Option<Ends> {
        if u32::from(self.longest) < least {
            return None;
        }
        match &self.own {
            Some(own) => own.runs.next_long(from, least),
            None => (from + least <= length).then_some((from, length)),
        }
    }

    /// At most `most` runs from `from` on, before the first of at least `below` blocks.
    pub(super) fn survey(&self, length: u32, from: u32, below: u32, most: usize) -> Survey {
        match &self.own {
            Some(own) => {
                let count = own.tally.runs as usize;
                if from <= self.first_free() && u32::from(self.longest) < below && count <= most {
                    return Survey { runs: count, longest: self.longest.into(), next: length };
                }
                own.runs.survey(from, below, most)
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
        let own = self.own(length);
        let Some(whole) = own.runs.take(start, end) else {
            panic!("blocks {start} to {end} of a group are taken, and not all are free")
        };
        own.tally.remove(whole.0, whole.1);
        own.tally.add(whole.0, start);
        own.tally.add(end, whole.1);
        if self.first_free() == start {
            self.first_free = end as u16;
        }
        if whole.1 - whole.0 == u32::from(self.longest) {
            self.longest = self.own(length).runs.longest() as u16;
        }
        self.settle(length);
        whole
    }

    /// Gives back blocks that are all taken; gives the run that they are in now.
    pub(super) fn give(&mut self, length: u32, start: u32, end: u32) -> Ends {
        let own = self.own(length);
        let Some(whole) = own.runs.give(start, end).filter(|_| end <= length) else {
            panic!("blocks {start} to {end} of a group are given back, and not all are taken")
        };
        own.tally.remove(whole.0, start);
        own.tally.remove(end, whole.1);
        own.tally.add(whole.0, whole.1);
        self.first_free = self.first_free.min(start as u16);
        self.longest = self.longest.max((whole.1 - whole.0) as u16);
        self.settle(length);
        whole
    }

    /// A form that can change.
    fn own(&mut self, length: u32) -> &mut Own {
        let (run, tally) = match &self.own {
            Some(_) => (None, Tally::default()),
            None => (self.whole(length), self.tally(length)),
        };
        self.own.get_or_insert_with(|| Box::new(Own { runs: Runs::of(run), tally }))
    }

    /// The smallest form again.
    fn settle(&mut self, length: u32) {
        let Some(own) = &mut self.own else { return };
        let Tally { free, runs, .. } = own.tally;
        self.mean = free.checked_div(runs).unwrap_or(0) as u16;
        self.largest_order = own.tally.largest_order().map(|order| order as u8);
        if free == 0 || free == length {
            self.own = None;
        } else {
            own.runs.fit(runs, length);
        }
    }
}
