//! What a client can ask of its target.

use std::ffi::CStr;

/// An open file, as the target knows it.
pub(crate) type Handle = u64;

/// One operation. Paths are relative to the target's root; records lie in the lane's buffer
/// ([`Target::record`](super::target::Target::record)).
#[derive(Debug, Clone, Copy)]
pub(crate) enum Request<'path> {
    /// Gives 0, also where the directory exists. Its parent exists.
    MakeDirectory { path: &'path CStr },
    /// A new file, open for writing: gives its handle; fails where it exists.
    Create { path: &'path CStr },
    /// A file that exists: gives its handle.
    Open { path: &'path CStr, write: bool },
    /// Gives the bytes that were read.
    Read { handle: Handle, offset_bytes: u64, size_bytes: u32 },
    /// Gives the bytes that were written.
    Write { handle: Handle, offset_bytes: u64, size_bytes: u32 },
    /// Gives 0.
    Fsync { handle: Handle },
    /// Gives 0; the handle is gone whatever it gives.
    Close { handle: Handle },
    /// Gives the file's size.
    Stat { path: &'path CStr },
    /// Gives the number of names in the directory, without its own and its parent's.
    List { path: &'path CStr },
    /// Replaces what is there: gives 0.
    Rename { from: &'path CStr, to: &'path CStr },
    /// Gives 0.
    Unlink { path: &'path CStr },
}
