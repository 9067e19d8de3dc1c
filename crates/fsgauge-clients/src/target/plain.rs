//! The target of plain system calls: every operation is done when it has been started.

use std::ffi::CStr;
use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use fsgauge_door::Folder;
use fsgauge_net::{Action, Actions, Answer, Request, Started, Target};
use fsgauge_wire::{OperationCall, Outcome};

use super::plain_calls::PlainCalls;
use super::sleep::sleep;

/// Calls below a directory; all lanes have one record.
#[derive(Debug)]
pub(crate) struct PlainTarget {
    calls: PlainCalls,
    record: Box<[u8]>,
    started: Actions,
}

impl PlainTarget {
    /// Opens the folder once more, for this target alone.
    pub(crate) fn new(root: &Folder, record_size_bytes: u32) -> Outcome<Self> {
        let record = vec![0; record_size_bytes as usize].into_boxed_slice();
        Ok(PlainTarget { calls: PlainCalls::new(root)?, record, started: Actions::default() })
    }
}

impl Target for PlainTarget {
    #[inline]
    fn incoming(&self, _lane: u32) -> &[u8] {
        &self.record
    }

    #[inline(always)]
    fn start(&mut self, _lane: u32, request: &Request<'_>) -> Started {
        self.started.add(Action::of(request));
        Started::Done(self.calls.answer(request, &mut self.record))
    }

    fn wait(&mut self, limit: Duration, _each: &mut dyn FnMut(u32, Answer)) -> io::Result<()> {
        sleep(limit);
        Ok(())
    }

    fn enter(&mut self, directory: &CStr) {
        self.calls.enter(directory);
    }

    fn open_directory(&mut self, path: &CStr) -> Result<OwnedFd, Answer> {
        self.started.add(Action::List);
        self.calls.open_directory(path)
    }

    fn read_names(
        &mut self,
        directory: &OwnedFd,
        each: &mut dyn FnMut(&CStr),
    ) -> Result<Option<u32>, Answer> {
        self.calls.read_names(directory, each)
    }

    fn calls(&self) -> Vec<OperationCall> {
        self.started.calls(|action| (action.plain_call().into(), None))
    }
}
