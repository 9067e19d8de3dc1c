//! A file system of a test: a loop device over an image, mounted. The tests of ageing share this file.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

/// Another test's child may hold a descriptor for a moment, between fork and exec: five seconds at most.
const TRIES: u32 = 100;
const PAUSE: Duration = Duration::from_millis(50);

/// A file system on a loop device, mounted; all of it goes when this goes.
pub struct Mounted {
    pub device: String,
    pub point: PathBuf,
    is_mounted: bool,
    folder: TempDir,
}

impl Mounted {
    /// Made by `mkfs`, with its options, on a sparse image in `parent`.
    fn new(parent: &Path, size_bytes: u64, mkfs: &[&str], mount_options: &str) -> Result<Mounted, String> {
        let folder = TempDir::new_in(parent).unwrap();
        let image = folder.path().join("image");
        File::create(&image).unwrap().set_len(size_bytes).unwrap();
        let (program, arguments) = mkfs.split_first().unwrap();
        tool(program, &[arguments, &[text(&image)]].concat())?;
        let device = tool("losetup", &["--find", "--show", text(&image)])?;
        let point = folder.path().join("point");
        fs::create_dir(&point).unwrap();
        let mut mounted = Mounted { device, point, is_mounted: false, folder };
        tool("mount", &["-o", mount_options, &mounted.device, text(&mounted.point)])?;
        mounted.is_mounted = true;
        Ok(mounted)
    }

    /// Unmounts it; the device stays.
    pub fn unmount(&mut self) {
        if std::mem::take(&mut self.is_mounted) {
            unmount(&self.point);
        }
    }

    pub fn image(&self) -> PathBuf {
        self.folder.path().join("image")
    }

    /// Bytes that the image takes on the disk below.
    pub fn real_bytes(&self) -> u64 {
        fs::metadata(self.image()).unwrap().blocks() * 512
    }

    fn is_mount_point(&self) -> bool {
        let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        mounts.lines().any(|line| line.split(' ').nth(4) == self.point.to_str())
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        // A test may have unmounted it, and one that failed may have mounted it again.
        if self.is_mount_point() {
            unmount_at_end(&self.point);
        }
        let _ = tool("losetup", &["--detach", &self.device]);
    }
}

/// The file system, or none with the reason on standard error. FSGAUGE_TEST_ROOT=1 makes the reason a failure.
pub fn mounted_or_skip_in(
    parent: &Path,
    size_bytes: u64,
    mkfs: &[&str],
    mount_options: &str,
) -> Option<Mounted> {
    let is_root = rustix::process::geteuid().is_root();
    let make = || Mounted::new(parent, size_bytes, mkfs, mount_options);
    let made = if is_root { make() } else { Err("not root".into()) };
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

/// Unmounts what is mounted there.
pub fn unmount(point: &Path) {
    until_done("umount", &[text(point)]).unwrap();
}

/// Unmounts what a test mounted. Whatever holds it longer than others may is a fault, and even then no mount stays.
pub fn unmount_at_end(point: &Path) {
    let Err(reason) = until_done("umount", &[text(point)]) else { return };
    let _ = tool("umount", &["--lazy", text(point)]);
    assert!(std::thread::panicking(), "{} was still in use: {reason}", point.display());
}

/// What a tool says at last of something that others may hold for a moment.
pub fn until_done(name: &str, arguments: &[&str]) -> Result<String, String> {
    for _ in 0..TRIES {
        if let Ok(said) = tool(name, arguments) {
            return Ok(said);
        }
        std::thread::sleep(PAUSE);
    }
    tool(name, arguments)
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
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
