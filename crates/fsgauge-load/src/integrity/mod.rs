//! Integrity: what a verified load wrote is read back, and every block must be one whole write: of the right
//! place and run, by a job that has the place, and the last that this job wrote there.
//!
//! A fast file system that loses writes is worse than a slow one. Each sector says who wrote it, when and where
//! ([`tag`]), and its other bytes are known ([`image`]), so all of it can be checked without any memory of what
//! was written: [`ledger`] knows from the order of places which write must be there.

mod explain;
mod image;
mod ledger;
mod read_back;
mod sector;
mod tag;
mod tagger;
mod verdict;

#[cfg(test)]
mod tests;

use fsgauge_net::Access;
use fsgauge_wire::{Ended, IntegrityResult, LoadJob, Note, Outcome, Stop};
pub(crate) use tagger::Tagger;

use crate::merge::LoadOutcome;
use crate::target::Ground;

/// Reads back what a load has written, when it asked for that. Without all of its jobs' counts, nobody knows
/// what must be there: a load that was interrupted, or has writes that did not end, is not checked. A note says so.
pub(crate) fn after_load(
    load: &LoadJob,
    reached: (Option<&Access>, &Ground),
    measured: &LoadOutcome,
    stop: Stop,
    notes: &mut Vec<Note>,
) -> Outcome<Option<IntegrityResult>> {
    if !load.verify {
        return Ok(None);
    }
    let answers = measured.outcomes.iter().flatten();
    let finished = answers.filter(|job| job.ended != Ended::Interrupted && job.unfinished == 0);
    let issued: Vec<u64> = finished.map(|job| job.issued).collect();
    let is_complete = issued.len() == measured.outcomes.len();
    let read_back = if is_complete { read_back::read_back(load, reached, &issued, stop)? } else { None };
    if read_back.is_none() {
        let text = "the load was interrupted or some writes did not end, so what it wrote was not checked";
        notes.push(Note { code: "integrity.skipped".into(), text: text.into() });
    }
    Ok(read_back)
}
