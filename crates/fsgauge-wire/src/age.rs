//! kind "age": wear a file system by replaying an operation log on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Engine, Note};

/// kind "age": make, change and remove files in an empty directory as a log says, and leave them there. The
/// log is a function of profile, space, fill level and seed alone: every mode replays the same operations.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgeJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// An existing, empty directory (lost+found aside); the files lie below it and stay.
    pub directory: String,
    /// What the files are like and how they come and go.
    pub profile: AgeProfile,
    /// How operations are carried out.
    pub mode: AgeMode,
    /// Space that the log reckons with; null: what the file system has available at the start.
    #[serde(default)]
    pub space_bytes: Option<u64>,
    /// Share of the space that live files take once it is filled; above 0, at most 100.
    #[serde(default = "fill")]
    pub fill_percent: f64,
    /// When the log ends.
    pub end: AgeEnd,
    /// The ageing ends here at the latest, with what it has.
    pub time_limit_ns: u64,
    /// syncfs(2) after so many bytes; 0: never. Null: 256 MiB in modes "write" and "direct", never in "fast".
    #[serde(default)]
    pub sync_every_bytes: Option<u64>,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// Only what the log leaves is written: its live files with their last sizes, each at once from start to end,
    /// directory by directory, and nothing is deleted. A fresh copy of an aged tree, without that tree.
    #[serde(default)]
    pub fresh_copy: bool,
}

fn fill() -> f64 {
    80.0
}

/// How operations are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgeMode {
    /// Data is written through the page cache.
    Write,
    /// Data is written with O_DIRECT; ends that are not aligned are rounded outward and cut off again.
    Direct,
    /// Space is allocated with fallocate(2), no data is written. An overwrite does nothing on a file system that
    /// overwrites in place; on one that copies on write it punches a hole and allocates again.
    Fast,
}

/// When a log ends; the first that is reached, and the profile's own end in any case.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AgeEnd {
    /// The profile's own end: intermingled: files are written and deleted; all others: the space is filled.
    Complete {},
    /// After so many operations.
    Operations {
        /// Of all kinds together.
        operations: u64,
    },
    /// Once bytes written, by creates, appends and overwrites, are so many times the live bytes. A space that
    /// was only filled has storage age 1.
    StorageAge {
        /// Bytes written / live bytes.
        storage_age: f64,
    },
    /// After so much virtual time.
    VirtualTime {
        /// As operations carry it.
        virtual_time_ns: u64,
    },
}

/// What the files are like and how they come and go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AgeProfile {
    /// Equal files, written in turns chunk by chunk, so that they lie between one another; then deleted one at
    /// a time in a drawn order, until some are left.
    Intermingled {
        /// How many files.
        #[serde(default = "intermingled_files")]
        files: u32,
        /// Size of each; null: as fills the space, whole chunks.
        #[serde(default)]
        file_size_bytes: Option<u64>,
        /// What a file gets in one turn.
        #[serde(default = "mebibyte")]
        chunk_bytes: u64,
        /// How many files are left at the end; null: all.
        #[serde(default)]
        keep_files: Option<u32>,
    },
    /// Files are created up to the fill level; then the file whose lifetime ends next makes room for new ones.
    Churn {
        /// Sizes of files.
        #[serde(default)]
        sizes: AgeSizes,
        /// From a file's creation to its deletion, in virtual time.
        #[serde(default)]
        lifetimes: AgeLifetimes,
        /// Directories that files are spread over.
        #[serde(default = "churn_streams")]
        streams: u32,
        /// Of the turns after the fill, how many in 100 write a live file anew in place: truncate to nothing,
        /// then append.
        #[serde(default)]
        rewrite_percent: u8,
    },
    /// Each client writes one file at a time, all clients in turns, record by record; above the fill level a
    /// finished file is deleted before a new one begins.
    Connections {
        /// How many write at once.
        #[serde(default = "connections_clients")]
        clients: u32,
        /// Size of each file; the last may be shorter.
        #[serde(default = "mebibyte")]
        file_size_bytes: u64,
        /// What a client writes in one turn.
        #[serde(default = "page")]
        record_bytes: u32,
        /// Whether a finished file is synced.
        #[serde(default)]
        fsync: bool,
    },
    /// A tree of sources and its updates: each writes some files of some directories anew, the new one beside
    /// the old, and deletes the old.
    GitLike {
        /// Sizes of files.
        #[serde(default = "source_sizes")]
        sizes: AgeSizes,
        /// Files of a directory of the first tree.
        #[serde(default = "files_per_directory")]
        files_per_directory: u32,
        /// Share of all files that one update writes anew.
        #[serde(default = "update_percent")]
        update_percent: f64,
    },
    /// Files of fixed size, filled from start to end, then overwritten page by page at drawn places.
    Database {
        /// How many files.
        #[serde(default = "database_files")]
        files: u32,
        /// Size of an overwrite, and its alignment.
        #[serde(default = "page")]
        page_bytes: u32,
        /// Size of an append while files are filled.
        #[serde(default = "mebibyte")]
        extend_bytes: u64,
        /// Overwrites of a file between two calls of fsync; 0: none.
        #[serde(default = "fsync_every")]
        fsync_every: u32,
    },
}

