//! How well a model is proven: from a file that the tests hold true, fsgauge-alloc/proofs.json.

use fsgauge_alloc::PROOFS;

/// The version of the models. It goes up whenever the same job may give other numbers (tests/golden.rs).
pub const MODEL_VERSION: u32 = 2;

/// What is said of a model that nothing is compared with.
const UNPROVEN: &str = "not compared with a running system: made after what is written of it";

/// The sentence on a model, by its key there.
pub(crate) fn proof_of(key: &str) -> String {
    PROOFS
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .find(|(name, _)| *name == key)
        .map_or(UNPROVEN, |(_, sentence)| sentence)
        .to_owned()
}
