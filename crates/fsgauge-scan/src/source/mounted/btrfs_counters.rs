//! What a mounted btrfs counts, as /sys/fs/btrfs tells everybody: how much of its chunks is in use.

use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};

use fsgauge_wire::MetadataSpace;

use super::btrfs_devices::{self, Spread};
use super::kernel::{self, BtrfsInfo};

/// Chunks of one kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Chunks {
    pub(super) size_bytes: u64,
    pub(super) free_bytes: u64,
    /// The same on the devices, with copies.
    pub(super) free_device_bytes: u64,
}

/// All chunks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Counters {
    pub(super) data: Chunks,
    /// Those for metadata and for the system itself.
    pub(super) metadata: MetadataSpace,
    /// What metadata alone may use when all else is taken.
    pub(super) reserve_bytes: Option<u64>,
    /// What no chunk has, on all devices.
    pub(super) unallocated_bytes: Option<u64>,
    /// Of it, what is on too few devices for data of this profile.
    pub(super) unpaired_bytes: Option<u64>,
}

/// Profiles of which a chunk is on several devices, the safest first.
const SPREADS: [(&str, Spread); 6] = [
    ("raid1c4", Spread { fewest: 4, most: 4, multiple: 4 }),
    ("raid1c3", Spread { fewest: 3, most: 3, multiple: 3 }),
    ("raid6", Spread { fewest: 3, most: usize::MAX, multiple: 1 }),
    ("raid1", Spread { fewest: 2, most: 2, multiple: 2 }),
    ("raid10", Spread { fewest: 2, most: usize::MAX, multiple: 2 }),
    ("raid5", Spread { fewest: 2, most: usize::MAX, multiple: 1 }),
];

/// `None` where /sys has no such file system.
pub(super) fn read(open: BorrowedFd<'_>) -> Option<Counters> {
    let info = kernel::btrfs_info(open).ok()?;
    let place = folder(&info);
    let (folder, can_be_written) = (place.join("allocation"), !is_read_only(&place));
    let [data, metadata, system, mixed] =
        ["data", "metadata", "system", "mixed"].map(|kind| chunks(&folder.join(kind), can_be_written));
    // Chunks of both kinds are those that files may have.
    let (metadata, system) = (metadata.unwrap_or_default(), system?);
    let devices = btrfs_devices::devices(open, &info).ok();
    Some(Counters {
        data: data.or(mixed)?,
        metadata: MetadataSpace {
            size_bytes: metadata.size_bytes.saturating_add(system.size_bytes),
            free_bytes: metadata.free_bytes.saturating_add(system.free_bytes),
            free_device_bytes: metadata.free_device_bytes.saturating_add(system.free_device_bytes),
            system_bytes: system.size_bytes,
            system_free_bytes: system.free_bytes,
        },
        reserve_bytes: number(folder.join("global_rsv_size")),
        unallocated_bytes: devices.as_deref().map(btrfs_devices::unallocated),
        unpaired_bytes: devices
            .map(|found| spread(&folder).map_or(0, |spread| btrfs_devices::unpaired(&found, spread))),
    })
}

/// Where /sys has what it tells of a btrfs.
pub(super) fn folder(info: &BtrfsInfo) -> PathBuf {
    Path::new("/sys/fs/btrfs").join(uuid(&info.identity))
}

/// Whether nothing can be written to any device: those of a seed, or set so (blockdev --setro). Then all that is free in
/// chunks is counted as read-only. `folder` is where /sys has the file system.
pub(super) fn is_read_only(folder: &Path) -> bool {
    let mut writable = of_devices(folder, "writeable").peekable();
    writable.peek().is_some() && writable.all(|writable| writable == 0)
}

/// How many devices are not there (mount -o degraded).
pub(super) fn missing(folder: &Path) -> usize {
    of_devices(folder, "missing").filter(|&missing| missing == 1).count()
}

fn of_devices(folder: &Path, name: &str) -> impl Iterator<Item = u64> {
    let devices = std::fs::read_dir(folder.join("devinfo")).into_iter().flatten().filter_map(Result::ok);
    devices.filter_map(move |device| number(device.path().join(name)))
}

