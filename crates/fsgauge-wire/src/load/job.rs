//! The job of kind "load".

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::way::{
    Access, BlockSize, Companion, Data, Descriptors, Finish, Interface, JobsOfAll, Ranges, Rate, Rest, Sync,
    Transfer, Workers,
};
use crate::{FileSizes, Held, Lease, SelfMeasure, Target, WantedStart, WeightedOperation};

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
    /// Offsets that are drawn are multiples of it. Null: of the smallest block size.
    #[serde(default)]
    pub align_bytes: Option<NonZeroU32>,
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
            align_bytes: None,
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
