//! Mode `write` where space is short: the kernel writes back before it is asked to, once half of what is free is promised.

use fsgauge_wire::AgeEnd;

use super::compare::assert_agrees;
use super::{History, MIB, cached, profile};

/// Small files: none has so many pieces that the kernel's own races decide what its tree takes.
const SIZES: &str = r#"{"kind":"bins","bins":[{"at_least_bytes":1,"below_bytes":65536,"weight":1}]}"#;

/// Checkpoints of the history below, at least: docs/evidence has them.
const CHECKPOINTS: u32 = 19;

#[test]
#[ignore = "long: make test-all"]
fn a_device_96_percent_full_is_filled_as_by_the_kernel() {
    let history = History {
        profile: profile(&format!(r#"{{"kind":"churn","streams":8,"rewrite_percent":20,"sizes":{SIZES}}}"#)),
        end: AgeEnd::Operations { operations: 45_000 },
        size_bytes: 1024 * MIB,
        room_bytes: 695 * MIB,
        seed: 7,
        hash_seed: None,
        block_bytes: 4096,
        writing: cached(),
    };
    assert_agrees(&history, 2500, CHECKPOINTS);
}

/// What a page and docs/evidence say of the model is what this test holds, and that of the other histories.
#[test]
fn the_proof_that_people_read_is_this_one() {
    let proof = crate::PROOFS.lines().find_map(|line| line.strip_prefix("ext4-6.18 write\t")).unwrap();
    let said = format!("{CHECKPOINTS} of {CHECKPOINTS}");
    assert!(proof.contains(&format!("{said} of small files on a device 96 % full")), "{proof}");
    let guide = include_str!("../../../../../docs/evidence/simulator.md");
    assert!(guide.contains(&format!("before it is asked to: equal in {said}")), "{said}");
    let (written, _) = proof.split_once(" and ").unwrap();
    let written = written.trim_start_matches("agrees with Linux 6.18 ");
    assert!(guide.contains(&format!("equal {written}")), "{written}");
}