fn chunks(folder: &Path, can_be_written: bool) -> Option<Chunks> {
    let each = |name: &str| number(folder.join(name));
    let (size_bytes, used_bytes) = (each("total_bytes")?, each("bytes_used")?);
    // What holds copies of the superblock is no file's.
    let kept_bytes = each("bytes_readonly").filter(|_| can_be_written).unwrap_or(0);
    let kept_bytes = kept_bytes.min(size_bytes - used_bytes.min(size_bytes));
    let free_bytes = size_bytes.saturating_sub(used_bytes).saturating_sub(kept_bytes);
    let copies = each("disk_total")?.checked_div(size_bytes.max(1)).unwrap_or(1).max(1);
    Some(Chunks { size_bytes, free_bytes, free_device_bytes: free_bytes.saturating_mul(copies) })
}

/// That of new data: of the safest profile that chunks have. `None` where one device will do.
fn spread(folder: &Path) -> Option<Spread> {
    let has = |profile: &str| ["data", "mixed"].iter().any(|kind| folder.join(kind).join(profile).exists());
    SPREADS.iter().find(|(profile, _)| has(profile)).map(|(_, spread)| *spread)
}

pub(super) fn number(file: PathBuf) -> Option<u64> {
    std::fs::read_to_string(file).ok()?.trim().parse().ok()
}

fn uuid(bytes: &[u8; 16]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or("");
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_written_as_sys_has_it() {
        let bytes = std::array::from_fn(|at| at as u8 * 17);
        assert_eq!(uuid(&bytes), "00112233-4455-6677-8899-aabbccddeeff");
    }

    #[test]
    fn what_has_no_device_that_can_be_written_is_read_only() {
        let folder = tempfile::tempdir().unwrap();
        assert!(!is_read_only(folder.path()), "not told");
        let set = |device: &str, text: &str| {
            let place = folder.path().join("devinfo").join(device);
            std::fs::create_dir_all(&place).unwrap();
            std::fs::write(place.join("writeable"), text).unwrap();
        };
        set("1", "0\n");
        assert!(is_read_only(folder.path()));
        set("2", "1\n");
        assert!(!is_read_only(folder.path()), "a seed, and what grew from it");
    }

    #[test]
    fn devices_that_are_not_there_are_counted() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(missing(folder.path()), 0);
        for (device, text) in [("1", "0\n"), ("2", "1\n"), ("3", "1\n")] {
            let place = folder.path().join("devinfo").join(device);
            std::fs::create_dir_all(&place).unwrap();
            std::fs::write(place.join("missing"), text).unwrap();
        }
        assert_eq!(missing(folder.path()), 2);
    }

    #[test]
    fn a_chunk_is_spread_as_those_of_the_safest_profile() {
        let folder = tempfile::tempdir().unwrap();
        for (profile, fewest) in [
            ("data/single", None),
            ("data/raid0", None),
            ("mixed/raid1", Some(2)),
            ("data/raid6", Some(3)),
            ("data/raid1c4", Some(4)),
        ] {
            std::fs::create_dir_all(folder.path().join(profile)).unwrap();
            assert_eq!(spread(folder.path()).map(|spread| spread.fewest), fewest, "{profile}");
        }
    }

    #[test]
    fn chunks_are_what_the_files_of_sys_say() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(chunks(folder.path(), true), None);
        let files = [
            ("total_bytes", "1000\n"),
            ("bytes_used", "300\n"),
            ("bytes_readonly", "50\n"),
            ("disk_total", "2000\n"),
        ];
        files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).unwrap());
        let expected = Chunks { size_bytes: 1000, free_bytes: 650, free_device_bytes: 1300 };
        assert_eq!(chunks(folder.path(), true), Some(expected));
        let read_only = Chunks { free_bytes: 700, free_device_bytes: 1400, ..expected };
        assert_eq!(chunks(folder.path(), false), Some(read_only));
    }
}
