//! Clients of an NFS server, against a real one: nfs-ganesha, started by each test for itself.
//!
//! Without it, or without root, these tests say so and pass.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use fsgauge_clients::run_clients;
use fsgauge_wire::{
    Activity, BackupOrder, ClientError, ClientErrorKind, ClientOperation, ClientsInterface, ClientsJob,
    ClientsResult, ClientsTarget, Create, Data, Dispatch, Ended, Failure, FileSet, FileSizes, LoadResult,
    NfsTarget, Phase, Stop, Tree, WeightedActivity,
};

use crate::ganesha::{Ganesha, exported, free_port, missing};
use crate::other_client;
use crate::quota::{QUOTA_BYTES, UnderQuota};
use crate::results::{Heard, assert_consistent, engine};

const WRITE: Phase = Phase::Write { create: Create::AndWrite };
const READ: Phase = Phase::Read {};

/// Ends a test that has no server here, and says why.
macro_rules! or_skip {
    () => {
        if let Some(why) = missing() {
            let must_run = std::env::var_os("FSGAUGE_TEST_SERVERS").is_some();
            assert!(!must_run || !why.contains("not installed"), "{why}");
            eprintln!("skipped: {why}");
            return;
        }
    };
}

/// Twelve clients of six files of three sizes.
fn job(target: NfsTarget, phase: Phase) -> ClientsJob {
    ClientsJob {
        target: ClientsTarget::Nfs(target),
        phase,
        clients: 12,
        threads: Some(2),
        interface: ClientsInterface::Auto,
        files: FileSet {
            clients: 12,
            files_per_client: 6,
            sizes: FileSizes::Cycle { sizes_bytes: vec![16384, 5000, 100_000] },
            record_size_bytes: 4096,
            tree: Tree::Own {},
        },
        interval_ns: 100_000_000,
        data: Data::Incompressible,
        seed: 42,
        verify: true,
        ..ClientsJob::plain()
    }
}

fn run(job: &ClientsJob) -> Result<LoadResult, Failure> {
    run_clients(job, engine(), &mut Heard::default(), Stop::new())
}

fn clients(result: &LoadResult) -> &ClientsResult {
    result.clients.as_deref().unwrap()
}

fn count(result: &LoadResult, operation: ClientOperation) -> u64 {
    let found = clients(result).operations.iter().find(|found| found.operation == operation);
    found.map_or(0, |found| found.operations)
}

fn assert_whole(result: &LoadResult) {
    assert_consistent(result);
    let clients = clients(result);
    assert_eq!((clients.errors.as_slice(), clients.bad_records), (&[][..], 0));
    assert_eq!((result.ended, clients.files_given_up, clients.clients_gave_up), (Ended::SizeLimit, 0, 0));
}

/// Errors by operation and kind, in their order.
fn sorted(result: &LoadResult) -> Vec<(ClientOperation, ClientErrorKind, u64)> {
    let mut errors = errors_of(result);
    errors.sort_unstable_by_key(|(operation, kind, _)| (*operation, *kind));
    errors
}

fn errors_of(result: &LoadResult) -> Vec<(ClientOperation, ClientErrorKind, u64)> {
    clients(result).errors.iter().map(|error| (error.operation, error.kind, error.count)).collect()
}

