//! Progress and result of an ageing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AgeEnd, AgeMode, AgeProfile, CommonStart, Engine, Note};

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

impl AgeOperation {
    /// Each of them, in the order in which results list them.
    pub const ALL: [Self; 6] =
        [Self::Create, Self::Append, Self::Overwrite, Self::Truncate, Self::Delete, Self::Fsync];
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
    /// When it was meant to begin and when it did; null when the job gave no moment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub common_start: Option<CommonStart>,
}
