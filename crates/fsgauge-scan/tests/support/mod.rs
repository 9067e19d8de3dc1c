//! What the tests of readers share: images that the kernel filled, and a sink that keeps everything.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]

pub mod btrfs;
pub mod damage;
pub mod fuzz;
pub mod small;

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::Command;

use fsgauge_scan::{Extent, FileExtents, FileName, Kinds, OnDisk, Piece, PieceKind, Problems, Sink};

use crate::mounts::unmount_at_end;

/// Offset and end, or offset and length.
pub type Range = (u64, u64);

/// An extent as filefrag shows it: logical, physical, length in bytes, and whether unwritten or shared.
pub type Row = (u64, u64, u64, u16);

/// Keeps all that a source pours.
#[derive(Default)]
pub struct Collect {
    pub files: BTreeMap<u64, (u64, Vec<Extent>)>,
    pub pieces: Vec<Piece>,
}

impl Sink for Collect {
    fn file(&mut self, file: &FileExtents<'_>) {
        let FileName::Inode(inode) = file.name else { panic!("not an inode") };
        let before = self.files.insert(inode, (file.size_bytes, file.extents.to_vec()));
        assert!(before.is_none(), "inode {inode} twice");
    }

    fn piece(&mut self, piece: &Piece) {
        assert!(piece.length_bytes > 0);
        self.pieces.push(*piece);
    }
}

impl Collect {
    /// Everything that `source` has.
    pub fn all(source: &dyn OnDisk, problems: &mut Problems) -> Collect {
        let mut all = Collect::default();
        source.read(&mut all, &|| false, problems);
        all
    }

    /// Free pieces as offset and length in blocks, in the order in which they came.
    pub fn free(&self, block_size: u64) -> Vec<(u64, u64)> {
        let free = self.pieces.iter().filter(|piece| piece.kind == PieceKind::Free);
        free.map(|piece| (piece.offset_bytes / block_size, piece.length_bytes / block_size)).collect()
    }

    /// Ranges of the device that nobody claims, and those that two claim. All in bytes.
    pub fn gaps_and_overlaps(&self, size_bytes: u64) -> (Vec<Range>, Vec<Range>) {
        let mut ranges: Vec<Range> =
            self.pieces.iter().map(|p| (p.offset_bytes, p.offset_bytes + p.length_bytes)).collect();
        for (_, extents) in self.files.values() {
            let on_device = extents.iter().filter(|extent| !extent.kinds.has(Kinds::INLINE));
            ranges.extend(on_device.map(|e| (e.physical_bytes, e.physical_bytes + e.length_bytes)));
        }
        ranges.sort_unstable();
        let (mut gaps, mut overlaps, mut at) = (Vec::new(), Vec::new(), 0);
        for (start, end) in ranges.into_iter().chain([(size_bytes, size_bytes)]) {
            if start > at {
                gaps.push((at, start));
            }
            if start < at {
                overlaps.push((start, at.min(end)));
            }
            at = at.max(end);
        }
        (gaps, overlaps)
    }
}

/// Extents as filefrag shows them; joined where they touch and are alike.
pub fn joined(extents: &[Extent]) -> Vec<Row> {
    let mut all: Vec<Row> = Vec::new();
    for extent in extents {
        let kinds = extent.kinds.0 & Kinds::UNWRITTEN.with(Kinds::SHARED).0;
        match all.last_mut() {
            Some(last)
                if last.0 + last.2 == extent.logical_bytes
                    && last.1 + last.2 == extent.physical_bytes
                    && last.3 == kinds =>
            {
                last.2 += extent.length_bytes
            }
            _ => all.push((extent.logical_bytes, extent.physical_bytes, extent.length_bytes, kinds)),
        }
    }
    all
}

