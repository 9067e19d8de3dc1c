//! Mode `write` on a file system mounted with `nodelalloc`: each block is allocated when it is written.

use fsgauge_wire::AgeEnd;

use super::compare::assert_agrees;
use super::{History, MIB, Writing, profile};

/// Checkpoints of the history below, at least: what proofs.tsv tells people.
const CHECKPOINTS: u32 = 21;

/// Small and middling files come and go at 80 % full, some are written anew. After 14,000 operations the model parted from the
/// kernel, as on a device nearly full: no group had runs as long as a goal that was cut three times.
#[test]
fn churn_places_every_block_as_the_kernel_does() {
    let history = History {
        profile: profile(r#"{"kind":"churn","streams":8,"rewrite_percent":20}"#),
        end: AgeEnd::Operations { operations: 20_000 },
        size_bytes: 2048 * MIB,
        room_bytes: 1400 * MIB,
        seed: 9,
        hash_seed: None,
        block_bytes: 4096,
        writing: Writing::BlockByBlock,
    };
    assert_agrees(&history, 1000, CHECKPOINTS);
}

/// What is said of the model on a page is what this test holds.
#[test]
fn the_proof_that_people_read_is_this_one() {
    let said =
        format!("ext4-6.18 nodelalloc\tagrees with Linux 6.18 in {CHECKPOINTS} of {CHECKPOINTS} checkpoints");
    assert!(crate::PROOFS.lines().any(|line| line.starts_with(&said)), "{said}");
}
