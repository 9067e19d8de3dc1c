//! How a load is carried out: its calls, order, sizes, pace, data, and when its writes are durable.

use std::num::NonZeroU32;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Think, Zone};

/// The system calls that carry the I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Interface {
    /// io_uring: any queue depth.
    IoUring,
    /// pread and pwrite: queue depth 1.
    Psync,
    /// io_submit and io_getevents, as libaio has them: any queue depth. Through the page cache the kernel does one after
    /// the other.
    Libaio,
    /// Messages to a server over sockets, with epoll: any queue depth. What a target on a share needs; no other has it.
    Sockets,
}

/// The order in which offsets are visited.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Access {
    /// Each job walks its own share of the target from its start to its end, and again.
    Sequential {},
    /// Every position is as likely as any other.
    Random {},
    /// A few positions are hot: the chance of the k-th hottest goes as k^-theta. Hot positions are scattered.
    Zipf {
        /// The exponent; above 0, at most 10.
        theta: f64,
    },
    /// As sequential, from the end of each job's share to its start.
    Backwards {},
    /// As sequential, with a gap after each operation.
    Strided {
        /// From the start of one operation to the start of the next; at least the largest block size.
        stride_bytes: u64,
    },
    /// A few positions are hot: a share h of them gets a share 1 - h of the operations, and so on within them. Hot
    /// positions are scattered.
    Pareto {
        /// Above 0, below 1.
        h: f64,
    },
    /// Around the middle of the target, normally distributed; a draw outside of it is drawn again.
    Normal {
        /// The standard deviation, as a share of the target.
        deviation_percent: u8,
    },
    /// Zones, each drawn by weight; inside a zone every position is as likely as any other.
    Zones {
        /// From the target's start on; their shares add up to 100.
        zones: Vec<Zone>,
    },
}

/// One block size and how often it is drawn, relative to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockSize {
    /// Size of the I/O.
    pub size_bytes: u32,
    /// Its share is weight / sum of weights.
    #[schemars(extend("default" = 1))]
    pub weight: u32,
}

/// When operations of a paced load are meant to start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Arrival {
    /// At equal distances.
    Constant,
    /// As a Poisson process.
    Exponential,
}

/// A pace. Operations start when they are due, not when the last one has ended.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Of all jobs together.
    pub operations_per_second: f64,
    /// How the starts are spread.
    pub arrival: Arrival,
}

/// A job's rests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rest {
    /// Operations between two of them.
    pub every: NonZeroU32,
    /// How long they are.
    pub think: Think,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Data {
    /// Random bytes, different in every 4096 bytes of every write.
    #[default]
    Incompressible,
    /// Zeros.
    Zero,
    /// Random bytes followed by zeros in every 4096 bytes.
    Compressible {
        /// The share of zeros, 0 to 100.
        compressible_percent: u8,
    },
    /// The same, and some writes repeat what their job has written before.
    Duplicated {
        /// The share of writes whose data is that of an earlier one, 0 to 100.
        duplicate_percent: u8,
        /// The share of zeros, 0 to 100.
        compressible_percent: u8,
    },
}

/// Which places of the target belong to which job. A place is one block; all jobs then have one block size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Ranges {
    /// Every job has all places: jobs overwrite one another.
    Shared {},
    /// The places are cut into one contiguous segment a job (IOR's segmented file).
    Segmented {},
    /// Block k belongs to job k modulo jobs (IOR's strided file with one transfer a block).
    Interleaved {},
    /// Runs of `stride_bytes` are dealt to the jobs in turn (IOR's strided file, block above transfer size).
    Strided {
        /// Length of a run; a multiple of the block size.
        stride_bytes: u64,
    },
    /// Job j has file j of the target, whole: a target of kind files with as many files as jobs.
    OwnFiles {},
}

/// The jobs of one engine among those of several engines that load one target: places are dealt to `of` jobs, and
/// this engine's jobs are the ones from `first` on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JobsOfAll {
    /// The number of this engine's first job.
    pub first: u32,
    /// How many jobs all engines have together.
    pub of: u32,
}

/// What the jobs of a load are to the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Workers {
    /// Threads of one process.
    #[default]
    Threads,
    /// A process each.
    Processes,
}

/// How jobs have their files open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Descriptors {
    /// Each job opens the files for itself.
    #[default]
    Own,
    /// All jobs use one open file description.
    Shared,
}

/// When written data is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Sync {
    /// Never by the load. On a share, NFS writes are UNSTABLE and not committed: what the server keeps in memory stays
    /// there, as a file's data stay in the page cache.
    #[default]
    #[schemars(title = "NoSync")]
    None,
    /// By each write: files are opened with O_DSYNC. On a share each write is answered when it is durable: SMB opens
    /// with FILE_WRITE_THROUGH, an NFS write is FILE_SYNC.
    Dsync,
    /// By fsync after every so many writes of a job, once they have completed. On a share: SMB FLUSH, NFS COMMIT.
    Fsync {
        /// Writes between two calls.
        every: u32,
    },
    /// The same with fdatasync; on a share the same as fsync, which has no other message.
    Fdatasync {
        /// Writes between two calls.
        every: u32,
    },
    /// By each write on its own: pwritev2(2) with RWF_DSYNC, on a file that is opened without O_DSYNC.
    RwfDsync,
    /// By nothing: sync_file_range(2) of the whole file after every so many writes, which waits until the pages are
    /// written, and neither flushes the device's cache nor makes metadata durable.
    SyncFileRange {
        /// Writes between two calls.
        every: u32,
    },
}

/// How a job moves a block between its memory and the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transfer {
    /// In one call.
    #[default]
    Whole,
    /// In one call, and beside it one byte at a time through a buffer of the block size: as putc(3) fills it before a
    /// write, as getc(3) takes it after a read. What Bonnie++ did up to version 1.03, and its getc_putc does.
    Characters,
    /// In one call for each byte. What Bonnie++ 2.00 does.
    Bytes,
    /// Read and written: each write reads its block first, changes one byte of it and writes it back. What Bonnie++
    /// does as rewrite, and for some of its seeks.
    Rewrite,
    /// In one call; each block that is read is compared with what a load before has written there: of the same seed,
    /// data, ranges, jobs and block size, in one pass. The first that differs ends the load: code "io.differs". What
    /// IOR does with -R.
    Compared,
}

/// What each job does with its files when its work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finish {
    /// Whether it calls fsync on each.
    pub fsync: bool,
    /// Whether closing them is timed, after fsync.
    pub close: bool,
}

/// What a companion does, one operation at a time, from the load's first moment to its last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CompanionKind {
    /// Random reads on the load's own target.
    Reader,
    /// Appends to a file of its own beside the target's first, each followed by fdatasync, as a database
    /// writes its log. The file begins again at 256 MiB and is removed at the end.
    Log,
    /// Writes at random places of a file of its own beside the target's first, through the page cache, and fdatasync
    /// after every 16 MiB, as a database's checkpoint writes its pages back. The file has 64 MiB, is written whole
    /// before the load, and is removed at the end.
    Checkpoint,
}

/// Threads that work beside the jobs and are counted apart from them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Companion {
    /// What they do.
    pub role: CompanionKind,
    /// How many there are.
    pub count: u32,
    /// Size of each operation.
    pub block_size_bytes: u32,
}
