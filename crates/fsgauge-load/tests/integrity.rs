//! Verified loads from start to end: clean where nothing went wrong, and told where something did.

use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use fsgauge_load::run_load;
use fsgauge_wire::{
    Access, Descriptors, Event, IntegrityResult, Interface, JobsOfAll, Listener, LoadJob, LoadResult, Ranges,
    Stop,
};

use crate::support::{engine, run};
use crate::writers::verified;

const BLOCK_BYTES: u32 = 8192;
const BLOCKS: u64 = 64;
const WRITERS: u32 = 4;
/// Every block was written.
const WHOLE: RangeInclusive<u64> = BLOCKS..=BLOCKS;

/// Four writers, one file or one file each, one second at most.
fn load(directory: &Path, ranges: Ranges) -> LoadJob {
    let load = verified(directory, ranges, WRITERS, BLOCKS, BLOCK_BYTES);
    LoadJob { queue_depth: 4, duration_ns: 100_000_000, ..load }
}

fn faults(integrity: &IntegrityResult) -> u64 {
    let IntegrityResult { corrupt_blocks, torn_blocks, foreign_blocks, stale_blocks, lost_blocks, .. } =
        integrity;
    corrupt_blocks + torn_blocks + foreign_blocks + stale_blocks + lost_blocks
}

fn assert_clean(result: &LoadResult, blocks: RangeInclusive<u64>, shown: &str) {
    let integrity = result.integrity.as_ref().unwrap();
    assert!(blocks.contains(&integrity.checked_blocks), "{shown}: {integrity:?}");
    assert_eq!(faults(integrity), 0, "{shown}: {integrity:?}");
    assert!(integrity.faulty.is_empty() && integrity.elapsed_ns > 0, "{shown}");
}

#[test]
fn what_is_written_is_found_again() {
    let directory = tempfile::tempdir().unwrap();
    let each = [
        Ranges::Shared {},
        Ranges::Segmented {},
        Ranges::Interleaved {},
        Ranges::Strided { stride_bytes: 3 * u64::from(BLOCK_BYTES) },
        Ranges::OwnFiles {},
    ];
    for ranges in each {
        for (interface, queue_depth) in [(Interface::Psync, 1), (Interface::IoUring, 4)] {
            for descriptors in [Descriptors::Own, Descriptors::Shared] {
                let load = LoadJob { interface, queue_depth, descriptors, ..load(directory.path(), ranges) };
                let passes = LoadJob { passes: Some(3), duration_ns: 60_000_000_000, ..load.clone() };
                // How far a load comes in its time is up to the machine.
                for (load, access, blocks) in [
                    (&load, Access::Random {}, 1..=BLOCKS),
                    (&passes, Access::Random {}, WHOLE),
                    (&passes, Access::Sequential {}, WHOLE),
                ] {
                    let load = LoadJob { access, ..load.clone() };
                    assert_clean(&run(load.clone()).unwrap(), blocks, &format!("{load:?}"));
                }
            }
        }
    }
}

/// A queue of one is full with a single place. It was refused as one that is hardly ever filled.
#[test]
fn one_place_for_each_writer_is_checked() {
    let directory = tempfile::tempdir().unwrap();
    for interface in [Interface::Psync, Interface::IoUring] {
        let load = verified(directory.path(), Ranges::Segmented {}, WRITERS, u64::from(WRITERS), BLOCK_BYTES);
        let load = LoadJob { interface, passes: Some(5), duration_ns: 60_000_000_000, ..load };
        assert_clean(&run(load).unwrap(), 4..=4, "one place");
    }
}

#[test]
fn a_file_that_is_extended_is_checked_as_well() {
    let directory = tempfile::tempdir().unwrap();
    for ranges in [Ranges::Interleaved {}, Ranges::OwnFiles {}] {
        let load = LoadJob { extend: true, passes: Some(1), ..load(directory.path(), ranges) };
        let load = LoadJob { duration_ns: 60_000_000_000, ..load };
        assert_clean(&run(load).unwrap(), WHOLE, "extended");
    }
}

