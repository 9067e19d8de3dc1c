//! Opening block devices for load, and refusing those that somebody uses.

use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use fsgauge_door::open_device;
use fsgauge_wire::Failure;
use rustix::fs::{FileType, OFlags, fstat};
use rustix::io::Errno;

use super::open_failure;

/// Checks the device and claims it for as long as the claim is held: with O_EXCL the kernel refuses a device that
/// is mounted, held by RAID, LVM or swap, or claimed by another, and refuses others meanwhile (a stranger's mkfs).
/// A device in use can still be read without harm, and one that the caller holds is claimed already.
pub(super) fn claim(
    path: &str,
    offset_bytes: u64,
    size_bytes: u64,
    writes: bool,
) -> Result<OwnedFd, Failure> {
    let path = Path::new(path);
    let access = if writes { OFlags::RDWR } else { OFlags::RDONLY } | OFlags::NONBLOCK;
    let mut device = open_device(path, access, true);
    if !writes && matches!(device, Err(Errno::BUSY)) {
        device = open_device(path, access, false);
    }
    let device = device.map_err(|errno| open_failure(path, errno, false))?;
    let kind = fstat(&device).map(|status| FileType::from_raw_mode(status.st_mode));
    if kind != Ok(FileType::BlockDevice) {
        let what = format!("{} is not a block device", path.display());
        return Err(Failure::job(
            "target",
            what,
            "the target's kind is \"block\"",
            "name a device, or use kind \"file\"",
        ));
    }
    check_size(path, &device, offset_bytes, size_bytes)?;
    Ok(device)
}

fn check_size(path: &Path, device: &OwnedFd, offset_bytes: u64, size_bytes: u64) -> Result<(), Failure> {
    let end =
        device.as_fd().try_clone_to_owned().and_then(|device| File::from(device).seek(SeekFrom::End(0)));
    let found = end.unwrap_or(0);
    if offset_bytes.checked_add(size_bytes).is_some_and(|end| end <= found) {
        return Ok(());
    }
    let what =
        format!("{} has {found} bytes; the job uses {size_bytes} from offset {offset_bytes}", path.display());
    Err(Failure::job(
        "target",
        what,
        "the device is smaller than the job says",
        format!("blockdev --getsize64 {}", path.display()),
    ))
}
