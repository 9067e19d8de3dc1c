//! A file system's life in a model: the operations of a log, carried out by a policy on the free space of a device. There
//! are files and their extents, and nothing else: no directories, no blocks of the file system's own, no data.

use std::collections::BTreeSet;

use fsgauge_wire::AgeOperation;

use crate::free_map::{FreeMap, Run};
use crate::open_files::OpenFiles;
use crate::operation::Operation;
use crate::policy::{Extent, Policy, Purpose, Request};

/// When a freed block may be taken again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reuse {
    /// At once.
    AtOnce,
    /// After the next sync: a journal must first hold that it is free.
    AfterSync,
}

/// What differs between lives of one policy.
#[derive(Debug, Clone, Copy)]
pub struct Habits {
    /// Bytes of a block.
    pub block_bytes: u64,
    /// When a freed block may be taken again.
    pub reuse: Reuse,
    /// Bytes that are written between two syncs, at which all that waits is allocated; none: at the end alone.
    pub sync_every_bytes: Option<u64>,
}

/// The model of one file system.
pub struct Life {
    space: FreeMap,
    policy: Box<dyn Policy>,
    habits: Habits,
    files: Vec<Option<File>>,
    /// The file that each stream has open.
    open: OpenFiles,
    /// Files of which something waits to be allocated.
    waiting: BTreeSet<u32>,
    freed: Vec<Run>,
    unsynced_bytes: u64,
    refused: u64,
}

#[derive(Debug)]
struct File {
    stream: u32,
    size_bytes: u64,
    extents: Vec<Extent>,
}

impl File {
    fn allocated_blocks(&self) -> u64 {
        self.extents.last().map_or(0, Extent::logical_end)
    }

    /// Longer by an extent, which may only lengthen the last one.
    fn push(&mut self, extent: Extent) {
        match self.extents.last_mut() {
            Some(last)
                if last.is_followed_by(&extent) && last.blocks.checked_add(extent.blocks).is_some() =>
            {
                last.blocks += extent.blocks;
            }
            _ => self.extents.push(extent),
        }
    }
}

impl Life {
    /// An empty file system.
    pub fn new(space: FreeMap, policy: Box<dyn Policy>, habits: Habits) -> Self {
        Life {
            space,
            policy,
            habits,
            files: Vec::new(),
            open: OpenFiles::default(),
            waiting: BTreeSet::new(),
            freed: Vec::new(),
            unsynced_bytes: 0,
            refused: 0,
        }
    }

    /// The free space. What policies have set aside is not free.
    pub fn space(&self) -> &FreeMap {
        &self.space
    }

    /// Extents of every file that there is, in the order of its blocks; neighbours are one.
    pub fn extents(&self) -> impl Iterator<Item = &[Extent]> {
        self.files.iter().flatten().map(|file| file.extents.as_slice())
    }

    /// The extents of one file; none if there is no such file.
    pub fn file(&self, file: u32) -> Option<&[Extent]> {
        self.files.get(file as usize)?.as_ref().map(|file| file.extents.as_slice())
    }

    /// Operations that found no space.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Carries out one operation.
    pub fn apply(&mut self, operation: &Operation) {
        let &Operation { stream, kind, file, offset_bytes, size_bytes, .. } = operation;
        if kind != AgeOperation::Delete {
            self.turn_to(stream, file);
        }
        match kind {
            AgeOperation::Create => {
                if self.files.len() <= file as usize {
                    self.files.resize_with(file as usize + 1, || None);
                }
                self.files[file as usize] = Some(File { stream, size_bytes: 0, extents: Vec::new() });
                if size_bytes > 0 {
                    if !self.write(file, size_bytes) {
                        self.delete(file);
                    }
                    self.close(stream);
                }
            }
            AgeOperation::Append => {
                self.write(file, size_bytes);
            }
            // Overwritten in place.
            AgeOperation::Overwrite => {}
            AgeOperation::Truncate => self.truncate(file, offset_bytes),
            AgeOperation::Delete => self.delete(file),
            AgeOperation::Fsync => {
                self.allocate_waiting(file);
            }
        }
        if let Some(limit) = self.habits.sync_every_bytes
            && self.unsynced_bytes >= limit
        {
            self.sync();
        }
    }