/// Each engine checks what it has written, and leaves alone what another one has, whoever comes first.
#[test]
fn engines_that_share_a_file_check_their_own_places() {
    let directory = tempfile::tempdir().unwrap();
    for ranges in [Ranges::Segmented {}, Ranges::Interleaved {}] {
        let whole =
            LoadJob { passes: Some(1), duration_ns: 60_000_000_000, ..load(directory.path(), ranges) };
        for (first, jobs, blocks) in [(0, 1, BLOCKS / 4), (1, 3, BLOCKS * 3 / 4), (0, 1, BLOCKS / 4)] {
            let jobs_of_all = Some(JobsOfAll { first, of: WRITERS });
            let load =
                LoadJob { jobs, jobs_of_all, seed: whole.seed + u64::from(first) + 1, ..whole.clone() };
            assert_clean(&run(load).unwrap(), blocks..=blocks, &format!("{ranges:?} from {first}"));
        }
    }
}

/// Disjoint places: what direct writes to one place at the same time leave is up to the file system.
#[test]
fn direct_writes_are_checked_by_direct_reads() {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for ranges in [Ranges::Segmented {}, Ranges::Interleaved {}, Ranges::OwnFiles {}] {
        let load = LoadJob { direct: true, passes: Some(2), ..load(directory.path(), ranges) };
        match run(LoadJob { duration_ns: 60_000_000_000, ..load }) {
            Ok(result) => assert_clean(&result, WHOLE, "direct"),
            Err(failure) => assert_eq!(failure.cause, "its file system has no direct I/O"),
        }
    }
}

/// Half of the places are written: a job that has ended in its first pass has left the rest alone.
#[test]
fn places_that_were_not_written_are_not_checked() {
    let directory = tempfile::tempdir().unwrap();
    let size_limit_bytes = Some(BLOCKS / 2 * u64::from(BLOCK_BYTES));
    let load = LoadJob { size_limit_bytes, ..load(directory.path(), Ranges::Segmented {}) };
    let load = LoadJob { duration_ns: 60_000_000_000, ..load };
    assert_clean(&run(load).unwrap(), BLOCKS / 2..=BLOCKS / 2, "half");
}

/// Says when a load writes.
struct Writes(Sender<()>);

impl Listener for Writes {
    fn event(&mut self, event: Event) -> std::io::Result<()> {
        if matches!(event, Event::Interval(interval) if interval.write.operations > 0) {
            // Nobody waits for more than the first.
            let _ = self.0.send(());
        }
        Ok(())
    }
}

/// The second load goes on while the first one is checked.
#[test]
fn another_load_on_the_same_file_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let first = LoadJob { duration_ns: 200_000_000, ..load(directory.path(), Ranges::Segmented {}) };
    let second = LoadJob { seed: first.seed + 1, duration_ns: 60_000_000_000, ..first.clone() };
    let second = LoadJob { interval_ns: 10_000_000, ..second };
    let stop = Stop::new();
    let (sender, writes) = channel();
    let intruder = std::thread::spawn(move || run_load(second, engine(), None, &mut Writes(sender), stop));
    writes.recv_timeout(Duration::from_secs(20)).unwrap();
    let result = run(first);
    stop.set();
    let interrupted = intruder.join().unwrap().unwrap();
    let integrity = result.unwrap().integrity.unwrap();
    assert!(integrity.foreign_blocks > 0, "{integrity:?}");
    assert_eq!(integrity.faulty.len() as u64, faults(&integrity).min(20));
    assert!(interrupted.integrity.is_none());
    assert!(interrupted.notes.iter().any(|note| note.code == "integrity.skipped"));
}

#[test]
fn a_load_that_did_not_ask_is_not_checked() {
    let directory = tempfile::tempdir().unwrap();
    let result = run(LoadJob { verify: false, ..load(directory.path(), Ranges::Shared {}) }).unwrap();
    assert!(result.integrity.is_none());
    assert!(result.notes.iter().all(|note| note.code != "integrity.skipped"));
}
