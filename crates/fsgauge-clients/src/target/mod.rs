//! Targets on this machine: what carries the clients' operations out below a directory, or on nothing.
//!
//! A lane is one operation at a time: client times outstanding. Every target gives the same answers; a client
//! cannot tell which serves it, or whether it is one on a server.

mod cached_reads;
mod descriptors;
mod entered;
mod guarded_calls;
mod handle;
mod interrupted;
mod lane_memory;
mod lanes;
mod modes;
mod names_of_call;
mod null;
mod paths;
mod plain;
mod plain_calls;
mod request_ring;
mod ring;
mod sleep;
#[cfg(test)]
mod tests;
mod working_directory;

pub(crate) use descriptors::descriptor_limit;
pub(crate) use null::NullTarget;
pub(crate) use plain::PlainTarget;
pub(crate) use ring::RingTarget;
