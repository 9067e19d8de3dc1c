//! Companions: readers, log writers and checkpoints that work beside the jobs, as those of a database do.
//!
//! Each is one thread with the same loop as a job, at depth 1. They start with the jobs, and are told to end
//! once the last job has ended.

mod check;
mod log_file;

pub(crate) use check::check_companions;
use fsgauge_wire::{
    BlockSize, Companion, CompanionKind, CompanionResult, Failure, LoadJob, Note, Outcome, Recorder, Stop,
    Target,
};

use std::os::fd::OwnedFd;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::barriers::{Barriers, Written};
use crate::buffers::Buffers;
use crate::filler::Filler;
use crate::instruments::Window;
use crate::job_loop::{JobLoop, LoopSetup};
use crate::job_thread::Shared;
use crate::outcome::JobOutcome;
use crate::pace::Unpaced;
use crate::pattern::{Order, Pattern, Sequential, Sizes, Uniform};
use crate::queue::{LogQueue, Queue, SyncQueue};
use crate::random::Random;
use crate::target::{self, Geometry, OpenFiles, OpenMode};
use log_file::LogFile;

/// A log begins again here.
const LOG_BYTES: u64 = 256 << 20;
/// What checkpoints write to, and how much between two calls of fdatasync.
const CHECKPOINT_BYTES: u64 = 64 << 20;
const CHECKPOINT_EVERY_BYTES: u64 = 16 << 20;
/// Their random streams lie beyond those of jobs.
const FIRST_STREAM: u32 = 1 << 24;

type Thread = JoinHandle<Result<JobOutcome, Failure>>;

/// All companions of a load.
pub(crate) struct Companions {
    entries: Vec<Entry>,
    logs: Vec<LogFile>,
    /// Tells them, and them alone, to end.
    stop: Stop,
}

/// The companions of one entry of the job, and what those that have ended did.
struct Entry {
    companion: Companion,
    threads: Vec<Thread>,
    outcomes: Vec<JobOutcome>,
}

impl Companions {
    /// Opens their files and starts them; they wait for the load's start.
    pub(crate) fn spawn(shared: &Shared) -> Outcome<Companions> {
        let stop = if shared.load.companions.is_empty() { Stop::never() } else { Stop::new() };
        let mut companions = Companions { entries: Vec::new(), logs: Vec::new(), stop };
        let mut number = 0;
        for companion in &shared.load.companions {
            let mut threads = Vec::new();
            for _ in 0..companion.count {
                threads.push(match companion.role {
                    CompanionKind::Reader => spawn_reader(shared, number, companion, stop)?,
                    CompanionKind::Log => {
                        let (file, opened) =
                            LogFile::create(&shared.load.target, &shared.ground, companions.logs.len())?;
                        companions.logs.push(file);
                        let path = companions.logs[companions.logs.len() - 1].path();
                        spawn_log(shared, number, companion, stop, (path, opened))?
                    }
                    CompanionKind::Checkpoint => {
                        let (file, opened) =
                            LogFile::create(&shared.load.target, &shared.ground, companions.logs.len())?;
                        companions.logs.push(file);
                        let log = &companions.logs[companions.logs.len() - 1];
                        log.fill(&opened, CHECKPOINT_BYTES)?;
                        spawn_checkpoint(shared, number, companion, stop, (log.path(), opened))?
                    }
                });
                number += 1;
            }
            companions.entries.push(Entry { companion: *companion, threads, outcomes: Vec::new() });
        }
        Ok(companions)
    }

    /// Takes what those that have ended did; gives the failure of one that failed.
    pub(crate) fn look(&mut self) -> Result<(), Failure> {
        self.entries.iter_mut().try_for_each(Entry::look)
    }

