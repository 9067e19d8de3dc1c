//! What one job hands over: its intervals while it runs, and its outcome at the end.

use fsgauge_clock::TrueStart;
use fsgauge_wire::{Ended, Failure, Features, Interval, Note, Pauses};
use serde::{Deserialize, Serialize};

use crate::barriers::SyncTimes;
use crate::finish::FinishOutcome;
use crate::instruments::Tally;

/// The measured part of one job.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct JobOutcome {
    /// Reads, then writes.
    pub(crate) tallies: [Tally; 2],
    /// Where the measured part began and ended, in the clock's nanoseconds; equal when it never began. It ends when
    /// everything in flight is answered, each place of the queue counted until its own last answer.
    pub(crate) begin_ns: u64,
    pub(crate) end_ns: u64,
    /// Operations in flight, integrated over the measured part, in operation-nanoseconds.
    pub(crate) in_flight_ns: u64,
    /// Operations that were due and never started.
    pub(crate) backlog_dropped: u64,
    /// Writes that were submitted in all, those of the warm-up included.
    pub(crate) issued: u64,
    /// Operations that completed after nothing more had started, and how long the last of them took from there.
    pub(crate) drained: u64,
    pub(crate) drain_ns: u64,
    /// Operations that had not completed when the job gave up waiting: the kernel may still carry them out.
    pub(crate) unfinished: u32,
    /// How long calls of fsync and fdatasync took; none when the load makes none.
    pub(crate) syncs: Option<SyncTimes>,
    /// Each operation of a file set by itself, at the place of its number; empty for plain loads.
    pub(crate) file_operations: Vec<Tally>,
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
    /// What it did with its files afterwards; none when the load asked for nothing.
    pub(crate) finish: Option<FinishOutcome>,
    /// What kept the job from its work.
    pub(crate) pauses: Pauses,
    pub(crate) ended: Ended,
    /// When it began; none where no start is in common with other engines.
    pub(crate) true_start: Option<TrueStart>,
}

/// What a job reports to the main thread; a worker process does so as a line of JSON.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// Opened and set up: ready to start.
    Ready { features: Option<Features>, notes: Vec<Note> },
    /// The job's next interval.
    Interval { job: u32, interval: Interval },
    /// The job's last report.
    Done { job: u32, outcome: Box<Result<JobOutcome, Failure>> },
}
