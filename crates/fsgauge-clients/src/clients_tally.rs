//! What the clients of a loop did: by operation, errors by operation and kind, bad records.

use std::collections::BTreeMap;

use fsgauge_load::instruments::Tally;
use fsgauge_wire::{
    BadRecord, ClientError, ClientErrorKind, ClientOperation, ClientOperationResult, IntervalCount, Recorder,
};

/// How many bad records are listed.
pub(crate) const BAD_LIMIT: usize = 20;

const OPERATIONS: [ClientOperation; 11] = [
    ClientOperation::Connect,
    ClientOperation::Create,
    ClientOperation::Open,
    ClientOperation::Read,
    ClientOperation::Write,
    ClientOperation::Fsync,
    ClientOperation::Close,
    ClientOperation::Stat,
    ClientOperation::List,
    ClientOperation::Rename,
    ClientOperation::Unlink,
];

/// All of it; histograms exist only of operations that are done.
#[derive(Debug, Default)]
pub(crate) struct ClientsTally {
    operations: [Option<Box<Tally>>; OPERATIONS.len()],
    errors: BTreeMap<(ClientOperation, ClientErrorKind), Errors>,
    pub(crate) files: u64,
    /// From each file's intended start to its end; empty without a pace.
    pub(crate) file_response: Option<Recorder>,
    pub(crate) files_given_up: u64,
    pub(crate) checked_records: u64,
    pub(crate) bad_records: u64,
    pub(crate) bad: Vec<BadRecord>,
}

/// Errors of one operation and kind.
#[derive(Debug)]
struct Errors {
    count: u64,
    first_ns: u64,
    first_path: String,
    message: String,
}

impl ClientsTally {
    /// The tally of an operation.
    #[inline]
    pub(crate) fn of(&mut self, operation: ClientOperation) -> &mut Tally {
        self.operations[operation as usize].get_or_insert_with(Box::default)
    }

    /// The tally of an operation that was done at least once.
    pub(crate) fn done(&self, operation: ClientOperation) -> Option<&Tally> {
        self.operations[operation as usize].as_deref()
    }

    /// Counts an error; the first of its kind is described.
    #[cold]
    pub(crate) fn error(
        &mut self,
        operation: ClientOperation,
        kind: ClientErrorKind,
        at_ns: u64,
        words: impl FnOnce() -> (String, String),
    ) {
        // It was tried, so it is reported too.
        self.of(operation);
        let errors = self.errors.entry((operation, kind)).or_insert_with(|| {
            let (first_path, message) = words();
            Errors { count: 0, first_ns: at_ns, first_path, message }
        });
        errors.count += 1;
    }

    /// Counts a record that is not what was written.
    #[cold]
    pub(crate) fn bad_record(&mut self, record: impl FnOnce() -> BadRecord) {
        self.bad_records += 1;
        if self.bad.len() < BAD_LIMIT {
            self.bad.push(record());
        }
    }

    /// Reads, as an interval counts them.
    pub(crate) fn reads(&self) -> IntervalCount {
        self.count(ClientOperation::Read)
    }

    /// Writes, as an interval counts them.
    pub(crate) fn writes(&self) -> IntervalCount {
        self.count(ClientOperation::Write)
    }

    fn count(&self, operation: ClientOperation) -> IntervalCount {
        self.done(operation).map(Tally::count).unwrap_or_default()
    }

    /// How many operations succeeded in all.
    pub(crate) fn total(&self) -> u64 {
        self.operations.iter().flatten().map(|tally| tally.operations).sum()
    }

    /// Adds what another loop's clients did.
    pub(crate) fn merge(&mut self, other: ClientsTally) {
        for (mine, theirs) in self.operations.iter_mut().zip(other.operations) {
            match (mine.as_mut(), theirs) {
                (Some(mine), Some(theirs)) => mine.merge(&theirs),
                (None, theirs) => *mine = theirs,
                (Some(_), None) => {}
            }
        }
        for (which, theirs) in other.errors {
            match self.errors.entry(which) {
                std::collections::btree_map::Entry::Vacant(entry) => {
                    entry.insert(theirs);
                }
                std::collections::btree_map::Entry::Occupied(mut entry) => entry.get_mut().merge(theirs),
            }
        }
        self.files += other.files;
        if let Some(theirs) = &other.file_response {
            self.file_response.get_or_insert_with(Recorder::default).merge(theirs);
        }
        self.files_given_up += other.files_given_up;
        self.checked_records += other.checked_records;
        self.bad_records += other.bad_records;
        self.bad.extend(other.bad);
        self.bad.truncate(BAD_LIMIT);
    }

    /// Every operation that was done or tried.
    pub(crate) fn results(&self) -> Vec<ClientOperationResult> {
        let done = OPERATIONS.into_iter().filter_map(|operation| Some((operation, self.done(operation)?)));
        let result = |(operation, tally): (ClientOperation, &Tally)| ClientOperationResult {
            operation,
            operations: tally.operations,
            size_bytes: tally.size_bytes,
            errors: self.errors_of(operation),
            response_latency: tally.response.to_histogram(),
            service_latency: tally.service.to_histogram(),
        };
        done.map(result).collect()
    }

    /// Errors of an operation, of every kind.
    fn errors_of(&self, operation: ClientOperation) -> u64 {
        let of_it = self.errors.iter().filter(|((failed, _), _)| *failed == operation);
        of_it.map(|(_, errors)| errors.count).sum()
    }

    /// Errors by operation and kind.
    pub(crate) fn errors(&self) -> Vec<ClientError> {
        let error =
            |((operation, kind), errors): (&(ClientOperation, ClientErrorKind), &Errors)| ClientError {
                operation: *operation,
                kind: *kind,
                count: errors.count,
                first_path: errors.first_path.clone(),
                message: errors.message.clone(),
            };
        self.errors.iter().map(error).collect()
    }
}

impl Errors {
    fn merge(&mut self, other: Errors) {
        let count = self.count + other.count;
        if other.first_ns < self.first_ns {
            *self = other;
        }
        self.count = count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_has_its_place() {
        for (at, operation) in OPERATIONS.into_iter().enumerate() {
            assert_eq!(operation as usize, at, "{operation:?}");
        }
    }

    #[test]
    fn the_earliest_error_is_told_and_all_are_counted() {
        let tally = |at_ns: u64, count: usize| {
            let mut tally = ClientsTally::default();
            for later in 0..count {
                let words = || (format!("file {at_ns}"), format!("error {later}"));
                tally.error(ClientOperation::Write, ClientErrorKind::NoSpace, at_ns + later as u64, words);
            }
            tally
        };
        for (first, second) in [(5, 3), (3, 5)] {
            let mut both = tally(first, 4);
            both.merge(tally(second, 2));
            let expected = ClientError {
                operation: ClientOperation::Write,
                kind: ClientErrorKind::NoSpace,
                count: 6,
                first_path: "file 3".into(),
                message: "error 0".into(),
            };
            assert_eq!(both.errors(), [expected]);
            assert_eq!(both.results()[0].errors, 6);
        }
    }

    #[test]
    fn only_the_first_bad_records_are_told() {
        let record = |at: u64| BadRecord { path: "f".into(), offset_bytes: at, first_byte: at };
        let mut tally = ClientsTally::default();
        (0..50).for_each(|at| tally.bad_record(|| record(at)));
        let mut other = ClientsTally::default();
        other.bad_record(|| record(99));
        tally.merge(other);
        assert_eq!((tally.bad_records, tally.bad.len(), tally.bad[19].offset_bytes), (51, BAD_LIMIT, 19));
    }
}
