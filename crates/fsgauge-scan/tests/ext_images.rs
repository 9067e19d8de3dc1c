//! ext2, ext3 and ext4 images that mke2fs made and the kernel filled: every extent as filefrag saw it while they were
//! mounted, every free block as dumpe2fs and e2freefrag see it, and every block of the device accounted for once.

use fsgauge_scan::{Ext, Image, Kinds, OnDisk, Problems};

use crate::support::{Collect, Made, Mounted, by_filefrag, can_mount, fill, joined, make, run};

/// Fills an image of a kind, then compares all that was read.
fn exact(mkfs: &[&str], size_bytes: u64, mount: &str, name: &str, block: u64) {
    if !can_mount() {
        return;
    }
    let made = make("mke2fs", &[&["-q", "-F"], mkfs].concat(), size_bytes);
    let by_filefrag = {
        let mounted = Mounted::new(&made, mount);
        fill(mounted.path(), block, 600);
        by_filefrag(mounted.path(), block)
    };
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
    let found = Collect::all(&ext, &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    let info = ext.info();
    assert_eq!((info.file_system.as_str(), u64::from(info.block_size_bytes)), (name, block));
    assert_eq!(info.notes, []);

    assert!(by_filefrag.len() > 250);
    let inodes: Vec<&u64> = by_filefrag.keys().collect();
    assert_eq!(found.files.keys().collect::<Vec<_>>(), inodes);
    let mut most = 0;
    for (inode, (path, extents)) in &by_filefrag {
        let on_device: Vec<_> =
            found.files[inode].1.iter().filter(|e| !e.kinds.has(Kinds::INLINE)).copied().collect();
        assert_eq!(&joined(&on_device), extents, "{path:?}, inode {inode}");
        most = most.max(extents.len());
    }
    assert!(most >= 600, "{most}");

    let free = found.free(block);
    let cluster_blocks = if mkfs.contains(&"bigalloc") { 4 } else { 1 };
    assert_eq!(free, by_dumpe2fs(&made, cluster_blocks));
    let blocks = free.iter().map(|run| run.1).sum::<u64>();
    // e2freefrag 1.47 takes bits for blocks where they are clusters.
    if cluster_blocks == 1 {
        assert_eq!((free.len() as u64, blocks), by_e2freefrag(&made));
    }
    assert_eq!(info.free_bytes, Some(blocks * block));

    let (gaps, overlaps) = found.gaps_and_overlaps(info.size_bytes);
    assert_eq!(overlaps, []);
    // The rest of a cluster that is used in part belongs to nobody.
    if cluster_blocks == 1 {
        assert_eq!(gaps, []);
    }

    let wanted: Vec<u64> = by_filefrag.keys().copied().collect();
    let names = ext.names(&wanted, &|| false, &mut problems);
    let root = made.folder.path().join("mnt");
    for (inode, (path, _)) in &by_filefrag {
        let relative = path.strip_prefix(&root).unwrap();
        let linked_twice = relative.ends_with("sparse") || relative.ends_with("again");
        match names.get(inode) {
            Some(name) if !linked_twice => assert_eq!(name.strip_prefix("/").unwrap(), relative),
            Some(_) => {}
            None => panic!("{path:?}, inode {inode} has no name"),
        }
    }
}

/// The free runs that dumpe2fs lists for each group, joined across groups, in blocks.
///
/// It gives the first block of the last cluster as the last.
fn by_dumpe2fs(made: &Made, cluster_blocks: u64) -> Vec<(u64, u64)> {
    let text = run("dumpe2fs", &[made.image.to_str().unwrap()]);
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("  Free blocks: ")) {
        for range in line.split(',').map(str::trim).filter(|range| !range.is_empty()) {
            let mut ends = range.split('-').map(|end| end.parse::<u64>().unwrap());
            let start = ends.next().unwrap();
            let end = ends.next().unwrap_or(start) + cluster_blocks;
            match runs.last_mut() {
                Some(last) if last.0 + last.1 == start => last.1 += end - start,
                _ => runs.push((start, end - start)),
            }
        }
    }
    assert!(!runs.is_empty());
    runs
}

