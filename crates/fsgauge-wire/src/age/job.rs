//! The job of kind "age".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AgeProfile, Held, Lease, WantedStart};

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
    /// When ageing begins, by CLOCK_MONOTONIC of this machine; at most an hour ahead. A moment that has passed is
    /// refused, and nothing is written: code "start.missed". Null: as soon as everything is prepared.
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

impl AgeJob {
    /// What it says about its start.
    pub fn wanted_start(&self) -> WantedStart {
        WantedStart {
            at_ns: self.start_at_ns,
            on_order: self.start_on_order,
            has_lease: self.lease.is_some(),
        }
    }
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
