//! The stonewall with wear-out, and the phases behind it on the files that are there; renames and lists.

use std::path::Path;

use fsgauge_wire::{
    ClientOperation, ClientsInterface, ClientsJob, Dispatch, Ended, FileOrder, FileSet, FileSizes, Phase,
    Tree,
};

use super::jobs::{WRITE, assert_littles_law, assert_sound, assert_whole, clients, count, job, run, tree};

const CLIENTS: u32 = 3;
/// More than anybody makes within the stonewall.
const MOST: u32 = 900_000;

/// Clients of empty files in one folder, for whom the time is too short.
fn walled(directory: &Path, phase: Phase) -> ClientsJob {
    let files = FileSet {
        clients: CLIENTS,
        files_per_client: MOST,
        sizes: FileSizes::Cycle { sizes_bytes: vec![0] },
        record_size_bytes: 4096,
        tree: Tree::Shared { depth: 1, fan_out: 1 },
    };
    ClientsJob {
        clients: CLIENTS,
        dispatch: Dispatch::Threads,
        threads: None,
        interface: ClientsInterface::Plain,
        files,
        wear_out: phase == WRITE,
        only_existing: phase != WRITE,
        time_limit_ns: if phase == WRITE { 60_000_000 } else { 60_000_000_000 },
        verify: false,
        ..job(directory, phase)
    }
}

#[test]
fn every_client_goes_on_until_it_has_as_many_files_as_the_one_that_had_most() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let result = run(&walled(directory.path(), WRITE)).unwrap();
    assert_whole(&result);
    assert_littles_law(&result);
    let made = clients(&result);
    assert!(made.stonewall_ns.is_some_and(|at_ns| at_ns >= 60_000_000 && at_ns <= result.elapsed_ns));
    assert!(made.fewest_files <= made.most_files && made.most_files < MOST);
    assert_eq!(made.files, u64::from(CLIENTS * made.most_files));
    assert_eq!(tree(directory.path()).len() as u64, made.files);
    for (phase, operation, each) in [
        (Phase::Stat {}, ClientOperation::Stat, 1),
        (Phase::Rename {}, ClientOperation::Rename, 2),
        (Phase::Delete {}, ClientOperation::Unlink, 1),
    ] {
        let order = if each == 2 { FileOrder::Number } else { FileOrder::Random };
        let result = run(&ClientsJob { order, ..walled(directory.path(), phase) }).unwrap();
        assert_whole(&result);
        let all = each * u64::from(CLIENTS * made.most_files);
        assert_eq!((count(&result, operation), clients(&result).files), (all, all), "{operation:?}");
    }
    assert!(tree(directory.path()).is_empty());
}

#[test]
fn a_time_limit_without_wear_out_says_how_far_each_came() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let result = run(&ClientsJob { wear_out: false, ..walled(directory.path(), WRITE) }).unwrap();
    assert_sound(&result);
    let made = clients(&result);
    assert_eq!((result.ended, made.stonewall_ns), (Ended::Duration, None));
    assert!(made.files <= u64::from(CLIENTS * made.most_files));
    assert!(made.files >= u64::from(CLIENTS * made.fewest_files) - u64::from(CLIENTS));
    let removed = run(&walled(directory.path(), Phase::Delete {})).unwrap();
    assert_whole(&removed);
    assert!(tree(directory.path()).is_empty());
}

#[test]
fn who_is_done_before_the_stonewall_waits_for_nobody() {
    let directory = tempfile::tempdir_in("/dev/shm").unwrap();
    let mut few = walled(directory.path(), WRITE);
    few.files.files_per_client = 20;
    few.time_limit_ns = 60_000_000_000;
    let result = run(&few).unwrap();
    assert_whole(&result);
    let made = clients(&result);
    assert_eq!((made.fewest_files, made.most_files, made.stonewall_ns), (20, 20, None));
}

#[test]
fn a_list_gives_all_names_of_the_folder() {
    for shared in [true, false] {
        let directory = tempfile::tempdir_in("/dev/shm").unwrap();
        let asked = |phase: Phase, files_per_client| {
            let mut asked = walled(directory.path(), phase);
            (asked.wear_out, asked.only_existing, asked.time_limit_ns) = (false, false, 60_000_000_000);
            asked.files.files_per_client = files_per_client;
            if !shared {
                asked.files.tree = Tree::Own {};
            }
            asked
        };
        assert_whole(&run(&asked(WRITE, 50)).unwrap());
        let listed = run(&asked(Phase::List {}, 2)).unwrap();
        assert_whole(&listed);
        let folder = if shared { 3 * 50 } else { 50 };
        assert_eq!((clients(&listed).files, clients(&listed).names), (6, 6 * folder));
        assert_eq!(count(&listed, ClientOperation::List), 6);
    }
}