#[test]
fn every_phase_works_and_what_was_written_is_read_back() {
    or_skip!();
    let (_kept, export) = exported();
    let server = Ganesha::start(&export, "RW");
    let target = server.target(&export, "fsgauge/run-1");
    for (tree, outstanding, dispatch) in [
        (Tree::Own {}, 1, Dispatch::EventLoop),
        (Tree::Shared { depth: 2, fan_out: 3 }, 4, Dispatch::EventLoop),
        (Tree::Own {}, 1, Dispatch::Threads),
    ] {
        let job = |phase| {
            let mut job = job(target.clone(), phase);
            (job.files.tree, job.outstanding, job.dispatch, job.fsync) = (tree, outstanding, dispatch, true);
            job.threads = if dispatch == Dispatch::Threads { None } else { Some(2) };
            job
        };
        let written = run(&job(WRITE)).unwrap();
        assert_whole(&written);
        assert_eq!(count(&written, ClientOperation::Create), 72);
        assert_eq!(count(&written, ClientOperation::Fsync), 72);
        let network = clients(&written).network.clone().unwrap();
        assert_eq!((network.protocol.as_str(), network.connections, network.reconnections), ("NFS 3", 12, 0));
        let bytes = written.write.as_ref().unwrap().size_bytes;
        assert!(network.sent_bytes > bytes && network.sent_bytes < 2 * bytes, "{network:?}");
        assert!(network.null_operation_ns > 0);

        let read = run(&job(READ)).unwrap();
        assert_whole(&read);
        let records = read.read.as_ref().unwrap();
        assert_eq!((records.size_bytes, records.operations), (bytes, clients(&read).checked_records));
        assert!(clients(&read).network.as_ref().unwrap().received_bytes > bytes);

        let activities = [
            (Activity::Read, 4),
            (Activity::Create, 3),
            (Activity::Save, 2),
            (Activity::Delete, 2),
            (Activity::Stat, 1),
            (Activity::List, 1),
        ];
        let activities = activities.map(|(activity, weight)| WeightedActivity { activity, weight }).to_vec();
        let mixed =
            run(&ClientsJob { time_limit_ns: 300_000_000, ..job(Phase::Mix { activities }) }).unwrap();
        assert_consistent(&mixed);
        assert_eq!((errors_of(&mixed), clients(&mixed).bad_records), (vec![], 0));
        for operation in [ClientOperation::Rename, ClientOperation::List, ClientOperation::Unlink] {
            assert!(count(&mixed, operation) > 0, "{operation:?}");
        }

        let asked = run(&job(Phase::Stat {})).unwrap();
        assert_whole(&asked);
        assert_eq!(count(&asked, ClientOperation::Stat), 72);
        let cleared = run(&job(Phase::Clear {})).unwrap();
        assert_whole(&cleared);
        assert!(cleared.notes.iter().all(|note| note.code != "clear.left"), "{:?}", cleared.notes);
        assert!(!export.join("fsgauge/run-1").exists());
        assert!(export.join("fsgauge").exists());
    }
}

#[test]
fn calls_are_named_and_reading_needs_no_close() {
    or_skip!();
    let (_kept, export) = exported();
    let server = Ganesha::start(&export, "RW");
    let target = server.target(&export, "d");
    let call = |result: &LoadResult, operation| {
        clients(result).calls.iter().find(|call| call.operation == operation).unwrap().clone()
    };
    let written = run(&job(target.clone(), WRITE)).unwrap();
    let close = call(&written, ClientOperation::Close);
    assert_eq!((close.call.as_str(), close.reason.is_some()), ("NFS COMMIT", true));
    assert_eq!(call(&written, ClientOperation::Write).call, "NFS WRITE");
    assert_eq!(call(&written, ClientOperation::Connect).call, "MOUNT MNT, NFS FSINFO, MKDIR");
    let read = run(&job(target, READ)).unwrap();
    assert_eq!(call(&read, ClientOperation::Connect).call, "MOUNT MNT, NFS FSINFO");
    assert_eq!(call(&read, ClientOperation::Close).call, "none");
    assert_eq!(call(&read, ClientOperation::Open).call, "NFS LOOKUP, ACCESS");
}

/// Files of the real file system, as this machine sees them, are what the formula says.
#[test]
fn files_lie_where_they_should_with_their_owner() {
    or_skip!();
    let (_kept, export) = exported();
    std::fs::set_permissions(&export, std::fs::Permissions::from_mode(0o777)).unwrap();
    let server = Ganesha::start(&export, "RW");
    let target = NfsTarget { user_id: 4711, group_id: 4712, ..server.target(&export, "a/b") };
    assert_whole(&run(&job(target, WRITE)).unwrap());
    let file = export.join("a/b/c00003/c00003-f000002");
    let found = std::fs::metadata(&file).unwrap();
    use std::os::unix::fs::MetadataExt;
    assert_eq!((found.uid(), found.gid(), found.mode() & 0o777), (4711, 4712, 0o644));
    // The same formula read through the kernel's own file system.
    let here = ClientsJob {
        target: ClientsTarget::Path { directory: export.join("a/b").display().to_string() },
        ..job(server.target(&export, "a/b"), READ)
    };
    assert_whole(&run(&here).unwrap());
}

#[test]
fn another_client_reads_what_was_written() {
    or_skip!();
    let (_kept, export) = exported();
    let server = Ganesha::start(&export, "RW");
    assert_whole(&run(&job(server.target(&export, "d"), WRITE)).unwrap());
    for (client, file) in [(0, 0), (3, 1), (11, 5)] {
        let path = format!("d/c{client:05}/c{client:05}-f{file:06}");
        let read = other_client::contents(server.port, server.mount_port, &export, &path);
        let expected = [16384, 5000, 100_000][(client + file) % 3];
        assert_eq!(read.len(), expected, "{path}");
        assert!(read == std::fs::read(export.join(&path)).unwrap(), "{path}");
    }
}

