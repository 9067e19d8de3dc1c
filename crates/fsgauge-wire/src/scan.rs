//! kind "scan": what lies where on a file system, as numbers and as a map.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Ended, Engine, Held, Lease, Note, Room};

/// kind "scan": extents of files and free space. Nothing is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScanJob {
    /// Must be 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// A folder or file of a mounted file system, a block device, or an image of a file system.
    pub path: String,
    /// Threads that read; null: as many as processors.
    #[serde(default)]
    pub threads: Option<u32>,
    /// How many of the most fragmented files are listed with their extents.
    #[serde(default)]
    pub top: u32,
    /// Whether files of one extent are listed too, after those of more.
    #[serde(default)]
    pub list_whole: bool,
    /// Order of the Hilbert map: 4^order cells; 0 for no map. At most 10.
    #[serde(default)]
    pub map_order: u32,
    /// Whether free space is read too; without it a scan of a folder reads the folder alone.
    #[serde(default = "yes")]
    pub space: bool,
    /// Places that are reached by descriptors which the engine was started with, not by their paths.
    #[serde(default)]
    pub held: Vec<Held>,
    /// What keeps the engine alive; null: its parent alone.
    #[serde(default)]
    pub lease: Option<Lease>,
}

fn yes() -> bool {
    true
}

/// Where a scan's facts came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScanSource {
    /// What was asked for.
    pub path: String,
    /// The device or image that holds it.
    pub device: String,
    /// ext2, ext3, ext4, xfs, btrfs, ...
    pub file_system: String,
    /// Where it is mounted; null for one that is not.
    pub mount_point: Option<String>,
    /// What tells it from another that was made in the same place; null where the kernel does not tell, or of old scans.
    #[serde(default)]
    pub uuid: Option<String>,
    /// Whether it is mounted read-write, so that numbers may change while they are read.
    pub writable: bool,
    /// How extents were read: "fiemap" or "on-disk".
    pub files_by: String,
    /// How free space was read: "getfsmap", "mb_groups", "bitmaps", "free space trees", "extent tree",
    /// "counters", "statfs", or "none".
    pub space_by: String,
    /// Why free space was read that way and not as the kernel lists it; null where the kernel's list was taken, or
    /// where there is none.
    #[serde(default)]
    pub space_reason: Option<String>,
    /// Bytes of a block.
    pub block_size_bytes: u32,
    /// Bytes of the file system: of btrfs, of all its devices.
    pub size_bytes: u64,
    /// Up to where places of extents, groups and map reach, where they are a file system's own addresses and not
    /// offsets on one device (btrfs on several); null: up to `size_bytes`.
    #[serde(default)]
    pub address_bytes: Option<u64>,
}

/// How many files and extents, by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct ScanCounts {
    /// Regular files whose extents were read.
    pub files: u64,
    /// Folders that were read.
    pub folders: u64,
    /// Files without an extent on the device: empty, inline, or nothing but holes.
    pub files_without_extents: u64,
    /// Files with two extents or more.
    pub fragmented_files: u64,
    /// Files with holes: fewer bytes allocated or inline than their size.
    pub sparse_files: u64,
    /// Extents on the device, merged where they touch in file and on device and only their kinds differ.
    pub extents: u64,
    /// Bytes of these extents.
    pub extent_bytes: u64,
    /// Extents on the device, those that touch and are of one kind as one: neither delayed nor inline ones. The same of
    /// a mounted file system as of its image.
    pub raw_extents: u64,
    /// Of the raw extents: allocated and never written.
    pub unwritten_extents: u64,
    /// Not yet on the device; counted nowhere else.
    pub delayed_extents: u64,
    /// Inside metadata; counted nowhere else.
    pub inline_extents: u64,
    /// Of the raw extents: compressed.
    pub compressed_extents: u64,
    /// Of the raw extents: encrypted.
    pub encrypted_extents: u64,
    /// Of the raw extents: shared with another file or snapshot.
    pub shared_extents: u64,
    /// Bytes on the device of the shared ones, as often as files have them.
    #[serde(default)]
    pub shared_bytes: u64,
    /// How many of the shared ones there are, and their bytes on the device, each counted once; null where that is not
    /// known.
    #[serde(default)]
    pub shared_once_extents: Option<u64>,
    /// See `shared_once_extents`.
    #[serde(default)]
    pub shared_once_bytes: Option<u64>,
    /// Of `extents`: compressed ones of which is not known whether they go on where the one before them ends.
    #[serde(default)]
    pub undecided_extents: u64,
    /// Of `fragmented_files`: those that may be in one piece all the same.
    #[serde(default)]
    pub undecided_files: u64,
    /// Bytes of files in several extents that lie in extents shorter than 512 KiB, the largest request of a stream.
    #[serde(default)]
    pub short_bytes: u64,
    /// Where files go on elsewhere on the device; null in results of engines that did not count so.
    #[serde(default)]
    pub jumps: Option<Jumps>,
    /// Files that fs-verity is known to protect.
    #[serde(default)]
    pub verity_files: u64,
    /// Files with blocks behind their end, other than hashes of fs-verity.
    #[serde(default)]
    pub beyond_end_files: u64,
    /// Bytes of these blocks.
    #[serde(default)]
    pub beyond_end_bytes: u64,
    /// What files leave of the blocks in which they end; neither of compressed extents nor of shared ones.
    #[serde(default)]
    pub tail_bytes: u64,
    /// Files without a name that still take space (on an image): open when their names were taken away.
    #[serde(default)]
    pub unnamed_files: u64,
    /// What they take.
    #[serde(default)]
    pub unnamed_bytes: u64,
    /// Pairs of neighbouring blocks of files, and of them those that also touch on the device.
    pub block_pairs: u64,
    /// See `block_pairs`.
    pub contiguous_block_pairs: u64,
}