/// Runs a command that must succeed and returns its standard output.
pub fn run(command: &str, arguments: &[&str]) -> String {
    // Debian keeps these where the path of ordinary users does not look.
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let output = Command::new(command).args(arguments).env("PATH", path).output();
    let output = output.unwrap_or_else(|e| panic!("{command}: {e}; it is in e2fsprogs or xfsprogs"));
    assert!(
        output.status.success(),
        "{command} {arguments:?}: {}{}",
        String::from_utf8_lossy(&output.stderr),
        String::from_utf8_lossy(&output.stdout)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Whether this machine can mount images; says why not.
pub fn can_mount() -> bool {
    let can = rustix::process::geteuid().is_root() && Path::new("/dev/loop-control").exists();
    if !can {
        assert!(
            std::env::var_os("FSGAUGE_TEST_ROOT").is_none_or(|value| value != "1"),
            "FSGAUGE_TEST_ROOT is set, but this is not root"
        );
        eprintln!("skipped: needs root and loop devices; FSGAUGE_TEST_ROOT=1 to force");
    }
    can
}

/// An image file in a folder of its own; both are gone at the end.
pub struct Made {
    pub folder: tempfile::TempDir,
    pub image: PathBuf,
}

/// An empty sparse image, formatted by `mkfs`, whose last argument it is.
pub fn make(mkfs: &str, arguments: &[&str], size_bytes: u64) -> Made {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    File::create(&image).unwrap().set_len(size_bytes).unwrap();
    let mut all = arguments.to_vec();
    all.push(image.to_str().unwrap());
    run(mkfs, &all);
    Made { folder, image }
}

/// A mounted image; unmounted, and its loop detached, at the end.
pub struct Mounted(PathBuf);

impl Mounted {
    pub fn new(made: &Made, options: &str) -> Mounted {
        let point = made.folder.path().join("mnt");
        std::fs::create_dir_all(&point).unwrap();
        let options = if options.is_empty() { "loop".to_owned() } else { format!("loop,{options}") };
        run("mount", &["-o", &options, made.image.to_str().unwrap(), point.to_str().unwrap()]);
        Mounted(point)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        unmount_at_end(&self.0);
    }
}

/// Fills a mounted file system with files of every kind, many of them in pieces.
pub fn fill(root: &Path, block: u64, pieces: u64) {
    let create = |path: &Path| {
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .open(path)
            .unwrap_or_else(|e| panic!("{path:?}: {e}"))
    };
    let keep = |file: &File, offset: u64, length: u64| {
        use rustix::fs::{FallocateFlags, fallocate};
        fallocate(file, FallocateFlags::empty(), offset, length)
    };
    std::fs::create_dir_all(root.join("many/folders deep/down")).unwrap();
    for number in 0..400u64 {
        let length = number * number * 7919 % 9000;
        let path = root.join(format!("many/small-{number}-with-a-name-that-is-not-short"));
        std::fs::write(&path, vec![number as u8; length as usize]).unwrap();
    }
    run("sync", &["-f", root.to_str().unwrap()]);
    for number in (0..400).step_by(3) {
        std::fs::remove_file(root.join(format!("many/small-{number}-with-a-name-that-is-not-short")))
            .unwrap();
    }
    // Two files that grow in turns by one block, synced so that neither is allocated at one go.
    let (one, two) =
        (create(&root.join("many/folders deep/one")), create(&root.join("many/folders deep/two")));
    for piece in 0..pieces {
        for file in [&one, &two] {
            if keep(file, piece * 2 * block, block).is_err() {
                file.write_all_at(&vec![1; block as usize], piece * 2 * block).unwrap();
                rustix::fs::fdatasync(file).unwrap();
            }
        }
    }
    one.write_all_at(b"written in the middle", block * pieces / 2).unwrap();
    // Written, unwritten, and both.
    let sparse = create(&root.join("sparse"));
    for piece in 0..50 {
        sparse.write_all_at(b"data", piece * 16 * block + 3).unwrap();
    }
    sparse.set_len(block * 100_000).unwrap();
    let unwritten = create(&root.join("unwritten"));
    if keep(&unwritten, 0, block * 300).is_ok() {
        unwritten.write_all_at(&vec![5; block as usize * 10], block * 100).unwrap();
    }
    let large = create(&root.join("many/folders deep/down/large"));
    large.write_all_at(&vec![3; 3_000_001], 0).unwrap();
    std::fs::hard_link(root.join("sparse"), root.join("many/again")).unwrap();
    std::os::unix::fs::symlink("x".repeat(200), root.join("long link")).unwrap();
    std::os::unix::fs::symlink("short", root.join("link")).unwrap();
    std::fs::write(root.join("empty"), b"").unwrap();
    std::fs::write(root.join("tiny"), b"tiny").unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, root.join("fifo"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
        .unwrap();
    run("sync", &["-f", root.to_str().unwrap()]);
}

/// What `filefrag -v` says of a file: its extents as `joined` gives them.
pub fn filefrag(path: &Path, block: u64) -> Vec<Row> {
    let text = run("filefrag", &["-v", &format!("-b{block}"), path.to_str().unwrap()]);
    let mut extents = Vec::new();
    for line in text.lines() {
        // "   0:        0..       7:      34816..     34823:      8:             last,unwritten,eof"
        let parts: Vec<&str> = line.split(':').map(str::trim).collect();
        if parts.len() < 5 || parts[0].parse::<u64>().is_err() {
            continue;
        }
        let first = |range: &str| range.split("..").next().unwrap().trim().parse::<u64>().unwrap();
        let flags = parts.last().unwrap();
        let kind = |name: &str, kind: Kinds| if flags.contains(name) { kind } else { Kinds::default() };
        let kinds = kind("unwritten", Kinds::UNWRITTEN).with(kind("shared", Kinds::SHARED));
        if flags.contains("inline") {
            continue;
        }
        extents.push(Extent::plain(
            first(parts[1]) * block,
            first(parts[2]) * block,
            parts[3].parse::<u64>().unwrap() * block,
            kinds,
        ));
    }
    joined(&extents)
}

/// Regular files below `root` by inode: one path and its extents by filefrag.
pub fn by_filefrag(root: &Path, block: u64) -> BTreeMap<u64, (PathBuf, Vec<Row>)> {
    let mut all = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let metadata = entry.metadata().unwrap();
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if metadata.is_file() {
                all.entry(metadata.ino()).or_insert_with(|| (entry.path(), filefrag(&entry.path(), block)));
            }
        }
    }
    all
}