#[test]
fn a_damaged_file_and_a_short_one_are_found() {
    or_skip!();
    let (_kept, export) = exported();
    let server = Ganesha::start(&export, "RW");
    let target = server.target(&export, "d");
    assert_whole(&run(&job(target.clone(), WRITE)).unwrap());
    let file = |name: &str| export.join("d/c00001").join(name);
    let mut bytes = std::fs::read(file("c00001-f000001")).unwrap();
    bytes[4100] ^= 1;
    std::fs::write(file("c00001-f000001"), bytes).unwrap();
    std::fs::File::options().write(true).open(file("c00001-f000003")).unwrap().set_len(4096).unwrap();
    let server = {
        // It keeps sizes for a while that it saw itself.
        drop(server);
        Ganesha::start(&export, "RW")
    };
    let read = run(&job(server.target(&export, "d"), READ)).unwrap();
    assert_eq!(errors_of(&read), [(ClientOperation::Read, ClientErrorKind::Short, 1)]);
    let bad = &clients(&read).bad;
    assert_eq!((bad.len(), bad[0].first_byte, bad[0].offset_bytes), (1, 4100, 4096));
    assert!(bad[0].path.ends_with("/d/c00001/c00001-f000001"), "{}", bad[0].path);
}

fn refusal(target: NfsTarget, phase: Phase) -> (String, Failure) {
    let begin = Instant::now();
    let failure = run(&job(target, phase)).unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert_eq!(failure.exit_code(), 3, "{failure}");
    (failure.code.clone(), failure)
}

#[test]
fn what_the_server_refuses_is_told_before_anything_begins() {
    or_skip!();
    let (_kept, export) = exported();
    let server = Ganesha::start(&export, "RW");
    let target = server.target(&export, "d");
    let closed = free_port();
    let (code, failure) = refusal(NfsTarget { port: closed, ..target.clone() }, WRITE);
    assert_eq!(code, "network.refused");
    assert!(failure.what.contains(&format!("127.0.0.1:{closed}")), "{failure}");
    let (code, failure) = refusal(NfsTarget { mount_port: Some(closed), ..target.clone() }, WRITE);
    assert!(code == "network.refused" && failure.what.contains("MOUNT"), "{failure}");
    // Nobody is there to be asked for the port.
    let (code, failure) = refusal(NfsTarget { mount_port: None, ..target.clone() }, WRITE);
    assert!(code == "network.refused" && failure.what.contains("portmapper"), "{failure}");
    let missing = NfsTarget { export: export.join("gone").display().to_string(), ..target.clone() };
    assert_eq!(refusal(missing, WRITE).0, "network.share");
    // The MOUNT service is no NFS service.
    let (code, failure) = refusal(NfsTarget { port: server.mount_port, ..target.clone() }, WRITE);
    assert_eq!(code, "network.dialect", "{failure}");
    let host = NfsTarget { host: "nowhere.invalid".into(), ..target.clone() };
    assert_eq!(refusal(host, WRITE).0, "network.resolve");
    // Not root, and root's directory.
    std::fs::set_permissions(&export, std::fs::Permissions::from_mode(0o755)).unwrap();
    let stranger = NfsTarget { user_id: 4711, group_id: 4711, ..target };
    let (code, failure) = refusal(stranger, WRITE);
    assert!(code == "network.directory" && failure.errno == Some(libc::EACCES), "{failure}");
}

#[test]
fn who_may_not_read_gets_errors_by_kind() {
    or_skip!();
    let (_kept, export) = exported();
    let server = Ganesha::start(&export, "RW");
    assert_whole(&run(&job(server.target(&export, "d"), WRITE)).unwrap());
    let file = export.join("d/c00001/c00001-f000000");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    drop(server);
    let server = Ganesha::start(&export, "RW");
    let stranger = NfsTarget { user_id: 4711, group_id: 4711, ..server.target(&export, "d") };
    let read = run(&job(stranger.clone(), READ)).unwrap();
    assert_eq!(errors_of(&read), [(ClientOperation::Open, ClientErrorKind::PermissionDenied, 1)]);
    assert_eq!(clients(&read).files, 71);
    let removed = run(&job(stranger, Phase::Delete {})).unwrap();
    let errors = errors_of(&removed);
    assert_eq!(errors, [(ClientOperation::Unlink, ClientErrorKind::PermissionDenied, 72)]);
    // What is there already is not made again.
    let again = run(&job(server.target(&export, "d"), WRITE)).unwrap();
    assert_eq!(errors_of(&again), [(ClientOperation::Create, ClientErrorKind::Exists, 72)]);
}

