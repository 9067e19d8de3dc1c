//! One job's thread: opens the target, chooses the four parts of its client, waits for the start, runs.
//!
//! Every combination of order, queue and pace is a loop of its own, compiled apart: what is off costs nothing.

use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use fsgauge_wire::{Access, Failure, Features, Interface, LoadJob, Note, Target};

use crate::buffers::Buffers;
use crate::client::{Client, ClientSetup};
use crate::clock::Clock;
use crate::data::Contents;
use crate::medium::Medium;
use crate::outcome::{JobOutcome, Report};
use crate::pace::{Pace, Paced, Unpaced};
use crate::pattern::{Order, Pattern, RangeOrder, Sequential, Sizes, Uniform, Zipf};
use crate::queue::{MemoryQueue, NullQueue, Queue, RingQueue, RingSetup, SyncQueue, refused};
use crate::random::Random;
use crate::stop::Stop;
use crate::target::{self, Geometry, OpenMode};
use crate::window::Window;

/// The largest batch that the engine chooses by itself.
const BATCH_LIMIT: u32 = 16;

/// Everything that all jobs of a load share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) load: Arc<LoadJob>,
    pub(crate) medium: Medium,
    pub(crate) clock: Clock,
    pub(crate) stop: Stop,
    pub(crate) start: Arc<Start>,
}

/// The starting line: jobs wait here until all of them are ready.
#[derive(Debug, Default)]
pub(crate) struct Start {
    zero_ns: Mutex<Option<u64>>,
    changed: Condvar,
}

impl Start {
    /// Lets everybody go; the load's first moment is `zero_ns`.
    pub(crate) fn give(&self, zero_ns: u64) {
        *self.zero_ns.lock().unwrap_or_else(PoisonError::into_inner) = Some(zero_ns);
        self.changed.notify_all();
    }

    /// Waits for the start, and then for its moment.
    pub(crate) fn wait(&self, clock: &Clock) -> u64 {
        let given = self.zero_ns.lock().unwrap_or_else(PoisonError::into_inner);
        let given = self.changed.wait_while(given, |zero_ns| zero_ns.is_none());
        let zero_ns = given.unwrap_or_else(PoisonError::into_inner).unwrap_or(0);
        std::thread::sleep(Duration::from_nanos(zero_ns.saturating_sub(clock.now_ns())));
        zero_ns
    }
}

/// One job of a load.
pub(crate) struct JobThread {
    pub(crate) shared: Shared,
    pub(crate) job: u32,
    pub(crate) reports: Sender<Report>,
}

impl JobThread {
    /// Runs the job to its end.
    pub(crate) fn run(self) -> Result<JobOutcome, Failure> {
        let load = &self.shared.load;
        let geometry = Geometry::of(&load.target);
        let sizes = Sizes::new(&load.block_sizes, &geometry);
        if load.ranges.is_some() {
            let order = RangeOrder::new(load, self.job);
            return self.with_order(order, sizes);
        }
        match load.access {
            Access::Random {} => self.with_order(Uniform::new(&geometry), sizes),
            Access::Zipf { theta } => self.with_order(Zipf::new(theta, &geometry, &sizes), sizes),
            Access::Sequential {} => {
                let order = Sequential::new(&geometry, sizes.step_bytes(), self.job, load.jobs);
                self.with_order(order, sizes)
            }
        }
    }

    fn with_order<O: Order>(self, order: O, sizes: Sizes) -> Result<JobOutcome, Failure> {
        let load = self.shared.load.clone();
        let random = Random::new(load.seed, u64::from(self.job));
        let geometry = Geometry::of(&load.target);
        let pattern = Pattern::new(order, sizes, load.read_percent, random, &geometry);
        let buffers = buffers(&load, self.job)?;
        match self.shared.medium {
            Medium::Target => {}
            Medium::Nothing => return self.without_files(null_queue(&load), pattern, buffers),
            Medium::Memory(touch) => {
                let (null, largest) = (null_queue(&load), largest_block_size(&load));
                let queue = MemoryQueue::new(null, &geometry, largest, load.jobs, touch)?;
                return self.without_files(queue, pattern, buffers);
            }
        }
        let files = target::open(&load.target, open_mode(&load))?;
        match (&load.target, load.interface) {
            (Target::Null { .. }, _) => self.without_files(null_queue(&load), pattern, buffers),
            (_, Interface::Psync) => {
                self.ready(None, Vec::new());
                self.with_queue(SyncQueue::new(&files), pattern, buffers)
            }
            (_, Interface::IoUring) => self.with_ring(&files, pattern, buffers),
        }
    }

