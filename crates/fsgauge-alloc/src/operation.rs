//! One operation of a log.

use fsgauge_wire::AgeOperation;

/// What one stream does to one file.
///
/// A stream has one file open at a time. It opens a file to append, overwrite or sync, and keeps it open until
/// it turns to another. A file that is created with bytes has them in one go and is closed; one that is created
/// without stays open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operation {
    /// When, since the log's beginning.
    pub virtual_time_ns: u64,
    /// Who: a client, a directory, a file.
    pub stream: u32,
    /// What.
    pub kind: AgeOperation,
    /// The file's number. A number is used again after its file was deleted, so numbers stay small.
    pub file: u32,
    /// Append: the file's size before. Overwrite: where. Truncate: the size after. Others: 0.
    pub offset_bytes: u64,
    /// Create, append, overwrite: bytes written. Truncate, delete: bytes that go. Fsync: 0.
    pub size_bytes: u64,
}

/// Where the files of a log lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    /// In one directory, as long as it has room.
    Together,
    /// Each stream's files in a directory of its own.
    ByStream,
    /// A stream is a directory, by its number.
    Numbered,
}
