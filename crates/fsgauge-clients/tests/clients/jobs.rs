//! Jobs of clients, and what must hold for every result.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use fsgauge_clients::run_clients;
use fsgauge_wire::{
    ClientOperation, ClientOperationResult, ClientsInterface, ClientsJob, ClientsResult, ClientsTarget,
    Create, Data, Dispatch, Ended, Failure, FileSet, FileSizes, LoadResult, Phase, Stop, Tree,
};

use crate::results::{Heard, assert_consistent, engine};

pub(crate) const RECORD_BYTES: u32 = 4096;
/// Other work shares this machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);
pub(crate) const WRITE: Phase = Phase::Write { create: Create::AndWrite };
pub(crate) const READ: Phase = Phase::Read {};

/// Ten clients of six files of three sizes.
pub(crate) fn job(directory: &Path, phase: Phase) -> ClientsJob {
    ClientsJob {
        target: ClientsTarget::Path { directory: directory.display().to_string() },
        phase,
        clients: 10,
        threads: Some(2),
        interface: ClientsInterface::Auto,
        files: FileSet {
            clients: 10,
            files_per_client: 6,
            sizes: FileSizes::Cycle { sizes_bytes: vec![16384, 5000, 100_000] },
            record_size_bytes: RECORD_BYTES,
            tree: Tree::Own {},
        },
        interval_ns: 10_000_000,
        data: Data::Incompressible,
        seed: 42,
        verify: true,
        ..ClientsJob::plain()
    }
}

pub(crate) fn on_nothing(phase: Phase) -> ClientsJob {
    ClientsJob { target: ClientsTarget::Null {}, ..job(Path::new(""), phase) }
}

pub(crate) fn run(job: &ClientsJob) -> Result<LoadResult, Failure> {
    run_clients(job, engine(), &mut Heard::default(), Stop::new())
}

pub(crate) fn clients(result: &LoadResult) -> &ClientsResult {
    result.clients.as_deref().unwrap()
}

pub(crate) fn find(result: &LoadResult, operation: ClientOperation) -> Option<&ClientOperationResult> {
    clients(result).operations.iter().find(|found| found.operation == operation)
}

pub(crate) fn count(result: &LoadResult, operation: ClientOperation) -> u64 {
    find(result, operation).map_or(0, |found| found.operations)
}

/// A run without errors in which every client came through.
pub(crate) fn assert_whole(result: &LoadResult) {
    assert_sound(result);
    let clients = clients(result);
    assert_eq!((result.ended, clients.files_given_up, clients.clients_gave_up), (Ended::SizeLimit, 0, 0));
    assert_eq!((clients.errors.as_slice(), clients.bad_records), (&[][..], 0));
    let (first, last) = (clients.first_done_ns.unwrap(), clients.last_done_ns.unwrap());
    assert!(first <= last && last <= result.elapsed_ns, "{first} {last} {}", result.elapsed_ns);
    let ends: Vec<u64> = result.jobs.iter().map(|job| job.elapsed_ns.unwrap()).collect();
    assert_eq!((ends.iter().min(), ends.iter().max()), (Some(&first), Some(&last)));
}

/// Every sum that must agree whatever happened.
pub(crate) fn assert_sound(result: &LoadResult) {
    assert_consistent(result);
    let clients = clients(result);
    for operation in &clients.operations {
        let (response, service) = (&operation.response_latency, &operation.service_latency);
        assert_eq!(response.operations, operation.operations, "{:?}", operation.operation);
        assert_eq!(service.operations, operation.operations, "{:?}", operation.operation);
        assert!(service.sum_ns <= response.sum_ns, "{:?}", operation.operation);
        assert!(clients.calls.iter().any(|call| call.operation == operation.operation));
    }
    let errors: u64 = clients.errors.iter().map(|error| error.count).sum();
    assert_eq!(errors, clients.operations.iter().map(|operation| operation.errors).sum::<u64>());
    assert!(clients.active_ns >= clients.think_ns);
    let bytes: u64 = result.jobs.iter().map(|job| job.size_bytes).sum();
    let sides = result.read.iter().chain(&result.write);
    assert_eq!(bytes, sides.map(|side| side.size_bytes).sum::<u64>());
    assert!(clients.peak_memory_bytes > 0 && result.self_measure.null_ns_per_operation > 0.0);
}

/// N = X * (R + Z): the time of the clients is the time of their operations and rests, within two percent.
pub(crate) fn assert_littles_law(result: &LoadResult) {
    let clients = clients(result);
    let measured = |operation: &&ClientOperationResult| operation.operation != ClientOperation::Connect;
    let operations = clients.operations.iter().filter(measured);
    let responses: u64 = operations.map(|operation| operation.response_latency.sum_ns).sum();
    let share = (responses + clients.think_ns) as f64 / clients.active_ns as f64;
    assert!((0.98..=1.0001).contains(&share), "{share}: {responses} of {}", clients.active_ns);
    let in_flight = result.in_flight_mean * result.elapsed_ns as f64;
    assert!((responses as f64 / in_flight - 1.0).abs() < 0.02, "{responses} against {in_flight}");
}

/// Directories of the machine's usual file system and of tmpfs.
pub(crate) fn directories() -> [tempfile::TempDir; 2] {
    [tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm").unwrap()]
}

pub(crate) fn written(job: &ClientsJob) -> tempfile::TempDir {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let target = ClientsTarget::Path { directory: directory.path().display().to_string() };
    assert_whole(&run(&ClientsJob { target, phase: WRITE, ..job.clone() }).unwrap());
    directory
}

/// All files below a directory with their sizes, by their path in it.
pub(crate) fn tree(directory: &Path) -> BTreeMap<PathBuf, u64> {
    let mut files = BTreeMap::new();
    let mut left = vec![directory.to_path_buf()];
    while let Some(next) = left.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let entry = entry.unwrap();
            match entry.metadata().unwrap() {
                data if data.is_dir() => left.push(entry.path()),
                data => {
                    let path = entry.path().strip_prefix(directory).unwrap().to_path_buf();
                    files.insert(path, data.len());
                }
            }
        }
    }
    files
}

pub(crate) fn variants(directory: &Path, phase: Phase) -> Vec<(&'static str, ClientsJob)> {
    let job = job(directory, phase);
    let loops = |interface| ClientsJob { interface, ..job.clone() };
    vec![
        ("auto", loops(ClientsInterface::Auto)),
        ("plain", loops(ClientsInterface::Plain)),
        ("io_uring", loops(ClientsInterface::IoUring)),
        ("three at a time", ClientsJob { outstanding: 3, ..job.clone() }),
        ("threads", ClientsJob { dispatch: Dispatch::Threads, threads: None, ..job }),
    ]
}
