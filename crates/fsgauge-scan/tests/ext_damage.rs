//! Damaged and truncated ext images: nothing crashes, hangs or grows, and what is whole is still read.
//!
//! The images are made by mke2fs and debugfs, which need no root.

use std::os::unix::fs::FileExt;

use fsgauge_scan::{Ext, Image, OnDisk, Problems};

use crate::support::damage::{Cases, damage};
use crate::support::{Collect, Made, run, small};

fn cases(made: &Made, cases: u32, seed: u64) -> Cases {
    damage(
        &made.image,
        &small::ext_places(&made.image),
        cases,
        seed,
        &|image, problems, each| match Ext::open(image, problems) {
            Ok(Some(ext)) => {
                each(&ext, problems);
                true
            }
            Ok(None) | Err(_) => false,
        },
    )
}

#[test]
fn thousands_of_damaged_ext4_images_are_read_without_harm() {
    let made = small::ext(&["-t", "ext4", "-b", "1024", "-N", "1024", "-J", "size=1"], 24 << 20);
    let done = cases(&made, 2500, 1);
    assert!(done.with_problems > 300 && done.refused > 20 && done.as_if_whole > 100, "{done:?}");
}

#[test]
fn thousands_of_damaged_ext2_images_are_read_without_harm() {
    let made = small::ext(&["-t", "ext2", "-b", "1024", "-N", "1024"], 24 << 20);
    let done = cases(&made, 2500, 2);
    assert!(done.with_problems > 300 && done.refused > 20 && done.as_if_whole > 100, "{done:?}");
}

#[test]
fn a_damaged_tree_is_named_and_all_other_files_stay_exact() {
    let made = small::ext(&["-t", "ext4", "-b", "4096", "-N", "1024"], 24 << 20);
    let image = Image::open(&made.image).unwrap();
    let read = || {
        let mut problems = Problems::new();
        let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
        (Collect::all(&ext, &mut problems), problems)
    };
    let (before, _) = read();
    let (&holes, _) = before.files.iter().find(|(_, file)| file.1.len() >= 700).unwrap();
    // The number of the first block of its tree, in the inode, becomes one beyond the end.
    let command = format!("sif <{holes}> block[IND] 0");
    let debugfs = |request: &str| run("debugfs", &["-w", "-R", request, made.image.to_str().unwrap()]);
    debugfs(&command);
    debugfs(&format!("sif <{holes}> block[4] 0xffffff"));
    let (after, problems) = read();
    assert!(problems.count("damaged") >= 1, "{problems:?}");
    let examples = problems.into_list().remove(0).examples;
    assert!(examples[0].contains(&format!("inode {holes}:")), "{examples:?}");
    assert_eq!(after.files.len(), before.files.len());
    for (inode, file) in &before.files {
        let same = file.1 == after.files[inode].1;
        assert_eq!(same, *inode != holes, "inode {inode}");
    }
    assert_eq!(before.free(4096), after.free(4096));
}

#[test]
fn a_truncated_image_is_read_as_far_as_it_goes() {
    let made =
        small::ext(&["-t", "ext4", "-b", "1024", "-N", "2048", "-g", "2048", "-O", "^flex_bg"], 24 << 20);
    let mut before = usize::MAX;
    let file = std::fs::OpenOptions::new().write(true).open(&made.image).unwrap();
    for kept in [24, 12, 6, 3, 1u64] {
        file.set_len(kept << 20).unwrap();
        let image = Image::open(&made.image).unwrap();
        let mut problems = Problems::new();
        let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
        let all = Collect::all(&ext, &mut problems);
        assert_eq!(problems.count("truncated") > 0, kept < 24, "{kept} MiB: {problems:?}");
        assert!(all.free(1024).len() <= before && !all.free(1024).is_empty());
        before = all.free(1024).len();
    }
    file.set_len(1500).unwrap();
    assert!(Ext::open(&Image::open(&made.image).unwrap(), &mut Problems::new()).unwrap().is_none());
}

#[test]
fn a_scan_that_is_stopped_ends_at_once_with_what_it_has() {
    let made = small::ext(&["-t", "ext4", "-b", "1024", "-N", "1024"], 24 << 20);
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
    let asked = std::cell::Cell::new(0);
    let mut all = Collect::default();
    ext.read(
        &mut all,
        &|| {
            asked.set(asked.get() + 1);
            asked.get() > 100
        },
        &mut problems,
    );
    assert!((1..301).contains(&all.files.len()), "{}", all.files.len());
}

