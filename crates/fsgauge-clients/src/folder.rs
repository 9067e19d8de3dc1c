//! The folder that clients work in: entered once, before anything is measured, and never resolved again.

use std::path::Path;
use std::sync::Arc;

use fsgauge_door::Folder;
use fsgauge_wire::{ClientsTarget, Failure, Outcome};
use rustix::io::Errno;

/// Enters the folder of a target on this machine; other targets have none.
pub(crate) fn enter(target: &ClientsTarget) -> Outcome<Option<Arc<Folder>>> {
    let ClientsTarget::Path { directory } = target else { return Ok(None) };
    let entered = Folder::enter(Path::new(directory)).map_err(|errno| refused(directory, errno))?;
    Ok(Some(Arc::new(entered)))
}

fn refused(directory: &str, errno: Errno) -> Failure {
    let (cause, next) = match errno {
        Errno::NOENT => ("it does not exist", format!("mkdir -p {directory}")),
        Errno::NOTDIR => ("it is no directory", "name a directory".into()),
        Errno::ACCESS | Errno::PERM => ("this user may not", format!("ls -ld {directory}; or run as root")),
        Errno::MFILE | Errno::NFILE => ("too many files are open", "ulimit -n 65536".into()),
        _ => ("the kernel refused it", "dmesg | tail".into()),
    };
    if matches!(errno, Errno::NOENT | Errno::NOTDIR) {
        return Failure::job("target", format!("clients cannot work in {directory}"), cause, next);
    }
    let what = format!("the directory {directory} cannot be opened: {errno}");
    Failure::system("target.open", Some(errno.raw_os_error()), what, cause, next)
}
