//! Mutated images, scanned whole: no panic, and little time and memory for each. A few seconds by default;
//! FSGAUGE_FUZZ_EXAMPLES sets the number of examples for each file system, FSGAUGE_FUZZ_SEED another series.
//!
//! One test: the peak of memory is that of the process.

mod mounts;
mod support;

use std::os::unix::fs::FileExt;
use std::path::Path;

use fsgauge_wire::ScanJob;
use mounts::{job, scan};
use support::fuzz::{Patch, Target, budget, fuzz};
use support::small;

const EXAMPLES: u64 = 80;
const BTRFS_NODE_BYTES: u64 = 4096;
const BTRFS_SUPERBLOCK: u64 = 64 << 10;
/// Where an ext superblock says that it was cleanly unmounted.
const EXT_STATE: u64 = 1024 + 0x3A;

/// How many scans gave a result.
fn scans(target: &Target<'_>, name: &str) -> u64 {
    let (examples, seed) = budget(EXAMPLES);
    let mut results = 0;
    fuzz(target, name, examples, seed, &mut || {
        let wanted = ScanJob { top: 5, map_order: 4, ..job(target.path) };
        match scan(&wanted) {
            Ok(result) => {
                let free = result.free.map_or(0, |free| free.size_bytes);
                assert!(free <= result.source.size_bytes, "more is free than there is");
                results += 1;
            }
            Err(failure) => {
                assert!(failure.code.starts_with("job.") || failure.code.starts_with("scan."), "{failure}");
            }
        }
    });
    assert!(results > examples / 4, "{name}: {results} of {examples} were read at all");
    results
}

/// The checksums of tree blocks and of the superblock, as mkfs makes them: CRC-32C.
fn seal_btrfs(patch: &mut Patch, blocks: &[u64]) {
    let superblock = (BTRFS_SUPERBLOCK, 4096);
    for (offset, length) in blocks.iter().map(|&block| (block, BTRFS_NODE_BYTES)).chain([superblock]) {
        let bytes = patch.read(offset, length);
        let checksum = crc32c::crc32c(&bytes[32..]).to_le_bytes();
        if checksum[..] != bytes[..4] {
            patch.write(offset, &checksum);
        }
    }
}

/// Apparent size only: budgets that follow it are budgets for terabytes.
fn enlarge(path: &Path, size_bytes: u64, numbers: &[(u64, &[u8])]) {
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.set_len(size_bytes).unwrap();
    numbers.iter().for_each(|(offset, bytes)| file.write_all_at(bytes, *offset).unwrap());
}

#[test]
fn scans_of_mutated_images_end_soon_and_take_little_memory() {
    let ext_options = ["-t", "ext4", "-b", "1024", "-N", "1024", "-O", "^has_journal,^metadata_csum"];
    let ext = small::ext(&ext_options, 24 << 20);
    // Not clean: bitmaps are read whatever their checksums and sums say.
    let unclean = |patch: &mut Patch| patch.write(EXT_STATE, &[0, 0]);
    let places = small::ext_places(&ext.image);
    let target = Target { path: &ext.image, places, block_bytes: 1024, seal: &unclean };
    scans(&target, "ext4");

    let ext3_options = ["-t", "ext3", "-b", "1024", "-N", "1024", "-J", "size=1"];
    let ext3 = small::ext(&ext3_options, 24 << 20);
    let places = small::ext_places(&ext3.image);
    // 16 GiB in groups of 8 MiB.
    enlarge(&ext3.image, 16 << 30, &[(1024 + 4, &(1u32 << 24).to_le_bytes())]);
    scans(&Target { path: &ext3.image, places, block_bytes: 1024, seal: &unclean }, "ext3");

    let xfs = small::xfs(&["-b", "size=1024", "-l", "size=64m", "-d", "agcount=3"]);
    let places = small::xfs_places(&xfs.image);
    scans(&Target { path: &xfs.image, places, block_bytes: 1024, seal: &|_| {} }, "xfs");

    let btrfs = small::btrfs(&["--nodesize", "4096", "-m", "single"], 120 << 20);
    let places = small::btrfs_places(&btrfs, BTRFS_NODE_BYTES);
    let blocks: Vec<u64> = places.iter().map(|place| place.0).filter(|at| at % 4096 == 0).collect();
    let seal = |patch: &mut Patch| seal_btrfs(patch, &blocks);
    scans(&Target { path: &btrfs.image, places, block_bytes: 4096, seal: &seal }, "btrfs");
}
