//! The sync at the end: what clients have left in memory goes to the device, and how long that takes.

use fsgauge_load::instruments::Clock;
use fsgauge_wire::{ClientsJob, ClientsTarget, Failure, Outcome, Stop};
use rustix::fs::{Mode, OFlags, open, syncfs};
use rustix::io::Errno;

/// Syncs the file system of the job's directory; none where the job does not ask, or was stopped.
pub(crate) fn sync_at_end(job: &ClientsJob, clock: &Clock, stop: &Stop) -> Outcome<Option<u64>> {
    let ClientsTarget::Path { directory } = &job.target else { return Ok(None) };
    if !job.sync_at_end || stop.is_set() {
        return Ok(None);
    }
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let root = open(directory.as_str(), flags, Mode::empty()).map_err(|errno| failure(directory, errno))?;
    let begin_ns = clock.now_ns();
    syncfs(&root).map_err(|errno| failure(directory, errno))?;
    Ok(Some(clock.now_ns() - begin_ns))
}

fn failure(directory: &str, errno: Errno) -> Failure {
    let what = format!("the file system of {directory} cannot be synced: {errno}");
    let cause = "the device or the file system reported an error: what was written may be lost";
    Failure::system("clients.sync", Some(errno.raw_os_error()), what, cause, "dmesg | tail; df -h")
}
