//! A connection: a session on a share, with files of the target open on it.

use std::fmt;
use std::io;
use std::ops::Range;
use std::time::Duration;

use fsgauge_net::{
    Access, Answer, ControlSession, Handle, Opening, Request, Started, Waiting, admit, ask, message_of,
    wait_failure,
};
use fsgauge_wire::{Failure, Outcome, Stop, Target};

use super::failure::{file_failure, no_share};
use crate::operation::Operation;
use crate::target::{io_advice, path_in};

/// An operation that is not answered for so long has failed.
const READER_PATIENCE: Duration = Duration::from_secs(30);
/// A session that writes waits so long for an answer: making durable what a server took may well take longer than
/// reading does.
const WRITER_PATIENCE: Duration = Duration::from_secs(80);

/// What a session is for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Session {
    /// Operations under way at a time.
    pub(crate) lanes: u32,
    pub(crate) largest_bytes: u32,
    pub(crate) reads: bool,
    pub(crate) writes: bool,
    /// Whether a write is durable when it is answered.
    pub(crate) dsync: bool,
}

/// A session with open files. What it holds ends with it.
pub(crate) struct Connection {
    session: Box<dyn ControlSession>,
    /// By number; none where this session does not use the file.
    handles: Vec<Option<Handle>>,
}

impl fmt::Debug for Connection {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Connection").field("handles", &self.handles).finish_non_exhaustive()
    }
}

impl Connection {
    /// Logs in and opens files of the target, by number; a try each.
    pub(crate) fn open(
        access: &Access,
        target: &Target,
        numbers: Range<u32>,
        session: Session,
        stop: &Stop,
    ) -> Outcome<Self> {
        let share = target.share().ok_or_else(no_share)?;
        let opening = Opening { also_reads: session.reads, is_durable: session.dsync };
        let patience = if session.writes { WRITER_PATIENCE } else { READER_PATIENCE };
        let mut opened = access.worker(session.lanes, session.largest_bytes, opening, patience)?;
        let waiting = Waiting::within(patience, stop);
        admit(opened.as_mut(), waiting)?;
        let mut handles = vec![None; numbers.end as usize];
        for number in numbers {
            let path = path_in(share, target, number);
            let request = Request::Open { path: &path, write: session.writes };
            let answer = ask(opened.as_mut(), &request, waiting).map_err(|error| wait_failure(&error))?;
            if answer < 0 {
                return Err(file_failure(share, target, number, ("opened", answer)));
            }
            handles[number as usize] = Some(answer as Handle);
        }
        Ok(Connection { session: opened, handles })
    }

    /// Starts what is left of an operation on an idle lane. `left` is what is to be written of it; empty for a read.
    #[inline]
    pub(crate) fn start(
        &mut self,
        lane: u32,
        operation: &Operation,
        done_bytes: u32,
        left: &[u8],
    ) -> Started {
        let Some(handle) = self.handles[operation.file as usize] else {
            return Started::Done(-Answer::from(libc::EBADF));
        };
        let offset_bytes = operation.offset_bytes + u64::from(done_bytes);
        let request = if operation.write {
            Request::Write { handle, offset_bytes, data: left }
        } else {
            Request::Read { handle, offset_bytes, size_bytes: operation.size_bytes - done_bytes }
        };
        self.session.start(lane, &request)
    }

    /// Waits for answers, no longer than `limit`.
    #[inline]
    pub(crate) fn wait(&mut self, limit: Duration, each: &mut dyn FnMut(u32, Answer)) -> io::Result<()> {
        self.session.wait(limit, each)
    }

    /// What a lane's last read gave; looked at before anything else is started or waited for.
    #[inline]
    pub(crate) fn incoming(&self, lane: u32) -> &[u8] {
        self.session.incoming(lane)
    }

    /// Has the server make durable what it took: SMB FLUSH, NFS COMMIT. Nothing is under way. False when it was told
    /// to stop instead.
    pub(crate) fn sync(&mut self, stop: &Stop) -> Outcome<bool> {
        for handle in self.handles.iter().flatten() {
            let request = Request::Fsync { handle: *handle };
            let answer = ask(self.session.as_mut(), &request, stop).map_err(|error| wait_failure(&error))?;
            match -answer as i32 {
                0 => {}
                libc::EINTR if stop.is_set() => return Ok(false),
                errno => return Err(sync_failure(errno)),
            }
        }
        Ok(true)
    }

    /// Reads from `offset_bytes` on until `buffer` is full or the file ends; how much there was. Nothing is under way.
    pub(crate) fn read(
        &mut self,
        file: u32,
        offset_bytes: u64,
        buffer: &mut [u8],
        stop: &Stop,
    ) -> Result<usize, i32> {
        let handle = self.handles[file as usize].ok_or(libc::EBADF)?;
        let mut length = 0;
        while length < buffer.len() {
            let size_bytes = (buffer.len() - length) as u32;
            let request = Request::Read { handle, offset_bytes: offset_bytes + length as u64, size_bytes };
            let answer = ask(self.session.as_mut(), &request, stop)
                .map_err(|error| error.raw_os_error().unwrap_or(libc::EIO))?;
            let count = usize::try_from(answer).map_err(|_| -answer as i32)?;
            let found = self.session.incoming(0).get(..count).ok_or(libc::EPROTO)?;
            if count == 0 {
                break;
            }
            buffer.get_mut(length..length + count).ok_or(libc::EPROTO)?.copy_from_slice(found);
            length += count;
        }
        Ok(length)
    }
}

fn sync_failure(errno: i32) -> Failure {
    let what = format!("the server did not make the load's writes durable: {}", message_of(errno));
    let (cause, next) = match errno {
        libc::EIO => {
            ("its storage reported an error, or it restarted: written data may be lost", "dmesg there")
        }
        errno => io_advice(errno),
    };
    Failure::system("sync.failed", Some(errno), what, cause, next)
}
