//! An image file whose superblock is destroyed is scanned as the file that it is, and said to be an image.

use std::fs::OpenOptions;
use std::os::unix::fs::FileExt;
use std::path::Path;

use fsgauge_wire::ScanProblem;

use crate::mounts::{job, scan};
use crate::support::{Made, small};

const MIB: u64 = 1 << 20;

/// The problems of a scan of the file, without those that the file system it lies on has.
fn lost(path: &Path) -> Vec<ScanProblem> {
    let result = scan(&job(path)).unwrap();
    assert_eq!(result.counts.files, 1, "only the file itself was scanned");
    result.problems.into_iter().filter(|problem| problem.code == "lost_superblock").collect()
}

/// Overwrites the beginning, and tells how the image is spoken of then.
fn destroyed(made: &Made, from: u64, bytes: usize) -> String {
    let file = OpenOptions::new().write(true).open(&made.image).unwrap();
    file.write_all_at(&vec![0xA7; bytes], from).unwrap();
    let mut problems = lost(&made.image);
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems.remove(0).examples.remove(0)
}

#[test]
fn ext_images_are_known_by_the_copy_of_group_1() {
    for (block, copy) in [("1024", 8193 * 1024), ("2048", 16384 * 2048), ("4096", 32768 * 4096)] {
        let made = small::ext(&["-t", "ext4", "-b", block, "-N", "1024"], 200 * MIB);
        let said = destroyed(&made, 0, 4096);
        let start = format!("there is a copy of a superblock of ext4 at byte {copy}: e2fsck -n -b ");
        assert!(said.starts_with(&start), "{said}");
    }
}

#[test]
fn btrfs_images_are_known_by_their_mirror() {
    let made = small::btrfs(&[], 150 * MIB);
    let said = destroyed(&made, 64 << 10, 4096);
    assert!(said.starts_with("there is a copy of a superblock of btrfs at byte 67108864: "), "{said}");
}

#[test]
fn xfs_images_are_known_by_their_second_group() {
    for (arguments, copy) in
        [(&["-d", "agcount=4"][..], 80 * MIB), (&["-b", "size=1024", "-d", "agcount=3"], 111_848_448)]
    {
        let said = destroyed(&small::xfs(arguments), 0, 4096);
        assert!(
            said.starts_with(&format!("there is a copy of a superblock of xfs at byte {copy}: ")),
            "{said}"
        );
    }
}

#[test]
fn other_files_are_not_said_to_be_images() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(scan(&job(file.path())).unwrap_err().what.ends_with("is empty: it has 0 bytes"));
    for size in [1, 200 * MIB] {
        file.as_file().set_len(size).unwrap();
        assert_eq!(lost(file.path()), []);
    }
    file.as_file().write_all_at(b"XFSB", 50 * MIB).unwrap();
    file.as_file().write_all_at(&[0x53, 0xEF], 128 * MIB + 0x38).unwrap();
    file.as_file().write_all_at(b"_BHRfS_M", 64 * MIB + 0x40).unwrap();
    assert_eq!(lost(file.path()), [], "a magic number alone is none");
}
