//! What the tests on real file systems share: files on one that is mounted, and scans.

#![allow(dead_code, reason = "each test file uses its part")]

mod mounted;

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use fsgauge_scan::run_scan;
use fsgauge_wire::{Engine, Event, Failure, Listener, Profile, ScanJob, ScanResult, Stop};
use rustix::fs::{FallocateFlags, fallocate};

pub use mounted::*;

/// The file system, or none with the reason on standard error. FSGAUGE_TEST_ROOT=1 makes the reason a failure.
pub fn mounted_or_skip(size_bytes: u64, mkfs: &[&str], mount_options: &str) -> Option<Mounted> {
    mounted::mounted_or_skip_in(&std::env::temp_dir(), size_bytes, mkfs, mount_options)
}

/// Hears nothing.
struct Deaf;

impl Listener for Deaf {
    fn event(&mut self, _: Event) -> io::Result<()> {
        Ok(())
    }
}

pub fn engine() -> Engine {
    Engine { version: String::new(), profile: Profile::Debug, target: String::new(), commit: String::new() }
}

pub fn job(path: &Path) -> ScanJob {
    let path = text(path).to_owned();
    ScanJob {
        format: 1,
        path,
        threads: Some(2),
        top: 0,
        list_whole: false,
        map_order: 0,
        space: true,
        held: Vec::new(),
        lease: None,
    }
}

pub fn scan(job: &ScanJob) -> Result<ScanResult, Failure> {
    run_scan(job, engine(), &mut Deaf, Stop::new())
}

/// A scan that is stopped before it begins.
pub fn scan_stopped(job: &ScanJob) -> Result<ScanResult, Failure> {
    let stop = Stop::new();
    stop.set();
    run_scan(job, engine(), &mut Deaf, stop)
}

const BLOCK: usize = 4096;

/// Files of every kind that a file system has: small, large, in pieces, with holes, allocated and not written.
pub fn fill(root: &Path) -> io::Result<()> {
    for folder in 0..4 {
        let folder = root.join(format!("folder{folder}/inner"));
        fs::create_dir_all(&folder)?;
        for file in 0..40usize {
            fs::write(folder.join(format!("small{file}")), vec![7; file * 997])?;
        }
    }
    in_pieces(&root.join("pieces"), 60)?;
    in_pieces(&root.join("folder1/more-pieces"), 33)?;
    fs::write(root.join("large"), vec![3; 5 << 20])?;
    with_holes(&root.join("holes"))?;
    allocated(&root.join("allocated"))?;
    File::create(root.join("nothing-but-a-hole"))?.set_len(1 << 20)?;
    fs::hard_link(root.join("large"), root.join("folder0/another-name-of-large"))?;
    symlink(root.join("large"), root.join("link-to-large"))?;
    fs::write(root.join(std::ffi::OsStr::from_bytes(b"not\xffutf8")), b"x")?;
    // Free space in pieces: every other file goes.
    for file in 0..64 {
        fs::write(root.join(format!("filler{file}")), vec![1; 20 * BLOCK])?;
    }
    sync(root);
    (0..64).step_by(2).try_for_each(|file| fs::remove_file(root.join(format!("filler{file}"))))?;
    sync(root);
    Ok(())
}

/// A file of as many extents as blocks, mostly: every other block of twice as many is taken out of it, or, on
/// btrfs, blocks are written from the last to the first, each made durable.
fn in_pieces(path: &Path, blocks: u64) -> io::Result<()> {
    let file = File::create(path)?;
    let block_bytes = BLOCK as u64;
    file.write_all_at(&vec![4; 2 * blocks as usize * BLOCK], 0)?;
    file.sync_all()?;
    if fallocate(&file, FallocateFlags::COLLAPSE_RANGE, block_bytes, block_bytes).is_ok() {
        let rest = (2..blocks).map(|block| block * block_bytes);
        return rest
            .into_iter()
            .try_for_each(|at| Ok(fallocate(&file, FallocateFlags::COLLAPSE_RANGE, at, block_bytes)?));
    }
    for block in (0..blocks).rev() {
        file.write_all_at(&[block as u8; BLOCK], block * block_bytes)?;
        file.sync_all()?;
    }
    Ok(())
}

fn with_holes(path: &Path) -> io::Result<()> {
    let file = File::create(path)?;
    file.set_len(10 << 20)?;
    [1 << 20, 3 << 20, 7 << 20].into_iter().try_for_each(|at| file.write_all_at(&[9; 3 * BLOCK], at))
}

fn allocated(path: &Path) -> io::Result<()> {
    let file = File::create(path)?;
    fallocate(&file, FallocateFlags::empty(), 0, 1 << 20)?;
    file.write_all_at(&[9; BLOCK], 512 << 10)?;
    fallocate(&File::create(path.with_extension("beyond"))?, FallocateFlags::KEEP_SIZE, 0, 64 << 10)?;
    Ok(())
}

pub fn sync(root: &Path) {
    rustix::fs::syncfs(File::open(root).unwrap()).unwrap();
}

/// One line of `filefrag -v`, in blocks of 4096 bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub logical: u64,
    pub physical: u64,
    pub length: u64,
    pub flags: String,
}

/// What filefrag says of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frag {
    pub path: PathBuf,
    pub size_bytes: u64,
    pub lines: Vec<Line>,
    /// "N extents found".
    pub extents: u64,
}

/// Every regular file below a folder, each once, by `find` and `filefrag -v`.
pub fn filefrag(root: &Path) -> Vec<Frag> {
    let found = Command::new("find").arg(root).args(["-type", "f", "-printf", "%i %p\\0"]).output().unwrap();
    let mut seen = std::collections::HashSet::new();
    let mut frags = Vec::new();
    for entry in found.stdout.split(|&byte| byte == 0).filter(|entry| !entry.is_empty()) {
        let space = entry.iter().position(|&byte| byte == b' ').unwrap();
        let path = PathBuf::from(std::ffi::OsStr::from_bytes(&entry[space + 1..]));
        // btrfs has the same numbers again in each subvolume.
        let inode =
            (std::os::unix::fs::MetadataExt::dev(&fs::metadata(&path).unwrap()), entry[..space].to_vec());
        if seen.insert(inode) {
            frags.push(filefrag_of(path));
        }
    }
    frags
}

fn filefrag_of(path: PathBuf) -> Frag {
    let output = Command::new("filefrag")
        .args(["-v", "-b4096"])
        .arg(&path)
        .env("PATH", "/usr/sbin:/sbin:/usr/bin:/bin")
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = said.lines().filter_map(line).collect();
    let found = said.lines().last().unwrap().rsplit(": ").next().unwrap();
    let extents = found.split(' ').next().unwrap().parse().unwrap();
    let size_bytes = fs::metadata(&path).unwrap().len();
    Frag { path, size_bytes, lines, extents }
}

/// `   0:        0..       0:      34816..     34816:      1:             last,eof`
fn line(text: &str) -> Option<Line> {
    let fields: Vec<&str> = text.split(':').map(str::trim).collect();
    let begin = |field: &str| field.split("..").next().and_then(|number| number.trim().parse().ok());
    fields.first()?.parse::<u64>().ok()?;
    Some(Line {
        logical: begin(fields.get(1)?)?,
        physical: begin(fields.get(2)?)?,
        length: fields.get(3)?.parse().ok()?,
        flags: (*fields.last()?).to_owned(),
    })
}
