//! Whole files by the ways of IOzone and Bonnie++: what is on the disk afterwards, what is counted, what is timed.

use std::path::Path;

use fsgauge_wire::{Access, BlockSize, Data, Finish, Interface, LoadJob, Ranges, Target, Transfer};

use crate::support::{assert_consistent, lay_out, run};

const FILE_BYTES: u64 = 64 << 10;
const BLOCK_BYTES: u32 = 4096;
const BLOCKS: u64 = FILE_BYTES / BLOCK_BYTES as u64;
const BOTH: Finish = Finish { fsync: true, close: true };

/// One pass over a file of sixteen blocks.
fn pass(directory: &Path, transfer: Transfer) -> LoadJob {
    LoadJob {
        target: Target::File { path: directory.join("data").display().to_string(), size_bytes: FILE_BYTES },
        interface: Interface::Psync,
        access: Access::Sequential {},
        block_sizes: vec![BlockSize { size_bytes: BLOCK_BYTES, weight: 1 }],
        read_percent: 0,
        ranges: Some(Ranges::Shared {}),
        passes: Some(1),
        data: Data::Incompressible,
        duration_ns: 60_000_000_000,
        transfer,
        ..LoadJob::plain()
    }
}

fn on_disk(directory: &Path) -> Vec<u8> {
    std::fs::read(directory.join("data")).unwrap()
}

#[test]
fn every_way_of_writing_puts_the_same_bytes_on_the_disk() {
    let written = |transfer| {
        let directory = tempfile::tempdir().unwrap();
        let result = run(LoadJob { extend: true, ..pass(directory.path(), transfer) }).unwrap();
        assert_consistent(&result);
        let write = result.write.unwrap();
        assert_eq!((write.operations, write.size_bytes), (BLOCKS, FILE_BYTES));
        on_disk(directory.path())
    };
    let whole = written(Transfer::Whole);
    assert_eq!(whole.len() as u64, FILE_BYTES);
    assert!(whole.chunks(512).all(|piece| piece.iter().any(|byte| *byte != 0)));
    assert!(written(Transfer::Characters) == whole && written(Transfer::Bytes) == whole);
}

#[test]
fn what_was_written_byte_by_byte_can_be_checked() {
    for transfer in [Transfer::Characters, Transfer::Bytes] {
        let directory = tempfile::tempdir().unwrap();
        let result = run(LoadJob { extend: true, verify: true, ..pass(directory.path(), transfer) }).unwrap();
        let integrity = result.integrity.unwrap();
        assert_eq!((integrity.checked_blocks, integrity.faulty.len()), (BLOCKS, 0));
    }
}

#[test]
fn reading_leaves_the_file_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    for transfer in [Transfer::Whole, Transfer::Characters, Transfer::Bytes] {
        let load = LoadJob { read_percent: 100, ..pass(directory.path(), transfer) };
        lay_out(&load.target, Data::Incompressible).unwrap();
        let before = on_disk(directory.path());
        let read = run(load).unwrap().read.unwrap();
        assert_eq!((read.operations, read.size_bytes), (BLOCKS, FILE_BYTES));
        assert!(on_disk(directory.path()) == before);
    }
}

#[test]
fn a_rewrite_changes_one_byte_of_every_block() {
    let directory = tempfile::tempdir().unwrap();
    let load = pass(directory.path(), Transfer::Rewrite);
    lay_out(&load.target, Data::Incompressible).unwrap();
    let before = on_disk(directory.path());
    let result = run(load).unwrap();
    assert_consistent(&result);
    let write = result.write.unwrap();
    assert_eq!((write.operations, write.size_bytes), (BLOCKS, FILE_BYTES));
    let after = on_disk(directory.path());
    let changed: Vec<usize> = (0..before.len()).filter(|at| before[*at] != after[*at]).collect();
    // The n-th block in its n-th byte, by one.
    let expected: Vec<usize> = (0..BLOCKS as usize).map(|n| n * BLOCK_BYTES as usize + n).collect();
    assert_eq!(changed, expected);
    assert!(changed.iter().all(|at| after[*at] == before[*at].wrapping_add(1)));
}

#[test]
fn a_rewrite_needs_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let failure = run(pass(directory.path(), Transfer::Rewrite)).unwrap_err();
    assert_eq!(failure.code, "target.open");
    assert!(!directory.path().join("data").exists());
    std::fs::write(directory.path().join("data"), [1; 100]).unwrap();
    let failure = run(pass(directory.path(), Transfer::Rewrite)).unwrap_err();
    assert_eq!(failure.code, "target.size");
}

#[test]
fn seeks_read_most_blocks_and_rewrite_some() {
    let directory = tempfile::tempdir().unwrap();
    let seeks = LoadJob {
        access: Access::Random {},
        read_percent: 90,
        jobs: 3,
        ranges: None,
        passes: None,
        size_limit_bytes: Some(3000 * u64::from(BLOCK_BYTES)),
        finish: BOTH,
        ..pass(directory.path(), Transfer::Rewrite)
    };
    lay_out(&seeks.target, Data::Zero).unwrap();
    let result = run(seeks).unwrap();
    assert_consistent(&result);
    let (read, write) = (result.read.unwrap().operations, result.write.unwrap().operations);
    assert_eq!(read + write, 3000);
    assert!((200..400).contains(&write), "{write} of 3000");
    // Of zeros that were added to, not of data: nothing else was ever written.
    let after = on_disk(directory.path());
    assert!(after.iter().any(|byte| *byte > 0));
    assert!(after.iter().map(|byte| u64::from(*byte)).sum::<u64>() <= write);
    let finish = result.finish.unwrap();
    assert_eq!(finish.cpu.threads, 3);
    assert!(finish.elapsed_ns >= result.elapsed_ns);
}

