//! XFS: golden facts of the policy, and the kernel's own layouts beside the model's. What needs root and loop devices says so
//! elsewhere and is skipped; FSGAUGE_TEST_ROOT=1 makes that a failure.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;

use fsgauge_alloc::free_map::FreeMap;
use fsgauge_alloc::life::{Habits, Life, Reuse};
use fsgauge_alloc::policy::xfs::{Xfs, XfsSettings};
use fsgauge_alloc::policy::{Extent, Policy, Purpose, Request};
use fsgauge_alloc::{OpLog, Operation};
use fsgauge_scan::{OnDisk, Problems, Xfs as OnDiskXfs};
use fsgauge_wire::{AgeEnd, AgeJob, AgeMode, AgeOperation};

use crate::support::layout::{self, Distances, Layout};
use crate::support::{MIB, Mounted, age, job, mounted_or_skip, profile, tool, unmount};

const BLOCK_BYTES: u64 = 4096;
/// Without trees that the model does not have.
const MKFS: &[&str] = &["mkfs.xfs", "-q", "-m", "rmapbt=0,reflink=0", "-d", "agcount=4"];

/// Two files of 4 MiB that grow in turns, 4 KiB at a time, each written out at once: lengths of their extents.
fn two_growing(settings: XfsSettings) -> [Vec<u32>; 2] {
    let mut space = FreeMap::new(1 << 18, 32768).unwrap();
    let mut policy = Xfs::new(settings).unwrap();
    let mut files = [Vec::<Extent>::new(), Vec::new()];
    for logical in 0..1024 {
        for (file, extents) in files.iter_mut().enumerate() {
            let last = extents.last().copied();
            let purpose = Purpose::Data;
            let (file, inode) = (file as u32, file as u64);
            let request =
                Request { file, inode, logical, blocks: 1, file_blocks: logical, goal: 64, last, purpose };
            let extent = policy.allocate(&mut space, &request).unwrap();
            match extents.last_mut() {
                Some(last) if last.is_followed_by(&extent) => last.blocks += extent.blocks,
                _ => extents.push(extent),
            }
        }
    }
    policy.release(&mut space, 0);
    policy.release(&mut space, 1);
    assert_eq!(space.free_blocks(), (1 << 18) - 2 * 1024);
    files.map(|extents| extents.iter().map(|extent| extent.blocks).collect())
}

/// Nothing more than it needs below 64 KiB, then as much as that, then twice what lies before in one piece.
fn doubling() -> Vec<u32> {
    let mut expected = vec![1; 16];
    expected.extend([16, 32, 64, 128, 256, 512]);
    expected
}

#[test]
fn preallocation_doubles_from_64_kib_on() {
    assert_eq!(two_growing(XfsSettings::new(1 << 18)), [doubling(), doubling()]);
}

#[test]
fn allocsize_and_extsize_are_what_every_extent_has() {
    let fixed = XfsSettings { preallocation_blocks: 256, ..XfsSettings::new(1 << 18) };
    assert_eq!(two_growing(fixed), [vec![256; 4], vec![256; 4]]);
    let hinted = XfsSettings { extent_hint_blocks: 256, ..XfsSettings::new(1 << 18) };
    assert_eq!(two_growing(hinted), [vec![256; 4], vec![256; 4]]);
}

/// What is set aside for files that are open is given back before there is no space.
#[test]
fn a_device_is_full_when_files_have_all_of_it() {
    let mut space = FreeMap::new(1 << 16, 32768).unwrap();
    let settings = XfsSettings { preallocation_blocks: 4096, ..XfsSettings::new(1 << 16) };
    let mut policy = Xfs::new(settings).unwrap();
    let mut allocate = |file: u32| {
        let (inode, purpose) = (u64::from(file), Purpose::Data);
        let request =
            Request { file, inode, logical: 0, blocks: 256, file_blocks: 256, goal: 64, last: None, purpose };
        policy.allocate(&mut space, &request).map(|extent| extent.blocks)
    };
    assert_eq!((0..).map_while(&mut allocate).sum::<u32>(), 1 << 16);
}

#[test]
fn what_cannot_be_is_named() {
    let wrong = |settings: XfsSettings| Xfs::new(settings).unwrap_err();
    let usual = XfsSettings::new(1 << 18);
    assert!(wrong(XfsSettings { group_blocks: 0, ..usual }).contains("of nothing"));
    assert!(wrong(XfsSettings { preallocation_blocks: 3, ..usual }).contains("power of two"));
    let groups = usual.with_groups(100, 1 << 18).unwrap_err();
    assert_eq!(
        groups,
        "100 allocation groups would have 10739712 bytes each: from 16777216 to 1099511627776 are possible"
    );
    assert_eq!(usual.with_groups(8, 1 << 18).unwrap().group_blocks, 1 << 15);
    assert!(wrong(XfsSettings { extent_hint_blocks: 1 << 21, ..usual }).contains("2097151"));
}

/// What the disk holds, and blocks of its allocation groups.
fn layout(path: &Path) -> (Layout, u64) {
    let (image, mut problems) = (layout::image(path), Problems::new());
    let disk = OnDiskXfs::open(&image, &mut problems).unwrap().unwrap();
    let group_blocks = disk.info().groups[0].size_bytes / BLOCK_BYTES;
    (Layout::of_device(&disk), group_blocks)
}