#[test]
fn a_superblock_that_makes_no_sense_is_replaced_by_its_copy() {
    for block in ["1024", "4096"] {
        let made = small::ext(&["-t", "ext4", "-b", block, "-N", "1024"], 200 << 20);
        let image = Image::open(&made.image).unwrap();
        let read = || {
            let mut problems = Problems::new();
            let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
            (Collect::all(&ext, &mut problems), problems)
        };
        let (before, _) = read();
        let file = std::fs::OpenOptions::new().write(true).open(&made.image).unwrap();
        // No inodes in a group; then a feature that nobody knows.
        for (at, bytes) in [(0x28, [0; 4]), (0x60, [0, 0, 0, 0x80])] {
            std::os::unix::fs::FileExt::write_all_at(&file, &bytes, 1024 + at).unwrap();
            let (after, problems) = read();
            assert_eq!(problems.count("damaged"), 1);
            assert_eq!(after.files, before.files);
            assert_eq!(after.pieces, before.pieces);
        }
    }
}

/// Everything of the image, and the problems.
fn read(made: &Made) -> (Collect, Problems) {
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
    (Collect::all(&ext, &mut problems), problems)
}

/// Where the block bitmap of a group lies, in blocks, by dumpe2fs.
fn block_bitmap(made: &Made, group: u32) -> u64 {
    let text = run("dumpe2fs", &[made.image.to_str().unwrap()]);
    let (_, of_group) = text.split_once(&format!("Group {group}:")).unwrap();
    let (_, rest) = of_group.split_once("Block bitmap at ").unwrap();
    rest.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap()
}

const WITHOUT_CHECKSUMS: &str = "^metadata_csum";
/// What makes images of every age, block size and unit of bitmaps.
const AGES: [&[&str]; 9] = [
    &["-t", "ext4", "-b", "4096"],
    &["-t", "ext4", "-b", "1024"],
    &["-t", "ext4", "-b", "4096", "-O", "^64bit"],
    &["-t", "ext4", "-b", "4096", "-O", "metadata_csum_seed"],
    &["-t", "ext4", "-b", "4096", "-O", "bigalloc", "-C", "16384"],
    &["-t", "ext4", "-b", "1024", "-O", "^metadata_csum,uninit_bg"],
    &["-t", "ext4", "-b", "1024", "-O", "^flex_bg,^resize_inode,meta_bg"],
    &["-t", "ext3", "-b", "1024"],
    &["-t", "ext2", "-b", "1024"],
];

#[test]
fn a_destroyed_block_bitmap_is_named_and_left_out_at_every_age() {
    for age in AGES {
        let made = small::ext(&[age, &["-N", "1024"]].concat(), 24 << 20);
        let (before, problems) = read(&made);
        assert!(problems.is_empty(), "{age:?}: {problems:?}");
        let block: u64 = age[3].parse().unwrap();
        let at = block_bitmap(&made, 0) * block;
        let noise: Vec<u8> = (0..block as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
        let file = std::fs::OpenOptions::new().write(true).open(&made.image).unwrap();
        std::os::unix::fs::FileExt::write_all_at(&file, &noise, at).unwrap();
        let (after, problems) = read(&made);
        assert_eq!(problems.count("damaged"), 1, "{age:?}: {problems:?}");
        let example = problems.into_list().remove(0).examples.remove(0);
        assert!(example.starts_with("block bitmap of group 0: "), "{example}");
        assert_eq!(after.files, before.files, "{age:?}");
        assert!(after.free(block).len() < before.free(block).len(), "{age:?}");
    }
}

#[test]
fn one_wrong_bit_is_found_by_checksum_and_without_by_the_number_of_free_blocks() {
    for (features, words) in
        [("metadata_csum", "its checksum is wrong"), (WITHOUT_CHECKSUMS, "blocks are free")]
    {
        let made = small::ext(&["-t", "ext4", "-b", "1024", "-N", "1024", "-O", features], 24 << 20);
        let file = std::fs::OpenOptions::new().read(true).write(true).open(&made.image).unwrap();
        use std::os::unix::fs::FileExt;
        let at = block_bitmap(&made, 0) * 1024 + 17;
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 4], at).unwrap();
        let examples = read(&made).1.into_list().remove(0).examples;
        assert!(examples.len() == 1 && examples[0].contains(words), "{examples:?}");
        file.write_all_at(&byte, at).unwrap();
        assert!(read(&made).1.is_empty());
    }
}

