//! What the job of a backup must be before anything is touched.

use fsgauge_wire::{BackupOrder, ClientsJob, ClientsTarget, Failure, Outcome, Phase};

/// The largest read that Linux does in one call, rounded down.
const BLOCK_SIZE_LIMIT: u32 = 1 << 30;
/// Shorter intervals would be a load of their own.
const INTERVAL_MIN_NS: u64 = 1_000_000;

/// What a backup has to do, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) directory: String,
    pub(super) order: BackupOrder,
    pub(super) block_size_bytes: u32,
    pub(super) time_limit_ns: u64,
    pub(super) interval_ns: u64,
}

fn refuse<T>(key: &str, what: impl Into<String>, cause: &str, next: &str) -> Outcome<T> {
    Err(Failure::job(key, what, cause, next))
}

/// Checks the job of a backup. What concerns only clients that write or are many is not looked at.
pub(super) fn check(job: &ClientsJob) -> Outcome<Plan> {
    let Phase::Backup { order, block_size_bytes } = job.phase else {
        return refuse("phase", "this is not a backup", "another phase was asked for", "choose phase backup");
    };
    let ClientsTarget::Path { directory } = &job.target else {
        let what = "the null target has no files to back up";
        return refuse(
            "target",
            what,
            "only clients can work on nothing",
            "choose a target of kind \"path\"",
        );
    };
    if job.clients != 1 || job.outstanding != 1 {
        let what = format!("{} clients with {} files at a time back up", job.clients, job.outstanding);
        return refuse("clients", what, "a backup has one reader", "set clients=1 and outstanding=1");
    }
    if job.think.is_some() {
        let what = "a backup does not rest between files";
        return refuse("think", what, "it is as fast as its storage", "leave think out");
    }
    if block_size_bytes == 0 || block_size_bytes > BLOCK_SIZE_LIMIT {
        let what = format!("block_size_bytes {block_size_bytes} is not between 1 and {BLOCK_SIZE_LIMIT}");
        return refuse("block_size_bytes", what, "no system call reads that", "choose for example 1048576");
    }
    if job.time_limit_ns == 0 {
        let what = "time_limit_ns is 0";
        return refuse("time_limit_ns", what, "not one file could be read", "give the backup a time");
    }
    if job.interval_ns < INTERVAL_MIN_NS {
        let what = format!("interval_ns {} is below {INTERVAL_MIN_NS}", job.interval_ns);
        return refuse("interval_ns", what, "that many intervals would be a load of their own", "choose 1e9");
    }
    let (time_limit_ns, interval_ns) = (job.time_limit_ns, job.interval_ns);
    Ok(Plan { directory: directory.clone(), order, block_size_bytes, time_limit_ns, interval_ns })
}
