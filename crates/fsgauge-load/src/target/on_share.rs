//! Files of a target on a share: where they lie, in messages and in words, and what is said of an error there.

use std::ffi::CString;
use std::path::{Path, PathBuf};

use fsgauge_wire::{ShareTarget, Target};

/// The name of file `number`; empty where the target is on no share.
fn name_of(target: &Target, number: u32) -> String {
    match target {
        Target::ShareFiles { prefix, .. } => format!("{prefix}{number:04}"),
        Target::ShareFile { name, .. } => name.clone(),
        Target::Null { .. } | Target::Block { .. } | Target::Files { .. } | Target::File { .. } => {
            String::new()
        }
    }
}

/// The path of file `number` below the share's root. Names with a zero in them are refused before.
pub(crate) fn path_in(share: &ShareTarget, target: &Target, number: u32) -> CString {
    let path = format!("{}/{}", share.directory(), name_of(target, number));
    CString::new(path).unwrap_or_default()
}

/// How a file of a share is called: //HOST/SHARE/DIRECTORY/NAME, HOST:/EXPORT/DIRECTORY/NAME.
pub(crate) fn shown(share: &ShareTarget, target: &Target, number: u32) -> PathBuf {
    let root = match share {
        ShareTarget::Smb(smb) => format!("//{}/{}", smb.host, smb.share),
        ShareTarget::Nfs(nfs) => format!("{}:{}", nfs.host, nfs.export),
    };
    Path::new(&root).join(share.directory()).join(name_of(target, number))
}

/// Cause and next step of an operation that a server did not do.
pub(crate) fn io_advice(errno: i32) -> (&'static str, &'static str) {
    match errno {
        libc::ENOSPC | libc::EDQUOT => {
            ("the server's file system or the quota is full", "make room there; choose a smaller target")
        }
        libc::ECONNRESET | libc::ENOTCONN | libc::EPIPE => (
            "the connection or the session ended; a load does not come back, for it would be another one",
            "look into the server's log",
        ),
        libc::ETIMEDOUT => {
            ("the server, or the way to it, gave no answer in time", "look into the server's log; ping it")
        }
        libc::EACCES | libc::EPERM => ("this user may not", "give the user access to the share's files"),
        libc::EROFS => ("it can only be read", "choose a share that can be written"),
        libc::ENOENT => ("it is not there", "run a job of kind layout on this target first"),
        libc::EPROTO => ("the server speaks otherwise than was asked for", "look into the server's log"),
        _ => ("the server refused it", "look into the server's log"),
    }
}
