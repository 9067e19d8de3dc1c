//! Small images that mke2fs, mkfs.xfs and mkfs.btrfs fill without mounting, and where their metadata lies.

use std::os::unix::fs::FileExt;
use std::path::Path;

use fsgauge_scan::{Ext, Image, PieceKind, Problems, Xfs};

use super::btrfs::{blocks, chunks_by_dump, places_of};
use super::{Collect, Made, Range, joined, make, run};

const MIB: u64 = 1 << 20;

/// A small image with folders, and with files in many pieces, made without mounting.
pub fn ext(arguments: &[&str], size_bytes: u64) -> Made {
    let source = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(source.path().join("a/b/c")).unwrap();
    for number in 0..300 {
        let path = source.path().join(format!("a/file-with-some-name-{number:04}"));
        std::fs::write(path, vec![b'x'; number * 37 % 5000]).unwrap();
    }
    // Holes make pieces: a tree of several levels without any fragmentation.
    let file = std::fs::File::create(source.path().join("a/b/c/holes")).unwrap();
    for number in 0..700 {
        file.write_all_at(b"data", number * 2 * 4096).unwrap();
    }
    let folder = source.path().to_str().unwrap().to_owned();
    make("mke2fs", &[&["-q", "-F", "-d", &folder], arguments].concat(), size_bytes)
}

/// Where the metadata of an image lies: what the reader says, and the superblock.
pub fn ext_places(path: &Path) -> Vec<Range> {
    let image = Image::open(path).unwrap();
    let mut problems = Problems::new();
    let ext = Ext::open(&image, &mut problems).unwrap().unwrap();
    let all = Collect::all(&ext, &mut problems);
    assert!(problems.is_empty() && all.files.len() >= 301, "{problems:?}");
    assert!(all.files.values().any(|file| joined(&file.1).len() >= 700));
    // The journal is not read here, and would be most of it.
    let metadata = all.pieces.iter().filter(|p| p.kind == PieceKind::Metadata);
    let mut places: Vec<Range> =
        metadata.filter(|p| p.length_bytes < 1 << 20).map(|p| (p.offset_bytes, p.length_bytes)).collect();
    // Superblock, first descriptors and first inodes are hit as often as all the others together.
    let special = [(1024, 400), (2048, 64), (4096, 64)].into_iter().cycle().take(places.len() / 2);
    places.extend(special.collect::<Vec<_>>());
    places
}

/// A small image with folders of every form, made without mounting.
pub fn xfs(arguments: &[&str]) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let prototype = folder.path().join("prototype");
    let source = folder.path().join("source");
    std::fs::write(&source, [7; 5000]).unwrap();
    let mut text = String::from("/\n0 0\nd--755 0 0\n");
    for number in 0..400 {
        match number {
            100 => text += "block d--755 0 0\n",
            130 => text += "$\nmany d--755 0 0\n",
            390 => text += "$\nfew d--755 0 0\n",
            _ => {}
        }
        text += &format!("name-that-is-long-{number} ---644 0 0 {}\n", source.display());
    }
    text += "$\n$\n";
    std::fs::write(&prototype, text).unwrap();
    make("mkfs.xfs", &[&["-q", "-p", prototype.to_str().unwrap()], arguments].concat(), 320 * MIB)
}

/// Where the metadata of an image lies, without its log.
pub fn xfs_places(path: &Path) -> Vec<Range> {
    let image = Image::open(path).unwrap();
    let mut problems = Problems::new();
    let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
    let all = Collect::all(&xfs, &mut problems);
    assert!(problems.is_empty() && all.files.len() >= 250, "{problems:?}");
    let metadata = all.pieces.iter().filter(|p| p.kind == PieceKind::Metadata && p.length_bytes < MIB);
    let mut places: Vec<Range> = metadata.map(|p| (p.offset_bytes, p.length_bytes)).collect();
    let sector = 512;
    let headers = [(0, 256), (sector, 100), (2 * sector, 40), (3 * sector, 100)];
    places.extend(headers.into_iter().cycle().take(places.len() / 2).collect::<Vec<_>>());
    places
}

/// An image with folders, inline files, and a file in many pieces: trees of two levels with nodes of 4 KiB.
pub fn btrfs(arguments: &[&str], size_bytes: u64) -> Made {
    let source = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(source.path().join("a/b/c")).unwrap();
    for number in 0..300 {
        let path = source.path().join(format!("a/file-with-some-name-{number:04}"));
        std::fs::write(path, vec![b'x'; number * 37 % 9000]).unwrap();
    }
    let file = std::fs::File::create(source.path().join("a/b/c/large")).unwrap();
    for number in 0..40 {
        file.write_all_at(&[b'd'; 70_000], number * 70_000).unwrap();
    }
    let folder = source.path().to_str().unwrap().to_owned();
    make("mkfs.btrfs", &[&["-q", "-r", &folder], arguments].concat(), size_bytes)
}

/// The first copy of every tree block, by the tool.
fn btrfs_tree_blocks(made: &Made) -> Vec<u64> {
    let text = run("btrfs", &["inspect-internal", "dump-tree", made.image.to_str().unwrap()]);
    let chunks = chunks_by_dump(made);
    let mut addresses = [blocks(&text, "leaf"), blocks(&text, "node")].concat();
    addresses.sort_unstable();
    addresses.dedup();
    addresses.into_iter().map(|address| places_of(address, &chunks)[0]).collect()
}

/// Where headers and keys of tree blocks lie, and the fields of the superblock.
pub fn btrfs_places(made: &Made, node_size: u64) -> Vec<Range> {
    let superblock_at = 64 << 10;
    let blocks = btrfs_tree_blocks(made);
    assert!(blocks.len() > 12, "{blocks:?}");
    let mut places = Vec::new();
    for block in blocks {
        // Headers and keys are at the begin, items at the end.
        places.extend([(block, 200), (block, node_size / 2), (block + node_size / 2, node_size / 2)]);
    }
    let superblock = [(superblock_at + 0x30, 0xA0), (superblock_at + 0x32B, 160)].into_iter().cycle();
    let count = places.len() / 10;
    places.extend(superblock.take(count));
    places
}
