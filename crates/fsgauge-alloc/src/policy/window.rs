//! Fixed window: a file gets its blocks from a window of so many blocks, which is set aside for it when the first of them
//! is written, and begins in the file at a multiple of its length. What is left of it is given back when the file is
//! closed. As a preallocation of one size (ldiskfs with one entry in its table), without its groups and goals.

use super::cursor::run_round;
use super::reserved::Reserved;
use super::{Extent, Policy, Request};
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

    fn new_window(&mut self, space: &mut FreeMap, logical: u64) -> Option<Run> {
        let size = self.window_blocks.min(space.group_blocks());
        let wanted = size - (logical % u64::from(size)) as u32;
        let run = run_round(space, self.cursor, wanted).or_else(|| space.longest_run())?;
        let window = Run { start: run.start, blocks: wanted.min(run.blocks) };
        space.take(window.start, window.blocks);
        self.cursor = window.end();
        Some(window)
    }
}

impl Policy for Window {
    fn name(&self) -> &'static str {
        "window"
    }

    fn allocate(&mut self, space: &mut FreeMap, request: &Request) -> Option<Extent> {
        let run = match self.left.of(request) {
            Some(run) => run,
            None => {
                self.left.release(space, request.file);
                self.new_window(space, request.logical)?
            }
        };
        Some(self.left.take(request, run))
    }

    fn release(&mut self, space: &mut FreeMap, file: u32) {
        self.left.release(space, file);
    }
}
