//! A mix on real files: loads begin together, each has its own result, operations on names leave a whole set.

use std::num::NonZeroU32;
use std::path::Path;

use fsgauge_load::run_mix;
use fsgauge_wire::{
    Access, Arrival, BlockSize, FileOperation, FileSizes, Interface, LoadJob, LoadResult, MixJob, Ranges,
    Rate, Stop, Sync, Target, WeightedOperation,
};

use crate::support::{Heard, assert_consistent, engine, files, null_load, operations};

fn mix(loads: &[LoadJob], lay_out: bool) -> Vec<LoadResult> {
    begun(loads, lay_out, None)
}

fn begun(loads: &[LoadJob], lay_out: bool, start_at_ns: Option<u64>) -> Vec<LoadResult> {
    let (loads, start_on_order) = (loads.to_vec(), false);
    let mix =
        MixJob { format: 1, loads, lay_out, held: Vec::new(), lease: None, start_at_ns, start_on_order };
    run_mix(mix, engine(), &mut Heard::default(), Stop::new()).unwrap().results
}

fn measured(loads: &[LoadJob]) -> Vec<LoadResult> {
    assert!(mix(loads, true).is_empty());
    mix(loads, false)
}

fn set(directory: &Path, drawn: &[(FileOperation, u32)]) -> LoadJob {
    let directory = directory.display().to_string();
    let one = |(operation, weight): &(FileOperation, u32)| WeightedOperation {
        operation: *operation,
        weight: *weight,
    };
    LoadJob {
        target: Target::Files { directory, prefix: "f".into(), count: 250, file_size_bytes: 9000 },
        file_sizes: Some(FileSizes::Cycle { sizes_bytes: vec![0, 100, 9000] }),
        operations: drawn.iter().map(one).collect(),
        interface: Interface::Psync,
        queue_depth: 1,
        jobs: 2,
        read_percent: 50,
        ..null_load()
    }
}

#[test]
fn unlike_loads_run_at_once_and_are_measured_apart() {
    let directory = tempfile::tempdir().unwrap();
    let target = files(directory.path());
    let reads = LoadJob { target: target.clone(), access: Access::Pareto { h: 0.2 }, ..null_load() };
    let late = LoadJob {
        target,
        access: Access::Backwards {},
        read_percent: 0,
        start_after_ns: 100_000_000,
        warm_up_ns: 0,
        duration_ns: 100_000_000,
        files_per_job: NonZeroU32::new(1),
        jobs: 3,
        ..null_load()
    };
    let results = measured(&[reads, late]);
    assert!(results[0].write.is_none() && results[1].read.is_none());
    assert!(results.iter().all(|result| operations(result) > 100));
    results.iter().for_each(assert_consistent);
    let apart_ns = results[1].started_unix_ns - results[0].started_unix_ns;
    assert!((90_000_000..200_000_000).contains(&apart_ns), "{apart_ns}");
}

#[test]
fn jobs_with_a_file_each_make_their_own_durable() {
    let directory = tempfile::tempdir().unwrap();
    let log = LoadJob {
        target: files(directory.path()),
        files_per_job: NonZeroU32::new(1),
        jobs: 3,
        queue_depth: 1,
        read_percent: 0,
        sync: Sync::Fdatasync { every: 1 },
        ..null_load()
    };
    let result = measured(&[log]).remove(0);
    assert!(result.sync.is_some_and(|sync| sync.calls > 0));
    assert!(result.jobs.iter().all(|job| job.operations > 0), "{:?}", result.jobs);
}

#[test]
fn each_job_takes_its_own_files_in_turns() {
    let directory = tempfile::tempdir().unwrap();
    let target = Target::Files {
        directory: directory.path().display().to_string(),
        prefix: "f".into(),
        count: 4,
        file_size_bytes: 40 << 10,
    };
    let turns = LoadJob {
        target,
        files_in_turn: NonZeroU32::new(3),
        files_per_job: NonZeroU32::new(2),
        jobs: 2,
        read_percent: 0,
        ..null_load()
    };
    let once = LoadJob { ranges: Some(Ranges::Shared {}), ..turns.clone() };
    for load in [turns, once] {
        let result = measured(&[load]).remove(0);
        assert_consistent(&result);
        assert!(result.jobs.iter().all(|job| job.operations > 100), "{:?}", result.jobs);
    }
}