/// The free space of a new file system: what its own blocks take is taken.
fn space(fresh: &Layout, size_bytes: u64) -> FreeMap {
    let blocks = size_bytes / BLOCK_BYTES;
    let mut space = FreeMap::new(blocks, 32768).unwrap();
    let mut at = 0;
    for (start, length) in &fresh.free {
        space.take(at, (start - at) as u32);
        at = start + length;
    }
    space.take(at, (blocks - at) as u32);
    space
}

fn mounted(size_bytes: u64, options: &str) -> Option<Mounted> {
    mounted_or_skip(size_bytes, MKFS, options)
}

/// The golden fact is the kernel's: two files that grow in turns, each block written out before the next.
#[test]
fn two_files_that_grow_in_turns_lie_as_in_the_kernel() {
    for (options, expected) in [("rw", doubling()), ("allocsize=1m", vec![256; 4])] {
        let Some(mut mounted) = mounted(1 << 30, options) else { return };
        let folder = mounted.point.join("d");
        fs::create_dir(&folder).unwrap();
        let files = ["a", "b"].map(|name| File::create(folder.join(name)).unwrap());
        for place in 0..1024 {
            for file in &files {
                file.write_all_at(&[7; BLOCK_BYTES as usize], place * BLOCK_BYTES).unwrap();
                file.sync_data().unwrap();
            }
        }
        drop(files);
        mounted.unmount();
        let found = layout(&mounted.image()).0;
        assert_eq!(found.files, 2);
        let expected: Vec<u64> = expected.into_iter().map(u64::from).collect();
        assert_eq!(found.extents, [expected.clone(), expected].concat(), "{options}");
    }
}

/// An operation whose data never waits in memory.
fn at_once(life: &mut Life, operation: Operation) {
    let Operation { kind, file, .. } = operation;
    if kind == AgeOperation::Create {
        life.apply(&Operation { size_bytes: 0, ..operation });
        life.apply(&Operation { kind: AgeOperation::Append, ..operation });
    } else {
        life.apply(&operation);
    }
    assert!(life.allocate_at_once(file));
}

/// The same log in both.
fn compare(mode: AgeMode, size_bytes: u64, room_bytes: u64, operations: u64) -> Option<Distances> {
    let sync_every_bytes = Some(64 * MIB);
    let mut mounted = mounted(size_bytes, "rw")?;
    mounted.unmount();
    let (fresh, group_blocks) = layout(&mounted.image());
    tool("mount", &[&mounted.device, mounted.point.to_str().unwrap()]).unwrap();
    let (profile, end) = (profile(CHURN), AgeEnd::Operations { operations });
    let log = OpLog::new(&profile, end, room_bytes, 1).unwrap();
    let settings = XfsSettings { group_blocks, ..XfsSettings::new(size_bytes / BLOCK_BYTES) };
    let habits = Habits { block_bytes: BLOCK_BYTES, reuse: Reuse::AfterSync, sync_every_bytes };
    let mut life = Life::new(space(&fresh, size_bytes), Box::new(Xfs::new(settings).unwrap()), habits);
    log.for_each(|operation| match mode {
        AgeMode::Write => life.apply(&operation),
        _ => at_once(&mut life, operation),
    });
    life.unmount();
    let folder = mounted.point.join("aged");
    fs::create_dir(&folder).unwrap();
    let base = job(&folder);
    let space_bytes = Some(room_bytes);
    let job = AgeJob { profile, mode, space_bytes, fill_percent: 100.0, end, sync_every_bytes, ..base };
    let result = age(&job).unwrap();
    assert_eq!((result.errors.len(), life.refused()), (0, 0), "{:?}", result.errors);
    unmount(&mounted.point);
    let kernel = layout(&mounted.image()).0;
    let mut model = Layout::default();
    for file in life.extents() {
        model.add_file(file.iter().map(|is| (is.logical, is.physical, u64::from(is.blocks))));
    }
    let mut space = life.space().clone();
    let areas = space.areas(group_blocks);
    let runs = (0..areas.count()).flat_map(|index| areas.area(index).from(0));
    model.free = runs.map(|run| (run.start, run.blocks)).collect();
    assert_eq!(model.files, kernel.files);
    let found = model.distances(&kernel);
    println!("{mode:?}: {}", found.text);
    Some(found)
}

const CHURN: &str = r#"{"kind":"churn","streams":8,"rewrite_percent":20,
    "sizes":{"kind":"bins","bins":[{"at_least_bytes":1000,"below_bytes":900000,"weight":1}]}}"#;

/// Small and middling files come and go, by fallocate. Two runs of the kernel differ, too: its log frees when it likes.
#[test]
fn churn_of_allocated_files_is_like_the_kernels() {
    let Some(found) = compare(AgeMode::Fast, 1024 * MIB, 850 * MIB, 20_000) else { return };
    assert!(found.extents <= 0.03 && found.free <= 0.1, "{}", found.text);
}

/// The same written, so that it waits in memory and is allocated when it is written back. Some hundred free runs are left, and
/// the model knows neither the kernel's inodes nor which group is full first: no more is claimed than that files are whole.
#[test]
fn churn_of_written_files_is_like_the_kernels() {
    let Some(found) = compare(AgeMode::Write, 768 * MIB, 650 * MIB, 6_000) else { return };
    assert!(found.extents <= 0.03 && found.free <= 0.3, "{}", found.text);
}
