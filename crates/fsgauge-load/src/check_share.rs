//! What a load or a layout must be whose target is on a share.

use fsgauge_net::check_share as check_address;
use fsgauge_wire::{
    Descriptors, Failure, Interface, LayoutJob, LoadJob, PasswordSource, ShareTarget, Target, Workers,
};

/// The most operations under way on a connection: so many a server gives credits for.
pub(crate) const SHARE_DEPTH_LIMIT: u32 = 512;
/// Longer names are refused by every file system.
const NAME_LIMIT_BYTES: usize = 250;

type Check = Result<(), Failure>;

fn refuse(key: &str, what: impl Into<String>, cause: &str, next: &str) -> Check {
    Err(Failure::job(key, what, cause, next))
}

/// Checks what a share does not have.
pub(crate) fn check_share(load: &LoadJob) -> Check {
    let Some(share) = load.target.share() else { return check_interface_here(load) };
    check_target(&load.target, share)?;
    if load.interface != Interface::Sockets {
        return refuse(
            "interface",
            "a target on a share needs interface sockets",
            "its operations are messages to a server, not system calls on a file",
            "set interface to \"sockets\"",
        );
    }
    check_depth(load.queue_depth)?;
    if load.descriptors == Descriptors::Shared {
        return refuse(
            "descriptors",
            "descriptors \"shared\" on a share",
            "each job has a session of its own, and a file is open in one session",
            "leave descriptors out",
        );
    }
    if load.noatime {
        return refuse(
            "noatime",
            "noatime on a share",
            "neither SMB nor NFS can ask for it: the server's mount decides",
            "leave noatime out",
        );
    }
    if load.preallocate || load.preallocate_chunk_bytes.is_some() {
        return refuse(
            "preallocate",
            "preallocate on a share",
            "NFS version 3 has no fallocate(2), and SMB none that servers treat alike",
            "leave preallocate and preallocate_chunk_bytes out",
        );
    }
    if !load.companions.is_empty() {
        return refuse(
            "companions",
            "companions of a load on a share",
            "they work on files of this machine",
            "leave companions out",
        );
    }
    check_processes(load, share)
}

/// Checks a layout.
pub(crate) fn check_layout_share(layout: &LayoutJob) -> Check {
    let Some(share) = layout.target.share() else { return Ok(()) };
    check_target(&layout.target, share)?;
    check_depth(layout.queue_depth)?;
    if layout.preallocate {
        return refuse(
            "preallocate",
            "preallocate on a share",
            "NFS version 3 has no fallocate(2), and SMB none that servers treat alike",
            "set preallocate to false",
        );
    }
    Ok(())
}

fn check_interface_here(load: &LoadJob) -> Check {
    if load.interface == Interface::Sockets {
        return refuse(
            "interface",
            "interface sockets on this machine",
            "it carries messages to a server",
            "choose io_uring or psync, or a target on a share",
        );
    }
    Ok(())
}

fn check_target(target: &Target, share: &ShareTarget) -> Check {
    check_address(share)?;
    let (what, name) = match target {
        Target::ShareFiles { prefix, .. } => ("prefix", prefix),
        Target::ShareFile { name, .. } => ("name", name),
        Target::Null { .. } | Target::Block { .. } | Target::Files { .. } | Target::File { .. } => {
            return Ok(());
        }
    };
    let is_fine = !matches!(name.as_str(), "" | "." | "..")
        && !name.contains(['/', '\\', '\0', ':', '*', '?', '"', '<', '>', '|'])
        && name.len() <= NAME_LIMIT_BYTES;
    if !is_fine {
        let what = format!("{what} {name:?} is not the name of a file on a share");
        return refuse("target", what, "it is one name, without slashes", "give for example data");
    }
    Ok(())
}

fn check_depth(depth: u32) -> Check {
    if depth > SHARE_DEPTH_LIMIT {
        return refuse(
            "queue_depth",
            format!("queue_depth {depth} on a share is above {SHARE_DEPTH_LIMIT}"),
            "a server takes no more of one connection at a time",
            "choose more jobs: each has a connection",
        );
    }
    Ok(())
}

/// A worker process logs in by itself, as a process that was not started by another one would.
fn check_processes(load: &LoadJob, share: &ShareTarget) -> Check {
    let ShareTarget::Smb(smb) = share else { return Ok(()) };
    let is_in_a_variable = matches!(smb.password, Some(PasswordSource::Environment { .. }));
    if load.workers == Workers::Processes && is_in_a_variable {
        return refuse(
            "workers",
            "worker processes with a password in a variable",
            "a password is read once, and is not handed on: each process logs in by itself",
            "give the password in a file, or set workers to \"threads\"",
        );
    }
    Ok(())
}
