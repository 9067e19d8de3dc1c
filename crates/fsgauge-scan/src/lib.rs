//! The scanner: what lies where. Extents of files and free space, from a mounted file system or an image.
//!
//! A *source* reads one kind of file system in one way (FIEMAP, the on-disk structures of ext4, ...) and pours
//! what it finds into a *sink*: files with their extents, and pieces of space. Numbers and maps are sinks; they
//! know nothing of where the extents came from. Nothing here ever writes to what is scanned.

#![warn(unreachable_pub)]

mod address;
mod bytes;
mod check;
mod error_text;
mod extent;
mod file_system_info;
mod image;
mod measure;
mod names;
mod problems;
mod progress;
mod reader_threads;
mod run;
mod shown;
mod source;
mod visited_blocks;

pub use address::{AddressMap, AddressRun};
pub use extent::{Extent, FileExtents, FileName, FolderIndex, Kinds, Piece, PieceKind, Sink, Unplaced};
pub use file_system_info::{FileSystemInfo, GroupPlace, InodePlace};
pub use image::{Image, Window};
pub use problems::Problems;
pub use run::{run_scan, scan_on_disk};
pub use source::{Btrfs, Ext, OnDisk, Xfs};