fn intermingled_files() -> u32 {
    20
}
fn mebibyte() -> u64 {
    1 << 20
}
fn churn_streams() -> u32 {
    64
}
fn connections_clients() -> u32 {
    590
}
fn page() -> u32 {
    4096
}
fn files_per_directory() -> u32 {
    16
}
fn update_percent() -> f64 {
    1.0
}
fn database_files() -> u32 {
    4
}
fn fsync_every() -> u32 {
    64
}
/// Median 4 KiB: a choice, in the range of source trees; not a fit.
fn source_sizes() -> AgeSizes {
    AgeSizes::LognormalPareto {
        median_bytes: 4096,
        sigma: 1.5,
        tail_percent: 0.0,
        tail_from_bytes: 1 << 20,
        tail_alpha: 1.0,
        largest_bytes: None,
    }
}

/// How large files are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AgeSizes {
    /// A log-normal body and a Pareto tail: the form that Agrawal and others fitted to files of workstations
    /// ("Generating Realistic Impressions for File-System Benchmarking", FAST 2009). The default values are a
    /// choice of that form, not taken from a fit.
    LognormalPareto {
        /// Median of the body: e^mu.
        median_bytes: u64,
        /// Standard deviation of the natural logarithm of the body.
        sigma: f64,
        /// Share of files in the tail.
        tail_percent: f64,
        /// The smallest of the tail.
        tail_from_bytes: u64,
        /// The tail's exponent.
        tail_alpha: f64,
        /// Larger sizes are drawn again. Null: a twentieth of the live bytes at the fill level.
        #[serde(default)]
        largest_bytes: Option<u64>,
    },
    /// A histogram: a bin is drawn by weight, then a size within it, evenly on the scale of logarithms.
    #[schemars(title = "BinnedSizes")]
    Bins {
        /// At least one.
        bins: Vec<AgeSizeBin>,
    },
}

impl Default for AgeSizes {
    fn default() -> Self {
        AgeSizes::LognormalPareto {
            median_bytes: 13_095,
            sigma: 2.46,
            tail_percent: 0.006,
            tail_from_bytes: 512 << 20,
            tail_alpha: 0.91,
            largest_bytes: None,
        }
    }
}

/// Sizes from `at_least_bytes` to below `below_bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgeSizeBin {
    /// At least 1.
    pub at_least_bytes: u64,
    /// Above `at_least_bytes`.
    pub below_bytes: u64,
    /// Its share is weight / sum of weights.
    pub weight: f64,
}

/// How long files live.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AgeLifetimes {
    /// The default has 35 % end within 10 minutes, as bytes do in the traces RES and Harp that Wang and Hu used
    /// (FAST 2002); that half end within an hour is a choice. What counts is their order, not their length.
    Lognormal {
        /// Half of the files live shorter.
        median_ns: u64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// Every file is as likely to be the next one deleted, whatever its age.
    Exponential {
        /// Mean lifetime.
        mean_ns: u64,
    },
    /// A histogram: a bin is drawn by weight, then a lifetime within it, evenly on the scale of logarithms.
    #[schemars(title = "BinnedLifetimes")]
    Bins {
        /// At least one.
        bins: Vec<AgeLifetimeBin>,
    },
}

impl Default for AgeLifetimes {
    fn default() -> Self {
        AgeLifetimes::Lognormal { median_ns: 3600 * 1_000_000_000, sigma: 4.65 }
    }
}

