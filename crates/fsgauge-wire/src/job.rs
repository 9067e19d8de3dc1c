//! A job: what the engine is asked to do, as one JSON document on its standard input.
//!
//! Unknown keys are errors. Optional keys may be left out or null. A required key with a default in its schema
//! is always written by the lab, and has that value there where nobody gives another.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgeJob, ClientsJob, ExchangeClockJob, FileSizes, Held, Lease, MixJob, PredictJob, ScanJob, SelfMeasure,
    ServeClockJob, ShareTarget, SimulateJob, Think, WantedStart, WeightedOperation, Zone,
};

/// One job; `kind` says which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(clippy::large_enum_variant, reason = "a process has one job")]
pub enum Job {
    /// Drive I/O and measure it.
    Load(LoadJob),
    /// Drive several loads at once and measure each.
    Mix(MixJob),
    /// Create the target's files and fill them once.
    Layout(LayoutJob),
    /// Say what this kernel and machine offer.
    Probe(ProbeJob),
    /// Say what lies where on a file system.
    Scan(ScanJob),
    /// Let many clients work on a file set.
    Clients(ClientsJob),
    /// Wear a file system.
    Age(AgeJob),
    /// Live the life of a file system in a model.
    Simulate(SimulateJob),
    /// Say what a device of a model would make of files that lie somewhere.
    Predict(PredictJob),
    /// Tell other engines what this machine's monotonic clock says.
    ServeClock(ServeClockJob),
    /// Compare this machine's monotonic clock with another's.
    ExchangeClock(ExchangeClockJob),
}

impl Job {
    /// The format that the job says it is written in.
    pub fn format(&self) -> u32 {
        match self {
            Job::Load(job) => job.format,
            Job::Mix(job) => job.format,
            Job::Layout(job) => job.format,
            Job::Probe(job) => job.format,
            Job::Scan(job) => job.format,
            Job::Clients(job) => job.format,
            Job::Age(job) => job.format,
            Job::Simulate(job) => job.format,
            Job::Predict(job) => job.format,
            Job::ServeClock(job) => job.format,
            Job::ExchangeClock(job) => job.format,
        }
    }

    /// What keeps the engine alive; none: its parent alone.
    pub fn lease(&self) -> Option<&Lease> {
        match self {
            Job::Load(job) => job.lease.as_ref(),
            Job::Mix(job) => job.lease.as_ref(),
            Job::Layout(job) => job.lease.as_ref(),
            Job::Probe(_) => None,
            Job::Scan(job) => job.lease.as_ref(),
            Job::Clients(job) => job.lease.as_ref(),
            Job::Age(job) => job.lease.as_ref(),
            Job::Simulate(job) => job.lease.as_ref(),
            Job::Predict(job) => job.lease.as_ref(),
            Job::ServeClock(job) => job.lease.as_ref(),
            Job::ExchangeClock(job) => job.lease.as_ref(),
        }
    }

    /// The places that it reaches by descriptors of its caller's; none for a job that touches no files.
    pub fn held(&self) -> &[Held] {
        match self {
            Job::Load(job) => &job.held,
            Job::Mix(job) => &job.held,
            Job::Layout(job) => &job.held,
            Job::Probe(job) => &job.held,
            Job::Scan(job) => &job.held,
            Job::Clients(job) => &job.held,
            Job::Age(job) => &job.held,
            Job::Simulate(_) | Job::Predict(_) | Job::ServeClock(_) | Job::ExchangeClock(_) => &[],
        }
    }

    /// What it says about its start; none for a job that loads nothing.
    pub fn wanted_start(&self) -> Option<WantedStart> {
        match self {
            Job::Load(job) => Some(job.wanted_start()),
            Job::Clients(job) => Some(job.wanted_start()),
            Job::Age(job) => Some(job.wanted_start()),
            Job::Mix(_)
            | Job::Layout(_)
            | Job::Probe(_)
            | Job::Scan(_)
            | Job::Simulate(_)
            | Job::Predict(_)
            | Job::ServeClock(_)
            | Job::ExchangeClock(_) => None,
        }
    }
}

