//! Threads in which the kernel is another: without openat2, or with mounts of their own.

use std::path::Path;

use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_change};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Offset of the call's number in what a filter is given (linux/seccomp.h).
const NUMBER: u32 = 0;
const RETURN_EPERM: u32 = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;

/// Runs a test as the kernel has it, and then where openat2 is refused. Each in a thread with mounts of its own.
pub fn each_way(test: impl Fn() + Sync) {
    std::thread::scope(|scope| scope.spawn(&test).join()).unwrap();
    without_openat2(test);
}

/// Runs a test where openat2 is refused, as a sandbox does that does not know it.
pub fn without_openat2(test: impl Fn() + Sync) {
    let refused = || {
        forbid_openat2();
        test();
    };
    std::thread::scope(|scope| scope.spawn(refused).join()).unwrap();
}

fn forbid_openat2() {
    let step = |code: u32, value: u32, jump_true: u8, jump_false: u8| libc::sock_filter {
        code: code as u16,
        jt: jump_true,
        jf: jump_false,
        k: value,
    };
    let mut steps = [
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, NUMBER, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, libc::SYS_openat2 as u32, 0, 1),
        step(libc::BPF_RET | libc::BPF_K, RETURN_EPERM, 0, 0),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    // SAFETY: the calls copy the program, which is alive, and concern this thread alone.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program), 0);
    }
}

/// Mounts a file system for the calling thread alone; false where that is not allowed.
pub fn mount_tmpfs(at: &Path) -> bool {
    // SAFETY: the table of descriptors stays shared.
    let parted = unsafe { unshare_unsafe(UnshareFlags::NEWNS) };
    let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    let mounted = parted
        .and_then(|()| mount_change("/", private))
        .and_then(|()| mount("none", at, "tmpfs", MountFlags::empty(), Some(c"size=1m")));
    if let Err(errno) = mounted {
        eprintln!("skipped: {errno}");
    }
    mounted.is_ok()
}
