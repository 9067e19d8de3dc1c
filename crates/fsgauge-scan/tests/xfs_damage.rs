//! Damaged and truncated XFS images: nothing crashes, hangs or grows, and what is whole is still read.
//!
//! The images are made by mkfs.xfs from a prototype, which needs no root.

use std::os::unix::fs::FileExt;

use fsgauge_scan::{Image, OnDisk, Problems, Xfs};

use crate::support::damage::{Cases, damage};
use crate::support::{Collect, Made, Mounted, can_mount, fill, make, run, small};

const MIB: u64 = 1 << 20;

fn cases(made: &Made, cases: u32, seed: u64) -> Cases {
    damage(
        &made.image,
        &small::xfs_places(&made.image),
        cases,
        seed,
        &|image, problems, each| match Xfs::open(image, problems) {
            Ok(Some(xfs)) => {
                each(&xfs, problems);
                true
            }
            Ok(None) | Err(_) => false,
        },
    )
}

#[test]
fn thousands_of_damaged_images_are_read_without_harm() {
    let made = small::xfs(&["-b", "size=1024", "-l", "size=64m", "-d", "agcount=3"]);
    let done = cases(&made, 2000, 3);
    assert!(done.with_problems > 300 && done.refused > 20 && done.as_if_whole > 100, "{done:?}");
}

#[test]
fn thousands_of_damaged_images_of_version_4_are_read_without_harm() {
    let made = small::xfs(&["-m", "crc=0", "-d", "agcount=4"]);
    let done = cases(&made, 2000, 4);
    assert!(done.with_problems > 300 && done.refused > 20 && done.as_if_whole > 100, "{done:?}");
}

/// Trees of extents and sparse files too, which only the kernel makes.
#[test]
fn damaged_images_that_the_kernel_filled_are_read_without_harm() {
    if !can_mount() {
        return;
    }
    let made = make("mkfs.xfs", &["-q", "-m", "rmapbt=1", "-d", "agcount=3"], 320 * MIB);
    {
        let mounted = Mounted::new(&made, "nouuid");
        fill(mounted.path(), 4096, 3000);
        let path = |name: &str| mounted.path().join(name).to_str().unwrap().to_owned();
        run("cp", &["--reflink=always", &path("sparse"), &path("copy")]);
    }
    let done = cases(&made, 1000, 5);
    assert!(done.with_problems > 150 && done.refused > 10 && done.as_if_whole > 50, "{done:?}");
}

/// A tree whose root leads to itself, for files, for inodes and for free space.
#[test]
fn trees_in_circles_come_to_an_end() {
    let made = small::xfs(&["-d", "agcount=2"]);
    let image = Image::open(&made.image).unwrap();
    let file = std::fs::OpenOptions::new().read(true).write(true).open(&made.image).unwrap();
    let mut word = [0; 4];
    for (root_at, levels_at) in [(512 + 16, 512 + 28), (1024 + 20, 1024 + 24)] {
        file.read_exact_at(&mut word, root_at).unwrap();
        let root = u64::from(u32::from_be_bytes(word)) * 4096;
        let mut before = vec![0; 4096];
        file.read_exact_at(&mut before, root).unwrap();
        // All entries of a node of level 1 lead to itself, under a tree said to have two and then nine levels.
        for levels in [2u32, 9] {
            let mut node = before.clone();
            node[4..8].copy_from_slice(&[0, (levels - 1) as u8, 0, 200]);
            for entry in node[56..].chunks_exact_mut(4) {
                entry.copy_from_slice(&word);
            }
            file.write_all_at(&node, root).unwrap();
            file.write_all_at(&levels.to_be_bytes(), levels_at).unwrap();
            let mut problems = Problems::new();
            let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
            Collect::all(&xfs, &mut problems);
            assert!(problems.count("damaged") > 0);
        }
        file.write_all_at(&before, root).unwrap();
        file.write_all_at(&1u32.to_be_bytes(), levels_at).unwrap();
    }
    let mut problems = Problems::new();
    let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
    assert_eq!(Collect::all(&xfs, &mut problems).files.len(), 400);
    assert!(problems.is_empty(), "{problems:?}");
}

/// Walks of trees went on to their end when the scan was stopped.
#[test]
fn a_walk_of_trees_ends_when_it_is_stopped() {
    let made = small::xfs(&["-d", "agcount=2"]);
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
    let free = |asks_before_the_end: u32| {
        let asks = std::cell::Cell::new(0);
        let stop = || {
            asks.set(asks.get() + 1);
            asks.get() > asks_before_the_end
        };
        let mut all = Collect::default();
        xfs.read_space(&mut all, &stop, &mut Problems::new());
        all.free(4096).len()
    };
    // Asked before the first group, and then before each block of a tree.
    assert_eq!(free(1), 0);
    assert!(free(2) > 0);
}

#[test]
fn a_truncated_image_is_read_as_far_as_it_goes() {
    let made = small::xfs(&["-d", "agcount=4"]);
    let file = std::fs::OpenOptions::new().write(true).open(&made.image).unwrap();
    let mut before = u64::MAX;
    for kept in [320, 200, 100, 50u64] {
        file.set_len(kept * MIB).unwrap();
        let image = Image::open(&made.image).unwrap();
        let mut problems = Problems::new();
        let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
        let all = Collect::all(&xfs, &mut problems);
        assert_eq!(problems.count("truncated") > 0, kept < 320, "{kept} MiB: {problems:?}");
        let free = all.free(4096).iter().map(|run| run.1).sum::<u64>();
        assert!(free < before && free > 0);
        // Folders have their files in other groups, some of which are gone.
        assert!(all.files.len() >= 100 && (kept < 320) == (all.files.len() < 400));
        before = free;
    }
    file.set_len(300).unwrap();
    assert!(Xfs::open(&Image::open(&made.image).unwrap(), &mut Problems::new()).unwrap().is_none());
}

#[test]
fn a_damaged_inode_is_named_and_all_others_stay_exact() {
    let made = small::xfs(&["-d", "agcount=2"]);
    let image = Image::open(&made.image).unwrap();
    let read = || {
        let mut problems = Problems::new();
        let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
        (Collect::all(&xfs, &mut problems), problems)
    };
    let (before, _) = read();
    let (&inode, _) = before.files.iter().nth(77).unwrap();
    // With two groups of 40960 blocks, inodes of group 0 lie at their number times their size.
    let file = std::fs::OpenOptions::new().read(true).write(true).open(&made.image).unwrap();
    let mut magic = [0; 2];
    file.read_exact_at(&mut magic, inode * 512).unwrap();
    assert_eq!(&magic, b"IN");
    file.write_all_at(b"XX", inode * 512).unwrap();
    let (after, problems) = read();
    assert_eq!(problems.count("damaged"), 1);
    assert_eq!(problems.into_list()[0].examples, [format!("inode {inode}")]);
    assert_eq!(after.files.len(), before.files.len() - 1);
    assert!(after.files.iter().all(|(inode, file)| before.files[inode] == *file));
    assert_eq!(before.free(4096), after.free(4096));
}