/// What the I/O goes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Target {
    /// Nothing: every I/O succeeds at once. Measures the engine itself.
    Null {
        /// Size of the pretended storage.
        size_bytes: u64,
    },
    /// A part of a block device. It is opened with O_EXCL for writing: a device in use is refused.
    Block {
        /// The device, for example /dev/loop0.
        path: String,
        /// Where the part begins.
        #[serde(default)]
        offset_bytes: u64,
        /// How long the part is.
        size_bytes: u64,
    },
    /// `count` files of equal size, named DIRECTORY/PREFIX0000, 0001 and so on; the load is spread evenly.
    Files {
        /// Directory that holds the files.
        directory: String,
        /// What their names begin with.
        #[schemars(extend("default" = "fsgauge-"))]
        prefix: String,
        /// How many there are.
        count: u32,
        /// Size of each.
        file_size_bytes: u64,
    },
    /// One file, shared by all jobs.
    File {
        /// The file.
        path: String,
        /// How much of it is used.
        size_bytes: u64,
    },
    /// As `files`, through a server: DIRECTORY of the share with PREFIX0000, 0001 and so on. Each job has a connection
    /// and a session of its own, and nothing is kept on this side: every operation is a message and its answer.
    ShareFiles {
        /// The share and the directory.
        share: ShareTarget,
        /// What their names begin with.
        #[schemars(extend("default" = "fsgauge-"))]
        prefix: String,
        /// How many there are.
        count: u32,
        /// Size of each.
        file_size_bytes: u64,
    },
    /// As `file`, through a server.
    ShareFile {
        /// The share and the directory.
        share: ShareTarget,
        /// The file's name in it.
        name: String,
        /// How much of it is used.
        size_bytes: u64,
    },
}

impl Target {
    /// The share that the files are reached through; none on this machine.
    pub fn share(&self) -> Option<&ShareTarget> {
        match self {
            Target::ShareFiles { share, .. } | Target::ShareFile { share, .. } => Some(share),
            Target::Null { .. } | Target::Block { .. } | Target::Files { .. } | Target::File { .. } => None,
        }
    }
}

/// The system calls that carry the I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Interface {
    /// io_uring: any queue depth.
    IoUring,
    /// pread and pwrite: queue depth 1.
    Psync,
    /// io_submit and io_getevents, as libaio has them: any queue depth. Through the page cache the kernel does one after
    /// the other.
    Libaio,
    /// Messages to a server over sockets, with epoll: any queue depth. What a target on a share needs; no other has it.
    Sockets,
}

/// The order in which offsets are visited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Access {
    /// Each job walks its own share of the target from its start to its end, and again.
    Sequential {},
    /// Every position is as likely as any other.
    Random {},
    /// A few positions are hot: the chance of the k-th hottest goes as k^-theta. Hot positions are scattered.
    Zipf {
        /// The exponent; above 0, at most 10.
        theta: f64,
    },
    /// As sequential, from the end of each job's share to its start.
    Backwards {},
    /// As sequential, with a gap after each operation.
    Strided {
        /// From the start of one operation to the start of the next; at least the largest block size.
        stride_bytes: u64,
    },
    /// A few positions are hot: a share h of them gets a share 1 - h of the operations, and so on within them. Hot
    /// positions are scattered.
    Pareto {
        /// Above 0, below 1.
        h: f64,
    },
    /// Around the middle of the target, normally distributed; a draw outside of it is drawn again.
    Normal {
        /// The standard deviation, as a share of the target.
        deviation_percent: u8,
    },
    /// Zones, each drawn by weight; inside a zone every position is as likely as any other.
    Zones {
        /// From the target's start on; their shares add up to 100.
        zones: Vec<Zone>,
    },
}

/// One block size and how often it is drawn, relative to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockSize {
    /// Size of the I/O.
    pub size_bytes: u32,
    /// Its share is weight / sum of weights.
    #[schemars(extend("default" = 1))]
    pub weight: u32,
}

/// When operations of a paced load are meant to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// At equal distances.
    Constant,
    /// As a Poisson process.
    Exponential,
}

/// A pace. Operations start when they are due, not when the last one has ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Of all jobs together.
    pub operations_per_second: f64,
    /// How the starts are spread.
    pub arrival: Arrival,
}