    /// Allocates all that waits, file by file, and lets freed blocks be taken again.
    pub fn sync(&mut self) {
        while let Some(file) = self.waiting.pop_first() {
            self.allocate_waiting(file);
        }
        for run in self.freed.drain(..) {
            self.space.give(run.start, run.blocks);
        }
        self.unsynced_bytes = 0;
    }

    /// A stream has one file open: the one that it had before is closed.
    fn turn_to(&mut self, stream: u32, file: u32) {
        if let Some(before) = self.open.turn_to(stream, file) {
            self.closed(before);
        }
    }

    fn close(&mut self, stream: u32) {
        if let Some(file) = self.open.close(stream) {
            self.closed(file);
        }
    }

    fn closed(&mut self, file: u32) {
        if !self.waiting.contains(&file) {
            self.policy.release(&mut self.space, file);
        }
    }

    /// False if there was no space for all; the file then has what there was.
    fn write(&mut self, file: u32, size_bytes: u64) -> bool {
        let Some(state) = self.files.get_mut(file as usize).and_then(Option::as_mut) else { return true };
        state.size_bytes += size_bytes;
        self.unsynced_bytes += size_bytes;
        let waiting_blocks =
            state.size_bytes.div_ceil(self.habits.block_bytes).saturating_sub(state.allocated_blocks());
        if self.policy.delay_blocks().is_some_and(|limit| waiting_blocks < u64::from(limit)) {
            self.waiting.insert(file);
            return true;
        }
        self.allocate_waiting(file)
    }

    fn allocate_waiting(&mut self, file: u32) -> bool {
        self.waiting.remove(&file);
        let limit = self.policy.delay_blocks();
        let is_open = self.is_open(file);
        let Some(state) = self.files.get_mut(file as usize).and_then(Option::as_mut) else { return true };
        let wanted_end = state.size_bytes.div_ceil(self.habits.block_bytes);
        while state.allocated_blocks() < wanted_end {
            let logical = state.allocated_blocks();
            let last = state.extents.last().copied();
            let request = Request {
                file,
                inode: u64::from(file),
                logical,
                blocks: (wanted_end - logical).min(u64::from(limit.unwrap_or(u32::MAX))) as u32,
                // The size grows as the file is written, and long before what waits is allocated.
                file_blocks: if limit.is_some() { wanted_end } else { logical },
                goal: last.map_or(0, |last| last.physical_end()),
                last,
                purpose: if is_open { Purpose::Data } else { Purpose::DataOfClosed },
            };
            let Some(extent) = self.policy.allocate(&mut self.space, &request) else {
                state.size_bytes = logical * self.habits.block_bytes;
                self.refused += 1;
                return false;
            };
            state.push(extent);
        }
        if !is_open {
            self.policy.release(&mut self.space, file);
        }
        true
    }

    fn truncate(&mut self, file: u32, to_bytes: u64) {
        self.policy.release(&mut self.space, file);
        let Some(state) = self.files.get_mut(file as usize).and_then(Option::as_mut) else { return };
        state.size_bytes = state.size_bytes.min(to_bytes);
        let kept_blocks = state.size_bytes.div_ceil(self.habits.block_bytes);
        while let Some(last) = state.extents.last_mut().filter(|last| last.logical_end() > kept_blocks) {
            let kept = kept_blocks.saturating_sub(last.logical) as u32;
            let gone = Run { start: last.physical + u64::from(kept), blocks: last.blocks - kept };
            match self.habits.reuse {
                Reuse::AtOnce => self.space.give(gone.start, gone.blocks),
                Reuse::AfterSync => self.freed.push(gone),
            }
            last.blocks = kept;
            if kept == 0 {
                state.extents.pop();
            }
        }
    }

    fn delete(&mut self, file: u32) {
        self.truncate(file, 0);
        self.waiting.remove(&file);
        if let Some(state) = self.files.get_mut(file as usize).and_then(Option::take)
            && self.open.has(state.stream, file)
        {
            self.open.close(state.stream);
        }
    }

    /// Whether the stream that writes the file has it open.
    fn is_open(&self, file: u32) -> bool {
        let stream = self.files.get(file as usize).and_then(Option::as_ref).map(|state| state.stream);
        stream.is_some_and(|stream| self.open.has(stream, file))
    }
}
