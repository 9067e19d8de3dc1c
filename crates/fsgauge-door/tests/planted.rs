//! What others plant in a folder while it is worked in, and what becomes of it: nothing outside is opened, made or
//! removed. Each way of the kernel is tried: openat2, and step by step where a sandbox refuses that.

mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use fsgauge_door::Folder;
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};
use rustix::io::Errno;
use support::{each_way, without_openat2};
use tempfile::TempDir;

const MODE: Mode = Mode::RUSR.union(Mode::WUSR);
const MAKE: OFlags = OFlags::WRONLY.union(OFlags::CREATE);

/// A folder to work in, and one elsewhere with a secret.
fn folders() -> (TempDir, TempDir) {
    let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(outside.path().join("secret"), "root's own").unwrap();
    fs::create_dir_all(inside.path().join("own/deep")).unwrap();
    fs::write(inside.path().join("own/deep/file"), "five!").unwrap();
    (inside, outside)
}

fn enter(path: &Path) -> Folder {
    Folder::enter(path).unwrap()
}

/// Ends the other thread, also where a test fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn is_untouched(outside: &Path) -> bool {
    let names: Vec<_> = fs::read_dir(outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names == ["secret"] && fs::read_to_string(outside.join("secret")).unwrap() == "root's own"
}

#[test]
fn what_is_there_is_found() {
    each_way(|| {
        let (inside, _outside) = folders();
        let folder = enter(inside.path());
        assert_eq!(folder.stat("own/deep/file").unwrap().st_size, 5);
        folder.open_file("own/deep/new", MAKE | OFlags::EXCL, MODE).unwrap();
        folder.rename("own/deep/new", "own/moved").unwrap();
        folder.make_directory("own/made", Mode::RWXU).unwrap();
        folder.remove_directory("own/made").unwrap();
        folder.remove_file("own/moved").unwrap();
        let names = fs::read_dir(inside.path().join("own")).unwrap().count();
        assert_eq!(names, 1);
    });
}

#[test]
fn links_are_not_followed_wherever_they_lie() {
    each_way(|| {
        let (inside, outside) = folders();
        let root = inside.path();
        symlink(outside.path(), root.join("folder")).unwrap();
        symlink(outside.path().join("secret"), root.join("file")).unwrap();
        symlink(outside.path().join("new"), root.join("dangling")).unwrap();
        symlink("own", root.join("near")).unwrap();
        let folder = enter(root);
        for name in
            ["folder/secret", "folder/new", "file", "dangling", "near/deep/file", "own/deep/../../file"]
        {
            assert!(folder.open_file(name, MAKE | OFlags::TRUNC, MODE).is_err(), "{name}");
            assert!(folder.open(name, OFlags::RDONLY, Mode::empty()).is_err(), "{name}");
        }
        for name in ["folder/secret", "folder/made", "near/made", "../made"] {
            assert!(folder.make_directory(name, Mode::RWXU).is_err(), "{name}");
            assert!(folder.remove_file(name).is_err(), "{name}");
            assert!(folder.remove_directory(name).is_err(), "{name}");
            assert!(folder.rename("own/deep/file", name).is_err(), "{name}");
            assert!(folder.stat(name).is_err(), "{name}");
        }
        // The link itself is what is looked at and removed.
        assert_ne!(folder.stat("file").unwrap().st_size, 10);
        folder.remove_file("file").unwrap();
        assert!(is_untouched(outside.path()));
    });
}

#[test]
fn names_that_lead_upward_or_from_the_root_open_nothing() {
    each_way(|| {
        let (inside, outside) = folders();
        let folder = enter(&inside.path().join("own"));
        let secret = outside.path().join("secret");
        let inside_name = inside.path().file_name().unwrap().to_str().unwrap();
        let names =
            ["..", "../own/deep/file", "deep/../../own", "/etc/passwd", secret.to_str().unwrap(), "a\0b"];
        for name in names.into_iter().map(str::to_owned).chain([format!("../../{inside_name}/own")]) {
            assert!(folder.open(&name, OFlags::RDONLY, Mode::empty()).is_err(), "{name}");
            assert!(folder.remove_file(&name).is_err(), "{name}");
        }
        assert!(is_untouched(outside.path()));
    });
}

/// The folder is swapped for one of links, again and again, while files are made in it.
#[test]
fn a_folder_that_is_swapped_meanwhile_is_the_one_that_was_entered() {
    each_way(|| {
        let (parent, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("secret"), "root's own").unwrap();
        let [place, aside, planted] = ["scratch", "aside", "planted"].map(|name| parent.path().join(name));
        for path in [place.join("own"), planted.clone()] {
            fs::create_dir_all(path).unwrap();
        }
        symlink(outside.path(), planted.join("own")).unwrap();
        symlink(outside.path().join("secret"), planted.join("file")).unwrap();
        let (folder, over) = (enter(&place), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let _ends = Ends(&over);
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    for (from, to) in
                        [(&place, &aside), (&planted, &place), (&place, &planted), (&aside, &place)]
                    {
                        fs::rename(from, to).unwrap();
                    }
                }
            });
            for number in 0..2000 {
                let (name, again) = (format!("own/file-{number}"), number % 2 == 0);
                folder.open_file("file", MAKE | OFlags::TRUNC, MODE).unwrap();
                folder.open_file(&name, MAKE | OFlags::EXCL, MODE).unwrap();
                if again {
                    folder.remove_file(&name).unwrap();
                }
            }
        });
        assert_eq!(fs::read_dir(place.join("own")).unwrap().count(), 1000);
        assert!(is_untouched(outside.path()));
    });
}

