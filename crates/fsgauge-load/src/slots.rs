//! Slots: what is known of each operation in flight. A slot's index travels through the kernel as user data.

use crate::operation::Operation;

/// One operation in flight; 32 bytes, two to a cache line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Slot {
    pub(crate) start_ns: u64,
    pub(crate) due_ns: u64,
    pub(crate) offset_bytes: u64,
    pub(crate) file: u32,
    /// Size times two, plus one for a write.
    size_and_kind: u32,
}

impl Slot {
    #[inline]
    pub(crate) fn new(operation: &Operation, due_ns: u64) -> Self {
        let size_and_kind = operation.size_bytes << 1 | u32::from(operation.write);
        Slot {
            start_ns: 0,
            due_ns,
            offset_bytes: operation.offset_bytes,
            file: operation.file,
            size_and_kind,
        }
    }

    #[inline]
    pub(crate) fn size_bytes(&self) -> u32 {
        self.size_and_kind >> 1
    }

    #[inline]
    pub(crate) fn is_write(&self) -> bool {
        self.size_and_kind & 1 == 1
    }

    pub(crate) fn operation(&self) -> Operation {
        Operation {
            write: self.is_write(),
            file: self.file,
            size_bytes: self.size_bytes(),
            offset_bytes: self.offset_bytes,
        }
    }
}

/// All slots of a loop and which of them are free. The last freed is taken first: its buffer is in cache.
#[derive(Debug)]
pub(crate) struct Slots {
    slots: Vec<Slot>,
    free: Vec<u32>,
    /// How many of `free` are free; the rest have been taken, and stay readable until they are reused.
    free_count: usize,
}

impl Slots {
    pub(crate) fn new(depth: u32) -> Self {
        let free = (0..depth).rev().collect();
        Slots { slots: vec![Slot::default(); depth as usize], free, free_count: depth as usize }
    }

    #[inline]
    pub(crate) fn free_count(&self) -> usize {
        self.free_count
    }

    /// Takes a free slot; there must be one.
    #[inline]
    pub(crate) fn take(&mut self, slot: Slot) -> u32 {
        self.free_count -= 1;
        let index = self.free[self.free_count];
        self.slots[index as usize] = slot;
        index
    }

    /// Stamps the `count` slots that were taken last.
    #[inline]
    pub(crate) fn stamp_taken(&mut self, count: usize, start_ns: u64) {
        for index in &self.free[self.free_count..self.free_count + count] {
            self.slots[*index as usize].start_ns = start_ns;
        }
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> &Slot {
        &self.slots[index as usize]
    }

    /// Frees a slot that was taken.
    #[inline]
    pub(crate) fn release(&mut self, index: u32) {
        self.free[self.free_count] = index;
        self.free_count += 1;
    }
}