/// Lifetimes from `at_least_ns` to below `below_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgeLifetimeBin {
    /// At least 1.
    pub at_least_ns: u64,
    /// Above `at_least_ns`.
    pub below_ns: u64,
    /// Its share is weight / sum of weights.
    pub weight: f64,
}

/// The kinds of operations of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgeOperation {
    /// A new file, with its bytes where it has any.
    Create,
    /// Bytes at a file's end.
    Append,
    /// Bytes that a file has already.
    Overwrite,
    /// A file is cut.
    Truncate,
    /// A file is removed.
    Delete,
    /// A file is synced.
    Fsync,
}

/// What became of all operations of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgeOperationResult {
    /// Which.
    pub operation: AgeOperation,
    /// Carried out.
    pub done: u64,
    /// Refused by the kernel.
    pub failed: u64,
    /// Not tried, since their file could not be made before.
    pub skipped: u64,
    /// Bytes of those that were carried out; what they had done when they failed counts too.
    pub size_bytes: u64,
}

/// Errors of one operation with one error number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgeError {
    /// Which; null: syncfs.
    pub operation: Option<AgeOperation>,
    /// The kernel's number; 28 is "no space left on device".
    pub errno: i32,
    /// What the number means.
    pub text: String,
    /// How often.
    pub count: u64,
    /// Which operation of the log was the first, from 1.
    pub first_operation: u64,
}

/// Why ageing ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgeEnded {
    /// The log was replayed to its end.
    Complete,
    /// The job's time limit.
    TimeLimit,
    /// One allocation after the other found no space, and the log's deletes gave none.
    OutOfSpace,
    /// One operation after the other was refused for another reason than space; see the errors.
    GaveUp,
    /// SIGINT, SIGTERM, or a reader that went away.
    Interrupted,
}

/// How far ageing is.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgeProgress {
    /// Operations replayed.
    pub operations: u64,
    /// How much of the log that is, 0 to 1, as far as it can be told: by operations, bytes or virtual time.
    pub share: Option<f64>,
    /// Operations that failed.
    pub failed: u64,
    /// Bytes that creates, appends and overwrites have written.
    pub written_bytes: u64,
    /// Files that are there now.
    pub live_files: u64,
    /// Their sizes together.
    pub live_bytes: u64,
    /// Since the start.
    pub elapsed_ns: u64,
}

/// What ageing did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgeResult {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The engine that aged.
    pub engine: Engine,
    /// Why it ended.
    pub ended: AgeEnded,
    /// How operations were carried out.
    pub mode: AgeMode,
    /// The profile as it was replayed, with what was left open filled in.
    pub profile: AgeProfile,
    /// When the log was to end.
    pub end: AgeEnd,
    /// The log's seed.
    pub seed: u64,
    /// Space that the log reckoned with.
    pub space_bytes: u64,
    /// Share of it that it filled.
    pub fill_percent: f64,
    /// Bytes between two calls of syncfs; 0: none.
    pub sync_every_bytes: u64,
    /// A checksum of the operations that were replayed: two results with the same had the same operations.
    pub log_checksum: String,
    /// Operations by kind, kinds that the log does not have left out.
    pub operations: Vec<AgeOperationResult>,
    /// What failed, most frequent first; at most 32.
    pub errors: Vec<AgeError>,
    /// Bytes that creates, appends and overwrites have written.
    pub written_bytes: u64,
    /// Files that are there now.
    pub live_files: u64,
    /// Their sizes together.
    pub live_bytes: u64,
    /// written_bytes / live_bytes; null when nothing is live.
    pub storage_age: Option<f64>,
    /// Virtual time of the last operation.
    pub virtual_time_ns: u64,
    /// Directories that were made.
    pub directories: u64,
    /// Times that a file was opened again, since too many were open and it had been closed.
    pub reopened: u64,
    /// Calls of syncfs.
    pub syncs: u64,
    /// Time in them.
    pub sync_ns: u64,
    /// Processor time of the engine, in user mode.
    pub user_ns: u64,
    /// The same in the kernel.
    pub system_ns: u64,
    /// What the reader should know.
    pub notes: Vec<Note>,
    /// Wall-clock time of the start.
    pub started_unix_ns: u64,
    /// From the first operation to the last, last syncfs included.
    pub elapsed_ns: u64,
}
