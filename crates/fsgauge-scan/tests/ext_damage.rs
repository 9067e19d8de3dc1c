//! Damaged and truncated ext images: nothing crashes, hangs or grows, and what is whole is still read.
//!
//! The images are made by mke2fs and debugfs, which need no root.

mod support;

use fsgauge_scan::{Ext, Image, OnDisk, Problems};
use support::damage::{Cases, damage};
use support::{Collect, Made, run, small};

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
