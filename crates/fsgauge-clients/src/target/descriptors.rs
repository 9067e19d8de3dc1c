//! Room for descriptors: clients have many files open at once.

use rustix::fs::{Mode, OFlags, open};
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the engine itself has open: standard streams, rings, directories, devices.
const OWN: u64 = 64;

/// Makes room for `needed` descriptors beside the engine's own: raises the soft limit to the hard one where
/// that is necessary. Else gives what is needed in all, and the limit; what fits is that limit less the
/// difference between the two needs.
pub(crate) fn descriptor_limit(needed: u64) -> Result<(), (u64, u64)> {
    let needed = needed.saturating_add(OWN);
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_some_and(|soft| soft < needed) {
        let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
        // Refused only by a sandbox: the limit stays what it was.
        if setrlimit(Resource::Nofile, raised).is_ok() {
            limit = raised;
        }
    }
    match limit.current {
        Some(soft) if soft < needed => Err((needed, soft)),
        _ => {
            grow_table(needed);
            Ok(())
        }
    }
}

/// Grows the table of descriptors now. Later, when threads share it, each growth would wait for a grace period
/// of RCU (Linux 6.12, fs/file.c, expand_fdtable), in the middle of what is measured.
fn grow_table(length: u64) {
    let Ok(last) = i32::try_from(length - 1) else { return };
    // An optimisation: if anything is refused here, the table grows when it has to.
    if let Ok(root) = open(c"/", OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
        drop(fcntl_dupfd_cloexec(&root, last));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_told_in_numbers() {
        assert_eq!(descriptor_limit(100), Ok(()));
        let (needed, limit) = descriptor_limit(1 << 40).unwrap_err();
        assert_eq!(needed, (1 << 40) + OWN);
        assert_eq!(Some(limit), getrlimit(Resource::Nofile).maximum);
        let fits = limit - (needed - (1 << 40));
        assert_eq!(descriptor_limit(fits), Ok(()));
        assert_eq!(descriptor_limit(fits + 1), Err((limit + 1, limit)));
    }
}
