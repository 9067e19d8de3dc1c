//! The free runs of a group as a list in the order of their places: the smallest form for some hundred runs, and the
//! fastest.

use super::GROUP_BLOCKS_LIMIT;
use super::survey::{Ends, Survey};

/// Runs that are looked at together.
const TOGETHER: usize = 32;
const BITS: [u32; TOGETHER] = {
    let mut bits = [0; TOGETHER];
    let mut place = 0;
    while place < TOGETHER {
        bits[place] = 1 << place;
        place += 1;
    }
    bits
};
/// So many are counted without a branch; it is halved what are more.
const COUNTED: usize = 128;

/// A run in one word, which sorts by its start: start above, blocks below.
type Packed = u32;

fn packed(run: Ends) -> Packed {
    run.0 << 16 | (run.1 - run.0)
}

fn start(run: Packed) -> u32 {
    run >> 16
}

fn blocks(run: Packed) -> u32 {
    run & 0xFFFF
}

fn ends(run: Packed) -> Ends {
    (start(run), start(run) + blocks(run))
}

/// Free runs, ascending.
#[derive(Debug, Clone)]
pub(super) struct List {
    runs: Vec<Packed>,
}

impl List {
    /// Ascending runs, none next to another.
    pub(super) fn of(runs: impl Iterator<Item = Ends>) -> Self {
        List { runs: runs.map(packed).collect() }
    }

    /// The first run that ends after a place: the last one that begins at it or before, or the next. Those are counted,
    /// which needs no branch that the processor could guess wrong, and many at a time.
    fn index(&self, from: u32) -> usize {
        if self.runs.first().is_none_or(|&first| ends(first).1 > from) {
            return 0;
        }
        // The largest word of a run that begins there. As signed words they are compared in one step: places have 15 bits.
        let last = (from.min(GROUP_BLOCKS_LIMIT - 1) << 16 | 0xFFFF) as i32;
        let (mut low, mut runs) = (0, &self.runs[..]);
        while runs.len() > COUNTED {
            let half = runs.len() / 2;
            let is_behind = runs[half] as i32 > last;
            runs = if is_behind { &runs[..half] } else { &runs[half..] };
            low += if is_behind { 0 } else { half };
        }
        let begun = low + runs.iter().map(|&run| u32::from(run as i32 <= last)).sum::<u32>() as usize;
        match begun.checked_sub(1) {
            Some(before) if ends(self.runs[before]).1 > from => before,
            _ => begun,
        }
    }

    pub(super) fn next_run(&self, from: u32) -> Option<Ends> {
        self.runs.get(self.index(from)).map(|&run| ends(run))
    }

    /// The first run with so many blocks from a place on, from there on.
    pub(super) fn next_long(&self, from: u32, least: u32) -> Option<Ends> {
        let at = self.index(from);
        let (first, end) = ends(*self.runs.get(at)?);
        let begin = first.max(from);
        if end - begin >= least {
            return Some((begin, end));
        }
        let behind = &self.runs[at + 1..];
        first_long(behind, least).map(|place| ends(behind[place]))
    }

    /// Each run with so many blocks from a place on, from there on, until one is enough.
    pub(super) fn each_long(&self, from: u32, least: u32, mut is_enough: impl FnMut(Ends) -> bool) {
        for some in self.runs[self.index(from)..].chunks(TOGETHER) {
            let mut long = long_bits(some, least);
            while long != 0 {
                let (start, end) = ends(some[long.trailing_zeros() as usize]);
                let begin = start.max(from);
                if end - begin >= least && is_enough((begin, end)) {
                    return;
                }
                long &= long - 1;
            }
        }
    }

    /// At most `most` runs from a place on, before the first of at least `below` blocks.
    pub(super) fn survey(&self, from: u32, below: u32, most: usize) -> Survey {
        let mut survey = Survey { runs: 0, longest: 0, next: from };
        let at = self.index(from);
        let Some(&first) = self.runs.get(at) else { return survey };
        let (begin, end) = ends(first);
        let part = end - begin.max(from);
        if most == 0 || part >= below {
            return survey;
        }
        let behind = &self.runs[at + 1..];
        let behind = &behind[..behind.len().min(most - 1)];
        let behind = &behind[..first_long(behind, below).unwrap_or(behind.len())];
        survey.runs = 1 + behind.len();
        survey.longest = part.max(longest(behind));
        survey.next = behind.last().map_or(end, |&run| ends(run).1);
        survey
    }

    pub(super) fn longest(&self) -> u32 {
        longest(&self.runs)
    }

    /// Takes blocks; gives the run that they were in. None if they are not all free.
    pub(super) fn take(&mut self, start: u32, end: u32) -> Option<Ends> {
        let at = self.index(start);
        let whole = ends(*self.runs.get(at)?);
        if whole.0 > start || whole.1 < end {
            return None;
        }
        match (whole.0 < start, end < whole.1) {
            (true, true) => {
                self.runs[at] = packed((whole.0, start));
                self.runs.insert(at + 1, packed((end, whole.1)));
            }
            (true, false) => self.runs[at] = packed((whole.0, start)),
            (false, true) => self.runs[at] = packed((end, whole.1)),
            (false, false) => {
                self.runs.remove(at);
            }
        }
        Some(whole)
    }

    /// Gives blocks back; gives the run that they are in then. None if they are not all taken.
    pub(super) fn give(&mut self, start: u32, end: u32) -> Option<Ends> {
        let at = start.checked_sub(1).map_or(0, |before| self.index(before));
        let before = self.runs.get(at).map(|&run| ends(run)).filter(|run| run.1 == start);
        let next = at + usize::from(before.is_some());
        let behind = self.runs.get(next).map(|&run| ends(run));
        if behind.is_some_and(|run| run.0 < end) {
            return None;
        }
        let behind = behind.filter(|run| run.0 == end);
        let whole = (before.map_or(start, |run| run.0), behind.map_or(end, |run| run.1));
        match (before, behind) {
            (Some(_), Some(_)) => {
                self.runs[at] = packed(whole);
                self.runs.remove(next);
            }
            (None, None) => self.runs.insert(at, packed(whole)),
            _ => self.runs[at] = packed(whole),
        }
        Some(whole)
    }
}

fn longest(runs: &[Packed]) -> u32 {
    runs.iter().map(|&run| blocks(run)).fold(0, u32::max)
}

/// A bit for each run, set where it has at least so many blocks: all are compared at once.
fn long_bits(runs: &[Packed], least: u32) -> u32 {
    let bit = |(&run, &bit): (&Packed, &u32)| if blocks(run) >= least { bit } else { 0 };
    runs.iter().zip(&BITS).map(bit).fold(0, |bits, bit| bits | bit)
}

/// The first run of at least so many blocks.
fn first_long(runs: &[Packed], least: u32) -> Option<usize> {
    let mut passed = 0;
    for some in runs.chunks(TOGETHER) {
        let long = long_bits(some, least);
        if long != 0 {
            return Some(passed + long.trailing_zeros() as usize);
        }
        passed += some.len();
    }
    None
}
