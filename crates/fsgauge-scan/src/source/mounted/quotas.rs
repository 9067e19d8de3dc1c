//! Quotas of a mounted file system that are used up: of all, for root; of this user and its group, for others. Those of
//! btrfs (qgroups) /sys tells everybody since Linux 5.9; before that root alone may read them.

use std::ffi::CString;
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use fsgauge_wire::{FullQuota, Note};
use rustix::io::Errno;
use rustix::process::{getegid, geteuid};

use super::btrfs_counters::{self, number};
use super::btrfs_items::Items;
use super::kernel;
use super::mount::Mount;
use crate::source::btrfs::items::{Key, QUOTA_TREE, kind};
use crate::source::btrfs::quotas::{GroupQuota, Groups};
use crate::source::note;
use crate::source::quota::{LISTED, LOOKED_AT, Quota, now_seconds, used_up};

const KINDS: [&str; 3] = ["user", "group", "project"];

pub(super) fn full(open: BorrowedFd<'_>, mount: &Mount) -> Vec<FullQuota> {
    if mount.file_system == "btrfs" {
        return groups(open).unwrap_or_default().full();
    }
    let Ok(device) = CString::new(mount.source.as_os_str().as_bytes()) else { return Vec::new() };
    let now = now_seconds();
    let mut found = Vec::new();
    let hold = kernel::limits_hold(&device);
    for ((number, kind), _) in (0u32..).zip(KINDS).zip(hold).filter(|(_, holds)| *holds) {
        let mut next = Some(0);
        let walk = std::iter::from_fn(|| {
            let quota = kernel::quota(&device, number, next?, true).ok()?;
            next = quota.id.checked_add(1);
            Some(quota)
        });
        let own = match kind {
            "user" => Some(geteuid().as_raw()),
            "group" => Some(getegid().as_raw()),
            _ => None,
        };
        let own = own.and_then(|id| kernel::quota(&device, number, id, false).ok());
        let mut each: Vec<Quota> = walk.take(LOOKED_AT).collect();
        if each.is_empty() {
            each.extend(own);
        }
        found.extend(each.iter().flat_map(|quota| used_up(kind, quota, now)).take(LISTED));
    }
    found
}

/// Says that this user cannot know whether quotas of a btrfs are used up.
pub(super) fn untold(open: BorrowedFd<'_>, mount: &Mount) -> Option<Note> {
    let is_untold = mount.file_system == "btrfs" && groups(open) == Err(Errno::PERM);
    is_untold.then(|| {
        let (who, whose) = super::who();
        let text = format!(
            "whether quotas (qgroups) are used up is not told to {who}: {whose} reads them, as does btrfs qgroup show \
             -re {}",
            mount.point.display()
        );
        note("quotas_unread", text)
    })
}

/// All groups by their numbers; there are none without quotas.
fn groups(open: BorrowedFd<'_>) -> Result<Groups, Errno> {
    let folder = btrfs_counters::folder(&kernel::btrfs_info(open)?);
    if let Some(groups) = groups_of_sys(&folder.join("qgroups")) {
        return Ok(groups);
    }
    match groups_by_tree(open) {
        // A kernel that would tell has none to tell of.
        Err(Errno::PERM) if folder.exists() && tells_everybody() => Ok(Groups::default()),
        found => found,
    }
}

/// Whether the kernel is Linux 5.9 or newer, which has qgroups in /sys.
fn tells_everybody() -> bool {
    std::fs::read_to_string("/proc/sys/kernel/osrelease").is_ok_and(|release| is_at_least(&release, (5, 9)))
}

fn is_at_least(release: &str, least: (u32, u32)) -> bool {
    let mut parts = release.split(|each: char| !each.is_ascii_digit()).map_while(|part| part.parse().ok());
    parts.next().zip(parts.next()).is_some_and(|found: (u32, u32)| found >= least)
}

/// A folder a group, `LEVEL_ID`; `None` without quotas.
fn groups_of_sys(folder: &Path) -> Option<Groups> {
    let each = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let group = |name: &str, place: &Path| {
        let (level, id) = name.split_once('_')?;
        let (level, id): (u64, u64) = (level.parse().ok()?, id.parse().ok()?);
        let read = |file: &str| number(place.join(file)).unwrap_or(0);
        let flags = read("limit_flags");
        let limit = |flag: u64, file: &str| if flags & flag != 0 { read(file) } else { 0 };
        let quota = GroupQuota {
            limit_bytes: limit(1, "max_referenced"),
            used_bytes: read("referenced"),
            own_limit_bytes: limit(2, "max_exclusive"),
            own_bytes: read("exclusive"),
        };
        Some((level << 48 | id, quota))
    };
    Some(Groups(each.filter_map(|entry| group(entry.file_name().to_str()?, &entry.path())).collect()))
}

/// As root may read them from the tree of quotas.
fn groups_by_tree(open: BorrowedFd<'_>) -> Result<Groups, Errno> {
    let mut groups = Groups::default();
    let all = (Key { kind: kind::GROUP_INFO, ..Key::FIRST }, Key { object: 0, ..Key::LAST });
    Items::new(open, &|| false).each(QUOTA_TREE, all, |key, contents| groups.add(key, contents))?;
    Ok(groups)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn groups_are_what_the_files_of_sys_say() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(groups_of_sys(&folder.path().join("none")), None);
        std::fs::write(folder.path().join("enabled"), "1\n").unwrap();
        for (name, flags) in [("0_257", "1\n"), ("1_5", "2\n")] {
            let place = folder.path().join(name);
            std::fs::create_dir(&place).unwrap();
            let files = [
                ("limit_flags", flags),
                ("max_referenced", "64\n"),
                ("referenced", "60\n"),
                ("max_exclusive", "32\n"),
                ("exclusive", "30\n"),
            ];
            files.iter().for_each(|(file, text)| std::fs::write(place.join(file), text).unwrap());
        }
        let used = GroupQuota { used_bytes: 60, own_bytes: 30, ..GroupQuota::default() };
        let expected = [
            (257, GroupQuota { limit_bytes: 64, ..used }),
            (1 << 48 | 5, GroupQuota { own_limit_bytes: 32, ..used }),
        ];
        assert_eq!(groups_of_sys(folder.path()), Some(Groups(BTreeMap::from(expected))));
    }

    #[test]
    fn a_release_is_compared_by_its_numbers() {
        for (release, expected) in
            [("5.9", true), ("5.10.0-8-amd64", true), ("6.1-rc1", true), ("5.8.18", false), ("x", false)]
        {
            assert_eq!(is_at_least(release, (5, 9)), expected, "{release}");
        }
    }
}
