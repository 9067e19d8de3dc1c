//! The target that is nothing: every operation succeeds at once, and no byte is touched. What clients cost on
//! it is the engine's own cost.

use std::io;
use std::time::Duration;

use fsgauge_net::{Action, Actions, Answer, Request, Started, Target};
use fsgauge_wire::OperationCall;

use super::sleep::sleep;

/// Answers as a file system would on which every file has one record, and every directory no names.
#[derive(Debug)]
pub(crate) struct NullTarget {
    record: Box<[u8]>,
    next_handle: u64,
    started: Actions,
}

impl NullTarget {
    pub(crate) fn new(record_size_bytes: u32) -> Self {
        let record = vec![0; record_size_bytes as usize].into_boxed_slice();
        NullTarget { record, next_handle: 0, started: Actions::default() }
    }
}

impl Target for NullTarget {
    #[inline]
    fn incoming(&self, _lane: u32) -> &[u8] {
        &self.record
    }

    #[inline]
    fn start(&mut self, _lane: u32, request: &Request<'_>) -> Started {
        self.started.add(Action::of(request));
        Started::Done(match *request {
            Request::Create { .. } | Request::Open { .. } => {
                self.next_handle += 1;
                self.next_handle as Answer
            }
            Request::Read { size_bytes, .. } => Answer::from(size_bytes),
            Request::Write { data, .. } => data.len() as Answer,
            Request::Stat { .. } => self.record.len() as Answer,
            Request::MakeDirectory { .. }
            | Request::Fsync { .. }
            | Request::Close { .. }
            | Request::List { .. }
            | Request::Rename { .. }
            | Request::Unlink { .. }
            | Request::RemoveDirectory { .. }
            | Request::Null => 0,
        })
    }

    fn wait(&mut self, limit: Duration, _each: &mut dyn FnMut(u32, Answer)) -> io::Result<()> {
        sleep(limit);
        Ok(())
    }

    fn calls(&self) -> Vec<OperationCall> {
        self.started.calls(|_| ("none".into(), None))
    }
}
