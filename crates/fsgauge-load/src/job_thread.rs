//! One job's thread: opens the target, chooses the four parts of its loop, waits for the start, runs.
//!
//! Every combination of order, queue and pace is a loop of its own, compiled apart: what is off costs nothing.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;

use fsgauge_net::Access as ShareAccess;
use fsgauge_wire::{
    Access, Descriptors, Failure, Features, Interface, LoadJob, Note, Outcome, Ranges, Stop, Sync, Target,
    Transfer,
};

use crate::barriers::{Barriers, Written};
use crate::buffers::Buffers;
use crate::contents::Contents;
use crate::file_operations::FileLoop;
use crate::filler::Filler;
use crate::finish::finish;
use crate::instruments::{Begun, Clock, Start, WarmUp, Window};
use crate::job_loop::{JobLoop, LoopSetup};
use crate::medium::Medium;
use crate::outcome::{JobOutcome, Report};
use crate::pace::{Bursts, Pace, Paced, Resting, Unpaced};
use crate::pattern::{AnyOrder, Order, Pattern, RangeOrder, Sequential, Sizes, Uniform, Zipf};
use crate::queue::{
    AioQueue, Bytes, Characters, ChunkedQueue, Chunks, Compared, Durable, MemoryQueue, Mover, NullQueue,
    Queue, Rewrite, RingQueue, ShareQueue, SyncQueue, Whole,
};
use crate::random::Random;
use crate::ring_setup::{RingSetup, refused};
use crate::share::{Connection, Session};
use crate::target::{Geometry, Ground, OpenFiles, OpenMode, path_of};
use crate::unshare::unshare;
use crate::wear_out::{Stonewall, WearOut};

/// The largest batch that the engine chooses by itself.
const BATCH_LIMIT: u32 = 16;