#[test]
fn writes_have_sizes_of_their_own() {
    let (directory, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let write_block_sizes = vec![BlockSize { size_bytes: 8192, weight: 1 }];
    let plain = LoadJob {
        target: files(directory.path()),
        read_percent: 50,
        write_block_sizes: write_block_sizes.clone(),
        ..null_load()
    };
    let drawn = [(FileOperation::Read, 1), (FileOperation::Append, 1)];
    let named = LoadJob { write_block_sizes, ..set(folder.path(), &drawn) };
    for result in measured(&[plain, named]) {
        let (read, write) = (result.read.unwrap(), result.write.unwrap());
        assert!(read.operations > 0 && read.size_bytes <= read.operations * 4096);
        assert!(write.operations > 0 && write.size_bytes == write.operations * 8192);
    }
}

#[test]
fn a_warm_up_ends_when_every_load_is_steady() {
    let rate = Some(Rate { operations_per_second: 2000.0, arrival: Arrival::Constant });
    let load = LoadJob {
        target: Target::Null { size_bytes: 1 << 20 },
        steady_window_ns: Some(200_000_000),
        warm_up_ns: 20_000_000_000,
        duration_ns: 100_000_000,
        interval_ns: 10_000_000,
        rate,
        ..null_load()
    };
    let results = mix(&[load.clone(), load], false);
    let warm_ups_ns: Vec<u64> = results.iter().map(|result| result.warm_up_ns).collect();
    assert!(warm_ups_ns[0] == warm_ups_ns[1] && warm_ups_ns[0] >= 210_000_000, "{warm_ups_ns:?}");
    for result in &results {
        assert!(result.warm_up_ns < 20_000_000_000, "{warm_ups_ns:?}");
        let measured = result.intervals.iter().filter(|interval| !interval.warm_up);
        let measured_ns: u64 = measured.map(|interval| interval.elapsed_ns).sum();
        assert!((99_000_000..150_000_000).contains(&measured_ns), "{measured_ns}");
        assert_consistent(result);
    }
}

#[test]
fn every_operation_is_done_and_timed_apart() {
    let directory = tempfile::tempdir().unwrap();
    let drawn: Vec<(FileOperation, u32)> = FileOperation::ALL
        .into_iter()
        .filter(|operation| *operation != FileOperation::Close)
        .map(|operation| (operation, 1))
        .collect();
    let results = measured(&[set(directory.path(), &drawn)]);
    let found: Vec<FileOperation> = results[0].file_operations.iter().map(|each| each.operation).collect();
    assert_eq!(found, FileOperation::ALL, "each was drawn, and close belongs to some of them");
    let of = |operation| results[0].file_operations.iter().find(|each| each.operation == operation).unwrap();
    let opens = of(FileOperation::Open).operations;
    assert_eq!(opens, of(FileOperation::Close).operations);
    let with_opens = [FileOperation::Append, FileOperation::Create, FileOperation::ReadFile];
    assert!(opens > with_opens.into_iter().map(|each| of(each).operations).sum());
    assert_eq!(of(FileOperation::Stat).size_bytes, 0);
    let drawn: u64 = results[0].file_operations.iter().map(|each| each.operations).sum();
    assert!((1..drawn).contains(&operations(&results[0])));
    assert_consistent(&results[0]);
}

#[test]
fn a_set_that_loses_files_gets_them_back() {
    let directory = tempfile::tempdir().unwrap();
    let load = set(directory.path(), &[(FileOperation::Unlink, 1), (FileOperation::Create, 1)]);
    let results = measured(&[load]);
    let of = |operation| results[0].file_operations.iter().find(|each| each.operation == operation).unwrap();
    let (removed, made) = (of(FileOperation::Unlink).operations, of(FileOperation::Create).operations);
    // Of the measured part alone; the warm-up leaves at most the set's own number apart.
    assert!(removed.abs_diff(made) <= 250, "{removed} {made}");
    assert!(removed > 100);
}

#[test]
fn a_set_that_is_nearly_always_emptied_gets_files_back() {
    let directory = tempfile::tempdir().unwrap();
    let load = set(directory.path(), &[(FileOperation::Unlink, 1_000_000), (FileOperation::Create, 1)]);
    let results = measured(&[load]);
    assert!(results[0].file_operations.iter().all(|each| each.operations > 0));
}

/// Each run of a load curve lays the set out again on one system.
#[test]
fn a_set_that_is_laid_out_again_has_first_names_alone() {
    let directory = tempfile::tempdir().unwrap();
    let load = set(directory.path(), &[(FileOperation::Rename, 1)]);
    measured(std::slice::from_ref(&load));
    measured(std::slice::from_ref(&load));
    assert!(mix(&[load], true).is_empty());
    let folders = std::fs::read_dir(directory.path()).unwrap();
    let files = |folder: std::fs::DirEntry| std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(folders.map(|folder| files(folder.unwrap())).sum::<usize>(), 250);
}

#[test]
fn a_mix_begins_at_the_moment_it_is_given_and_each_load_after_its_delay() {
    let late = LoadJob { start_after_ns: 50_000_000, warm_up_ns: 0, duration_ns: 50_000_000, ..null_load() };
    let start_at_ns = fsgauge_clock::now_ns() + 300_000_000;
    let results = begun(&[null_load(), late], false, Some(start_at_ns));
    let starts: Vec<_> = results.iter().map(|result| result.common_start.unwrap()).collect();
    assert_eq!([0, 50_000_000], [0, 1].map(|each: usize| starts[each].start_at_ns - start_at_ns));
    for start in starts {
        assert!(start.armed_at_ns < start_at_ns && start.started_at_ns >= start.start_at_ns);
    }
    assert!(begun(&[null_load()], false, None)[0].common_start.is_none());
}