/// A directory in the folder is swapped for a link meanwhile: what is made is made in that directory, or not at all.
#[test]
fn a_directory_that_is_swapped_meanwhile_leads_nowhere_else() {
    each_way(|| {
        let (inside, outside) = folders();
        let [own, aside, link] = ["own", "aside", "link"].map(|name| inside.path().join(name));
        symlink(outside.path(), &link).unwrap();
        let (folder, over) = (enter(inside.path()), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let _ends = Ends(&over);
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    for (from, to) in [(&own, &aside), (&link, &own), (&own, &link), (&aside, &own)] {
                        fs::rename(from, to).unwrap();
                    }
                }
            });
            for number in 0..3000 {
                let made = folder.open_file(format!("own/file-{number}"), MAKE, MODE);
                let tree = folder.make_directory(format!("own/tree-{number}"), Mode::RWXU);
                let gone = folder.remove_file("own/secret");
                for refused in [made.err(), tree.err(), gone.err()].into_iter().flatten() {
                    assert!(matches!(refused, Errno::LOOP | Errno::NOTDIR | Errno::NOENT), "{refused}");
                }
            }
        });
        assert!(is_untouched(outside.path()));
    });
}

#[test]
fn pipes_are_not_waited_for_and_second_names_are_not_written() {
    each_way(|| {
        let (inside, outside) = folders();
        let root = inside.path();
        mknodat(CWD, root.join("pipe"), FileType::Fifo, MODE, 0).unwrap();
        fs::hard_link(root.join("own/deep/file"), root.join("second")).unwrap();
        let folder = enter(root);
        for flags in [OFlags::RDONLY, OFlags::WRONLY, OFlags::RDWR, MAKE] {
            assert_eq!(folder.open_file("pipe", flags, MODE).err(), Some(Errno::NXIO), "{flags:?}");
        }
        assert_eq!(folder.open_file("own", OFlags::RDONLY, MODE).err(), Some(Errno::ISDIR));
        assert_eq!(folder.open_file("second", MAKE, MODE).err(), Some(Errno::MLINK));
        let read = folder.open_file("second", OFlags::RDONLY, MODE).unwrap();
        // io_uring would answer EAGAIN on it.
        assert!(!rustix::fs::fcntl_getfl(&read).unwrap().contains(OFlags::NONBLOCK));
        assert!(is_untouched(outside.path()));
    });
}

#[test]
fn only_a_folder_that_nobody_else_can_change_is_private() {
    let folder = tempfile::tempdir().unwrap();
    let is_private = |mode: u32| {
        rustix::fs::chmod(folder.path(), Mode::from_raw_mode(mode)).unwrap();
        enter(folder.path()).is_private()
    };
    assert!(is_private(0o700) && is_private(0o755));
    assert!(!is_private(0o775) && !is_private(0o757) && !is_private(0o1777));
    if rustix::process::geteuid().is_root() {
        rustix::fs::chmod(folder.path(), Mode::RWXU).unwrap();
        std::os::unix::fs::chown(folder.path(), Some(65_534), None).unwrap();
        assert!(!enter(folder.path()).is_private());
    }
}

/// The folder's own name is the user's choice: it may be a link, but it is resolved once.
#[test]
fn the_name_of_the_folder_itself_may_be_a_link() {
    let (inside, outside) = folders();
    let name = outside.path().join("name");
    symlink(inside.path(), &name).unwrap();
    let folder = enter(&name);
    fs::remove_file(&name).unwrap();
    symlink(outside.path(), &name).unwrap();
    assert_eq!(folder.stat("own/deep/file").unwrap().st_size, 5);
    let again = rustix::fs::fstat(folder.reopen().unwrap()).unwrap();
    assert_eq!(again.st_ino, fs::metadata(inside.path()).unwrap().ino());
}

/// What is mounted in the folder belongs to another file system: nothing is made there.
#[test]
fn a_mount_in_the_folder_is_not_entered() {
    each_way(|| {
        let (inside, _outside) = folders();
        let deep = inside.path().join("own/deep");
        if !support::mount_tmpfs(&deep) {
            return;
        }
        let folder = enter(inside.path());
        assert_eq!(folder.open_file("own/deep/file", MAKE, MODE).err(), Some(Errno::XDEV));
        assert_eq!(folder.make_directory("own/deep/made", Mode::RWXU).err(), Some(Errno::XDEV));
        // The mount itself is a place that may be named.
        assert!(enter(&deep).open_file("file", MAKE, MODE).is_ok());
        rustix::mount::unmount(&deep, rustix::mount::UnmountFlags::DETACH).unwrap();
    });
}

#[test]
fn the_other_way_is_the_other_way() {
    without_openat2(|| {
        let resolve = rustix::fs::ResolveFlags::empty();
        let opened = rustix::fs::openat2(CWD, "/", OFlags::RDONLY, Mode::empty(), resolve);
        assert_eq!(opened.err(), Some(Errno::PERM));
    });
}