/// Everything that all jobs of a load share.
#[derive(Clone)]
pub(crate) struct Shared {
    pub(crate) load: Arc<LoadJob>,
    pub(crate) medium: Medium,
    /// The files that all jobs share; none when each opens its own.
    pub(crate) opened: Option<OpenFiles>,
    /// How jobs get into the target's share; none where it is on this machine.
    pub(crate) access: Option<ShareAccess>,
    /// Where jobs open their files.
    pub(crate) ground: Ground,
    pub(crate) clock: Clock,
    pub(crate) stop: Stop,
    pub(crate) start: Arc<Start>,
    pub(crate) warm_up: WarmUp,
    /// Where jobs meet at the stonewall, where the load has one.
    pub(crate) wear_out: Option<Arc<WearOut>>,
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
        if load.descriptors == Descriptors::Own && self.shared.access.is_none() {
            unshare();
        }
        let geometry = Geometry::of(&load.target);
        let sizes = Sizes::of(load, &geometry);
        if !load.operations.is_empty() {
            return self.on_names();
        }
        if load.ranges.is_some() && load.files_in_turn.is_none() {
            let order = RangeOrder::new(load, self.job);
            return self.with_order(order, sizes);
        }
        match load.access {
            _ if AnyOrder::is_needed(load) => {
                let order = AnyOrder::new(load, &sizes, self.job);
                self.with_order(order, sizes)
            }
            Access::Zipf { theta } => self.with_order(Zipf::new(theta, &geometry, &sizes), sizes),
            Access::Sequential {} => {
                let order = Sequential::new(&geometry, sizes.largest_bytes(), self.job, load.jobs);
                self.with_order(order, sizes)
            }
            _ => self.with_order(Uniform::new(&geometry), sizes),
        }
    }

    /// Operations on a file set, one call at a time.
    fn on_names(self) -> Result<JobOutcome, Failure> {
        let load = self.shared.load.clone();
        let files = FileLoop::prepare(&load, self.job, &self.shared.ground)?;
        self.ready(None, Vec::new());
        let Begun { zero_ns, true_start } = self.shared.start.wait(&self.shared.clock);
        let (clock, stop) = (self.shared.clock, self.shared.stop);
        let window = Window::new(zero_ns, self.shared.warm_up.clone(), load.duration_ns, load.interval_ns);
        let outcome = match self.pace_of(zero_ns) {
            AnyPace::Unpaced(pace) => files.run(pace, clock, stop, window, Some(&self.reports)),
            AnyPace::Paced(pace) => files.run(pace, clock, stop, window, Some(&self.reports)),
            AnyPace::Bursts(pace) => files.run(pace, clock, stop, window, Some(&self.reports)),
            AnyPace::Resting(pace) => files.run(pace, clock, stop, window, Some(&self.reports)),
        }?;
        Ok(JobOutcome { true_start, ..outcome })
    }

    fn pace_of(&self, zero_ns: u64) -> AnyPace {
        let load = &self.shared.load;
        let random = || Random::new(load.seed, (1 << 32) + u64::from(self.job));
        match (&load.rate, load.burst, load.rest) {
            (None, _, None) => AnyPace::Unpaced(Unpaced),
            (None, _, Some(rest)) => AnyPace::Resting(Resting::new(rest, random())),
            (Some(rate), None, _) => AnyPace::Paced(Paced::new(rate, self.job, load.jobs, zero_ns, random())),
            (Some(rate), Some(burst), _) => {
                AnyPace::Bursts(Bursts::new(rate, burst, (self.job, load.jobs), zero_ns, random()))
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
                let (null, largest) = (null_queue(&load), load.largest_block_bytes());
                let queue = MemoryQueue::new(null, &geometry, largest, load.jobs, touch)?;
                return self.without_files(queue, pattern, buffers);
            }
        }
        if let Some(access) = self.shared.access.clone() {
            return self.through_share(&access, pattern, buffers);
        }
        let files = job_files(&load, self.job, self.shared.opened.as_ref(), &self.shared.ground)?;
        match (&load.target, load.interface) {
            (Target::Null { .. }, _) => self.without_files(null_queue(&load), pattern, buffers),
            (_, Interface::Psync) => match load.transfer {
                Transfer::Whole if load.sync == Sync::RwfDsync => {
                    self.one_by_one(Durable, files, pattern, buffers)
                }
                Transfer::Whole => self.one_by_one(Whole, files, pattern, buffers),
                Transfer::Characters => {
                    self.one_by_one(Characters::new(load.largest_block_bytes()), files, pattern, buffers)
                }
                Transfer::Bytes => self.one_by_one(Bytes, files, pattern, buffers),
                Transfer::Rewrite => self.one_by_one(Rewrite::default(), files, pattern, buffers),
                Transfer::Compared => {
                    let written = Compared::new(written(&load, self.job)?);
                    self.one_by_one(written, files, pattern, buffers)
                }
            },
            (_, Interface::Libaio) => {
                let queue = AioQueue::new(load.queue_depth, files.descriptors())?;
                self.ready(None, Vec::new());
                self.on_files(queue, &files, pattern, buffers)
            }
            (_, Interface::IoUring | Interface::Sockets) => self.with_ring(&files, pattern, buffers),
        }
    }

    /// With pread and pwrite; then what the load wants done with the files at the end.
    fn one_by_one<M: Mover, O: Order>(
        self,
        mover: M,
        files: OpenFiles,
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        let (load, clock, stop) = (self.shared.load.clone(), self.shared.clock, self.shared.stop);
        self.ready(None, Vec::new());
        let queue = SyncQueue::moving(mover, files.descriptors());
        let outcome = self.on_files(queue, &files, pattern, buffers)?;
        let finish = finish(&load, files, outcome.ended, clock, stop)?;
        Ok(JobOutcome { finish, ..outcome })
    }

    fn without_files<Q: Queue, O: Order>(
        self,
        queue: Q,
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        self.ready(None, Vec::new());
        self.with_queue(queue, Written::Files(&OpenFiles::default()), pattern, buffers)
    }

    fn through_share<O: Order>(
        self,
        access: &ShareAccess,
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        let (load, stop) = (self.shared.load.clone(), self.shared.stop);
        let connection = RefCell::new(job_connection(&load, self.job, access, &stop)?);
        self.ready(None, Vec::new());
        let queue = ShareQueue::new(&connection, load.queue_depth);
        let outcome = self.with_queue(queue, Written::Share(&connection), pattern, buffers)?;
        if load.verify && outcome.unfinished == 0 {
            // What is read back is to be what the server has stored. Nothing is under way any more.
            connection.borrow_mut().sync(&stop)?;
        }
        Ok(outcome)
    }

    fn with_ring<O: Order>(
        self,
        files: &OpenFiles,
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        let descriptors = files.descriptors();
        let mut setup = RingSetup::new(self.shared.load.queue_depth).map_err(|error| refused(&error))?;
        if self.shared.load.rate.is_some() && !setup.can_wait_for() {
            return Err(refused(&std::io::Error::other("a rate needs Linux 5.11")));
        }
        let (parts, features, notes) = setup.register(&descriptors, &buffers);
        self.ready(Some(features), notes);
        self.on_files(RingQueue::new(parts, &features, descriptors), files, pattern, buffers)
    }

    fn on_files<Q: Queue, O: Order>(
        self,
        queue: Q,
        files: &OpenFiles,
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        let load = self.shared.load.clone();
        match (load.preallocate_chunk_bytes, files.iter().next()) {
            (Some(chunk_bytes), Some(file)) => {
                let path = &path_of(&load.target, self.job);
                let file_bytes = Geometry::of(&load.target).file_size_bytes;
                let chunks = Chunks { file, path, chunk_bytes, file_bytes };
                self.with_queue(ChunkedQueue::new(queue, chunks), Written::Files(files), pattern, buffers)
            }
            _ => self.with_queue(queue, Written::Files(files), pattern, buffers),
        }
    }

    fn ready(&self, features: Option<Features>, notes: Vec<Note>) {
        // Nobody listens only when the load is being given up; then the start is given with the flag set.
        let _ = self.reports.send(Report::Ready { features, notes });
    }

    fn with_queue<Q: Queue, O: Order>(
        self,
        queue: Q,
        written: Written<'_>,
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        let load = &self.shared.load;
        let barriers = Barriers::new(load, places(load, self.job), written);
        let Begun { zero_ns, true_start } = self.shared.start.wait(&self.shared.clock);
        let outcome = match self.pace_of(zero_ns) {
            AnyPace::Unpaced(pace) => self.with_pace(zero_ns, pace, queue, barriers, pattern, buffers),
            AnyPace::Paced(pace) => self.with_pace(zero_ns, pace, queue, barriers, pattern, buffers),
            AnyPace::Bursts(pace) => self.with_pace(zero_ns, pace, queue, barriers, pattern, buffers),
            AnyPace::Resting(pace) => self.with_pace(zero_ns, pace, queue, barriers, pattern, buffers),
        }?;
        Ok(JobOutcome { true_start, ..outcome })
    }

    fn stonewall(&self) -> Option<Stonewall> {
        let meeting = self.shared.wear_out.clone()?;
        Some(Stonewall { meeting, write_bytes: u64::from(self.shared.load.largest_block_bytes()) })
    }

    fn with_pace<Q: Queue, O: Order, P: Pace>(
        &self,
        zero_ns: u64,
        pace: P,
        queue: Q,
        barriers: Barriers<'_>,
        pattern: Pattern<O>,
        buffers: Buffers,
    ) -> Result<JobOutcome, Failure> {
        let load = &self.shared.load;
        let setup = LoopSetup {
            job: self.job,
            clock: self.shared.clock,
            stop: self.shared.stop,
            target: &load.target,
            reports: Some(&self.reports),
            depth: load.queue_depth,
            batch: batch(load),
            wanted: load.batch.unwrap_or(1),
            size_limit_bytes: size_limit_bytes(load, self.job),
            continue_when_full: load.continue_when_full,
            barriers,
            stonewall: self.stonewall(),
            window: Window::new(zero_ns, self.shared.warm_up.clone(), load.duration_ns, load.interval_ns),
        };
        JobLoop::new(setup, queue, pattern, pace, buffers).run()
    }
}

