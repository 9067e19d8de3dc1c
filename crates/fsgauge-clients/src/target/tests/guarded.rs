//! A folder in which others may change names: everything works there, and nothing that they plant leads elsewhere.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn open_to_all(directory: &Path) {
    std::fs::set_permissions(directory, PermissionsExt::from_mode(0o1777)).unwrap();
}

/// As everywhere, but that a directory is not opened as a file.
fn works(target: &mut dyn Target, root: &Path) {
    files_go_their_way(target, root);
    let answer = ask(target, 0, Request::Open { path: c"c00001", write: false });
    assert_eq!(answer, -Answer::from(libc::EISDIR));
    a_directory_goes(target, root);
}

#[test]
fn every_request_works_there() {
    for parent in directories() {
        let root = || {
            let directory = tempfile::tempdir_in(parent.path()).unwrap();
            open_to_all(directory.path());
            directory
        };
        let directory = root();
        let mut plain = PlainTarget::new(&folder(directory.path()), RECORD_BYTES).unwrap();
        works(&mut plain, directory.path());
        for interface in INTERFACES {
            let directory = root();
            let mut target = ring_target(directory.path(), 2, interface);
            works(&mut target, directory.path());
            let (call, reason) = call_of(&target, ClientOperation::Open);
            let is_told = reason.is_some_and(|reason| reason.contains("others may change names"));
            assert_eq!((call.as_str(), is_told), ("openat", interface != ClientsInterface::Plain));
        }
    }
}

/// A link in place of a directory or a file, in a folder of this user alone and in one that is open to all.
#[test]
fn links_lead_nowhere() {
    for is_open in [false, true] {
        for interface in INTERFACES {
            let (inside, outside) = (on_disk(), on_disk());
            if is_open {
                open_to_all(inside.path());
            }
            std::fs::write(outside.path().join("secret"), "root's own").unwrap();
            symlink(outside.path(), inside.path().join("folder")).unwrap();
            symlink(outside.path().join("secret"), inside.path().join("file")).unwrap();
            symlink(outside.path().join("new"), inside.path().join("dangling")).unwrap();
            let mut target = ring_target(inside.path(), 1, interface);
            let mut refused = vec![
                Request::MakeDirectory { path: c"folder" },
                Request::Create { path: c"dangling" },
                Request::Open { path: c"file", write: true },
                Request::Open { path: c"file", write: false },
                Request::List { path: c"folder" },
                Request::RemoveDirectory { path: c"folder" },
            ];
            if is_open {
                refused.extend([
                    Request::MakeDirectory { path: c"folder/made" },
                    Request::Create { path: c"folder/made" },
                    Request::Open { path: c"folder/secret", write: true },
                    Request::Rename { from: c"folder/secret", to: c"folder/renamed" },
                    Request::Unlink { path: c"folder/secret" },
                ]);
            }
            for request in refused {
                assert!(ask(&mut target, 0, request) < 0, "{request:?}");
            }
            assert_ne!(ask(&mut target, 0, Request::Stat { path: c"file" }), 10);
            let names = std::fs::read_dir(outside.path()).unwrap().count();
            let contents = std::fs::read_to_string(outside.path().join("secret")).unwrap();
            assert_eq!((names, contents.as_str()), (1, "root's own"));
        }
    }
}

/// A folder of this user alone: a directory that is another's is none of its own.
#[test]
fn a_directory_that_others_may_write_in_is_not_taken_for_a_clients_own() {
    let inside = on_disk();
    std::fs::create_dir(inside.path().join("own")).unwrap();
    std::fs::create_dir(inside.path().join("open")).unwrap();
    open_to_all(&inside.path().join("open"));
    for interface in INTERFACES {
        let mut target = ring_target(inside.path(), 1, interface);
        assert_eq!(ask(&mut target, 0, Request::MakeDirectory { path: c"own" }), 0);
        let answer = ask(&mut target, 0, Request::MakeDirectory { path: c"open" });
        assert_eq!(errors_kind(answer), ClientErrorKind::Exists);
    }
}
