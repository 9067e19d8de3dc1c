//! Many clients on one file set, every operation timed: the job of kind "clients" and what it adds to a load's result.

mod file_set;
mod job;
mod result;
mod target;

pub use file_set::{FileSet, FileSizes, Tree, WeightedSize};
pub use job::{
    Activity, BackupOrder, ClientsInterface, ClientsJob, Create, Dispatch, FileOrder, Phase, Think,
    WeightedActivity,
};
pub use result::{
    BackupResult, BadRecord, ClientError, ClientErrorKind, ClientOperation, ClientOperationResult,
    ClientsResult, NetworkResult, OperationCall,
};
pub use target::ClientsTarget;
