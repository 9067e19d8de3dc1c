//! The backup: what it finds, in which order, what it says of errors, and when it ends.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;

use fsgauge_clients::run_clients;
use fsgauge_wire::{
    BackupOrder, ClientErrorKind, ClientOperation, ClientOperationResult, ClientsJob, ClientsResult,
    Dispatch, Ended, Event, Failure, FileSet, FileSizes, LoadResult, Phase, Stop, Tree, parse_job,
};

use crate::results::{Heard, assert_consistent, engine};

/// A backup in blocks of 4096 bytes.
fn job(directory: &Path) -> ClientsJob {
    let directory = serde_json::to_string(&directory.display().to_string()).unwrap();
    let text = format!(
        r#"{{"format": 1, "kind": "clients", "target": {{"kind": "path", "directory": {directory}}},
            "phase": {{"kind": "backup", "order": "directory", "block_size_bytes": 4096}},
            "clients": 1, "time_limit_ns": 60000000000, "seed": 7,
            "files": {{"clients": 1, "files_per_client": 1, "record_size_bytes": 4096,
                       "sizes": {{"kind": "cycle", "sizes_bytes": [4096]}}, "tree": {{"kind": "own"}}}}}}"#
    );
    match parse_job(&text).unwrap() {
        fsgauge_wire::Job::Clients(job) => job,
        other => panic!("{other:?}"),
    }
}

fn ordered(directory: &Path, order: BackupOrder) -> ClientsJob {
    ClientsJob { phase: Phase::Backup { order, block_size_bytes: 4096 }, ..job(directory) }
}

fn run(job: &ClientsJob) -> Result<LoadResult, Failure> {
    run_clients(job, engine(), &mut Heard::default(), Stop::new())
}

fn clients(result: &LoadResult) -> &ClientsResult {
    result.clients.as_ref().unwrap()
}

fn operation(result: &LoadResult, operation: ClientOperation) -> &ClientOperationResult {
    clients(result).operations.iter().find(|found| found.operation == operation).unwrap()
}

/// Twelve files of 0 to 11 times 1000 bytes in a directory and two below it.
fn plant(root: &Path) {
    fs::create_dir_all(root.join("b/c")).unwrap();
    for number in 0..12 {
        let folder = ["", "b", "b/c"][number % 3];
        fs::write(root.join(folder).join(format!("file-{number}")), vec![1; number * 1000]).unwrap();
    }
}

#[test]
fn every_file_is_read_whole() {
    let root = tempfile::tempdir().unwrap();
    plant(root.path());
    let result = run(&job(root.path())).unwrap();
    assert_consistent(&result);
    let (found, backup) = (clients(&result), clients(&result).backup.as_ref().unwrap());
    assert_eq!((found.dispatch, found.threads, found.clients_gave_up), (Dispatch::EventLoop, 1, 0));
    assert_eq!((found.files, found.files_given_up, backup.files, backup.directories), (12, 0, 12, 3));
    assert_eq!((backup.extents, result.ended, found.errors.len()), (None, Ended::SizeLimit, 0));
    assert_eq!(found.last_done_ns, Some(result.elapsed_ns));
    assert!(backup.listing_ns > 0 && backup.listing_ns < result.elapsed_ns);
    let read = result.read.as_ref().unwrap();
    let records: usize = (0..12usize).map(|number| (number * 1000).div_ceil(4096)).sum();
    assert_eq!((read.operations, read.size_bytes), (records as u64, 66_000));
    for (kind, count) in
        [(ClientOperation::Open, 12), (ClientOperation::Close, 12), (ClientOperation::List, 3)]
    {
        let timed = operation(&result, kind);
        assert_eq!((timed.operations, timed.errors, timed.service_latency.operations), (count, 0, count));
    }
    let busy_ns: u64 = found.operations.iter().map(|timed| timed.service_latency.sum_ns).sum();
    assert!(busy_ns <= result.elapsed_ns && result.in_flight_mean <= 1.0);
    assert!(result.in_flight_mean >= busy_ns as f64 / result.elapsed_ns as f64);
    assert!(!result.steady.unwrap().judged);
}

#[test]
fn every_order_reads_the_same() {
    let root = tempfile::tempdir().unwrap();
    plant(root.path());
    fs::File::open(root.path()).and_then(|directory| Ok(rustix::fs::syncfs(directory)?)).unwrap();
    for order in [BackupOrder::Directory, BackupOrder::Inode, BackupOrder::Physical] {
        match run(&ordered(root.path(), order)) {
            Ok(result) => {
                assert_eq!((result.read.as_ref().unwrap().size_bytes, clients(&result).files), (66_000, 12));
                let backup = clients(&result).backup.as_ref().unwrap();
                // One is empty; the others have an extent each or more, or lie in their inodes.
                let extents = backup.extents.is_some();
                assert_eq!((backup.order, extents), (order, order == BackupOrder::Physical));
            }
            Err(failure) => {
                assert_eq!((order, &*failure.code), (BackupOrder::Physical, "job.no_fiemap"));
            }
        }
    }
}

