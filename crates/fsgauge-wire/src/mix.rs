//! A mix: several loads at once on one machine, and the operations on files that a load of a mix may have.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Held, Histogram, Lease, LoadJob, LoadResult, WantedStart};

/// kind "mix": several loads that begin together, each measured by itself.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MixJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// As of kind "load", at least one. Each begins `start_after_ns` after the mix does; none has a lease, held places or a start of its
    /// own, or worker processes.
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    pub loads: Vec<LoadJob>,
    /// Whether the files of all loads are written whole and made durable, and nothing else is done: the result is
    /// empty.
    #[serde(default)]
    pub lay_out: bool,
    /// Places that are reached by descriptors which the engine was started with, not by their paths.
    #[serde(default)]
    pub held: Vec<Held>,
    /// What keeps the engine alive; null: its parent alone.
    #[serde(default)]
    pub lease: Option<Lease>,
    /// The first moment of the mix by CLOCK_MONOTONIC, where it begins together with engines on other machines; null: at
    /// once.
    #[serde(default)]
    pub start_at_ns: Option<u64>,
    /// Whether the mix waits for the order that gives its first moment: it says `armed` first. Needs a lease.
    #[serde(default)]
    pub start_on_order: bool,
}

impl MixJob {
    /// What it says about its start.
    pub fn wanted_start(&self) -> WantedStart {
        WantedStart {
            at_ns: self.start_at_ns,
            on_order: self.start_on_order,
            has_lease: self.lease.is_some(),
        }
    }
}

/// What the loads of a mix measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MixResult {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The result of each load, in the job's order.
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    pub results: Vec<LoadResult>,
}

/// A part of a target, and how often it is drawn, relative to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Its share of the target.
    pub size_percent: u8,
    /// Its share of the operations is weight / sum of weights.
    pub weight: u32,
}

/// What a load does with a file of its set. Those that name a file open and close it themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileOperation {
    /// Reads a block at an offset, on a file that stays open.
    Read,
    /// Writes a block at an offset, on a file that stays open.
    Write,
    /// fsync of a file that stays open.
    Fsync,
    /// fdatasync of a file that stays open.
    Fdatasync,
    /// Punches a hole of a block (fallocate), on a file that stays open.
    Trim,
    /// Copies a block out of a mapping of the file.
    MmapRead,
    /// Opens a file, writes a block behind its end and closes it. A file that has doubled, and grown by 16 blocks,
    /// is cut back first.
    Append,
    /// Makes a file in the place of one that was removed, writes it whole and closes it.
    Create,
    /// Opens a file and closes it. In a result: each call of open, whatever operation made it.
    Open,
    /// Opens a file, reads it whole and closes it.
    ReadFile,
    /// Opens a file, writes over all of it and closes it.
    WriteFile,
    /// Asks for the attributes of a file.
    Stat,
    /// Lists the directory of a file.
    List,
    /// Gives a file its other name.
    Rename,
    /// Removes a file.
    Unlink,
    /// Cuts a file to half its size, and makes it as long as before.
    Truncate,
    /// Gives a file a block behind its end with fallocate(2); its size stays.
    Fallocate,
    /// In a result alone: each call of close, whatever operation made it.
    Close,
}

impl FileOperation {
    /// All of them, each at the place of its number.
    pub const ALL: [FileOperation; 18] = {
        use FileOperation::*;
        [
            Read, Write, Fsync, Fdatasync, Trim, MmapRead, Append, Create, Open, ReadFile, WriteFile, Stat,
            List, Rename, Unlink, Truncate, Fallocate, Close,
        ]
    };

    /// Whether it leaves what is stored as it is.
    pub fn only_reads(self) -> bool {
        use FileOperation::*;
        matches!(self, Read | MmapRead | Open | ReadFile | Stat | List | Close)
    }
}

/// One operation and how often it is drawn, relative to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightedOperation {
    /// What is done.
    pub operation: FileOperation,
    /// Its share is weight / sum of weights.
    pub weight: u32,
}

/// All operations of one kind in the measured part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FileOperationResult {
    /// Which.
    pub operation: FileOperation,
    /// How many ended.
    pub operations: u64,
    /// How many a full file system or quota refused, where the job continues then. They are in no other count.
    #[serde(default)]
    pub refused: u64,
    /// Bytes of file contents that they moved.
    pub size_bytes: u64,
    /// How long they took, with everything that belongs to them; under a rate from the intended start.
    pub latency: Histogram,
}