/// Extents that do not begin on the device where the one before them in the file ends, holes in the file left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Jumps {
    /// Farther ahead than 512 KiB, or behind.
    pub far: u64,
    /// Ahead by less, which heads pass over.
    pub near: u64,
    /// What is passed over.
    pub passed_bytes: u64,
}

/// Extents whose length is at least `at_least_bytes` and below twice that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LengthBin {
    /// A power of two.
    pub at_least_bytes: u64,
    /// How many.
    pub extents: u64,
    /// Their bytes.
    pub size_bytes: u64,
}

/// Extents of one exact length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExactLength {
    /// Bytes of each.
    pub length_bytes: u64,
    /// How many.
    pub extents: u64,
}

/// Files whose number of extents is at least `at_least_extents` and below twice that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FilesBin {
    /// A power of two.
    pub at_least_extents: u64,
    /// How many files.
    pub files: u64,
    /// Their extents.
    pub extents: u64,
}

/// Free bytes in free extents of at least some length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FreeAtLeast {
    /// The length: 64 KiB, 1 MiB, 8 MiB, 128 MiB.
    pub at_least_bytes: u64,
    /// Free bytes in extents of at least that.
    pub size_bytes: u64,
}

/// Space in chunks for metadata, which files cannot have (btrfs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct MetadataSpace {
    /// All of them, without copies.
    pub size_bytes: u64,
    /// What is free in them.
    pub free_bytes: u64,
    /// The same on the devices, with copies.
    pub free_device_bytes: u64,
    /// Of `size_bytes`, those for the table of chunks alone (SYSTEM), which no other metadata may use.
    #[serde(default)]
    pub system_bytes: u64,
    /// Of `free_bytes`, what is free in them.
    #[serde(default)]
    pub system_free_bytes: u64,
}

/// Free space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FreeSpace {
    /// All of it; of btrfs, all inside of the chunks for data.
    pub size_bytes: u64,
    /// What `size_bytes` takes on the devices, with the copies and parity that files there have (btrfs DUP, RAID);
    /// null: as much as `size_bytes`.
    #[serde(default)]
    pub device_bytes: Option<u64>,
    /// Room on the devices that no chunk has taken yet (btrfs), not in `size_bytes`; null when it is not known, or
    /// in `size_bytes` as only the sum is known.
    #[serde(default)]
    pub unallocated_bytes: Option<u64>,
    /// Bytes of which could not be read whether they are free: none of them is in `size_bytes`. Null in records
    /// that are older than this number.
    #[serde(default)]
    pub unread_bytes: Option<u64>,
    /// Chunks that hold no data of files (btrfs); null where there are none, or not all was read.
    #[serde(default)]
    pub metadata: Option<MetadataSpace>,
    /// In how many pieces; null when only the sum is known.
    pub extents: Option<u64>,
    /// The largest piece; null when only the sum is known.
    pub largest_bytes: Option<u64>,
    /// By length, ascending, empty bins left out.
    pub lengths: Vec<LengthBin>,
    /// In pieces of at least 64 KiB, 1, 8 and 128 MiB.
    pub at_least: Vec<FreeAtLeast>,
}