/// A job's rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rest {
    /// Operations between two of them.
    pub every: NonZeroU32,
    /// How long they are.
    pub think: Think,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Data {
    /// Random bytes, different in every 4096 bytes of every write.
    #[default]
    Incompressible,
    /// Zeros.
    Zero,
    /// Random bytes followed by zeros in every 4096 bytes.
    Compressible {
        /// The share of zeros, 0 to 100.
        compressible_percent: u8,
    },
    /// The same, and some writes repeat what their job has written before.
    Duplicated {
        /// The share of writes whose data is that of an earlier one, 0 to 100.
        duplicate_percent: u8,
        /// The share of zeros, 0 to 100.
        compressible_percent: u8,
    },
}

/// Which places of the target belong to which job. A place is one block; all jobs then have one block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Ranges {
    /// Every job has all places: jobs overwrite one another.
    Shared {},
    /// The places are cut into one contiguous segment a job (IOR's segmented file).
    Segmented {},
    /// Block k belongs to job k modulo jobs (IOR's strided file with one transfer a block).
    Interleaved {},
    /// Runs of `stride_bytes` are dealt to the jobs in turn (IOR's strided file, block above transfer size).
    Strided {
        /// Length of a run; a multiple of the block size.
        stride_bytes: u64,
    },
    /// Job j has file j of the target, whole: a target of kind files with as many files as jobs.
    OwnFiles {},
}

/// The jobs of one engine among those of several engines that load one target: places are dealt to `of` jobs, and
/// this engine's jobs are the ones from `first` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobsOfAll {
    /// The number of this engine's first job.
    pub first: u32,
    /// How many jobs all engines have together.
    pub of: u32,
}

/// What the jobs of a load are to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Workers {
    /// Threads of one process.
    #[default]
    Threads,
    /// A process each.
    Processes,
}

/// How jobs have their files open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Descriptors {
    /// Each job opens the files for itself.
    #[default]
    Own,
    /// All jobs use one open file description.
    Shared,
}

/// When written data is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Sync {
    /// Never by the load. On a share, NFS writes are UNSTABLE and not committed: what the server keeps in memory stays
    /// there, as a file's data stay in the page cache.
    #[default]
    #[schemars(title = "NoSync")]
    None,
    /// By each write: files are opened with O_DSYNC. On a share each write is answered when it is durable: SMB opens
    /// with FILE_WRITE_THROUGH, an NFS write is FILE_SYNC.
    Dsync,
    /// By fsync after every so many writes of a job, once they have completed. On a share: SMB FLUSH, NFS COMMIT.
    Fsync {
        /// Writes between two calls.
        every: u32,
    },
    /// The same with fdatasync; on a share the same as fsync, which has no other message.
    Fdatasync {
        /// Writes between two calls.
        every: u32,
    },
    /// By each write on its own: pwritev2(2) with RWF_DSYNC, on a file that is opened without O_DSYNC.
    RwfDsync,
    /// By nothing: sync_file_range(2) of the whole file after every so many writes, which waits until the pages are
    /// written, and neither flushes the device's cache nor makes metadata durable.
    SyncFileRange {
        /// Writes between two calls.
        every: u32,
    },
}

/// How a job moves a block between its memory and the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transfer {
    /// In one call.
    #[default]
    Whole,
    /// In one call, and beside it one byte at a time through a buffer of the block size: as putc(3) fills it before a
    /// write, as getc(3) takes it after a read. What Bonnie++ did up to version 1.03, and its getc_putc does.
    Characters,
    /// In one call for each byte. What Bonnie++ 2.00 does.
    Bytes,
    /// Read and written: each write reads its block first, changes one byte of it and writes it back. What Bonnie++
    /// does as rewrite, and for some of its seeks.
    Rewrite,
}

/// What each job does with its files when its work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finish {
    /// Whether it calls fsync on each.
    pub fsync: bool,
    /// Whether closing them is timed, after fsync.
    pub close: bool,
}

/// What a companion does, one operation at a time, from the load's first moment to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompanionKind {
    /// Random reads on the load's own target.
    Reader,
    /// Appends to a file of its own beside the target's first, each followed by fdatasync, as a database
    /// writes its log. The file begins again at 256 MiB and is removed at the end.
    Log,
    /// Writes at random places of a file of its own beside the target's first, through the page cache, and fdatasync
    /// after every 16 MiB, as a database's checkpoint writes its pages back. The file has 64 MiB, is written whole
    /// before the load, and is removed at the end.
    Checkpoint,
}