#[test]
fn what_clients_wrote_is_compared_byte_by_byte() {
    for tree in [Tree::Own {}, Tree::Shared { depth: 2, fan_out: 3 }] {
        let root = tempfile::tempdir().unwrap();
        let sizes = FileSizes::Cycle { sizes_bytes: vec![16384, 5000, 0] };
        let files = FileSet { clients: 5, files_per_client: 6, sizes, record_size_bytes: 4096, tree };
        let backup = ClientsJob { files, verify: true, ..job(root.path()) };
        let phase = Phase::Write { create: fsgauge_wire::Create::AndWrite };
        run(&ClientsJob { phase, clients: 5, ..backup.clone() }).unwrap();
        fs::write(root.path().join("note"), "no file of a client").unwrap();
        let result = run(&backup).unwrap();
        let found = clients(&result);
        assert_eq!((found.files, found.files_given_up, found.bad_records), (31, 0, 0));
        // Ten files of each size: four records, two, none.
        assert_eq!(found.checked_records, 60);
        assert!(result.notes.iter().any(|note| note.code == "backup.unchecked"));
        let other_seed = run(&ClientsJob { seed: 8, ..backup }).unwrap();
        assert_eq!((clients(&other_seed).bad_records, clients(&other_seed).bad.len()), (60, 20));
    }
}

/// Comparing takes longer than reading memory, the more in a debug build: once it was in the time and in the rate.
#[test]
fn comparing_is_in_no_time_of_the_backup_and_tails_are_seen() {
    let root = tempfile::tempdir_in("/dev/shm").unwrap();
    let sizes = FileSizes::Cycle { sizes_bytes: vec![16 << 20] };
    let files =
        FileSet { clients: 2, files_per_client: 2, sizes, record_size_bytes: 1 << 20, tree: Tree::Own {} };
    let phase = Phase::Backup { order: BackupOrder::Directory, block_size_bytes: 1 << 20 };
    let backup = ClientsJob { files, phase, verify: true, ..job(root.path()) };
    let write = Phase::Write { create: fsgauge_wire::Create::AndWrite };
    run(&ClientsJob { phase: write, clients: 2, ..backup.clone() }).unwrap();
    let result = run(&backup).unwrap();
    let comparing_ns = clients(&result).backup.as_ref().unwrap().comparing_ns;
    assert!(comparing_ns > 0 && clients(&result).bad_records == 0);
    // What is measured is calls, and little beside them: the comparison would be a share of its own.
    let calls_ns: u64 = clients(&result).operations.iter().map(|one| one.service_latency.sum_ns).sum();
    let beside_ns = result.elapsed_ns - calls_ns.min(result.elapsed_ns);
    assert!(beside_ns < result.elapsed_ns / 4 + comparing_ns / 4, "{beside_ns} beside {calls_ns}");
    let plain = run(&ClientsJob { verify: false, ..backup.clone() }).unwrap();
    assert_eq!(clients(&plain).backup.as_ref().unwrap().comparing_ns, 0);

    let path = root.path().join("c00000/c00000-f000001");
    let file = fs::OpenOptions::new().append(true).open(&path).unwrap();
    std::io::Write::write_all(&mut &file, b"tail").unwrap();
    let result = run(&backup).unwrap();
    let [bad] = &clients(&result).bad[..] else { panic!("{:?}", clients(&result).bad) };
    assert_eq!((bad.path.as_str(), bad.first_byte), (path.to_str().unwrap(), 16 << 20));
}

#[test]
fn memory_has_no_physical_order_and_the_next_step_is_said() {
    let memory = Path::new("/dev/shm");
    let Ok(root) = tempfile::tempdir_in(memory) else { return };
    plant(root.path());
    let failure = run(&ordered(root.path(), BackupOrder::Physical)).unwrap_err();
    assert_eq!((failure.exit_code(), &*failure.code), (2, "job.no_fiemap"));
    assert!(failure.next.contains("inode"), "{failure:?}");
    assert!(run(&ordered(root.path(), BackupOrder::Inode)).is_ok());
}

