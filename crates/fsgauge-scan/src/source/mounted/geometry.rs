//! What a mounted file system says of its size, its blocks and its groups.

use std::fs::File;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::FileExt;

use rustix::fs::{StatVfs, fstatvfs};
use rustix::io::Errno;

use super::btrfs_devices::{self, BtrfsDevice};
use super::mount::Mount;
use super::{btrfs, btrfs_counters, getfsmap, kernel, mb_groups};
use crate::address::AddressMap;
use crate::error_text::error_text;
use crate::file_system_info::{GroupPlace, InodePlace};

/// Where things are before any of them is read.
#[derive(Debug, Default)]
pub(super) struct Geometry {
    pub(super) block_bytes: u32,
    /// Of btrfs, of all devices; 0 where it is not known.
    pub(super) size_bytes: u64,
    /// The device, of a file system that lies on one.
    pub(super) device_bytes: Option<u64>,
    /// The real-time device, where files of an XFS may lie; 0 without one.
    pub(super) realtime_bytes: u64,
    /// What is given to files at a time (ext).
    pub(super) cluster_bytes: Option<u64>,
    /// Up to where places reach, where they are addresses and not offsets on a device.
    pub(super) address_bytes: Option<u64>,
    /// Whether it is known where on a device an extent lies.
    pub(super) is_placed: bool,
    pub(super) groups: Vec<GroupPlace>,
    /// What new inodes need, where that is a piece of free space.
    pub(super) inode_place: Option<InodePlace>,
    pub(super) addresses: Option<AddressMap>,
    /// The chunks, of btrfs, for those who may read them.
    pub(super) chunks: Option<btrfs::Chunks>,
    /// A code and a sentence each.
    pub(super) notes: Vec<(&'static str, String)>,
}

impl Geometry {
    fn noted(mut self, code: &'static str, text: String) -> Geometry {
        self.notes.push((code, text));
        self
    }
}

/// Of the file system that `open` is in.
pub(super) fn geometry(open: BorrowedFd<'_>, mount: &Mount) -> Result<Geometry, Errno> {
    let statistics = fstatvfs(open)?;
    let device_bytes = device_bytes(mount);
    let simple = Geometry {
        is_placed: device_bytes.is_some() && mount.file_system != "btrfs",
        block_bytes: u32::try_from(statistics.f_bsize).unwrap_or(4096).max(1),
        size_bytes: device_bytes.unwrap_or_else(|| counted_bytes(&statistics)),
        ..Geometry::default()
    };
    Ok(match mount.file_system.as_str() {
        "ext2" | "ext3" | "ext4" => ext(Geometry { device_bytes, ..simple }, open, mount, &statistics),
        "xfs" => xfs(Geometry { device_bytes, ..simple }, open, mount),
        "btrfs" => btrfs(Geometry { device_bytes, ..simple }, open),
        _ => simple,
    })
}

/// What statfs(2) counts: without the file system's own tables, for some.
fn counted_bytes(statistics: &StatVfs) -> u64 {
    statistics.f_blocks.saturating_mul(statistics.f_frsize)
}

/// Bytes of the block device, which everybody may ask for.
fn device_bytes(mount: &Mount) -> Option<u64> {
    let (major, minor) = super::mount::block_device(mount)?;
    let sectors = std::fs::read_to_string(format!("/sys/dev/block/{major}:{minor}/size")).ok()?;
    sectors.trim().parse::<u64>().ok()?.checked_mul(512)
}

fn ext(simple: Geometry, open: BorrowedFd<'_>, mount: &Mount, statistics: &StatVfs) -> Geometry {
    let block_bytes = u64::from(simple.block_bytes);
    if let Some(found) = ext_superblock(mount) {
        return Geometry {
            size_bytes: found.blocks.saturating_mul(block_bytes),
            cluster_bytes: Some(found.cluster_blocks.saturating_mul(block_bytes)),
            groups: found.groups(block_bytes),
            ..simple
        };
    }
    // The device may be longer than the file system.
    let end_bytes =
        getfsmap::end_bytes(open, mount.device_number, simple.size_bytes / block_bytes, block_bytes);
    let simple = Geometry { size_bytes: end_bytes.unwrap_or(simple.size_bytes), ..simple };
    ext_groups_by_count(simple, mount, statistics)
}

/// What places the groups of ext2, 3 and 4.
struct ExtGroups {
    blocks: u64,
    first_block: u64,
    blocks_of_a_group: u64,
    cluster_blocks: u64,
}

impl ExtGroups {
    fn count(&self) -> u64 {
        self.blocks.saturating_sub(self.first_block).div_ceil(self.blocks_of_a_group.max(1))
    }

