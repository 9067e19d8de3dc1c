//! Descriptors of the clients' threads: each has a table of its own, and what happens when they run out. Alone in its
//! process, whose limit it lowers.

#[path = "../../fsgauge-load/tests/support/results.rs"]
mod results;

use std::fs::{File, read_dir, read_link, read_to_string};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use fsgauge_clients::run_clients;
use fsgauge_wire::{
    ClientErrorKind, ClientOperation, ClientsJob, ClientsTarget, Data, Ended, Event, FileSet, FileSizes,
    Listener, Stop, Tree,
};
use results::{Heard, engine};
use rustix::process::{Resource, Rlimit, setrlimit};

/// Opens files until no more can be opened, once the job has been checked; then closes some.
#[derive(Default)]
struct Taker {
    taken: Vec<File>,
}

const LEFT: usize = 12;

impl Listener for Taker {
    fn event(&mut self, event: Event) -> std::io::Result<()> {
        if matches!(event, Event::SelfMeasure(_)) {
            while let Ok(file) = File::open("/dev/null") {
                self.taken.push(file);
            }
            self.taken.truncate(self.taken.len() - LEFT);
        }
        Ok(())
    }
}

/// Whether a thread of clients has a file of a directory open, before and after the calling thread has not.
fn is_apart(directory: &Path) -> bool {
    let threads = read_dir("/proc/self/task").unwrap().flatten().map(|each| each.path());
    threads
        .filter(|each| read_to_string(each.join("comm")).is_ok_and(|name| name.starts_with("clients-")))
        .flat_map(|each| read_dir(each.join("fd")).into_iter().flatten().flatten())
        .map(|each| (Path::new("/proc/thread-self/fd").join(each.file_name()), each.path()))
        .any(|(here, there)| {
            let [first, own, last] = [&there, &here, &there].map(|each| read_link(each).ok());
            first.as_ref().is_some_and(|each| each.starts_with(directory)) && own != first && first == last
        })
}

fn threads_of_clients_open_files_in_tables_of_their_own() {
    let directory = tempfile::tempdir().unwrap();
    let job = job_in(directory.path(), 2);
    let job = ClientsJob { files: FileSet { files_per_client: 400, ..job.files }, ..job };
    let running = AtomicBool::new(true);
    let (ran, apart) = thread::scope(|scope| {
        let looking = scope.spawn(|| {
            let mut apart = false;
            while !apart && running.load(Ordering::Relaxed) {
                apart = is_apart(directory.path());
            }
            apart
        });
        let ran = run_clients(&job, engine(), &mut Heard::default(), Stop::new());
        running.store(false, Ordering::Relaxed);
        (ran, looking.join().unwrap())
    });
    ran.unwrap();
    assert!(apart);
}

fn job_in(directory: &Path, threads: u32) -> ClientsJob {
    ClientsJob {
        target: ClientsTarget::Path { directory: directory.display().to_string() },
        clients: 50,
        threads: Some(threads),
        files: FileSet {
            clients: 50,
            files_per_client: 4,
            sizes: FileSizes::Cycle { sizes_bytes: vec![8192] },
            record_size_bytes: 4096,
            tree: Tree::Own {},
        },
        data: Data::Incompressible,
        ..ClientsJob::plain()
    }
}

/// One test: the second lowers the limit of the process.
#[test]
fn tables_are_apart_and_full_ones_are_told() {
    threads_of_clients_open_files_in_tables_of_their_own();
    too_many_open_files_are_counted_and_the_run_goes_on();
}

fn too_many_open_files_are_counted_and_the_run_goes_on() {
    let limit = Rlimit { current: Some(400), maximum: Some(400) };
    setrlimit(Resource::Nofile, limit).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let job = job_in(directory.path(), 1);
    let mut taker = Taker::default();
    let result = run_clients(&job, engine(), &mut taker, Stop::new()).unwrap();
    drop(taker);
    let of = result.clients.unwrap();
    assert_eq!((result.ended, of.errors.len()), (Ended::SizeLimit, 1), "{:?}", of.errors);
    let error = &of.errors[0];
    assert_eq!((error.operation, error.kind), (ClientOperation::Create, ClientErrorKind::TooManyOpenFiles));
    assert_eq!((of.files + of.files_given_up, of.files_given_up), (200, error.count));
    assert!(of.files > 0 && error.message.contains("Too many open files"), "{}", error.message);

    let many = ClientsJob { clients: 1000, files: FileSet { clients: 1000, ..job.files.clone() }, ..job };
    let failure = run_clients(&many, engine(), &mut Taker::default(), Stop::new()).unwrap_err();
    assert_eq!(failure.code, "job.clients");
    let fitting: u32 =
        failure.next.split("set clients to ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    assert!((200..400).contains(&fitting), "{}", failure.next);
}
