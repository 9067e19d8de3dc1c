//! Room of a mounted btrfs, on one device and on two: what is in use is what df(1) and btrfs(8) say. Needs root and
//! loop devices: elsewhere it says so and is skipped; FSGAUGE_TEST_ROOT=1 makes a machine that cannot run it a failure.

use std::fs::{self, File};
use std::path::PathBuf;

use fsgauge_wire::{ScanJob, ScanResult};
use tempfile::TempDir;

use crate::mounts::{job, scan, sync, text, tool, unmount_at_end};

const MIB: u64 = 1 << 20;

/// A btrfs on several loop devices, mounted; all of it goes when this goes.
struct Several {
    devices: Vec<String>,
    point: PathBuf,
    is_mounted: bool,
    _folder: TempDir,
}

impl Several {
    fn new(sizes_bytes: &[u64], mkfs: &[&str]) -> Result<Several, String> {
        let folder = TempDir::new().unwrap();
        let point = folder.path().join("point");
        fs::create_dir(&point).unwrap();
        let mut several = Several { devices: Vec::new(), point, is_mounted: false, _folder: folder };
        for (number, &size_bytes) in sizes_bytes.iter().enumerate() {
            let image = several._folder.path().join(format!("image{number}"));
            File::create(&image).unwrap().set_len(size_bytes).unwrap();
            several.devices.push(tool("losetup", &["--find", "--show", text(&image)])?);
        }
        let devices: Vec<&str> = several.devices.iter().map(String::as_str).collect();
        tool("mkfs.btrfs", &[&["-q"], mkfs, &devices].concat())?;
        tool("btrfs", &[&["device", "scan"], &devices[..]].concat())?;
        tool("mount", &[devices[0], text(&several.point)])?;
        several.is_mounted = true;
        Ok(several)
    }
}

impl Drop for Several {
    fn drop(&mut self) {
        if self.is_mounted {
            unmount_at_end(&self.point);
        }
        for device in &self.devices {
            let _ = tool("btrfs", &["device", "scan", "--forget", device]);
            let _ = tool("losetup", &["--detach", device]);
        }
    }
}

fn several_or_skip(sizes_bytes: &[u64], mkfs: &[&str]) -> Option<Several> {
    let is_root = rustix::process::geteuid().is_root();
    let made = if is_root { Several::new(sizes_bytes, mkfs) } else { Err("not root".into()) };
    let forced = std::env::var_os("FSGAUGE_TEST_ROOT").is_some_and(|value| value == "1");
    match made {
        Ok(several) => Some(several),
        Err(reason) if forced => panic!("FSGAUGE_TEST_ROOT=1, but no mount: {reason}"),
        Err(reason) => {
            eprintln!("skipped: needs root and loop devices ({reason}); FSGAUGE_TEST_ROOT=1 to force");
            None
        }
    }
}

/// A number of `btrfs filesystem usage -b`.
fn usage(said: &str, name: &str) -> u64 {
    let line = said.lines().find(|line| line.trim_start().starts_with(name));
    let line = line.unwrap_or_else(|| panic!("{name} in {said}"));
    line.split_whitespace().last().unwrap().parse().unwrap()
}

/// Bytes of chunks that hold metadata alone, on all devices.
fn of_metadata(said: &str) -> u64 {
    let mut sum = 0;
    let mut counts = false;
    for line in said.lines() {
        if line.contains(": Size:") {
            counts = line.starts_with("Metadata") || line.starts_with("System");
        } else if counts && line.trim_start().starts_with("/dev/") {
            sum += line.split_whitespace().last().unwrap().parse::<u64>().unwrap();
        }
    }
    assert!(sum > 0, "{said}");
    sum
}

/// Bytes in use on all devices: of data and the file system's own.
fn in_use(found: &ScanResult) -> u64 {
    let free = found.free.as_ref().unwrap();
    found.source.size_bytes - free.device_bytes.unwrap() - free.unallocated_bytes.unwrap_or(0)
}

