//! What I/O goes to: a device, files, a share, or nothing.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ShareTarget;

/// What the I/O goes to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Target {
    /// Nothing: every I/O succeeds at once. Measures the engine itself.
    Null {
        /// Size of the pretended storage.
        size_bytes: u64,
    },
    /// A part of a block device. It is opened with O_EXCL for writing: a device in use is refused.
    Block {
        /// The device, for example /dev/loop0.
        path: String,
        /// Where the part begins.
        #[serde(default)]
        offset_bytes: u64,
        /// How long the part is.
        size_bytes: u64,
    },
    /// `count` files of equal size, named DIRECTORY/PREFIX0000, 0001 and so on; the load is spread evenly.
    Files {
        /// Directory that holds the files.
        directory: String,
        /// What their names begin with.
        #[schemars(extend("default" = "fsgauge-"))]
        prefix: String,
        /// How many there are.
        count: u32,
        /// Size of each.
        file_size_bytes: u64,
    },
    /// One file, shared by all jobs.
    File {
        /// The file.
        path: String,
        /// How much of it is used.
        size_bytes: u64,
    },
    /// As `files`, through a server: DIRECTORY of the share with PREFIX0000, 0001 and so on. Each job has a connection
    /// and a session of its own, and nothing is kept on this side: every operation is a message and its answer.
    ShareFiles {
        /// The share and the directory.
        share: ShareTarget,
        /// What their names begin with.
        #[schemars(extend("default" = "fsgauge-"))]
        prefix: String,
        /// How many there are.
        count: u32,
        /// Size of each.
        file_size_bytes: u64,
    },
    /// As `file`, through a server.
    ShareFile {
        /// The share and the directory.
        share: ShareTarget,
        /// The file's name in it.
        name: String,
        /// How much of it is used.
        size_bytes: u64,
    },
}

impl Target {
    /// The share that the files are reached through; none on this machine.
    pub fn share(&self) -> Option<&ShareTarget> {
        match self {
            Target::ShareFiles { share, .. } | Target::ShareFile { share, .. } => Some(share),
            Target::Null { .. } | Target::Block { .. } | Target::Files { .. } | Target::File { .. } => None,
        }
    }
}
