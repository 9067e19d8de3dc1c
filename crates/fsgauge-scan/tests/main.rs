//! One program for the tests of this crate: to link one for each file takes longer than to run them. A file that
//! counts or limits what its whole process does has one of its own (Cargo.toml).

mod btrfs_compressed;
mod btrfs_damage;
mod btrfs_images;
mod btrfs_room;
mod ext_damage;
mod ext_images;
mod files;
mod lost_superblock;
mod mounts;
mod refusals;
mod room;
mod scan_damage;
mod signatures;
mod space;
mod support;
mod two_ways;
mod unread_space;
mod xfs_damage;
mod xfs_images;