/// A pace of any kind; each has a loop of its own.
enum AnyPace {
    Unpaced(Unpaced),
    Paced(Paced),
    Bursts(Bursts),
    Resting(Resting),
}

/// Starts a job as a thread of this process.
pub(crate) fn spawn_job(shared: &Shared, job: u32, reports: Sender<Report>) -> Outcome<JoinHandle<()>> {
    let thread = JobThread { shared: shared.clone(), job, reports: reports.clone() };
    let run = move || {
        let outcome = Box::new(thread.run());
        // Nobody listens only when the load has been given up.
        let _ = reports.send(Report::Done { job, outcome });
    };
    std::thread::Builder::new().name(format!("load-{job}")).spawn(run).map_err(|error| {
        let what = format!("thread {job} of the load cannot be started: {error}");
        Failure::system(
            "threads",
            error.raw_os_error(),
            what,
            "a limit on processes is reached",
            "ulimit -u; choose fewer jobs",
        )
    })
}

/// How many places a job of a load with ranges has.
pub(crate) fn places(load: &LoadJob, job: u32) -> Option<u64> {
    load.ranges.map(|_| RangeOrder::new(load, job).places())
}

/// The bytes after which a job ends by itself: its share of the load's limit, or its passes.
fn size_limit_bytes(load: &LoadJob, job: u32) -> Option<u64> {
    let limit = load.size_limit_bytes.map(|limit| share(limit, job, load.jobs));
    let passes = load.passes.zip(places(load, job)).map(|(passes, places)| {
        u64::from(passes).saturating_mul(places).saturating_mul(u64::from(load.largest_block_bytes()))
    });
    [limit, passes].into_iter().flatten().min()
}

