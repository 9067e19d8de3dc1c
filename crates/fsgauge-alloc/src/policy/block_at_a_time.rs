//! Block at a time: each block alone, when it is written; the one after the file's last if it is free, else the next free
//! one from a place that all files share. As ext3 without reservations, and NSS without delayed block allocation.

use super::cursor::{run_behind, run_round};
use super::{Extent, Policy, Request, take};
use crate::free_map::FreeMap;

/// The policy, with the place that all files share.
#[derive(Debug, Clone, Default)]
pub struct BlockAtATime {
    cursor: u64,
}

impl Policy for BlockAtATime {
    fn name(&self) -> &'static str {
        "block-at-a-time"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let run = run_behind(space, request, 1).or_else(|| run_round(space, self.cursor, 1))?;
        self.cursor = run.start + 1;
        Some(take(space, request, run.start, 1))
    }
}
