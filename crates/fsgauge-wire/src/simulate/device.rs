//! The simulated device: a model by name, and the numbers of it that were used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A device model that the engine has, and what is changed of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SimulatedDevice {
    /// Its name: python/fsgauge/devices has a file for each.
    pub model: String,
    /// Other values of its parameters.
    #[serde(default)]
    pub changes: Vec<DeviceChange>,
}

/// Another value of a parameter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceChange {
    /// Its name.
    pub name: String,
    /// The value, in the parameter's unit.
    pub value: f64,
}

/// What a model says of the time that a device takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// A disk with heads, or several with parity: one time.
    ZonedDisk,
    /// Flash: a range, for what places on the device mean to it is not told.
    Flash,
}

/// Where a number is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParameterOrigin {
    /// Its source prints it.
    Printed,
    /// Assumed: nobody prints it.
    Assumed,
    /// Fitted to a published result. A result that it was fitted to proves nothing.
    Fitted,
}

/// One number of a device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeviceParameter {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// "bytes/s", "ns", "%", "" for a number.
    pub unit: String,
    /// What it is.
    pub what: String,
    /// Where it is from.
    pub source: String,
    /// How sure it is.
    pub origin: ParameterOrigin,
    /// Whether the job changed it.
    #[serde(default)]
    pub is_changed: bool,
}

/// The device as it was simulated.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeviceFacts {
    /// The model's name.
    pub model: String,
    /// What kind of model.
    pub kind: DeviceKind,
    /// What it is a model of, in a sentence.
    pub what: String,
    /// Every number.
    pub parameters: Vec<DeviceParameter>,
}
