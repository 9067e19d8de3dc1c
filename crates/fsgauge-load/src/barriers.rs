//! Barriers: points where a job drains its queue before it submits more, to make its writes durable, or to keep the
//! writes of two passes apart.

use std::cell::RefCell;
use std::os::fd::AsFd;

use fsgauge_wire::{Failure, LoadJob, Recorder, Stop, Sync};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

use crate::share::Connection;
use crate::sync_file_range::sync_file_range;
use crate::target::OpenFiles;

/// How often in a row a call that a signal interrupts is repeated.
const INTERRUPT_LIMIT: u32 = 1000;

/// What a job's writes go to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Written<'a> {
    Files(&'a OpenFiles),
    Share(&'a RefCell<Connection>),
}

/// When a job's barriers come, counted in its writes.
#[derive(Debug)]
pub(crate) struct Barriers<'a> {
    syncs: Option<Syncs<'a>>,
    sync_every: u64,
    to_sync: u64,
    pass_every: u64,
    to_pass: u64,
}

impl<'a> Barriers<'a> {
    /// The barriers of a load. `places` are the job's; passes are kept apart when what they leave is checked.
    pub(crate) fn new(load: &LoadJob, places: Option<u64>, written: Written<'a>) -> Self {
        let syncs = match load.sync {
            Sync::None | Sync::Dsync | Sync::RwfDsync => None,
            Sync::Fsync { every } => Some((every, Syncs::new(written, Call::Fsync))),
            Sync::Fdatasync { every } => Some((every, Syncs::new(written, Call::Fdatasync))),
            Sync::SyncFileRange { every } => Some((every, Syncs::new(written, Call::SyncFileRange))),
        };
        let (every, syncs) = syncs.unzip();
        let (sync_every, pass_every) = (every.map_or(u64::MAX, u64::from), Self::pass_every(load, places));
        Barriers { syncs, sync_every, to_sync: sync_every, pass_every, to_pass: pass_every }
    }

    /// The same without any file: nothing is made durable.
    pub(crate) fn without_files(load: &LoadJob, places: Option<u64>) -> Self {
        let pass_every = Self::pass_every(load, places);
        Barriers { pass_every, to_pass: pass_every, ..Self::none() }
    }

    /// What was written is made durable by fdatasync after every so many writes.
    pub(crate) fn synced(every: u64, written: Written<'a>) -> Self {
        let every = every.max(1);
        let syncs = Some(Syncs::new(written, Call::Fdatasync));
        Barriers { syncs, sync_every: every, to_sync: every, ..Self::none() }
    }

    /// No barriers.
    pub(crate) fn none() -> Self {
        let never = u64::MAX;
        Barriers { syncs: None, sync_every: never, to_sync: never, pass_every: never, to_pass: never }
    }

    fn pass_every(load: &LoadJob, places: Option<u64>) -> u64 {
        places.filter(|_| load.verify).unwrap_or(u64::MAX)
    }

    /// Writes until the next barrier; at least 1.
    pub(crate) fn distance(&self) -> u64 {
        self.to_sync.min(self.to_pass)
    }

    /// The next barrier is reached. Gives the call to make, if one is due.
    pub(crate) fn reach(&mut self) -> Option<&Syncs<'a>> {
        let distance = self.distance();
        self.to_pass -= distance;
        if self.to_pass == 0 {
            self.to_pass = self.pass_every;
        }
        self.to_sync -= distance;
        if self.to_sync > 0 {
            return None;
        }
        self.to_sync = self.sync_every;
        self.syncs.as_ref()
    }

    /// Discards the calls of the warm-up.
    pub(crate) fn begin_measuring(&mut self) {
        if let Some(syncs) = &mut self.syncs {
            syncs.times.latency.clear();
            syncs.times.response.clear();
            syncs.times.refused = 0;
        }
    }

    /// A paced write that was due then has completed; it is not durable yet.
    pub(crate) fn written(&mut self, due_ns: u64) {
        if let Some(syncs) = &mut self.syncs {
            syncs.undurable.push(due_ns);
        }
    }

    /// A call has returned at `now_ns`, after `latency_ns`.
    pub(crate) fn record(&mut self, now_ns: u64, latency_ns: u64) {
        if let Some(syncs) = &mut self.syncs {
            syncs.times.latency.record(latency_ns, 1);
            for due_ns in syncs.undurable.drain(..) {
                syncs.times.response.record(now_ns.saturating_sub(due_ns), 1);
            }
        }
    }

    /// A call has found no space; what was written before it is not durable.
    pub(crate) fn refused(&mut self) {
        if let Some(syncs) = &mut self.syncs {
            syncs.times.refused += 1;
            syncs.undurable.clear();
        }
    }

    /// How long the calls took; none when the load makes none.
    pub(crate) fn take_times(&mut self) -> Option<SyncTimes> {
        self.syncs.take().map(|syncs| syncs.times)
    }
}

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Call {
    Fsync,
    Fdatasync,
    SyncFileRange,
}

