//! Paths on a server: where the target's directory is, and what a person calls them.

use fsgauge_wire::{ClientsJob, ClientsTarget};

/// The target's directory on the server, with slashes.
pub(crate) fn directory_of(target: &ClientsTarget) -> &str {
    match target {
        ClientsTarget::Smb(smb) => &smb.directory,
        ClientsTarget::Nfs(nfs) => &nfs.directory,
        ClientsTarget::Null {} | ClientsTarget::Path { .. } => "",
    }
}

/// What a path of a share or an export is called.
pub(crate) fn shown(job: &ClientsJob, path: &str) -> String {
    use fsgauge_wire::ClientsTarget::{Nfs, Null, Path, Smb};
    match &job.target {
        Null {} | Path { .. } => path.into(),
        Smb(smb) => format!("//{}/{}/{path}", smb.host, smb.share),
        Nfs(nfs) => format!("{}:{}/{path}", nfs.host, nfs.export),
    }
}