    fn groups(&self, block_bytes: u64) -> Vec<GroupPlace> {
        let place = |group: u64| {
            let first = self.first_block + group * self.blocks_of_a_group;
            let blocks = self.blocks_of_a_group.min(self.blocks - first);
            GroupPlace { offset_bytes: first * block_bytes, size_bytes: blocks * block_bytes }
        };
        (0..self.count()).map(place).collect()
    }
}

/// For those who may read the device. Offsets as in Documentation/filesystems/ext4/super.rst (Linux 6.18).
fn ext_superblock(mount: &Mount) -> Option<ExtGroups> {
    let mut bytes = [0; 1024];
    File::open(&mount.source).ok()?.read_exact_at(&mut bytes, 1024).ok()?;
    let word = |at: usize| {
        bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_le_bytes)
    };
    let has_64_bits = word(0x60) & 0x80 != 0;
    let has_clusters = word(0x64) & 0x200 != 0;
    let cluster_blocks = 1u64.checked_shl(word(0x1c).saturating_sub(word(0x18))).unwrap_or(1);
    let is_ext = word(0x38) & 0xffff == 0xef53 && word(0x20) > 0;
    is_ext.then(|| ExtGroups {
        blocks: u64::from(word(0x4)) | if has_64_bits { u64::from(word(0x150)) << 32 } else { 0 },
        first_block: word(0x14).into(),
        blocks_of_a_group: word(0x20).into(),
        cluster_blocks: if has_clusters { cluster_blocks } else { 1 },
    })
}

/// For everybody else: a group's bitmap is one block, unless mkfs was told otherwise; the number of groups shows
/// whether it was.
fn ext_groups_by_count(simple: Geometry, mount: &Mount, statistics: &StatVfs) -> Geometry {
    let block_bytes = u64::from(simple.block_bytes);
    let groups = mb_groups::read(mount).unwrap_or_default();
    let assumed = |cluster_blocks: u64| ExtGroups {
        blocks: simple.size_bytes / block_bytes,
        first_block: u64::from(block_bytes == 1024 && cluster_blocks == 1),
        blocks_of_a_group: 8 * block_bytes * cluster_blocks,
        cluster_blocks,
    };
    let has_as_many = |blocks: u64| groups.len() as u64 == assumed(blocks).count();
    let cluster_blocks = cluster_blocks(statistics.f_bfree, mb_groups::free_clusters(&groups))
        .filter(|&blocks| blocks == 1 || has_as_many(blocks));
    let assumed = assumed(cluster_blocks.unwrap_or(1));
    let simple = Geometry { cluster_bytes: cluster_blocks.map(|blocks| blocks * block_bytes), ..simple };
    if groups.len() as u64 == assumed.count() {
        return Geometry { groups: assumed.groups(block_bytes), ..simple };
    }
    let text = "the start of block groups is in the superblock, which this user may not read";
    Geometry { notes: vec![("groups_unknown", text.into())], ..simple }
}

/// Blocks of a cluster, by how many are free as blocks and as clusters. What the allocator holds for open files is free
/// as blocks alone: where that is much, it is not known.
fn cluster_blocks(free_blocks: u64, free_clusters: u64) -> Option<u64> {
    (0..=20).map(|log| 1u64 << log).find(|blocks| {
        let counted = free_clusters.saturating_mul(*blocks);
        counted > 0 && counted.abs_diff(free_blocks) <= free_blocks / 8
    })
}

fn xfs(simple: Geometry, open: BorrowedFd<'_>, mount: &Mount) -> Geometry {
    let Ok(found) = kernel::xfs_geometry(open) else { return simple };
    let block_bytes = u64::from(found.block_bytes);
    let group_bytes = u64::from(found.group_blocks).saturating_mul(block_bytes);
    let size_bytes = found.data_blocks.saturating_mul(block_bytes);
    let place = |group: u32| {
        let offset_bytes = u64::from(group) * group_bytes;
        GroupPlace { offset_bytes, size_bytes: group_bytes.min(size_bytes.saturating_sub(offset_bytes)) }
    };
    let has_realtime = found.realtime_blocks > 0;
    let realtime = has_realtime.then(|| {
        let text = "files on the real-time device are counted; free space and the share in use are the data device's, \
             and there is no map: places on both would be one";
        ("realtime_device", text.to_owned())
    });
    Geometry {
        block_bytes: found.block_bytes,
        size_bytes,
        groups: (0..found.groups).map(place).collect(),
        inode_place: Some(InodePlace {
            below_bytes: mount.has_option("inode32").then(|| small_numbers_below(&found)),
            ..inode_place(&found)
        }),
        is_placed: simple.is_placed && !has_realtime,
        realtime_bytes: found.realtime_blocks.saturating_mul(block_bytes),
        notes: realtime.into_iter().collect(),
        ..simple
    }
}

/// As mkfs.xfs aligns chunks of inodes: at the size of what is read of them at once (XFS_INODE_BIG_CLUSTER_SIZE in
/// fs/xfs/libxfs/xfs_inode_buf.h), which is also the part of a chunk that sparse inodes make do with.
fn inode_place(found: &kernel::XfsGeometry) -> InodePlace {
    let inode_bytes = u64::from(found.inode_bytes);
    let align_bytes = (inode_bytes / 256 * 8192).max(found.block_bytes.into());
    let chunk_bytes = (64 * inode_bytes).max(found.block_bytes.into());
    let length_bytes = if found.has_sparse_inodes { align_bytes.min(chunk_bytes) } else { chunk_bytes };
    InodePlace { length_bytes, align_bytes, below_bytes: None }
}