#[test]
fn fsync_and_close_are_in_no_other_time() {
    let directory = tempfile::tempdir().unwrap();
    for (fsync, close) in [(true, true), (true, false), (false, true)] {
        let load = LoadJob {
            extend: true,
            finish: Finish { fsync, close },
            ..pass(directory.path(), Transfer::Whole)
        };
        let result = run(load).unwrap();
        assert_consistent(&result);
        let finish = result.finish.unwrap();
        assert_eq!((finish.fsync_ns > 0, finish.close_ns > 0), (fsync, close));
        assert!(finish.elapsed_ns >= result.elapsed_ns + finish.fsync_ns + finish.close_ns);
        assert!(finish.cpu.user_ns + finish.cpu.system_ns >= result.cpu.user_ns + result.cpu.system_ns);
    }
    let result = run(LoadJob { extend: true, ..pass(directory.path(), Transfer::Whole) }).unwrap();
    assert_eq!(result.finish, None);
}

#[test]
fn what_is_read_is_compared_with_what_a_load_of_the_same_seed_has_written() {
    let directory = tempfile::tempdir().unwrap();
    let odd = vec![BlockSize { size_bytes: 3901, weight: 1 }];
    let path = directory.path().join("data").display().to_string();
    let dealt = |transfer| LoadJob {
        target: Target::File { path: path.clone(), size_bytes: 16 * 3901 },
        block_sizes: odd.clone(),
        ranges: Some(Ranges::Interleaved {}),
        jobs: 3,
        ..pass(directory.path(), transfer)
    };
    let compared = |seed| LoadJob { read_percent: 100, seed, ..dealt(Transfer::Compared) };
    let write = LoadJob { extend: true, ..dealt(Transfer::Whole) };
    run(write.clone()).unwrap();
    let read = run(compared(write.seed)).unwrap().read.unwrap();
    assert_eq!((read.operations, read.size_bytes), (16, 16 * 3901));
    assert_eq!(run(compared(write.seed + 1)).unwrap_err().code, "io.differs");
    let mut bytes = on_disk(directory.path());
    bytes[3 * 3901] ^= 1;
    std::fs::write(directory.path().join("data"), bytes).unwrap();
    let failure = run(compared(write.seed)).unwrap_err();
    assert!(failure.what.starts_with("read of 3901 bytes at offset 11703 of "), "{failure}");
    assert!(failure.what.ends_with("/data gave other bytes than were written there"), "{failure}");
    assert_eq!((failure.code.as_str(), failure.exit_code()), ("io.differs", 3));
}

#[test]
fn a_full_disk_is_said_whatever_the_way() {
    for transfer in [Transfer::Whole, Transfer::Characters, Transfer::Bytes] {
        let directory = tempfile::tempdir().unwrap();
        let target = Target::File { path: "/dev/full".into(), size_bytes: FILE_BYTES };
        let failure = run(LoadJob { target, ..pass(directory.path(), transfer) }).unwrap_err();
        assert_eq!((failure.exit_code(), failure.errno), (3, Some(28)), "{failure}");
    }
}

#[test]
fn what_cannot_be_moved_so_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let load = |transfer| pass(directory.path(), transfer);
    let null = || Target::Null { size_bytes: FILE_BYTES };
    let refused = [
        (
            LoadJob { interface: Interface::IoUring, ..load(Transfer::Bytes) },
            "job.transfer: transfer with an interface other than psync",
        ),
        (
            LoadJob { target: null(), ..load(Transfer::Characters) },
            "job.transfer: transfer on the null target",
        ),
        (
            LoadJob { read_percent: 100, ..load(Transfer::Rewrite) },
            "job.transfer: transfer \"rewrite\" in a load that only reads",
        ),
        (
            LoadJob { read_percent: 100, passes: Some(2), ..load(Transfer::Compared) },
            "job.transfer: transfer \"compared\" in this load",
        ),
        (load(Transfer::Compared), "job.transfer: transfer \"compared\" in this load"),
        (LoadJob { extend: true, ..load(Transfer::Rewrite) }, "job.extend: extend with transfer \"rewrite\""),
        (LoadJob { verify: true, ..load(Transfer::Rewrite) }, "job.verify: verify with transfer \"rewrite\""),
        (
            LoadJob { interface: Interface::IoUring, finish: BOTH, ..load(Transfer::Whole) },
            "job.finish: finish with an interface other than psync",
        ),
        (
            LoadJob { passes: None, finish: BOTH, ..load(Transfer::Whole) },
            "job.finish: finish of a load that ends when its time is up",
        ),
        (
            LoadJob { descriptors: fsgauge_wire::Descriptors::Shared, finish: BOTH, ..load(Transfer::Whole) },
            "job.finish: finish.close with shared descriptors",
        ),
    ];
    for (load, expected) in refused {
        let failure = run(load).unwrap_err();
        assert_eq!(format!("{}: {}", failure.code, failure.what), expected);
        assert_eq!(failure.exit_code(), 2);
    }
    assert!(!directory.path().join("data").exists());
}