/// Free extents and free blocks by the histogram of e2freefrag.
fn by_e2freefrag(made: &Made) -> (u64, u64) {
    let text = run("e2freefrag", &[made.image.to_str().unwrap()]);
    let (mut extents, mut blocks) = (0, 0);
    for line in text.lines().filter(|line| line.contains("...") && line.contains('%')) {
        let (_, counts) = line.split_once(':').unwrap();
        let mut counts = counts.split_whitespace().flat_map(str::parse::<u64>);
        let parts = [counts.next().unwrap(), counts.next().unwrap()];
        extents += parts[0];
        blocks += parts[1];
    }
    (extents, blocks)
}

const MIB: u64 = 1 << 20;

#[test]
fn ext2_with_blocks_of_1_kib() {
    exact(&["-t", "ext2", "-b", "1024"], 96 * MIB, "", "ext2", 1024);
}

#[test]
fn ext2_without_any_feature() {
    exact(&["-t", "ext2", "-b", "4096", "-O", "none"], 300 * MIB, "", "ext2", 4096);
}

#[test]
fn ext3_with_blocks_of_1_kib() {
    exact(&["-t", "ext3", "-b", "1024"], 96 * MIB, "", "ext3", 1024);
}

#[test]
fn ext3_with_blocks_of_4_kib() {
    exact(&["-t", "ext3", "-b", "4096", "-I", "128"], 300 * MIB, "", "ext3", 4096);
}

#[test]
fn ext4_as_it_is_made() {
    exact(&["-t", "ext4"], 600 * MIB, "", "ext4", 4096);
}

#[test]
fn ext4_with_blocks_of_1_kib_and_trees_of_two_levels() {
    exact(&["-t", "ext4", "-b", "1024"], 96 * MIB, "", "ext4", 1024);
}

#[test]
fn ext4_with_many_small_groups() {
    exact(&["-t", "ext4", "-b", "2048", "-g", "1024", "-I", "512"], 128 * MIB, "", "ext4", 2048);
}

#[test]
fn ext4_without_64bit_and_flex_bg() {
    exact(&["-t", "ext4", "-b", "4096", "-O", "^64bit,^flex_bg"], 600 * MIB, "", "ext4", 4096);
}

#[test]
fn ext4_without_checksums() {
    exact(&["-t", "ext4", "-b", "4096", "-O", "^metadata_csum,^uninit_bg"], 300 * MIB, "", "ext4", 4096);
}

#[test]
fn ext4_with_meta_bg() {
    exact(&["-t", "ext4", "-b", "1024", "-O", "meta_bg,^resize_inode"], 300 * MIB, "", "ext4", 1024);
}

#[test]
fn ext4_with_sparse_super2_and_orphan_file() {
    let features = "sparse_super2,^resize_inode,orphan_file";
    exact(&["-t", "ext4", "-b", "4096", "-O", features], 600 * MIB, "", "ext4", 4096);
}

#[test]
fn ext4_with_inline_data() {
    exact(&["-t", "ext4", "-b", "4096", "-I", "256", "-O", "inline_data"], 300 * MIB, "", "ext4", 4096);
}

#[test]
fn ext4_with_mmp() {
    exact(&["-t", "ext4", "-b", "4096", "-O", "mmp"], 300 * MIB, "", "ext4", 4096);
}

#[test]
fn ext4_with_clusters() {
    exact(&["-t", "ext4", "-b", "4096", "-C", "16384", "-O", "bigalloc"], 600 * MIB, "", "ext4", 4096);
}

