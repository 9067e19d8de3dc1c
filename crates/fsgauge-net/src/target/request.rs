//! What a client can ask of its target.

use std::ffi::CStr;

/// An open file, as the target knows it.
pub type Handle = u64;

/// One operation. Paths are relative to the target's root; what is read lies where the target says
/// ([`Target::incoming`](super::target::Target::incoming)).
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs, reason = "the fields are what they are called")]
pub enum Request<'given> {
    /// Gives 0, also where the directory exists. Its parent exists.
    MakeDirectory { path: &'given CStr },
    /// A new file, open for writing: gives its handle; fails where it exists.
    Create { path: &'given CStr },
    /// A file that exists: gives its handle.
    Open { path: &'given CStr, write: bool },
    /// Gives the bytes that were read.
    Read { handle: Handle, offset_bytes: u64, size_bytes: u32 },
    /// Gives the bytes that were written.
    Write { handle: Handle, offset_bytes: u64, data: &'given [u8] },
    /// Gives 0.
    Fsync { handle: Handle },
    /// Gives 0; the handle is gone whatever it gives.
    Close { handle: Handle },
    /// Gives the file's size.
    Stat { path: &'given CStr },
    /// Gives the number of names in the directory, without its own and its parent's.
    List { path: &'given CStr },
    /// Replaces what is there: gives 0.
    Rename { from: &'given CStr, to: &'given CStr },
    /// Gives 0.
    Unlink { path: &'given CStr },
    /// An empty directory: gives 0.
    RemoveDirectory { path: &'given CStr },
    /// Nothing, there and back: gives 0.
    Null,
}
