//! The places that this process was started with.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static HELD: OnceLock<Vec<(PathBuf, OwnedFd)>> = OnceLock::new();

/// Takes the places of this process's job, for as long as the process runs. They are given once, before it begins.
pub fn hold(places: Vec<(PathBuf, OwnedFd)>) {
    // A second time would be a mistake of the engine's own; what was held first stays.
    let _ = HELD.set(places);
}

/// What is known of a path before it is resolved.
#[derive(Debug)]
pub enum Place<'path> {
    /// It is held itself.
    Held(BorrowedFd<'static>),
    /// It lies below a folder that is held.
    Below(BorrowedFd<'static>, &'path Path),
    /// Only its name is known.
    Named(&'path Path),
}

/// How a path is reached: from the nearest place that is held, or by its name.
pub fn reach(path: &Path) -> Place<'_> {
    let held = HELD.get().map_or(&[][..], Vec::as_slice);
    nearest(held, path)
}

fn nearest<'path>(held: &'static [(PathBuf, OwnedFd)], path: &'path Path) -> Place<'path> {
    let below = held.iter().filter_map(|(place, descriptor)| {
        path.strip_prefix(place).ok().map(|rest| (descriptor.as_fd(), rest))
    });
    match below.min_by_key(|(_, rest)| rest.components().count()) {
        Some((descriptor, rest)) if rest.as_os_str().is_empty() => Place::Held(descriptor),
        Some((descriptor, rest)) => Place::Below(descriptor, rest),
        None => Place::Named(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::AsRawFd;

    #[test]
    fn the_nearest_place_is_taken_and_a_name_that_begins_alike_is_another() {
        let open = || OwnedFd::from(File::open("/").unwrap());
        let held: &[(PathBuf, OwnedFd)] =
            Box::leak(Box::new([("/a".into(), open()), ("/a/b".into(), open()), ("/dev/x".into(), open())]));
        let numbers: Vec<_> = held.iter().map(|(_, descriptor)| descriptor.as_raw_fd()).collect();
        let found = |path: &'static str| match nearest(held, Path::new(path)) {
            Place::Held(descriptor) => (descriptor.as_raw_fd(), ""),
            Place::Below(descriptor, rest) => (descriptor.as_raw_fd(), rest.to_str().unwrap()),
            Place::Named(path) => (-1, path.to_str().unwrap()),
        };
        assert_eq!(found("/a/"), (numbers[0], ""));
        assert_eq!(found("/a/c/d"), (numbers[0], "c/d"));
        assert_eq!(found("/a/b/c"), (numbers[1], "c"));
        assert_eq!(found("/a/b/../../etc"), (numbers[1], "../../etc"));
        assert_eq!(found("/dev/x"), (numbers[2], ""));
        assert_eq!(found("/ab"), (-1, "/ab"));
        assert_eq!(found("a"), (-1, "a"));
    }
}
