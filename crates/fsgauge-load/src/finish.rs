//! The finish: what a job does with its files when its work is done, and how long that takes.

use fsgauge_wire::{Ended, Failure, LoadJob, Stop};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::barriers::{Call, Syncs, Written};
use crate::instruments::{Clock, cpu};
use crate::target::OpenFiles;

/// What the finish of one job took.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(crate) struct FinishOutcome {
    pub(crate) fsync_ns: u64,
    pub(crate) close_ns: u64,
    /// When it was over, by the load's clock.
    pub(crate) end_ns: u64,
    pub(crate) user_ns: u64,
    pub(crate) system_ns: u64,
}

/// Does what the load asks for with files that nobody else has open. None when nothing was asked for, or the run was
/// interrupted.
pub(crate) fn finish(
    load: &LoadJob,
    files: OpenFiles,
    ended: Ended,
    clock: Clock,
    stop: Stop,
) -> Result<Option<FinishOutcome>, Failure> {
    let wanted = load.finish;
    if !(wanted.fsync || wanted.close) || ended == Ended::Interrupted {
        return Ok(None);
    }
    let (begin_user_ns, begin_system_ns) = cpu::thread_user_system_ns();
    let begin_ns = clock.now_ns();
    if wanted.fsync && !Syncs::new(Written::Files(&files), Call::Fsync).call(stop)? {
        return Ok(None);
    }
    let synced_ns = clock.now_ns();
    if wanted.close {
        files.close().map_err(close_failure)?;
    }
    let end_ns = clock.now_ns();
    let (user_ns, system_ns) = cpu::thread_user_system_ns();
    Ok(Some(FinishOutcome {
        fsync_ns: if wanted.fsync { synced_ns - begin_ns } else { 0 },
        close_ns: if wanted.close { end_ns - synced_ns } else { 0 },
        end_ns,
        user_ns: user_ns - begin_user_ns,
        system_ns: system_ns - begin_system_ns,
    }))
}

#[cold]
fn close_failure(errno: Errno) -> Failure {
    let what = format!("close of the load's file failed: {errno}");
    let cause = match errno {
        Errno::NOSPC | Errno::DQUOT => "the file system or the quota is full: it said so only at the end",
        _ => "the server, the device or the file system reported an error: what was written may be lost",
    };
    Failure::system("close.failed", Some(errno.raw_os_error()), what, cause, "dmesg | tail; df -h")
}
