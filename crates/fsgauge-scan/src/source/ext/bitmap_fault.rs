//! Signs of a damaged block bitmap.
//!
//! Source: ext4_block_bitmap_csum_verify in fs/ext4/bitmap.c and ext4_mb_generate_buddy in fs/ext4/mballoc.c of
//! Linux 6.12.

use super::bitmap::zeros;
use super::checksum::extend;
use super::descriptors::Descriptor;
use super::superblock::Superblock;

/// Why the block bitmap of a group of `clusters` clusters is not what its descriptor says. Only for a file system
/// that is clean: else one of them may have been written before the other.
pub(super) fn bitmap_fault(
    superblock: &Superblock,
    descriptor: &Descriptor,
    bitmap: &[u8],
    clusters: u64,
) -> Option<String> {
    if let Some(seed) = superblock.checksum_seed {
        let covered = superblock.blocks_per_group / superblock.cluster_blocks / 8;
        let found = extend(seed, bitmap.get(..covered as usize)?);
        let kept = if superblock.descriptor_size >= 64 { u32::MAX } else { 0xFFFF };
        if found & kept != descriptor.block_bitmap_checksum {
            return Some("its checksum is wrong".into());
        }
    }
    let (found, told) = (zeros(bitmap, clusters), u64::from(descriptor.free_clusters));
    let unit = if superblock.cluster_blocks == 1 { "blocks" } else { "clusters" };
    (found != told).then(|| format!("{found} {unit} are free in it, {told} by the group's descriptor"))
}
