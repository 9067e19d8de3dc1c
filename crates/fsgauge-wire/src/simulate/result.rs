//! What a simulation gives, step by step.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::DeviceFacts;
use crate::{AgeResult, Ended, Engine, Failure, LoadResult, ScanResult};

/// What the device model says of one pass over files.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimulatedPass {
    /// Bytes that were moved.
    pub size_bytes: u64,
    /// Requests of streams.
    pub requests: u64,
    /// Pieces that the device met, after those that touch were joined.
    pub pieces: u64,
    /// The shortest time that the model thinks possible.
    pub fastest_ns: u64,
    /// The longest. Of a disk both are one.
    pub slowest_ns: u64,
}

/// What became of one step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimulatedStep {
    /// Why it could not be done to its end; null where it could.
    pub fault: Option<Failure>,
    /// Bytes that it took, gave back, or moved.
    pub size_bytes: u64,
    /// Bytes that are free after it.
    pub free_bytes: u64,
    /// How long the engine took.
    pub elapsed_ns: u64,
    /// Of a pass over files: its time on the device.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<SimulatedPass>,
    /// What its job would have given on a real file system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<StepResult>,
}

/// What the job of a step gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum StepResult {
    /// Of ageing: without times of the file system.
    Age(Box<AgeResult>),
    /// Of a load or of clients: times are those of the device model, of a range the longest. Latencies are not simulated, and
    /// their histograms are empty.
    Load(Box<LoadResult>),
    /// Of a scan.
    Scan(Box<ScanResult>),
}

/// What a simulation found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SimulateResult {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The engine that simulated.
    pub engine: Engine,
    /// "size_limit" when all steps were tried, "interrupted" when stopped before.
    pub ended: Ended,
    /// The version of the models: another one may give other numbers for the same job.
    pub model_version: u32,
    /// The policy's name.
    pub policy: String,
    /// How well the policy's model is proven, in a sentence.
    pub proof: String,
    /// The device as it was simulated.
    pub device: DeviceFacts,
    /// Bytes that were free before the first step.
    pub free_bytes: u64,
    /// Every step that was tried, in order.
    pub steps: Vec<SimulatedStep>,
}
