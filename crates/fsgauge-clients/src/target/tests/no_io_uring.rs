//! A thread to which the kernel refuses io_uring.
//!
//! Unsafe code: a seccomp filter for the calling thread.

use super::*;

/// From now on io_uring_setup(2) fails with ENOSYS in this thread, as in most containers.
fn forbid_io_uring() {
    const RETURN_ERRNO: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;
    let step = |code: u32, k: u32, jt: u8, jf: u8| libc::sock_filter { code: code as u16, jt, jf, k };
    let mut steps = [
        // Offset 0 of seccomp_data is the call's number.
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, libc::SYS_io_uring_setup as u32, 0, 1),
        step(libc::BPF_RET | libc::BPF_K, RETURN_ERRNO, 0, 0),
        step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0, 0),
    ];
    let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
    // SAFETY: the calls copy the program, which is alive, and concern this thread alone.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        assert_eq!(libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &program), 0);
    }
}

#[test]
fn everything_is_plain_and_says_why() {
    let refused = || {
        forbid_io_uring();
        for directory in directories() {
            on_every_target(directory.path(), conformance::conforms);
        }
        let directory = tempfile::tempdir().unwrap();
        let interface = ClientsInterface::IoUring;
        let (mut target, features, notes) =
            RingTarget::new(&folder(directory.path()), RECORD_BYTES, 590, interface).unwrap();
        assert_eq!(features, None);
        assert_eq!(notes.iter().map(|note| note.code.as_str()).collect::<Vec<_>>(), ["io_uring.refused"]);
        make_file(&mut target, 589, "file", 2);
        let (call, reason) = call_of(&target, ClientOperation::Write);
        assert_eq!(call, "pwrite");
        assert!(reason.is_some_and(|reason| reason.contains("no io_uring")));
    };
    std::thread::spawn(refused).join().unwrap();
}
