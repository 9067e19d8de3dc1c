//! What the integration tests share: a job to vary, what a tree holds, and a file system on a loop device.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod layout;
#[path = "../../../fsgauge-scan/tests/mounts/mounted.rs"]
mod mounted;
mod profile;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use fsgauge_alloc::run_age;
use fsgauge_scan::run_scan;
use fsgauge_wire::{
    AgeEnd, AgeJob, AgeMode, AgeResult, Engine, Event, Failure, Listener, Profile, ScanJob, ScanResult, Stop,
};

#[allow(unused_imports, reason = "each test file uses its part")]
pub use mounted::{Mounted, mounted_or_skip_in as mounted_in_or_skip, tool, unmount, unmount_at_end};
#[allow(unused_imports, reason = "each test file uses its part")]
pub use profile::profile;

pub const MIB: u64 = 1 << 20;

/// Keeps every event.
#[derive(Default)]
pub struct Heard {
    pub events: Vec<Event>,
}

impl Listener for Heard {
    fn event(&mut self, event: Event) -> std::io::Result<()> {
        self.events.push(event);
        Ok(())
    }
}

pub fn engine() -> Engine {
    let text = || "test".to_string();
    Engine { version: text(), profile: Profile::Debug, target: text(), commit: text() }
}

/// Twenty files of 1 MiB chunks in 40 MiB, by fallocate; at most a minute.
pub fn job(directory: &Path) -> AgeJob {
    AgeJob {
        format: 1,
        directory: directory.display().to_string(),
        profile: profile(r#"{"kind":"intermingled"}"#),
        mode: AgeMode::Fast,
        space_bytes: Some(50 * MIB),
        fill_percent: 80.0,
        end: AgeEnd::Complete {},
        time_limit_ns: 60_000_000_000,
        sync_every_bytes: None,
        seed: 1,
        fresh_copy: false,
        start_at_ns: None,
        start_on_order: false,
        held: Vec::new(),
        lease: None,
    }
}

pub fn age(job: &AgeJob) -> Result<AgeResult, Failure> {
    run_age(job, engine(), &mut Heard::default(), Stop::new())
}

/// Files below a directory and the sum of their sizes; at most so many names in one directory.
pub struct Tree {
    pub files: u64,
    pub size_bytes: u64,
    pub most_names: usize,
}

pub fn tree(root: &Path) -> Tree {
    let mut tree = Tree { files: 0, size_bytes: 0, most_names: 0 };
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let mut names = 0;
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            names += 1;
            if entry.file_type().unwrap().is_dir() {
                folders.push(entry.path());
            } else {
                tree.files += 1;
                tree.size_bytes += entry.metadata().unwrap().len();
            }
        }
        tree.most_names = tree.most_names.max(names);
    }
    tree
}

/// Every path below a directory with the file's size, none for a directory.
pub fn listing(root: &Path) -> BTreeMap<PathBuf, Option<u64>> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![root.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            found.insert(
                path.strip_prefix(root).unwrap().to_owned(),
                metadata.is_file().then_some(metadata.len()),
            );
            if metadata.is_dir() {
                folders.push(path);
            }
        }
    }
    found
}

pub fn scan(path: &Path) -> ScanResult {
    try_scan(path).unwrap()
}

pub fn try_scan(path: &Path) -> Result<ScanResult, Failure> {
    let path = path.to_str().unwrap().to_owned();
    let job = ScanJob {
        format: 1,
        path,
        threads: Some(2),
        top: 0,
        list_whole: false,
        map_order: 0,
        space: false,
        held: Vec::new(),
        lease: None,
    };
    run_scan(&job, engine(), &mut Heard::default(), Stop::new())
}

/// The file system on a sparse image, or none with the reason on standard error; in the target's file system, as
/// /tmp may be in memory.
pub fn mounted_or_skip(size_bytes: u64, mkfs: &[&str], mount_options: &str) -> Option<Mounted> {
    let parent = Path::new(env!("CARGO_TARGET_TMPDIR"));
    mounted::mounted_or_skip_in(parent, size_bytes, mkfs, mount_options)
}
