//! Best fit: the shortest run that is long enough, the first of equal ones; else the longest.

use super::{Extent, Policy, Request, piece, take};
use crate::free_map::FreeMap;

/// The policy; it remembers nothing.
#[derive(Debug, Clone, Default)]
pub struct BestFit;

impl Policy for BestFit {
    fn name(&self) -> &'static str {
        "best-fit"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let wanted = piece(space, request);
        let run = space.shortest_run(wanted).or_else(|| space.longest_run())?;
        Some(take(space, request, run.start, wanted.min(run.blocks)))
    }
}
