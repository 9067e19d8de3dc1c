//! The free space of one group, in the smallest form that it fits in.

use super::bits::Bits;
use super::tally::Tally;

/// Runs in a list at most; above, a bitmap takes no more and is faster.
const LISTED_RUNS: usize = 256;
/// A bitmap becomes a list again below so many runs: not at the same number, so that it does not go to and fro.
const LISTED_AGAIN: u32 = 64;

/// One group. Its length is known to the map.
#[derive(Debug, Clone)]
pub(super) struct Group {
    form: Form,
    /// No block before it is free: it moves on where a run is taken from its start, and back to what is given.
    pub(super) first_free: u32,
}

#[derive(Debug, Clone)]
enum Form {
    Free,
    Full,
    Listed(Box<Listed>),
    Mapped(Box<Mapped>),
}

#[derive(Debug, Clone)]
struct Listed {
    /// Start and end of each run, ascending.
    runs: Vec<(u16, u16)>,
    tally: Tally,
}

#[derive(Debug, Clone)]
struct Mapped {
    bits: Bits,
    tally: Tally,
}

impl Group {
    pub(super) fn free() -> Self {
        Group { form: Form::Free, first_free: 0 }
    }

    pub(super) fn tally(&self, length: u32) -> Tally {
        match &self.form {
            Form::Free => Tally::of_run(0, length),
            Form::Full => Tally::default(),
            Form::Listed(listed) => listed.tally,
            Form::Mapped(mapped) => mapped.tally,
        }
    }

    /// The first free run that ends after `from`: start and end.
    pub(super) fn next_run(&self, length: u32, from: u32) -> Option<(u32, u32)> {
        match &self.form {
            Form::Free => (from < length).then_some((0, length)),
            Form::Full => None,
            Form::Listed(listed) => listed.next_run(from),
            Form::Mapped(mapped) => mapped.bits.next_run(from),
        }
    }

    /// Takes blocks that are all free; gives the run that they were in.
    pub(super) fn take(&mut self, length: u32, start: u32, end: u32) -> (u32, u32) {
        let run = self.next_run(length, start).filter(|run| run.0 <= start && end <= run.1);
        let Some(run) = run else {
            panic!("blocks {start} to {end} of a group are taken, and not all are free")
        };
        if self.first_free == start {
            self.first_free = end;
        }
        self.change(length, (run.0, start), (end, run.1), false);
        run
    }

    /// Gives back blocks that are all taken; gives the run that they are in now.
    pub(super) fn give(&mut self, length: u32, start: u32, end: u32) -> (u32, u32) {
        let next = self.next_run(length, start).unwrap_or((length + 1, length + 1));
        let before = start.checked_sub(1).and_then(|block| self.next_run(length, block));
        let before = before.filter(|run| run.1 == start).unwrap_or((start, start));
        assert!(
            next.0 >= end && end <= length,
            "blocks {start} to {end} of a group are given back, and not all are taken"
        );
        let after = if next.0 == end { next } else { (end, end) };
        self.first_free = self.first_free.min(start);
        self.change(length, before, after, true);
        (before.0, after.1)
    }

    /// What is left and right of the change, each perhaps empty: what is between them is taken, or given back.
    fn change(&mut self, length: u32, left: (u32, u32), right: (u32, u32), given: bool) {
        self.settle(length);
        let whole = (left.0, right.1);
        let tally = match &mut self.form {
            Form::Listed(listed) => {
                let at = listed.runs.partition_point(|run| u32::from(run.1) <= whole.0);
                let ends = [left, right].into_iter().filter(|run| run.0 < run.1).map(short);
                if given {
                    listed.runs.splice(at..at + ends.count(), [short(whole)]);
                } else {
                    listed.runs.splice(at..=at, ends);
                }
                &mut listed.tally
            }
            Form::Mapped(mapped) => {
                mapped.bits.set(left.1, right.0, given);
                &mut mapped.tally
            }
            Form::Free | Form::Full => unreachable!("a group that changes has a form of its own"),
        };
        if given {
            [left, right].into_iter().filter(|run| run.0 < run.1).for_each(|run| tally.remove(run.0, run.1));
            tally.add(whole.0, whole.1);
        } else {
            tally.remove(whole.0, whole.1);
            tally.add(left.0, left.1);
            tally.add(right.0, right.1);
        }
        self.shrink(length);
    }

    /// Gives a group that is wholly free or full a form that can change.
    fn settle(&mut self, length: u32) {
        let runs = match self.form {
            Form::Free => vec![short((0, length))],
            Form::Full => Vec::new(),
            Form::Listed(_) | Form::Mapped(_) => return,
        };
        let tally = self.tally(length);
        self.form = Form::Listed(Box::new(Listed { runs, tally }));
    }

    /// The smallest form again.
    fn shrink(&mut self, length: u32) {
        let tally = self.tally(length);
        if tally.free == 0 {
            self.form = Form::Full;
        } else if tally.free == length {
            self.form = Form::Free;
        } else {
            match &self.form {
                Form::Listed(listed) if listed.runs.len() > LISTED_RUNS => {
                    let mut bits = Bits::new(length);
                    listed.runs.iter().for_each(|run| bits.set(run.0.into(), run.1.into(), true));
                    self.form = Form::Mapped(Box::new(Mapped { bits, tally }));
                }
                Form::Mapped(mapped) if tally.runs < LISTED_AGAIN => {
                    let mut runs = Vec::with_capacity(tally.runs as usize);
                    let mut from = 0;
                    while let Some(run) = mapped.bits.next_run(from) {
                        runs.push(short(run));
                        from = run.1;
                    }
                    self.form = Form::Listed(Box::new(Listed { runs, tally }));
                }
                _ => {}
            }
        }
    }
}

impl Listed {
    fn next_run(&self, from: u32) -> Option<(u32, u32)> {
        let at = self.runs.partition_point(|run| u32::from(run.1) <= from);
        self.runs.get(at).map(|run| (run.0.into(), run.1.into()))
    }
}

/// Groups have at most 32768 blocks, so an end fits as well.
fn short(run: (u32, u32)) -> (u16, u16) {
    (run.0 as u16, run.1 as u16)
}
