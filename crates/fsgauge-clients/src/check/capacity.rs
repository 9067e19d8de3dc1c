//! Whether this machine and its storage have room for a job of clients: descriptors, bytes, inodes.

use std::sync::Arc;

use fsgauge_door::Folder;
use fsgauge_wire::{ClientsJob, ClientsTarget, Dispatch, FileOrder, Outcome, Phase, Tree};
use rustix::fs::{StatVfs, fstatvfs};
use rustix::process::geteuid;

use super::network::sockets_of;
use super::refuse::{Check, refuse};
use crate::client_threads::threads_of;
use crate::file_set::{Sizes, directories};
use crate::folder::enter;
use crate::target::descriptor_limit;

/// Descriptors of a loop: its directory and its ring.
const DESCRIPTORS_OF_LOOP: u64 = 4;
/// Descriptors of a client's thread: its directory, and the one above.
const DESCRIPTORS_OF_THREAD: u64 = 2;

/// Checks what the target needs to be there and to have; gives its folder on this machine.
pub(super) fn check_room(job: &ClientsJob) -> Outcome<Option<Arc<Folder>>> {
    if let Some(sockets) = sockets_of(&job.target) {
        return check_sockets(job, sockets).map(|()| None);
    }
    if matches!(job.target, ClientsTarget::Path { .. }) {
        check_descriptors(job)?;
    }
    let folder = enter(&job.target)?;
    if let (Phase::Write { .. }, Some(folder)) = (&job.phase, &folder) {
        check_storage(job, folder)?;
    }
    Ok(folder)
}

fn check_descriptors(job: &ClientsJob) -> Check {
    let has_open_files = !matches!(job.phase, Phase::Stat {} | Phase::Rename {} | Phase::Delete {});
    let each = if has_open_files { u64::from(job.outstanding) } else { 0 };
    let each = each + u64::from(job.order == FileOrder::Directory);
    let each = each + if job.dispatch == Dispatch::Threads { DESCRIPTORS_OF_THREAD } else { 0 };
    let loops = match job.dispatch {
        Dispatch::EventLoop => DESCRIPTORS_OF_LOOP * u64::from(threads_of(job)),
        Dispatch::Threads => 0,
    };
    let files = u64::from(job.clients) * each;
    let Err((needed, limit)) = descriptor_limit(files + loops) else { return Ok(()) };
    let fitting = (limit + files).saturating_sub(needed) / each.max(1);
    let (clients, outstanding) = (job.clients, job.outstanding);
    let what = format!(
        "{clients} clients with {outstanding} open files each need {needed} descriptors, and {limit} are the limit"
    );
    let next = match fitting {
        0 => format!("ulimit -Hn {needed}, as root"),
        _ => format!("set clients to {fitting} at most, or as root: ulimit -Hn {needed}"),
    };
    refuse("clients", what, "the hard limit of open files of a process", &next)
}

/// Files are open on the server only; a target has one more descriptor to wait at, and one to spare.
fn check_sockets(job: &ClientsJob, sockets: u64) -> Check {
    let waits = 2 * u64::from(threads_of(job));
    let all = u64::from(job.clients) * sockets;
    let Err((needed, limit)) = descriptor_limit(all + waits) else { return Ok(()) };
    let each = sockets + if job.dispatch == Dispatch::Threads { 2 } else { 0 };
    let fitting = (limit + all + waits).saturating_sub(needed) / each;
    let clients = job.clients;
    let what = format!(
        "{clients} clients with {sockets} sockets each need {needed} descriptors, and {limit} are the limit"
    );
    let next = match fitting {
        0 => format!("ulimit -Hn {needed}, as root"),
        _ => format!("set clients to {fitting} at most, or as root: ulimit -Hn {needed}"),
    };
    refuse("clients", what, "the hard limit of open files of a process", &next)
}

fn check_storage(job: &ClientsJob, folder: &Folder) -> Check {
    let Ok(found) = fstatvfs(folder) else { return Ok(()) };
    let (clients, files) = (job.clients, job.files.files_per_client);
    let total = Sizes::new(&job.files, job.seed).total(clients, files);
    let free = free_bytes(&found);
    if total.stored_bytes > free {
        let fitting = (u128::from(files) * u128::from(free) / u128::from(total.stored_bytes)) as u64;
        let what = format!(
            "{clients} clients with {files} files each write {}, and {} has {} free",
            in_mib(total.stored_bytes),
            folder.path().display(),
            in_mib(free)
        );
        let cause = "the storage is too small or too full";
        return refuse("files", what, cause, &fits(fitting, "files_per_client", "choose fewer clients"));
    }
    let directories = match job.files.tree {
        Tree::Own {} => u64::from(clients),
        Tree::Shared { .. } => directories(&job.files, clients).count() as u64,
    };
    let needed = u64::from(clients) * u64::from(files) + directories;
    // Zero where a file system makes inodes as it needs them.
    let inodes = found.f_favail;
    if found.f_files > 0 && needed > inodes {
        let fitting = inodes.saturating_sub(directories) / u64::from(clients);
        let what = format!(
            "{clients} clients with {files} files each need {needed} inodes, and {} has {inodes} free",
            folder.path().display()
        );
        let cause = "the file system was made with few inodes, or has many files";
        return refuse("files", what, cause, &fits(fitting, "files_per_client", "make it with more inodes"));
    }
    Ok(())
}

fn fits(fitting: u64, key: &str, otherwise: &str) -> String {
    match fitting {
        0 => otherwise.into(),
        _ => format!("set {key} to {fitting} at most"),
    }
}

fn in_mib(size_bytes: u64) -> String {
    format!("{:.1} MiB", size_bytes as f64 / f64::from(1 << 20))
}

/// What this user may still write.
fn free_bytes(found: &StatVfs) -> u64 {
    let blocks = if geteuid().is_root() { found.f_bfree } else { found.f_bavail };
    blocks.saturating_mul(found.f_frsize)
}
