//! Secrets are overwritten when they have served: memory that is freed, and an environment that others can read.

use std::ffi::CString;
use std::sync::atomic::{Ordering, compiler_fence};

/// Overwrites bytes, although nothing reads them again.
pub(super) fn wipe(bytes: &mut [u8]) {
    for byte in bytes {
        // SAFETY: the reference is valid, and nobody else has one. A volatile write is not left out.
        unsafe { std::ptr::write_volatile(byte, 0) };
    }
    compiler_fence(Ordering::SeqCst);
}

/// Empties a variable of this process's environment where it lies: removing it would leave it readable in
/// /proc/PID/environ. What is started later finds it empty.
pub(super) fn wipe_variable(name: &str) {
    let Ok(name) = CString::new(name) else { return };
    // SAFETY: the name ends with a zero. The engine never sets a variable, so nothing moves or frees the value while
    // it is written to, and only the reader of this one variable, who is here, looks at it. Values lie in memory that
    // the process may write to (the first of its stack), and end with a zero, which stays.
    unsafe {
        let mut at = libc::getenv(name.as_ptr());
        while !at.is_null() && *at != 0 {
            std::ptr::write_volatile(at, 0);
            at = at.add(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_overwritten() {
        let mut secret = *b"secret";
        wipe(&mut secret);
        assert_eq!(secret, [0; 6]);
        // There is none, and none can be.
        wipe_variable("FSGAUGE_NO_SUCH_PASSWORD");
        wipe_variable("a\0b");
    }
}