/// Threads that work beside the jobs and are counted apart from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Companion {
    /// What they do.
    pub role: CompanionKind,
    /// How many there are.
    pub count: u32,
    /// Size of each operation.
    pub block_size_bytes: u32,
}

/// kind "load": drive I/O for a time or up to a size, and measure it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoadJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// What the I/O goes to.
    pub target: Target,
    /// The system calls that carry it.
    pub interface: Interface,
    /// Whether the page cache is bypassed (O_DIRECT). On a share it changes nothing: this side keeps nothing, and what
    /// the server keeps is the server's.
    pub direct: bool,
    /// Whether files are opened with O_NOATIME, as fio does: reads then leave access times alone, and what the
    /// file system spends on them is not measured. Only for the files' owner and root.
    #[serde(default)]
    pub noatime: bool,
    /// The order of offsets.
    pub access: Access,
    /// Share of the operations that follow a random order, 0 to 100; the others go on where the one before ended. Null:
    /// all of them.
    #[serde(default)]
    pub random_percent: Option<u8>,
    /// Reads and writes that are not drawn each go on where the last of their kind ended.
    #[serde(default)]
    pub apart: bool,
    /// Hot places of zipf and pareto lie where fio's hash puts their ranks: some meet, others are never used.
    #[serde(default)]
    pub hashed: bool,
    /// Job j of the load uses only so many files, those from j times that number on. Null: every job uses all.
    #[serde(default)]
    pub files_per_job: Option<NonZeroU32>,
    /// So many operations at a file before the next has its turn, from the first to the last and again; each has offsets
    /// of its own. Null: offsets lie over all files together.
    #[serde(default)]
    pub files_in_turn: Option<NonZeroU32>,
    /// What is done where it is more than reads and writes: one call at a time, on a file set of its own. Empty: reads
    /// and writes by `read_percent`.
    #[serde(default)]
    pub operations: Vec<WeightedOperation>,
    /// With `operations`: how large the files are; the target's file size is then that of the largest.
    #[serde(default)]
    pub file_sizes: Option<FileSizes>,
    /// Share of reads among the operations, 0 to 100; the rest are writes.
    pub read_percent: u8,
    /// Block sizes with their weights; at least one.
    pub block_sizes: Vec<BlockSize>,
    /// Block sizes of writes, in a load that also reads; `block_sizes` is then for reads. Offsets that are drawn are
    /// multiples of its smallest size; a walk goes on where the last operation ended. Empty: all have `block_sizes`.
    #[serde(default)]
    pub write_block_sizes: Vec<BlockSize>,
    /// Operations in flight, per job.
    pub queue_depth: u32,
    /// Threads or processes that drive the load at once.
    pub jobs: u32,
    /// Operations submitted together, and waited for together, at most. Null: submitted as `submit_batch` says, and
    /// reaped as soon as one has completed, so the queue stays full.
    #[serde(default)]
    pub batch: Option<u32>,
    /// Operations submitted together at most, and reaped as soon as one has completed; not beside `batch`. Null: one at
    /// a time on a device without the page cache, for the block layer makes larger requests of neighbours that come
    /// together; else min(16, queue_depth).
    #[serde(default)]
    pub submit_batch: Option<u32>,
    /// A pace; null is a closed loop that starts an operation whenever one ends.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// Under a rate: operations of a job that are due together. Null: 1.
    #[serde(default)]
    pub burst: Option<NonZeroU32>,
    /// Each job's rest after so many operations; needs queue depth 1, and no rate.
    #[serde(default)]
    pub rest: Option<Rest>,
    /// In a mix: how long after its start this load begins.
    #[serde(default)]
    pub start_after_ns: u64,
    /// Load before the measured part; not counted.
    #[serde(default)]
    pub warm_up_ns: u64,
    /// In a mix: its warm-up ends as soon as the rate of each load was steady for so long, as `Steady` has it;
    /// `warm_up_ns` is then the longest. Null: it has its full time.
    #[serde(default)]
    pub steady_window_ns: Option<u64>,
    /// The measured part.
    pub duration_ns: u64,
    /// Ends the measured part once so many bytes have been read and written, all jobs together.
    #[serde(default)]
    pub size_limit_bytes: Option<u64>,
    /// Length of an interval of the series.
    #[serde(default = "one_second_ns")]
    pub interval_ns: u64,
    /// What is written.
    #[serde(default)]
    pub data: Data,
    /// Seed of offsets, mixes, arrivals and data; job j of the same seed always draws the same.
    pub seed: u64,
    /// Which places belong to which job. Null: as `access` says. With ranges, a random order visits every
    /// place of the job once before it visits one again.
    #[serde(default)]
    pub ranges: Option<Ranges>,
    /// Which jobs these are where several engines load one target: segmented, interleaved and strided ranges are then
    /// dealt to all jobs. Null: there are no others.
    #[serde(default)]
    pub jobs_of_all: Option<JobsOfAll>,
    /// Each job ends once it has covered its places so often; `duration_ns` is then the longest it may take.
    /// Needs ranges, and no warm-up.
    #[serde(default)]
    pub passes: Option<u32>,
    /// With `passes` of one write at a time: whether `duration_ns` is a stonewall with wear-out, as IO500 has it: when it
    /// is reached, every job goes on until it has written as many places as the one that had most then, in at most ten
    /// times the duration.
    #[serde(default)]
    pub wear_out: bool,
    /// With `passes` on one file of this machine: whether its places are those that it has, and not those of its full
    /// size. It is as large as `wear_out` left it.
    #[serde(default)]
    pub only_existing: bool,
    /// Whether files are emptied before the load, so that its writes extend them. Needs ranges.
    #[serde(default)]
    pub extend: bool,
    /// With `extend`: the emptied files are first given all their blocks with fallocate(2), unwritten.
    #[serde(default)]
    pub preallocate: bool,
    /// With `extend`, on files of each job's own that are written sequentially: space is allocated with fallocate(2)
    /// so many bytes at a time, when the writes come to it and in their time; null: no such call.
    #[serde(default)]
    pub preallocate_chunk_bytes: Option<u64>,
    /// What the jobs are to the kernel.
    #[serde(default)]
    pub workers: Workers,
    /// How they have their files open.
    #[serde(default)]
    pub descriptors: Descriptors,
    /// When written data is made durable.
    #[serde(default)]
    pub sync: Sync,
    /// Whether the load goes on where a full file system or quota refuses an operation (ENOSPC, EDQUOT): those are
    /// counted. Needs writes, and no `verify`.
    #[serde(default)]
    pub continue_when_full: bool,
    /// How blocks are moved. Other than whole: one operation at a time (interface psync), one block size, files of this
    /// machine.
    #[serde(default)]
    pub transfer: Transfer,
    /// What each job does with its files when its work is done: timed apart, see the result's `finish`. Needs passes
    /// or a size limit, files of this machine, and files that each job has opened for itself.
    #[serde(default)]
    pub finish: Finish,
    /// Whether every sector written carries its writer, sequence, offset and checksum, and everything written
    /// is read back and checked after the load. Needs ranges, and writes alone.
    #[serde(default)]
    pub verify: bool,
    /// Threads that work beside the jobs.
    #[serde(default)]
    pub companions: Vec<Companion>,
    /// Whether the same load is first run, for 50 ms each, on no device at all: on the null target and on
    /// memory. Gives `limits`.
    #[serde(default)]
    pub measure_limits: bool,
    /// With `measure_limits` once more into memory, touching one byte of so many: of every operation the first,
    /// and every Nth after it.
    #[serde(default)]
    pub limits_stride_bytes: Option<NonZeroU32>,
    /// What a run of the same load on this machine has measured of the engine, a moment ago: it is taken as it is
    /// and not measured again, which saves most of the time of a short run's start. Null: it is measured.
    #[serde(default)]
    pub measured_before: Option<SelfMeasure>,
    /// When the load begins, by CLOCK_MONOTONIC of this machine; at most an hour ahead. A moment that has passed is
    /// refused, and nothing is loaded: code "start.missed". Null: as soon as everything is prepared.
    #[serde(default)]
    pub start_at_ns: Option<u64>,
    /// With a lease: whether the job begins at the moment that a `start` order gives, once it has said `armed`. Not
    /// with `start_at_ns`.
    #[serde(default)]
    pub start_on_order: bool,
    /// Places that are reached by descriptors which the engine was started with, not by their paths.
    #[serde(default)]
    pub held: Vec<Held>,
    /// What keeps the engine alive; null: its parent alone.
    #[serde(default)]
    pub lease: Option<Lease>,
}

