//! One quota, wherever it was read, and when it is used up.

use std::time::{SystemTime, UNIX_EPOCH};

use fsgauge_wire::FullQuota;

/// Quotas that are looked at, and full ones that are listed, of each kind.
pub(super) const LOOKED_AT: usize = 65_536;
pub(super) const LISTED: usize = 8;

/// Limits and use of one user, group or project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Quota {
    pub(super) id: u32,
    pub(super) hard_bytes: u64,
    pub(super) soft_bytes: u64,
    pub(super) used_bytes: u64,
    pub(super) hard_inodes: u64,
    pub(super) soft_inodes: u64,
    pub(super) used_inodes: u64,
    /// When the grace above the soft limits ends, in seconds since 1970; 0 below them.
    pub(super) bytes_until: u64,
    pub(super) inodes_until: u64,
}

/// Against which the end of a grace is held.
pub(super) fn now_seconds() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs())
}

/// Root is held by no limit of its own.
pub(super) fn used_up(kind: &str, quota: &Quota, now: u64) -> Vec<FullQuota> {
    let is_over = |used: u64, soft: u64, until: u64| soft > 0 && used > soft && until > 0 && until <= now;
    let mut found = Vec::new();
    let mut exhausted = |of: &str, limit: u64| {
        found.push(FullQuota { kind: kind.to_owned(), id: quota.id, of: of.to_owned(), limit });
    };
    // A block more would be over it.
    if quota.hard_bytes > 0 && quota.used_bytes.saturating_add(4096) > quota.hard_bytes {
        exhausted("bytes", quota.hard_bytes);
    } else if is_over(quota.used_bytes, quota.soft_bytes, quota.bytes_until) {
        exhausted("bytes", quota.soft_bytes);
    }
    if quota.hard_inodes > 0 && quota.used_inodes >= quota.hard_inodes {
        exhausted("inodes", quota.hard_inodes);
    } else if is_over(quota.used_inodes, quota.soft_inodes, quota.inodes_until) {
        exhausted("inodes", quota.soft_inodes);
    }
    if kind != "project" && quota.id == 0 { Vec::new() } else { found }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quota_is_used_up_at_its_hard_limit_and_above_its_soft_one_when_the_grace_is_over() {
        let quota = Quota {
            id: 7,
            hard_bytes: 1 << 20,
            soft_bytes: 1 << 19,
            used_bytes: (1 << 20) - 4096,
            hard_inodes: 10,
            soft_inodes: 5,
            used_inodes: 6,
            bytes_until: 0,
            inodes_until: 100,
        };
        let of = |quota: &Quota, now: u64| -> Vec<(String, u64)> {
            used_up("user", quota, now).into_iter().map(|full| (full.of, full.limit)).collect()
        };
        assert_eq!(of(&quota, 99), []);
        assert_eq!(of(&quota, 100), [("inodes".to_owned(), 5)]);
        let full = Quota { used_bytes: (1 << 20) - 4095, used_inodes: 10, ..quota };
        assert_eq!(of(&full, 0), [("bytes".to_owned(), 1 << 20), ("inodes".to_owned(), 10)]);
        assert_eq!(of(&Quota { id: 0, ..full }, 0), [], "root is held by none");
        let unlimited = Quota { hard_bytes: 0, soft_bytes: 0, hard_inodes: 0, soft_inodes: 0, ..full };
        assert_eq!(of(&unlimited, 1000), []);
    }
}
