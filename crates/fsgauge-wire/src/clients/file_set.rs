//! The file set of clients: numbers, sizes and directories.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

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
