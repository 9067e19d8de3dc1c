//! Blocks of 1 KiB, as mke2fs chooses them below 512 MiB: a page has four, and groups are a quarter as long in blocks.

use fsgauge_wire::AgeEnd;

use super::compare::assert_agrees;
use super::write::SIZES;
use super::{History, MIB, Writing, cached, profile};

/// Checkpoints of each history below, at least: what proofs.tsv tells people.
const CHECKPOINTS: u32 = 21;

fn history(writing: Writing) -> History {
    History {
        profile: profile(&format!(r#"{{"kind":"churn","streams":8,"rewrite_percent":20,"sizes":{SIZES}}}"#)),
        end: AgeEnd::Operations { operations: 20_000 },
        size_bytes: 500 * MIB,
        room_bytes: 320 * MIB,
        seed: 7,
        hash_seed: None,
        block_bytes: 1024,
        writing,
    }
}

#[test]
fn space_without_data_lies_as_in_the_kernel() {
    assert_agrees(&history(Writing::Allocated), 1000, CHECKPOINTS);
}

#[test]
fn data_that_waits_lies_as_in_the_kernel() {
    assert_agrees(&history(cached()), 1000, CHECKPOINTS);
}

#[test]
fn blocks_one_by_one_lie_as_in_the_kernel() {
    assert_agrees(&history(Writing::BlockByBlock), 1000, CHECKPOINTS);
}

/// What is said of the model on a page is what these tests hold.
#[test]
fn the_proof_that_people_read_is_this_one() {
    let said = format!(
        "ext4-6.18 small blocks\tagrees with Linux 6.18 in {CHECKPOINTS} of {CHECKPOINTS} checkpoints"
    );
    assert!(crate::PROOFS.lines().any(|line| line.starts_with(&said)), "{said}");
}