impl LoadJob {
    /// A load to vary: 4 KiB random reads on the null target, one thread, depth 1, one second, every option off.
    pub fn plain() -> Self {
        LoadJob {
            format: crate::FORMAT,
            target: Target::Null { size_bytes: 1 << 30 },
            interface: Interface::IoUring,
            direct: false,
            noatime: false,
            access: Access::Random {},
            random_percent: None,
            apart: false,
            hashed: false,
            files_per_job: None,
            files_in_turn: None,
            operations: Vec::new(),
            file_sizes: None,
            read_percent: 100,
            block_sizes: vec![BlockSize { size_bytes: 4096, weight: 1 }],
            write_block_sizes: Vec::new(),
            queue_depth: 1,
            jobs: 1,
            batch: None,
            submit_batch: None,
            rate: None,
            burst: None,
            rest: None,
            start_after_ns: 0,
            warm_up_ns: 0,
            steady_window_ns: None,
            duration_ns: one_second_ns(),
            size_limit_bytes: None,
            interval_ns: one_second_ns(),
            data: Data::Zero,
            seed: 1,
            ranges: None,
            jobs_of_all: None,
            passes: None,
            wear_out: false,
            only_existing: false,
            extend: false,
            preallocate: false,
            preallocate_chunk_bytes: None,
            workers: Workers::Threads,
            descriptors: Descriptors::Own,
            sync: Sync::None,
            continue_when_full: false,
            transfer: Transfer::Whole,
            finish: Finish::default(),
            verify: false,
            companions: Vec::new(),
            measure_limits: false,
            limits_stride_bytes: None,
            measured_before: None,
            start_at_ns: None,
            start_on_order: false,
            held: Vec::new(),
            lease: None,
        }
    }

