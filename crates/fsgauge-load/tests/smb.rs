//! Clients of a share, against a real server.

#[path = "support/smbd.rs"]
mod smbd;
mod support;

use fsgauge_load::{Stop, run_clients};
use fsgauge_wire::{
    ClientOperation, ClientsInterface, ClientsJob, ClientsResult, ClientsTarget, Create, Data, Dispatch,
    Ended, FORMAT, Failure, FileSet, FileSizes, LoadResult, NetworkResult, Phase, SmbDialect, SmbTarget,
    Tree,
};
use smbd::Smbd;
use support::{Heard, assert_consistent, engine};

const WRITE: Phase = Phase::Write { create: Create::AndWrite };
const READ: Phase = Phase::Read {};

/// Four clients of four files of three sizes.
fn job(target: SmbTarget, phase: Phase) -> ClientsJob {
    ClientsJob {
        format: FORMAT,
        target: ClientsTarget::Smb(target),
        phase,
        clients: 4,
        outstanding: 1,
        dispatch: Dispatch::EventLoop,
        threads: Some(2),
        interface: ClientsInterface::Auto,
        ramp_ns: 0,
        think: None,
        files: FileSet {
            clients: 4,
            files_per_client: 4,
            sizes: FileSizes::Cycle { sizes_bytes: vec![16384, 5000, 0, 100_000] },
            record_size_bytes: 4096,
            tree: Tree::Own {},
        },
        fsync: false,
        time_limit_ns: 60_000_000_000,
        interval_ns: 10_000_000,
        data: Data::Incompressible,
        seed: 42,
        verify: true,
    }
}

fn run(job: &ClientsJob) -> Result<LoadResult, Failure> {
    run_clients(job, engine(), &mut Heard::default(), Stop::new())
}

fn clients(result: &LoadResult) -> &ClientsResult {
    result.clients.as_deref().unwrap()
}

fn network(result: &LoadResult) -> &NetworkResult {
    clients(result).network.as_ref().unwrap()
}

fn count(result: &LoadResult, operation: ClientOperation) -> u64 {
    let found = clients(result).operations.iter().find(|found| found.operation == operation);
    found.map_or(0, |found| found.operations)
}

/// A run without errors in which every client came through.
fn assert_whole(result: &LoadResult) {
    assert_consistent(result);
    let clients = clients(result);
    assert_eq!((clients.errors.as_slice(), clients.bad_records), (&[][..], 0));
    assert_eq!((result.ended, clients.files_given_up, clients.clients_gave_up), (Ended::SizeLimit, 0, 0));
    for operation in &clients.operations {
        assert!(clients.calls.iter().any(|call| call.operation == operation.operation));
    }
}

/// Files are written, read back by other sessions and compared, looked at and cleared away.
fn goes_all_the_way(smbd: &Smbd, target: &SmbTarget, change: impl Fn(&mut ClientsJob)) -> String {
    let go = |phase| {
        let mut job = job(target.clone(), phase);
        change(&mut job);
        let result = run(&job).unwrap_or_else(|failure| panic!("{failure}: {}", smbd.log()));
        assert_whole(&result);
        let network = network(&result);
        assert_eq!((network.connections, network.reconnections), (4, 0));
        assert_eq!(count(&result, ClientOperation::Connect), 4);
        assert!(network.null_operation_ns > 0);
        (result.clone(), network.clone())
    };
    let (written, network) = go(WRITE);
    let bytes = written.write.as_ref().unwrap().size_bytes;
    assert_eq!(bytes, 4 * (16384 + 5000 + 100_000));
    assert!(network.sent_bytes > bytes && network.received_bytes > 0);
    let (read, _) = go(READ);
    assert_eq!(read.read.as_ref().unwrap().size_bytes, bytes);
    assert_eq!(clients(&read).checked_records, 4 * (4 + 2 + 25));
    let (seen, _) = go(Phase::Stat {});
    assert_eq!(count(&seen, ClientOperation::Stat), 16);
    assert!(smbd.files().join("below/deeper").exists());
    go(Phase::Clear {});
    assert!(!smbd.files().join("below/deeper").exists() && smbd.files().join("below").exists());
    network.protocol
}

#[test]
fn files_go_there_and_back_in_every_dialect() {
    let Some(smbd) = Smbd::start("", "") else { return };
    for dialect in
        [SmbDialect::Smb202, SmbDialect::Smb210, SmbDialect::Smb300, SmbDialect::Smb302, SmbDialect::Smb311]
    {
        for (signing, encryption) in [(false, false), (true, false), (false, true)] {
            if encryption && dialect < SmbDialect::Smb300 {
                continue;
            }
            let target = SmbTarget { signing, encryption, ..smbd.target(dialect) };
            let protocol = goes_all_the_way(&smbd, &target, |_| {});
            let expected = match (signing, encryption) {
                (true, _) => ", signed (",
                (_, true) => ", encrypted",
                _ => ", unsigned",
            };
            assert!(protocol.starts_with("SMB ") && protocol.contains(expected), "{protocol}");
        }
    }
}
