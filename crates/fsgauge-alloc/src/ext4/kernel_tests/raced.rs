//! Mode `write` as ext4 is mounted by default: a worker of the kernel joins extents while later ones are allocated, and the
//! model joins them afterwards. Where a leaf of the tree is full one extent earlier, the two part, in one run and not in the
//! next.

use fsgauge_wire::AgeEnd;

use super::compare::lived;
use super::write::{SIZES, assert_close};
use super::{History, MIB, cached, profile};

/// A device nearly full, where some files get hundreds of pieces at once. What a layout is judged by is close all the same.
/// A shorter history leaves few files in several pieces, and their share says little.
#[test]
#[ignore = "long: make test-all"]
fn layouts_are_close_whether_or_not_the_kernels_race_parts_them() {
    let history = History {
        profile: profile(&format!(r#"{{"kind":"churn","streams":8,"rewrite_percent":20,"sizes":{SIZES}}}"#)),
        end: AgeEnd::Operations { operations: 55_000 },
        size_bytes: 2048 * MIB,
        room_bytes: 1700 * MIB,
        seed: 7,
        hash_seed: None,
        block_bytes: 4096,
        writing: cached(),
    };
    if let Some(lived) = lived(&history, 2500) {
        let parted = lived.parted.as_deref().unwrap_or("all equal");
        println!("{} checkpoints equal, then {parted}; {}", lived.checkpoints, lived.distances.text);
        assert_close(&lived);
    }
}
