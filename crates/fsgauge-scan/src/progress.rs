//! How far a scan is: counters that threads set and one reads now and then.

use std::sync::atomic::{AtomicU64, Ordering};

/// What one thread has read so far. On a cache line of its own: it is written for every file.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Progress {
    files: AtomicU64,
    extents: AtomicU64,
}

impl Progress {
    /// Called by its thread alone.
    #[inline]
    pub(crate) fn set(&self, files: u64, extents: u64) {
        self.files.store(files, Ordering::Relaxed);
        self.extents.store(extents, Ordering::Relaxed);
    }

    /// Files and extents of all threads.
    pub(crate) fn sum(all: &[Progress]) -> (u64, u64) {
        all.iter().fold((0, 0), |(files, extents), each| {
            (files + each.files.load(Ordering::Relaxed), extents + each.extents.load(Ordering::Relaxed))
        })
    }
}
