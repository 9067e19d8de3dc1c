//! Faults: full file systems, no descriptors left, no permission.
//!
//! Unsafe code: threads that stop sharing mounts or descriptors with the others.

use std::os::fd::OwnedFd;
use std::process::Command;

use rustix::process::{Resource, Uid, geteuid, getrlimit};
use rustix::thread::{UnshareFlags, set_thread_res_uid, unshare_unsafe};

use super::*;

#[test]
fn a_full_device_is_told_by_kind() {
    let directory = tempfile::tempdir().unwrap();
    on_every_target(directory.path(), |target, _| {
        let handle = ask(target, 0, Request::Open { path: c"/dev/full", write: true }) as Handle;
        let write = Request::Write { handle, offset_bytes: 0, data: &[1; RECORD_BYTES as usize] };
        assert_eq!(errors_kind(ask(target, 0, write)), ClientErrorKind::NoSpace);
        assert_eq!(ask(target, 0, Request::Close { handle }), 0);
    });
}

/// Mounts a small tmpfs that only this thread sees, and that is gone with it. False for those who may not.
fn mount_tmpfs(path: &Path, options: &str) -> bool {
    let mount = |arguments: &[&str]| {
        let status = Command::new("mount").args(arguments).arg(path).status();
        status.is_ok_and(|status| status.success())
    };
    // SAFETY: descriptors stay shared; only what is mounted becomes the thread's own.
    let sees_its_own = || unsafe { unshare_unsafe(UnshareFlags::NEWNS) }.is_ok();
    geteuid().is_root()
        && sees_its_own()
        && Command::new("mount").args(["--make-rprivate", "/"]).status().is_ok_and(|status| status.success())
        && mount(&["-t", "tmpfs", "-o", options, "fsgauge-test"])
}

/// The record is larger than what is left: what was written of it does not hide the error.
#[test]
fn a_full_file_system_is_told_by_kind() {
    const RECORD: u32 = 48 << 10;
    let fill = |target: &mut dyn Target| {
        let handle = ask(target, 0, Request::Create { path: c"file" }) as Handle;
        let data = &[9; RECORD as usize];
        let write = |offset_bytes| Request::Write { handle, offset_bytes, data };
        assert_eq!(ask(target, 0, write(0)), Answer::from(RECORD));
        assert_eq!(errors_kind(ask(target, 0, write(u64::from(RECORD)))), ClientErrorKind::NoSpace);
        assert_eq!(ask(target, 0, Request::Close { handle }), 0);
        assert_eq!(ask(target, 0, Request::Unlink { path: c"file" }), 0);
        // Four inodes: the root's and three more.
        let create =
            |target: &mut dyn Target, path: &str| ask(target, 0, Request::Create { path: &name(path) });
        let handles = ["1", "2", "3"].map(|path| create(target, path));
        assert_eq!(errors_kind(create(target, "4")), ClientErrorKind::NoSpace);
        for (handle, path) in handles.into_iter().zip([c"1", c"2", c"3"]) {
            assert_eq!(ask(target, 0, Request::Close { handle: handle as Handle }), 0);
            assert_eq!(ask(target, 0, Request::Unlink { path }), 0);
        }
    };
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().to_path_buf();
    let on_small = move || {
        if !mount_tmpfs(&root, "size=64k,nr_inodes=4") {
            return;
        }
        fill(&mut PlainTarget::new(&folder(&root), RECORD).unwrap());
        for interface in INTERFACES {
            fill(&mut RingTarget::new(&folder(&root), RECORD, 1, interface).unwrap().0);
        }
    };
    std::thread::spawn(on_small).join().unwrap();
}

/// In a thread with descriptors of its own, all of which are taken but one.
#[test]
fn too_many_open_files_are_told_by_kind() {
    let exhausted = |target: &mut dyn Target, _: &Path| {
        make_file(target, 0, "file", 1);
        let filled = take_all_descriptors();
        let open = Request::Open { path: c"file", write: false };
        for (request, operation) in [
            (open, "open"),
            (Request::Create { path: c"new" }, "create"),
            (Request::List { path: c"." }, "list"),
        ] {
            let answer = ask(target, 0, request);
            assert!(answer < 0, "{operation} gave {answer}");
            assert_eq!(errors_kind(answer), ClientErrorKind::TooManyOpenFiles, "{operation}");
        }
        drop(filled);
        let handle = ask(target, 0, open);
        assert!(handle >= 0, "{handle}");
        assert_eq!(ask(target, 0, Request::Close { handle: handle as Handle }), 0);
    };
    let own_table = move || {
        // SAFETY: this thread opened nothing that another one closes.
        unsafe { unshare_unsafe(UnshareFlags::FILES) }.unwrap();
        let directory = tempfile::tempdir().unwrap();
        on_every_target(directory.path(), exhausted);
    };
    // A limit that other tests raise meanwhile would not be reached.
    let _ = descriptor_limit(u64::MAX >> 1);
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    if limit <= 1 << 20 {
        std::thread::spawn(own_table).join().unwrap();
    }
}

fn take_all_descriptors() -> Vec<OwnedFd> {
    let null = std::fs::File::open("/dev/null").unwrap();
    let mut taken: Vec<_> = std::iter::repeat_with(|| null.try_clone()).map_while(Result::ok).collect();
    taken.push(null);
    taken.into_iter().map(OwnedFd::from).collect()
}

/// In a thread that is nobody.
#[test]
fn no_permission_is_told_by_kind() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::write(directory.path().join("secret"), "x").unwrap();
    std::fs::set_permissions(directory.path().join("secret"), PermissionsExt::from_mode(0o000)).unwrap();
    std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o555)).unwrap();
    let root = directory.path().to_path_buf();
    let is_denied = move || {
        if geteuid().is_root() {
            let nobody = Uid::from_raw(65534);
            set_thread_res_uid(nobody, nobody, nobody).unwrap();
        }
        let test = |target: &mut dyn Target| {
            for request in [
                Request::Open { path: c"secret", write: false },
                Request::Create { path: c"new" },
                Request::MakeDirectory { path: c"directory" },
                Request::Unlink { path: c"secret" },
                Request::Rename { from: c"secret", to: c"public" },
            ] {
                let kind = errors_kind(ask(target, 0, request));
                assert_eq!(kind, ClientErrorKind::PermissionDenied, "{request:?}");
            }
        };
        test(&mut PlainTarget::new(&folder(&root), RECORD_BYTES).unwrap());
        for interface in INTERFACES {
            test(&mut ring_target(&root, 1, interface));
        }
    };
    std::thread::spawn(is_denied).join().unwrap();
    std::fs::set_permissions(directory.path(), PermissionsExt::from_mode(0o755)).unwrap();
}
