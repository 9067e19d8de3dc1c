//! Next fit: the first run that is long enough, from where the last allocation ended, once round the device; else the
//! longest.

use super::cursor::run_round;
use super::{Extent, Policy, Request, piece, take};
use crate::free_map::FreeMap;

/// The policy, with the end of the last allocation.
#[derive(Debug, Clone, Default)]
pub struct NextFit {
    cursor: u64,
}

impl Policy for NextFit {
    fn name(&self) -> &'static str {
        "next-fit"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let wanted = piece(space, request);
        let run = run_round(space, self.cursor, wanted).or_else(|| space.longest_run())?;
        let blocks = wanted.min(run.blocks);
        self.cursor = run.start + u64::from(blocks);
        Some(take(space, request, run.start, blocks))
    }
}
