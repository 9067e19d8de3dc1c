//! How a session opens files that it writes.

/// What every file is opened for that is opened to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Opening {
    /// It is read as well.
    pub also_reads: bool,
    /// A write is answered when it is durable: SMB opens with FILE_WRITE_THROUGH, an NFS write is FILE_SYNC. Else SMB
    /// leaves that to the server, and an NFS write is UNSTABLE, to be committed.
    pub is_durable: bool,
}