#[test]
fn bitmaps_of_a_file_system_that_is_not_clean_are_not_judged() {
    let made = small::ext(&["-t", "ext4", "-b", "1024", "-N", "1024", "-O", WITHOUT_CHECKSUMS], 24 << 20);
    let file = std::fs::OpenOptions::new().read(true).write(true).open(&made.image).unwrap();
    use std::os::unix::fs::FileExt;
    file.write_all_at(&[0x5A; 64], block_bitmap(&made, 0) * 1024 + 100).unwrap();
    assert_eq!(read(&made).1.count("damaged"), 1);
    let mut incompatible = [0];
    file.read_exact_at(&mut incompatible, 1024 + 0x60).unwrap();
    // Its journal needs recovery; then it does not, but the file system is in use.
    file.write_all_at(&[incompatible[0] | 4], 1024 + 0x60).unwrap();
    assert!(read(&made).1.is_empty());
    file.write_all_at(&incompatible, 1024 + 0x60).unwrap();
    file.write_all_at(&[0, 0], 1024 + 0x3A).unwrap();
    assert!(read(&made).1.is_empty());
}

#[test]
fn what_tools_have_changed_since_is_no_damage() {
    let made = small::ext(&["-t", "ext4", "-b", "1024", "-N", "2048"], 24 << 20);
    let image = made.image.to_str().unwrap();
    let steps: [(&str, &[&str]); 7] = [
        ("debugfs", &["-w", "-R", "rm /a/b/c/holes", image]),
        ("resize2fs", &[image, "61M"]),
        ("tune2fs", &["-U", "random", image]),
        ("tune2fs", &["-O", "^metadata_csum", image]),
        ("tune2fs", &["-O", "metadata_csum", image]),
        ("resize2fs", &["-M", image]),
        ("e2fsck", &["-f", "-p", "-D", image]),
    ];
    for (tool, arguments) in steps {
        // Tools ask for a check before they change much.
        run("e2fsck", &["-f", "-p", image]);
        run(tool, arguments);
        let (all, problems) = read(&made);
        assert!(problems.is_empty() && all.files.len() >= 300, "{tool} {arguments:?}: {problems:?}");
    }
}

/// Descriptors of all groups that name one table had it read once for each group: files were counted again and again.
#[test]
fn a_table_of_inodes_that_two_groups_name_is_read_once() {
    let made = small::ext(&["-t", "ext2", "-b", "1024", "-N", "1024"], 24 << 20);
    let (groups, descriptors) = (3, 2048);
    let file = std::fs::OpenOptions::new().read(true).write(true).open(&made.image).unwrap();
    let mut table = [0; 4];
    file.read_exact_at(&mut table, descriptors + 8).unwrap();
    let read = || {
        let image = Image::open(&made.image).unwrap();
        let mut problems = Problems::new();
        let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
        (Collect::all(&ext, &mut problems).files.len(), problems.count("damaged"))
    };
    assert_eq!(read(), (301, 0));
    for group in 1..groups {
        file.write_all_at(&table, descriptors + group * 32 + 8).unwrap();
    }
    // All files are in the first group.
    assert_eq!(read(), (301, groups - 1));
}

#[test]
fn a_newer_superblock_that_its_checksum_confirms_is_not_damaged() {
    let made = small::ext(&["-t", "ext4", "-b", "1024", "-O", "metadata_csum"], 24 << 20);
    let file = std::fs::OpenOptions::new().read(true).write(true).open(&made.image).unwrap();
    let mut bytes = [0; 1024];
    file.read_exact_at(&mut bytes, 1024).unwrap();
    bytes[0x63] |= 0x40;
    file.write_all_at(&bytes, 1024).unwrap();
    let image = Image::open(&made.image).unwrap();
    let open = |problems: &mut Problems| Ext::open(&image, problems).map(|found| found.is_some());
    let mut problems = Problems::new();
    assert_eq!((open(&mut problems).ok(), problems.count("damaged")), (Some(true), 1), "the bit was flipped");
    let checksum = !crc32c::crc32c(&bytes[..0x3FC]);
    file.write_all_at(&checksum.to_le_bytes(), 1024 + 0x3FC).unwrap();
    assert_eq!(open(&mut Problems::new()).unwrap_err().code, "job.unknown_features");
}
