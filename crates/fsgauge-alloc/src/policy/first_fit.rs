//! First fit: the first run of the device that is long enough; else the longest.

use super::{Extent, Policy, Request, piece, take};
use crate::free_map::FreeMap;

/// The policy; it remembers nothing.
#[derive(Debug, Clone, Default)]
pub struct FirstFit;

impl Policy for FirstFit {
    fn name(&self) -> &'static str {
        "first-fit"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let wanted = piece(space, request);
        let run = space.next_long(0, wanted).or_else(|| space.longest_run())?;
        Some(take(space, request, run.start, wanted.min(run.blocks)))
    }
}
