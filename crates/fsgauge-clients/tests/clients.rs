//! Clients, from the outside: what they leave on the storage, what they count, what they refuse.

#[path = "../../fsgauge-load/tests/support/results.rs"]
mod results;

use std::collections::BTreeMap;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fsgauge_clients::run_clients;
use fsgauge_wire::{
    Activity, Arrival, ClientErrorKind, ClientOperation, ClientOperationResult, ClientsInterface, ClientsJob,
    ClientsResult, ClientsTarget, Create, Data, Dispatch, Ended, Event, FORMAT, Failure, FileSet, FileSizes,
    LoadResult, Phase, Stop, Think, Tree, WeightedActivity,
};
use results::{Heard, assert_consistent, engine};

const RECORD_BYTES: u32 = 4096;
/// Other work shares this machine.
const PATIENCE: Duration = Duration::from_secs(20);
const WRITE: Phase = Phase::Write { create: Create::AndWrite };
const READ: Phase = Phase::Read {};

/// Ten clients of six files of three sizes.
fn job(directory: &Path, phase: Phase) -> ClientsJob {
    ClientsJob {
        format: FORMAT,
        target: ClientsTarget::Path { directory: directory.display().to_string() },
        phase,
        clients: 10,
        outstanding: 1,
        dispatch: Dispatch::EventLoop,
        threads: Some(2),
        interface: ClientsInterface::Auto,
        ramp_ns: 0,
        think: None,
        files: FileSet {
            clients: 10,
            files_per_client: 6,
            sizes: FileSizes::Cycle { sizes_bytes: vec![16384, 5000, 100_000] },
            record_size_bytes: RECORD_BYTES,
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

fn on_nothing(phase: Phase) -> ClientsJob {
    ClientsJob { target: ClientsTarget::Null {}, ..job(Path::new(""), phase) }
}

fn run(job: &ClientsJob) -> Result<LoadResult, Failure> {
    run_clients(job, engine(), &mut Heard::default(), Stop::new())
}

fn clients(result: &LoadResult) -> &ClientsResult {
    result.clients.as_deref().unwrap()
}

fn find(result: &LoadResult, operation: ClientOperation) -> Option<&ClientOperationResult> {
    clients(result).operations.iter().find(|found| found.operation == operation)
}

fn count(result: &LoadResult, operation: ClientOperation) -> u64 {
    find(result, operation).map_or(0, |found| found.operations)
}

/// A run without errors in which every client came through.
fn assert_whole(result: &LoadResult) {
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
fn assert_sound(result: &LoadResult) {
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
fn assert_littles_law(result: &LoadResult) {
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
fn directories() -> [tempfile::TempDir; 2] {
    [tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm").unwrap()]
}

fn written(job: &ClientsJob) -> tempfile::TempDir {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let target = ClientsTarget::Path { directory: directory.path().display().to_string() };
    assert_whole(&run(&ClientsJob { target, phase: WRITE, ..job.clone() }).unwrap());
    directory
}

/// All files below a directory with their sizes, by their path in it.
fn tree(directory: &Path) -> BTreeMap<PathBuf, u64> {
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

fn variants(directory: &Path, phase: Phase) -> Vec<(&'static str, ClientsJob)> {
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

#[test]
fn what_is_written_is_read_back_however_it_is_carried() {
    for directory in directories() {
        for (name, write) in variants(directory.path(), WRITE) {
            let result = run(&write).unwrap();
            assert_whole(&result);
            assert_littles_law(&result);
            let files = tree(directory.path());
            assert_eq!((files.len(), clients(&result).files), (60, 60), "{name}");
            assert_eq!(files[Path::new("c00001/c00001-f000001")], 100_000);
            assert_eq!(files.values().sum::<u64>(), result.write.as_ref().unwrap().size_bytes);
            assert_eq!(count(&result, ClientOperation::Connect), 10);
            assert_eq!(count(&result, ClientOperation::Create), 60);
            assert_eq!(count(&result, ClientOperation::Close), 60);
            assert_eq!(count(&result, ClientOperation::Write), 20 * (4 + 2 + 25));
            assert!(result.read.is_none() && clients(&result).connect_ns > 0);

            for (reader, read) in variants(directory.path(), READ) {
                let result = run(&read).unwrap();
                assert_whole(&result);
                assert_littles_law(&result);
                assert_eq!(clients(&result).checked_records, 20 * 31, "{name}, {reader}");
                assert_eq!(count(&result, ClientOperation::Open), 60);
                assert_eq!(result.read.as_ref().unwrap().size_bytes, files.values().sum::<u64>());
            }
            let result = run(&job(directory.path(), Phase::Stat {})).unwrap();
            assert_whole(&result);
            assert_eq!(count(&result, ClientOperation::Stat), 60);
            let result = run(&job(directory.path(), Phase::Delete {})).unwrap();
            assert_whole(&result);
            assert_eq!((count(&result, ClientOperation::Unlink), tree(directory.path()).len()), (60, 0));
        }
    }
}

#[test]
fn files_can_be_created_in_two_steps_and_synced() {
    let directory = tempfile::tempdir().unwrap();
    let phase = Phase::Write { create: Create::ThenOpen };
    let result = run(&ClientsJob { fsync: true, ..job(directory.path(), phase) }).unwrap();
    assert_whole(&result);
    assert_littles_law(&result);
    for operation in [ClientOperation::Create, ClientOperation::Open, ClientOperation::Fsync] {
        assert_eq!(count(&result, operation), 60, "{operation:?}");
    }
    assert_eq!(count(&result, ClientOperation::Close), 60);
}

#[test]
fn shared_trees_are_made_once_and_dealt_evenly() {
    let plain = job(Path::new(""), WRITE);
    let files = FileSet { tree: Tree::Shared { depth: 2, fan_out: 3 }, ..plain.files.clone() };
    let directory = written(&ClientsJob { files: files.clone(), ..plain });
    let found = tree(directory.path());
    assert_eq!(found.len(), 60);
    let mut leaves: BTreeMap<PathBuf, u32> = BTreeMap::new();
    found.keys().for_each(|path| *leaves.entry(path.parent().unwrap().into()).or_default() += 1);
    assert_eq!(leaves.len(), 9);
    assert!(leaves.values().all(|count| (6..=7).contains(count)), "{leaves:?}");
    let result = run(&ClientsJob { files, ..job(directory.path(), READ) }).unwrap();
    assert_whole(&result);
}

/// Changes a file in `c00003`, and tells where the first bad byte is to be found.
fn plant(directory: &Path, change: impl Fn(&std::fs::File)) -> LoadResult {
    let path = directory.join("c00003/c00003-f000002");
    change(&std::fs::File::options().read(true).write(true).open(path).unwrap());
    run(&job(directory, READ)).unwrap()
}

fn assert_bad(result: &LoadResult, expected: &[(u64, u64)]) {
    assert_sound(result);
    let found: Vec<(u64, u64)> =
        clients(result).bad.iter().map(|bad| (bad.offset_bytes, bad.first_byte)).collect();
    assert_eq!((found.as_slice(), clients(result).bad_records), (expected, expected.len() as u64));
    assert!(clients(result).bad.iter().all(|bad| bad.path.ends_with("/c00003/c00003-f000002")));
}

#[test]
fn planted_damage_is_found_where_it_is() {
    // File 2 of client 3 has the third size: 100 000 bytes.
    let directory = written(&job(Path::new(""), WRITE));
    let byte_at = |file: &std::fs::File, offset| {
        let mut byte = [0];
        file.read_exact_at(&mut byte, offset).unwrap();
        byte
    };
    for offset in [0, 15, 16, 4095, 4096, 50_000, 99_999] {
        let flip = |file: &std::fs::File| {
            file.write_all_at(&[byte_at(file, offset)[0] ^ 4], offset).unwrap();
        };
        assert_bad(&plant(directory.path(), flip), &[(offset / 4096 * 4096, offset)]);
        assert_bad(&plant(directory.path(), flip), &[]);
    }
    let swap = |file: &std::fs::File| {
        let (mut first, mut second) = ([0; 4096], [0; 4096]);
        file.read_exact_at(&mut first, 8192).unwrap();
        file.read_exact_at(&mut second, 12288).unwrap();
        file.write_all_at(&second, 8192).unwrap();
        file.write_all_at(&first, 12288).unwrap();
    };
    assert_bad(&plant(directory.path(), swap), &[(8192, 8192), (12288, 12288)]);
    plant(directory.path(), swap);
    let other = std::fs::read(directory.path().join("c00004/c00004-f000001")).unwrap();
    let result = plant(directory.path(), |file| file.write_all_at(&other[..4096], 0).unwrap());
    // Both are first pages: the file's number, in the second word, is what differs first.
    assert_bad(&result, &[(0, 8)]);
}

#[test]
fn a_file_that_is_too_short_is_given_up_and_told() {
    let directory = written(&job(Path::new(""), WRITE));
    let result = plant(directory.path(), |file| file.set_len(50_000).unwrap());
    assert_sound(&result);
    let clients = clients(&result);
    assert_eq!((clients.files, clients.files_given_up, clients.clients_gave_up), (59, 1, 0));
    assert_eq!(clients.errors.len(), 1);
    let error = &clients.errors[0];
    assert_eq!(
        (error.operation, error.kind, error.count),
        (ClientOperation::Read, ClientErrorKind::Short, 1)
    );
    assert!(error.first_path.ends_with("/c00003/c00003-f000002"), "{}", error.first_path);
    assert_eq!((count(&result, ClientOperation::Close), clients.bad_records), (60, 0));
}

fn only_error(result: &LoadResult) -> (ClientOperation, ClientErrorKind, u64) {
    assert_sound(result);
    let errors = &clients(result).errors;
    assert_eq!(errors.len(), 1, "{errors:?}");
    (errors[0].operation, errors[0].kind, errors[0].count)
}

#[test]
fn names_that_are_there_collide_and_the_rest_is_written() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join("c00007")).unwrap();
    std::fs::write(directory.path().join("c00007/c00007-f000003"), "precious").unwrap();
    let result = run(&job(directory.path(), WRITE)).unwrap();
    assert_eq!(only_error(&result), (ClientOperation::Create, ClientErrorKind::Exists, 1));
    assert_eq!((clients(&result).files, clients(&result).files_given_up), (59, 1));
    assert_eq!(std::fs::read(directory.path().join("c00007/c00007-f000003")).unwrap(), b"precious");
    // Once more on what is there: each client meets six of its own files.
    let result = run(&job(directory.path(), WRITE)).unwrap();
    assert_eq!(only_error(&result), (ClientOperation::Create, ClientErrorKind::Exists, 60));
    assert_eq!((clients(&result).files, clients(&result).clients_gave_up), (0, 0));
}

#[test]
fn a_client_gives_up_after_ten_files_in_a_row() {
    let directory = tempfile::tempdir().unwrap();
    let plain = job(directory.path(), WRITE);
    let job = ClientsJob { files: FileSet { files_per_client: 30, ..plain.files.clone() }, ..plain };
    std::fs::write(directory.path().join("c00002"), "no directory").unwrap();
    let result = run(&job).unwrap();
    assert_sound(&result);
    let clients = clients(&result);
    let told: Vec<_> =
        clients.errors.iter().map(|error| (error.operation, error.kind, error.count)).collect();
    let (connect, create) = (ClientOperation::Connect, ClientOperation::Create);
    let expected = [(connect, ClientErrorKind::Exists, 1), (create, ClientErrorKind::Missing, 10)];
    assert_eq!(told, expected, "{:?}", clients.errors);
    assert_eq!((clients.files, clients.files_given_up, clients.clients_gave_up), (270, 10, 1));
    assert_eq!(result.ended, Ended::SizeLimit);
}

#[test]
fn a_directory_that_is_removed_under_the_clients_ends_theirs() {
    let directory = written(&job(Path::new(""), WRITE));
    std::fs::remove_dir_all(directory.path().join("c00005")).unwrap();
    let result = run(&job(directory.path(), READ)).unwrap();
    assert_eq!(only_error(&result), (ClientOperation::Open, ClientErrorKind::Missing, 6));
    assert_eq!(clients(&result).files, 54);
}

#[test]
fn all_operations_of_a_client_are_its_own_time() {
    // 7 clients on 2 loops, with rests and a ramp, on nothing: no file system lends its noise.
    let rests = [None, Some(Arrival::Constant), Some(Arrival::Exponential)];
    for (spread, dispatch) in
        rests.into_iter().flat_map(|spread| [(spread, Dispatch::EventLoop), (spread, Dispatch::Threads)])
    {
        let think = spread.map(|spread| Think { mean_ns: 300_000, spread });
        let threads = (dispatch == Dispatch::EventLoop).then_some(2);
        let mut job = ClientsJob { clients: 7, think, dispatch, threads, ..on_nothing(WRITE) };
        job.files.files_per_client = 60;
        let result = run(&job).unwrap();
        assert_whole(&result);
        assert_littles_law(&result);
        let rests = clients(&result).think_ns as f64;
        // 59 rests of each client; sleeping longer than asked is no rest but a slow answer.
        let expected = if think.is_some() { 7.0 * 59.0 * 300_000.0 } else { 0.0 };
        assert!((rests - expected).abs() <= 0.3 * expected, "{rests} against {expected}");
    }
}

#[test]
fn clients_begin_one_after_the_other() {
    let ramp_ns = 400_000_000;
    let result = run(&ClientsJob { ramp_ns, ..on_nothing(WRITE) }).unwrap();
    assert_whole(&result);
    assert_littles_law(&result);
    for (client, job) in result.jobs.iter().enumerate() {
        let start_ns = ramp_ns * client as u64 / 10;
        assert!(job.elapsed_ns.unwrap() >= start_ns, "client {client}");
    }
    assert!(result.elapsed_ns >= ramp_ns * 9 / 10);
    assert!(clients(&result).active_ns < 10 * (result.elapsed_ns - ramp_ns * 9 / 20) + 10 * ramp_ns);
}

fn mix() -> Phase {
    let weighted = |activity, weight| WeightedActivity { activity, weight };
    Phase::Mix {
        activities: vec![
            weighted(Activity::Read, 5),
            weighted(Activity::Create, 3),
            weighted(Activity::Save, 2),
            weighted(Activity::Delete, 3),
            weighted(Activity::Stat, 3),
            weighted(Activity::List, 1),
        ],
    }
}

#[test]
fn a_mix_leaves_only_whole_files() {
    let carried = [
        (1, Dispatch::EventLoop, ClientsInterface::Auto),
        (4, Dispatch::EventLoop, ClientsInterface::IoUring),
        (1, Dispatch::Threads, ClientsInterface::Auto),
    ];
    for (outstanding, dispatch, interface) in carried {
        for tree_kind in [Tree::Own {}, Tree::Shared { depth: 1, fan_out: 4 }] {
            let plain = job(Path::new(""), WRITE);
            let files = FileSet { tree: tree_kind, ..plain.files.clone() };
            let directory = written(&ClientsJob { files: files.clone(), ..plain });
            let time_limit_ns = 300_000_000;
            let threads = (dispatch == Dispatch::EventLoop).then_some(2);
            let mixed = ClientsJob {
                outstanding,
                dispatch,
                threads,
                interface,
                files: files.clone(),
                time_limit_ns,
                ..job(directory.path(), mix())
            };
            let result = run(&mixed).unwrap();
            assert_sound(&result);
            let of = clients(&result);
            // What was asked for by then counts until it is answered.
            assert!(result.ended == Ended::Duration && result.elapsed_ns >= time_limit_ns);
            assert_eq!(result.drain.unwrap().unanswered, 0);
            assert_eq!((of.errors.as_slice(), of.bad_records, of.files_given_up), (&[][..], 0, 0));
            assert!(of.checked_records > 0 && of.first_done_ns.is_none());
            for operation in [
                ClientOperation::Create,
                ClientOperation::Open,
                ClientOperation::Read,
                ClientOperation::Write,
                ClientOperation::Rename,
                ClientOperation::Unlink,
                ClientOperation::Stat,
                ClientOperation::List,
            ] {
                assert!(count(&result, operation) > 0, "{operation:?}");
            }
            // Read the set, and all that was made beyond it: as many as the highest number asks for.
            assert_whole(&run(&ClientsJob { files: files.clone(), ..job(directory.path(), READ) }).unwrap());
            let left = tree(directory.path());
            let number = |path: &PathBuf| -> u32 {
                let name = path.file_name().unwrap().to_str().unwrap();
                name.split_once("-f").unwrap().1.parse().unwrap()
            };
            assert!(left.keys().all(|path| path.extension().is_none()), "{left:?}");
            let highest = left.keys().map(number).max().unwrap();
            assert!(left.len() >= 60 && highest >= 6, "{} files, {highest}", left.len());
            let made = count(&result, ClientOperation::Create);
            assert!(left.len() as u64 <= 60 + made, "{} files, {made} made", left.len());
            if matches!(tree_kind, Tree::Own {}) {
                let all = FileSet { files_per_client: highest + 1, ..files };
                let result = run(&ClientsJob { files: all, ..job(directory.path(), READ) }).unwrap();
                let of = clients(&result);
                assert_eq!(of.bad_records, 0);
                assert!(of.errors.iter().all(|error| error.kind == ClientErrorKind::Missing));
            }
        }
    }
}

#[test]
fn an_interrupted_run_gives_what_it_has_at_once() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let plain = job(directory.path(), mix());
    let jobs = [
        ClientsJob { time_limit_ns: 600_000_000_000, ..plain.clone() },
        ClientsJob { clients: 10_000, threads: None, ..on_nothing(mix()) },
    ];
    for mut endless in jobs {
        endless.files.clients = endless.clients;
        endless.time_limit_ns = 600_000_000_000;
        if endless.target != (ClientsTarget::Null {}) {
            run(&ClientsJob { phase: WRITE, ..endless.clone() }).unwrap();
        }
        let stop = Stop::new();
        let stopper = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(400));
            stop.set();
            Instant::now()
        });
        let result = run_clients(&endless, engine(), &mut Heard::default(), stop).unwrap();
        assert!(stopper.join().unwrap().elapsed() < PATIENCE);
        assert_eq!(result.ended, Ended::Interrupted);
        if result.notes.iter().any(|note| note.code == "clients.unresponsive") {
            // This machine is so busy that a thread did not run in time: the run went on without it.
            continue;
        }
        assert_sound(&result);
        assert!(clients(&result).files > 0);
    }
}

#[test]
fn ten_thousand_clients_on_nothing() {
    let mut many = ClientsJob { clients: 10_000, ..on_nothing(READ) };
    many.files.clients = 10_000;
    let result = run(&many).unwrap();
    assert_whole(&result);
    assert_eq!((result.jobs.len(), clients(&result).files), (10_000, 60_000));
}

#[test]
fn events_are_told_while_clients_run() {
    let mut heard = Heard::default();
    let job = ClientsJob { time_limit_ns: 200_000_000, ..on_nothing(mix()) };
    let result = run_clients(&job, engine(), &mut heard, Stop::new()).unwrap();
    assert!(matches!(heard.events[0], Event::SelfMeasure(_)));
    let told = heard.events.iter().filter(|event| matches!(event, Event::Interval(_))).count();
    assert!(told <= result.intervals.len() && told >= result.intervals.len() - 1, "{told}");
    assert_eq!(result.intervals.len(), 20);
}

/// A small tmpfs, gone with the value; none for users who may not mount.
struct Mounted(tempfile::TempDir);

impl Mounted {
    fn tmpfs(options: &str) -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let mut mount = std::process::Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "fsgauge-test"]).arg(directory.path());
        let is_mounted = mount.output().is_ok_and(|output| output.status.success());
        is_mounted.then_some(Mounted(directory))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg("-l").arg(self.path()).output();
    }
}

