//! Facts of layouts that are known exactly: what the kernel makes of interleaved writers (tests/ext4.rs measures the same),
//! and what follows from a policy's definition.

use fsgauge_alloc::OpLog;
use fsgauge_alloc::free_map::FreeMap;
use fsgauge_alloc::life::{Habits, Life, Reuse};
use fsgauge_alloc::policy::mballoc::{Mballoc, Release, Settings};
use fsgauge_alloc::policy::{
    BestFit, BlockAtATime, Buddy, Delayed, FirstFit, NextFit, Policy, Vxfs, VxfsSizes, Window, WorstFit,
};
use fsgauge_wire::AgeEnd;

use crate::support::{MIB, profile};

const HABITS: Habits = Habits { block_bytes: 4096, reuse: Reuse::AfterSync, sync_every_bytes: Some(1 << 30) };

fn lived(policy: Box<dyn Policy>, json: &str, end: AgeEnd, size_bytes: u64, room_bytes: u64) -> Life {
    let space = FreeMap::new(size_bytes / 4096, 32768).unwrap();
    let mut life = Life::new(space, policy, HABITS);
    for operation in OpLog::new(&profile(json), end, room_bytes, 1).unwrap() {
        life.apply(&operation);
    }
    life.sync();
    life
}

/// Files and extents of 590 writers of 4 KiB records into files of 1 MiB, in turns.
fn interleaved(policy: Box<dyn Policy>) -> (usize, usize) {
    let json = r#"{"kind":"connections"}"#;
    let life = lived(policy, json, AgeEnd::Complete {}, 2048 * MIB, 590 * MIB);
    assert_eq!(life.refused(), 0);
    let extents: Vec<usize> = life.extents().map(<[_]>::len).collect();
    (extents.len(), extents.into_iter().sum())
}

fn mballoc(delays: bool) -> Box<dyn Policy> {
    Box::new(Mballoc::new(Settings { delays, ..Settings::new(Release::Linux6_18, 16) }, 16))
}

#[test]
fn interleaved_writers_have_1_extent_with_delayed_allocation_and_20_without() {
    assert_eq!(interleaved(mballoc(true)), (590, 590));
    assert_eq!(interleaved(mballoc(false)), (590, 20 * 590));
}

#[test]
fn block_at_a_time_gives_each_block_an_extent_and_a_delay_one_to_each_file() {
    assert_eq!(interleaved(Box::new(BlockAtATime::default())), (590, 256 * 590));
    assert_eq!(interleaved(Box::new(Delayed::new(256))), (590, 590));
    // Half as many blocks wait: two extents a file, but for those that happen to lie next to each other.
    assert_eq!(interleaved(Box::new(Delayed::new(128))), (590, 2 * 590));
}

