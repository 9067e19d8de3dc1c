//! What decides whether free space can be used: what `df` goes by, inodes, reserves, quotas, files without a name, and the
//! device below.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a file system and its kernel say of space, beside free pieces. Null or empty: not known, or there is none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Room {
    /// What statfs(2) counts, which `df` shows; null for what is not mounted.
    pub counted: Option<Counted>,
    /// Free bytes that ordinary users never get: kept for root and for itself (ext), for itself (an XFS that is not
    /// mounted: statfs(2) leaves them out).
    pub reserved_bytes: Option<u64>,
    /// What ext4 gives to files at a time: a block, or with bigalloc several; null where it is not known.
    #[serde(default)]
    pub cluster_bytes: Option<u64>,
    /// The device or image that the file system lies on; null where that is none, or several.
    #[serde(default)]
    pub device_bytes: Option<u64>,
    /// The file that holds the file system, an image or behind a loop device, where it has more bytes without a place
    /// than are available there.
    #[serde(default)]
    pub host_file: Option<HostFile>,
    /// Bytes that metadata alone may use when all else is taken (btrfs).
    pub metadata_reserve_bytes: Option<u64>,
    /// Of what is in no chunk, bytes on too few devices for another chunk of data (btrfs, RAID).
    #[serde(default)]
    pub unpaired_bytes: Option<u64>,
    /// Inodes; null where they are made as they are needed, without limit.
    pub inodes: Option<Inodes>,
    /// What a new chunk of inodes needs (XFS).
    pub inode_chunk: Option<InodeChunk>,
    /// Quotas that are used up.
    #[serde(default)]
    pub full_quotas: Vec<FullQuota>,
    /// What the files and folders that were read take by stat(2), whole clusters and their own tables included; null for
    /// what is not mounted.
    #[serde(default)]
    pub taken_bytes: Option<u64>,
    /// Folders whose index can grow no more (ext), the fullest first, at most 8.
    #[serde(default)]
    pub full_folders: Vec<FullFolder>,
    /// Folders that have far more room than their names need (ext, mounted), the largest first, at most 8.
    #[serde(default)]
    pub emptied_folders: Vec<EmptiedFolder>,
    /// Files that were deleted and are still open, as far as this user sees; null for what is not mounted. The lab looks
    /// for them: the engine gives up the power that it takes.
    pub deleted: Option<DeletedFiles>,
    /// Whether the device below has heads that seek.
    pub is_rotational: Option<bool>,
}

/// A file that cannot be written to its end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HostFile {
    /// Where it is.
    pub path: String,
    /// Its bytes without a place: it is sparse.
    pub sparse_bytes: u64,
    /// What ordinary users may still take where it lies.
    pub available_bytes: u64,
}

/// What statfs(2) counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counted {
    /// Bytes that it counts.
    pub size_bytes: u64,
    /// Free ones.
    pub free_bytes: u64,
    /// Free ones for everybody.
    pub available_bytes: u64,
}

/// Inodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Inodes {
    /// All that there can be.
    pub total: u64,
    /// Of these, those without a file.
    pub free: u64,
}

/// What XFS needs to make new inodes: a free piece of a length at a multiple of an alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct InodeChunk {
    /// The shortest piece that will do.
    pub least_bytes: u64,
    /// Where in its group it must begin: at a multiple of this.
    pub align_bytes: u64,
    /// Groups that begin here or later have none (mounted with inode32); null for all.
    #[serde(default)]
    pub below_bytes: Option<u64>,
    /// In how many places of free space it fits; null when the pieces are not known.
    pub places: Option<u64>,
    /// Inodes that are made already and have no file.
    pub free_inodes: u64,
}

/// A folder whose index has as many levels as it may have, and no room in its root.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FullFolder {
    /// Its path, or "inode N".
    pub name: String,
    /// What it takes itself.
    pub size_bytes: u64,
    /// Blocks of its index that name blocks of entries.
    pub index_blocks: u64,
    /// Of these, those that are full: a name that belongs there is refused when its block of entries is full too.
    pub full_index_blocks: u64,
}

/// A folder most of whose names were deleted: ext gives none of its blocks back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EmptiedFolder {
    /// Its path.
    pub name: String,
    /// What it takes itself.
    pub size_bytes: u64,
    /// Names in it.
    pub entries: u64,
}

/// A quota that is used up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FullQuota {
    /// "user", "group", "project", or of btrfs "qgroup LEVEL/".
    pub kind: String,
    /// Its number.
    pub id: u32,
    /// "bytes" or "inodes"; of btrfs also "own bytes", which no other qgroup has.
    pub of: String,
    /// The limit.
    pub limit: u64,
}

/// Files that were deleted and are still open.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeletedFiles {
    /// How many.
    pub files: u64,
    /// What they take.
    pub size_bytes: u64,
    /// Whether every process was looked at.
    pub all_processes: bool,
    /// The largest of them, at most 3.
    pub largest: Vec<DeletedFile>,
}

/// A file that was deleted and is still open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeletedFile {
    /// The path that it had.
    pub path: String,
    /// What it takes.
    pub size_bytes: u64,
    /// The process that holds it open.
    pub process: String,
    /// Its number.
    pub process_id: u32,
}
