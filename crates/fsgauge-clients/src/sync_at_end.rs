//! The sync at the end: what clients have left in memory goes to the device, and how long that takes.

use fsgauge_door::Folder;
use fsgauge_load::instruments::Clock;
use fsgauge_wire::{ClientsJob, Failure, Outcome, Stop};
use rustix::fs::syncfs;
use rustix::io::Errno;

/// Syncs the file system of the job's directory; none where the job does not ask, or was stopped.
pub(crate) fn sync_at_end(
    job: &ClientsJob,
    folder: Option<&Folder>,
    clock: &Clock,
    stop: &Stop,
) -> Outcome<Option<u64>> {
    let Some(folder) = folder else { return Ok(None) };
    if !job.sync_at_end || stop.is_set() {
        return Ok(None);
    }
    let begin_ns = clock.now_ns();
    syncfs(folder).map_err(|errno| failure(folder, errno))?;
    Ok(Some(clock.now_ns() - begin_ns))
}

fn failure(folder: &Folder, errno: Errno) -> Failure {
    let what = format!("the file system of {} cannot be synced: {errno}", folder.path().display());
    let cause = "the device or the file system reported an error: what was written may be lost";
    Failure::system("clients.sync", Some(errno.raw_os_error()), what, cause, "dmesg | tail; df -h")
}
