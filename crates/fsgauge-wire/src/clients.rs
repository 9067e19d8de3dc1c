//! Many clients on one file set, every operation timed: the job of kind "clients" and what it adds to a
//! load's result.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Arrival, Data, Histogram, NfsTarget, SmbTarget};

/// kind "clients": many clients work on a file set; each is a small state machine with few operations at a
/// time. The result is that of a load (`result` kind "load") with `clients` in it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClientsJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// What the operations go to.
    pub target: ClientsTarget,
    /// What the clients do.
    pub phase: Phase,
    /// How many there are. Of a backup: 1, whatever the file set's number.
    pub clients: u32,
    /// Files that one client works on at a time, one operation on each.
    #[serde(default = "one")]
    pub outstanding: u32,
    /// How the clients are carried.
    #[serde(default)]
    pub dispatch: Dispatch,
    /// How many event loops; null: one per processor. With dispatch "threads": null.
    #[serde(default)]
    pub threads: Option<u32>,
    /// Which system calls carry the operations on a path.
    #[serde(default)]
    pub interface: ClientsInterface,
    /// Clients begin one after the other, spread evenly over this time.
    #[serde(default)]
    pub ramp_ns: u64,
    /// Rest of a client after each file (of a mix: after each activity); null: none.
    #[serde(default)]
    pub think: Option<Think>,
    /// The files, as a formula.
    pub files: FileSet,
    /// Whether a written file is synced (fsync) before it is closed.
    #[serde(default)]
    pub fsync: bool,
    /// The run ends here at the latest: a mix ends exactly here, other phases when every client is through.
    pub time_limit_ns: u64,
    /// Length of one interval of the series.
    #[serde(default = "one_second_ns")]
    pub interval_ns: u64,
    /// What files hold. Every record differs from every other, unless it is zeros.
    #[serde(default)]
    pub data: Data,
    /// Seed of contents, sizes and choices.
    pub seed: u64,
    /// Whether what is read is compared with what was written, byte by byte.
    #[serde(default)]
    pub verify: bool,
}

/// What clients work on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ClientsTarget {
    /// Nothing: every operation succeeds at once. Measures the engine itself.
    #[schemars(title = "NullClientsTarget")]
    Null {},
    /// An existing directory of this machine; the file set lies below it.
    Path {
        /// The directory.
        directory: String,
    },
    /// A share of an SMB server: a TCP connection and a session a client.
    Smb(SmbTarget),
    /// An export of an NFS server, version 3: a TCP connection a client.
    Nfs(NfsTarget),
}

/// What the clients do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Phase {
    /// Each client makes its directory while it connects, then writes all of its files, one after the other,
    /// from start to end in records. Files must not exist.
    Write {
        /// How a file comes to be.
        #[serde(default)]
        create: Create,
    },
    /// Each client opens, reads from start to end and closes all of its files.
    Read {},
    /// Each client asks for the attributes of all of its files.
    Stat {},
    /// Each client removes all of its files.
    Delete {},
    /// Each client does one activity after the other, drawn by weight, until the time is up.
    Mix {
        /// What it may draw; every weight above 0, every activity at most once.
        activities: Vec<WeightedActivity>,
    },
    /// One reader opens, reads and closes every file that is found below the target's directory.
    Backup {
        /// Which file comes first.
        order: BackupOrder,
        /// Size of one read.
        block_size_bytes: u32,
    },
    /// For a share or an export: whatever is there of the file set, its directories and the target's directory is
    /// removed; what is missing is no error.
    Clear {},
}

/// How a written file comes to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Create {
    /// Created, written, closed.
    #[default]
    AndWrite,
    /// Created and closed (both are the operation create), then opened, written, closed: as a program of two
    /// steps does (java.io.File.createNewFile, then FileOutputStream).
    ThenOpen,
}

