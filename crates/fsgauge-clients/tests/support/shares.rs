//! Jobs of clients on a share, and what is looked up in their results.

#![allow(dead_code, reason = "each test file uses its part")]

use fsgauge_clients::run_clients;
use fsgauge_wire::{
    ClientErrorKind, ClientOperation, ClientsInterface, ClientsJob, ClientsResult, ClientsTarget, Create,
    Data, Ended, Failure, FileSet, FileSizes, LoadResult, NetworkResult, Phase, SmbTarget, Stop, Tree,
};

use super::results::{Heard, assert_consistent, engine};

pub const WRITE: Phase = Phase::Write { create: Create::AndWrite };
pub const READ: Phase = Phase::Read {};

/// Four clients of four files of three sizes.
pub fn job(target: SmbTarget, phase: Phase) -> ClientsJob {
    ClientsJob {
        target: ClientsTarget::Smb(target),
        phase,
        clients: 4,
        threads: Some(2),
        interface: ClientsInterface::Auto,
        files: FileSet {
            clients: 4,
            files_per_client: 4,
            sizes: FileSizes::Cycle { sizes_bytes: vec![16384, 5000, 0, 100_000] },
            record_size_bytes: 4096,
            tree: Tree::Own {},
        },
        interval_ns: 10_000_000,
        data: Data::Incompressible,
        seed: 42,
        verify: true,
        ..ClientsJob::plain()
    }
}

pub fn run(job: &ClientsJob) -> Result<LoadResult, Failure> {
    run_clients(job, engine(), &mut Heard::default(), Stop::new())
}

pub fn clients(result: &LoadResult) -> &ClientsResult {
    result.clients.as_deref().unwrap()
}

pub fn network(result: &LoadResult) -> &NetworkResult {
    clients(result).network.as_ref().unwrap()
}

pub fn count(result: &LoadResult, operation: ClientOperation) -> u64 {
    let found = clients(result).operations.iter().find(|found| found.operation == operation);
    found.map_or(0, |found| found.operations)
}

/// A run without errors in which every client came through.
pub fn assert_whole(result: &LoadResult) {
    assert_consistent(result);
    let clients = clients(result);
    assert_eq!((clients.errors.as_slice(), clients.bad_records), (&[][..], 0));
    assert_eq!((result.ended, clients.files_given_up, clients.clients_gave_up), (Ended::SizeLimit, 0, 0));
    for operation in &clients.operations {
        assert!(clients.calls.iter().any(|call| call.operation == operation.operation));
    }
}

/// Errors by operation and kind.
pub fn errors_of(result: &LoadResult) -> Vec<(ClientOperation, ClientErrorKind, u64)> {
    clients(result).errors.iter().map(|error| (error.operation, error.kind, error.count)).collect()
}
