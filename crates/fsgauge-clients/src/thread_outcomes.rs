//! What the client threads report to the main thread: about connecting, and about the run.

use std::time::Duration;

use fsgauge_clock::TrueStart;
use fsgauge_wire::{CommonStart, Ended, Features, Interval, MachineCpu, Note, Pauses};

use crate::event_loop::LoopOutcome;

/// What connecting the clients gave.
#[derive(Debug, Default)]
pub(crate) struct Admitted {
    pub(crate) connect_ns: u64,
    pub(crate) features: Option<Features>,
    pub(crate) notes: Vec<Note>,
}

/// What the run gave.
pub(crate) struct ThreadOutcomes {
    pub(crate) started_unix_ns: u64,
    /// One per thread; none where one hangs in the kernel.
    pub(crate) outcomes: Vec<Option<LoopOutcome>>,
    pub(crate) machine: MachineCpu,
    pub(crate) intervals: Vec<Interval>,
    pub(crate) note: Option<Note>,
    /// Pauses of the main thread.
    pub(crate) pauses: Pauses,
    /// What became of a start in common with other engines.
    pub(crate) common_start: Option<CommonStart>,
}

impl ThreadOutcomes {
    /// How long answers came after the time was up.
    pub(crate) fn drained(&self) -> Duration {
        let drained = self.outcomes.iter().flatten().map(|outcome| outcome.drained.elapsed_ns);
        Duration::from_nanos(drained.max().unwrap_or(0))
    }

    /// When each thread began, where the start is in common with other engines.
    pub(crate) fn true_starts(&self) -> impl Iterator<Item = TrueStart> {
        self.outcomes.iter().flatten().filter_map(|outcome| outcome.true_start)
    }

    /// Some threads hang in the kernel: the result is without them.
    pub(crate) fn note_unresponsive(&mut self) {
        let missing = self.outcomes.iter().filter(|outcome| outcome.is_none()).count();
        if missing > 0 {
            let text = format!(
                "{missing} threads did not return from the kernel in time; their clients are missing from the result"
            );
            self.note = Some(Note { code: "clients.unresponsive".into(), text });
        }
    }
}

/// Why a run ended: interrupted if any loop was, else by time if any loop was.
pub(crate) fn ended<'o, I: Iterator<Item = &'o LoopOutcome>>(outcomes: impl Fn() -> I) -> Ended {
    let has = |ended: &Ended| outcomes().any(|outcome| outcome.ended == *ended);
    [Ended::Interrupted, Ended::Duration].into_iter().find(has).unwrap_or(Ended::SizeLimit)
}

/// Where the measured part ended. Where the time was up, each lane counts until its own last answer, on average over
/// the lanes of all loops; else it lasted until the last loop was through.
pub(crate) fn end_ns<'o, I: Iterator<Item = &'o LoopOutcome>>(outcomes: impl Fn() -> I) -> u64 {
    if ended(&outcomes) != Ended::Duration {
        return outcomes().map(|outcome| outcome.end_ns).max().unwrap_or(0);
    }
    let lanes = outcomes().map(|outcome| outcome.lanes).sum::<u64>().max(1);
    let late_ns = outcomes().map(|outcome| outcome.drained.lanes_ns).sum::<u64>();
    outcomes().map(|outcome| outcome.time_up_ns).max().unwrap_or(0) + late_ns / lanes
}
