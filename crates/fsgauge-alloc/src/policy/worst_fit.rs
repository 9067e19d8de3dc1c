//! Worst fit: always the longest run, the first of equal ones.

use super::{Extent, Policy, Request, piece, take};
use crate::free_map::FreeMap;

/// The policy; it remembers nothing.
#[derive(Debug, Clone, Default)]
pub struct WorstFit;

impl Policy for WorstFit {
    fn name(&self) -> &'static str {
        "worst-fit"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let run = space.longest_run()?;
        Some(take(space, request, run.start, piece(space, request).min(run.blocks)))
    }
}