/// One allocation group, block group or chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Group {
    /// Where it begins on the device.
    pub offset_bytes: u64,
    /// How long it is.
    pub size_bytes: u64,
    /// Free bytes in it.
    pub free_bytes: u64,
    /// In how many pieces, cut at the group's borders.
    pub free_extents: u64,
    /// The largest of them.
    pub largest_free_bytes: u64,
}

/// The device in 4^order equal cells, along the device; byte k of each list is cell k.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScanMap {
    /// 4^order cells.
    pub order: u32,
    /// Bytes of one cell; the last may be shorter.
    pub cell_bytes: u64,
    /// Share of each cell that holds data of files, 0 to 255.
    pub data: Vec<u8>,
    /// Share that holds the file system's own structures; 0 where they are not known.
    pub metadata: Vec<u8>,
    /// Share that is free.
    pub free: Vec<u8>,
    /// Share that belongs to no group or chunk.
    pub unallocated: Vec<u8>,
    /// For each cell, which of `names` has the most bytes there; -1 for none.
    pub owner: Vec<i32>,
    /// Names of files.
    pub names: Vec<String>,
}

/// One extent of a listed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedExtent {
    /// Where it begins in the file.
    pub logical_bytes: u64,
    /// Where it begins on the device.
    pub physical_bytes: u64,
    /// Its length.
    pub length_bytes: u64,
}

/// A file among the most fragmented ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ListedFile {
    /// Its path, or "inode N".
    pub name: String,
    /// Its size.
    pub size_bytes: u64,
    /// How many extents, merged.
    pub extents: u64,
    /// The first of them, at most 10,000.
    pub list: Vec<ListedExtent>,
}

/// Something that kept the scan from being complete or exact.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScanProblem {
    /// A stable name: "not_permitted", "no_fiemap", "vanished", "changed", "damaged", "truncated", ...
    pub code: String,
    /// One sentence.
    pub text: String,
    /// How often.
    pub count: u64,
    /// The first places, at most 10.
    pub examples: Vec<String>,
}

/// What a scan reads at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ScanStage {
    /// What is free.
    FreeSpace,
    /// Files and their extents.
    #[default]
    Files,
    /// Names of the files that are listed.
    Names,
}

/// How far a scan is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ScanProgress {
    /// Files read.
    pub files: u64,
    /// Of so many, where that is known (inodes in use).
    pub of_files: Option<u64>,
    /// Extents read.
    pub extents: u64,
    /// What is read now.
    #[serde(default)]
    pub stage: ScanStage,
}

/// What a scan found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScanResult {
    /// 1.
    #[schemars(extend("const" = 1))]
    pub format: u32,
    /// The engine that scanned.
    pub engine: Engine,
    /// Where the facts came from.
    pub source: ScanSource,
    /// "size_limit" when everything was read, "interrupted" when stopped before.
    pub ended: Ended,
    /// Files and extents.
    pub counts: ScanCounts,
    /// Lengths of the files' extents, ascending, empty bins left out.
    pub extent_lengths: Vec<LengthBin>,
    /// The same by exact length, ascending: the 1,000 lengths of most bytes. Missing from results of engines that
    /// did not count so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exact_lengths: Vec<ExactLength>,
    /// Files by their number of extents, ascending, empty bins left out; files without extents are in none.
    /// Missing from results of engines that did not count so.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files_by_extents: Vec<FilesBin>,
    /// Free space; null when it was not asked for or may not be read.
    pub free: Option<FreeSpace>,
    /// What decides whether free space can be used. Missing from results of engines that did not look.
    #[serde(default)]
    pub room: Room,
    /// How many groups there are. Missing from results of engines that listed them all.
    #[serde(default)]
    pub group_count: u64,
    /// Groups, ascending; empty when there are none or they may not be read. Of more than 131,072, each stands for
    /// equally many side by side, the last for what is left.
    pub groups: Vec<Group>,
    /// The map, when asked for.
    pub map: Option<ScanMap>,
    /// The most fragmented files, most extents first.
    pub top: Vec<ListedFile>,
    /// What kept the scan from being complete or exact.
    pub problems: Vec<ScanProblem>,
    /// What the reader should know.
    pub notes: Vec<Note>,
    /// Wall-clock time of the start.
    pub started_unix_ns: u64,
    /// How long it took.
    pub elapsed_ns: u64,
}
