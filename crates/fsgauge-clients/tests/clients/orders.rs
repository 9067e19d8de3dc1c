//! The order in which clients come to their files, and the sync at the end.

use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use fsgauge_wire::{
    ClientErrorKind, ClientOperation, ClientsInterface, ClientsJob, Dispatch, FileOrder, FileSet, FileSizes,
    Phase, Tree,
};

use super::jobs::{READ, WRITE, assert_whole, clients, count, job, on_nothing, run};

const FILES: u32 = 300;

/// One client of so many empty files, as Bonnie++ has them.
fn one(directory: &Path, phase: Phase, order: FileOrder) -> ClientsJob {
    let sizes = FileSizes::Cycle { sizes_bytes: vec![0] };
    let files = FileSet { clients: 1, files_per_client: FILES, sizes, ..job(directory, WRITE).files };
    ClientsJob {
        clients: 1,
        dispatch: Dispatch::Threads,
        threads: None,
        interface: ClientsInterface::Plain,
        files,
        order,
        ..job(directory, phase)
    }
}

fn path(directory: &Path, file: u32) -> PathBuf {
    directory.join(format!("c00000/c00000-f{file:06}"))
}

/// The files in the order in which their inodes were made: on tmpfs numbers count up.
fn as_made(directory: &Path) -> Vec<u32> {
    let mut found: Vec<(u64, u32)> =
        (0..FILES).map(|file| (std::fs::metadata(path(directory, file)).unwrap().ino(), file)).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, file)| file).collect()
}

#[test]
fn a_random_order_makes_finds_and_removes_every_file_once() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    for phase in [WRITE, Phase::Stat {}, READ, Phase::Delete {}] {
        let is_new = phase == WRITE;
        let result = run(&one(directory.path(), phase.clone(), FileOrder::Random)).unwrap();
        assert_whole(&result);
        assert_eq!(clients(&result).files, u64::from(FILES), "{phase:?}");
        if is_new {
            let made = as_made(directory.path());
            assert_eq!(made.iter().collect::<BTreeSet<_>>().len(), FILES as usize);
            let ascending = made.windows(2).filter(|pair| pair[0] < pair[1]).count();
            assert!((100..200).contains(&ascending), "{ascending} of {FILES} go up");
        }
    }
    assert_eq!(std::fs::read_dir(directory.path().join("c00000")).unwrap().count(), 0);
}

#[test]
fn the_order_of_a_directory_finds_every_file() {
    for (interface, outstanding) in [(ClientsInterface::Plain, 1), (ClientsInterface::Auto, 3)] {
        let directory = tempfile::tempdir().unwrap();
        run(&one(directory.path(), WRITE, FileOrder::Number)).unwrap();
        std::fs::write(directory.path().join("c00000/a-stranger"), "").unwrap();
        std::fs::write(directory.path().join("c00000/c00000-f999999"), "").unwrap();
        for (phase, operation) in
            [(Phase::Stat {}, ClientOperation::Stat), (Phase::Delete {}, ClientOperation::Unlink)]
        {
            let dispatch = if outstanding == 1 { Dispatch::Threads } else { Dispatch::EventLoop };
            let asked = ClientsJob {
                interface,
                outstanding,
                dispatch,
                ..one(directory.path(), phase, FileOrder::Directory)
            };
            let result = run(&asked).unwrap();
            assert_whole(&result);
            assert_eq!(count(&result, operation), u64::from(FILES));
            assert!(count(&result, ClientOperation::List) >= 1);
        }
        // What is not of the set stays.
        assert_eq!(std::fs::read_dir(directory.path().join("c00000")).unwrap().count(), 2);
    }
}

#[test]
fn files_that_a_directory_lacks_are_errors_and_none_is_visited_twice() {
    let directory = tempfile::tempdir().unwrap();
    run(&one(directory.path(), WRITE, FileOrder::Number)).unwrap();
    for file in [3, 100, 299] {
        std::fs::remove_file(path(directory.path(), file)).unwrap();
    }
    let result = run(&one(directory.path(), Phase::Stat {}, FileOrder::Directory)).unwrap();
    let clients = clients(&result);
    assert_eq!((clients.files, clients.files_given_up), (u64::from(FILES) - 3, 3));
    assert_eq!(clients.errors[0].kind, ClientErrorKind::Missing);
}

#[test]
fn a_directory_that_is_not_there_is_an_error_of_its_listing() {
    let directory = tempfile::tempdir().unwrap();
    let result = run(&one(directory.path(), Phase::Stat {}, FileOrder::Directory)).unwrap();
    let listing = clients(&result).errors.iter().find(|error| error.operation == ClientOperation::List);
    assert_eq!(listing.unwrap().kind, ClientErrorKind::Missing);
    assert_eq!(clients(&result).clients_gave_up, 1);
}

#[test]
fn a_sync_at_the_end_is_in_no_other_time() {
    let directory = tempfile::tempdir().unwrap();
    let asked = ClientsJob { sync_at_end: true, ..one(directory.path(), WRITE, FileOrder::Number) };
    let result = run(&asked).unwrap();
    assert_whole(&result);
    assert!(clients(&result).sync_at_end_ns.unwrap() > 0);
    let unasked = one(directory.path(), Phase::Delete {}, FileOrder::Number);
    assert_eq!(clients(&run(&unasked).unwrap()).sync_at_end_ns, None);
}

#[test]
fn orders_that_make_no_sense_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let asked = |phase, order| one(directory.path(), phase, order);
    let shared = FileSet {
        tree: Tree::Shared { depth: 1, fan_out: 2 },
        ..asked(Phase::Stat {}, FileOrder::Directory).files
    };
    let refused = [
        (
            asked(WRITE, FileOrder::Directory),
            "job.order: order \"directory\" in a phase that does not find its files",
        ),
        (
            ClientsJob { files: shared, ..asked(Phase::Stat {}, FileOrder::Directory) },
            "job.order: order \"directory\" on a server, on nothing, or in a shared tree",
        ),
        (
            ClientsJob { order: FileOrder::Directory, ..on_nothing(READ) },
            "job.order: order \"directory\" on a server, on nothing, or in a shared tree",
        ),
        (
            ClientsJob { sync_at_end: true, ..on_nothing(WRITE) },
            "job.sync_at_end: sync_at_end on a target that is not a path",
        ),
    ];
    for (asked, expected) in refused {
        let failure = run(&asked).unwrap_err();
        assert_eq!(format!("{}: {}", failure.code, failure.what), expected);
        assert_eq!(failure.exit_code(), 2);
    }
}
