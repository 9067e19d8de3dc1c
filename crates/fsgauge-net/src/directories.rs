//! Directories of a share, which are made before files lie in them.

use std::ffi::CString;

use fsgauge_wire::{Failure, Outcome};

use crate::address::Address;
use crate::target::{Answer, ControlSession, Request, Waiting, ask, message_of, wait_failure};

/// Makes a directory of a share, and those above it, where they are missing.
pub fn make_directories(
    control_session: &mut dyn ControlSession,
    directory: &str,
    address: &Address,
    waiting: impl Into<Waiting>,
) -> Outcome<()> {
    let waiting = waiting.into();
    for (end, _) in directory.match_indices('/').chain([(directory.len(), "")]) {
        // Jobs whose paths have a zero in them are refused.
        let path = CString::new(&directory[..end]).unwrap_or_default();
        let answer = ask(control_session, &Request::MakeDirectory { path: &path }, waiting);
        let answer = answer.map_err(|error| wait_failure(&error))?;
        if answer < 0 {
            return Err(no_directory(&directory[..end], answer, address));
        }
    }
    Ok(())
}

fn no_directory(path: &str, answer: Answer, address: &Address) -> Failure {
    let errno = -answer as i32;
    let what = format!("the directory {path} cannot be made on {address}: {}", message_of(errno));
    let (cause, next) = match errno {
        libc::EACCES | libc::EPERM => (
            "this user may not write there",
            "give the user write access to the share, or choose another user",
        ),
        libc::ENOSPC | libc::EDQUOT => ("there is no room", "make room there, or choose another share"),
        libc::EROFS => ("it can only be read", "choose a share that can be written"),
        libc::EEXIST => ("a file has that name", "choose another directory"),
        _ => ("the server refused it", "look into the server's log"),
    };
    Failure::system("network.directory", Some(errno), what, cause, next)
}
