//! What the integration tests share: a job to vary, what a tree holds, and a file system on a loop device.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use fsgauge_alloc::run_age;
use fsgauge_scan::run_scan;
use fsgauge_wire::{
    AgeEnd, AgeJob, AgeMode, AgeProfile, AgeResult, Engine, Event, Failure, Listener, Profile, ScanJob,
    ScanResult, Stop,
};
use tempfile::TempDir;

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

/// A profile with its defaults, as a job's JSON would give it.
pub fn profile(json: &str) -> AgeProfile {
    let text = format!(
        r#"{{"format":1,"kind":"age","directory":"x","mode":"fast","end":{{"kind":"complete"}},
            "time_limit_ns":1,"seed":1,"profile":{json}}}"#
    );
    match fsgauge_wire::parse_job(&text).unwrap() {
        fsgauge_wire::Job::Age(job) => job.profile,
        other => panic!("{other:?}"),
    }
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

pub fn scan(path: &Path) -> ScanResult {
    let path = path.to_str().unwrap().to_owned();
    let job = ScanJob { format: 1, path, threads: Some(2), top: 0, map_order: 0, space: false };
    run_scan(&job, engine(), &mut Heard::default(), Stop::new()).unwrap()
}

/// A file system on a loop device over a sparse image, mounted; all of it goes when this goes.
pub struct Mounted {
    device: String,
    pub point: PathBuf,
    folder: TempDir,
}

impl Mounted {
    fn new(size_bytes: u64, mkfs: &[&str], mount_options: &str) -> Result<Mounted, String> {
        let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let image = folder.path().join("image");
        File::create(&image).unwrap().set_len(size_bytes).unwrap();
        let image = image.to_str().unwrap().to_owned();
        let (program, arguments) = mkfs.split_first().unwrap();
        tool(program, &[arguments, &[image.as_str()]].concat())?;
        let device = tool("losetup", &["--find", "--show", &image])?;
        let point = folder.path().join("point");
        fs::create_dir(&point).unwrap();
        let mounted = Mounted { device, point, folder };
        tool("mount", &["-o", mount_options, &mounted.device, mounted.point.to_str().unwrap()])?;
        Ok(mounted)
    }

    /// Bytes that the image takes on the disk below.
    pub fn real_bytes(&self) -> u64 {
        std::os::unix::fs::MetadataExt::blocks(&fs::metadata(self.folder.path().join("image")).unwrap()) * 512
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // Another test's child may hold a descriptor for a moment, between fork and exec: five seconds at most.
        for _ in 0..100 {
            if tool("umount", &[self.point.to_str().unwrap()]).is_ok() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        let _ = tool("losetup", &["--detach", &self.device]);
    }
}

/// The file system, or none with the reason on standard error. FSGAUGE_TEST_ROOT=1 makes the reason a failure.
pub fn mounted_or_skip(size_bytes: u64, mkfs: &[&str], mount_options: &str) -> Option<Mounted> {
    let is_root = rustix::process::geteuid().is_root();
    let made = if is_root { Mounted::new(size_bytes, mkfs, mount_options) } else { Err("not root".into()) };
    let forced = std::env::var_os("FSGAUGE_TEST_ROOT").is_some_and(|value| value == "1");
    match made {
        Ok(mounted) => Some(mounted),
        Err(reason) if forced => panic!("FSGAUGE_TEST_ROOT=1, but no mount: {reason}"),
        Err(reason) => {
            eprintln!("skipped: needs root and loop devices ({reason}); FSGAUGE_TEST_ROOT=1 to force");
            None
        }
    }
}

/// Runs a tool; gives its output, or why it failed.
pub fn tool(name: &str, arguments: &[&str]) -> Result<String, String> {
    // Debian keeps mkfs and losetup where the path of ordinary users does not look.
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let output = Command::new(name).args(arguments).env("PATH", path).env("LC_ALL", "C").output();
    let output = output.map_err(|error| format!("{name} cannot be run: {error}"))?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_string();
    if output.status.success() {
        Ok(said(&output.stdout))
    } else {
        Err(format!("{name}: {}", said(&output.stderr)))
    }
}
