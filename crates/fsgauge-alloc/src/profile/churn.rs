//! `churn`: files are created up to the fill level; from then on the file whose lifetime ends next makes room.
//!
//! Virtual time passes as operations do, and jumps to the next death where there is no room for the next file. So
//! the level stays where it is, and lifetimes decide which file goes: what counts is their order. Sizes are drawn
//! on a continuous scale, the fill phase from the same seed as the rest. A file is written whole before the next begins,
//! or all streams write at the same time, a piece each in turns.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use fsgauge_wire::{AgeProfile, Failure};

use super::in_turns::{InTurns, Wrote};
use super::{Profile, Turn, too_small, wrong};
use crate::draw::{Lifetimes, Sizes};
use crate::log_state::{LogState, taken};

/// A file system has fewer places to which streams could be bound.
const STREAMS_LIMIT: u32 = 1 << 16;

pub(crate) struct Churn {
    sizes: Sizes,
    lifetimes: Lifetimes,
    streams: u32,
    rewrite_percent: u8,
    /// Where streams write at the same time.
    in_turns: Option<InTurns>,
    room_bytes: u64,
    fill_only: bool,
    filled: bool,
    next_size_bytes: Option<u64>,
    deaths: BinaryHeap<Reverse<(u64, u32)>>,
}

pub(super) fn begin(profile: &AgeProfile, room_bytes: u64, fill_only: bool) -> Result<Churn, Failure> {
    let AgeProfile::Churn { sizes, lifetimes, streams, rewrite_percent, turn_bytes } = profile else {
        return Err(wrong("the profile is not churn", "its kind is another"));
    };
    let sizes = Sizes::new(sizes).map_err(|cause| wrong("the profile's sizes are not valid", cause))?;
    let lifetimes =
        Lifetimes::new(lifetimes).map_err(|cause| wrong("the profile's lifetimes are not valid", cause))?;
    if *streams == 0 || *rewrite_percent > 100 {
        return Err(wrong("streams must be above 0, rewrite_percent at most 100", "one of them is not"));
    }
    if *streams > STREAMS_LIMIT {
        let what = format!("streams {streams} is more than {STREAMS_LIMIT}");
        return Err(wrong(what, "each has a place in memory"));
    }
    if *turn_bytes == Some(0) {
        return Err(wrong("turn_bytes is 0", "no file would grow"));
    }
    if turn_bytes.is_some() && *rewrite_percent > 0 {
        let cause = "a file that is rewritten is written whole, and files in turns are not";
        return Err(wrong(format!("rewrite_percent is {rewrite_percent} with turn_bytes"), cause));
    }
    if taken(sizes.largest_bytes()) > room_bytes {
        let needed = format!("room for one file of {} bytes", sizes.largest_bytes());
        return Err(too_small(&needed, room_bytes));
    }
    Ok(Churn {
        sizes,
        lifetimes,
        streams: *streams,
        rewrite_percent: *rewrite_percent,
        in_turns: turn_bytes.map(|piece_bytes| InTurns::new(*streams, piece_bytes)),
        room_bytes,
        fill_only,
        filled: false,
        next_size_bytes: None,
        deaths: BinaryHeap::new(),
    })
}

impl Churn {
    fn fits(&self, log: &LogState, size_bytes: u64) -> bool {
        log.taken_bytes() + taken(size_bytes) <= self.room_bytes
    }

    fn create(&mut self, log: &mut LogState, size_bytes: u64) {
        let stream = log.random.below(u64::from(self.streams)) as u32;
        let file = log.create(stream, size_bytes);
        self.lives(log, file);
    }

    /// A file is whole: from now on it may be its turn to go.
    fn lives(&mut self, log: &mut LogState, file: u32) {
        let death_ns = log.now_ns.saturating_add(self.lifetimes.draw_ns(&mut log.random));
        self.deaths.push(Reverse((death_ns, file)));
    }

    /// The turn of a stream that writes beside others: a piece of its file, or a new one, or room for it. One that finds
    /// no room while all files are still being written waits.
    fn turn_of_a_stream(&mut self, log: &mut LogState, turns: &mut InTurns) -> Turn {
        for _ in 0..turns.streams() {
            match turns.write(log) {
                Wrote::Piece => {
                    turns.pass_on();
                    return Turn::Goes;
                }
                Wrote::Last(file) => {
                    self.lives(log, file);
                    turns.pass_on();
                    return Turn::Goes;
                }
                Wrote::Nothing => {}
            }
            let size_bytes = self.next_size_bytes.take().unwrap_or_else(|| self.sizes.draw(&mut log.random));
            if turns.promised_bytes(log) + log.taken_bytes() + taken(size_bytes) <= self.room_bytes {
                let file = log.create(turns.stream(), 0);
                turns.begin(file, size_bytes);
                turns.pass_on();
                return Turn::Goes;
            }
            self.next_size_bytes = Some(size_bytes);
            self.filled = true;
            if !self.fill_only && self.first_goes(log) {
                return Turn::Goes;
            }
            turns.pass_on();
        }
        Turn::Over
    }

    /// The file whose lifetime ends next is deleted; false without one.
    fn first_goes(&mut self, log: &mut LogState) -> bool {
        let Some(Reverse((death_ns, file))) = self.deaths.pop() else { return false };
        log.now_ns = log.now_ns.max(death_ns);
        log.delete(file);
        true
    }

    /// A file is truncated and written anew, as programs do that save in place.
    fn rewrite(&mut self, log: &mut LogState) {
        let Some(file) = log.draw_live() else { return };
        let before_bytes = log.size(file);
        log.truncate(file, 0);
        let drawn = self.sizes.draw(&mut log.random);
        let size_bytes = if self.fits(log, drawn) { drawn } else { before_bytes };
        log.append(file, size_bytes);
    }
}

impl Profile for Churn {
    fn turn(&mut self, log: &mut LogState) -> Turn {
        if let Some(&Reverse((death_ns, file))) = self.deaths.peek()
            && death_ns <= log.now_ns
        {
            self.deaths.pop();
            log.delete(file);
            return Turn::Goes;
        }
        if let Some(mut turns) = self.in_turns.take() {
            let turn = self.turn_of_a_stream(log, &mut turns);
            self.in_turns = Some(turns);
            return turn;
        }
        let size_bytes = self.next_size_bytes.take().unwrap_or_else(|| self.sizes.draw(&mut log.random));
        if self.fits(log, size_bytes) {
            self.create(log, size_bytes);
            return Turn::Goes;
        }
        self.next_size_bytes = Some(size_bytes);
        self.filled = true;
        if self.fill_only {
            return Turn::Over;
        }
        if self.rewrite_percent > 0 && log.random.below(100) < u64::from(self.rewrite_percent) {
            self.rewrite(log);
            return Turn::Goes;
        }
        if self.first_goes(log) { Turn::Goes } else { Turn::Over }
    }

    fn is_filled(&self) -> bool {
        self.filled
    }
}
