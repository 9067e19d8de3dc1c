//! The job of kind "simulate".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{SimulatedDevice, SimulatedPolicy};
use crate::{AgeJob, ClientsJob, Lease, LoadJob, ScanJob};

/// kind "simulate": the life of one file system that exists in memory alone. It begins empty; the steps happen to it one
/// after the other, as the jobs that they are would happen to a real one. Folders of the steps need not exist.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulateJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// How blocks are chosen.
    pub policy: SimulatedPolicy,
    /// What times are reckoned with.
    pub device: SimulatedDevice,
    /// Size of the device; of several, of each.
    pub size_bytes: u64,
    /// Devices of that size, each with a file system of its own. Files are striped over them.
    #[serde(default = "one")]
    pub devices: u32,
    /// What of a file lies on one device before the next one's turn.
    #[serde(default = "stripe")]
    pub stripe_bytes: u64,
    /// Size of a block.
    #[serde(default = "block")]
    pub block_size_bytes: u32,
    /// Blocks of an allocation group; at most 32768.
    #[serde(default = "group")]
    pub group_blocks: u32,
    /// Whether logs allocate space without data (mode "fast").
    #[serde(default)]
    pub without_data: bool,
    /// What clients write through the page cache is written back each time that so much waits there: the kernel begins at a
    /// tenth of the memory.
    #[serde(default = "dirty")]
    pub dirty_bytes: u64,
    /// What happens. Once the device is full, a step that needs space ends with a fault, and it is the last.
    pub steps: Vec<SimulateStep>,
    /// Whether the job is only looked at: what can be refused is refused, and nothing happens.
    #[serde(default)]
    pub check_only: bool,
    /// What keeps the engine alive; null: its parent alone.
    #[serde(default)]
    pub lease: Option<Lease>,
}

/// One thing that happens to the file system.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[allow(clippy::large_enum_variant, reason = "there are few of them")]
pub enum SimulateStep {
    /// A log is replayed.
    #[schemars(title = "AgeJob")]
    Age(AgeJob),
    /// Streams write files of their own, or read them. Other loads have no model.
    #[schemars(title = "LoadJob")]
    Load(LoadJob),
    /// Clients write files, or read them, or one reader reads all. Other phases have no model.
    #[schemars(title = "ClientsJob")]
    Clients(ClientsJob),
    /// Extents and free space.
    #[schemars(title = "ScanJob")]
    Scan(ScanJob),
    /// Files of a folder are removed.
    Clear(ClearStep),
    /// One file is removed.
    Delete(DeleteStep),
    /// A file takes what is free.
    Ballast(BallastStep),
}

/// Files of a folder are removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClearStep {
    /// The folder.
    pub directory: String,
}

/// One file is removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteStep {
    /// The file.
    pub path: String,
}

/// A file takes what is free.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BallastStep {
    /// The file.
    pub path: String,
    /// What it leaves.
    pub leave_bytes: u64,
}

fn one() -> u32 {
    1
}

fn stripe() -> u64 {
    1 << 20
}

fn block() -> u32 {
    4096
}

fn dirty() -> u64 {
    1 << 30
}

fn group() -> u32 {
    32768
}
