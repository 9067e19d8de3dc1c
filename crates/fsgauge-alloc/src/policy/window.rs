//! Fixed window: a file gets its blocks from a window of so many blocks, which is set aside for it when the first of them
//! is written, and begins in the file at a multiple of its length. What is left of it is given back when the file is
//! closed. As a preallocation of one size (ldiskfs with one entry in its table), without its groups and goals.

use super::cursor::run_round;
use super::reserved::Reserved;
use super::{Extent, Policy, Request, piece};
use crate::free_map::{FreeMap, Run};

/// The policy, with the windows of files that are being written.
#[derive(Debug, Clone)]
pub struct Window {
    window_blocks: u32,
    cursor: u64,
    /// What is left of each file's window, and which block of the file it is for.
    left: Reserved,
}

impl Window {
    /// Windows of so many blocks, at most a group.
    pub fn new(window_blocks: u32) -> Self {
        Window { window_blocks: window_blocks.max(1), cursor: 0, left: Reserved::default() }
    }
}

impl Policy for Window {
    fn name(&self) -> &'static str {
        "window"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let Window { window_blocks, cursor, left } = self;
        left.allocate(space, request, |space| {
            let size = u64::from((*window_blocks).min(space.group_blocks()));
            let to_border = (size - request.logical % size) as u32;
            let wanted = if request.purpose.sets_aside() { to_border } else { piece(space, request) };
            let run = run_round(space, *cursor, wanted).or_else(|| space.longest_run())?;
            let window = Run { start: run.start, blocks: wanted.min(run.blocks) };
            space.take(window.start, window.blocks);
            *cursor = window.end();
            Some(window)
        })
    }

    fn release(&mut self, space: &mut FreeMap, file: u32) {
        self.left.release(space, file);
    }

    fn release_all(&mut self, space: &mut FreeMap) {
        self.left.release_all(space);
    }
}
