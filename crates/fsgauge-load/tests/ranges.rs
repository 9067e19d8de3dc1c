//! Jobs with ranges on real files: passes, own files, extending, shared descriptors, and making writes durable.

use std::path::Path;

use fsgauge_wire::{
    Access, Arrival, BlockSize, Data, Descriptors, Ended, Interface, LoadJob, LoadResult, Ranges, Rate, Sync,
    Target,
};

use crate::support::{assert_consistent, files, lay_out, null_load, run};

const INTERFACES: [(Interface, u32); 3] =
    [(Interface::Psync, 1), (Interface::IoUring, 8), (Interface::Libaio, 8)];
const BLOCKS: u64 = 101;

fn file(directory: &Path) -> Target {
    Target::File { path: directory.join("data").display().to_string(), size_bytes: BLOCKS * 4096 }
}

/// Three writers that cover their places once; each has up to a minute.
fn writers(target: Target, ranges: Ranges) -> LoadJob {
    LoadJob {
        target,
        ranges: Some(ranges),
        passes: Some(1),
        jobs: 3,
        read_percent: 0,
        warm_up_ns: 0,
        duration_ns: 60_000_000_000,
        ..null_load()
    }
}

fn counts(result: &LoadResult) -> Vec<u64> {
    result.jobs.iter().map(|job| job.operations).collect()
}

/// How many blocks of a file are all zeros.
fn zero_blocks(path: &Path) -> usize {
    std::fs::read(path).unwrap().chunks(4096).filter(|block| block.iter().all(|byte| *byte == 0)).count()
}

#[test]
fn passes_write_every_place_and_count_exactly() {
    let expected = [
        (Ranges::Shared {}, [101, 101, 101]),
        (Ranges::Segmented {}, [33, 34, 34]),
        (Ranges::Interleaved {}, [34, 34, 33]),
        (Ranges::Strided { stride_bytes: 4 * 4096 }, [36, 33, 32]),
    ];
    for (interface, queue_depth) in INTERFACES {
        for access in [Access::Sequential {}, Access::Random {}] {
            for (ranges, places) in expected {
                let directory = tempfile::tempdir().unwrap();
                let target = file(directory.path());
                lay_out(&target, Data::Zero).unwrap();
                let load = writers(target, ranges);
                let load =
                    LoadJob { passes: Some(2), access: access.clone(), interface, queue_depth, ..load };
                let result = run(load).unwrap();
                assert_eq!(result.ended, Ended::SizeLimit);
                assert_eq!(counts(&result), places.map(|places| 2 * places), "{ranges:?} {access:?}");
                assert_eq!(zero_blocks(&directory.path().join("data")), 0, "{ranges:?} {access:?}");
                let last = result.jobs.iter().map(|job| job.elapsed_ns.unwrap()).max().unwrap();
                assert_eq!(last, result.elapsed_ns);
                assert_consistent(&result);
            }
        }
    }
}

#[test]
fn a_pass_reads_every_place_too() {
    let directory = tempfile::tempdir().unwrap();
    let target = file(directory.path());
    lay_out(&target, Data::Zero).unwrap();
    let result = run(LoadJob { read_percent: 100, ..writers(target, Ranges::Shared {}) }).unwrap();
    assert_eq!(counts(&result), [BLOCKS; 3]);
    assert!(result.write.is_none());
}

#[test]
fn without_passes_places_are_walked_until_the_time_is_up() {
    let directory = tempfile::tempdir().unwrap();
    let target = file(directory.path());
    lay_out(&target, Data::Zero).unwrap();
    let load = LoadJob { passes: None, duration_ns: 100_000_000, ..writers(target, Ranges::Segmented {}) };
    let result = run(load).unwrap();
    assert_eq!(result.ended, Ended::Duration);
    assert!(result.jobs.iter().all(|job| job.elapsed_ns.is_none()));
    assert_consistent(&result);
}

#[test]
fn own_files_are_each_written_by_their_own_job() {
    for (interface, queue_depth) in INTERFACES {
        for descriptors in [Descriptors::Own, Descriptors::Shared] {
            let directory = tempfile::tempdir().unwrap();
            let load = writers(files(directory.path()), Ranges::OwnFiles {});
            let sync = Sync::Fsync { every: 64 };
            let result = run(LoadJob { interface, queue_depth, descriptors, sync, ..load }).unwrap();
            assert_eq!(counts(&result), [256; 3]);
            assert_eq!(result.sync.unwrap().calls, 3 * 4);
            for number in 0..3 {
                let path = directory.path().join(format!("data-000{number}"));
                assert_eq!(std::fs::metadata(&path).unwrap().len(), 1 << 20);
                assert_eq!(zero_blocks(&path), 0);
            }
        }
    }
}