#[test]
fn an_export_that_can_only_be_read_is_read() {
    or_skip!();
    let (_kept, export) = exported();
    let server = Ganesha::start(&export, "RW");
    assert_whole(&run(&job(server.target(&export, "d"), WRITE)).unwrap());
    drop(server);
    let server = Ganesha::start(&export, "RO");
    assert_whole(&run(&job(server.target(&export, "d"), READ)).unwrap());
    let removed = run(&job(server.target(&export, "d"), Phase::Delete {})).unwrap();
    assert_eq!(errors_of(&removed), [(ClientOperation::Unlink, ClientErrorKind::ReadOnly, 72)]);
}

/// Clients that write until they are told that time is up, while the server dies and comes back.
#[test]
fn a_server_that_dies_and_comes_back_is_counted_and_survived() {
    or_skip!();
    let (_kept, export) = exported();
    let mut server = Ganesha::start(&export, "RW");
    let target = server.target(&export, "d");
    let activities = vec![
        WeightedActivity { activity: Activity::Create, weight: 3 },
        WeightedActivity { activity: Activity::Read, weight: 1 },
    ];
    assert_whole(&run(&job(target.clone(), WRITE)).unwrap());
    // A server needs a second or two to come back, and clients try again with rests of up to a second.
    let mixed = ClientsJob { time_limit_ns: 6_000_000_000, ..job(target.clone(), Phase::Mix { activities }) };
    let load = std::thread::spawn(move || run(&mixed));
    std::thread::sleep(Duration::from_millis(800));
    server.kill();
    std::thread::sleep(Duration::from_millis(300));
    server.start_again();
    let result = load.join().unwrap().unwrap();
    assert_consistent(&result);
    let clients = clients(&result);
    let lost: Vec<_> =
        clients.errors.iter().filter(|error| error.kind == ClientErrorKind::ConnectionLost).collect();
    // A file whose creation was not answered may be there when it is asked for again.
    let asked_again = |error: &&ClientError| {
        error.operation == ClientOperation::Create && error.kind == ClientErrorKind::Exists
    };
    let others = clients.errors.iter().filter(asked_again).count() + lost.len();
    assert_eq!(clients.errors.len(), others, "{:?}", clients.errors);
    assert!(!lost.is_empty() && clients.bad_records == 0, "{:?}", clients.errors);
    let network = clients.network.as_ref().unwrap();
    assert_eq!((network.connections, network.reconnections, clients.clients_gave_up), (12, 12, 0));
    // It went on afterwards: the last interval has records again.
    let last = result.intervals.iter().rev().nth(1).unwrap();
    assert!(last.write.operations > 0, "{:?}", result.intervals.last());
    let read = run(&job(target, READ)).unwrap();
    assert_whole(&read);
}

/// A server that is stopped and goes on is slow, and nothing is lost.
#[test]
fn a_server_that_stands_still_for_a_moment_loses_nothing() {
    or_skip!();
    let (_kept, export) = exported();
    let server = Ganesha::start(&export, "RW");
    let target = server.target(&export, "d");
    let mut writing = job(target.clone(), WRITE);
    (writing.files.files_per_client, writing.files.sizes) =
        (20, FileSizes::Cycle { sizes_bytes: vec![400_000] });
    let reading = ClientsJob { phase: READ, ..writing.clone() };
    let load = std::thread::spawn(move || run(&writing));
    std::thread::sleep(Duration::from_millis(400));
    server.signal("STOP");
    std::thread::sleep(Duration::from_millis(700));
    server.signal("CONT");
    let written = load.join().unwrap().unwrap();
    assert_whole(&written);
    assert_eq!(clients(&written).network.as_ref().unwrap().reconnections, 0);
    assert_whole(&run(&reading).unwrap());
}

