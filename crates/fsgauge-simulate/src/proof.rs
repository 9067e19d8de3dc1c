//! How well a model is proven: from a file that the tests against the kernel hold true, fsgauge-alloc/proofs.tsv.

use fsgauge_alloc::PROOFS;

/// The version of the models. It goes up whenever the same job may give other numbers; the predictions that are shipped are
/// of this version (tests/unit/published/test_runs.py).
pub const MODEL_VERSION: u32 = 3;

/// What is said of a model that nothing is compared with.
const UNPROVEN: &str = "not compared with a running system: it follows what is written of it";

/// The sentence on a model, by its key there.
pub(crate) fn proof_of(key: &str) -> String {
    PROOFS
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .find(|(name, _)| *name == key)
        .map_or(UNPROVEN, |(_, sentence)| sentence)
        .to_owned()
}
