//! What can be set of mballoc: the files `mb_*` in /sys/fs/ext4/DEVICE, and what follows from how the file system was made.

use crate::free_map::ORDERS;

/// A version of the kernel's code that the model follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Release {
    /// ldiskfs of Lustre on Linux 2.6.32: groups one after the other, no goals that are cut. Not compared with one.
    Ldiskfs,
    /// Linux 6.1.192: groups in lists, each in the order in which they came there; one place where the last stream allocation
    /// was.
    Linux6_1,
    /// Linux 6.12.117: groups in ordered sets, as in all 6.12 from 6.12.77 on; one place where the last stream allocation was.
    Linux6_12,
    /// Linux 6.17 and 6.18: the same sets, and several such places, one of which is chosen by the inode's number.
    Linux6_18,
}

impl Release {
    /// The release that a running kernel belongs to, by what `uname -r` says; none without a model.
    pub fn of_kernel(release: &str) -> Option<Self> {
        let mut numbers = release.split(|letter: char| !letter.is_ascii_digit());
        match (numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?) {
            (6, 1) => Some(Release::Linux6_1),
            // The ordered sets of Linux 6.17 came to 6.12 with 6.12.77. Before, its lists were not those of 6.1 either.
            (6, 12) => {
                let patch: u32 = numbers.next()?.parse().ok()?;
                (patch >= 77).then_some(Release::Linux6_12)
            }
            (6, 17 | 18) => Some(Release::Linux6_18),
            _ => None,
        }
    }

    /// Pages of the page cache's largest folio: ext4 has large ones since Linux 6.16, where there are huge pages.
    pub fn largest_folio_pages(self) -> u64 {
        match self {
            Release::Ldiskfs | Release::Linux6_1 | Release::Linux6_12 => 1,
            Release::Linux6_18 => 512,
        }
    }
}

/// How large a window a request gets, and which files share theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Windows {
    /// A power of two up to 1 MiB, then 2, 4 and 8 MiB as the file grows. Files of up to so many blocks share (`mb_stream_req`).
    Growing {
        /// `mb_stream_req`, in blocks.
        shared_blocks: u32,
    },
    /// ldiskfs: the first entry of a table that holds the file; files beyond the last get whole windows of that.
    Table {
        /// `prealloc_table`, in blocks, ascending.
        entries: Vec<u32>,
        /// `mb_small_req`: requests of so many blocks share nothing.
        small_request_blocks: u32,
        /// `mb_large_req`: nor do files of so many blocks.
        large_file_blocks: u32,
    },
}

/// Everything that mballoc's choices depend on, besides the free space.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Whose code.
    pub release: Release,
    /// Bytes of a block.
    pub block_bytes: u32,
    /// Groups whose bitmaps and inodes lie together; 1 without flex_bg.
    pub flex_groups: u32,
    /// Processors that there may be: from them follows the number of goals.
    pub processors: u32,
    /// `mb_max_to_scan`.
    pub max_to_scan: u32,
    /// `mb_min_to_scan`.
    pub min_to_scan: u32,
    /// `mb_order2_req`.
    pub order2_request: u32,
    /// The windows of files.
    pub windows: Windows,
    /// `mb_group_prealloc`, in blocks.
    pub group_preallocation_blocks: u32,
    /// `mb_max_linear_groups`: 4 on rotating disks, else 0.
    pub linear_groups: u32,
    /// `mb_best_avail_max_trim_order`.
    pub trim_orders: u32,
    /// The mount option `stripe`, in blocks; 0: none.
    pub stripe_blocks: u32,
    /// Whether groups are looked up in sets (`mb_optimize_scan`): by default from 16 groups on.
    pub ordered_groups: bool,
    /// Whether data waits in memory and is allocated when it is written back (the mount option `delalloc`).
    pub delays: bool,
}

/// Entries of `prealloc_table`.
const TABLE_ENTRIES: usize = 63;
/// Pages that one call of the write-back gathers (MAX_WRITEPAGES_EXTENT_LEN, fs/ext4/inode.c).
pub(super) const WRITE_BACK_BLOCKS: u32 = 2048;