#[test]
fn extending_begins_with_an_empty_file() {
    for (interface, queue_depth) in INTERFACES {
        let directory = tempfile::tempdir().unwrap();
        let target = file(directory.path());
        let path = directory.path().join("data");
        std::fs::write(&path, vec![7; 200 * 4096]).unwrap();
        let load =
            LoadJob { extend: true, interface, queue_depth, ..writers(target, Ranges::Interleaved {}) };
        let result = run(load.clone()).unwrap();
        assert_eq!(counts(&result), [34, 34, 33]);
        assert_eq!(std::fs::metadata(&path).unwrap().len(), BLOCKS * 4096);
        assert_eq!(zero_blocks(&path), 0);

        std::fs::write(&path, vec![7; 200 * 4096]).unwrap();
        run(LoadJob { target: file(&directory.path().join("missing")), ..load }).unwrap_err();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 200 * 4096);
    }
}

#[test]
fn a_refused_load_leaves_the_file_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data");
    std::fs::write(&path, vec![7; 200 * 4096]).unwrap();
    let load = LoadJob { extend: true, jobs: 102, ..writers(file(directory.path()), Ranges::Interleaved {}) };
    run(load).unwrap_err();
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 200 * 4096);
}

#[test]
fn writes_are_made_durable_as_often_as_asked() {
    for (interface, queue_depth) in INTERFACES {
        // 33 + 34 + 34 writes, counted by each job for itself.
        let expected = [
            (Sync::Fsync { every: 1 }, 101),
            (Sync::Fdatasync { every: 4 }, 8 + 8 + 8),
            (Sync::SyncFileRange { every: 1 }, 101),
            (Sync::Fsync { every: 34 }, 2),
            (Sync::Fsync { every: 35 }, 0),
        ];
        for (sync, calls) in expected {
            let directory = tempfile::tempdir().unwrap();
            let load = writers(file(directory.path()), Ranges::Segmented {});
            let result = run(LoadJob { sync, interface, queue_depth, ..load }).unwrap();
            assert_eq!(counts(&result), [33, 34, 34]);
            let found = result.sync.clone().unwrap();
            assert_eq!((found.calls, found.latency.operations), (calls, calls), "{sync:?}");
            assert_consistent(&result);
        }
    }
}

#[test]
fn calls_are_counted_in_the_measured_part_and_under_a_mix() {
    let directory = tempfile::tempdir().unwrap();
    let target = file(directory.path());
    lay_out(&target, Data::Zero).unwrap();
    let load = LoadJob {
        target,
        sync: Sync::Fdatasync { every: 10 },
        read_percent: 50,
        jobs: 2,
        interface: Interface::IoUring,
        ..null_load()
    };
    let result = run(load).unwrap();
    assert_consistent(&result);
    let (writes, calls) = (result.write.unwrap().operations, result.sync.unwrap().calls);
    // Each job may have begun the measured part within ten writes of a call, and have ended it so.
    assert!(writes > 0 && calls.abs_diff(writes / 10) <= 4, "{calls} calls for {writes} writes");
}

#[test]
fn under_a_pace_a_write_counts_until_it_is_durable() {
    for (interface, queue_depth) in INTERFACES {
        let directory = tempfile::tempdir().unwrap();
        let rate = Some(Rate { operations_per_second: 100_000.0, arrival: Arrival::Constant });
        let load = writers(file(directory.path()), Ranges::Segmented {});
        let sync = Sync::Fdatasync { every: 4 };
        let result = run(LoadJob { rate, sync, interface, queue_depth, ..load }).unwrap();
        let (write, sync) = (result.write.unwrap(), result.sync.unwrap());
        let (written, durable) = (write.response_latency.unwrap(), sync.response_latency.unwrap());
        // 33 + 34 + 34 writes; those behind a job's last call are never durable.
        assert_eq!((written.operations, durable.operations), (101, 4 * sync.calls), "{interface:?}");
        assert!(durable.sum_ns >= 4 * sync.latency.sum_ns, "{interface:?}");
        assert!(durable.max_ns >= sync.latency.max_ns, "{interface:?}");
    }
}