#[test]
fn a_full_file_system_is_told_as_that() {
    or_skip!();
    let (_kept, export) = exported();
    let Some(mounted) = SmallDisk::mount(&export) else {
        eprintln!("skipped: no loop device here");
        return;
    };
    let server = Ganesha::start(&export, "RW");
    let mut job = job(server.target(&export, "d"), WRITE);
    job.files.sizes = FileSizes::Cycle { sizes_bytes: vec![2 << 20] };
    let result = run(&job).unwrap();
    drop(server);
    drop(mounted);
    let clients = clients(&result);
    assert!(
        clients.errors.iter().any(|error| error.kind == ClientErrorKind::NoSpace),
        "{:?}",
        clients.errors
    );
    assert!(
        clients.errors.iter().all(|error| error.kind == ClientErrorKind::NoSpace),
        "{:?}",
        clients.errors
    );
    assert_eq!(clients.clients_gave_up, 12);
}

#[test]
fn a_quota_is_told_from_a_full_file_system() {
    or_skip!();
    let (_kept, export) = exported();
    let Some(limited) = UnderQuota::mount(&export) else { return };
    let server = Ganesha::start(&export, "RW");
    let mut job = job(server.target(&export, "d"), WRITE);
    // Nothing is refused before it is on its way to the disk.
    (job.fsync, job.files.sizes) = (true, FileSizes::Cycle { sizes_bytes: vec![256 << 10] });
    let result = run(&job).unwrap();
    drop(server);
    drop(limited);
    let clients = clients(&result);
    assert!(!clients.errors.is_empty());
    assert!(clients.errors.iter().all(|error| error.kind == ClientErrorKind::Quota), "{:?}", clients.errors);
    assert_eq!(clients.clients_gave_up, 12);
    assert!(clients.files << 18 <= QUOTA_BYTES && clients.files > 0, "{}", clients.files);
}

/// What stands where a client's file or directory should be costs that one, and the others work.
#[test]
fn names_that_are_taken_are_counted_and_the_others_work() {
    or_skip!();
    let (_kept, export) = exported();
    std::fs::create_dir_all(export.join("d/c00001/c00001-f000002")).unwrap();
    std::fs::write(export.join("d/c00003"), "a file").unwrap();
    let server = Ganesha::start(&export, "RW");
    let target = server.target(&export, "d");
    let result = run(&job(target.clone(), WRITE)).unwrap();
    let expected = [
        (ClientOperation::Connect, ClientErrorKind::Exists, 1),
        (ClientOperation::Create, ClientErrorKind::Exists, 1),
        (ClientOperation::Create, ClientErrorKind::Missing, 6),
    ];
    assert_eq!(sorted(&result), expected);
    assert_eq!((clients(&result).files, clients(&result).clients_gave_up), (65, 0));
    let read = run(&job(target, READ)).unwrap();
    let expected = [
        (ClientOperation::Open, ClientErrorKind::Missing, 6),
        // A directory is opened, and cannot be read.
        (ClientOperation::Read, ClientErrorKind::Other, 1),
    ];
    assert_eq!(sorted(&read), expected);
}

fn backup(target: NfsTarget, order: BackupOrder) -> ClientsJob {
    let phase = Phase::Backup { order, block_size_bytes: 65536 };
    ClientsJob { clients: 1, outstanding: 1, threads: None, ..job(target, phase) }
}

#[test]
fn a_backup_over_the_network_reads_what_one_on_paths_reads() {
    or_skip!();
    let (_kept, export) = exported();
    let server = Ganesha::start(&export, "RW");
    for tree in [Tree::Own {}, Tree::Shared { depth: 2, fan_out: 3 }] {
        let target = server.target(&export, "d");
        let mut writing = job(target.clone(), WRITE);
        writing.files.tree = tree;
        assert_whole(&run(&writing).unwrap());
        let mut over = backup(target.clone(), BackupOrder::Directory);
        over.files.tree = tree;
        let network = run(&over).unwrap();
        let directory = export.join("d").display().to_string();
        let here = run(&ClientsJob { target: ClientsTarget::Path { directory }, ..over.clone() }).unwrap();
        for result in [&network, &here] {
            assert_whole(result);
            let clients = clients(result);
            assert_eq!(clients.files, 72);
            assert_eq!(clients.backup.as_ref().unwrap().files, 72);
        }
        assert_eq!(network.read.as_ref().unwrap().size_bytes, here.read.as_ref().unwrap().size_bytes);
        assert_eq!(network.read.as_ref().unwrap().operations, here.read.as_ref().unwrap().operations);
        let found = clients(&network);
        assert_eq!(found.checked_records, network.read.as_ref().unwrap().operations);
        // Twelve clients have one each; a tree has three, with three in each.
        let directories = 12;
        assert_eq!(found.backup.as_ref().unwrap().directories, directories);
        assert_eq!(count(&network, ClientOperation::List), directories);
        assert_eq!(count(&network, ClientOperation::Close), 72);
        let calls: Vec<&str> = found.calls.iter().map(|call| call.call.as_str()).collect();
        assert_eq!(calls, ["NFS LOOKUP, ACCESS", "NFS READ", "none", "NFS READDIR"]);
        let way = found.network.as_ref().unwrap();
        assert_eq!((way.connections, way.protocol.as_str()), (1, "NFS 3"));
        assert!(way.received_bytes > network.read.as_ref().unwrap().size_bytes);
        let clear = ClientsJob { phase: Phase::Clear {}, ..writing };
        assert_whole(&run(&clear).unwrap());
    }
}

