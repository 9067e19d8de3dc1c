//! How many calls a way of moving blocks makes, by the kernel's own count of this process. A process of its own: the
//! count would have other tests' calls in it.

mod support;

use fsgauge_wire::{Access, BlockSize, Data, Interface, LoadJob, Ranges, Target, Transfer};
use support::{lay_out, run};

const BLOCK_BYTES: u32 = 4096;
const BLOCKS: u64 = 64;
const FILE_BYTES: u64 = BLOCKS * BLOCK_BYTES as u64;
/// What else a run calls: it looks at files of /proc, and wakes threads.
const BESIDE: u64 = BLOCKS;

/// Calls of read and write and their like so far (proc_pid_io(5)).
fn calls() -> (u64, u64) {
    let text = std::fs::read_to_string("/proc/self/io").unwrap();
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.trim().parse::<u64>().unwrap()
    };
    (number("syscr:"), number("syscw:"))
}

#[test]
fn a_buffer_is_one_call_and_a_byte_is_one_where_it_is_to_be() {
    let directory = tempfile::tempdir().unwrap();
    let pass = |transfer, read_percent| LoadJob {
        target: Target::File {
            path: directory.path().join("data").display().to_string(),
            size_bytes: FILE_BYTES,
        },
        interface: Interface::Psync,
        access: Access::Sequential {},
        block_sizes: vec![BlockSize { size_bytes: BLOCK_BYTES, weight: 1 }],
        ranges: Some(Ranges::Shared {}),
        passes: Some(1),
        duration_ns: 60_000_000_000,
        read_percent,
        transfer,
        ..LoadJob::plain()
    };
    lay_out(&pass(Transfer::Whole, 0).target, Data::Zero).unwrap();
    let expected = [
        (Transfer::Whole, 0, (0, BLOCKS)),
        (Transfer::Characters, 0, (0, BLOCKS)),
        (Transfer::Characters, 100, (BLOCKS, 0)),
        (Transfer::Bytes, 0, (0, FILE_BYTES)),
        (Transfer::Bytes, 100, (FILE_BYTES, 0)),
        (Transfer::Rewrite, 0, (BLOCKS, BLOCKS)),
    ];
    let counted = |transfer, read_percent| {
        let before = calls();
        run(pass(transfer, read_percent)).unwrap();
        let after = calls();
        (after.0 - before.0, after.1 - before.1)
    };
    for (transfer, read_percent, (reads, writes)) in expected {
        let found = counted(transfer, read_percent);
        let is_so = |found: u64, wanted: u64| (wanted..=wanted + BESIDE).contains(&found);
        assert!(
            is_so(found.0, reads) && is_so(found.1, writes),
            "{transfer:?} {read_percent}: {found:?} instead of {reads}, {writes}"
        );
    }
}
