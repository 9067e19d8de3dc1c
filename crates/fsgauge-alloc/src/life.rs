//! A file system's life in a model: the operations of a log, carried out by a policy on the free space of a device. There
//! are files and their extents, and nothing else: no directories, no blocks of the file system's own, no data.

use std::collections::BTreeMap;

use fsgauge_wire::AgeOperation;

use crate::free_map::{FreeMap, Run};
use crate::open_files::OpenFiles;
use crate::operation::Operation;
use crate::policy::{self, Extent, Policy, Purpose, Request};

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
    /// The directory of streams that do not have their own.
    directories: BTreeMap<u32, u32>,
    /// Files of which something waits to be allocated, by the turn in which they first had it: the order in which they are
    /// written back.
    waiting: BTreeMap<u64, u32>,
    turns: u64,
    freed: Vec<Run>,
    unsynced_bytes: u64,
    refused: u64,
}

#[derive(Debug)]
struct File {
    stream: u32,
    size_bytes: u64,
    extents: Vec<Extent>,
    /// Its turn to be written back, while something waits.
    turn: Option<u64>,
    /// It was cut to nothing, and is open still.
    is_rewritten: bool,
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
            directories: BTreeMap::new(),
            waiting: BTreeMap::new(),
            turns: 0,
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

    /// The files of a stream lie in a directory that others have as well.
    pub fn lies_in(&mut self, stream: u32, directory: u32) {
        self.directories.insert(stream, directory);
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
                self.files[file as usize] = Some(File {
                    stream,
                    size_bytes: 0,
                    extents: Vec::new(),
                    turn: None,
                    is_rewritten: false,
                });
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
        while let Some((_, &file)) = self.waiting.first_key_value() {
            self.allocate_waiting(file);
        }
        for run in self.freed.drain(..) {
            self.space.give(run.start, run.blocks);
        }
        self.unsynced_bytes = 0;
    }

    /// Closes every file, allocates all that waits, and gives back what is set aside.
    pub fn unmount(&mut self) {
        for file in self.open.close_all() {
            self.closed(file);
        }
        self.sync();
        self.policy.release_all(&mut self.space);
    }

    /// Allocates what was just written of a file, which does not wait in memory; false if there was no space for all.
    pub fn allocate_at_once(&mut self, file: u32) -> bool {
        let purpose = self.policy.purpose_at_once();
        self.allocate(file, purpose)
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

    /// The stream has turned to another file already.
    fn closed(&mut self, file: u32) {
        let Some(state) = self.files.get_mut(file as usize).and_then(Option::as_mut) else { return };
        let is_rewritten = std::mem::take(&mut state.is_rewritten);
        if state.turn.is_some() && is_rewritten && self.policy.flushes_rewritten() {
            self.allocate(file, Purpose::Data);
        }
        if self.files[file as usize].as_ref().is_some_and(|state| state.turn.is_none()) {
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
            if state.turn.is_none() {
                state.turn = Some(self.turns);
                self.waiting.insert(self.turns, file);
                self.turns += 1;
            }
            return true;
        }
        self.allocate_waiting(file)
    }

    fn allocate_waiting(&mut self, file: u32) -> bool {
        let is_open = self.is_open(file);
        let done = self.allocate(file, if is_open { Purpose::Data } else { Purpose::DataOfClosed });
        if done && !is_open {
            self.policy.release(&mut self.space, file);
        }
        done
    }

    fn allocate(&mut self, file: u32, purpose: Purpose) -> bool {
        let limit = self.policy.delay_blocks();
        let Some(state) = self.files.get_mut(file as usize).and_then(Option::as_mut) else { return true };
        if let Some(turn) = state.turn.take() {
            self.waiting.remove(&turn);
        }
        let wanted_end = state.size_bytes.div_ceil(self.habits.block_bytes);
        while state.allocated_blocks() < wanted_end {
            let logical = state.allocated_blocks();
            let last = state.extents.last().copied();
            let directory = || self.directories.get(&state.stream).copied().unwrap_or(state.stream);
            let home = || self.policy.home(&self.space, directory());
            let request = Request {
                file,
                inode: u64::from(file),
                logical,
                blocks: (wanted_end - logical).min(u64::from(limit.unwrap_or(u32::MAX))) as u32,
                // The size grows as the file is written, and long before what waits is allocated.
                file_blocks: if limit.is_some() { wanted_end } else { logical },
                goal: last.map_or_else(home, |last| last.physical_end()),
                last,
                purpose,
            };
            let Some(extent) = self.policy.allocate(&mut self.space, &request) else {
                state.size_bytes = logical * self.habits.block_bytes;
                self.refused += 1;
                return false;
            };
            state.push(extent);
        }
        true
    }

    fn truncate(&mut self, file: u32, to_bytes: u64) {
        self.policy.release(&mut self.space, file);
        let Some(state) = self.files.get_mut(file as usize).and_then(Option::as_mut) else { return };
        state.size_bytes = state.size_bytes.min(to_bytes);
        state.is_rewritten |= state.size_bytes == 0;
        let kept_blocks = state.size_bytes.div_ceil(self.habits.block_bytes);
        policy::cut(&mut state.extents, kept_blocks, |gone| match self.habits.reuse {
            Reuse::AtOnce => self.space.give(gone.start, gone.blocks),
            Reuse::AfterSync => self.freed.push(gone),
        });
    }

    fn delete(&mut self, file: u32) {
        self.truncate(file, 0);
        let Some(state) = self.files.get_mut(file as usize).and_then(Option::take) else { return };
        if let Some(turn) = state.turn {
            self.waiting.remove(&turn);
        }
        if self.open.has(state.stream, file) {
            self.open.close(state.stream);
        }
    }

    /// Whether the stream that writes the file has it open.
    fn is_open(&self, file: u32) -> bool {
        let stream = self.files.get(file as usize).and_then(Option::as_ref).map(|state| state.stream);
        stream.is_some_and(|stream| self.open.has(stream, file))
    }
}
