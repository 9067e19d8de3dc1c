//! What clients work on: a directory here, a share or an export.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{NfsTarget, SmbTarget};

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