    /// Tells all of them to end and waits for that, up to `limit`, which may shrink meanwhile. A note says who did not come back.
    pub(crate) fn end(&mut self, limit: impl Fn() -> Duration) -> Result<Option<Note>, Failure> {
        if self.entries.is_empty() {
            return Ok(None);
        }
        self.stop.set();
        let begin = Instant::now();
        loop {
            self.look()?;
            let running: usize = self.entries.iter().map(|entry| entry.threads.len()).sum();
            if running == 0 {
                return Ok(None);
            }
            if begin.elapsed() > limit() {
                return Ok(Some(self.leave(running)));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Gives up companions that hang in the kernel: removing their logs would hang as well.
    fn leave(&mut self, running: usize) -> Note {
        let left: Vec<String> = self.logs.drain(..).map(LogFile::leave).collect();
        let files =
            if left.is_empty() { String::new() } else { format!("; left behind: {}", left.join(", ")) };
        let text = format!("{running} companions did not return from the kernel after a stop request{files}");
        Note { code: "companion.unresponsive".into(), text }
    }

    /// What each entry did.
    pub(crate) fn results(&self) -> Vec<CompanionResult> {
        self.entries.iter().map(Entry::result).collect()
    }
}

impl Drop for Companions {
    /// Those that still wait for a start or a device end as soon as they can.
    fn drop(&mut self) {
        if !self.entries.is_empty() {
            self.stop.set();
        }
    }
}

impl Entry {
    fn look(&mut self) -> Result<(), Failure> {
        let (ended, running) =
            std::mem::take(&mut self.threads).into_iter().partition(|thread| thread.is_finished());
        self.threads = running;
        let ended: Vec<Thread> = ended;
        for thread in ended {
            self.outcomes.push(thread.join().unwrap_or_else(|_| Err(broken()))?);
        }
        Ok(())
    }

    fn result(&self) -> CompanionResult {
        let Companion { role, count, .. } = self.companion;
        let tallies = || self.outcomes.iter().map(|outcome| &outcome.tallies[kind(role)]);
        let mut latency = Recorder::default();
        tallies().for_each(|tally| latency.merge(&tally.service));
        CompanionResult {
            role,
            count,
            operations: tallies().map(|tally| tally.operations).sum(),
            size_bytes: tallies().map(|tally| tally.size_bytes).sum(),
            latency: latency.to_histogram(),
        }
    }
}

/// Which tally a role fills: reads or writes.
fn kind(role: CompanionKind) -> usize {
    match role {
        CompanionKind::Reader => 0,
        CompanionKind::Log | CompanionKind::Checkpoint => 1,
    }
}

fn broken() -> Failure {
    Failure::system(
        "companion",
        None,
        "a companion's thread panicked",
        "a bug in fsgauge",
        "report it with the job",
    )
}

fn spawn_reader(shared: &Shared, number: u32, companion: &Companion, stop: Stop) -> Outcome<Thread> {
    let load = &shared.load;
    let (direct, noatime) = (load.direct, load.noatime);
    let mode = OpenMode { reads: true, writes: false, direct, noatime, dsync: false, create: false };
    let files = target::open(&load.target, &shared.ground, mode)?;
    let geometry = Geometry::of(&load.target);
    let parts = Parts::new(shared, number, companion, Uniform::new(&geometry), geometry)?;
    spawn(shared, number, stop, load.target.clone(), files, parts, SyncQueue::new)
}

fn spawn_log(
    shared: &Shared,
    number: u32,
    companion: &Companion,
    stop: Stop,
    (path, opened): (String, OwnedFd),
) -> Outcome<Thread> {
    let geometry = Geometry { files: 1, file_size_bytes: LOG_BYTES, base_bytes: 0 };
    let order = Sequential::new(&geometry, u64::from(companion.block_size_bytes), 0, 1);
    let parts = Parts::new(shared, number, companion, order, geometry)?;
    let target = Target::File { path, size_bytes: LOG_BYTES };
    spawn(shared, number, stop, target, vec![opened], parts, |files| LogQueue::new(&files[0]))
}

fn spawn_checkpoint(
    shared: &Shared,
    number: u32,
    companion: &Companion,
    stop: Stop,
    (path, opened): (String, OwnedFd),
) -> Outcome<Thread> {
    let geometry = Geometry { files: 1, file_size_bytes: CHECKPOINT_BYTES, base_bytes: 0 };
    let parts = Parts::new(shared, number, companion, Uniform::new(&geometry), geometry)?;
    let synced_every = Some(CHECKPOINT_EVERY_BYTES / u64::from(companion.block_size_bytes));
    let target = Target::File { path, size_bytes: CHECKPOINT_BYTES };
    spawn(shared, number, stop, target, vec![opened], Parts { synced_every, ..parts }, SyncQueue::new)
}

/// What a companion's loop is made of, besides its queue.
struct Parts<O> {
    pattern: Pattern<O>,
    buffers: Buffers,
    /// Writes between two calls of fdatasync, where the loop makes them.
    synced_every: Option<u64>,
}

impl<O: Order> Parts<O> {
    fn new(
        shared: &Shared,
        number: u32,
        companion: &Companion,
        order: O,
        geometry: Geometry,
    ) -> Outcome<Parts<O>> {
        let load: &LoadJob = &shared.load;
        let (size_bytes, stream) = (companion.block_size_bytes, FIRST_STREAM + number);
        let is_reader = companion.role == CompanionKind::Reader;
        let sizes = Sizes::new(&[BlockSize { size_bytes, weight: 1 }], &geometry);
        let random = Random::new(load.seed, u64::from(stream));
        let pattern = Pattern::new(order, sizes, if is_reader { 100 } else { 0 }, random, &geometry);
        let filler = Filler::for_data(load.data, load.seed, stream);
        let buffers = Buffers::new(1, size_bytes, (is_reader, !is_reader), filler)?;
        Ok(Parts { pattern, buffers, synced_every: None })
    }
}

fn spawn<Q: Queue + 'static, O: Order + Send + 'static>(
    shared: &Shared,
    number: u32,
    stop: Stop,
    target: Target,
    files: Vec<OwnedFd>,
    parts: Parts<O>,
    queue: fn(&[OwnedFd]) -> Q,
) -> Outcome<Thread> {
    let shared = shared.clone();
    let run = move || {
        let load = &shared.load;
        let zero_ns = shared.start.wait(&shared.clock).zero_ns;
        let queue = queue(&files);
        let files = OpenFiles::from(files);
        let barriers = match parts.synced_every {
            Some(writes) => Barriers::synced(writes, Written::Files(&files)),
            None => Barriers::none(),
        };
        let setup = LoopSetup {
            job: FIRST_STREAM + number,
            clock: shared.clock,
            stop,
            target: &target,
            reports: None,
            depth: 1,
            batch: 1,
            wanted: 1,
            size_limit_bytes: None,
            continue_when_full: false,
            barriers,
            stonewall: None,
            window: Window::new(zero_ns, load.warm_up_ns, load.duration_ns, load.interval_ns),
        };
        JobLoop::new(setup, queue, parts.pattern, Unpaced, parts.buffers).run()
    };
    std::thread::Builder::new().name(format!("companion-{number}")).spawn(run).map_err(|error| {
        let what = format!("companion {number} of the load cannot be started: {error}");
        let cause = "a limit on processes is reached";
        Failure::system("threads", error.raw_os_error(), what, cause, "ulimit -u; choose fewer companions")
    })
}
