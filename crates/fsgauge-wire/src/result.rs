//! Results: what a job found, raw and complete, as the lab records it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    AgeResult, ClientsResult, CommonStart, CompanionKind, ExchangeClockResult, FileOperationResult,
    Histogram, Interface, Interval, MixResult, Note, PredictResult, ScanResult, ServeClockResult,
    SimulateResult,
};

/// The result of one job; `kind` says which.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[schemars(rename = "Result")]
pub enum JobResult {
    /// Of a load.
    Load(Box<LoadResult>),
    /// Of a mix.
    Mix(MixResult),
    /// Of a layout.
    Layout(LayoutResult),
    /// Of a probe.
    Probe(ProbeResult),
    /// Of a scan.
    Scan(Box<ScanResult>),
    /// Of ageing.
    Age(Box<AgeResult>),
    /// Of a simulation.
    Simulate(Box<SimulateResult>),
    /// Of a prediction.
    Predict(Box<PredictResult>),
    /// Of serving the clock.
    ServeClock(ServeClockResult),
    /// Of comparing two clocks.
    ExchangeClock(ExchangeClockResult),
}

/// How the engine was built.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Optimised: fit for measuring.
    Release,
    /// Not optimised: its numbers say nothing about the storage.
    Debug,
}

/// The engine that made a result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Engine {
    /// Version of fsgauge.
    pub version: String,
    /// How it was built.
    pub profile: Profile,
    /// The platform it was built for.
    pub target: String,
    /// The commit it was built from, with "-modified" when the sources differed; or "unknown".
    pub commit: String,
}

/// Where time is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClockKind {
    /// The processor's invariant time stamp counter, calibrated against CLOCK_MONOTONIC.
    Tsc,
    /// clock_gettime(CLOCK_MONOTONIC).
    ClockGettime,
}

/// How often the clock is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stamps {
    /// Before and after each operation.
    Operation,
    /// Before each group that is submitted and after each group that is reaped.
    Batch,
}

/// What the engine costs by itself.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SelfMeasure {
    /// CPU time of one operation of this very load on the null target.
    pub null_ns_per_operation: f64,
    /// Time of one clock read.
    pub clock_ns_per_read: f64,
    /// How long a tick of the processor's counter is; 0 where time is not read from it.
    #[serde(default)]
    pub clock_ns_per_tick: f64,
    /// Where time is read from.
    pub clock: ClockKind,
    /// How often it is read.
    pub stamps: Stamps,
}

/// What io_uring gives here; a feature that is false was refused by the kernel and does without.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Features {
    /// IORING_REGISTER_FILES (Linux 5.1).
    pub registered_files: bool,
    /// IORING_REGISTER_BUFFERS (Linux 5.1).
    pub registered_buffers: bool,
    /// IORING_REGISTER_RING_FDS (Linux 5.18).
    pub registered_ring: bool,
    /// IORING_SETUP_SINGLE_ISSUER (Linux 6.0).
    pub single_issuer: bool,
    /// IORING_SETUP_DEFER_TASKRUN (Linux 6.1).
    pub defer_taskrun: bool,
    /// IORING_SETUP_COOP_TASKRUN (Linux 5.19); taken where defer_taskrun is missing, which contains it.
    pub coop_taskrun: bool,
    /// IORING_SETUP_NO_SQARRAY (Linux 6.6).
    pub no_sqarray: bool,
}

/// Why a load ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// Its time was up.
    Duration,
    /// Its bytes were done.
    SizeLimit,
    /// SIGINT, SIGTERM, or a reader that went away.
    Interrupted,
}

/// All reads, or all writes, of the measured part. An operation belongs to it when it completed in it, or was in flight
/// at its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperationResult {
    /// How many completed.
    pub operations: u64,
    /// Their bytes.
    pub size_bytes: u64,
    /// How many were tried again after EAGAIN or EINTR. Every other error ends the load as failed, except for `refused`.
    pub errors: u64,
    /// How many a full file system or quota refused, in whole or in part, where the job continues then. They are in no
    /// other count.
    #[serde(default)]
    pub refused: u64,
    /// From submission to completion.
    pub service_latency: Histogram,
    /// Under a rate: from the intended start to completion.
    pub response_latency: Option<Histogram>,
    /// Under a rate: operations that were due in the measured part and never started (a backlog older than
    /// ten seconds is dropped, and so is what is left at the end). Shared between reads and writes by
    /// read_percent.
    pub backlog_dropped: u64,
}

/// What one job did in the measured part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "JobShare")]
pub struct JobCount {
    /// Reads and writes that completed.
    pub operations: u64,
    /// Their bytes.
    pub size_bytes: u64,
    /// From the start of the measured part to this job's own end, where jobs end by themselves (passes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed_ns: Option<u64>,
}

/// All calls of fsync or fdatasync in the measured part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SyncResult {
    /// How many returned.
    pub calls: u64,
    /// How many of the others a full file system or quota refused, where the job continues then.
    #[serde(default)]
    pub refused: u64,
    /// How long they took.
    pub latency: Histogram,
    /// Under a rate: of each write, from its intended start to the return of the call that made it durable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_latency: Option<Histogram>,
}

