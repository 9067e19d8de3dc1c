//! A place that the caller has open: the engine reaches it by that descriptor, whatever its name means by then.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A folder, file or block device that the engine was started with. Every path of the job that is this one or lies
/// below it is resolved from the descriptor: below a folder without links and without leaving its file system, a
/// device or file by opening the very same one again. A device is held with a claim, so it is opened without O_EXCL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Held {
    /// The path, as the job names it; absolute.
    pub path: String,
    /// The number of the open descriptor; above 2.
    pub descriptor: i32,
}
