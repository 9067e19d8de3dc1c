//! The replay: operation after operation, until the log, the time or the space is at its end.

use std::time::{Duration, Instant};

use fsgauge_wire::{AgeEnded, AgeMode, AgeOperation, AgeProgress, Event, Listener, Stop};
use rustix::io::Errno;

use super::apply::{Ager, Applied};
use super::mode::Mode;
use super::source::Source;
use super::sync::sync_unless_stopped;
use crate::space::Place;

/// The clock is read after so many operations or bytes, whichever comes first.
const CLOCK_EVERY: u32 = 16;
const CLOCK_EVERY_BYTES: u64 = 16 << 20;
const PROGRESS_EVERY: Duration = Duration::from_millis(250);
/// Allocations in a row that found no space before it is enough.
const NO_SPACE_LIMIT: u32 = 10_000;
/// Operations in a row that failed for another reason before it is enough.
const ERRORS_LIMIT: u32 = 64;

/// A log, what carries it out, and the limits.
pub(crate) struct Replay {
    pub(crate) log: Source,
    pub(crate) ager: Ager,
    pub(crate) syncs: u64,
    pub(crate) sync_time: Duration,
    sync_every_bytes: u64,
    unsynced_bytes: u64,
    no_space_in_a_row: u32,
    errors_in_a_row: u32,
    begin: Instant,
    limit: Duration,
    told: Duration,
    until_clock: u32,
    until_clock_bytes: u64,
    stop: Stop,
}

impl Replay {
    pub(crate) fn new(
        log: Source,
        place: Place,
        mode: AgeMode,
        seed: u64,
        sync_every_bytes: u64,
        stop: Stop,
    ) -> Self {
        let carrier = Mode::new(mode, place.copies_on_write, seed);
        let ager = Ager::new(place.root, log.placement(), carrier, stop);
        Replay {
            log,
            ager,
            syncs: 0,
            sync_time: Duration::ZERO,
            sync_every_bytes,
            unsynced_bytes: 0,
            no_space_in_a_row: 0,
            errors_in_a_row: 0,
            begin: Instant::now(),
            limit: Duration::MAX,
            told: Duration::ZERO,
            until_clock: CLOCK_EVERY,
            until_clock_bytes: CLOCK_EVERY_BYTES,
            stop,
        }
    }

    /// Replays until something is at its end, syncs, and says what it was and how long it took.
    pub(crate) fn run(&mut self, limit: Duration, listener: &mut dyn Listener) -> (AgeEnded, Duration) {
        self.begin = Instant::now();
        self.limit = limit;
        let ended = self.replay(listener);
        // A sync may take long, and who interrupts wants an end.
        let ended = if ended == AgeEnded::Interrupted { ended } else { self.sync().unwrap_or(ended) };
        (ended, self.begin.elapsed())
    }

    fn replay(&mut self, listener: &mut dyn Listener) -> AgeEnded {
        while !self.stop.is_set() {
            if self.log.looks_ahead() {
                match self.look_around(listener) {
                    Some(ended) => return ended,
                    None => continue,
                }
            }
            let Some(operation) = self.log.next() else {
                if let Err(errno) = self.ager.directories.make_up_to(self.log.directories()) {
                    self.ager.counts.error(None, errno);
                }
                return AgeEnded::Complete;
            };
            let applied = self.ager.apply(&operation);
            let enough = self.note(operation.kind, applied).or_else(|| self.look_around(listener));
            if let Some(ended) = enough {
                return ended;
            }
        }
        AgeEnded::Interrupted
    }

    /// Counts what failed in a row, and the bytes up to the next sync.
    fn note(&mut self, kind: AgeOperation, applied: Applied) -> Option<AgeEnded> {
        let allocates = matches!(kind, AgeOperation::Create | AgeOperation::Append | AgeOperation::Overwrite);
        let bytes = match applied {
            Applied::Done(bytes) => {
                self.errors_in_a_row = 0;
                if allocates {
                    self.no_space_in_a_row = 0;
                }
                bytes
            }
            Applied::Skipped => 0,
            Applied::Failed(Errno::NOSPC | Errno::DQUOT, bytes) => {
                self.no_space_in_a_row += 1;
                bytes
            }
            Applied::Failed(_, bytes) => {
                self.errors_in_a_row += 1;
                bytes
            }
            Applied::Stopped(_) => return Some(AgeEnded::Interrupted),
        };
        if allocates {
            self.unsynced_bytes += bytes;
            self.until_clock_bytes = self.until_clock_bytes.saturating_sub(bytes);
            if self.sync_every_bytes > 0 && self.unsynced_bytes >= self.sync_every_bytes {
                return self.sync();
            }
        }
        if self.no_space_in_a_row >= NO_SPACE_LIMIT {
            return Some(AgeEnded::OutOfSpace);
        }
        (self.errors_in_a_row >= ERRORS_LIMIT).then_some(AgeEnded::GaveUp)
    }

    /// Gives an end where it was left for a stop.
    fn sync(&mut self) -> Option<AgeEnded> {
        let begin = Instant::now();
        let synced = sync_unless_stopped(self.ager.directories.root(), self.stop);
        self.sync_time += begin.elapsed();
        self.unsynced_bytes = 0;
        self.until_clock = 1;
        self.syncs += u64::from(synced.is_some());
        match synced {
            Some(Ok(())) => None,
            Some(Err(errno)) => {
                self.ager.counts.error(None, errno);
                None
            }
            None => Some(AgeEnded::Interrupted),
        }
    }

    /// The time limit, and progress a few times a second.
    fn look_around(&mut self, listener: &mut dyn Listener) -> Option<AgeEnded> {
        self.until_clock -= 1;
        if self.until_clock > 0 && self.until_clock_bytes > 0 {
            return None;
        }
        self.until_clock = CLOCK_EVERY;
        self.until_clock_bytes = CLOCK_EVERY_BYTES;
        let elapsed = self.begin.elapsed();
        if elapsed >= self.limit {
            return Some(AgeEnded::TimeLimit);
        }
        if elapsed - self.told >= PROGRESS_EVERY {
            self.told = elapsed;
            if listener.event(Event::AgeProgress(self.progress(elapsed))).is_err() {
                return Some(AgeEnded::Interrupted);
            }
        }
        None
    }

    fn progress(&self, elapsed: Duration) -> AgeProgress {
        let counts = &self.ager.counts;
        AgeProgress {
            operations: counts.operations,
            share: self.log.share(),
            failed: counts.failed,
            written_bytes: counts.written_bytes,
            live_files: self.ager.files.live_files,
            live_bytes: self.ager.files.live_bytes,
            elapsed_ns: elapsed.as_nanos() as u64,
        }
    }
}
