//! Layouts that ext4's allocator is known to make of a log. Needs root and loop devices: elsewhere it says so and
//! is skipped; FSGAUGE_TEST_ROOT=1 makes a machine that cannot run it a failure.

use fsgauge_wire::{AgeEnd, AgeEnded, AgeJob, AgeMode, AgeOperation};

use crate::support::{MIB, age, job, mounted_or_skip, profile, scan, tree};

const EXT4: &[&str] = &["mkfs.ext4", "-q", "-b", "4096", "-E", "lazy_itable_init=1,lazy_journal_init=1"];
/// Nothing is written behind the test's back.
const MOUNT: &str = "noinit_itable";

/// fallocate skips the normalising of requests (fs/ext4/extents.c), so a chunk is what is allocated: as with the
/// preallocation sizes of the published study, every byte lies in extents of exactly the chunk's size.
#[test]
fn chunks_in_turns_are_extents_of_exactly_that_size() {
    for chunk_mib in [1u64, 2, 4, 8] {
        let Some(mounted) = mounted_or_skip(64 << 30, EXT4, MOUNT) else { return };
        let chunk = chunk_mib * MIB;
        let profile = profile(&format!(
            r#"{{"kind":"intermingled","chunk_bytes":{chunk},"file_size_bytes":{}}}"#,
            1024 * MIB
        ));
        let result = age(&AgeJob { profile, space_bytes: None, ..job(&mounted.point) }).unwrap();
        assert_eq!((result.ended, result.live_bytes), (AgeEnded::Complete, 20 << 30));
        let found = scan(&mounted.point);
        assert_eq!(found.counts.extent_bytes, 20 << 30);
        let exact: Vec<_> =
            found.extent_lengths.iter().map(|bin| (bin.at_least_bytes, bin.size_bytes)).collect();
        assert_eq!(exact, [(chunk, 20 << 30)], "{chunk_mib} MiB");
        assert_eq!(found.counts.extents, (20 << 30) / chunk, "{chunk_mib} MiB");
        assert!(mounted.real_bytes() < 200 * MIB, "{}", mounted.real_bytes());
    }
}

/// 590 writers of 4 KiB records into files of 1 MiB (mballoc, see the study of connections): one extent each with
/// delayed allocation, which waits for the whole file; 20 without: 16 single blocks from the processor's group
/// preallocation up to 64 KiB, then windows of 64, 128, 256 and 512 KiB. Seen with Linux 6.18.
#[test]
fn interleaved_writers_have_1_extent_with_delayed_allocation_and_20_without() {
    for (options, expected) in [("noinit_itable", 590), ("noinit_itable,nodelalloc", 20 * 590)] {
        let Some(mounted) = mounted_or_skip(2 << 30, EXT4, options) else { return };
        let profile = profile(r#"{"kind":"connections"}"#);
        let space_bytes = Some(590 * MIB);
        let sync_every_bytes = Some(0);
        let mode = AgeMode::Write;
        let base = job(&mounted.point);
        let job = AgeJob { profile, mode, space_bytes, fill_percent: 100.0, sync_every_bytes, ..base };
        let result = age(&job).unwrap();
        assert_eq!((result.live_files, result.live_bytes), (590, 590 * MIB));
        let counts = scan(&mounted.point).counts;
        assert_eq!((counts.files, counts.extents), (590, expected), "{options}");
    }
}

/// A file system without inodes left: creates find no space, the log goes on with deletes.
#[test]
fn no_space_is_counted_and_the_log_goes_on() {
    let few_inodes = [EXT4, &["-N", "1000"]].concat();
    let Some(mounted) = mounted_or_skip(256 << 20, &few_inodes, MOUNT) else { return };
    let bins = r#"{"kind":"bins","bins":[{"at_least_bytes":1000,"below_bytes":90000,"weight":1}]}"#;
    let profile = profile(&format!(r#"{{"kind":"churn","streams":4,"sizes":{bins}}}"#));
    let end = AgeEnd::Operations { operations: 40_000 };
    let result = age(&AgeJob { profile, space_bytes: None, end, ..job(&mounted.point) }).unwrap();
    assert_eq!(result.ended, AgeEnded::Complete, "{:?}", result.errors);
    let create = result.operations.iter().find(|each| each.operation == AgeOperation::Create).unwrap();
    let delete = result.operations.iter().find(|each| each.operation == AgeOperation::Delete).unwrap();
    assert!(create.failed > 1000 && create.done > 1000, "{create:?}");
    assert!(delete.skipped > 0 && delete.failed == 0, "{delete:?}");
    assert_eq!((result.errors[0].errno, result.errors[0].count), (28, create.failed));
    let tree = tree(&mounted.point);
    assert_eq!((tree.files, tree.size_bytes), (result.live_files, result.live_bytes));
}

/// The same without any deletes: an end, with what there is.
#[test]
fn no_space_and_nothing_to_delete_is_an_end() {
    let few_inodes = [EXT4, &["-N", "1000"]].concat();
    let Some(mounted) = mounted_or_skip(1 << 30, &few_inodes, MOUNT) else { return };
    let bins = r#"{"kind":"bins","bins":[{"at_least_bytes":1000,"below_bytes":8000,"weight":1}]}"#;
    let forever =
        r#"{"kind":"bins","bins":[{"at_least_ns":1000000000000000,"below_ns":2000000000000000,"weight":1}]}"#;
    let profile = profile(&format!(r#"{{"kind":"churn","sizes":{bins},"lifetimes":{forever}}}"#));
    let result = age(&AgeJob { profile, space_bytes: None, ..job(&mounted.point) }).unwrap();
    assert_eq!(result.ended, AgeEnded::OutOfSpace);
    assert_eq!(result.errors[0].count, 10_000);
    assert_eq!(tree(&mounted.point).files, result.live_files);
}

/// The same tree on a file system of its own, each file written once: what ageing has split is whole.
#[test]
fn a_fresh_copy_has_fewer_extents_than_the_aged_tree() {
    for mode in [AgeMode::Fast, AgeMode::Write] {
        let extents = |fresh_copy| {
            let mounted = mounted_or_skip(256 << 20, EXT4, MOUNT)?;
            let bins = r#"{"kind":"bins","bins":[{"at_least_bytes":4096,"below_bytes":900000,"weight":1}]}"#;
            let profile = profile(&format!(r#"{{"kind":"churn","streams":4,"sizes":{bins}}}"#));
            let end = AgeEnd::StorageAge { storage_age: 4.0 };
            let base = AgeJob { profile, mode, end, space_bytes: None, fresh_copy, ..job(&mounted.point) };
            let result = age(&AgeJob { fill_percent: 90.0, ..base }).unwrap();
            assert_eq!((result.ended, result.errors.len()), (AgeEnded::Complete, 0), "{:?}", result.errors);
            let counts = scan(&mounted.point).counts;
            assert_eq!((counts.files, counts.extent_bytes > 0), (result.live_files, true));
            Some((counts.files, counts.extents))
        };
        let (Some(aged), Some(fresh)) = (extents(false), extents(true)) else { return };
        assert_eq!(aged.0, fresh.0);
        assert!(fresh.1 < aged.1 * 9 / 10, "{mode:?}: {fresh:?}, {aged:?}");
    }
}
