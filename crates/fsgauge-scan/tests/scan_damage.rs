//! Whole scans of damaged images, measures and map included: a result or a failure, and never a crash.

use std::path::Path;

use fsgauge_wire::ScanJob;

use crate::mounts::{job, scan};
use crate::support::{Range, damage, small};

/// Scans with everything that can be asked for; how many scans failed, and how many had problems.
fn scans(path: &Path, places: &[Range], cases: u32, seed: u64) -> (u32, u32) {
    let (mut failed, mut with_problems) = (0, 0);
    damage::each_case(path, places, cases, seed, &mut |_| match scan(&ScanJob {
        top: 5,
        map_order: 4,
        ..job(path)
    }) {
        Ok(result) => with_problems += u32::from(!result.problems.is_empty()),
        Err(failure) => {
            assert!(failure.code.starts_with("job.") || failure.code.starts_with("scan."), "{failure}");
            failed += 1;
        }
    });
    (failed, with_problems)
}

#[test]
fn scans_of_damaged_ext4_images_end_with_a_result_or_a_failure() {
    let made = small::ext(&["-t", "ext4", "-b", "1024", "-N", "1024", "-J", "size=1"], 24 << 20);
    let (failed, with_problems) = scans(&made.image, &small::ext_places(&made.image), 600, 11);
    // Copies of the superblock stand in for the first one, so that few scans fail.
    assert!(failed < with_problems && with_problems > 80, "{failed}, {with_problems}");
}

#[test]
fn scans_of_damaged_xfs_images_end_with_a_result_or_a_failure() {
    let made = small::xfs(&["-b", "size=1024", "-l", "size=64m", "-d", "agcount=3"]);
    let (failed, with_problems) = scans(&made.image, &small::xfs_places(&made.image), 600, 12);
    assert!(failed > 5 && with_problems > 80, "{failed}, {with_problems}");
}

#[test]
fn scans_of_damaged_btrfs_images_end_with_a_result_or_a_failure() {
    let made = small::btrfs(&["--csum", "xxhash", "--nodesize", "4096", "-m", "single"], 120 << 20);
    let (failed, with_problems) = scans(&made.image, &small::btrfs_places(&made, 4096), 600, 13);
    assert!(failed > 5 && with_problems > 80, "{failed}, {with_problems}");
}
