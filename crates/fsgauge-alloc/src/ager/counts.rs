//! What became of operations, and what failed.

use fsgauge_wire::{AgeError, AgeOperation, AgeOperationResult};
use rustix::io::Errno;

use crate::space::text_of;

/// Different errors that are kept; there are few numbers.
const ERRORS_LIMIT: usize = 32;

#[derive(Debug, Clone, Copy, Default)]
struct Count {
    done: u64,
    failed: u64,
    skipped: u64,
    size_bytes: u64,
}

/// Counts by kind.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    by_kind: [Count; 6],
    errors: Vec<AgeError>,
    pub(crate) operations: u64,
    pub(crate) failed: u64,
    pub(crate) written_bytes: u64,
}

impl Counts {
    pub(crate) fn done(&mut self, kind: AgeOperation, size_bytes: u64) {
        self.by_kind[kind as usize].done += 1;
        self.add_bytes(kind, size_bytes);
    }

    pub(crate) fn skipped(&mut self, kind: AgeOperation) {
        self.by_kind[kind as usize].skipped += 1;
    }

    /// An operation that failed after so many bytes.
    pub(crate) fn failed(&mut self, kind: AgeOperation, size_bytes: u64, errno: Errno) {
        self.by_kind[kind as usize].failed += 1;
        self.failed += 1;
        self.add_bytes(kind, size_bytes);
        self.error(Some(kind), errno);
    }

    /// Bytes of an operation that was stopped.
    pub(crate) fn add_bytes(&mut self, kind: AgeOperation, size_bytes: u64) {
        self.by_kind[kind as usize].size_bytes += size_bytes;
        if matches!(kind, AgeOperation::Create | AgeOperation::Append | AgeOperation::Overwrite) {
            self.written_bytes += size_bytes;
        }
    }

    /// None: syncfs.
    pub(crate) fn error(&mut self, operation: Option<AgeOperation>, errno: Errno) {
        let number = errno.raw_os_error();
        let same = |each: &&mut AgeError| each.errno == number && each.operation == operation;
        if let Some(error) = self.errors.iter_mut().find(same) {
            error.count += 1;
        } else if self.errors.len() < ERRORS_LIMIT {
            let first_operation = self.operations;
            let text = text_of(errno);
            self.errors.push(AgeError { operation, errno: number, text, count: 1, first_operation });
        }
    }

    /// Kinds that occurred.
    pub(crate) fn results(&self) -> Vec<AgeOperationResult> {
        let result = |(operation, count): (AgeOperation, &Count)| {
            let &Count { done, failed, skipped, size_bytes } = count;
            AgeOperationResult { operation, done, failed, skipped, size_bytes }
        };
        let occurred = |each: &AgeOperationResult| each.done + each.failed + each.skipped > 0;
        AgeOperation::ALL.into_iter().zip(&self.by_kind).map(result).filter(occurred).collect()
    }

    /// The most frequent first.
    pub(crate) fn errors(&self) -> Vec<AgeError> {
        let mut errors = self.errors.clone();
        errors.sort_by_key(|error| std::cmp::Reverse(error.count));
        errors
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_lie_where_their_counts_do_and_errors_are_kept_apart() {
        for (place, kind) in AgeOperation::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
        }
        let mut counts = Counts { operations: 7, ..Counts::default() };
        counts.done(AgeOperation::Append, 10);
        counts.failed(AgeOperation::Append, 3, Errno::NOSPC);
        counts.failed(AgeOperation::Create, 0, Errno::NOSPC);
        counts.failed(AgeOperation::Create, 0, Errno::NOSPC);
        counts.error(None, Errno::IO);
        counts.done(AgeOperation::Delete, 5);
        assert_eq!((counts.failed, counts.written_bytes), (3, 13));
        let found: Vec<_> =
            counts.errors().iter().map(|each| (each.operation, each.errno, each.count)).collect();
        assert_eq!(found[0], (Some(AgeOperation::Create), 28, 2));
        assert_eq!(found[1..], [(Some(AgeOperation::Append), 28, 1), (None, 5, 1)]);
        assert_eq!(counts.errors()[0].text, "No space left on device");
        assert_eq!(counts.results().len(), 3);
    }
}