#[test]
fn a_backup_over_the_network_says_what_is_wrong() {
    or_skip!();
    let (_kept, export) = exported();
    let server = Ganesha::start(&export, "RW");
    let target = server.target(&export, "d");
    assert_whole(&run(&job(target.clone(), WRITE)).unwrap());
    drop(server);
    let file = |name: &str| export.join("d/c00001").join(name);
    let mut bytes = std::fs::read(file("c00001-f000001")).unwrap();
    bytes[70_000] ^= 1;
    std::fs::write(file("c00001-f000001"), bytes).unwrap();
    std::fs::File::options().write(true).open(file("c00001-f000003")).unwrap().set_len(4096).unwrap();
    std::fs::write(file("notes.txt"), "not a client's").unwrap();
    std::fs::remove_file(file("c00001-f000005")).unwrap();
    std::fs::remove_dir_all(export.join("d/c00004")).unwrap();
    let server = Ganesha::start(&export, "RO");
    let result = run(&backup(server.target(&export, "d"), BackupOrder::Directory)).unwrap();
    assert_consistent(&result);
    let found = clients(&result);
    assert_eq!(
        errors_of(&result),
        [
            (ClientOperation::Read, ClientErrorKind::Short, 1),
            (ClientOperation::List, ClientErrorKind::Missing, 1)
        ]
    );
    assert!(found.errors[1].first_path.ends_with("/d/c00004"), "{:?}", found.errors);
    assert_eq!((found.files, found.files_given_up, found.backup.as_ref().unwrap().files), (64, 1, 65));
    let bad = &found.bad;
    assert_eq!((bad.len(), bad[0].first_byte, bad[0].offset_bytes), (1, 70_000, 65_536));
    let strangers = result.notes.iter().find(|note| note.code == "backup.strangers").unwrap();
    assert!(strangers.text.starts_with("1 names"), "{}", strangers.text);
}

#[test]
fn a_backup_over_the_network_has_the_order_of_directories_only() {
    for order in [BackupOrder::Inode, BackupOrder::Physical] {
        let target = NfsTarget {
            host: "127.0.0.1".into(),
            port: 9,
            mount_port: None,
            export: "/e".into(),
            directory: "d".into(),
            user_id: 0,
            group_id: 0,
        };
        let failure = run(&backup(target, order)).unwrap_err();
        assert_eq!((failure.code.as_str(), failure.exit_code()), ("job.order", 2));
        assert_eq!(failure.cause, "a share does not say where files lie");
    }
}

/// An ext4 of 16 MiB on a loop device over a directory; unmounted with its value.
struct SmallDisk<'a> {
    directory: &'a Path,
    _image: tempfile::NamedTempFile,
}

impl<'a> SmallDisk<'a> {
    fn mount(directory: &'a Path) -> Option<Self> {
        let image = tempfile::NamedTempFile::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        image.as_file().set_len(16 << 20).unwrap();
        let run = |program: &str, arguments: &[&str]| {
            std::process::Command::new(program).args(arguments).output().is_ok_and(|out| out.status.success())
        };
        let (image_path, directory_path) = (image.path().to_str()?, directory.to_str()?);
        (run("mkfs.ext4", &["-q", image_path]) && run("mount", &["-o", "loop", image_path, directory_path]))
            .then_some(SmallDisk { directory, _image: image })
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let umount = || std::process::Command::new("umount").arg(self.directory).output();
        let begin = Instant::now();
        // The server's own view of it goes a moment after the server.
        while !umount().is_ok_and(|out| out.status.success()) && begin.elapsed() < Duration::from_secs(5) {
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