impl Call {
    fn name(self) -> &'static str {
        match self {
            Call::Fsync => "fsync",
            Call::Fdatasync => "fdatasync",
            Call::SyncFileRange => "sync_file_range",
        }
    }

    fn on(self, file: impl AsFd) -> Result<(), Errno> {
        match self {
            Call::Fsync => rustix::fs::fsync(file),
            Call::Fdatasync => rustix::fs::fdatasync(file),
            Call::SyncFileRange => sync_file_range(file),
        }
    }
}

/// How long calls took that make writes durable, and how long paced writes, until they were.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct SyncTimes {
    pub(crate) latency: Recorder,
    /// From each write's intended start; empty without a pace.
    pub(crate) response: Recorder,
    /// Calls that found no space; in no other count.
    pub(crate) refused: u64,
}

/// Calls of fsync(2), fdatasync(2) or sync_file_range(2) on a job's file, or messages that mean it.
#[derive(Debug)]
pub(crate) struct Syncs<'a> {
    written: Written<'a>,
    call: Call,
    times: SyncTimes,
    /// When paced writes were due that no call has made durable yet.
    undurable: Vec<u64>,
}

impl<'a> Syncs<'a> {
    pub(crate) fn new(written: Written<'a>, call: Call) -> Self {
        Syncs { written, call, times: SyncTimes::default(), undurable: Vec::new() }
    }

    /// Makes everything written durable. False when the run was stopped instead.
    pub(crate) fn call(&self, stop: Stop) -> Result<bool, Failure> {
        let files = match self.written {
            Written::Files(files) => files,
            Written::Share(connection) => return connection.borrow_mut().sync(&stop),
        };
        for file in files.iter() {
            let mut interrupts = 0;
            loop {
                match self.call.on(file) {
                    Ok(()) => break,
                    Err(Errno::INTR) if stop.is_set() => return Ok(false),
                    Err(Errno::INTR) if interrupts < INTERRUPT_LIMIT => interrupts += 1,
                    Err(errno) => return Err(self.failure(errno)),
                }
            }
        }
        Ok(true)
    }

    #[cold]
    fn failure(&self, errno: Errno) -> Failure {
        let what = format!("{} of the load's file failed: {errno}", self.call.name());
        let cause = match errno {
            Errno::NOSPC | Errno::DQUOT => "the file system or the quota is full",
            _ => "the device or the file system reported an error: what was written may be lost",
        };
        Failure::system("sync.failed", Some(errno.raw_os_error()), what, cause, "dmesg | tail; df -h")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The writes after which the first barriers come, and whether each makes the writes durable.
    fn barriers(load: &LoadJob, places: Option<u64>, count: usize) -> Vec<(u64, bool)> {
        let files = OpenFiles::default();
        let mut barriers = Barriers::new(load, places, Written::Files(&files));
        let mut writes = 0;
        let next = |_| {
            writes += barriers.distance();
            (writes, barriers.reach().is_some())
        };
        (0..count).map(next).collect()
    }

    #[test]
    fn calls_and_passes_keep_their_own_counts() {
        let load = LoadJob { sync: Sync::Fsync { every: 4 }, verify: true, ..LoadJob::plain() };
        let expected = [(4, true), (6, false), (8, true), (12, true), (16, true), (18, false)];
        assert_eq!(barriers(&load, Some(6), 6), expected);
    }

    #[test]
    fn passes_run_into_one_another_unless_they_are_checked() {
        let load = LoadJob { sync: Sync::Fdatasync { every: 4 }, ..LoadJob::plain() };
        assert_eq!(barriers(&load, Some(6), 3), [(4, true), (8, true), (12, true)]);
        assert_eq!(
            Barriers::new(&LoadJob::plain(), Some(6), Written::Files(&OpenFiles::default())).distance(),
            u64::MAX
        );
    }
}
