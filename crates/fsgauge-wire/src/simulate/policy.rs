//! Which allocation policy is simulated, with all that can be set of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An allocation policy. Sizes are in blocks of the simulated device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum SimulatedPolicy {
    /// mballoc of ext4. Names in brackets are those in /sys/fs/ext4/DEVICE.
    Ext4 {
        /// Whose code.
        release: Ext4Release,
        /// Whether data waits in memory until it is written back (the mount option `delalloc`).
        #[serde(default = "yes")]
        delays: bool,
        /// Files of up to so many blocks share a preallocation (`mb_stream_req`).
        #[serde(default = "shared")]
        shared_blocks: u32,
        /// What small files share (`mb_group_prealloc`).
        #[serde(default = "group_preallocation")]
        group_preallocation_blocks: u32,
        /// `mb_max_to_scan`.
        #[serde(default = "max_to_scan")]
        max_to_scan: u32,
        /// `mb_min_to_scan`.
        #[serde(default = "min_to_scan")]
        min_to_scan: u32,
        /// `mb_order2_req`.
        #[serde(default = "order2")]
        order2_request: u32,
        /// `mb_max_linear_groups`: 4 on disks that rotate, 0 on others.
        #[serde(default = "linear_groups")]
        linear_groups: u32,
        /// The mount option `stripe`; 0: none.
        #[serde(default)]
        stripe_blocks: u32,
        /// Processors of the machine: from 6.17 on there are as many places where large files go on.
        #[serde(default = "one")]
        processors: u32,
        /// What it is made with.
        #[serde(default)]
        mke2fs: Mke2fs,
    },
    /// ldiskfs of Lustre: every write of a client is a request, and a table gives its window.
    Ldiskfs {
        /// `prealloc_table`, ascending.
        prealloc_table_blocks: Vec<u32>,
        /// `mb_last_group`: the group where the search for large files begins.
        #[serde(default)]
        last_group: u32,
    },
    /// XFS of Linux 6.18: allocation groups, each with its free runs by place and by length.
    Xfs {
        /// The mount option `allocsize`: what is set aside for a file that grows; 0: it doubles with the file.
        #[serde(default)]
        preallocation_blocks: u32,
        /// The extent size hint of files (`xfs_io -c extsize`); 0: none.
        #[serde(default)]
        extent_hint_blocks: u32,
        /// Allocation groups (`mkfs.xfs -d agcount`); 0: as many as mkfs.xfs makes.
        #[serde(default)]
        groups: u32,
    },
    /// Each block alone, when it is written.
    BlockAtATime {},
    /// Blocks wait in memory and are allocated together.
    Delayed {
        /// So many blocks of a file wait at most.
        delay_blocks: u32,
    },
    /// The first run that is long enough.
    FirstFit {},
    /// The next run that is long enough, from where the last one ended.
    NextFit {},
    /// The shortest run that is long enough.
    BestFit {},
    /// The longest run.
    WorstFit {},
    /// Aligned pieces of powers of two.
    Buddy {},
    /// A window of one size is set aside for each file that is written.
    Window {
        /// Its length.
        window_blocks: u32,
    },
    /// The extent policy of VxFS: extents double as a file grows.
    Vxfs {
        /// The first extent, at least (`initial_extent_size`).
        initial_blocks: u32,
        /// An extent, at most (`max_seqio_extent_size`).
        largest_blocks: u32,
    },
}

/// What mke2fs is told of an ext4. What it is not told, it takes from its mke2fs.conf, by the size of the device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mke2fs {
    /// Left to root (`-m`). Where mke2fs is not told, it leaves 5 %.
    #[serde(default)]
    pub reserved_percent: f64,
    /// `-i`.
    #[serde(default)]
    pub bytes_per_inode: Option<u64>,
    /// `-N`.
    #[serde(default)]
    pub inodes: Option<u64>,
    /// `-I`.
    #[serde(default = "inode_size")]
    pub inode_size_bytes: u32,
    /// `-J size`; 0: no journal.
    #[serde(default)]
    pub journal_size_bytes: Option<u64>,
    /// `-O 64bit`: group descriptors of 64 bytes, and not of 32.
    #[serde(default = "yes")]
    pub has_64bit: bool,
    /// `-O resize_inode`: space is kept for more descriptors.
    #[serde(default = "yes")]
    pub resize_inode: bool,
}

impl Default for Mke2fs {
    fn default() -> Self {
        Mke2fs {
            reserved_percent: 0.0,
            bytes_per_inode: None,
            inodes: None,
            inode_size_bytes: inode_size(),
            journal_size_bytes: None,
            has_64bit: true,
            resize_inode: true,
        }
    }
}

/// A release of Linux whose mballoc there is a model of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Ext4Release {
    /// 6.1.
    #[serde(rename = "6.1")]
    Linux6_1,
    /// 6.12.
    #[serde(rename = "6.12")]
    Linux6_12,
    /// 6.17 and 6.18.
    #[serde(rename = "6.18")]
    Linux6_18,
}

fn inode_size() -> u32 {
    256
}

fn yes() -> bool {
    true
}

fn shared() -> u32 {
    16
}

fn group_preallocation() -> u32 {
    512
}

fn max_to_scan() -> u32 {
    200
}

fn min_to_scan() -> u32 {
    10
}

fn order2() -> u32 {
    2
}

fn linear_groups() -> u32 {
    4
}

fn one() -> u32 {
    1
}
