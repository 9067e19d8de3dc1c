//! Profiles of ageing: how files come and go, their sizes and lifetimes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the files are like and how they come and go.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AgeProfile {
    /// Equal files, written in turns chunk by chunk, so that they lie between one another; then deleted one at
    /// a time in a drawn order, until some are left.
    Intermingled {
        /// How many files.
        #[serde(default = "intermingled_files")]
        files: u32,
        /// Size of each; null: as fills the space, whole chunks.
        #[serde(default)]
        file_size_bytes: Option<u64>,
        /// What a file gets in one turn.
        #[serde(default = "mebibyte")]
        chunk_bytes: u64,
        /// How many files are left at the end; null: all.
        #[serde(default)]
        keep_files: Option<u32>,
    },
    /// Files are created up to the fill level; then the file whose lifetime ends next makes room for new ones.
    Churn {
        /// Sizes of files.
        #[serde(default)]
        sizes: AgeSizes,
        /// From a file's creation to its deletion, in virtual time.
        #[serde(default)]
        lifetimes: AgeLifetimes,
        /// Directories that files are spread over.
        #[serde(default = "churn_streams")]
        streams: u32,
        /// Of the turns after the fill, how many in 100 write a live file anew in place: truncate to nothing,
        /// then append.
        #[serde(default)]
        rewrite_percent: u8,
        /// What a stream writes of its file in one turn, where all streams write at the same time, one file each; null: a
        /// file is written whole before the next begins.
        #[serde(default)]
        turn_bytes: Option<u64>,
    },
    /// Each client writes one file at a time, all clients in turns, record by record; above the fill level a
    /// finished file is deleted before a new one begins.
    Connections {
        /// How many write at once.
        #[serde(default = "connections_clients")]
        clients: u32,
        /// Size of each file; the last may be shorter.
        #[serde(default = "mebibyte")]
        file_size_bytes: u64,
        /// What a client writes in one turn.
        #[serde(default = "page")]
        record_bytes: u32,
        /// Whether a finished file is synced.
        #[serde(default)]
        fsync: bool,
    },
    /// A tree of sources and its updates: each writes some files of some directories anew, the new one beside
    /// the old, and deletes the old.
    GitLike {
        /// Sizes of files.
        #[serde(default = "source_sizes")]
        sizes: AgeSizes,
        /// Files of a directory of the first tree.
        #[serde(default = "files_per_directory")]
        files_per_directory: u32,
        /// Share of all files that one update writes anew.
        #[serde(default = "update_percent")]
        update_percent: f64,
    },
    /// Files of fixed size, filled from start to end, then overwritten page by page at drawn places.
    Database {
        /// How many files.
        #[serde(default = "database_files")]
        files: u32,
        /// Size of an overwrite, and its alignment.
        #[serde(default = "page")]
        page_bytes: u32,
        /// Size of an append while files are filled.
        #[serde(default = "mebibyte")]
        extend_bytes: u64,
        /// Overwrites of a file between two calls of fsync; 0: none.
        #[serde(default = "fsync_every")]
        fsync_every: u32,
    },
}

fn intermingled_files() -> u32 {
    20
}

fn mebibyte() -> u64 {
    1 << 20
}

fn churn_streams() -> u32 {
    64
}

fn connections_clients() -> u32 {
    590
}

fn page() -> u32 {
    4096
}

fn files_per_directory() -> u32 {
    16
}

fn update_percent() -> f64 {
    1.0
}

fn database_files() -> u32 {
    4
}

fn fsync_every() -> u32 {
    64
}

/// Median 4 KiB: a choice, in the range of source trees; not a fit.
fn source_sizes() -> AgeSizes {
    AgeSizes::LognormalPareto {
        median_bytes: 4096,
        sigma: 1.5,
        tail_percent: 0.0,
        tail_from_bytes: 1 << 20,
        tail_alpha: 1.0,
        largest_bytes: None,
    }
}

/// How large files are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AgeSizes {
    /// A log-normal body and a Pareto tail: the form that Agrawal and others fitted to files of workstations
    /// ("Generating Realistic Impressions for File-System Benchmarking", FAST 2009). The default values are a
    /// choice of that form, not taken from a fit.
    LognormalPareto {
        /// Median of the body: e^mu.
        median_bytes: u64,
        /// Standard deviation of the natural logarithm of the body.
        sigma: f64,
        /// Share of files in the tail.
        tail_percent: f64,
        /// The smallest of the tail.
        tail_from_bytes: u64,
        /// The tail's exponent.
        tail_alpha: f64,
        /// Larger sizes are drawn again. Null: a twentieth of the live bytes at the fill level.
        #[serde(default)]
        largest_bytes: Option<u64>,
    },
    /// A histogram: a bin is drawn by weight, then a size within it, evenly on the scale of logarithms.
    #[schemars(title = "BinnedSizes")]
    Bins {
        /// At least one.
        bins: Vec<AgeSizeBin>,
    },
}

impl Default for AgeSizes {
    fn default() -> Self {
        AgeSizes::LognormalPareto {
            median_bytes: 13_095,
            sigma: 2.46,
            tail_percent: 0.006,
            tail_from_bytes: 512 << 20,
            tail_alpha: 0.91,
            largest_bytes: None,
        }
    }
}

/// Sizes from `at_least_bytes` to below `below_bytes`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgeSizeBin {
    /// At least 1.
    pub at_least_bytes: u64,
    /// Above `at_least_bytes`.
    pub below_bytes: u64,
    /// Its share is weight / sum of weights.
    pub weight: f64,
}

/// How long files live.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AgeLifetimes {
    /// The default has 35 % end within 10 minutes, as bytes do in the traces RES and Harp that Wang and Hu used
    /// (FAST 2002); that half end within an hour is a choice. What counts is their order, not their length.
    Lognormal {
        /// Half of the files live shorter.
        median_ns: u64,
        /// Standard deviation of the natural logarithm.
        sigma: f64,
    },
    /// Every file is as likely to be the next one deleted, whatever its age.
    Exponential {
        /// Mean lifetime.
        mean_ns: u64,
    },
    /// A histogram: a bin is drawn by weight, then a lifetime within it, evenly on the scale of logarithms.
    #[schemars(title = "BinnedLifetimes")]
    Bins {
        /// At least one.
        bins: Vec<AgeLifetimeBin>,
    },
}

impl Default for AgeLifetimes {
    fn default() -> Self {
        AgeLifetimes::Lognormal { median_ns: 3600 * 1_000_000_000, sigma: 4.65 }
    }
}

/// Lifetimes from `at_least_ns` to below `below_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AgeLifetimeBin {
    /// At least 1.
    pub at_least_ns: u64,
    /// Above `at_least_ns`.
    pub below_ns: u64,
    /// Its share is weight / sum of weights.
    pub weight: f64,
}
