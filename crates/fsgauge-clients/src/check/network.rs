//! What a job of clients on a server must be before the server is asked.

use fsgauge_net::{check_nfs, check_smb};
use fsgauge_wire::{ClientsInterface, ClientsJob, ClientsTarget, Phase};

use super::refuse::{Check, refuse};

/// Checks what concerns servers: the target, and phases that only they have.
pub(crate) fn check_network(job: &ClientsJob) -> Check {
    match &job.target {
        ClientsTarget::Null {} | ClientsTarget::Path { .. } => return check_here(job),
        ClientsTarget::Smb(smb) => check_smb(smb)?,
        ClientsTarget::Nfs(nfs) => check_nfs(nfs)?,
    }
    if job.interface == ClientsInterface::IoUring {
        let what = "interface is \"io_uring\" for clients of a server".to_string();
        let cause = "their messages go through sockets and epoll";
        return refuse("interface", what, cause, "leave interface out");
    }
    Ok(())
}

/// Sockets that a client of a server has.
pub(crate) fn sockets_of(target: &ClientsTarget) -> Option<u64> {
    match target {
        ClientsTarget::Null {} | ClientsTarget::Path { .. } => None,
        ClientsTarget::Smb(_) | ClientsTarget::Nfs(_) => Some(1),
    }
}

fn check_here(job: &ClientsJob) -> Check {
    if job.phase == (Phase::Clear {}) {
        let what = "phase \"clear\" for a target on this machine".to_string();
        let next = "choose phase \"delete\", or remove the directory";
        return refuse("phase", what, "it is for shares and exports, which nobody else can reach", next);
    }
    Ok(())
}
