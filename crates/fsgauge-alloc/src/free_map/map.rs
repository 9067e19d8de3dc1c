//! The free space of a group as a bitmap: the form of a group with more runs than a list should have. What is long is
//! found by slices, for each of which the longest run and those at its ends are known.

use super::bits::Bits;
use super::survey::{Ends, Survey};

const SLICE: u32 = 512;

/// Runs of one slice, in blocks.
#[derive(Debug, Clone, Copy, Default)]
struct Slice {
    /// At its beginning.
    before: u16,
    longest: u16,
    /// At its end.
    behind: u16,
}

/// Free blocks of one group.
#[derive(Debug, Clone)]
pub(super) struct Map {
    bits: Bits,
    slices: Vec<Slice>,
}

impl Map {
    /// Runs of a group of this length.
    pub(super) fn of(length: u32, mut runs: impl Iterator<Item = Ends>) -> Self {
        let slices = vec![Slice::default(); length.div_ceil(SLICE) as usize];
        let mut map = Map { bits: Bits::new(length), slices };
        runs.by_ref().for_each(|run| map.bits.set(run.0, run.1, true));
        map.summarise(0, length);
        map
    }

    pub(super) fn next_run(&self, from: u32) -> Option<Ends> {
        self.bits.next_run(from)
    }

    /// The first run with so many blocks from a place on, from there on.
    pub(super) fn next_long(&self, from: u32, least: u32) -> Option<Ends> {
        let long = |begin: u32| self.bits.next_run(begin).map(|run| (begin, run.1));
        // The free run that reaches up to the slice.
        let mut reaches: Option<u32> = None;
        for (index, slice) in self.slices.iter().enumerate().skip((from / SLICE) as usize) {
            let first = index as u32 * SLICE;
            if first < from || (u32::from(slice.longest) >= least && u32::from(slice.before) < SLICE) {
                // In this slice itself, run by run.
                let mut at = reaches.unwrap_or_else(|| first.max(from));
                while let Some(run) = self.bits.next_run(at).filter(|run| run.0 < first + SLICE) {
                    at = run.0.max(from);
                    if run.1 - at >= least {
                        return Some((at, run.1));
                    }
                    at = run.1;
                }
            } else {
                let begin = reaches.unwrap_or(first);
                if first + u32::from(slice.before) - begin >= least {
                    return long(begin);
                }
                if u32::from(slice.before) == SLICE {
                    reaches = Some(begin);
                    continue;
                }
            }
            let behind = u32::from(slice.behind);
            reaches = (behind > 0).then(|| (first + SLICE - behind).max(from));
        }
        None
    }

    /// Each run with so many blocks from a place on, from there on, until one is enough.
    pub(super) fn each_long(&self, from: u32, least: u32, mut is_enough: impl FnMut(Ends) -> bool) {
        let mut at = from;
        while let Some(run) = self.next_long(at, least).filter(|run| !is_enough(*run)) {
            at = run.1;
        }
    }

    /// At most `most` runs from a place on, before the first of at least `below` blocks.
    pub(super) fn survey(&self, from: u32, below: u32, most: usize) -> Survey {
        let mut survey = Survey { runs: 0, longest: 0, next: from };
        while survey.runs < most
            && let Some(run) = self.bits.next_run(survey.next)
        {
            let blocks = run.1 - run.0.max(survey.next);
            if blocks >= below {
                break;
            }
            survey = Survey { runs: survey.runs + 1, longest: survey.longest.max(blocks), next: run.1 };
        }
        survey
    }

    pub(super) fn longest(&self) -> u32 {
        let (mut longest, mut reaches) = (0, 0);
        for slice in &self.slices {
            let joined = reaches + u32::from(slice.before);
            longest = longest.max(joined).max(slice.longest.into());
            reaches = if u32::from(slice.before) == SLICE { joined } else { slice.behind.into() };
        }
        longest
    }

    /// Takes blocks; gives the run that they were in. None if they are not all free.
    pub(super) fn take(&mut self, start: u32, end: u32) -> Option<Ends> {
        let whole = self.bits.next_run(start).filter(|run| run.0 <= start && end <= run.1)?;
        self.set(start, end, false);
        Some(whole)
    }

    /// Gives blocks back; gives the run that they are in then. None if they are not all taken.
    pub(super) fn give(&mut self, start: u32, end: u32) -> Option<Ends> {
        if self.bits.next_run(start).is_some_and(|run| run.0 < end) {
            return None;
        }
        self.set(start, end, true);
        self.bits.next_run(start)
    }

    fn set(&mut self, start: u32, end: u32, free: bool) {
        self.bits.set(start, end, free);
        self.summarise(start, end);
    }

    /// Counts the slices anew that these blocks are in.
    fn summarise(&mut self, start: u32, end: u32) {
        for index in start / SLICE..end.div_ceil(SLICE) {
            let (first, border) = (index * SLICE, (index + 1) * SLICE);
            let mut slice = Slice::default();
            let mut from = first;
            while let Some(run) = self.bits.next_run(from).filter(|run| run.0 < border) {
                let (begin, end) = (run.0.max(first), run.1.min(border));
                let blocks = (end - begin) as u16;
                slice.longest = slice.longest.max(blocks);
                if begin == first {
                    slice.before = blocks;
                }
                if end == border {
                    slice.behind = blocks;
                }
                from = end;
                if end == border {
                    break;
                }
            }
            self.slices[index as usize] = slice;
        }
    }
}
