//! Stopping: SIGINT and SIGTERM set the flag that every loop reads; SIGURG ends a thread's wait in the kernel.
//!
//! Unsafe code: sigaction(2) and pthread_kill(3), with handlers that only store to an atomic.

use std::os::unix::thread::JoinHandleExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;

use fsgauge_wire::Stop;

/// Set by SIGINT and SIGTERM.
static SIGNALLED: AtomicBool = AtomicBool::new(false);

/// The flag that SIGINT and SIGTERM set from now on.
pub fn stop_on_signals() -> Stop {
    handle(libc::SIGINT, on_stop);
    handle(libc::SIGTERM, on_stop);
    Stop::of(&SIGNALLED)
}

/// Asks the kernel to kill this process when the thread that started it ends.
pub fn die_with_parent() {
    let signal = Some(rustix::process::Signal::KILL);
    // Refused by no kernel since 2.1.57; without it, the closed standard output still ends the engine.
    let _ = rustix::process::set_parent_process_death_signal(signal);
}

/// Lets [`interrupt`] interrupt waits of this process.
pub fn allow_interrupts() {
    handle(libc::SIGURG, on_interrupt);
}

/// Makes a thread that waits in the kernel return to its loop, where it looks at the clock and the flag.
pub fn interrupt<T>(thread: &JoinHandle<T>) {
    // SAFETY: the handle has not been joined, so its thread id is still valid; SIGURG has a handler.
    unsafe { libc::pthread_kill(thread.as_pthread_t(), libc::SIGURG) };
}

extern "C" fn on_stop(_signal: libc::c_int) {
    SIGNALLED.store(true, Ordering::Relaxed);
}

extern "C" fn on_interrupt(_signal: libc::c_int) {}

/// Installs a handler without SA_RESTART, so that waits end with EINTR.
fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: a zeroed sigaction is valid (no flags, empty mask); the handlers above are signal-safe.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        libc::sigaction(signal, &action, std::ptr::null_mut());
    }
}