/// The session of one job, with the files open that it uses.
fn job_connection(
    load: &LoadJob,
    job: u32,
    access: &ShareAccess,
    stop: &Stop,
) -> Result<Connection, Failure> {
    let own_file = load.ranges == Some(Ranges::OwnFiles {});
    let numbers = if own_file { job..job + 1 } else { 0..Geometry::of(&load.target).files };
    let mode = open_mode(load);
    let session = Session {
        lanes: load.queue_depth,
        largest_bytes: load.largest_block_bytes(),
        reads: mode.reads,
        writes: mode.writes,
        dsync: mode.dsync,
    };
    Connection::open(access, &load.target, numbers, session, stop)
}

/// The files of one job: those that are open already, or its own.
fn job_files(
    load: &LoadJob,
    job: u32,
    opened: Option<&OpenFiles>,
    ground: &Ground,
) -> Result<OpenFiles, Failure> {
    let own_file = load.ranges == Some(Ranges::OwnFiles {});
    let own = match load.files_per_job {
        Some(files) => Some(job * files.get()..(job + 1) * files.get()),
        None => own_file.then_some(job..job + 1),
    };
    match (opened, own) {
        (Some(opened), Some(own)) => Ok(opened.only(own)),
        (Some(opened), None) => Ok(opened.clone()),
        (None, Some(own)) => OpenFiles::some(&load.target, ground, own, open_mode(load)),
        (None, None) => OpenFiles::all(&load.target, ground, open_mode(load)),
    }
}

/// The files that all jobs of a load share, opened once; none when each opens its own.
pub(crate) fn shared_files(load: &LoadJob, ground: &Ground) -> Result<Option<OpenFiles>, Failure> {
    match load.descriptors {
        Descriptors::Own => Ok(None),
        Descriptors::Shared => OpenFiles::all(&load.target, ground, open_mode(load)).map(Some),
    }
}

/// The part of `total` that falls to one job; the parts add up.
fn share(total: u64, job: u32, jobs: u32) -> u64 {
    let (job, jobs) = (u64::from(job), u64::from(jobs));
    total / jobs + u64::from(job < total % jobs)
}

/// The most operations that are submitted at once.
pub(crate) fn batch(load: &LoadJob) -> u32 {
    load.batch.or(load.submit_batch).unwrap_or_else(|| batch_by_itself(load)).min(load.queue_depth)
}

/// What a device has to do comes to it one by one, as from fio by itself. io_uring holds back three or more of a call
/// until the last one is prepared (`PLUG_THRESHOLD` in io_uring/io_uring.c, Linux 6.18): the block layer makes fewer
/// and larger requests of neighbours, and a device that a thread serves, such as a loop device, idles meanwhile (0.8
/// of the rate at depth 32, in batches of 16).
fn batch_by_itself(load: &LoadJob) -> u32 {
    let has_device = !matches!(load.target, Target::Null { .. }) && load.target.share().is_none();
    if load.direct && has_device { 1 } else { BATCH_LIMIT }
}

