//! From the policy that a job names to one that chooses blocks, and what else is told of it.

use fsgauge_alloc::free_map::FreeMap;
use fsgauge_alloc::life::Reuse;
use fsgauge_alloc::policy::mballoc::{Mballoc, Release, Settings, Windows};
use fsgauge_alloc::policy::xfs::{Xfs, XfsSettings};
use fsgauge_alloc::policy::{
    BestFit, BlockAtATime, Buddy, Delayed, FirstFit, NextFit, Policy, Vxfs, VxfsSizes, Window, WorstFit,
};
use fsgauge_wire::{Ext4Release, Failure, Outcome, SimulatedPolicy};

/// A policy that was made.
pub(crate) struct Made {
    pub(crate) policy: Box<dyn Policy>,
    /// When blocks that were freed may be taken again.
    pub(crate) reuse: Reuse,
}

/// Its name for people.
pub(crate) fn name_of(policy: &SimulatedPolicy) -> &'static str {
    match policy {
        SimulatedPolicy::Ext4 { release: Ext4Release::Linux6_1, .. } => "ext4-6.1",
        SimulatedPolicy::Ext4 { release: Ext4Release::Linux6_12, .. } => "ext4-6.12",
        SimulatedPolicy::Ext4 { release: Ext4Release::Linux6_18, .. } => "ext4-6.18",
        SimulatedPolicy::Ldiskfs { .. } => "ldiskfs",
        SimulatedPolicy::Xfs { .. } => "xfs-6.18",
        SimulatedPolicy::BlockAtATime {} => "block-at-a-time",
        SimulatedPolicy::Delayed { .. } => "delayed",
        SimulatedPolicy::FirstFit {} => "first-fit",
        SimulatedPolicy::NextFit {} => "next-fit",
        SimulatedPolicy::BestFit {} => "best-fit",
        SimulatedPolicy::WorstFit {} => "worst-fit",
        SimulatedPolicy::Buddy {} => "buddy",
        SimulatedPolicy::Window { .. } => "window",
        SimulatedPolicy::Vxfs { .. } => "vxfs",
    }
}

/// Whether it is the one that knows inodes, directories and commits as well.
pub(crate) fn is_ext4(policy: &SimulatedPolicy) -> bool {
    matches!(policy, SimulatedPolicy::Ext4 { .. })
}

/// Whose code a job names.
pub(crate) fn release_of(release: Ext4Release) -> Release {
    match release {
        Ext4Release::Linux6_1 => Release::Linux6_1,
        Ext4Release::Linux6_12 => Release::Linux6_12,
        Ext4Release::Linux6_18 => Release::Linux6_18,
    }
}

/// The policy for such free space. Says which setting cannot be.
pub(crate) fn made(wanted: &SimulatedPolicy, space: &FreeMap, block_bytes: u32) -> Outcome<Made> {
    let (blocks, groups, group_blocks) = (space.blocks(), space.groups(), space.group_blocks());
    let at_once = |policy: Box<dyn Policy>| Ok(Made { policy, reuse: Reuse::AtOnce });
    let after_sync = |policy: Box<dyn Policy>| Ok(Made { policy, reuse: Reuse::AfterSync });
    match wanted {
        SimulatedPolicy::Ext4 { .. } => {
            let settings = Settings { block_bytes, ..ext4(wanted, groups, group_blocks)? };
            after_sync(Box::new(Mballoc::new(settings, groups)))
        }
        SimulatedPolicy::Ldiskfs { prealloc_table_blocks, last_group } => {
            let settings = Settings::ldiskfs(prealloc_table_blocks.clone(), group_blocks)
                .map_err(|cause| wrong("prealloc_table", "the prealloc_table cannot be", cause))?;
            if *last_group >= groups {
                let cause = format!("the device has groups 0 to {}", groups - 1);
                return Err(wrong("mb_last_group", &format!("there is no group {last_group}"), cause));
            }
            let mut policy = Mballoc::new(settings, groups);
            policy.set_stream_group(*last_group);
            after_sync(Box::new(policy))
        }
        SimulatedPolicy::Xfs { .. } => {
            let policy = xfs(wanted, blocks)
                .map_err(|cause| wrong("policy", "XFS cannot be made or mounted like that", cause))?;
            after_sync(Box::new(policy))
        }
        SimulatedPolicy::BlockAtATime {} => at_once(Box::<BlockAtATime>::default()),
        SimulatedPolicy::Delayed { delay_blocks } => {
            within("delay_blocks", *delay_blocks, group_blocks)?;
            at_once(Box::new(Delayed::new(*delay_blocks)))
        }
        SimulatedPolicy::FirstFit {} => at_once(Box::new(FirstFit)),
        SimulatedPolicy::NextFit {} => at_once(Box::<NextFit>::default()),
        SimulatedPolicy::BestFit {} => at_once(Box::new(BestFit)),
        SimulatedPolicy::WorstFit {} => at_once(Box::new(WorstFit)),
        SimulatedPolicy::Buddy {} => at_once(Box::new(Buddy)),
        SimulatedPolicy::Window { window_blocks } => {
            within("window_blocks", *window_blocks, group_blocks)?;
            at_once(Box::new(Window::new(*window_blocks)))
        }
        SimulatedPolicy::Vxfs { initial_blocks, largest_blocks } => {
            within("max_seqio_extent_size", *largest_blocks, group_blocks)?;
            let sizes = VxfsSizes { initial_blocks: *initial_blocks, largest_blocks: *largest_blocks };
            let policy = Vxfs::new(sizes)
                .map_err(|cause| wrong("initial_extent_size", "the sizes of extents cannot be", cause))?;
            at_once(Box::new(policy))
        }
    }
}