fn check(sizes_bytes: &[u64], mkfs: &[&str]) {
    let Some(several) = several_or_skip(sizes_bytes, mkfs) else { return };
    fs::write(several.point.join("file"), vec![7; 40 << 20]).unwrap();
    sync(&several.point);
    let found = scan(&ScanJob { map_order: 5, ..job(&several.point) }).unwrap();
    let said = tool("btrfs", &["filesystem", "usage", "-b", text(&several.point)]).unwrap();
    let devices = sizes_bytes.len() as u64;
    assert_eq!(found.source.size_bytes, usage(&said, "Device size:"), "{mkfs:?}");
    let free = found.free.as_ref().unwrap();
    assert_eq!(free.unread_bytes, Some(0));
    // Below 1 MiB nothing is given to chunks; the tool counts it as room.
    let room = free.unallocated_bytes.unwrap();
    assert_eq!(room + devices * MIB, usage(&said, "Device unallocated:"), "{mkfs:?}: {said}");
    // df counts what metadata uses of its chunks, and may hold back a part of them.
    let statistics = rustix::fs::statvfs(&several.point).unwrap();
    let copies = found.source.size_bytes as f64 / (statistics.f_blocks * statistics.f_frsize) as f64;
    let by_df = (statistics.f_blocks - statistics.f_bfree) as f64 * statistics.f_frsize as f64 * copies;
    let allowed = (of_metadata(&said) + devices * MIB) as f64;
    let apart = (in_use(&found) as f64 - by_df).abs();
    assert!(apart <= allowed, "{mkfs:?}: {} and {by_df}, {allowed} allowed", in_use(&found));
    assert!(in_use(&found) >= 40 * MIB * copies as u64);
    check_addresses(&found, devices);
    check_nobody(&several, &found);
}

fn check_addresses(found: &ScanResult, devices: u64) {
    let map = found.map.as_ref().unwrap();
    let reach = found.source.address_bytes.unwrap_or(found.source.size_bytes);
    assert!(map.cell_bytes * 1024 >= reach && map.cell_bytes * 1023 < reach + 1024 * 1024);
    assert!(found.groups.iter().all(|group| group.offset_bytes + group.size_bytes <= reach));
    let is_said = found.notes.iter().any(|note| note.code == "btrfs_addresses");
    assert_eq!((found.source.address_bytes.is_some(), is_said), (devices > 1, devices > 1));
    assert!(map.data.contains(&255));
}

/// An ordinary user gets sums, and the same size.
fn check_nobody(several: &Several, of_root: &ScanResult) {
    let wanted = job(&several.point);
    let found = std::thread::scope(|scope| {
        let work = || {
            rustix::thread::set_thread_uid(rustix::process::Uid::from_raw(65_534)).unwrap();
            scan(&ScanJob { threads: Some(1), ..wanted })
        };
        scope.spawn(work).join().unwrap().unwrap()
    });
    assert_eq!(found.source.size_bytes, of_root.source.size_bytes);
    let free = found.free.as_ref().unwrap();
    assert_eq!((found.source.space_by.as_str(), free.extents), ("counters", None));
    let apart = in_use(&found).abs_diff(in_use(of_root));
    assert!(apart < found.source.size_bytes / 4, "{apart}");
}

#[test]
fn what_is_in_use_on_one_device_is_what_df_says() {
    check(&[512 * MIB], &[]);
    check(&[512 * MIB], &["-d", "dup"]);
    check(&[512 * MIB], &["-M"]);
}

#[test]
fn what_is_in_use_on_two_devices_is_what_df_says() {
    check(&[400 * MIB, 500 * MIB], &["-d", "raid1", "-m", "raid1"]);
    check(&[400 * MIB, 400 * MIB], &["-d", "raid0", "-m", "raid1"]);
    check(&[400 * MIB, 500 * MIB], &["-d", "single", "-m", "raid1"]);
}

#[test]
fn what_is_in_use_on_many_devices_is_what_df_says() {
    check(&[300 * MIB; 4], &["-d", "raid10", "-m", "raid1"]);
}

#[test]
fn a_mount_that_others_hold_for_a_moment_goes_with_its_devices() {
    let Some(several) = several_or_skip(&[200 * MIB], &["-M"]) else { return };
    let (point, device) = (text(&several.point).to_owned(), several.devices[0].clone());
    let held = File::open(&point).unwrap();
    let holder = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        drop(held);
    });
    drop(several);
    holder.join().unwrap();
    assert!(!fs::read_to_string("/proc/self/mountinfo").unwrap().contains(&point));
    assert!(tool("losetup", &[&device]).is_err());
}
