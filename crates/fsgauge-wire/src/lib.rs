//! What crosses between the lab and its engine: jobs in, events and results out.
//!
//! Types only, no I/O. Every key is snake_case, every number is raw and in the unit that ends its name. The
//! JSON schemas in `schema/` are generated from here, so this crate is the one definition of the contract.

mod age;
mod clients;
mod clock;
mod control;
mod event;
mod failure;
mod held;
mod histogram;
mod job;
mod lease;
mod load;
mod mix;
mod parse;
mod result;
mod room;
mod scan;
mod share;
mod simulate;
mod start;
mod target;

pub use age::{
    AgeEnd, AgeEnded, AgeError, AgeJob, AgeLifetimeBin, AgeLifetimes, AgeMode, AgeOperation,
    AgeOperationResult, AgeProfile, AgeProgress, AgeResult, AgeSizeBin, AgeSizes,
};
pub use clients::{
    Activity, BackupOrder, BackupResult, BadRecord, ClientError, ClientErrorKind, ClientOperation,
    ClientOperationResult, ClientsInterface, ClientsJob, ClientsResult, ClientsTarget, Create, Dispatch,
    FileOrder, FileSet, FileSizes, NetworkResult, OperationCall, Phase, Think, Tree, WeightedActivity,
    WeightedSize,
};
pub use clock::{
    ClockKey, ClockMoment, ClockReading, ExchangeClockJob, ExchangeClockResult, ServeClockEnded,
    ServeClockJob, ServeClockResult,
};
pub use control::{Listener, Outcome, Stop};
pub use event::{Event, Interval, IntervalCount, Note};
pub use failure::Failure;
pub use held::Held;
pub use histogram::{
    BUCKETS, Histogram, Recorder, SUB_BUCKET_BITS, bucket_index, bucket_lowest, bucket_width,
};
pub use job::{Job, LayoutJob, ProbeJob};
pub use lease::{Lease, Order, RunName};
pub use load::{
    Access, Arrival, BlockSize, Companion, CompanionKind, Data, Descriptors, Finish, Interface, JobsOfAll,
    LoadJob, Ranges, Rate, Rest, Sync, Transfer, Workers,
};
pub use mix::{FileOperation, FileOperationResult, MixJob, MixResult, WeightedOperation, Zone};
pub use parse::{parse_job, parse_order};
pub use result::{
    BlockFault, ClockKind, CompanionResult, Cpu, Drain, Ended, Engine, FaultyBlock, Features, FinishResult,
    IntegrityResult, JobCount, JobResult, LayoutResult, Limits, LoadResult, MachineCpu, NullCost,
    OperationResult, Pauses, ProbeResult, Profile, SelfMeasure, Stamps, Steady, SyncResult,
};
pub use room::{
    Counted, DeletedFile, DeletedFiles, EmptiedFolder, FullFolder, FullQuota, HostFile, InodeChunk, Inodes,
    Room,
};
pub use scan::{
    ExactLength, FilesBin, FreeAtLeast, FreeSpace, Group, Jumps, LengthBin, ListedExtent, ListedFile,
    MetadataSpace, ScanCounts, ScanJob, ScanMap, ScanProblem, ScanProgress, ScanResult, ScanSource,
    ScanStage,
};
pub use share::{NfsTarget, PasswordSource, ShareTarget, SmbDialect, SmbTarget};
pub use simulate::{
    BallastStep, ClearStep, DeleteStep, DeviceChange, DeviceFacts, DeviceKind, DeviceParameter, Ext4Release,
    Mke2fs, ParameterOrigin, PassedFile, PassedFiles, PredictJob, PredictResult, SimulateJob, SimulateResult,
    SimulateStep, SimulatedDevice, SimulatedPass, SimulatedPolicy, SimulatedStep, StepResult,
};
pub use start::{CommonStart, WantedStart};
pub use target::Target;

/// The format of jobs and results that this crate describes; a job of another format is refused.
///
/// Format 1: the first (fsgauge 0.1).
pub const FORMAT: u32 = 1;
