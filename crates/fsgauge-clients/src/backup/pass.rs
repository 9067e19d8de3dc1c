//! The pass over the files: each is opened, read from start to end, and closed.

use std::ffi::CStr;
use std::os::fd::OwnedFd;

use fsgauge_wire::{BadRecord, ClientOperation, Ended};
use rustix::io::{Errno, read};

use super::close::close;
use super::open::Opener;
use super::stopwatch::Stopwatch;
use super::tree::{PathRoom, Tree};
use super::verify::Verifier;
use crate::file_set::FileNumber;

/// Reads every file of a tree, in its order, and says why it ended. A file that fails is given up.
pub(super) fn read_all(
    tree: &Tree,
    block: &mut [u8],
    opener: &mut Opener,
    watch: &mut Stopwatch,
    verifier: Option<&mut Verifier>,
) -> Ended {
    let mut paths = PathRoom::default();
    let mut pass = Pass { opener, watch, verifier, block };
    for file in &tree.files {
        match pass.read_file(paths.file(tree, file), tree.file_name(file)) {
            Read::Whole => pass.watch.tally.files += 1,
            Read::GivenUp => pass.watch.tally.files_given_up += 1,
            Read::OperationProgress(ended) => return ended,
        }
    }
    // A listing that was cut short may have found nothing to read.
    pass.watch.over().filter(|_| tree.files.is_empty()).unwrap_or(Ended::SizeLimit)
}

struct Pass<'a> {
    opener: &'a mut Opener,
    watch: &'a mut Stopwatch,
    verifier: Option<&'a mut Verifier>,
    block: &'a mut [u8],
}

/// What reading one file came to.
enum Read {
    Whole,
    GivenUp,
    /// The backup is over.
    OperationProgress(Ended),
}

impl Pass<'_> {
    fn read_file(&mut self, path: &CStr, name: &[u8]) -> Read {
        if let Some(ended) = self.watch.over() {
            return Read::OperationProgress(ended);
        }
        let begin_ns = self.watch.begin();
        let file = match self.opener.file(path) {
            Ok(file) => file,
            Err(errno) => return self.failed(ClientOperation::Open, begin_ns, errno, path),
        };
        self.watch.done(ClientOperation::Open, begin_ns, 0);
        let number = self.verifier.as_mut().and_then(|verifier| verifier.file(name));
        let contents = self.read_contents(&file, path, number);
        let begin_ns = self.watch.begin();
        if let Err(errno) = close(file) {
            return self.failed(ClientOperation::Close, begin_ns, errno, path);
        }
        self.watch.done(ClientOperation::Close, begin_ns, 0);
        contents
    }

    /// Reads to the end. Only a read of nothing proves it: a short one may come before an error. That last read
    /// takes time and is no record.
    fn read_contents(&mut self, file: &OwnedFd, path: &CStr, number: Option<FileNumber>) -> Read {
        let mut at_bytes = 0;
        loop {
            if let Some(ended) = self.watch.over() {
                return Read::OperationProgress(ended);
            }
            let begin_ns = self.watch.begin();
            match read(file, &mut *self.block) {
                Ok(0) => {
                    self.watch.spent(begin_ns);
                    return self.end(at_bytes, path, number);
                }
                Ok(length) => {
                    self.watch.done(ClientOperation::Read, begin_ns, length as u64);
                    if let Some(number) = number {
                        self.compare(number, at_bytes, length, path);
                    }
                    at_bytes += length as u64;
                }
                Err(Errno::INTR) => self.watch.retry(begin_ns),
                Err(errno) => return self.failed(ClientOperation::Read, begin_ns, errno, path),
            }
        }
    }

    fn compare(&mut self, number: FileNumber, offset_bytes: u64, length: usize, path: &CStr) {
        let Some(verifier) = self.verifier.as_ref() else { return };
        let (opener, block) = (&*self.opener, &self.block[..length]);
        self.watch.aside(|tally| {
            tally.checked_records += 1;
            if let Some(first_byte) = verifier.first_difference(number, offset_bytes, block) {
                tally.bad_record(|| BadRecord { path: opener.shown(path), offset_bytes, first_byte });
            }
        });
    }

    /// A file of the set that is too short is given up.
    fn end(&mut self, at_bytes: u64, path: &CStr, number: Option<FileNumber>) -> Read {
        let (Some(verifier), Some(number)) = (self.verifier.as_ref(), number) else { return Read::Whole };
        let missing_bytes = verifier.missing_bytes(number, at_bytes);
        if missing_bytes == 0 {
            return Read::Whole;
        }
        let message = || format!("it ends after {at_bytes} bytes, {missing_bytes} too early");
        self.watch.short(|| (self.opener.shown(path), message()));
        Read::GivenUp
    }

    fn failed(&mut self, operation: ClientOperation, begin_ns: u64, errno: Errno, path: &CStr) -> Read {
        self.watch.failed(operation, begin_ns, errno, || self.opener.shown(path));
        Read::GivenUp
    }
}