/// What a client of a mix does in one go; all of it on its own files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Opens, reads and closes one of its files.
    Read,
    /// Creates, writes and closes one more file, numbered on from those of the set.
    Create,
    /// Writes a file of its own again as careful programs do: a new file beside it, renamed over it.
    Save,
    /// Removes the oldest of the files that the mix has made; while there is none it draws again. Files of the
    /// set stay, so that whatever comes after a mix finds the whole set.
    Delete,
    /// Asks for the attributes of one of its files.
    Stat,
    /// Lists the directory of one of its files.
    List,
}

/// One activity and how often it is drawn, relative to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightedActivity {
    /// What is done.
    pub activity: Activity,
    /// Its share is weight / sum of weights.
    pub weight: u32,
}

/// Which file a backup reads first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BackupOrder {
    /// As the directories give them, each directory whole before the next.
    Directory,
    /// By inode number over the whole tree.
    Inode,
    /// By where their first extent lies on the storage (FIEMAP).
    Physical,
}

/// How clients are carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Dispatch {
    /// Few threads, each a loop over its share of the clients.
    #[default]
    EventLoop,
    /// A thread a client, with plain calls.
    Threads,
}

/// Which system calls carry the operations on a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClientsInterface {
    /// io_uring for what waits for the device (open, read, fsync, stat, unlink), plain calls for what changes
    /// memory, where io_uring would only hand the call to a thread of the kernel; on tmpfs nothing waits. A read
    /// is first tried without waiting (preadv2, RWF_NOWAIT): io_uring carries only what is not in memory.
    #[default]
    Auto,
    /// io_uring for all that it has.
    IoUring,
    /// Plain calls only.
    Plain,
}

/// A client's rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Think {
    /// Its mean length.
    pub mean_ns: u64,
    /// How lengths are spread.
    pub spread: Arrival,
}

/// The files of all clients: names and sizes follow from the numbers of client and file, nothing is listed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileSet {
    /// Clients that the set belongs to.
    pub clients: u32,
    /// Files of each.
    pub files_per_client: u32,
    /// How large they are.
    pub sizes: FileSizes,
    /// Size of one read or write; the last of a file may be shorter.
    pub record_size_bytes: u32,
    /// Which directories they lie in.
    pub tree: Tree,
}

/// The sizes of files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum FileSizes {
    /// File k of client c has size number (c + k) modulo how many there are: all equally often, over clients
    /// and over time.
    Cycle {
        /// The sizes.
        sizes_bytes: Vec<u64>,
    },
    /// Drawn by weight.
    Weighted {
        /// Sizes and their weights.
        sizes: Vec<WeightedSize>,
    },
    /// Drawn from a log-normal distribution, cut at both ends by drawing at the limit.
    Lognormal {
        /// Half of the files are smaller.
        median_bytes: u64,
        /// Standard deviation of the natural logarithm; above 0, at most 10.
        sigma: f64,
        /// The smallest.
        smallest_bytes: u64,
        /// The largest.
        largest_bytes: u64,
    },
}

/// One file size and how often it is drawn, relative to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WeightedSize {
    /// Size of the file.
    pub size_bytes: u64,
    /// Its share is weight / sum of weights.
    pub weight: u32,
}

/// Which directories files lie in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Tree {
    /// A directory a client.
    Own {},
    /// fan_out directories in each of fan_out directories, depth levels deep; the files of all clients are
    /// dealt to the lowest in turn.
    Shared {
        /// Levels; 1 to 8.
        depth: u32,
        /// Directories in a directory; depth and fan_out make at most 1,000,000 lowest ones.
        fan_out: u32,
    },
}

fn one() -> u32 {
    1
}

fn one_second_ns() -> u64 {
    1_000_000_000
}

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
    /// Files that were done whole (of a mix: activities).
    pub files: u64,
    /// Files that were given up after an error.
    pub files_given_up: u64,
    /// Clients that gave up: ten files in a row failed, the storage was full, or the server could not be reached
    /// again for 30 s, or twice in a row did not answer within 30 s.
    pub clients_gave_up: u32,
    /// When the first client was done, since the start of the measured part; null when none was.
    pub first_done_ns: Option<u64>,
    /// When the last one was.
    pub last_done_ns: Option<u64>,
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