/// Blocks that the kernel does not mount, filled by mke2fs; every block accounted for, and free space by dumpe2fs.
#[test]
fn ext4_with_blocks_of_64_kib() {
    let source = tempfile::tempdir().unwrap();
    std::fs::create_dir(source.path().join("folder")).unwrap();
    for number in 0..300 {
        let path = source.path().join(format!("folder/file-{number}"));
        std::fs::write(path, vec![1; number * 700]).unwrap();
    }
    let folder = source.path().to_str().unwrap();
    let made = make("mke2fs", &["-q", "-F", "-t", "ext4", "-b", "65536", "-d", folder], 600 * MIB);
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
    let found = Collect::all(&ext, &mut problems);
    let inodes: Vec<u64> = found.files.keys().copied().collect();
    let names = ext.names(&inodes, &|| false, &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(found.free(65536), by_dumpe2fs(&made, 1));
    assert_eq!(found.gaps_and_overlaps(ext.info().size_bytes), (vec![], vec![]));
    assert_eq!(names.len(), 300);
    for (inode, (size, _)) in &found.files {
        assert!(names[inode].ends_with(format!("folder/file-{}", size / 700)));
    }
}

#[test]
fn an_image_taken_while_mounted_is_noted_and_read() {
    if !can_mount() {
        return;
    }
    for (kind, name) in [("ext2", "ext2"), ("ext3", "ext3"), ("ext4", "ext4")] {
        let made = make("mke2fs", &["-q", "-F", "-t", kind, "-b", "4096"], 100 * MIB);
        let copy = made.folder.path().join("copy");
        {
            let mounted = Mounted::new(&made, "");
            std::fs::write(mounted.path().join("file"), b"data").unwrap();
            run("sync", &["-f", mounted.path().to_str().unwrap()]);
            run("cp", &["--sparse=always", made.image.to_str().unwrap(), copy.to_str().unwrap()]);
        }
        let note = if kind == "ext2" { "scan.not_written" } else { "scan.not_clean" };
        for (path, expected) in [(&copy, vec![note.to_owned()]), (&made.image, vec![])] {
            let image = Image::open(path).unwrap();
            let mut problems = Problems::new();
            let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
            let info = ext.info();
            assert_eq!(info.file_system, name);
            assert_eq!(info.notes.into_iter().map(|note| note.code).collect::<Vec<_>>(), expected, "{kind}");
            Collect::all(&ext, &mut problems);
            assert!(problems.is_empty(), "{problems:?}");
        }
    }
}

#[test]
fn inline_and_encrypted_files_are_told_apart() {
    let source = tempfile::tempdir().unwrap();
    std::fs::write(source.path().join("tiny"), b"tiny").unwrap();
    std::fs::write(source.path().join("large"), vec![1; 10_000]).unwrap();
    let folder = source.path().to_str().unwrap();
    let made = make(
        "mke2fs",
        &["-q", "-F", "-t", "ext4", "-O", "inline_data,encrypt", "-b", "4096", "-d", folder],
        100 * MIB,
    );
    let image = Image::open(&made.image).unwrap();
    let read = || {
        let mut problems = Problems::new();
        let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
        let found = Collect::all(&ext, &mut problems);
        assert!(problems.is_empty(), "{problems:?}");
        found.files.into_values().collect::<Vec<_>>()
    };
    let kinds = |files: &[(u64, Vec<fsgauge_scan::Extent>)], size: u64| {
        let file = files.iter().find(|file| file.0 == size).unwrap();
        file.1.iter().map(|extent| (extent.kinds, extent.length_bytes)).collect::<Vec<_>>()
    };
    let files = read();
    assert_eq!(kinds(&files, 4), [(Kinds::INLINE, 4)]);
    assert_eq!(kinds(&files, 10_000), [(Kinds::default(), 12288)]);
    // Extents and encrypted.
    run("debugfs", &["-w", "-R", "sif /large flags 0x80800", made.image.to_str().unwrap()]);
    assert_eq!(kinds(&read(), 10_000), [(Kinds::ENCRYPTED, 12288)]);
}
