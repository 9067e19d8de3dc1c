//! How many files may be open: the soft limit is raised to the hard one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Descriptors for directories and for files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Descriptors {
    pub(crate) directories: usize,
    pub(crate) files: usize,
}

/// More would not help: the kernel's own tables grow with them.
const MOST: u64 = 8192;
/// Standard streams, the root, and whatever else the process has open.
const OTHERS: u64 = 64;

pub(crate) fn descriptors() -> Descriptors {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    let limit = if setrlimit(Resource::Nofile, raised).is_ok() { limit.maximum } else { limit.current };
    share(limit.unwrap_or(u64::MAX))
}

fn share(limit: u64) -> Descriptors {
    let free = limit.min(2 * MOST).saturating_sub(OTHERS).max(2) as usize;
    Descriptors { directories: free / 2, files: free - free / 2 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_are_left_for_others() {
        assert_eq!(share(1024), Descriptors { directories: 480, files: 480 });
        assert_eq!(share(10), Descriptors { directories: 1, files: 1 });
        assert!(share(u64::MAX).files as u64 <= MOST);
    }
}
