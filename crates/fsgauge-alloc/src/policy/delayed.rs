//! Delayed allocation: blocks of a file wait in memory, and are then allocated as one run: behind the file's last block if
//! there is room for all, else in the next long enough run from a place that all files share. As NSS with delayed block
//! allocation.

use super::cursor::{run_behind, run_round};
use super::{Extent, Policy, Request, piece, take};
use crate::free_map::FreeMap;

/// The policy, with the place that all files share.
#[derive(Debug, Clone)]
pub struct Delayed {
    delay_blocks: u32,
    cursor: u64,
}

impl Delayed {
    /// So many blocks of a file wait at most.
    pub fn new(delay_blocks: u32) -> Self {
        Delayed { delay_blocks: delay_blocks.max(1), cursor: 0 }
    }
}

impl Policy for Delayed {
    fn name(&self) -> &'static str {
        "delayed"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let wanted = piece(space, request);
        let run = run_behind(space, request, wanted)
            .or_else(|| run_round(space, self.cursor, wanted))
            .or_else(|| space.longest_run())?;
        let blocks = wanted.min(run.blocks);
        self.cursor = run.start + u64::from(blocks);
        Some(take(space, request, run.start, blocks))
    }

    fn delay_blocks(&self) -> Option<u32> {
        Some(self.delay_blocks)
    }
}
