//! What a log knows while it is made: its live files, virtual time, and operations that were not yet taken.

use std::collections::VecDeque;

use fsgauge_wire::AgeOperation;

use crate::draw::Random;
use crate::operation::Operation;

/// Virtual time that one operation takes.
const OPERATION_NS: u64 = 100_000;
/// Room is reckoned in whole blocks of this size, as most file systems allocate.
const BLOCK_BYTES: u64 = 4096;

/// Bytes that a file takes.
pub(crate) fn taken(size_bytes: u64) -> u64 {
    size_bytes.div_ceil(BLOCK_BYTES) * BLOCK_BYTES
}

/// The state of a log. Memory goes with the number of live files, not with the log's length.
#[derive(Debug)]
pub(crate) struct LogState {
    pub(crate) random: Random,
    pub(crate) now_ns: u64,
    files: Vec<File>,
    /// Numbers to use again, the one that is free the longest first.
    free: VecDeque<u32>,
    /// Live files in no order, to draw from.
    live: Vec<u32>,
    taken_bytes: u64,
    pending: VecDeque<Operation>,
}

#[derive(Debug, Clone, Copy)]
struct File {
    size_bytes: u64,
    stream: u32,
    /// Where it is in `live`.
    place: u32,
}

impl LogState {
    pub(crate) fn new(seed: u64) -> Self {
        LogState {
            random: Random::new(seed),
            now_ns: 0,
            files: Vec::new(),
            free: VecDeque::new(),
            live: Vec::new(),
            taken_bytes: 0,
            pending: VecDeque::new(),
        }
    }

    /// The next operation that was made and not taken.
    pub(crate) fn take(&mut self) -> Option<Operation> {
        self.pending.pop_front()
    }

    pub(crate) fn size(&self, file: u32) -> u64 {
        self.files[file as usize].size_bytes
    }

    pub(crate) fn stream(&self, file: u32) -> u32 {
        self.files[file as usize].stream
    }

    /// Bytes that live files take, in whole blocks.
    pub(crate) fn taken_bytes(&self) -> u64 {
        self.taken_bytes
    }

    pub(crate) fn live_files(&self) -> usize {
        self.live.len()
    }

    /// A live file, each as likely as any other.
    pub(crate) fn draw_live(&mut self) -> Option<u32> {
        let count = self.live.len() as u64;
        (count > 0).then(|| self.live[self.random.below(count) as usize])
    }

    pub(crate) fn create(&mut self, stream: u32, size_bytes: u64) -> u32 {
        let state = File { size_bytes, stream, place: self.live.len() as u32 };
        let file = if let Some(file) = self.free.pop_front() {
            self.files[file as usize] = state;
            file
        } else {
            self.files.push(state);
            self.files.len() as u32 - 1
        };
        self.live.push(file);
        self.taken_bytes += taken(size_bytes);
        self.push(AgeOperation::Create, file, 0, size_bytes);
        file
    }

    pub(crate) fn append(&mut self, file: u32, size_bytes: u64) {
        let before = self.size(file);
        self.set_size(file, before + size_bytes);
        self.push(AgeOperation::Append, file, before, size_bytes);
    }

    pub(crate) fn overwrite(&mut self, file: u32, offset_bytes: u64, size_bytes: u64) {
        self.push(AgeOperation::Overwrite, file, offset_bytes, size_bytes);
    }

    pub(crate) fn truncate(&mut self, file: u32, to_bytes: u64) {
        let goes = self.size(file) - to_bytes;
        self.set_size(file, to_bytes);
        self.push(AgeOperation::Truncate, file, to_bytes, goes);
    }

    pub(crate) fn fsync(&mut self, file: u32) {
        self.push(AgeOperation::Fsync, file, 0, 0);
    }

    pub(crate) fn delete(&mut self, file: u32) {
        let File { size_bytes, place, .. } = self.files[file as usize];
        self.push(AgeOperation::Delete, file, 0, size_bytes);
        self.taken_bytes -= taken(size_bytes);
        self.live.swap_remove(place as usize);
        if let Some(&moved) = self.live.get(place as usize) {
            self.files[moved as usize].place = place;
        }
        self.free.push_back(file);
    }

    fn set_size(&mut self, file: u32, size_bytes: u64) {
        let state = &mut self.files[file as usize];
        self.taken_bytes = self.taken_bytes - taken(state.size_bytes) + taken(size_bytes);
        state.size_bytes = size_bytes;
    }

    fn push(&mut self, kind: AgeOperation, file: u32, offset_bytes: u64, size_bytes: u64) {
        let stream = self.stream(file);
        let virtual_time_ns = self.now_ns;
        self.now_ns = self.now_ns.saturating_add(OPERATION_NS);
        self.pending.push_back(Operation { virtual_time_ns, stream, kind, file, offset_bytes, size_bytes });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_reckoned_in_whole_blocks_and_given_back() {
        let mut log = LogState::new(1);
        let first = log.create(0, 5000);
        let second = log.create(1, 0);
        log.append(second, 1);
        assert_eq!(log.taken_bytes(), 3 * 4096);
        log.truncate(first, 100);
        assert_eq!(log.taken_bytes(), 2 * 4096);
        log.delete(first);
        log.delete(second);
        assert_eq!((log.taken_bytes(), log.live_files()), (0, 0));
        assert_eq!(log.draw_live(), None);
    }

    #[test]
    fn numbers_are_used_again_the_oldest_first_and_drawn_files_live() {
        let mut log = LogState::new(1);
        let all: Vec<u32> = (0..10).map(|stream| log.create(stream, 1)).collect();
        assert_eq!(all, (0..10).collect::<Vec<_>>());
        log.delete(3);
        log.delete(9);
        log.delete(0);
        assert!((0..200).all(|_| ![0, 3, 9].contains(&log.draw_live().unwrap())));
        assert_eq!((log.create(0, 1), log.create(0, 1), log.create(0, 1)), (3, 9, 0));
        assert_eq!(log.create(0, 1), 10);
    }
}
