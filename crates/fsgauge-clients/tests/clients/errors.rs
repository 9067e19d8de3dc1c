//! Errors of operations: counted, named, and where clients give up.

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;
use std::time::Instant;

use fsgauge_clients::run_clients;
use fsgauge_wire::{
    ClientErrorKind, ClientOperation, ClientsJob, Ended, Event, FileSet, FileSizes, LoadResult, Stop,
};

use super::jobs::*;
use super::mounted::Mounted;
use crate::results::engine;

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
