//! What a job must be whose files come in another order than by number, or whose file system is synced at the end.

use fsgauge_wire::{ClientsJob, ClientsTarget, FileOrder, Phase, Tree};

use super::refuse::{Check, refuse};

/// Checks `order`, `wear_out`, `only_existing` and `sync_at_end`.
pub(super) fn check_order(job: &ClientsJob) -> Check {
    let is_path = matches!(job.target, ClientsTarget::Path { .. });
    if job.sync_at_end && !is_path {
        let what = "sync_at_end on a target that is not a path".to_string();
        let cause = "there is no file system here that could be synced";
        return refuse("sync_at_end", what, cause, "leave sync_at_end out");
    }
    if job.wear_out
        && !(matches!(job.phase, Phase::Write { .. })
            && job.order == FileOrder::Number
            && job.outstanding == 1)
    {
        let what =
            "wear_out in a phase that does not write by number, one file of a client at a time".to_string();
        let cause = "what follows finds the files of a client up to the first that is missing";
        return refuse("wear_out", what, cause, "leave wear_out out");
    }
    let is_on_files =
        matches!(job.phase, Phase::Read {} | Phase::Stat {} | Phase::Rename {} | Phase::Delete {});
    if job.only_existing && !(is_path && is_on_files) {
        let what = "only_existing on a server, or in a phase that takes no files as they are".to_string();
        let cause =
            "files are looked for in a directory of this machine, to be read, asked for, renamed or removed";
        return refuse("only_existing", what, cause, "leave only_existing out");
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