#[test]
fn at_the_stonewall_all_go_on_to_as_many_as_the_one_that_had_most() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("records").display().to_string();
    let target = Target::File { path, size_bytes: 3 * 4_000_000 * 47 };
    let load = LoadJob {
        target: target.clone(),
        ranges: Some(Ranges::Interleaved {}),
        passes: Some(1),
        wear_out: true,
        extend: true,
        jobs: 3,
        read_percent: 0,
        block_sizes: vec![BlockSize { size_bytes: 47, weight: 1 }],
        interface: Interface::Psync,
        queue_depth: 1,
        access: Access::Sequential {},
        warm_up_ns: 0,
        duration_ns: 50_000_000,
        ..null_load()
    };
    let result = run(load.clone()).unwrap();
    let (found, most) = (counts(&result), counts(&result)[0]);
    assert_eq!((result.ended, found), (Ended::SizeLimit, vec![most; 3]));
    assert!((1..4_000_000).contains(&most) && result.elapsed_ns >= 50_000_000, "{most}");
    assert!(result.elapsed_ns < 500_000_000, "{}", result.elapsed_ns);
    let size_bytes = std::fs::metadata(directory.path().join("records")).unwrap().len();
    assert_eq!(size_bytes, 3 * most * 47);
    // What reads it then finds as many, and not those of the full file.
    let (duration_ns, read_percent) = (60_000_000_000, 100);
    let reads =
        LoadJob { wear_out: false, extend: false, only_existing: true, duration_ns, read_percent, ..load };
    let result = run(reads).unwrap();
    assert_eq!((result.ended, counts(&result)), (Ended::SizeLimit, vec![most; 3]));
}

#[test]
fn a_load_without_calls_has_no_result_of_them() {
    let directory = tempfile::tempdir().unwrap();
    for sync in [Sync::None, Sync::Dsync, Sync::RwfDsync] {
        let load = writers(file(directory.path()), Ranges::Segmented {});
        let load = LoadJob { sync, interface: Interface::Psync, queue_depth: 1, ..load };
        let result = run(load).unwrap();
        assert!(result.sync.is_none());
        assert_eq!(counts(&result), [33, 34, 34]);
        assert_eq!(zero_blocks(&directory.path().join("data")), 0);
    }
}

#[test]
fn a_flag_of_one_call_needs_that_call() {
    let directory = tempfile::tempdir().unwrap();
    let load = LoadJob {
        sync: Sync::RwfDsync,
        interface: Interface::IoUring,
        ..writers(file(directory.path()), Ranges::Segmented {})
    };
    assert_eq!(run(load).unwrap_err().code, "job.sync");
}

#[test]
fn jobs_may_share_their_descriptors() {
    for (interface, queue_depth) in INTERFACES {
        let directory = tempfile::tempdir().unwrap();
        let load = writers(file(directory.path()), Ranges::Strided { stride_bytes: 8192 });
        let load = LoadJob { descriptors: Descriptors::Shared, interface, queue_depth, ..load };
        assert_eq!(counts(&run(load).unwrap()), [34, 34, 33]);
        assert_eq!(zero_blocks(&directory.path().join("data")), 0);
    }
}

#[test]
fn many_writers_need_no_more_than_they_have() {
    let directory = tempfile::tempdir().unwrap();
    let target =
        Target::File { path: directory.path().join("data").display().to_string(), size_bytes: 4 << 20 };
    let load = LoadJob { jobs: 600, queue_depth: 1, ..writers(target, Ranges::Interleaved {}) };
    let result = run(load).unwrap();
    assert_eq!(counts(&result).iter().sum::<u64>(), 1024);
}

#[test]
fn preallocated_files_are_full_of_unwritten_blocks_and_then_written() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data").display().to_string();
    std::fs::write(&path, vec![1; 1 << 20]).unwrap();
    let load = LoadJob {
        target: Target::File { path: path.clone(), size_bytes: 1 << 20 },
        interface: Interface::Psync,
        queue_depth: 1,
        jobs: 2,
        access: Access::Sequential {},
        read_percent: 0,
        ranges: Some(Ranges::Segmented {}),
        passes: Some(1),
        extend: true,
        preallocate: true,
        warm_up_ns: 0,
        data: Data::Incompressible,
        verify: true,
        ..LoadJob::plain()
    };
    let result = run(load.clone()).unwrap();
    assert_eq!(result.write.unwrap().operations, 256);
    assert_eq!(result.integrity.unwrap().checked_blocks, 256);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 1 << 20);
    let refused = run(LoadJob { extend: false, ..load }).unwrap_err();
    assert_eq!(refused.code, "job.preallocate");
}
