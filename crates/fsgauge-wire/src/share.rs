//! Shares: where files of a server are, and who asks for them. Jobs of kind "clients" and "load" name them alike.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A share or an export; `kind` says by which protocol.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum ShareTarget {
    /// A share of an SMB server.
    Smb(SmbTarget),
    /// An export of an NFS server, version 3.
    Nfs(NfsTarget),
}

impl ShareTarget {
    /// The server's name or address, as it was given.
    pub fn host(&self) -> &str {
        match self {
            ShareTarget::Smb(smb) => &smb.host,
            ShareTarget::Nfs(nfs) => &nfs.host,
        }
    }

    /// The directory below its root that all files lie below.
    pub fn directory(&self) -> &str {
        match self {
            ShareTarget::Smb(smb) => &smb.directory,
            ShareTarget::Nfs(nfs) => &nfs.directory,
        }
    }
}

/// A share of an SMB server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SmbTarget {
    /// The server: a name or an address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The share.
    pub share: String,
    /// Below the share's root, with slashes, not empty; all files lie below it. What writes makes it.
    pub directory: String,
    /// Who logs in; empty: a guest, without a password.
    pub user: String,
    /// Where the password is; null: a guest.
    #[serde(default)]
    pub password: Option<PasswordSource>,
    /// The newest dialect that is offered; the server must take exactly this one.
    #[serde(default)]
    pub dialect: SmbDialect,
    /// Whether messages are signed; of those that log in only the server's last one is.
    #[serde(default)]
    pub signing: bool,
    /// Whether messages are encrypted, all but those that log in; dialects from 3.0 on.
    #[serde(default)]
    pub encryption: bool,
    /// Whether clients ask for oplocks. Their data is never kept either way: every record is sent.
    #[serde(default)]
    pub oplocks: bool,
}

/// Dialects of SMB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
pub enum SmbDialect {
    /// 2.0.2, of Windows Vista.
    #[serde(rename = "2.0.2")]
    Smb202,
    /// 2.1, of Windows 7.
    #[serde(rename = "2.1")]
    Smb210,
    /// 3.0, of Windows 8.
    #[serde(rename = "3.0")]
    Smb300,
    /// 3.0.2, of Windows 8.1.
    #[serde(rename = "3.0.2")]
    #[default]
    Smb302,
    /// 3.1.1, of Windows 10.
    #[serde(rename = "3.1.1")]
    Smb311,
}

/// An export of an NFS server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NfsTarget {
    /// The server: a name or an address.
    pub host: String,
    /// Its NFS port.
    pub port: u16,
    /// The port of its MOUNT service; null: as its portmapper says.
    #[serde(default)]
    pub mount_port: Option<u16>,
    /// The export's path.
    pub export: String,
    /// Below the export, with slashes, not empty; all files lie below it. What writes makes it.
    pub directory: String,
    /// Whom the clients say they are (AUTH_SYS).
    pub user_id: u32,
    /// Their group.
    pub group_id: u32,
}

/// Where the engine finds a password: it stands in no job.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum PasswordSource {
    /// In a variable of the engine's environment.
    #[schemars(title = "EnvironmentPassword")]
    Environment {
        /// The variable.
        name: String,
    },
    /// In a file that only its owner can read (mode 0600 or 0400); a newline at its end does not count.
    #[schemars(title = "FilePassword")]
    File {
        /// The file.
        path: String,
    },
}
