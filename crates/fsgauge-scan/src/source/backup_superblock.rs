//! Images with a destroyed primary superblock, recognised by its backup copies.

/// A copy of a superblock on an image that does not begin with one.
#[derive(Debug)]
pub(super) struct BackupSuperblock {
    pub(super) file_system: &'static str,
    pub(super) offset_bytes: u64,
    /// The command that reads by a copy and changes nothing.
    pub(super) next: String,
}
