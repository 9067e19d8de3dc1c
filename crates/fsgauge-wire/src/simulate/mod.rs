//! kind "simulate": the life of a file system in a model of its allocator and of its device.

mod device;
mod job;
mod policy;
mod predict;
mod result;

pub use device::{DeviceChange, DeviceFacts, DeviceKind, DeviceParameter, ParameterOrigin, SimulatedDevice};
pub use job::{BallastStep, ClearStep, DeleteStep, SimulateJob, SimulateStep};
pub use policy::{Ext4Release, Mke2fs, SimulatedPolicy};
pub use predict::{PassedFile, PassedFiles, PredictJob, PredictResult};
pub use result::{SimulateResult, SimulatedPass, SimulatedStep, StepResult};