/// The buffers of one job.
pub(crate) fn buffers(load: &LoadJob, job: u32) -> Result<Buffers, Failure> {
    let kinds = (load.read_percent > 0, load.read_percent < 100);
    Buffers::new(load.queue_depth, load.largest_block_bytes(), kinds, Contents::of(load, job))
}

/// The buffers of the writes that a job of the same number had before, in a load like this one.
fn written(load: &LoadJob, job: u32) -> Result<Buffers, Failure> {
    let contents = Filler::for_data(load.data, load.seed, job);
    Buffers::new(load.queue_depth, load.largest_block_bytes(), (false, true), contents)
}

/// How a load opens its target. Loads that only write make files that are missing.
pub(crate) fn open_mode(load: &LoadJob) -> OpenMode {
    let writes = load.read_percent < 100;
    let reads = load.read_percent > 0 || load.transfer == Transfer::Rewrite;
    let dsync = load.sync == Sync::Dsync;
    OpenMode { reads, writes, direct: load.direct, noatime: load.noatime, dsync, create: !reads }
}

/// The null queue that does the user-space work of this load's interface.
pub(crate) fn null_queue(load: &LoadJob) -> NullQueue {
    NullQueue::new(load.queue_depth, batch(load), load.interface == Interface::IoUring)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_have_the_files_that_they_use() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().display().to_string();
        let target = Target::Files { directory: path, prefix: "f".into(), count: 3, file_size_bytes: 8192 };
        let own = LoadJob { target, read_percent: 0, jobs: 3, ..LoadJob::plain() };
        let ground = Ground::of(&own.target, true).unwrap();
        let descriptors = |load: &LoadJob, opened: Option<&OpenFiles>, job| {
            let files = job_files(load, job, opened, &ground).unwrap();
            (files.descriptors(), files)
        };
        let (first, second) = (descriptors(&own, None, 0), descriptors(&own, None, 1));
        assert!(first.0.iter().all(|descriptor| *descriptor >= 0 && !second.0.contains(descriptor)));

        let shared = LoadJob { descriptors: Descriptors::Shared, ..own.clone() };
        let opened = shared_files(&shared, &ground).unwrap().unwrap();
        assert_eq!(descriptors(&shared, Some(&opened), 0).0, descriptors(&shared, Some(&opened), 1).0);
        assert!(shared_files(&own, &ground).unwrap().is_none());

        for opened in [None, Some(&opened)] {
            let one_each = LoadJob { ranges: Some(Ranges::OwnFiles {}), ..shared.clone() };
            let second = descriptors(&one_each, opened, 1);
            let held: Vec<bool> = second.0.iter().map(|descriptor| *descriptor >= 0).collect();
            assert_eq!(held, [false, true, false]);
        }
    }

    #[test]
    fn what_a_device_has_to_do_is_submitted_one_by_one() {
        let target = Target::File { path: "f".into(), size_bytes: 1 << 20 };
        let random = LoadJob { target, direct: true, queue_depth: 32, ..LoadJob::plain() };
        let sequential = LoadJob { access: Access::Sequential {}, ..random.clone() };
        let buffered = LoadJob { direct: false, ..sequential.clone() };
        assert_eq!([&random, &sequential, &buffered].map(batch), [1, 1, 16]);
        let asked = |submit_batch| batch(&LoadJob { submit_batch, ..sequential.clone() });
        assert_eq!([Some(4), Some(64)].map(asked), [4, 32]);
        assert_eq!(batch(&LoadJob { target: Target::Null { size_bytes: 1 << 20 }, ..sequential }), 16);
    }

    #[test]
    fn passes_end_after_every_place_so_often() {
        let ranges = Some(Ranges::Interleaved {});
        let target = Target::Null { size_bytes: 5 * 4096 };
        let load = LoadJob { target, ranges, passes: Some(3), jobs: 2, ..LoadJob::plain() };
        assert_eq!([0, 1].map(|job| size_limit_bytes(&load, job)), [Some(9 * 4096), Some(6 * 4096)]);
        let limited = LoadJob { size_limit_bytes: Some(4 * 4096), ..load };
        assert_eq!(size_limit_bytes(&limited, 0), Some(2 * 4096));
    }
}
