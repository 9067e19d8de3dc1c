//! What a backup did, before it becomes a result.

use fsgauge_wire::{CommonStart, Cpu, Ended, NetworkResult, OperationCall};

use super::order::Extents;
use super::stopwatch::Timed;

/// What a backup did.
#[derive(Debug)]
pub(super) struct BackupOutcome {
    /// Files that were found.
    pub(super) files: u64,
    pub(super) directories: u64,
    /// Directories that are mounted from elsewhere.
    pub(super) left_out: u64,
    /// Time of finding and sorting the files and asking for their extents.
    pub(super) listing_ns: u64,
    pub(super) extents: Option<Extents>,
    pub(super) ended: Ended,
    pub(super) timed: Timed,
    pub(super) changed_access_times: bool,
    /// Files to verify whose names do not give their contents.
    pub(super) unchecked_files: u64,
    /// Names on a server that no client gives; these files were left out.
    pub(super) strangers: u64,
    pub(super) cpu: Cpu,
    /// Ready to run and without a processor; none where the kernel does not say.
    pub(super) starved_ns: Option<u64>,
    /// Of a backup over the network.
    pub(super) over_network: Option<OverNetwork>,
    /// What became of a start in common with other engines.
    pub(super) common_start: Option<CommonStart>,
}

/// What a backup over the network measures in addition.
#[derive(Debug)]
pub(super) struct OverNetwork {
    pub(super) network: NetworkResult,
    pub(super) calls: Vec<OperationCall>,
}