fn xfs(wanted: &SimulatedPolicy, blocks: u64) -> Result<Xfs, String> {
    let &SimulatedPolicy::Xfs { preallocation_blocks, extent_hint_blocks, groups } = wanted else {
        return Err("its kind is another".into());
    };
    let usual = XfsSettings::new(blocks);
    let made = if groups > 0 { usual.with_groups(groups, blocks)? } else { usual };
    Xfs::new(XfsSettings { preallocation_blocks, extent_hint_blocks, ..made })
}

/// Blocks of an XFS that files do not get, as mkfs.xfs and mount take them with their defaults: the log, what each allocation
/// group keeps for the trees of references and of free inodes to grow, and what the mount sets aside.
pub(crate) fn own_blocks_of_xfs(blocks: u64, groups: u32) -> u64 {
    const LOG_BLOCKS: std::ops::RangeInclusive<u64> = 16384..=521_728;
    const SET_ASIDE_BLOCKS: u64 = 8192;
    // Entries that a block has at least: of references, of free inodes, and of what is above them.
    const REFERENCES: u64 = 168;
    const INODES: u64 = 126;
    const BRANCHES: u64 = 252;
    // Eight blocks hold the inodes that one entry is about.
    const CHUNK_BLOCKS: u64 = 8;
    let log = (blocks / 2048).clamp(*LOG_BLOCKS.start(), *LOG_BLOCKS.end());
    let tree = |entries: u64, of_leaf: u64| {
        let (mut level, mut all) = (entries.div_ceil(of_leaf), 0);
        while level > 1 {
            all += level;
            level = level.div_ceil(BRANCHES);
        }
        all + level
    };
    let groups =
        if groups > 0 { u64::from(groups) } else { blocks.div_ceil(XfsSettings::new(blocks).group_blocks) };
    let each = blocks.saturating_sub(log) / groups;
    log + groups * (tree(each, REFERENCES) + tree(each / CHUNK_BLOCKS, INODES))
        + SET_ASIDE_BLOCKS.min(blocks / 20)
}

fn ext4(wanted: &SimulatedPolicy, groups: u32, group_blocks: u32) -> Outcome<Settings> {
    let &SimulatedPolicy::Ext4 {
        release,
        delays,
        shared_blocks,
        group_preallocation_blocks,
        max_to_scan,
        min_to_scan,
        order2_request,
        linear_groups,
        stripe_blocks,
        processors,
        mke2fs: _,
    } = wanted
    else {
        return Err(wrong("policy", "the policy is not ext4", "its kind is another".into()));
    };
    within("mb_group_prealloc", group_preallocation_blocks, group_blocks)?;
    for (key, value) in
        [("mb_max_to_scan", max_to_scan), ("mb_min_to_scan", min_to_scan), ("processors", processors)]
    {
        if value == 0 {
            return Err(wrong(key, &format!("{key} is 0"), "it must be above 0".into()));
        }
    }
    if stripe_blocks > group_blocks {
        let cause = format!("a group has {group_blocks}");
        return Err(wrong("stripe", &format!("the stripe has {stripe_blocks} blocks"), cause));
    }
    let release = release_of(release);
    Ok(Settings {
        delays,
        windows: Windows::Growing { shared_blocks },
        group_preallocation_blocks,
        max_to_scan,
        min_to_scan,
        order2_request,
        linear_groups,
        stripe_blocks,
        processors,
        ..Settings::new(release, groups)
    })
}

fn within(key: &str, blocks: u32, group_blocks: u32) -> Outcome<()> {
    if (1..=group_blocks).contains(&blocks) {
        return Ok(());
    }
    let cause = format!("from 1 to a group's {group_blocks} are possible");
    Err(wrong(key, &format!("{key} has {blocks} blocks"), cause))
}

fn wrong(key: &str, what: &str, cause: String) -> Failure {
    Failure::job(key, what, cause, "change it, or leave it out")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_is_named() {
        let space = FreeMap::new(8 * 32768, 32768).unwrap();
        let wrong = |policy: SimulatedPolicy| {
            let failure = made(&policy, &space, 4096).err().unwrap();
            format!("{}: {}", failure.what, failure.cause)
        };
        let table = |entries: &[u32]| SimulatedPolicy::Ldiskfs {
            prealloc_table_blocks: entries.into(),
            last_group: 0,
        };
        assert!(wrong(table(&[512, 256])).contains("not ascending: 512 comes before 256"));
        let beyond = SimulatedPolicy::Ldiskfs { prealloc_table_blocks: vec![256], last_group: 8 };
        assert_eq!(wrong(beyond), "there is no group 8: the device has groups 0 to 7");
        assert!(wrong(SimulatedPolicy::Window { window_blocks: 0 }).contains("window_blocks has 0"));
        assert!(wrong(SimulatedPolicy::Delayed { delay_blocks: 40_000 }).contains("a group's 32768"));
        assert!(
            wrong(SimulatedPolicy::Vxfs { initial_blocks: 9, largest_blocks: 8 })
                .contains("9 blocks at first and 8")
        );
        let xfs = |preallocation_blocks, groups| SimulatedPolicy::Xfs {
            preallocation_blocks,
            extent_hint_blocks: 0,
            groups,
        };
        assert!(wrong(xfs(3, 0)).contains("allocsize of 3 blocks: it must be a power of two"));
        assert!(wrong(xfs(0, 100)).contains("100 allocation groups would have 10739712 bytes each"));
        assert!(made(&xfs(256, 8), &space, 4096).is_ok());
        assert!(made(&table(&[256, 512]), &space, 4096).is_ok());
    }
}