#[test]
fn what_is_no_file_is_skipped_and_names_may_be_any_bytes() {
    let root = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    plant(elsewhere.path());
    symlink(elsewhere.path(), root.path().join("directory-link")).unwrap();
    symlink(elsewhere.path().join("file-3"), root.path().join("file-link")).unwrap();
    let fifo = root.path().join("fifo");
    rustix::fs::mkfifoat(rustix::fs::CWD, &fifo, rustix::fs::Mode::RUSR).unwrap();
    let folder = root.path().join(OsStr::from_bytes(b"\xff\xfe folder"));
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join(OsStr::from_bytes(b"caf\xe9\n")), [1; 5000]).unwrap();
    let result = run(&job(root.path())).unwrap();
    let backup = clients(&result).backup.as_ref().unwrap();
    assert_eq!((backup.files, backup.directories, clients(&result).files), (1, 2, 1));
    assert_eq!(result.read.unwrap().size_bytes, 5000);
}

#[test]
fn a_path_that_is_too_long_is_an_error_and_the_rest_is_read() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("first"), [1; 10]).unwrap();
    let mut at: std::os::fd::OwnedFd = fs::File::open(root.path()).unwrap().into();
    let name = "n".repeat(250);
    for _ in 0..20 {
        rustix::fs::mkdirat(&at, &name, rustix::fs::Mode::RWXU).unwrap();
        let flags = rustix::fs::OFlags::DIRECTORY;
        at = rustix::fs::openat(&at, &name, flags, rustix::fs::Mode::empty()).unwrap();
    }
    let result = run(&job(root.path())).unwrap();
    // Sixteen levels of 251 bytes fit into 4096.
    let found = clients(&result);
    assert_eq!((found.files, found.backup.as_ref().unwrap().directories), (1, 17));
    assert_eq!((found.errors.len(), found.errors[0].count), (1, 1));
    assert_eq!(
        (found.errors[0].operation, found.errors[0].kind),
        (ClientOperation::List, ClientErrorKind::Other)
    );
    assert!(found.errors[0].message.contains("too long"), "{:?}", found.errors[0]);
    drop(at);
    remove_deep(root.path(), &name);
}

/// What no path reaches is removed from below by way of the working directory of another process.
fn remove_deep(root: &Path, name: &str) {
    let script = format!("cd \"$1\" && rm -rf ./{name}");
    let status = std::process::Command::new("sh").args(["-c", &script, "sh"]).arg(root).status().unwrap();
    assert!(status.success());
}

#[test]
fn it_ends_at_the_time_limit_and_when_told_and_says_so() {
    let root = tempfile::tempdir().unwrap();
    plant(root.path());
    let late = run(&ClientsJob { time_limit_ns: 1, ..job(root.path()) }).unwrap();
    assert_eq!((late.ended, clients(&late).files, clients(&late).last_done_ns), (Ended::Duration, 0, None));
    assert!(late.notes.iter().any(|note| note.code == "backup.cut_short"));
    let stop = Stop::new();
    stop.set();
    let mut heard = Heard::default();
    let stopped = run_clients(&job(root.path()), engine(), &mut heard, stop).unwrap();
    assert_eq!((stopped.ended, clients(&stopped).files), (Ended::Interrupted, 0));
    let is_told = |event: &Event| matches!(event, Event::Note(note) if note.code == "backup.cut_short");
    assert!(heard.events.iter().any(is_told));
}

#[test]
fn an_empty_directory_is_backed_up_at_once() {
    let root = tempfile::tempdir().unwrap();
    let result = run(&job(root.path())).unwrap();
    assert_eq!((result.ended, clients(&result).files), (Ended::SizeLimit, 0));
    assert_eq!(result.read.as_ref().unwrap().operations, 0);
    assert_consistent(&result);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let good = job(root.path());
    let block = |block_size_bytes| {
        let phase = Phase::Backup { order: BackupOrder::Directory, block_size_bytes };
        ClientsJob { phase, ..good.clone() }
    };
    let think = fsgauge_wire::Think { mean_ns: 1, spread: fsgauge_wire::Arrival::Exponential };
    let refused = [
        ("job.target", job(&root.path().join("missing"))),
        ("job.target", ClientsJob { target: fsgauge_wire::ClientsTarget::Null {}, ..good.clone() }),
        ("job.clients", ClientsJob { clients: 590, ..good.clone() }),
        ("job.clients", ClientsJob { outstanding: 2, ..good.clone() }),
        ("job.think", ClientsJob { think: Some(think), ..good.clone() }),
        ("job.block_size_bytes", block(0)),
        ("job.block_size_bytes", block(u32::MAX)),
        ("job.time_limit_ns", ClientsJob { time_limit_ns: 0, ..good.clone() }),
        ("job.interval_ns", ClientsJob { interval_ns: 10, ..good.clone() }),
    ];
    for (code, job) in refused {
        assert_eq!(run(&job).unwrap_err().code, code);
    }
}
