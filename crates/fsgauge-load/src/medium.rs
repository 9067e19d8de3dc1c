//! The medium: what takes a job's operations in place of its target, when the load's own limits are measured.

use std::num::NonZeroU32;

/// What operations go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Medium {
    /// The target of the load.
    Target,
    /// Nothing: every operation succeeds at once.
    Nothing,
    /// Memory of the job's own.
    Memory(Touch),
}

/// How much of the memory an operation touches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Touch {
    /// One word of every 4096 bytes.
    Words,
    /// Every byte.
    Bytes,
    /// One byte of every so many, the first of an operation and every Nth after it.
    Stride(NonZeroU32),
}
