//! The operation: what the pattern gives, a queue carries out, and a failure names.

/// One operation that is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) write: bool,
    pub(crate) file: u32,
    pub(crate) size_bytes: u32,
    pub(crate) offset_bytes: u64,
}

/// In the place of an error number: what was read is not what was written. The kernel has none so large.
pub(crate) const DIFFERS: i32 = -(1 << 20);