    /// The block sizes of all its operations.
    pub fn every_block_size(&self) -> impl Iterator<Item = &BlockSize> {
        self.block_sizes.iter().chain(&self.write_block_sizes)
    }

    /// The largest of them; 0 where there is none.
    pub fn largest_block_bytes(&self) -> u32 {
        self.every_block_size().map(|size| size.size_bytes).max().unwrap_or(0)
    }

    /// What it says about its start.
    pub fn wanted_start(&self) -> WantedStart {
        WantedStart {
            at_ns: self.start_at_ns,
            on_order: self.start_on_order,
            has_lease: self.lease.is_some(),
        }
    }
}

fn one_second_ns() -> u64 {
    1_000_000_000
}

/// kind "layout": create the target's files and fill them once, from start to end, then fsync.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LayoutJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// What is created and filled.
    pub target: Target,
    /// Size of each write.
    #[schemars(extend("default" = 1 << 20))]
    pub block_size_bytes: u32,
    /// Writes in flight.
    #[schemars(extend("default" = 8))]
    pub queue_depth: u32,
    /// Whether the page cache is bypassed (O_DIRECT).
    pub direct: bool,
    /// Whether files are allocated with fallocate(2) before they are written.
    #[serde(default)]
    pub preallocate: bool,
    /// What is written.
    #[serde(default)]
    pub data: Data,
    /// Seed of the data.
    pub seed: u64,
    /// Places that are reached by descriptors which the engine was started with, not by their paths.
    #[serde(default)]
    pub held: Vec<Held>,
    /// What keeps the engine alive; null: its parent alone.
    #[serde(default)]
    pub lease: Option<Lease>,
}

/// kind "probe": what this kernel and machine offer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// A directory whose file system is asked about direct I/O.
    #[serde(default)]
    pub directory: Option<String>,
    /// Leaves out what clock and engine cost, which takes a tenth of a second to measure.
    #[serde(default)]
    pub without_costs: bool,
    /// Places that are reached by descriptors which the engine was started with, not by their paths.
    #[serde(default)]
    pub held: Vec<Held>,
}
