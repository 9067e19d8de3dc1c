//! The job of kind "predict" and its result: what a device would make of files that lie somewhere.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{DeviceFacts, SimulatedDevice, SimulatedPass};
use crate::{Engine, Lease};

/// kind "predict": the time that a device of a model takes to move files whose extents are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PredictJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// What times are reckoned with.
    pub device: SimulatedDevice,
    /// What is moved, each by itself. Without one, the job asks for the device's numbers alone.
    pub passes: Vec<PassedFiles>,
    /// What keeps the engine alive; null: its parent alone.
    #[serde(default)]
    pub lease: Option<Lease>,
}

/// Files that are moved at the same time, a stream each.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PassedFiles {
    /// The files.
    pub files: Vec<PassedFile>,
}

/// Where a file lies, in the order of its bytes. Both lists are equally long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PassedFile {
    /// Places of its extents.
    pub physical_bytes: Vec<u64>,
    /// Lengths of its extents.
    pub length_bytes: Vec<u64>,
}

/// What a device would make of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PredictResult {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The engine that reckoned.
    pub engine: Engine,
    /// The version of the models: another one may give other numbers for the same job.
    pub model_version: u32,
    /// The device with its numbers.
    pub device: DeviceFacts,
    /// One entry a pass, in their order.
    pub passes: Vec<SimulatedPass>,
}