impl Settings {
    /// The defaults, for a file system of so many groups on a rotating disk.
    pub fn new(release: Release, groups: u32) -> Self {
        Settings {
            release,
            block_bytes: 4096,
            flex_groups: 16,
            processors: 1,
            max_to_scan: 200,
            min_to_scan: 10,
            order2_request: 2,
            windows: Windows::Growing { shared_blocks: 16 },
            group_preallocation_blocks: 512,
            linear_groups: 4,
            trim_orders: 3,
            stripe_blocks: 0,
            ordered_groups: groups >= 16,
            delays: true,
        }
    }

    /// ldiskfs without a stripe, with a table of its own: each write of a client is a request. Says what is wrong with the
    /// table.
    pub fn ldiskfs(entries: Vec<u32>, group_blocks: u32) -> Result<Self, String> {
        if entries.is_empty() || entries.len() > TABLE_ENTRIES {
            return Err(format!(
                "the table has {} entries: from 1 to {TABLE_ENTRIES} are possible",
                entries.len()
            ));
        }
        if let Some(two) = entries.windows(2).find(|two| two[0] >= two[1]) {
            return Err(format!("the table is not ascending: {} comes before {}", two[0], two[1]));
        }
        if let Some(&entry) = entries.iter().find(|&&entry| entry == 0 || entry > group_blocks) {
            return Err(format!(
                "the table has an entry of {entry} blocks: from 1 to a group's {group_blocks}"
            ));
        }
        let windows = Windows::Table { entries, small_request_blocks: 256, large_file_blocks: 1024 };
        let linux = Settings::new(Release::Ldiskfs, 0);
        Ok(Settings { windows, linear_groups: 0, ordered_groups: false, delays: false, ..linux })
    }

    /// The order of the largest buddy that the kernel knows of: a quarter of a group (`MB_NUM_ORDERS` - 1).
    pub(super) fn largest_order(&self) -> u32 {
        (self.block_bytes.ilog2() + 1).min(ORDERS as u32 - 1)
    }

    /// Places where stream allocations go on.
    pub(super) fn goals(&self, groups: u32) -> usize {
        match self.release {
            Release::Ldiskfs | Release::Linux6_1 | Release::Linux6_12 => 1,
            Release::Linux6_18 => self.processors.min(groups.div_ceil(4)).max(1) as usize,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_without_a_model_has_none() {
        assert_eq!(Release::of_kernel("6.18.44-fc-v657"), Some(Release::Linux6_18));
        assert_eq!(Release::of_kernel("6.17.1"), Some(Release::Linux6_18));
        assert_eq!(Release::of_kernel("6.1.0-40-amd64"), Some(Release::Linux6_1));
        assert_eq!(Release::of_kernel("6.12.117+deb12-amd64"), Some(Release::Linux6_12));
        for other in ["6.2.0", "6.12.76", "6.12", "6.13.1", "7.0.0", "5.10.1", "6", "", "x"] {
            assert_eq!(Release::of_kernel(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_table_is_named() {
        let wrong = |entries: &[u32]| Settings::ldiskfs(entries.to_vec(), 32768).unwrap_err();
        assert!(wrong(&[]).contains("0 entries"));
        assert!(wrong(&[256, 512, 512]).contains("512 comes before 512"));
        assert!(wrong(&[0, 4]).contains("0 blocks"));
        assert!(wrong(&[4, 40_000]).contains("40000 blocks"));
        assert!(wrong(&(1..65).collect::<Vec<_>>()).contains("64 entries"));
        assert!(Settings::ldiskfs(vec![256], 32768).is_ok());
    }

    #[test]
    fn goals_are_a_matter_of_processors_and_groups() {
        let of = |release, processors, groups| {
            Settings { processors, ..Settings::new(release, groups) }.goals(groups)
        };
        assert_eq!(of(Release::Linux6_12, 64, 1000), 1);
        assert_eq!(of(Release::Linux6_18, 64, 1000), 64);
        assert_eq!(of(Release::Linux6_18, 64, 9), 3);
    }
}
