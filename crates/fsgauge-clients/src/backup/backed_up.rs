//! What a backup did, before it becomes a result.

use fsgauge_wire::{Cpu, Ended, NetworkResult, OperationCall};

use super::order::Extents;
use super::stopwatch::Timed;

/// What a backup did.
#[derive(Debug)]
pub(super) struct BackedUp {
    /// Files that were found.
    pub(super) files: u64,
    pub(super) directories: u64,
    /// Directories that are mounted from elsewhere.
    pub(super) left_out: u64,
    /// Found, sorted, and asked for their places.
    pub(super) listing_ns: u64,
    pub(super) extents: Option<Extents>,
    pub(super) ended: Ended,
    pub(super) timed: Timed,
    pub(super) changed_access_times: bool,
    /// Files that were to be compared and have names that say nothing.
    pub(super) unchecked_files: u64,
    /// Names on a server that no client gives, which were left out.
    pub(super) strangers: u64,
    pub(super) cpu: Cpu,
    /// Ready to run and without a processor; none where the kernel does not say.
    pub(super) starved_ns: Option<u64>,
    /// Of a backup over the network.
    pub(super) over_network: Option<OverNetwork>,
}

/// What a backup over the network has beside what every backup has.
#[derive(Debug)]
pub(super) struct OverNetwork {
    pub(super) network: NetworkResult,
    pub(super) calls: Vec<OperationCall>,
}
