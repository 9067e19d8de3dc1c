//! Damaged, truncated and foreign btrfs images: nothing crashes, hangs or grows, and what is whole is still read.
//!
//! The images are made by mkfs.btrfs, which needs no root.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use fsgauge_scan::{Btrfs, Image, OnDisk, PieceKind, Problems};

use crate::support::btrfs::{blocks, chunks_by_dump, dump, places_of};
use crate::support::damage::{Cases, damage};
use crate::support::{Collect, Made, joined, run, small};

const MIB: u64 = 1 << 20;
const SUPERBLOCK: u64 = 64 << 10;
const SECOND_SUPERBLOCK: u64 = 64 << 20;

fn cases(made: &Made, cases: u32, seed: u64, node_size: u64) -> Cases {
    damage(&made.image, &small::btrfs_places(made, node_size), cases, seed, &|image, problems, each| {
        match Btrfs::open(image, problems) {
            Ok(Some(btrfs)) => {
                each(&btrfs, problems);
                true
            }
            Ok(None) | Err(_) => false,
        }
    })
}

/// Its checksums are of a kind that is not verified: what is damaged comes through to the readers of items.
#[test]
fn thousands_of_damaged_images_without_verified_checksums_are_read_without_harm() {
    let made = small::btrfs(&["--csum", "xxhash", "--nodesize", "4096", "-m", "single"], 120 * MIB);
    let done = cases(&made, 2500, 1, 4096);
    assert!(done.with_problems > 300 && done.refused > 20 && done.as_if_whole > 100, "{done:?}");
}

#[test]
fn thousands_of_damaged_images_with_checksums_are_read_without_harm() {
    let made = small::btrfs(&["--nodesize", "4096", "-m", "single"], 120 * MIB);
    let done = cases(&made, 2000, 2, 4096);
    // The superblock is protected too, and there is another one.
    assert!(done.with_problems > 1500, "{done:?}");
}

fn read(path: &Path) -> (Collect, Problems, usize) {
    let image = Image::open(path).unwrap();
    let mut problems = Problems::new();
    let btrfs = Btrfs::open(&image, &mut problems).unwrap().unwrap();
    let all = Collect::all(&btrfs, &mut problems);
    let groups = btrfs.info().groups.len();
    (all, problems, groups)
}

fn overwrite(path: &Path, offset: u64, bytes: &[u8]) {
    OpenOptions::new().write(true).open(path).unwrap().write_all_at(bytes, offset).unwrap();
}

#[test]
fn of_two_copies_the_whole_one_is_read_and_without_one_only_its_files_are_lost() {
    let made = small::btrfs(&["--nodesize", "4096", "-m", "dup"], 200 * MIB);
    let (before, problems, _) = read(&made.image);
    assert!(problems.is_empty() && before.files.len() == 301, "{problems:?}");
    // Where leaves end depends on the order in which mkfs.btrfs met the files: one with most inodes is taken.
    let text = dump(&made, "5");
    let inodes = |leaf: &&str| leaf.matches(" INODE_REF ").count();
    let fullest = text.split("\nleaf ").skip(1).max_by_key(inodes).unwrap();
    let address: u64 = fullest.split(' ').next().unwrap().parse().unwrap();
    let copies = places_of(address, &chunks_by_dump(&made));
    assert_eq!(copies.len(), 2);

    overwrite(&made.image, copies[0] + 1000, &[0xA5; 8]);
    let (after, problems, _) = read(&made.image);
    assert!(problems.count("damaged_copy") > 0 && problems.count("damaged") == 0, "{problems:?}");
    assert!(after.files == before.files && after.free(4096) == before.free(4096));

    overwrite(&made.image, copies[1] + 1000, &[0xA5; 8]);
    let (after, problems, _) = read(&made.image);
    let list = problems.clone().into_list();
    let damaged = list.iter().find(|problem| problem.code == "damaged").unwrap();
    assert!(damaged.examples[0].contains(&format!("tree block {address}: its checksum")), "{damaged:?}");
    let lost = before.files.len() - after.files.len();
    assert!((1..100).contains(&lost), "{lost} files are lost");
    for (inode, file) in &after.files {
        let same = before.files[inode] == *file;
        // The last file before the lost leaf may go on in it.
        assert!(same || file.1.len() < before.files[inode].1.len(), "inode {inode}");
    }
    assert_eq!(after.free(4096), before.free(4096));
}

#[test]
fn a_lost_part_of_the_tree_of_extents_is_not_free() {
    let made = small::btrfs(&["--nodesize", "4096", "-m", "single"], 120 * MIB);
    let (before, ..) = read(&made.image);
    let free = |all: &Collect| all.free(4096).iter().map(|free| free.1).sum::<u64>();
    let leaf = blocks(&dump(&made, "extent"), "leaf")[0];
    let place = places_of(leaf, &chunks_by_dump(&made))[0];
    overwrite(&made.image, place, &[0; 4096]);
    let (after, problems, _) = read(&made.image);
    assert!(problems.count("damaged") > 0, "{problems:?}");
    assert!(free(&after) <= free(&before), "{} {}", free(&after), free(&before));
    assert_eq!(after.files.len(), before.files.len());
}

