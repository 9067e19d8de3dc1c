//! Mode `write` on a file system mounted with `dioread_lock`: extents are joined as they are allocated. Without it, a worker
//! of the kernel joins them while later ones are allocated, and no two runs need be alike.

use fsgauge_wire::AgeEnd;

use super::compare::assert_agrees;
use super::{History, MIB, cached_and_joined, profile, write};

/// Checkpoints of the history below, at least: docs/evidence has them.
const CHECKPOINTS: u32 = 23;

/// Some files get thousands of pieces where no long ones are left. After 52,000 operations the model parted from the kernel:
/// when a goal had been cut in vain, it went on to look for all that small files share, and the kernel for the request alone.
#[test]
#[ignore = "long: make test-all"]
fn large_files_on_a_device_95_percent_full_lie_as_in_the_kernel() {
    let sizes = write::SIZES;
    let history = History {
        profile: profile(&format!(r#"{{"kind":"churn","streams":8,"rewrite_percent":20,"sizes":{sizes}}}"#)),
        end: AgeEnd::Operations { operations: 55_000 },
        size_bytes: 2048 * MIB,
        room_bytes: 1660 * MIB,
        seed: 7,
        hash_seed: None,
        block_bytes: 4096,
        writing: cached_and_joined(),
    };
    assert_agrees(&history, 2500, CHECKPOINTS);
}

/// What docs/evidence says of the model is what this test holds.
#[test]
fn the_proof_that_people_read_is_this_one() {
    let said = format!("with `dioread_lock`, equal in {CHECKPOINTS} of {CHECKPOINTS} checkpoints");
    assert!(include_str!("../../../../../docs/evidence/simulator.md").contains(&said), "{said}");
}
