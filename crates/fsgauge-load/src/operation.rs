//! The operation: what the pattern gives, a queue carries out, and a failure names.

/// One operation that is to be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) write: bool,
    pub(crate) file: u32,
    pub(crate) size_bytes: u32,
    pub(crate) offset_bytes: u64,
}
