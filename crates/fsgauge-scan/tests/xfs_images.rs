//! XFS images that mkfs.xfs made and the kernel filled: every extent as filefrag saw it while they were mounted, every
//! free extent as xfs_db sees it, and every block of the device accounted for once.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;

use fsgauge_scan::{Image, Kinds, OnDisk, PieceKind, Problems, Xfs};
use rustix::fs::{FallocateFlags, fallocate};

use crate::support::{Collect, Made, Mounted, Row, by_filefrag, can_mount, fill, joined, make, run};

const MIB: u64 = 1 << 20;

type Files = BTreeMap<u64, (PathBuf, Vec<Row>)>;

/// Makes and fills an image of a kind; what filefrag says of it.
fn filled(mkfs: &[&str], size_bytes: u64, block: u64, more: impl FnOnce(&std::path::Path)) -> (Made, Files) {
    let made = make("mkfs.xfs", &[&["-q"], mkfs].concat(), size_bytes);
    let mounted = Mounted::new(&made, "nouuid");
    fill(mounted.path(), block, 3000);
    more(mounted.path());
    run("sync", &["-f", mounted.path().to_str().unwrap()]);
    let files = by_filefrag(mounted.path(), block);
    (made, files)
}

/// Compares all that was read from an image.
fn exact(made: &Made, by_filefrag: &Files, block: u64) -> Collect {
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
    let found = Collect::all(&xfs, &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    let info = xfs.info();
    assert_eq!((info.file_system.as_str(), u64::from(info.block_size_bytes)), ("xfs", block));
    assert_eq!(info.notes, []);
    assert_eq!(info.groups.iter().map(|group| group.size_bytes).sum::<u64>(), info.size_bytes);

    let inodes: Vec<&u64> = by_filefrag.keys().collect();
    assert_eq!(found.files.keys().collect::<Vec<_>>(), inodes);
    let mut most = 0;
    for (inode, (path, extents)) in by_filefrag {
        assert_eq!(&joined(&found.files[inode].1), extents, "{path:?}, inode {inode}");
        most = most.max(extents.len());
    }
    assert!(most >= 3000, "{most}");

    // xfs_db counts regular files' extents as they stand in the inodes.
    let raw: usize = found.files.values().map(|file| file.1.len()).sum();
    let text = run("xfs_db", &["-r", "-c", "frag -f", made.image.to_str().unwrap()]);
    let actual = text.split("actual ").nth(1).unwrap().split(',').next().unwrap();
    assert_eq!(actual.parse::<usize>().unwrap(), raw, "{text}");

    // It takes the blocks kept for trees to grow as free, one by one.
    let metadata: Vec<_> = found.pieces.iter().filter(|p| p.kind == PieceKind::Metadata).collect();
    let is_kept = |start: u64| metadata.iter().any(|p| p.offset_bytes == start * block);
    let mut by_xfs_db = free_by_xfs_db(made, info.groups[0].size_bytes / block);
    let all = by_xfs_db.len();
    by_xfs_db.retain(|&(start, length)| length > 1 || !is_kept(start));
    assert!(all > by_xfs_db.len());
    let mut free = found.free(block);
    free.sort_unstable();
    assert_eq!(free, by_xfs_db);

    let (gaps, overlaps) = found.gaps_and_overlaps(info.size_bytes);
    assert_eq!(overlaps, []);
    assert_eq!(gaps, []);

    let wanted: Vec<u64> = by_filefrag.keys().copied().collect();
    let names = xfs.names(&wanted, &|| false, &mut problems);
    let root = made.folder.path().join("mnt");
    for (inode, (path, _)) in by_filefrag {
        let relative = path.strip_prefix(&root).unwrap();
        let linked_twice = relative.ends_with("sparse") || relative.ends_with("again");
        match names.get(inode) {
            Some(name) if !linked_twice => assert_eq!(name.strip_prefix("/").unwrap(), relative),
            Some(_) => {}
            None => panic!("{path:?}, inode {inode} has no name"),
        }
    }
    assert!(problems.is_empty(), "{problems:?}");
    found
}

/// Free extents as xfs_db lists them, in blocks of the device, ascending.
fn free_by_xfs_db(made: &Made, group_blocks: u64) -> Vec<(u64, u64)> {
    let text = run("xfs_db", &["-r", "-c", "freesp -d", made.image.to_str().unwrap()]);
    let mut all: Vec<(u64, u64)> = text
        .lines()
        .filter_map(|line| {
            let numbers: Result<Vec<u64>, _> = line.split_whitespace().map(str::parse).collect();
            match numbers.ok()?.as_slice() {
                &[group, start, length] => Some((group * group_blocks + start, length)),
                _ => None,
            }
        })
        .collect();
    all.sort_unstable();
    all
}

fn is_exact(mkfs: &[&str], size_bytes: u64, block: u64) {
    if can_mount() {
        let (made, files) = filled(mkfs, size_bytes, block, |_| ());
        exact(&made, &files, block);
    }
}

#[test]
fn xfs_as_it_is_made() {
    is_exact(&[], 400 * MIB, 4096);
}

#[test]
fn xfs_with_blocks_of_1_kib_and_large_folder_blocks() {
    is_exact(&["-b", "size=1024", "-n", "size=8192", "-d", "agcount=6"], 500 * MIB, 1024);
}

#[test]
fn xfs_with_all_trees() {
    is_exact(
        &["-m", "rmapbt=1,reflink=1,inobtcount=1,bigtime=1", "-i", "size=1024,nrext64=1", "-s", "size=4096"],
        500 * MIB,
        4096,
    );
}

#[test]
fn xfs_without_any_later_feature() {
    is_exact(&["-m", "reflink=0,finobt=0,bigtime=0", "-i", "sparse=0"], 400 * MIB, 4096);
}

/// What kernels do not mount (version 4, large blocks), filled by mkfs.xfs itself; extents as xfs_db shows them.
fn by_prototype(mkfs: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let prototype = folder.path().join("prototype");
    let mut text = String::from("/\n0 0\nd--755 0 0\n");
    for number in 0..300 {
        let path = folder.path().join(format!("file{number}"));
        std::fs::write(&path, vec![7; number * number * 31 % 50_000]).unwrap();
        if number == 100 {
            text += "folder d--755 0 0\n";
        }
        text += &format!("name-that-is-long-{number} ---644 0 0 {}\n", path.display());
    }
    text += "$\n$\n";
    std::fs::write(&prototype, text).unwrap();
    let arguments = [&["-q", "-p", prototype.to_str().unwrap()], mkfs].concat();
    let made = make("mkfs.xfs", &arguments, 400 * MIB);

    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
    let found = Collect::all(&xfs, &mut problems);
    assert_eq!((found.files.len(), xfs.info().notes), (300, vec![]));
    let block = u64::from(xfs.info().block_size_bytes);
    let inodes: Vec<u64> = found.files.keys().copied().collect();
    let names = xfs.names(&inodes, &|| false, &mut problems);
    let (gaps, overlaps) = found.gaps_and_overlaps(xfs.info().size_bytes);
    assert_eq!((gaps, overlaps), (vec![], vec![]));
    assert!(problems.is_empty(), "{problems:?}");
    for (inode, (size, extents)) in &found.files {
        let name = names[inode].file_name().unwrap().to_str().unwrap();
        let number: u64 = name.rsplit('-').next().unwrap().parse().unwrap();
        assert_eq!(*size, number * number * 31 % 50_000);
        assert_eq!(names[inode].starts_with("/folder"), number >= 100);
        // "data offset 0 startblock 12 (0/12) count 3 flag 0"
        let arguments = ["-r", "-c", &format!("inode {inode}"), "-c", "bmap", made.image.to_str().unwrap()];
        let by_xfs_db: Vec<u64> = run("xfs_db", &arguments)
            .lines()
            .map(|line| {
                line.split("count ").nth(1).unwrap().split(' ').next().unwrap().parse::<u64>().unwrap()
            })
            .collect();
        let lengths: Vec<u64> = extents.iter().map(|extent| extent.length_bytes / block).collect();
        assert_eq!(lengths, by_xfs_db, "{name}");
    }
}

#[test]
fn xfs_version_4_is_read_without_the_kernel() {
    by_prototype(&["-m", "crc=0", "-d", "agcount=6"]);
}

#[test]
fn xfs_version_4_without_types_of_entries() {
    by_prototype(&["-m", "crc=0", "-n", "ftype=0", "-b", "size=2048"]);
}

#[test]
fn xfs_with_blocks_of_64_kib() {
    by_prototype(&["-b", "size=65536", "-i", "size=256", "-m", "crc=0"]);
    by_prototype(&["-b", "size=65536"]);
}

/// Free space in pieces too short for a chunk of inodes makes the kernel use parts of chunks.
#[test]
fn xfs_with_sparse_inodes() {
    if !can_mount() {
        return;
    }
    let (made, files) = filled(&["-d", "agcount=2"], 320 * MIB, 4096, |root| {
        // Without it the kernel keeps 32 MiB, in which whole chunks fit.
        run("xfs_io", &["-x", "-c", "resblks 1", root.to_str().unwrap()]);
        let all = File::create(root.join("all")).unwrap();
        let (mut at, mut step) = (0, 16 * MIB);
        while step >= 4096 {
            match fallocate(&all, FallocateFlags::empty(), at, step) {
                Ok(()) => at += step,
                Err(_) => step /= 2,
            }
        }
        // Seven blocks of every sixteen become free: less than the eight of a chunk.
        for hole in (0..at).step_by(16 * 4096).take(1500) {
            let punch = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            fallocate(&all, punch, hole, 7 * 4096).unwrap();
        }
        run("sync", &["-f", root.to_str().unwrap()]);
        std::fs::create_dir(root.join("new")).unwrap();
        for number in 0..1500 {
            std::fs::write(root.join(format!("new/{number}")), b"").unwrap();
        }
    });
    let found = exact(&made, &files, 4096);
    let short = found.pieces.iter().filter(|p| p.kind == PieceKind::Metadata && p.length_bytes == 4 * 4096);
    assert!(short.count() > 10, "no chunk was sparse");
}

#[test]
fn an_image_taken_while_mounted_is_noted_and_read() {
    if !can_mount() {
        return;
    }
    let made = make("mkfs.xfs", &["-q"], 320 * MIB);
    let copy = made.folder.path().join("copy");
    {
        let mounted = Mounted::new(&made, "nouuid");
        std::fs::write(mounted.path().join("file"), b"data").unwrap();
        run("sync", &["-f", mounted.path().to_str().unwrap()]);
        run("cp", &["--sparse=always", made.image.to_str().unwrap(), copy.to_str().unwrap()]);
    }
    for (path, notes) in [(&copy, 1), (&made.image, 0)] {
        let image = Image::open(path).unwrap();
        let mut problems = Problems::new();
        let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
        let found = xfs.info().notes;
        assert_eq!(found.iter().filter(|note| note.code == "scan.not_clean").count(), notes, "{path:?}");
        Collect::all(&xfs, &mut problems);
    }
}

/// A whole copy, a copy that was partly written since, a copy of a file in many pieces, and a file that shares with itself.
#[test]
fn shared_blocks_are_those_that_the_kernel_shows() {
    if !can_mount() {
        return;
    }
    let (made, files) = filled(&["-m", "reflink=1", "-d", "agcount=3"], 400 * MIB, 4096, |root| {
        let path = |name: &str| root.join(name).to_str().unwrap().to_owned();
        for (from, to) in [("many/folders deep/down/large", "copy"), ("sparse", "pieces")] {
            run("cp", &["--reflink=always", &path(from), &path(to)]);
        }
        run("cp", &["--reflink=always", &path("copy"), &path("written since")]);
        use std::os::unix::fs::FileExt;
        let written = File::options().write(true).open(root.join("written since")).unwrap();
        for place in [100_000, 1_000_000, 1_500_000] {
            written.write_all_at(&[9; 30_000], place).unwrap();
        }
        run("xfs_io", &["-f", "-c", "pwrite -q 0 409600", "-c", "fsync", &path("own")]);
        run("xfs_io", &["-c", &format!("reflink {} 0 8388608 409600", path("own")), &path("own")]);
        std::fs::remove_file(root.join("copy")).unwrap();
    });
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
    let found = Collect::all(&xfs, &mut problems);
    assert!(problems.is_empty(), "{problems:?}");
    let mut shared = 0;
    for (inode, (path, extents)) in &files {
        assert_eq!(&joined(&found.files[inode].1), extents, "{path:?}");
        shared += extents.iter().filter(|extent| extent.3 & Kinds::SHARED.0 != 0).count();
    }
    assert!(shared > 100, "{shared}");
    let (gaps, _) = found.gaps_and_overlaps(xfs.info().size_bytes);
    assert_eq!(gaps, []);
}

#[test]
fn parts_read_by_threads_are_the_whole() {
    if !can_mount() {
        return;
    }
    let (made, files) = filled(&["-d", "agcount=3"], 400 * MIB, 4096, |_| ());
    let image = Image::open(&made.image).unwrap();
    let mut problems = Problems::new();
    let xfs = Xfs::open(&image, &mut problems).unwrap().unwrap();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let read = || {
        let (mut found, mut problems) = (Collect::default(), Problems::new());
        loop {
            let part = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if part >= xfs.file_parts() {
                return (found, problems);
            }
            xfs.read_files(part, &mut found, &|| false, &mut problems);
        }
    };
    let mut all = BTreeMap::new();
    std::thread::scope(|scope| {
        for thread in [0; 3].map(|_| scope.spawn(read)) {
            let (found, problems) = thread.join().unwrap();
            assert!(problems.is_empty(), "{problems:?}");
            for (inode, file) in found.files {
                assert!(all.insert(inode, joined(&file.1)).is_none(), "inode {inode} twice");
            }
        }
    });
    assert_eq!(all, files.into_iter().map(|(inode, (_, extents))| (inode, extents)).collect());
}