    fn without_files<Q: Queue, O: Order>(
        self,
        queue: Q,
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        self.ready(None, Vec::new());
        self.with_queue(queue, pattern, buffers)
    }

    fn with_ring<O: Order>(
        self,
        files: &[OwnedFd],
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        let descriptors: Vec<RawFd> = files.iter().map(AsRawFd::as_raw_fd).collect();
        let mut setup = RingSetup::new(self.shared.load.queue_depth).map_err(|error| refused(&error))?;
        if self.shared.load.rate.is_some() && !setup.can_wait_for() {
            return Err(refused(&std::io::Error::other("a rate needs Linux 5.11")));
        }
        let (parts, features, notes) = setup.register(&descriptors, &buffers);
        self.ready(Some(features), notes);
        self.with_queue(RingQueue::new(parts, &features, descriptors), pattern, buffers)
    }

    fn ready(&self, features: Option<Features>, notes: Vec<Note>) {
        // Nobody listens only when the load is being given up; then the start is given with the flag set.
        let _ = self.reports.send(Report::Ready { features, notes });
    }

    fn with_queue<Q: Queue, O: Order>(
        self,
        queue: Q,
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        let load = &self.shared.load;
        let zero_ns = self.shared.start.wait(&self.shared.clock);
        match &load.rate {
            None => self.with_pace(zero_ns, Unpaced, queue, pattern, buffers),
            Some(rate) => {
                let random = Random::new(load.seed, (1 << 32) + u64::from(self.job));
                let pace = Paced::new(rate, self.job, load.jobs, zero_ns, random);
                self.with_pace(zero_ns, pace, queue, pattern, buffers)
            }
        }
    }

    fn with_pace<Q: Queue, O: Order, P: Pace>(
        &self,
        zero_ns: u64,
        pace: P,
        queue: Q,
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        let load = &self.shared.load;
        let setup = ClientSetup {
            job: self.job,
            clock: self.shared.clock,
            stop: self.shared.stop,
            target: &load.target,
            reports: Some(&self.reports),
            depth: load.queue_depth,
            batch: batch(load),
            wanted: load.batch.unwrap_or(1),
            size_limit_bytes: load.size_limit_bytes.map(|limit| share(limit, self.job, load.jobs)),
            window: Window::new(zero_ns, load.warm_up_ns, load.duration_ns, load.interval_ns),
        };
        Client::new(setup, queue, pattern, pace, buffers).run()
    }
}

/// The part of `total` that falls to one job; the parts add up.
fn share(total: u64, job: u32, jobs: u32) -> u64 {
    let (job, jobs) = (u64::from(job), u64::from(jobs));
    total / jobs + u64::from(job < total % jobs)
}

/// The most operations that are submitted at once.
pub(crate) fn batch(load: &LoadJob) -> u32 {
    load.batch.unwrap_or(BATCH_LIMIT).min(load.queue_depth)
}

/// The buffers of one job.
pub(crate) fn buffers(load: &LoadJob, job: u32) -> Result<Buffers, Failure> {
    let kinds = (load.read_percent > 0, load.read_percent < 100);
    Buffers::new(load.queue_depth, largest_block_size(load), kinds, Contents::of(load, job))
}

fn largest_block_size(load: &LoadJob) -> u32 {
    load.block_sizes.iter().map(|size| size.size_bytes).max().unwrap_or(0)
}

/// How a load opens its target. Loads that only write make files that are missing.
pub(crate) fn open_mode(load: &LoadJob) -> OpenMode {
    let (reads, writes) = (load.read_percent > 0, load.read_percent < 100);
    OpenMode { reads, writes, direct: load.direct, noatime: load.noatime, create: !reads }
}

/// The null queue that does the user-space work of this load's interface.
pub(crate) fn null_queue(load: &LoadJob) -> NullQueue {
    NullQueue::new(load.queue_depth, batch(load), load.interface == Interface::IoUring)
}