#[test]
fn the_second_superblock_serves_where_the_first_is_damaged() {
    let made = small::btrfs(&["--nodesize", "4096"], 200 * MIB);
    let (before, ..) = read(&made.image);
    for (offset, bytes) in [(0x50, vec![7; 3]), (0x40, vec![0; 4]), (0, vec![0; 4096])] {
        overwrite(&made.image, SUPERBLOCK + offset, &bytes);
        let (after, problems, _) = read(&made.image);
        assert_eq!(problems.count("damaged_copy"), 1, "{problems:?}");
        assert!(after.files == before.files);
    }
    // A stranger's bytes in the first one's place: the second one is old.
    overwrite(&made.image, SUPERBLOCK, &[0x5A; 4096]);
    let image = Image::open(&made.image).unwrap();
    assert!(Btrfs::open(&image, &mut Problems::new()).unwrap().is_none());
}

#[test]
fn a_superblock_without_a_whole_copy_is_refused_with_the_next_command() {
    let made = small::btrfs(&["--nodesize", "4096"], 200 * MIB);
    for place in [SUPERBLOCK, SECOND_SUPERBLOCK] {
        overwrite(&made.image, place + 0x50, &[7; 3]);
    }
    let failure = Btrfs::open(&Image::open(&made.image).unwrap(), &mut Problems::new()).unwrap_err();
    assert!(
        failure.code.ends_with("scan.superblock") && failure.next.contains("super-recover"),
        "{failure:?}"
    );
    assert!(failure.what.contains("its checksum is wrong"), "{failure:?}");
}

#[test]
fn several_devices_and_raid_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["one", "two"].map(|name| folder.path().join(name));
    for path in &paths {
        File::create(path).unwrap().set_len(200 * MIB).unwrap();
    }
    let [one, two] = paths.each_ref().map(|path| path.to_str().unwrap());
    run("mkfs.btrfs", &["-q", "-d", "raid1", "-m", "raid1", one, two]);
    for path in &paths {
        let failure = Btrfs::open(&Image::open(path).unwrap(), &mut Problems::new()).unwrap_err();
        assert_eq!(failure.code, "job.several_devices");
        assert!(failure.what.contains("one of 2 devices"), "{failure:?}");
    }
    run("mkfs.btrfs", &["-q", "-f", "-d", "raid0", "-m", "single", one]);
    let failure = Btrfs::open(&Image::open(&paths[0]).unwrap(), &mut Problems::new()).unwrap_err();
    assert_eq!(failure.code, "job.raid");
    assert!(failure.what.contains("raid0"), "{failure:?}");
}

#[test]
fn a_btrfs_for_zones_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("an image");
    File::create(&path).unwrap().set_len(16 << 30).unwrap();
    run("mkfs.btrfs", &["-q", "-O", "zoned", path.to_str().unwrap()]);
    let failure = Btrfs::open(&Image::open(&path).unwrap(), &mut Problems::new()).unwrap_err();
    assert_eq!(failure.code, "job.zoned");
    assert_eq!(failure.next, format!("mount -o ro '{}' /mnt; fsgauge scan /mnt", path.display()));
}

#[test]
fn a_truncated_image_is_read_as_far_as_it_goes() {
    let made = small::btrfs(&["--nodesize", "4096", "-m", "single"], 200 * MIB);
    let (whole, _, groups) = read(&made.image);
    let file = OpenOptions::new().write(true).open(&made.image).unwrap();
    let mut before = whole.files.len();
    for kept in [150, 50, 30, 20, 10, 1] {
        file.set_len(kept * MIB).unwrap();
        let (all, problems, groups_now) = read(&made.image);
        assert!(problems.count("truncated") > 0, "{kept} MiB: {problems:?}");
        assert!(all.files.len() <= before && groups_now <= groups);
        before = all.files.len();
    }
    assert!(before < whole.files.len());
    file.set_len(SUPERBLOCK + 4000).unwrap();
    assert!(Btrfs::open(&Image::open(&made.image).unwrap(), &mut Problems::new()).unwrap().is_none());
}

#[test]
fn checksums_that_are_not_verified_are_named() {
    let made = small::btrfs(&["--csum", "sha256"], 200 * MIB);
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let btrfs = Btrfs::open(&image, &mut problems).unwrap().unwrap();
    let notes = btrfs.info().notes;
    assert_eq!(notes.len(), 1);
    assert!(notes[0].code == "scan.checksums_not_verified" && notes[0].text.contains("SHA-256"));
    let all = Collect::all(&btrfs, &mut problems);
    assert!(problems.is_empty() && all.files.len() == 301);
    assert!(all.files.values().any(|file| joined(&file.1).iter().any(|extent| extent.2 >= MIB)));
    assert!(all.pieces.iter().any(|piece| piece.kind == PieceKind::Unallocated));
}

#[test]
fn a_scan_that_is_stopped_ends_at_once_with_what_it_has() {
    let made = small::btrfs(&["--nodesize", "4096"], 200 * MIB);
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let btrfs = Btrfs::open(&image, &mut problems).unwrap().unwrap();
    for limit in [0, 5, 20, 30] {
        let asked = std::cell::Cell::new(0);
        let mut all = Collect::default();
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > limit
        };
        btrfs.read(&mut all, &stop, &mut problems);
        assert!(all.files.len() < 301, "{limit}: {}", all.files.len());
        assert!(asked.get() < limit + 20, "{limit}: {}", asked.get());
    }
}