/// Up to where inodes have numbers of 32 bits: a number is that of the group, then that of the inode in it, in as many
/// bits as it may need (xfs_set_inode_alloc in fs/xfs/xfs_super.c of Linux 6.12).
fn small_numbers_below(found: &kernel::XfsGeometry) -> u64 {
    let in_a_block = (found.block_bytes / found.inode_bytes.max(1)).max(1);
    let bits = u64::from(found.group_blocks).next_power_of_two().ilog2() + in_a_block.ilog2();
    let groups = (1u64 << 32).checked_shr(bits).unwrap_or(0);
    groups.saturating_mul(found.group_blocks.into()).saturating_mul(found.block_bytes.into())
}

/// Adds what is known of a btrfs.
fn btrfs(simple: Geometry, open: BorrowedFd<'_>) -> Geometry {
    let Ok(info) = kernel::btrfs_info(open) else { return simple };
    let devices = btrfs_devices::devices(open, &info).unwrap_or_default();
    let size_bytes = match devices.iter().map(|device| device.size_bytes).fold(0, u64::saturating_add) {
        0 if info.devices == 1 => simple.size_bytes,
        sum => sum,
    };
    let device_bytes = simple.device_bytes.filter(|_| info.devices == 1 && devices.len() <= 1);
    let notes = of_devices(&info, &devices);
    let simple =
        Geometry { block_bytes: info.sector_bytes.max(1), size_bytes, device_bytes, notes, ..simple };
    let chunks = match btrfs::chunks(open, &info, &devices) {
        Ok(chunks) => chunks,
        Err(errno) => {
            let text =
                format!("chunks may not be read ({}): offsets are btrfs's own addresses", error_text(errno));
            return simple.noted("chunks_unknown", text);
        }
    };
    let simple = match chunks.device_bytes {
        Some(_) => simple,
        None => {
            let text = "several devices or stripes: offsets, chunks and the map are in btrfs's own addresses, not in \
                 offsets on a device";
            simple.noted("btrfs_addresses", text.into())
        }
    };
    Geometry {
        size_bytes: chunks.device_bytes.unwrap_or(size_bytes),
        address_bytes: if chunks.device_bytes.is_some() { None } else { Some(chunks.end_address()) },
        groups: chunks.groups(),
        addresses: chunks.device_bytes.map(|_| chunks.addresses()),
        chunks: Some(chunks),
        is_placed: true,
        ..simple
    }
}

/// A code and a sentence on devices that are missing, or that nothing can be written to.
fn of_devices(info: &kernel::BtrfsInfo, devices: &[BtrfsDevice]) -> Vec<(&'static str, String)> {
    let folder = btrfs_counters::folder(info);
    let missing = btrfs_counters::missing(&folder);
    if missing > 0 {
        let is = if missing == 1 { "is" } else { "are" };
        let text = format!("{missing} of {} devices {is} missing, and counted all the same", devices.len());
        return vec![("missing_device", text)];
    }
    if btrfs_counters::is_read_only(&folder) {
        let text = "its device is a seed, or read-only: nothing can be written, whatever df calls available; btrfs \
                    device add gives a seed one that can be";
        return vec![("read_only_device", text.into())];
    }
    let seeds = devices.iter().filter(|device| device.is_seed).count();
    let are = if seeds == 1 { "is a seed" } else { "are seeds" };
    let text = format!(
        "{seeds} of {} devices {are}, to which nothing is written: what is free there no one can have, and it is counted \
         as in use",
        devices.len()
    );
    if seeds > 0 { vec![("seed_device", text)] } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_32_bits_reach_as_far_as_whole_groups() {
        let geometry = |group_blocks, inode_bytes| kernel::XfsGeometry {
            block_bytes: 4096,
            group_blocks,
            groups: 4,
            inode_bytes,
            has_sparse_inodes: true,
            data_blocks: 0,
            realtime_blocks: 0,
        };
        // Groups of 768 GiB: 28 bits for the block, 3 for its inode of 512 bytes.
        assert_eq!(small_numbers_below(&geometry(201_326_592, 512)), 2 * 201_326_592 * 4096);
        assert_eq!(small_numbers_below(&geometry(201_326_592, 2048)), 8 * 201_326_592 * 4096);
        assert_eq!(small_numbers_below(&geometry(1 << 28, 256)), 1 << 40);
    }

    #[test]
    fn a_cluster_is_known_by_what_is_free_in_both_units() {
        assert_eq!(cluster_blocks(4096, 4096), Some(1));
        assert_eq!((cluster_blocks(65536, 4096), cluster_blocks(65536, 3700)), (Some(16), Some(16)));
        assert_eq!((cluster_blocks(65536, 3000), cluster_blocks(65536, 0)), (None, None));
    }
}