/// What was removed takes room while another process has it open: one that another test is just starting.
fn wait_for_room(directory: &Path) {
    let begin = Instant::now();
    while rustix::fs::statvfs(directory).unwrap().f_bfree * 4096 < 63 << 20 {
        assert!(begin.elapsed() < PATIENCE, "the room does not come back");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_storage_that_fills_up_under_the_clients_ends_them() {
    // 64 MiB are free when the job is checked; the listener takes nearly all of it then.
    let Some(mounted) = Mounted::tmpfs("size=64m") else { return };
    struct Eater(PathBuf);
    impl fsgauge_wire::Listener for Eater {
        fn event(&mut self, event: Event) -> std::io::Result<()> {
            if matches!(event, Event::SelfMeasure(_)) {
                std::fs::write(&self.0, vec![1; 63 << 20])?;
            }
            Ok(())
        }
    }
    for (name, mut job) in variants(mounted.path(), WRITE) {
        let eaten = mounted.path().join("eaten");
        job.files.sizes = FileSizes::Cycle { sizes_bytes: vec![300_000] };
        wait_for_room(mounted.path());
        let result = run_clients(&job, engine(), &mut Eater(eaten.clone()), Stop::new()).unwrap();
        assert_sound(&result);
        let of = clients(&result);
        assert_eq!((of.clients_gave_up, result.ended), (10, Ended::SizeLimit), "{name}");
        assert!(of.errors.iter().all(|error| error.kind == ClientErrorKind::NoSpace), "{:?}", of.errors);
        assert!(of.errors[0].message.contains("No space left"), "{name}: {}", of.errors[0].message);
        assert_eq!((of.first_done_ns, of.files_given_up >= 10), (None, true), "{name}");
        std::fs::remove_file(eaten).unwrap();
        (0..10).for_each(|client| {
            std::fs::remove_dir_all(mounted.path().join(format!("c{client:05}"))).unwrap();
        });
    }
}

#[test]
fn what_may_not_be_written_is_told() {
    let (directory, mounted) = (tempfile::tempdir().unwrap(), Mounted::tmpfs("ro,size=16m"));
    let (path, expected) = match &mounted {
        Some(mounted) => (mounted.path(), ClientErrorKind::ReadOnly),
        None => (directory.path(), ClientErrorKind::PermissionDenied),
    };
    if mounted.is_none() {
        let only_read = std::os::unix::fs::PermissionsExt::from_mode(0o555);
        std::fs::set_permissions(path, only_read).unwrap();
    }
    let result = run(&job(path, WRITE)).unwrap();
    assert_sound(&result);
    let of = clients(&result);
    let told: Vec<_> = of.errors.iter().map(|error| (error.operation, error.kind, error.count)).collect();
    let (connect, create) = (ClientOperation::Connect, ClientOperation::Create);
    assert_eq!(told, [(connect, expected, 10), (create, ClientErrorKind::Missing, 60)]);
    assert_eq!((of.files, of.files_given_up), (0, 60));
}

fn refusal(job: &ClientsJob) -> String {
    let failure = run(job).unwrap_err();
    assert_eq!(failure.exit_code(), 2, "{failure:?}");
    format!("{}; {}", failure.what, failure.next)
}

#[test]
fn what_does_not_fit_is_refused_with_what_would() {
    let directory = tempfile::tempdir().unwrap();
    let plain = job(directory.path(), WRITE);
    let many = |clients| {
        let files = FileSet { clients, ..plain.files.clone() };
        ClientsJob { clients, outstanding: 6, interface: ClientsInterface::Plain, files, ..plain.clone() }
    };
    let told = refusal(&many(1_000_000));
    assert!(told.starts_with("1000000 clients with 6 open files each need"), "{told}");
    let fitting: u32 =
        told.split("set clients to ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((10..1_000_000).contains(&fitting), "{told}");
    assert_eq!(tree(directory.path()).len(), 0);

    if let Some(mounted) = Mounted::tmpfs("size=1m,nr_inodes=40") {
        let path = mounted.path().display().to_string();
        let small = ClientsJob { target: ClientsTarget::Path { directory: path }, ..plain.clone() };
        let told = refusal(&small);
        // 20 files of each size: 16384, 8192 and 102400 stored bytes.
        assert!(told.contains("write 2539520 bytes") && told.contains("1048576 free"), "{told}");
        assert!(told.ends_with("set files_per_client to 2 at most"), "{told}");
        let mut fewer = small;
        fewer.files.sizes = FileSizes::Cycle { sizes_bytes: vec![100] };
        let told = refusal(&fewer);
        assert!(told.contains("need 70 inodes") && told.contains("39 free"), "{told}");
        assert!(told.ends_with("set files_per_client to 2 at most"), "{told}");
        fewer.files.files_per_client = 2;
        assert_whole(&run(&fewer).unwrap());
    }
}

#[test]
fn jobs_that_cannot_be_are_refused() {
    let plain = on_nothing(WRITE);
    let with = |change: &dyn Fn(&mut ClientsJob)| {
        let mut job = plain.clone();
        change(&mut job);
        job
    };
    let weighted = |activity, weight| WeightedActivity { activity, weight };
    let lognormal = |sigma, median_bytes| FileSizes::Lognormal {
        median_bytes,
        sigma,
        smallest_bytes: 10,
        largest_bytes: 1000,
    };
    let mixed = |activities: Vec<WeightedActivity>| on_nothing(Phase::Mix { activities });
    let threads = with(&|job| (job.dispatch, job.threads) = (Dispatch::Threads, None));
    let refusals = [
        (with(&|job| job.clients = 0), "clients 0 is not between 1 and 1000000"),
        (with(&|job| job.clients = 11), "11 clients are more than the file set's 10"),
        (with(&|job| job.outstanding = 0), "outstanding 0 is not between 1 and 1024"),
        (with(&|job| job.outstanding = 7), "outstanding 7 is more than the 6 files of a client"),
        (with(&|job| job.threads = Some(0)), "threads 0 is not between 1 and 256"),
        (with(&|job| job.time_limit_ns = 0), "time_limit_ns is 0"),
        (with(&|job| job.interval_ns = 1), "interval_ns 1 is below 1000000"),
        (with(&|job| job.ramp_ns = job.time_limit_ns), "ramp_ns 60000000000 does not end before"),
        (
            with(&|job| job.think = Some(Think { mean_ns: 0, spread: Arrival::Constant })),
            "think.mean_ns is 0",
        ),
        (with(&|job| job.files.files_per_client = 0), "files.files_per_client is 0"),
        (with(&|job| job.files.record_size_bytes = 0), "files.record_size_bytes 0 is not between"),
        (
            with(&|job| job.files.tree = Tree::Shared { depth: 9, fan_out: 1 }),
            "a tree of depth 9 and fan_out 1 is not supported",
        ),
        (
            with(&|job| job.files.tree = Tree::Shared { depth: 2, fan_out: 1001 }),
            "a tree of depth 2 and fan_out 1001 is not supported",
        ),
        (
            with(&|job| job.files.sizes = FileSizes::Cycle { sizes_bytes: vec![] }),
            "0 file sizes are not between 1 and 1000",
        ),
        (with(&|job| job.files.sizes = lognormal(0.0, 100)), "sigma 0 is not above 0"),
        (with(&|job| job.files.sizes = lognormal(f64::NAN, 100)), "sigma NaN is not above 0"),
        (with(&|job| job.files.sizes = lognormal(1.0, 5)), "median_bytes 5 is not between smallest_bytes 10"),
        (
            with(&|job| job.data = Data::Compressible { compressible_percent: 101 }),
            "compressible_percent 101 is above 100",
        ),
        (ClientsJob { threads: Some(2), ..threads.clone() }, "threads is 2 with dispatch \"threads\""),
        (ClientsJob { outstanding: 2, ..threads.clone() }, "outstanding is 2 with dispatch \"threads\""),
        (
            ClientsJob { interface: ClientsInterface::IoUring, ..threads },
            "interface is \"io_uring\" with dispatch \"threads\"",
        ),
        (mixed(vec![]), "a mix of no activities"),
        (mixed(vec![weighted(Activity::Read, 0)]), "activity read has weight 0"),
        (
            mixed(vec![weighted(Activity::Read, 1), weighted(Activity::Read, 1)]),
            "activity read is there twice",
        ),
        (mixed(vec![weighted(Activity::Delete, 1)]), "a mix that deletes and never creates"),
        (job(Path::new("/nowhere/at/all"), WRITE), "clients cannot work in /nowhere/at/all; mkdir -p"),
        (job(Path::new("/proc/version"), WRITE), "clients cannot work in /proc/version; name a directory"),
    ];
    for (job, expected) in refusals {
        let told = refusal(&job);
        assert!(told.starts_with(expected), "{told}");
    }
}

#[test]
fn what_was_appended_to_a_file_is_seen_though_no_client_reads_it() {
    let directory = written(&job(Path::new(""), WRITE));
    let files: Vec<PathBuf> =
        tree(directory.path()).into_keys().map(|path| directory.path().join(path)).collect();
    for (path, more) in files.iter().zip([&b"x"[..], &[0; 5000]]) {
        let file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
        std::io::Write::write_all(&mut &file, more).unwrap();
    }
    let result = run(&job(directory.path(), READ)).unwrap();
    let of = clients(&result);
    assert_eq!((of.bad_records, of.bad.len(), of.files_given_up), (2, 2, 0));
    for bad in &of.bad {
        assert!(files[..2].iter().any(|path| path.display().to_string() == bad.path), "{bad:?}");
        assert_eq!(bad.offset_bytes, bad.first_byte);
        assert!(bad.first_byte < std::fs::metadata(&bad.path).unwrap().len());
    }
    let unchecked = run(&ClientsJob { verify: false, ..job(directory.path(), READ) }).unwrap();
    assert_eq!(clients(&unchecked).bad_records, 0);
}
