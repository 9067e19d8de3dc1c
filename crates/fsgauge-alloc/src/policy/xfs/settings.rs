//! What can be set of XFS, and what follows from how it was made.

/// Bytes from which on mkfs.xfs makes groups of 1 TiB.
const LARGE_BYTES: u64 = 4 << 40;
/// Groups of a smaller device on one disk.
const GROUPS: u64 = 4;
/// Bytes of a group, at least and at most.
const GROUP_BYTES: std::ops::RangeInclusive<u64> = 16 << 20..=1 << 40;
/// Blocks of one extent, at most.
pub(super) const EXTENT_BLOCKS: u32 = (1 << 21) - 1;

/// Everything that the choices of XFS depend on, besides the free space. Without a stripe.
#[derive(Debug, Clone, Copy)]
pub struct XfsSettings {
    /// Bytes of a block.
    pub block_bytes: u32,
    /// Blocks of an allocation group.
    pub group_blocks: u64,
    /// Blocks of each group that are kept for the file system's own trees.
    pub reserved_blocks: u64,
    /// The mount option `allocsize`, in blocks: the size of every preallocation. 0: it grows with the file.
    pub preallocation_blocks: u32,
    /// The extent size hint of files (`xfs_io -c extsize`), in blocks; 0: none.
    pub extent_hint_blocks: u32,
}

impl XfsSettings {
    /// The defaults of mkfs.xfs and mount, for a device of so many blocks of 4 KiB on one disk.
    pub fn new(blocks: u64) -> Self {
        let block_bytes = 4096;
        let group_blocks = if blocks * block_bytes < LARGE_BYTES {
            blocks.div_ceil(GROUPS)
        } else {
            (1 << 40) / block_bytes
        };
        XfsSettings {
            block_bytes: block_bytes as u32,
            group_blocks,
            reserved_blocks: 0,
            preallocation_blocks: 0,
            extent_hint_blocks: 0,
        }
    }

    /// With so many allocation groups on a device (`mkfs.xfs -d agcount`). Says what cannot be.
    pub fn with_groups(self, groups: u32, blocks: u64) -> Result<Self, String> {
        let group_blocks = blocks.div_ceil(u64::from(groups.max(1)));
        let group_bytes = group_blocks * u64::from(self.block_bytes);
        if groups == 0 || !GROUP_BYTES.contains(&group_bytes) {
            return Err(format!(
                "{groups} allocation groups would have {group_bytes} bytes each: from {} to {} are possible",
                GROUP_BYTES.start(),
                GROUP_BYTES.end()
            ));
        }
        Ok(XfsSettings { group_blocks, ..self })
    }

    /// Says what cannot be.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.group_blocks == 0 || self.block_bytes == 0 {
            return Err("allocation groups and blocks of nothing have no space".into());
        }
        if self.preallocation_blocks > EXTENT_BLOCKS || self.extent_hint_blocks > EXTENT_BLOCKS {
            return Err(format!(
                "allocsize of {} blocks and an extent size of {}: at most {EXTENT_BLOCKS} are possible",
                self.preallocation_blocks, self.extent_hint_blocks
            ));
        }
        if self.preallocation_blocks > 0 && !self.preallocation_blocks.is_power_of_two() {
            return Err(format!(
                "allocsize of {} blocks: it must be a power of two",
                self.preallocation_blocks
            ));
        }
        Ok(())
    }
}
