//! What clients add to a load's result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{BackupOrder, Dispatch, Histogram};

/// The operations that are timed apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClientOperation {
    /// A client's way in, before the measured part: its connection and session, where the target is on a server,
    /// and its directory, where the phase makes it.
    Connect,
    /// A new file; with `then_open`, until it is closed again.
    Create,
    /// A file that exists.
    Open,
    /// One record.
    Read,
    /// One record.
    Write,
    /// fsync.
    Fsync,
    /// Close.
    Close,
    /// The attributes of a file.
    Stat,
    /// All names in a directory.
    List,
    /// A file over another.
    Rename,
    /// A file.
    Unlink,
}

/// What the clients did; beside the sums that every load's result has (`read` and `write` are records,
/// `jobs` are clients, `in_flight_mean` counts operations that were asked for and not done).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ClientsResult {
    /// How the clients were carried.
    pub dispatch: Dispatch,
    /// Event loops, or threads.
    pub threads: u32,
    /// Which call carried each operation that was done.
    pub calls: Vec<OperationCall>,
    /// From the first client's way in to the last one's; before the measured part.
    pub connect_ns: u64,
    /// Each operation that was done.
    pub operations: Vec<ClientOperationResult>,
    /// Errors by operation and kind.
    pub errors: Vec<ClientError>,
    /// Files that were done whole (of a mix: activities; of a phase rename: renames; of a phase list: lists).
    pub files: u64,
    /// Under a rate: from a file's intended start to its end, of each file that was done whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_latency: Option<Histogram>,
    /// Names that phase list was given, all lists together.
    #[serde(default)]
    pub names: u64,
    /// Files that were begun by the client that had fewest when the time was up, or else in all; 0 in a mix.
    #[serde(default)]
    pub fewest_files: u32,
    /// By the one that had most.
    #[serde(default)]
    pub most_files: u32,
    /// When the time was up and clients went on (`wear_out`), since the start of the measured part; null where that did
    /// not happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stonewall_ns: Option<u64>,
    /// Files that were given up after an error.
    pub files_given_up: u64,
    /// Clients that gave up: ten files in a row failed, the storage was full, or the server could not be reached
    /// again for 30 s, or twice in a row did not answer within 30 s.
    pub clients_gave_up: u32,
    /// When the first client was done, since the start of the measured part; null when none was.
    pub first_done_ns: Option<u64>,
    /// When the last one was.
    pub last_done_ns: Option<u64>,
    /// How long syncing the file system took after the last client was done, in no other time; null when the job did
    /// not ask.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sync_at_end_ns: Option<u64>,
    /// Time of all clients from each one's start to its end, in client-nanoseconds: N of Little's law is
    /// active_ns / elapsed_ns. Each of a client's outstanding files counts as one.
    pub active_ns: u64,
    /// Time that clients rested, in client-nanoseconds; counted as in `active_ns`.
    pub think_ns: u64,
    /// Records that were compared.
    pub checked_records: u64,
    /// Records that were not what had been written, and files that go on behind their end.
    pub bad_records: u64,
    /// The first of them, at most 20.
    pub bad: Vec<BadRecord>,
    /// What a backup found; null for other phases.
    pub backup: Option<BackupResult>,
    /// The way to the server; null for a path.
    #[serde(default)]
    pub network: Option<NetworkResult>,
    /// The engine's largest memory so far (VmHWM).
    pub peak_memory_bytes: u64,
}

/// What the clients' connections were.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NetworkResult {
    /// As agreed with the server: "SMB 3.0.2, unsigned", "NFS 3".
    pub protocol: String,
    /// Connections that were set up before the measured part.
    pub connections: u32,
    /// Connections that were set up again after they were lost.
    pub reconnections: u64,
    /// An operation that does nothing, the median of several on one connection that nobody else uses.
    pub null_operation_ns: u64,
    /// Sent in the measured part, protocol and data.
    pub sent_bytes: u64,
    /// Received in the measured part.
    pub received_bytes: u64,
}

/// All operations of one kind in the measured part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientOperationResult {
    /// Which.
    pub operation: ClientOperation,
    /// How many succeeded.
    pub operations: u64,
    /// Their bytes; 0 where there are none.
    pub size_bytes: u64,
    /// How many failed.
    pub errors: u64,
    /// From the moment the client asked to the answer: with one event loop for many clients and plain calls,
    /// the wait for the loop is in it. Successes only.
    pub response_latency: Histogram,
    /// From the call to its return (io_uring: to its completion). Successes only.
    pub service_latency: Histogram,
}

/// The call that carried an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OperationCall {
    /// Which operation.
    pub operation: ClientOperation,
    /// The call: "io_uring openat", "pwrite".
    pub call: String,
    /// Why it was not io_uring; null where it was, or was not asked for.
    pub reason: Option<String>,
}

/// What kind of error an operation had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClientErrorKind {
    /// ENOSPC.
    NoSpace,
    /// EDQUOT.
    Quota,
    /// EMFILE, ENFILE.
    TooManyOpenFiles,
    /// EACCES, EPERM.
    PermissionDenied,
    /// EROFS.
    ReadOnly,
    /// EEXIST: a file that should be new is there.
    Exists,
    /// ENOENT, ENOTDIR: a file or directory is gone.
    Missing,
    /// EIO, and what file systems say of damage (EUCLEAN, EBADMSG).
    Io,
    /// A file ended before its size.
    Short,
    /// ECONNREFUSED, EHOSTUNREACH, ENETUNREACH: nobody takes connections there.
    ConnectionRefused,
    /// ECONNRESET, EPIPE, ENOTCONN, ECONNABORTED: the connection or the session ended.
    ConnectionLost,
    /// ETIMEDOUT: no answer in time.
    TimedOut,
    /// EKEYREJECTED: the server does not take this user or password.
    LoginRefused,
    /// EPROTO: the server speaks otherwise than was asked for.
    Protocol,
    /// Any other.
    Other,
}

/// Errors of one operation and kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ClientError {
    /// Which operation.
    pub operation: ClientOperation,
    /// What kind.
    pub kind: ClientErrorKind,
    /// How many.
    pub count: u64,
    /// The first one's file or directory.
    pub first_path: String,
    /// The first one in the system's words: "No space left on device (os error 28)".
    pub message: String,
}

/// A record that is not what was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BadRecord {
    /// Its file.
    pub path: String,
    /// Where it begins.
    pub offset_bytes: u64,
    /// The first byte that differs, in the file.
    pub first_byte: u64,
}

/// What a backup read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BackupResult {
    /// In which order.
    pub order: BackupOrder,
    /// Files that were found.
    pub files: u64,
    /// Directories that were walked.
    pub directories: u64,
    /// Finding them, asking for their extents where the order needs these, and sorting them; in the measured
    /// time.
    pub listing_ns: u64,
    /// Comparing what was read with what clients had written. It is in no other time; the storage may have read ahead
    /// meanwhile, so that a backup that compares nothing takes up to so much longer than this one measured.
    #[serde(default)]
    pub comparing_ns: u64,
    /// Extents of all files as FIEMAP gives them: neighbours on the storage count apart. Null where they were not
    /// needed for the order.
    pub extents: Option<u64>,
}