/// What jobs did with their files when their work was done. Nothing else in the result contains it: `elapsed_ns` and
/// `cpu` end with the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FinishResult {
    /// In fsync, all files of a job; the longest of the jobs. 0 where none was asked for.
    pub fsync_ns: u64,
    /// In close, as `fsync_ns`.
    pub close_ns: u64,
    /// From the start of the measured part to the end of the last job's last call: the work, fsync and close.
    pub elapsed_ns: u64,
    /// CPU time of the same, all jobs.
    pub cpu: Cpu,
}

/// What the companions of one entry of the job did in the measured part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CompanionResult {
    /// What they did.
    pub role: CompanionKind,
    /// How many there were.
    pub count: u32,
    /// Operations that completed; of a log, appends with their fdatasync.
    pub operations: u64,
    /// Their bytes.
    pub size_bytes: u64,
    /// How long they took; of a log, append and fdatasync together.
    pub latency: Histogram,
}

/// What is wrong with a block that was read back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BlockFault {
    /// A sector's checksum or contents do not fit its tag: bits have changed.
    Corrupt,
    /// Its sectors come from different writes.
    Torn,
    /// A whole block that was written to another place, by another load, or by a job that does not own it.
    Foreign,
    /// A whole block of the right place, but not the last that its writer wrote there.
    Stale,
    /// Nothing that this load has written: the write never reached the file.
    Lost,
}

/// One faulty block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FaultyBlock {
    /// What is wrong.
    pub fault: BlockFault,
    /// Which file of the target.
    pub file: u32,
    /// Where the block begins in the file.
    pub offset_bytes: u64,
    /// The first faulty byte, in the file.
    pub first_byte: u64,
    /// In words: what was expected and what was found.
    pub detail: String,
}

/// What reading everything back found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IntegrityResult {
    /// Blocks that the load had written and that were read back.
    pub checked_blocks: u64,
    /// Blocks of each kind of fault.
    pub corrupt_blocks: u64,
    /// See `corrupt_blocks`.
    pub torn_blocks: u64,
    /// See `corrupt_blocks`.
    pub foreign_blocks: u64,
    /// See `corrupt_blocks`.
    pub stale_blocks: u64,
    /// See `corrupt_blocks`.
    pub lost_blocks: u64,
    /// The first faulty blocks, at most 20.
    pub faulty: Vec<FaultyBlock>,
    /// How long reading back took.
    pub elapsed_ns: u64,
}

/// The rate of this very load without a device, all jobs together, in operations per second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Limits {
    /// On the null target: no byte is touched.
    pub null_operations_per_second: f64,
    /// Into memory, one word of every 4096 bytes.
    pub memory_operations_per_second: f64,
    /// Into memory, every byte.
    pub memory_touched_operations_per_second: f64,
    /// Into memory, one byte of every `limits_stride_bytes` of the job; null where it has none.
    #[serde(default)]
    pub memory_stride_operations_per_second: Option<f64>,
}

/// CPU time of the jobs in the measured part, threads or processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ProcessorTime")]
pub struct Cpu {
    /// In the engine.
    pub user_ns: u64,
    /// In the kernel, on behalf of the jobs.
    pub system_ns: u64,
    /// How many jobs.
    pub threads: u32,
}

/// CPU time of the whole machine in the measured part, from /proc/stat (a resolution of about 10 ms).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "MachineProcessorTime")]
pub struct MachineCpu {
    /// Neither idle nor waiting for I/O.
    pub busy_ns: u64,
    /// All of it.
    pub total_ns: u64,
}

/// Whether the rate was steady in the measured part, judged from the interval series.
///
/// Steady: five rounds of equal length range over at most 20 % of their mean, the line fitted to them moves at
/// most 10 %, and no change is found at which the rate moved by 5 % or more for good. On a rate of independent
/// scatter a change is found in 2 % of the runs.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Steady {
    /// Whether the run is long enough to tell; if not, `reached` is false and `reason` says what is missing.
    pub judged: bool,
    /// Whether it was steady.
    pub reached: bool,
    /// How many rounds: 5.
    pub rounds: u32,
    /// Largest minus smallest rate of the rounds, as a share of their mean.
    pub range_share: Option<f64>,
    /// How far the line fitted to the rounds moves from the first to the last, as a share of their mean.
    pub slope_share: Option<f64>,
    /// Start of the first interval after the change, since the load's first moment; null when there is none.
    pub change_point_ns: Option<u64>,
    /// Mean rate after the change minus before it, as a share of the mean.
    pub change_share: Option<f64>,
    /// What was not steady, or could not be judged; null when there is nothing to say.
    pub reason: Option<String>,
}

/// What was in flight when the time was up. It counts until it is answered, and the measured part lasts as long: each
/// place of the queue until its own last answer, on average over all places and jobs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Drain {
    /// Operations that were answered then; they are in the counts and latencies.
    pub operations: u64,
    /// From the end of the time to the last answer.
    pub elapsed_ns: u64,
    /// Operations without an answer after 60 s (after an interrupt: 0.4 s); they are in no count.
    pub unanswered: u64,
}

