//! Mode `fast`: all columns of /proc/fs/ext4/DEVICE/mb_groups are equal for every group after every checkpoint.

use fsgauge_wire::AgeEnd;

use super::compare::assert_agrees;
use super::{History, MIB, Writing, profile};

/// Checkpoints of the four histories below, at least: what proofs.tsv tells people is their sum.
const CHECKPOINTS: [u32; 4] = [41, 11, 11, 20];

/// Small and middling files come and go at 80 % full, some are written again in place.
#[test]
fn churn_places_every_block_as_the_kernel_does() {
    let history = History {
        profile: profile(r#"{"kind":"churn","streams":8,"rewrite_percent":20}"#),
        end: AgeEnd::Operations { operations: 40_000 },
        size_bytes: 4096 * MIB,
        room_bytes: 3000 * MIB,
        seed: 7,
        hash_seed: None,
        block_bytes: 4096,
        writing: Writing::Allocated,
    };
    assert_agrees(&history, 1000, CHECKPOINTS[0]);
}

/// Twenty files grow in turns, so that each has thousands of extents and a tree of several levels; then some go.
#[test]
fn intermingled_files_lie_as_in_the_kernel() {
    let history = History {
        profile: profile(r#"{"kind":"intermingled","chunk_bytes":1048576,"keep_files":9}"#),
        end: AgeEnd::Complete {},
        size_bytes: 80 << 30,
        room_bytes: 60 << 30,
        seed: 3,
        hash_seed: None,
        block_bytes: 4096,
        writing: Writing::Allocated,
    };
    assert_agrees(&history, 6000, CHECKPOINTS[1]);
}

/// Many small files in many directories, which grow an index each.
#[test]
fn small_files_and_their_directories_lie_as_in_the_kernel() {
    let history = History {
        profile: profile(r#"{"kind":"git_like","files_per_directory":300}"#),
        end: AgeEnd::Operations { operations: 40_000 },
        size_bytes: 2048 * MIB,
        room_bytes: 1200 * MIB,
        seed: 5,
        hash_seed: None,
        block_bytes: 4096,
        writing: Writing::Allocated,
    };
    assert_agrees(&history, 2000, CHECKPOINTS[2]);
}

/// Space is short: requests are halved, commits waited for, and some operations refused.
#[test]
fn a_device_that_fills_up_is_filled_as_by_the_kernel() {
    let history = History {
        profile: profile(r#"{"kind":"churn","streams":4,"rewrite_percent":10}"#),
        end: AgeEnd::Operations { operations: 12_000 },
        size_bytes: 2048 * MIB,
        room_bytes: 1900 * MIB,
        seed: 11,
        hash_seed: None,
        block_bytes: 4096,
        writing: Writing::Allocated,
    };
    let agreed = assert_agrees(&history, 500, CHECKPOINTS[3]);
    assert!(agreed.is_none_or(|agreed| agreed.refused > 0));
}

/// What is said of the model on every page is what these tests hold.
#[test]
fn the_proof_that_people_read_is_this_one() {
    let checkpoints: u32 = CHECKPOINTS.iter().sum();
    let said =
        format!("ext4-6.18 fallocate\tagrees with Linux 6.18 in {checkpoints} of {checkpoints} checkpoints");
    assert!(crate::PROOFS.lines().any(|line| line.starts_with(&said)), "{said}");
}
