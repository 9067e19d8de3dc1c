//! Where a target's files lie on a share: in messages, and in words.

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
pub(super) fn path_in(share: &ShareTarget, target: &Target, number: u32) -> CString {
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
