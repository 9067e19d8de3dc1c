//! The null queue: every operation succeeds at once. What a load costs on it is the engine's own cost.

use std::io;

use io_uring::squeue::Entry;

use super::{Queue, ring};
use crate::operation::Operation;

/// Completes operations in the order in which they were pushed, in groups of `batch`.
#[derive(Debug)]
pub(crate) struct NullQueue {
    /// A ring of (slot, bytes); its length is a power of two above the depth.
    waiting: Vec<(u32, i32)>,
    head: usize,
    completed: usize,
    tail: usize,
    batch: usize,
    /// Where io_uring's entries are prepared, so that their cost is in the measure; empty for psync.
    entries: Vec<Entry>,
}

impl NullQueue {
    /// `prepares_entries`: whether to do the work that io_uring needs in user space.
    pub(crate) fn new(depth: u32, batch: u32, prepares_entries: bool) -> Self {
        let length = (depth as usize + 1).next_power_of_two();
        let entry = || {
            ring::entry(
                0,
                &Operation { write: false, file: 0, size_bytes: 0, offset_bytes: 0 },
                std::ptr::null_mut(),
                ring::Fixed::ALL,
                &[],
            )
        };
        let entries = if prepares_entries { (0..length).map(|_| entry()).collect() } else { Vec::new() };
        let waiting = vec![(0, 0); length];
        NullQueue { waiting, head: 0, completed: 0, tail: 0, batch: batch as usize, entries }
    }
}

impl Queue for NullQueue {
    #[inline]
    fn push(&mut self, slot: u32, operation: &Operation, address: *mut u8) {
        let index = self.tail & (self.waiting.len() - 1);
        if let Some(entry) = self.entries.get_mut(index) {
            *entry = ring::entry(slot, operation, address, ring::Fixed::ALL, &[]);
        }
        self.waiting[index] = (slot, operation.size_bytes as i32);
        self.tail += 1;
    }

    #[inline]
    fn enter(&mut self, wanted: u32) -> io::Result<()> {
        if wanted > 0 {
            self.completed = self.tail.min(self.completed + self.batch);
        }
        std::hint::black_box(self.entries.as_ptr());
        Ok(())
    }

    #[inline]
    fn reap(&mut self, mut each: impl FnMut(u32, i32)) {
        let mask = self.waiting.len() - 1;
        while self.head != self.completed {
            let (slot, bytes) = self.waiting[self.head & mask];
            self.head += 1;
            each(slot, bytes);
        }
    }
}
