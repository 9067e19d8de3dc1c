//! What is left of a run that was taken for one file, in the order of its blocks.

use std::collections::HashMap;

use super::{Extent, Request};
use crate::free_map::{FreeMap, Run};

/// By file: the next block of the file that it is for, and the run.
#[derive(Debug, Clone, Default)]
pub(super) struct Reserved {
    left: HashMap<u32, (u64, Run)>,
}

impl Reserved {
    /// The run that the request goes on in.
    pub(super) fn of(&self, request: &Request) -> Option<Run> {
        self.left.get(&request.file).filter(|(logical, _)| *logical == request.logical).map(|(_, run)| *run)
    }

    /// Uses the beginning of a run for a request, and keeps the rest.
    pub(super) fn take(&mut self, request: &Request, run: Run) -> Extent {
        let blocks = request.blocks.min(run.blocks);
        let extent = Extent { logical: request.logical, physical: run.start, blocks };
        let rest = Run { start: extent.physical_end(), blocks: run.blocks - blocks };
        if rest.blocks > 0 {
            self.left.insert(request.file, (extent.logical_end(), rest));
        } else {
            self.left.remove(&request.file);
        }
        extent
    }

    /// Gives back what is left for a file.
    pub(super) fn release(&mut self, space: &mut FreeMap, file: u32) {
        if let Some((_, run)) = self.left.remove(&file) {
            space.give(run.start, run.blocks);
        }
    }
}
