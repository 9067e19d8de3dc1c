//! btrfs images that mkfs.btrfs made and the kernel filled: every extent as filefrag saw it while they were mounted,
//! every free piece as the trees of extents and of free space have it, every byte of the device accounted for.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};

use fsgauge_scan::{Btrfs, Extent, Image, Kinds, OnDisk, PieceKind, Problems};

use crate::support::btrfs::{Chunk, after, chunks_by_dump, dump, key};
use crate::support::{Collect, Made, Mounted, can_mount, fill, joined, make, run};

const MIB: u64 = 1 << 20;
const BLOCK: u64 = 4096;

/// A raw extent by FIEMAP: logical and physical begin, length, and the words that filefrag has for its flags.
type Flagged = (u64, u64, u64, BTreeSet<&'static str>);

/// Free pieces on the device as the kernel's tree of free space has them; bitmaps are counted only.
struct FreeByTree {
    pieces: Vec<(u64, u64)>,
    /// Pieces of each data chunk by its FREE_SPACE_INFO, and whether bitmaps tell where.
    counts: BTreeMap<u64, (u64, bool)>,
}

fn free_by_tree(made: &Made, chunks: &[Chunk]) -> FreeByTree {
    let mut free = FreeByTree { pieces: Vec::new(), counts: BTreeMap::new() };
    let data = |address: u64| {
        // mkfs.btrfs leaves the chunks of its first steps in this tree.
        let chunk = chunks.iter().find(|c| (c.address..c.address + c.length).contains(&address))?;
        chunk.holds_data().then(|| chunk.copies[0] + (address - chunk.address))
    };
    let mut group = None;
    for line in dump(made, "10").lines() {
        if let Some((object, _)) = key(line, "FREE_SPACE_INFO") {
            group = data(object.parse().unwrap());
        } else if let (Some(place), true) = (group, line.contains("free space info extent count")) {
            free.counts.insert(place, (after(line, "extent count"), after(line, "flags") & 1 == 1));
        } else if let Some((object, length)) = key(line, "FREE_SPACE_EXTENT") {
            free.pieces.extend(data(object.parse().unwrap()).map(|at| (at, length.parse().unwrap())));
        }
    }
    free.pieces.sort_unstable();
    free
}

/// Free pieces of data chunks: what the tree of extents leaves.
fn free_by_extents(made: &Made, chunks: &[Chunk]) -> Vec<(u64, u64)> {
    let superblock = run("btrfs", &["inspect-internal", "dump-super", made.image.to_str().unwrap()]);
    let node_size = after(superblock.lines().find(|line| line.starts_with("nodesize")).unwrap(), "nodesize");
    let mut extents: Vec<(u64, u64)> = Vec::new();
    for line in dump(made, "extent").lines() {
        let plain = key(line, "EXTENT_ITEM").map(|(object, length)| (object, length.parse().unwrap()));
        let metadata = key(line, "METADATA_ITEM").map(|(object, _)| (object, node_size));
        extents.extend(plain.or(metadata).map(|(object, length)| (object.parse::<u64>().unwrap(), length)));
    }
    let mut free = Vec::new();
    for chunk in chunks.iter().filter(|chunk| chunk.holds_data()) {
        let mut at = chunk.address;
        let end = chunk.address + chunk.length;
        let inside = extents.iter().filter(|extent| (at..end).contains(&extent.0)).copied();
        for (begin, length) in inside.collect::<Vec<_>>().into_iter().chain([(end, 0)]) {
            if begin > at {
                free.push((chunk.copies[0] + (at - chunk.address), begin - at));
            }
            at = begin + length;
        }
    }
    free.sort_unstable();
    free
}

/// Takes the copies of the superblock out of free pieces, as the kernel's allocator does.
fn without_superblocks(free: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let (begin, end) = (64 * MIB, 64 * MIB + 65536);
    let mut kept = Vec::new();
    for &(at, length) in free {
        let parts = [(at, (at + length).min(begin)), (at.max(end), at + length)];
        kept.extend(parts.into_iter().filter(|part| part.0 < part.1).map(|part| (part.0, part.1 - part.0)));
    }
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// `filefrag -v` of one file, on the device by `chunks`.
fn filefrag(path: &Path, chunks: &[Chunk]) -> Vec<Flagged> {
    let text = run("filefrag", &["-v", "-b1", path.to_str().unwrap()]);
    let mut extents = Vec::new();
    for line in text.lines() {
        let parts: Vec<&str> = line.split(':').map(str::trim).collect();
        if parts.len() < 5 || parts[0].parse::<u64>().is_err() {
            continue;
        }
        let first = |range: &str| range.split("..").next().unwrap().trim().parse::<u64>().unwrap();
        let words = ["unwritten", "inline", "encoded", "shared"].into_iter();
        let flags: BTreeSet<_> = words.filter(|word| parts.last().unwrap().contains(word)).collect();
        let address = first(parts[2]);
        let place = match chunks.iter().find(|c| (c.address..c.address + c.length).contains(&address)) {
            Some(chunk) if !flags.contains("inline") => chunk.copies[0] + (address - chunk.address),
            _ => 0,
        };
        extents.push((first(parts[1]), place, parts[3].parse().unwrap(), flags));
    }
    extents
}

/// Extents as filefrag has them: FIEMAP joins those that touch and have the same flags.
fn as_filefrag(extents: &[Extent]) -> Vec<Flagged> {
    let mut all: Vec<Flagged> = Vec::new();
    for extent in extents {
        let words = [
            ("unwritten", Kinds::UNWRITTEN),
            ("inline", Kinds::INLINE),
            ("encoded", Kinds::COMPRESSED),
            ("shared", Kinds::SHARED),
        ];
        let flags: BTreeSet<_> =
            words.into_iter().filter(|(_, kind)| extent.kinds.has(*kind)).map(|word| word.0).collect();
        match all.last_mut() {
            Some(last)
                if last.0 + last.2 == extent.logical_bytes
                    && last.1 + last.2 == extent.physical_bytes
                    && last.3 == flags =>
            {
                last.2 += extent.length_bytes;
            }
            // FIEMAP rounds inline extents up to blocks.
            _ if extent.kinds.has(Kinds::INLINE) => {
                all.push((extent.logical_bytes, 0, extent.length_bytes.next_multiple_of(BLOCK), flags));
            }
            _ => all.push((extent.logical_bytes, extent.physical_bytes, extent.length_bytes, flags)),
        }
    }
    all
}

/// Regular files of all subvolumes below `root`: path from there, and whether another link was met before.
fn regular_files(root: &Path) -> Vec<(PathBuf, bool)> {
    let (mut all, mut folders, mut seen) = (Vec::new(), vec![root.to_owned()], HashSet::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = std::fs::symlink_metadata(&path).unwrap();
            if metadata.is_dir() {
                folders.push(path);
            } else if metadata.is_file() {
                let is_first = seen.insert((metadata.dev(), metadata.ino()));
                all.push((path, metadata.nlink() > 1 || !is_first));
            }
        }
    }
    all
}

/// Files of every kind that only btrfs has.
fn fill_btrfs(root: &Path) {
    let path = |name: &str| root.join(name).to_str().unwrap().to_owned();
    let btrfs = |arguments: &[&str]| run("btrfs", arguments);
    btrfs(&["subvolume", "create", &path("sub volume")]);
    std::fs::create_dir(root.join("sub volume/deep")).unwrap();
    btrfs(&["subvolume", "create", &path("sub volume/deep/nested")]);
    for number in 0..300u32 {
        std::fs::write(root.join(format!("sub volume/deep/file {number}")), vec![7; 5000]).unwrap();
        std::fs::write(root.join(format!("sub volume/deep/nested/inline {number}")), b"inline").unwrap();
    }
    // Compressed, with a part written anew in the middle.
    std::fs::create_dir(root.join("packed")).unwrap();
    btrfs(&["property", "set", &path("packed"), "compression", "zstd"]);
    let text = "fsgauge measures what lies where. ".repeat(20_000);
    std::fs::write(root.join("packed/text"), &text).unwrap();
    std::fs::write(root.join("packed/short"), &text[..3000]).unwrap();
    run("sync", &["-f", root.to_str().unwrap()]);
    let packed = File::options().write(true).open(root.join("packed/text")).unwrap();
    packed.write_all_at(&[9; 5000], 40_000).unwrap();
    // One extent used by its parts: not shared. Reflinked, wholly and in part: shared.
    let noise: Vec<u8> = (0..2_000_000u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for name in ["split", "origin", "self"] {
        std::fs::write(root.join(name), &noise).unwrap();
    }
    run("sync", &["-f", root.to_str().unwrap()]);
    let split = File::options().write(true).open(root.join("split")).unwrap();
    split.write_all_at(&[1; 8192], 400 * 1024).unwrap();
    run("cp", &["--reflink=always", &path("origin"), &path("sub volume/copy")]);
    run("xfs_io", &["-c", &format!("reflink {} 0 0 65536", path("origin")), "-f", &path("part")]);
    run("xfs_io", &["-c", &format!("reflink {} 0 4194304 65536", path("self")), &path("self")]);
    run("sync", &["-f", root.to_str().unwrap()]);
    // Shared by whole trees, and a part of it written anew on one side.
    btrfs(&["subvolume", "snapshot", &path("sub volume"), &path("snapshot")]);
    btrfs(&["subvolume", "snapshot", "-r", root.to_str().unwrap(), &path("of the top")]);
    std::fs::write(root.join("snapshot/deep/file 7"), vec![8; 50_000]).unwrap();
    std::fs::remove_file(root.join("snapshot/deep/file 8")).unwrap();
    run("sync", &["-f", root.to_str().unwrap()]);
}

/// Fills an image of a kind, then compares all that was read.
fn exact(mkfs: &[&str], size_bytes: u64, mount: &str) -> Option<(Collect, Problems)> {
    if !can_mount() {
        return None;
    }
    let made = make("mkfs.btrfs", &[&["-q"], mkfs].concat(), size_bytes);
    let (files, unallocated) = {
        let mounted = Mounted::new(&made, mount);
        fill(mounted.path(), BLOCK, 300);
        fill_btrfs(mounted.path());
        let chunks = chunks_by_dump(&made);
        let files: Vec<_> = regular_files(mounted.path())
            .into_iter()
            .map(|(path, has_links)| {
                let extents = filefrag(&path, &chunks);
                (path.strip_prefix(mounted.path()).unwrap().to_owned(), has_links, extents)
            })
            .collect();
        let usage = run("btrfs", &["filesystem", "usage", "-b", mounted.path().to_str().unwrap()]);
        let line = usage.lines().find(|line| line.contains("Device unallocated")).unwrap();
        (files, after(line, "unallocated:"))
    };
    let chunks = chunks_by_dump(&made);
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let btrfs = Btrfs::open(&image, &mut problems).unwrap().unwrap();
    let found = Collect::all(&btrfs, &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    same_files(&btrfs, &found, &files);
    same_space(&made, &btrfs, &found, &chunks, unallocated);
    Some((found, problems))
}

fn same_files(btrfs: &Btrfs<'_>, found: &Collect, files: &[(PathBuf, bool, Vec<Flagged>)]) {
    let numbers: Vec<u64> = found.files.keys().copied().collect();
    let mut problems = Problems::new();
    let names = btrfs.names(&numbers, &|| false, &mut problems);
    assert!(problems.is_empty() && names.len() == numbers.len());
    let by_path: BTreeMap<PathBuf, u64> = names
        .into_iter()
        .map(|(number, path)| {
            (path.strip_prefix("/").unwrap_or_else(|_| panic!("{path:?}")).to_owned(), number)
        })
        .collect();
    assert_eq!(by_path.len(), numbers.len(), "two files have one path");
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    let mut compared = HashSet::new();
    for (path, has_links, by_filefrag) in files {
        let Some(number) = by_path.get(path) else {
            assert!(has_links, "{path:?} was not found");
            continue;
        };
        compared.insert(number);
        assert_eq!(&as_filefrag(&found.files[number].1), by_filefrag, "{path:?}");
        for flag in by_filefrag.iter().flat_map(|extent| &extent.3) {
            *kinds.entry(flag).or_default() += 1;
        }
    }
    assert_eq!(compared.len(), numbers.len());
    assert!(kinds.len() == 4 && kinds.values().all(|&count| count > 3), "{kinds:?}");
    assert!(found.files.values().any(|file| joined(&file.1).len() >= 300));
}

fn same_space(made: &Made, btrfs: &Btrfs<'_>, found: &Collect, chunks: &[Chunk], unallocated: u64) {
    let info = btrfs.info();
    assert_eq!((info.file_system.as_str(), info.block_size_bytes), ("btrfs", 4096));
    assert_eq!(info.notes, []);
    let groups: Vec<_> = info.groups.iter().map(|group| (group.offset_bytes, group.size_bytes)).collect();
    let mut expected: Vec<_> = chunks.iter().map(|chunk| (chunk.copies[0], chunk.length)).collect();
    expected.sort_unstable();
    assert_eq!(groups, expected);

    let sum = |kind| found.pieces.iter().filter(|p| p.kind == kind).map(|p| p.length_bytes).sum::<u64>();
    // What is below 1 MiB is not for chunks, and counted as unallocated by the tool.
    assert_eq!(sum(PieceKind::Unallocated) + MIB, unallocated);
    let free: Vec<(u64, u64)> =
        found.free(BLOCK).iter().map(|free| (free.0 * BLOCK, free.1 * BLOCK)).collect();
    let by_extents = without_superblocks(&free_by_extents(made, chunks));
    let differ: Vec<_> = free.iter().zip(&by_extents).filter(|(one, other)| one != other).take(3).collect();
    assert!(
        differ.is_empty() && free.len() == by_extents.len(),
        "{differ:?}, {} {}",
        free.len(),
        by_extents.len()
    );
    assert!(free.len() > 20, "{}", free.len());

    // No byte is claimed twice; what is not claimed is the free part of second copies.
    let pieces = Collect { pieces: found.pieces.clone(), ..Collect::default() };
    let (gaps, overlaps) = pieces.gaps_and_overlaps(info.size_bytes);
    assert_eq!(overlaps, []);
    let of_second_copies = |gap: &(u64, u64)| {
        chunks.iter().any(|c| {
            c.holds_data() && c.copies.iter().skip(1).any(|at| (*at..at + c.length).contains(&gap.0))
        })
    };
    assert!(gaps.iter().all(of_second_copies), "{gaps:?}");

    let superblock = run("btrfs", &["inspect-internal", "dump-super", made.image.to_str().unwrap()]);
    if superblock.contains("FREE_SPACE_TREE_VALID") {
        let by_tree = free_by_tree(made, chunks);
        let raw = free_by_extents(made, chunks);
        for (chunk, (count, is_bitmap)) in &by_tree.counts {
            let length = expected.iter().find(|group| group.0 == *chunk).unwrap().1;
            let inside = |all: &[(u64, u64)]| -> Vec<(u64, u64)> {
                all.iter().filter(|free| (*chunk..chunk + length).contains(&free.0)).copied().collect()
            };
            assert_eq!(inside(&raw).len() as u64, *count, "chunk at {chunk}");
            if !is_bitmap {
                assert_eq!(inside(&raw), inside(&by_tree.pieces));
            }
        }
    }
}

#[test]
fn btrfs_as_it_is_made() {
    exact(&[], 700 * MIB, "");
}

#[test]
fn btrfs_with_small_nodes_and_without_modern_features() {
    let features = ["-O", "^no-holes,^skinny-metadata,^extref", "-R", "^free-space-tree"];
    exact(&[&["--nodesize", "4096", "-m", "single"], &features[..]].concat(), 400 * MIB, "");
}

#[test]
fn btrfs_with_large_nodes() {
    exact(&["--nodesize", "65536"], 700 * MIB, "");
}

#[test]
fn btrfs_with_mixed_groups() {
    exact(&["--mixed"], 300 * MIB, "");
}

#[test]
fn btrfs_with_two_copies_of_data() {
    exact(&["-d", "dup", "-m", "dup"], 800 * MIB, "");
}

/// The second superblock lies in a chunk for data: neither tree knows of it, and no file gets its place.
#[test]
fn btrfs_with_a_superblock_among_its_data() {
    let Some((found, _)) = exact(&["-m", "single"], 1200 * MIB, "") else { return };
    let kept = found.pieces.iter().filter(|piece| piece.offset_bytes == 64 * MIB);
    let kept: Vec<_> = kept.map(|piece| (piece.length_bytes, piece.kind)).collect();
    assert_eq!(kept, [(65536, PieceKind::Metadata)]);
}

#[test]
fn btrfs_that_compresses_everything() {
    exact(&[], 700 * MIB, "compress-force=lzo");
}

#[test]
fn btrfs_with_a_v1_space_cache() {
    exact(&["-R", "^free-space-tree"], 700 * MIB, "space_cache=v1");
}
