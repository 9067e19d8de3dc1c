//! What the kernel's refusals mean for a scan: problems that are counted and named.

use std::fmt::Display;

use rustix::io::Errno;

use crate::Problems;
use crate::error_text::error_text;

/// Who may not read something, and who may.
pub(super) fn not_permitted() -> &'static str {
    if rustix::process::geteuid().is_root() {
        "Root may not read them here: a user's FUSE, another machine (root_squash), or no CAP_DAC_READ_SEARCH"
    } else {
        "This user may not read them; root may"
    }
}

/// Counts a file or folder that could not be read, by its cause.
pub(super) fn add(problems: &mut Problems, errno: Errno, place: impl Display) {
    let (code, text) = match errno {
        Errno::ACCESS | Errno::PERM => ("not_permitted", not_permitted()),
        Errno::NOENT | Errno::STALE | Errno::NOTDIR | Errno::LOOP => {
            ("vanished", "They were removed or replaced during the scan")
        }
        Errno::OPNOTSUPP | Errno::NOTTY | Errno::NOSYS | Errno::INVAL => {
            ("no_fiemap", "Their file system does not report extents (no FIEMAP)")
        }
        Errno::NOKEY => ("no_key", "They are encrypted and their key is not loaded"),
        Errno::WOULDBLOCK | Errno::BUSY | Errno::TXTBSY => ("busy", "Another program has locked them"),
        Errno::MFILE | Errno::NFILE => {
            ("open_files", "The limit of open files was reached: folders too deep")
        }
        // What a file system says that has shut down, too.
        Errno::IO | Errno::NXIO | Errno::NODEV => {
            ("read_error", "The device did not return the data requested")
        }
        // EFSCORRUPTED and EFSBADCRC of ext4, XFS and btrfs.
        Errno::UCLEAN | Errno::BADMSG => ("damaged", "A structure of the file system is damaged there"),
        _ => ("not_read", "The kernel refused to read them"),
    };
    problems.add(code, text, format_args!("{place}: {}", error_text(errno)));
}
