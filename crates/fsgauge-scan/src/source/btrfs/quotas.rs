//! Groups of subvolumes (qgroups): what each takes, and how much it may.

use std::collections::BTreeMap;

use fsgauge_wire::FullQuota;

use super::Volume;
use super::items::{Key, kind};
use super::pointer::Pointer;
use crate::Problems;
use crate::bytes::Bytes;

/// Full ones that are listed.
const LISTED: usize = 8;

/// What a group takes, and how much it may: 0 for no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(in crate::source) struct GroupQuota {
    pub(in crate::source) limit_bytes: u64,
    pub(in crate::source) used_bytes: u64,
    /// The same of what no other group has.
    pub(in crate::source) own_limit_bytes: u64,
    pub(in crate::source) own_bytes: u64,
}

/// All groups by their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::source) struct Groups(pub(in crate::source) BTreeMap<u64, GroupQuota>);

impl Groups {
    /// Of the tree of quotas on an image.
    pub(super) fn read(volume: &Volume<'_>, root: &Pointer, problems: &mut Problems) -> Groups {
        let mut groups = Groups::default();
        volume.walk_all(root, problems, &mut |key, contents, _| groups.add(key, contents));
        groups
    }

    /// Adds an item of the tree of quotas.
    pub(in crate::source) fn add(&mut self, key: &Key, contents: &[u8]) {
        if key.object != 0 || !matches!(key.kind, kind::GROUP_INFO | kind::GROUP_LIMIT) {
            return;
        }
        let word = |at: usize| contents.le64(at).unwrap_or(0);
        let group = self.0.entry(key.offset).or_default();
        if key.kind == kind::GROUP_INFO {
            (group.used_bytes, group.own_bytes) = (word(8), word(24));
        } else {
            let limit = |flag: u64, at: usize| if word(0) & flag != 0 { word(at) } else { 0 };
            (group.limit_bytes, group.own_limit_bytes) = (limit(1, 8), limit(2, 16));
        }
    }

    /// Those that are used up.
    pub(in crate::source) fn full(&self) -> Vec<FullQuota> {
        self.0.iter().filter_map(full_group).take(LISTED).collect()
    }
}

/// A change reserves more than it takes: with less than a 64th left, from 1 to 16 MiB, the next is refused or soon.
fn full_group((group, quota): (&u64, &GroupQuota)) -> Option<FullQuota> {
    let is_used_up = |limit: u64, used: u64| {
        limit > 0 && used.saturating_add((limit / 64).clamp(1 << 20, 16 << 20)) > limit
    };
    let limits = [(quota.limit_bytes, quota.used_bytes), (quota.own_limit_bytes, quota.own_bytes)];
    let (of, (limit, _)) =
        ["bytes", "own bytes"].into_iter().zip(limits).find(|&(_, (limit, used))| is_used_up(limit, used))?;
    let (level, id) = (group >> 48, u32::try_from(group & ((1 << 48) - 1)).ok()?);
    Some(FullQuota { kind: format!("qgroup {level}/"), id, of: of.to_owned(), limit })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_the_tree_say_what_a_group_takes_and_may() {
        let words = |words: &[u64]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
        let key = |object, kind, group| Key { object, kind, offset: group };
        let mut groups = Groups::default();
        groups.add(&key(0, kind::GROUP_INFO, 257), &words(&[9, 64 << 20, 0, 5 << 20, 0]));
        groups.add(&key(0, kind::GROUP_INFO, 258), &words(&[9, 60 << 20, 0, 32 << 20, 0]));
        groups.add(&key(0, kind::GROUP_LIMIT, 257), &words(&[1, 64 << 20, 1, 0, 0]));
        groups.add(&key(0, kind::GROUP_LIMIT, 258), &words(&[3, 64 << 20, 32 << 20, 0, 0]));
        groups.add(&key(257, kind::GROUP_INFO, 259), &words(&[9, 1, 0, 1, 0]));
        groups.add(&key(0, kind::GROUP_LIMIT, 260), &[1]);
        let full = |id, of: &str, limit| FullQuota { kind: "qgroup 0/".into(), id, of: of.into(), limit };
        assert_eq!(groups.full(), [full(257, "bytes", 64 << 20), full(258, "own bytes", 32 << 20)]);
    }
}
