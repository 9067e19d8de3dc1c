//! A block device that somebody uses is refused for writing, and stays readable. Needs root and loop devices:
//! elsewhere it says so and is skipped; FSGAUGE_TEST_ROOT=1 makes a machine that cannot run it a failure.

#[path = "../../fsgauge-scan/tests/mounts/mounted.rs"]
mod mounted;

use serde_json::Value;
use tempfile::{NamedTempFile, TempDir};

use crate::support;
use crate::support::last_event;
use mounted::{text, tool, unmount_at_end};

const SIZE_BYTES: u64 = 16 << 20;

/// A loop device on a file with an ext4 file system; detached when it goes.
struct Loop {
    device: String,
    _file: NamedTempFile,
}

impl Loop {
    fn new() -> Result<Loop, String> {
        let file = NamedTempFile::new().unwrap();
        file.as_file().set_len(SIZE_BYTES).unwrap();
        let path = file.path().to_str().unwrap();
        tool("mkfs.ext4", &["-q", path])?;
        let device = tool("losetup", &["--find", "--show", path])?;
        Ok(Loop { device, _file: file })
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = tool("losetup", &["--detach", &self.device]);
    }
}

/// The device mounted; unmounted when it goes, before the device is detached.
struct Mount<'a> {
    point: TempDir,
    _device: &'a Loop,
}

impl Mount<'_> {
    fn new(device: &Loop) -> Result<Mount<'_>, String> {
        let point = TempDir::new().unwrap();
        tool("mount", &[&device.device, text(point.path())])?;
        Ok(Mount { point, _device: device })
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        unmount_at_end(self.point.path());
    }
}

/// The device, or none with the reason on standard error.
fn device_or_skip() -> Option<Loop> {
    let made = if rustix::process::geteuid().is_root() { Loop::new() } else { Err("not root".into()) };
    let forced = std::env::var_os("FSGAUGE_TEST_ROOT").is_some_and(|value| value == "1");
    match made {
        Ok(device) => Some(device),
        Err(reason) if forced => panic!("FSGAUGE_TEST_ROOT=1, but no loop device: {reason}"),
        Err(reason) => {
            eprintln!("skipped: needs root and loop devices ({reason}); FSGAUGE_TEST_ROOT=1 to force");
            None
        }
    }
}

/// Runs ten milliseconds of 4 KiB operations on the device.
fn run(device: &Loop, read_percent: u32) -> (Option<i32>, Value) {
    run_for(device, read_percent, 10_000_000)
}

fn run_for(device: &Loop, read_percent: u32, duration_ns: u64) -> (Option<i32>, Value) {
    let job = format!(
        r#"{{"format":1,"kind":"load","target":{{"kind":"block","path":"{}","size_bytes":{SIZE_BYTES}}},
        "interface":"psync","direct":false,"access":{{"kind":"random"}},"read_percent":{read_percent},"queue_depth":1,
        "jobs":1,"block_sizes":[{{"size_bytes":4096,"weight":1}}],"duration_ns":{duration_ns},"seed":1}}"#,
        device.device
    );
    let output = support::run(&job);
    (output.status.code(), last_event(&output.stdout))
}

#[test]
fn a_mounted_device_is_refused_for_writing_and_its_file_system_stays_whole() {
    let Some(device) = device_or_skip() else { return };
    let mount = Mount::new(&device).unwrap();
    for read_percent in [0, 50] {
        let (code, last) = run(&device, read_percent);
        assert_eq!((code, &last["event"]), (Some(3), &"failed".into()), "{last}");
        assert_eq!(last["error"]["cause"], "it is in use: mounted, or part of a RAID, LVM or swap");
        assert_eq!(last["error"]["next"], format!("lsblk {}", device.device));
    }
    assert_eq!(run(&device, 100).0, Some(0), "reading harms nobody");
    drop(mount);
    tool("e2fsck", &["-fn", &device.device]).unwrap();
    assert_eq!(run(&device, 0).0, Some(0), "once it is unmounted it can be written");
}

#[test]
fn a_device_that_another_process_claims_is_refused_for_writing() {
    use std::os::unix::fs::OpenOptionsExt;
    let Some(device) = device_or_skip() else { return };
    let exclusive = rustix::fs::OFlags::EXCL.bits() as i32;
    let holder = std::fs::File::options().read(true).custom_flags(exclusive).open(&device.device);
    let (code, last) = run(&device, 0);
    assert_eq!((code, &last["error"]["errno"]), (Some(3), &16.into()), "{last}");
    drop(holder.unwrap());
    assert_eq!(run(&device, 0).0, Some(0), "once it is let go it can be written");
}

#[test]
fn nobody_claims_a_device_while_it_is_read_either() {
    // A stranger's mkfs was let in while a study read the bare device, and was overwritten by the next turn.
    use std::os::unix::fs::OpenOptionsExt;
    let Some(device) = device_or_skip() else { return };
    let exclusive = rustix::fs::OFlags::EXCL.bits() as i32;
    let claim = || std::fs::File::options().read(true).custom_flags(exclusive).open(&device.device);
    let claims_while_it_reads = std::thread::scope(|scope| {
        let reading = scope.spawn(|| run_for(&device, 100, 3_000_000_000).0);
        let mut refused = 0;
        while !reading.is_finished() {
            refused += u32::from(claim().is_err());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert_eq!(reading.join().unwrap(), Some(0));
        refused
    });
    assert!(claims_while_it_reads >= 10, "refused {claims_while_it_reads} times");
    claim().unwrap();
}