#[test]
fn chunks_in_turns_are_extents_of_exactly_the_window() {
    for mib in [1u64, 2, 4, 8] {
        let window = Box::new(Window::new((mib * MIB / 4096) as u32));
        let json = format!(r#"{{"kind":"intermingled","chunk_bytes":{MIB},"file_size_bytes":{}}}"#, 64 * MIB);
        let life = lived(window, &json, AgeEnd::Complete {}, 2048 * MIB, 1280 * MIB);
        let blocks: Vec<u32> = life.extents().flatten().map(|extent| extent.blocks).collect();
        assert_eq!(blocks, vec![(mib * MIB / 4096) as u32; (1280 / mib) as usize], "{mib} MiB");
    }
}

/// The published study's own: requests of 1 MiB, and a table of one entry.
#[test]
fn ldiskfs_gives_whole_windows_of_its_table() {
    for mib in [1u64, 2, 4, 8] {
        let blocks = (mib * MIB / 4096) as u32;
        let settings = Settings::ldiskfs(vec![blocks], 32768).unwrap();
        let json = format!(r#"{{"kind":"intermingled","chunk_bytes":{MIB},"file_size_bytes":{}}}"#, 64 * MIB);
        let policy = Box::new(Mballoc::new(settings, 64));
        let life = lived(policy, &json, AgeEnd::Complete {}, 8192 * MIB, 1280 * MIB);
        let found: Vec<u32> = life.extents().flatten().map(|extent| extent.blocks).collect();
        assert_eq!(found, vec![blocks; (1280 / mib) as usize], "{mib} MiB");
    }
}

/// As published of mb_last_group: the search begins there, rises to the last group, and goes on at the first.
#[test]
fn large_files_of_ldiskfs_begin_at_the_group_that_is_set_and_go_round() {
    const GROUPS: u32 = 64;
    let groups_by_size = |last_group: u32| {
        let mut policy = Box::new(Mballoc::new(Settings::ldiskfs(vec![256], 32768).unwrap(), GROUPS));
        policy.set_stream_group(last_group);
        let json = format!(r#"{{"kind":"intermingled","chunk_bytes":{MIB},"file_size_bytes":{}}}"#, 64 * MIB);
        let life = lived(policy, &json, AgeEnd::Complete {}, 8192 * MIB, 1280 * MIB);
        let mut blocks = [0u64; GROUPS as usize];
        life.extents().flatten().for_each(|extent| {
            blocks[(extent.physical / 32768) as usize] += u64::from(extent.blocks);
        });
        blocks
    };
    // 1280 MiB are ten groups.
    let taken = |last_group: u32| {
        let blocks = groups_by_size(last_group);
        let full: Vec<usize> = (0..GROUPS as usize).filter(|&group| blocks[group] > 0).collect();
        (full, blocks.iter().sum::<u64>())
    };
    assert_eq!(taken(20), ((20..30).collect(), 10 * 32768));
    // The first group of sixteen is for metadata as long as there is another.
    assert_eq!(taken(60), ((1..7).chain(60..64).collect(), 10 * 32768));
}

/// The first write of 4 KiB gets 8 KiB; each further extent is as long as the file is then, up to 8 MiB.
#[test]
fn extents_of_vxfs_double() {
    let json = r#"{"kind":"intermingled","files":2,"chunk_bytes":4096,"file_size_bytes":33554432}"#;
    let policy = Box::new(Vxfs::new(VxfsSizes::default()).unwrap());
    let life = lived(policy, json, AgeEnd::Complete {}, 1024 * MIB, 64 * MIB);
    let expected = [2, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 2048, 2048];
    for file in life.extents() {
        assert_eq!(file.iter().map(|extent| extent.blocks).collect::<Vec<_>>(), expected);
    }
    assert_eq!(life.space().free_blocks(), 1024 * 256 - 2 * 8192);
    assert!(Vxfs::new(VxfsSizes { initial_blocks: 0, largest_blocks: 1 }).is_err());
}

/// Every policy at 90 % full: no block is lost or given twice, extents are the files' sizes, and all comes back.
#[test]
fn every_policy_keeps_account_of_every_block() {
    let policies: [fn() -> Box<dyn Policy>; 12] = [
        || Box::new(BlockAtATime::default()),
        || Box::new(Delayed::new(64)),
        || Box::new(FirstFit),
        || Box::new(NextFit::default()),
        || Box::new(BestFit),
        || Box::new(WorstFit),
        || Box::new(Buddy),
        || Box::new(Window::new(32)),
        || mballoc(true),
        || mballoc(false),
        || Box::new(Mballoc::new(Settings::ldiskfs(vec![16, 64], 32768).unwrap(), 1)),
        || Box::new(Vxfs::new(VxfsSizes::default()).unwrap()),
    ];
    let bins = r#"{"kind":"bins","bins":[{"at_least_bytes":1000,"below_bytes":900000,"weight":1}]}"#;
    let json = format!(r#"{{"kind":"churn","streams":4,"rewrite_percent":30,"sizes":{bins}}}"#);
    for policy in policies {
        let name = policy().name();
        let end = AgeEnd::Operations { operations: 4_000 };
        let space = FreeMap::new(128 * MIB / 4096, 32768).unwrap();
        let mut life = Life::new(space, policy(), Habits { sync_every_bytes: Some(2 * MIB), ..HABITS });
        OpLog::new(&profile(&json), end, 115 * MIB, 1).unwrap().for_each(|operation| life.apply(&operation));
        life.sync();
        let mut taken: Vec<_> =
            life.extents().flatten().map(|extent| (extent.physical, extent.physical_end())).collect();
        taken.sort_unstable();
        assert!(taken.windows(2).all(|two| two[0].1 <= two[1].0), "{name}: two files have one block");
        assert!(taken.iter().all(|run| life.space().run_at(run.0).is_none()), "{name}");
        for file in life.extents() {
            assert!(file.windows(2).all(|two| two[0].logical_end() == two[1].logical), "{name}");
        }
        assert!(life.refused() < 50, "{name}: {}", life.refused());
    }
}

#[test]
fn each_fit_takes_the_run_of_its_name() {
    let place = |policy: &mut dyn Policy, blocks: u32| {
        let mut space = FreeMap::new(1000, 1000).unwrap();
        // Free: 100 to 150, 300 to 320, 500 to 512, 900 to 1000.
        for (start, end) in [(0, 100), (150, 300), (320, 500), (512, 900)] {
            space.take(start, (end - start) as u32);
        }
        let request = fsgauge_alloc::policy::Request {
            file: 0,
            inode: 0,
            logical: 0,
            blocks,
            file_blocks: 0,
            goal: 0,
            last: None,
            purpose: fsgauge_alloc::policy::Purpose::Data,
        };
        let mut found = || policy.allocate(&mut space, &request).map(|extent| extent.physical);
        [found(), found()]
    };
    assert_eq!(place(&mut FirstFit, 12), [Some(100), Some(112)]);
    assert_eq!(place(&mut NextFit::default(), 30), [Some(100), Some(900)]);
    assert_eq!(place(&mut BestFit, 12), [Some(500), Some(300)]);
    assert_eq!(place(&mut WorstFit, 12), [Some(900), Some(912)]);
    // Aligned pieces of 16 blocks or more: 304 to 320 in the smallest that is there, 912 to 928 and so on are larger runs'.
    assert_eq!(place(&mut Buddy, 13), [Some(112), Some(128)]);
    // None is long enough: the longest, and then what is the longest.
    assert_eq!(place(&mut FirstFit, 400), [Some(900), Some(100)]);
}
