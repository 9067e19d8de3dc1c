//! What a job must be whose files come in another order than by number, or whose file system is synced at the end.

use fsgauge_wire::{ClientsJob, ClientsTarget, FileOrder, Phase, Tree};

use super::refuse::{Check, refuse};

/// Checks `order` and `sync_at_end`.
pub(super) fn check_order(job: &ClientsJob) -> Check {
    let is_path = matches!(job.target, ClientsTarget::Path { .. });
    if job.sync_at_end && !is_path {
        let what = "sync_at_end on a target that is not a path".to_string();
        let cause = "there is no file system here that could be synced";
        return refuse("sync_at_end", what, cause, "leave sync_at_end out");
    }
    if job.order == FileOrder::Number {
        return Ok(());
    }
    if matches!(job.phase, Phase::Mix { .. }) {
        let what = "an order of files in a mix".to_string();
        return refuse("order", what, "a mix draws each file", "leave order out");
    }
    if job.order == FileOrder::Random {
        return Ok(());
    }
    if !matches!(job.phase, Phase::Read {} | Phase::Stat {} | Phase::Delete {}) {
        let what = "order \"directory\" in a phase that does not find its files".to_string();
        let cause = "a directory gives the files that exist";
        return refuse("order", what, cause, "choose phase read, stat or delete, or order \"random\"");
    }
    if !is_path || job.files.tree != (Tree::Own {}) {
        let what = "order \"directory\" on a server, on nothing, or in a shared tree".to_string();
        let cause = "a client reads one directory of its own, on this machine";
        return refuse("order", what, cause, "choose a path and tree \"own\", or order \"random\"");
    }
    Ok(())
}
