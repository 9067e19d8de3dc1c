//! The warm-up: what comes before the measured part. It has a longest time, and may end sooner.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// When the warm-up of a run ends. All who hold it hear of an earlier end before that comes.
#[derive(Debug, Clone)]
pub struct WarmUp(Arc<AtomicU64>);

impl From<u64> for WarmUp {
    /// Of so many nanoseconds.
    fn from(longest_ns: u64) -> Self {
        WarmUp(Arc::new(AtomicU64::new(longest_ns)))
    }
}

impl WarmUp {
    /// Its end, since the first moment of the run.
    pub fn end_ns(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Ends it sooner: at a boundary of an interval that nobody has come to, and that is an interval away.
    pub fn cut(&self, end_ns: u64) {
        self.0.fetch_min(end_ns, Ordering::AcqRel);
    }
}
