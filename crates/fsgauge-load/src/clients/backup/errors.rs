//! Errors by operation and kind, each with its first path and message.

use fsgauge_wire::{ClientError, ClientErrorKind, ClientOperation};
use rustix::io::Errno;

use crate::clients::target::{kind_of, message_of};

/// The errors so far.
#[derive(Debug, Default)]
pub(super) struct Errors {
    found: Vec<ClientError>,
}

impl Errors {
    /// Counts an error that the kernel gave.
    pub(super) fn add(&mut self, operation: ClientOperation, errno: Errno, path: impl FnOnce() -> String) {
        let number = errno.raw_os_error();
        self.count(operation, kind_of(number), path, || message_of(number));
    }

    /// Counts an error of a kind.
    pub(super) fn count(
        &mut self,
        operation: ClientOperation,
        kind: ClientErrorKind,
        path: impl FnOnce() -> String,
        message: impl FnOnce() -> String,
    ) {
        let is_it = |error: &&mut ClientError| error.operation == operation && error.kind == kind;
        match self.found.iter_mut().find(is_it) {
            Some(error) => error.count += 1,
            None => {
                let (first_path, message) = (path(), message());
                self.found.push(ClientError { operation, kind, count: 1, first_path, message });
            }
        }
    }

    /// How many an operation had.
    pub(super) fn of(&self, operation: ClientOperation) -> u64 {
        let those = self.found.iter().filter(|error| error.operation == operation);
        those.map(|error| error.count).sum()
    }

    /// All of them, in a fixed order.
    pub(super) fn take(mut self) -> Vec<ClientError> {
        self.found.sort_by_key(|error| (error.operation, error.kind));
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_kind_is_kept_and_the_others_are_counted() {
        let mut errors = Errors::default();
        errors.add(ClientOperation::Read, Errno::IO, || "a".into());
        errors.add(ClientOperation::Open, Errno::NOENT, || "b".into());
        errors.add(ClientOperation::Open, Errno::NOTDIR, || "c".into());
        assert_eq!((errors.of(ClientOperation::Open), errors.of(ClientOperation::Close)), (2, 0));
        let all = errors.take();
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].kind, all[0].count, &*all[0].first_path), (ClientErrorKind::Missing, 2, "b"));
        assert_eq!(all[1].message, "Input/output error (os error 5)");
    }
}
