//! Space that is allocated by fallocate(2) a chunk at a time while files are written. The layouts need root and loop
//! devices: elsewhere they say so and are skipped; FSGAUGE_TEST_ROOT=1 makes such a machine a failure.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use fsgauge_scan::run_scan;
use fsgauge_wire::{
    Access, Arrival, BlockSize, Ended, Interface, LoadJob, Ranges, Rate, ScanJob, Stop, Target,
};

use crate::mounted::{Mounted, mounted_or_skip_in};
use crate::support::{Heard, engine, null_load, run};

const INTERFACES: [(Interface, u32); 2] = [(Interface::Psync, 1), (Interface::IoUring, 4)];
const BLOCK: u32 = 64 << 10;
const CHUNK: u64 = 512 << 10;
const FILE: u64 = 4 << 20;

/// Streams that each write a file of their own from start to end, past the page cache.
fn streams(directory: &Path, jobs: u32, chunk_bytes: Option<u64>) -> LoadJob {
    LoadJob {
        target: Target::Files {
            directory: directory.display().to_string(),
            prefix: "rate-".into(),
            count: jobs,
            file_size_bytes: FILE,
        },
        direct: true,
        access: Access::Sequential {},
        read_percent: 0,
        block_sizes: vec![BlockSize { size_bytes: BLOCK, weight: 1 }],
        jobs,
        warm_up_ns: 0,
        duration_ns: 60_000_000_000,
        ranges: Some(Ranges::OwnFiles {}),
        passes: Some(1),
        extend: true,
        preallocate_chunk_bytes: chunk_bytes,
        ..null_load()
    }
}

fn ext4(options: &[&str]) -> Option<Mounted> {
    let mkfs = [&["mkfs.ext4", "-q", "-b", "4096", "-E", "lazy_itable_init=1"], options].concat();
    mounted_or_skip_in(Path::new(env!("CARGO_TARGET_TMPDIR")), 256 << 20, &mkfs, "noinit_itable")
}

/// Lengths of extents below a directory: (at least so long, bytes in them).
fn extent_bytes(directory: &Path) -> Vec<(u64, u64)> {
    let path = directory.display().to_string();
    let job = ScanJob {
        format: 1,
        path,
        threads: Some(1),
        top: 0,
        list_whole: false,
        map_order: 0,
        space: false,
        held: Vec::new(),
        lease: None,
    };
    let found = run_scan(&job, engine(), &mut Heard::default(), Stop::new()).unwrap();
    found.extent_lengths.iter().map(|bin| (bin.at_least_bytes, bin.size_bytes)).collect()
}

#[test]
fn a_chunk_is_there_once_the_writes_come_to_it_and_only_then() {
    for (interface, queue_depth) in INTERFACES {
        // Nine blocks: the first of the second chunk is among them.
        for (chunk, expected) in [(Some(CHUNK), 2 * CHUNK), (None, 9 * u64::from(BLOCK))] {
            let Some(mounted) = ext4(&[]) else { return };
            let limit = Some(9 * u64::from(BLOCK));
            let load = LoadJob {
                interface,
                queue_depth,
                size_limit_bytes: limit,
                ..streams(&mounted.point, 1, chunk)
            };
            let result = run(load).unwrap();
            assert_eq!(
                (result.ended, result.write.unwrap().size_bytes),
                (Ended::SizeLimit, 9 * u64::from(BLOCK))
            );
            let file = std::fs::metadata(mounted.point.join("rate-0000")).unwrap();
            assert_eq!((file.size(), file.blocks() * 512), (expected, expected), "{interface:?} {chunk:?}");
        }
    }
}

#[test]
fn the_last_chunk_ends_with_the_file_and_every_block_is_written() {
    for (interface, queue_depth) in INTERFACES {
        let Some(mounted) = ext4(&[]) else { return };
        // Twelve blocks, so that the file ends within its second chunk.
        let chunk = Some(12 * u64::from(BLOCK));
        let load = LoadJob {
            interface,
            queue_depth,
            verify: true,
            passes: Some(2),
            ..streams(&mounted.point, 2, chunk)
        };
        let result = run(load).unwrap();
        assert_eq!(result.write.unwrap().size_bytes, 2 * 2 * FILE);
        assert_eq!(result.integrity.unwrap().checked_blocks, 2 * FILE / u64::from(BLOCK));
        for name in ["rate-0000", "rate-0001"] {
            let file = std::fs::metadata(mounted.point.join(name)).unwrap();
            // A block of extents may be on top.
            assert!(file.size() == FILE && (FILE..FILE + 8192).contains(&(file.blocks() * 512)));
        }
    }
}

/// As with the ager's chunks: fallocate skips ext4's normalising of requests, so a chunk is an extent where several
/// streams take them in turns. The pace makes them do so: each writes a block every ten milliseconds.
#[test]
fn streams_in_turns_have_extents_of_the_chunk() {
    for (interface, queue_depth) in INTERFACES {
        let exact = |chunk: Option<u64>| {
            let mounted = ext4(&[])?;
            let load = LoadJob {
                interface,
                queue_depth,
                passes: None,
                size_limit_bytes: Some(4 * FILE),
                rate: Some(Rate { operations_per_second: 400.0, arrival: Arrival::Constant }),
                ..streams(&mounted.point, 4, chunk)
            };
            assert_eq!(run(load).unwrap().ended, Ended::SizeLimit);
            let lengths = extent_bytes(&mounted.point);
            let sum_of = |wanted: fn(u64) -> bool| -> u64 {
                lengths.iter().filter(|(length, _)| wanted(*length)).map(|(_, bytes)| bytes).sum()
            };
            assert_eq!(sum_of(|_| true), 4 * FILE, "{lengths:?}");
            let other_bytes = sum_of(|length| !length.is_multiple_of(CHUNK));
            Some((sum_of(|length| length == CHUNK) as f64 / (4 * FILE) as f64, other_bytes))
        };
        let Some((share, other_bytes)) = exact(Some(CHUNK)) else { return };
        // A stream that was kept from its turn has two chunks beside each other.
        assert!(share > 0.7 && other_bytes == 0, "{interface:?}: {share}, {other_bytes}");
        let Some((share, _)) = exact(None) else { return };
        assert!(share < 0.3, "{interface:?}: {share}");
    }
}

/// ext4 without extents has no fallocate(2).
#[test]
fn a_file_system_without_fallocate_is_told_with_what_to_do() {
    for (interface, queue_depth) in INTERFACES {
        let Some(mounted) = ext4(&["-O", "^extents,^64bit"]) else { return };
        let failure =
            run(LoadJob { interface, queue_depth, ..streams(&mounted.point, 2, Some(CHUNK)) }).unwrap_err();
        assert_eq!(
            (failure.code.as_str(), failure.errno, failure.exit_code()),
            ("preallocate.failed", Some(95), 3)
        );
        assert!(failure.what.starts_with("fallocate of 524288 bytes at offset 0 of "), "{}", failure.what);
        assert_eq!(failure.next, "leave preallocate_chunk_bytes out");
    }
}

#[test]
fn a_full_file_system_is_told_with_the_place() {
    let Some(mounted) = ext4(&[]) else { return };
    let load = LoadJob {
        target: Target::Files {
            directory: mounted.point.display().to_string(),
            prefix: "rate-".into(),
            count: 1,
            file_size_bytes: 1 << 30,
        },
        ..streams(&mounted.point, 1, Some(128 << 20))
    };
    let failure = run(load).unwrap_err();
    assert_eq!((failure.code.as_str(), failure.errno), ("preallocate.failed", Some(28)));
    assert!(failure.next.contains("df -h"), "{failure}");
}
