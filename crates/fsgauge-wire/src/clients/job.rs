//! The job of kind "clients".

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Arrival, ClientsTarget, Data, FileSet, FileSizes, Held, Lease, Rate, Tree, WantedStart};

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
    /// A pace in files a second, all clients together: each file is begun when it is due, or when its client has done the
    /// one before; null: the next begins when one ends. For phases of files that are there or made, by one file of a client
    /// at a time, without rests, ramp and wear-out.
    #[serde(default)]
    pub rate: Option<Rate>,
    /// The files, as a formula.
    pub files: FileSet,
    /// In which order a client comes to its files. Not for a mix and a backup.
    #[serde(default)]
    pub order: FileOrder,
    /// Whether the time limit is a stonewall with wear-out, as IO500 has it: when it is reached, every client goes on until
    /// it has as many files as the one that had most then, in at most ten times the limit. For phase write by number,
    /// one file of a client at a time.
    #[serde(default)]
    pub wear_out: bool,
    /// Whether a client's files are those that are there: of its numbers the first ones, up to the first that is missing.
    /// They are looked for by halves before the measured part. For read, stat, rename and delete on a path.
    #[serde(default)]
    pub only_existing: bool,
    /// Whether the file system is synced (syncfs) when all clients are through: timed apart, see the result's
    /// `sync_at_end_ns`. For a path.
    #[serde(default)]
    pub sync_at_end: bool,
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
    /// When the load begins, by CLOCK_MONOTONIC of this machine; at most an hour ahead. A moment that has passed is
    /// refused, and nothing is loaded: code "start.missed". Null: as soon as everything is prepared.
    #[serde(default)]
    pub start_at_ns: Option<u64>,
    /// With a lease: whether the job begins at the moment that a `start` order gives, once it has said `armed`. Not
    /// with `start_at_ns`.
    #[serde(default)]
    pub start_on_order: bool,
    /// Places that are reached by descriptors which the engine was started with, not by their paths.
    #[serde(default)]
    pub held: Vec<Held>,
    /// What keeps the engine alive; null: its parent alone.
    #[serde(default)]
    pub lease: Option<Lease>,
}

impl ClientsJob {
    /// A job to vary: one client of one file on the null target, one operation at a time, every option off.
    pub fn plain() -> Self {
        ClientsJob {
            format: crate::FORMAT,
            target: ClientsTarget::Null {},
            phase: Phase::Write { create: Create::AndWrite },
            clients: 1,
            outstanding: 1,
            dispatch: Dispatch::EventLoop,
            threads: None,
            interface: ClientsInterface::Plain,
            ramp_ns: 0,
            think: None,
            rate: None,
            files: FileSet {
                clients: 1,
                files_per_client: 1,
                sizes: FileSizes::Cycle { sizes_bytes: vec![4096] },
                record_size_bytes: 4096,
                tree: Tree::Own {},
            },
            order: FileOrder::Number,
            wear_out: false,
            only_existing: false,
            sync_at_end: false,
            fsync: false,
            time_limit_ns: 60 * one_second_ns(),
            interval_ns: one_second_ns(),
            data: Data::Zero,
            seed: 1,
            verify: false,
            start_at_ns: None,
            start_on_order: false,
            held: Vec::new(),
            lease: None,
        }
    }

    /// What it says about its start.
    pub fn wanted_start(&self) -> WantedStart {
        WantedStart {
            at_ns: self.start_at_ns,
            on_order: self.start_on_order,
            has_lease: self.lease.is_some(),
        }
    }
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
    /// Each client gives each of its files another name and then its own again: two renames a file.
    Rename {},
    /// Each client lists its directory, in a shared tree that of its first files, as often as it has files in the set.
    List {},
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

/// In which order a client comes to its files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileOrder {
    /// By number.
    #[default]
    Number,
    /// In an order drawn from the seed, each file once; another one in each phase.
    Random,
    /// As its directory gives them: each client reads the names of one call, takes these files, and reads on. Each call is
    /// an operation `list` of the measured part. For files that exist, on a path, with a directory a client.
    Directory,
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

fn one() -> u32 {
    1
}

fn one_second_ns() -> u64 {
    1_000_000_000
}
