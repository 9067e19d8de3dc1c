//! What the job of a backup must be before anything is touched.

use fsgauge_clock::check_start;
use fsgauge_wire::{BackupOrder, ClientsJob, ClientsTarget, Failure, FileOrder, Outcome, Phase};

use crate::check::{check_data, check_network, check_set, check_times};
use crate::server::{directory_of, shown};

/// The largest read that Linux does in one call, rounded down.
const BLOCK_SIZE_LIMIT: u32 = 1 << 30;

/// What a backup has to do, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct BackupPlan {
    /// As a person knows it.
    pub(super) directory: String,
    pub(super) is_on_server: bool,
    pub(super) order: BackupOrder,
    pub(super) block_size_bytes: u32,
    pub(super) time_limit_ns: u64,
    pub(super) interval_ns: u64,
}

fn refuse<T>(key: &str, what: impl Into<String>, cause: &str, next: &str) -> Outcome<T> {
    Err(Failure::job(key, what, cause, next))
}

/// Checks the job of a backup. What concerns only clients that write or are many is not looked at.
pub(super) fn check(job: &ClientsJob) -> Outcome<BackupPlan> {
    let Phase::Backup { order, block_size_bytes } = job.phase else {
        return refuse("phase", "this is not a backup", "another phase was asked for", "choose phase backup");
    };
    let (directory, is_on_server) = match &job.target {
        ClientsTarget::Path { directory } => (directory.clone(), false),
        ClientsTarget::Smb(_) | ClientsTarget::Nfs(_) => (shown(job, directory_of(&job.target)), true),
        ClientsTarget::Null {} => {
            let what = "the null target has no files to back up";
            return refuse(
                "target",
                what,
                "only clients can work on nothing",
                "choose a target of kind \"path\"",
            );
        }
    };
    if is_on_server {
        check_network(job)?;
        if order != BackupOrder::Directory {
            let what = format!("order {order:?} for a backup over the network").to_lowercase();
            let cause = "a share does not say where files lie";
            return refuse("order", what, cause, "choose order \"directory\"");
        }
    }
    if job.clients != 1 || job.outstanding != 1 {
        let what = format!("{} clients with {} files at a time back up", job.clients, job.outstanding);
        return refuse("clients", what, "a backup has one reader", "set clients=1 and outstanding=1");
    }
    if job.order != FileOrder::Number || job.sync_at_end {
        let what = "a backup with an order of files, or a sync at the end";
        let cause = "its phase says which file comes first, and it writes nothing";
        return refuse("order", what, cause, "leave order and sync_at_end out");
    }
    check_start(&job.wanted_start())?;
    if job.think.is_some() || job.rate.is_some() {
        let what = "a backup does not rest between files, and has no pace";
        return refuse("think", what, "it is as fast as its storage", "leave think and rate out");
    }
    if block_size_bytes == 0 || block_size_bytes > BLOCK_SIZE_LIMIT {
        let what = format!("block_size_bytes {block_size_bytes} is not between 1 and {BLOCK_SIZE_LIMIT}");
        return refuse("block_size_bytes", what, "no system call reads that", "choose for example 1048576");
    }
    check_times(job)?;
    if job.verify || is_on_server {
        check_set(&job.files)?;
        check_data(job)?;
    }
    let (time_limit_ns, interval_ns) = (job.time_limit_ns, job.interval_ns);
    Ok(BackupPlan { directory, is_on_server, order, block_size_bytes, time_limit_ns, interval_ns })
}
