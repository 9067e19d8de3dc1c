//! The pass over the files: each is opened, read from start to end, and closed.

use std::ffi::CStr;
use std::os::fd::OwnedFd;

use fsgauge_wire::{ClientOperation, Ended};
use rustix::io::{Errno, read};

use super::close::close;
use super::open::Opener;
use super::tally::Tally;
use super::tree::{PathRoom, Tree};
use super::verify::Verifier;
use crate::clients::file_set::FileNumber;

/// What became of the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Passed {
    /// Read whole.
    pub(super) files: u64,
    pub(super) given_up: u64,
    pub(super) ended: Ended,
}

/// Reads every file of a tree, in its order. One that fails is given up.
pub(super) fn read_all(
    tree: &Tree,
    block_size_bytes: u32,
    opener: &mut Opener,
    tally: &mut Tally,
    verifier: Option<&mut Verifier>,
) -> Passed {
    let mut paths = PathRoom::default();
    let mut pass = Pass { opener, tally, verifier, block: vec![0; block_size_bytes as usize] };
    // A listing that was cut short may have found nothing to read.
    let ended = pass.tally.over().unwrap_or(Ended::SizeLimit);
    let mut passed = Passed { files: 0, given_up: 0, ended };
    for file in &tree.files {
        match pass.read_file(paths.file(tree, file), tree.file_name(file)) {
            Read::Whole => passed.files += 1,
            Read::GivenUp => passed.given_up += 1,
            Read::Over(ended) => return Passed { ended, ..passed },
        }
    }
    passed
}

struct Pass<'a> {
    opener: &'a mut Opener,
    tally: &'a mut Tally,
    verifier: Option<&'a mut Verifier>,
    block: Vec<u8>,
}

/// What reading one file came to.
enum Read {
    Whole,
    GivenUp,
    /// The backup is over.
    Over(Ended),
}

impl Pass<'_> {
    fn read_file(&mut self, path: &CStr, name: &[u8]) -> Read {
        if let Some(ended) = self.tally.over() {
            return Read::Over(ended);
        }
        let begin_ns = self.tally.begin();
        let file = match self.opener.file(path) {
            Ok(file) => file,
            Err(errno) => return self.failed(ClientOperation::Open, begin_ns, errno, path),
        };
        self.tally.done(ClientOperation::Open, begin_ns, 0);
        let number = self.verifier.as_mut().and_then(|verifier| verifier.file(name));
        let contents = self.read_contents(&file, path, number);
        let begin_ns = self.tally.begin();
        if let Err(errno) = close(file) {
            return self.failed(ClientOperation::Close, begin_ns, errno, path);
        }
        self.tally.done(ClientOperation::Close, begin_ns, 0);
        contents
    }

    /// Reads to the end. Only a read of nothing proves it: a short one may come before an error. That last read
    /// takes time and is no record.
    fn read_contents(&mut self, file: &OwnedFd, path: &CStr, number: Option<FileNumber>) -> Read {
        let mut at_bytes = 0;
        loop {
            if let Some(ended) = self.tally.over() {
                return Read::Over(ended);
            }
            let begin_ns = self.tally.begin();
            match read(file, &mut *self.block) {
                Ok(0) => {
                    self.tally.spent(begin_ns);
                    return self.end(at_bytes, path, number);
                }
                Ok(length) => {
                    self.tally.done(ClientOperation::Read, begin_ns, length as u64);
                    if let (Some(verifier), Some(number)) = (self.verifier.as_mut(), number) {
                        let record = &self.block[..length];
                        verifier.compare(number, at_bytes, record, || self.opener.shown(path));
                    }
                    at_bytes += length as u64;
                }
                Err(Errno::INTR) => self.tally.retry(begin_ns),
                Err(errno) => return self.failed(ClientOperation::Read, begin_ns, errno, path),
            }
        }
    }

    /// A file of the set that is too short is given up.
    fn end(&mut self, at_bytes: u64, path: &CStr, number: Option<FileNumber>) -> Read {
        let (Some(verifier), Some(number)) = (self.verifier.as_ref(), number) else { return Read::Whole };
        let missing_bytes = verifier.missing_bytes(number, at_bytes);
        if missing_bytes == 0 {
            return Read::Whole;
        }
        let message = || format!("it ends after {at_bytes} bytes, {missing_bytes} too early");
        self.tally.short(|| self.opener.shown(path), message);
        Read::GivenUp
    }

    fn failed(&mut self, operation: ClientOperation, begin_ns: u64, errno: Errno, path: &CStr) -> Read {
        self.tally.failed(operation, begin_ns, errno, || self.opener.shown(path));
        Read::GivenUp
    }
}
