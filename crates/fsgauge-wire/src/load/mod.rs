//! Reads and writes on a target for a time: the job of kind "load", and the words for how it is done.

mod job;
mod way;

pub use job::LoadJob;
pub use way::{
    Access, Arrival, BlockSize, Companion, CompanionKind, Data, Descriptors, Finish, Interface, JobsOfAll,
    Ranges, Rate, Rest, Sync, Transfer, Workers,
};