/// What kept the engine itself from its work in the measured part: then latencies and rates are not the storage's alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Pauses {
    /// Times of 100 ms and more in which the engine's process did not run although it had no need to wait: it was
    /// stopped or frozen, or its machine stood still. Of several processes, those of the one that lost most.
    pub total_ns: u64,
    /// The longest of them.
    pub longest_ns: u64,
    /// Where that began, since the load's first moment; null when there was none.
    pub longest_start_ns: Option<u64>,
    /// From the start of the measured part to the first operation of the last job that began; the warm-up covers it.
    pub late_start_ns: u64,
    /// How long the jobs' threads were ready to run and had no processor, added up over all of them; null where the
    /// kernel does not say (schedstat).
    pub starved_ns: Option<u64>,
    /// Time that passed by CLOCK_BOOTTIME minus time that passed by the engine's clock: far from 0 when the machine was
    /// suspended or a clock jumped.
    pub clock_error_ns: i64,
    /// How far the wall clock was set meanwhile; no measured time depends on it.
    pub wall_clock_step_ns: i64,
}

/// What a load measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadResult {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The engine that measured.
    pub engine: Engine,
    /// The system calls used.
    pub interface: Interface,
    /// What io_uring gave; null for psync and for the null target.
    pub features: Option<Features>,
    /// What the reader should know.
    pub notes: Vec<Note>,
    /// Why it ended.
    pub ended: Ended,
    /// Wall-clock time of the load's first moment.
    pub started_unix_ns: u64,
    /// How long the warm-up really was.
    pub warm_up_ns: u64,
    /// How long the measured part really was, up to the last answers (see `drain`).
    pub elapsed_ns: u64,
    /// All reads; null when the job has none.
    pub read: Option<OperationResult>,
    /// All writes; null when the job has none.
    pub write: Option<OperationResult>,
    /// Each job's part.
    pub jobs: Vec<JobCount>,
    /// Mean number of operations in flight, all jobs together: a time integral, independent of latencies.
    pub in_flight_mean: f64,
    /// CPU time of the load threads.
    pub cpu: Cpu,
    /// CPU time of the machine.
    pub machine_cpu: MachineCpu,
    /// The series, warm-up included.
    pub intervals: Vec<Interval>,
    /// Whether the rate was steady; missing from results of engines that did not judge.
    pub steady: Option<Steady>,
    /// What the engine costs by itself.
    pub self_measure: SelfMeasure,
    /// Calls of fsync and fdatasync; null when the load makes none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync: Option<SyncResult>,
    /// Each operation by itself where the load has `operations`: `read` are then all that change nothing, `write` all
    /// others.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub file_operations: Vec<FileOperationResult>,
    /// What jobs did with their files when their work was done; null when the job did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<FinishResult>,
    /// What each entry of the job's companions did.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub companions: Vec<CompanionResult>,
    /// What reading everything back found; null when the job did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub integrity: Option<IntegrityResult>,
    /// The load without a device; null when the job did not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limits: Option<Limits>,
    /// What was in flight when the time was up; missing from results of engines that did not count it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain: Option<Drain>,
    /// What kept the engine from its work; missing from results of engines that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pauses: Option<Pauses>,
    /// What clients did; null when the job was not of kind "clients".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<Box<ClientsResult>>,
    /// When it was meant to begin and when it did; null when the job gave no moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub common_start: Option<CommonStart>,
}

/// What a layout did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LayoutResult {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// Why it ended: "size_limit" when all is written.
    pub ended: Ended,
    /// How many files were filled; 1 for a device.
    pub files: u32,
    /// How many bytes were written.
    pub size_bytes: u64,
    /// From the first open to the end of the last fsync.
    pub elapsed_ns: u64,
    /// In fsync alone.
    pub fsync_ns: u64,
    /// What the reader should know.
    pub notes: Vec<Note>,
    /// The engine that wrote.
    pub engine: Engine,
}

/// CPU time of one operation on the null target.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct NullCost {
    /// At queue depth 1.
    pub depth_1: f64,
    /// At queue depth 32.
    pub depth_32: f64,
}

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeResult {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// Whether io_uring can be used.
    pub io_uring: bool,
    /// Why not.
    pub io_uring_reason: Option<String>,
    /// Its features.
    pub features: Features,
    /// Whether the directory's file system has direct I/O; null when none was asked about.
    pub direct: Option<bool>,
    /// The alignment that direct I/O needs there, of offset, size and memory.
    pub direct_alignment_bytes: Option<u32>,
    /// Where time is read from; null, as what follows, without costs.
    pub clock: Option<ClockKind>,
    /// Time of one clock read.
    pub clock_ns_per_read: Option<f64>,
    /// What the engine costs by itself.
    pub null_ns_per_operation: Option<NullCost>,
    /// The engine that probed.
    pub engine: Engine,
}
