//! A fresh copy of what a log leaves: its live files with their last sizes, each written at once, stream by stream.

use fsgauge_alloc::OpLog;
use fsgauge_wire::{AgeOperation, Stop};

/// A file that is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Left {
    pub(crate) stream: u32,
    pub(crate) file: u32,
    pub(crate) size_bytes: u64,
}

/// Lives a log without a file system; gives what it leaves, and the log for its numbers.
pub(crate) fn left_by(log: &mut OpLog, stop: Stop) -> Vec<Left> {
    let mut files: Vec<Option<Left>> = Vec::new();
    for operation in log.by_ref() {
        let at = operation.file as usize;
        if files.len() <= at {
            files.resize(at + 1, None);
        }
        let (stream, file, size_bytes) = (operation.stream, operation.file, operation.size_bytes);
        match operation.kind {
            AgeOperation::Create => files[at] = Some(Left { stream, file, size_bytes }),
            AgeOperation::Delete => files[at] = None,
            AgeOperation::Append => {
                if let Some(left) = &mut files[at] {
                    left.size_bytes += size_bytes;
                }
            }
            AgeOperation::Truncate => {
                if let Some(left) = &mut files[at] {
                    left.size_bytes = operation.offset_bytes;
                }
            }
            AgeOperation::Overwrite | AgeOperation::Fsync => {}
        }
        if stop.is_set() {
            break;
        }
    }
    let mut found: Vec<Left> = files.into_iter().flatten().collect();
    found.sort_unstable();
    found
}
