//! The model by itself: every block is accounted for, whatever the log and the policy.

use fsgauge_wire::AgeEnd;

use super::profile::profile;
use super::{Ext4, Geometry, Setting, Writing};
use crate::OpLog;
use crate::free_map::Run;
use crate::policy::mballoc::{Mballoc, Release, Settings};
use crate::policy::{FirstFit, Policy};

const CACHED: Writing = Writing::Cached { largest_folio_pages: 512, joins_at_once: false };
const GROUPS: u32 = 20;
const GROUP_BLOCKS: u32 = 32768;

/// 2.5 GiB in two flex groups, each of which begins with its inodes.
fn geometry() -> Geometry {
    let start = |group: u32| u64::from(group) * u64::from(GROUP_BLOCKS);
    let first = |group: u32| start(group) + if group.is_multiple_of(16) { 9000 } else { 0 };
    let run = |group: u32| Run { start: first(group), blocks: (start(group + 1) - first(group)) as u32 };
    let mut inodes_in_use = vec![0; GROUPS as usize];
    let mut directories = inodes_in_use.clone();
    (inodes_in_use[0], directories[0]) = (11, 2);
    Geometry {
        block_bytes: 4096,
        blocks: start(GROUPS),
        group_blocks: GROUP_BLOCKS,
        inodes_per_group: 8192,
        flex_groups: 16,
        hash_seed: [1, 2, 3, 4],
        root_blocks: 0,
        free: (0..GROUPS).map(run).collect(),
        inodes_in_use,
        directories,
        root_block: 8000,
    }
}

fn mballoc() -> Box<dyn Policy> {
    Box::new(Mballoc::new(Settings::new(Release::Linux6_18, GROUPS), GROUPS))
}

/// Lives a log to its end, then without files.
fn live(
    json: &str,
    policy: Box<dyn Policy>,
    writing: Writing,
    room_mib: u64,
    operations: u64,
) -> (Ext4, u64) {
    let end = AgeEnd::Operations { operations };
    let log = OpLog::new(&profile(json), end, room_mib << 20, 3).unwrap();
    let setting = Setting { placement: log.placement(), processors: 2, writing };
    let mut model = Ext4::new(&geometry(), policy, setting).unwrap();
    let mut written_bytes = 0;
    for operation in log {
        model.apply(&operation);
        written_bytes += operation.size_bytes;
        if written_bytes > 64 << 20 {
            model.sync();
            written_bytes = 0;
        }
    }
    model.sync();
    (model, end_of_files(json, room_mib, operations))
}

/// Blocks of the log's files when it ends.
fn end_of_files(json: &str, room_mib: u64, operations: u64) -> u64 {
    let mut sizes = std::collections::HashMap::new();
    let end = AgeEnd::Operations { operations };
    for operation in OpLog::new(&profile(json), end, room_mib << 20, 3).unwrap() {
        use fsgauge_wire::AgeOperation::{Append, Create, Delete, Fsync, Overwrite, Truncate};
        match operation.kind {
            Create => {
                sizes.insert(operation.file, operation.size_bytes);
            }
            Append => *sizes.entry(operation.file).or_default() += operation.size_bytes,
            Truncate => {
                sizes.insert(operation.file, operation.offset_bytes);
            }
            Delete => {
                sizes.remove(&operation.file);
            }
            Fsync | Overwrite => {}
        }
    }
    sizes.values().map(|bytes| bytes.div_ceil(4096)).sum()
}

#[test]
fn every_block_is_accounted_for() {
    let churn = r#"{"kind":"churn","streams":8,"rewrite_percent":30}"#;
    let git = r#"{"kind":"git_like","files_per_directory":40}"#;
    for (json, room_mib) in [(churn, 1900), (git, 400)] {
        for (policy, writing) in [
            (mballoc(), Writing::Allocated),
            (mballoc(), CACHED),
            (Box::new(FirstFit), Writing::Allocated),
            (Box::new(FirstFit), CACHED),
        ] {
            let what = format!("{json} {} {writing:?}", policy.name());
            let (mut model, file_blocks) = live(json, policy, writing, room_mib, 8_000);
            assert_eq!(model.refused(), 0, "{what}");
            let mut runs: Vec<(u64, u64)> =
                model.extents().flatten().map(|is| (is.physical, is.physical_end())).collect();
            assert_eq!(runs.iter().map(|run| run.1 - run.0).sum::<u64>(), file_blocks, "{what}");
            runs.sort_unstable();
            assert!(runs.windows(2).all(|two| two[0].1 <= two[1].0), "{what}: two files have one block");
            assert!(runs.iter().all(|run| model.space().run_at(run.0).is_none()), "{what}");
            // Without files, only the directories' blocks are missing, and what small files have in common.
            let files = model.files.len() as u32;
            (0..files).for_each(|file| model.delete(file));
            model.sync();
            let gone = geometry().free.iter().map(|run| u64::from(run.blocks)).sum::<u64>();
            let missing = gone - model.free_blocks();
            assert!((8..2000).contains(&missing), "{what}: {missing}");
            let set_aside = model.free_blocks() - model.space().free_blocks();
            assert!(set_aside <= 10 * 512 * 8, "{what}: {set_aside}");
        }
    }
}

#[test]
fn a_full_device_refuses_and_goes_on() {
    for writing in [Writing::Allocated, CACHED] {
        let (model, _) = live(r#"{"kind":"churn","streams":2}"#, mballoc(), writing, 2600, 30_000);
        assert!(model.refused() > 10, "{}", model.refused());
        assert!(model.free_blocks() > 0 && model.extents().count() > 0);
    }
}
