//! kind "age": wear a file system by replaying an operation log on it.

mod job;
mod profile;
mod result;

pub use job::{AgeEnd, AgeJob, AgeMode};
pub use profile::{AgeLifetimeBin, AgeLifetimes, AgeProfile, AgeSizeBin, AgeSizes};
pub use result::{AgeEnded, AgeError, AgeOperation, AgeOperationResult, AgeProgress, AgeResult};
