//! The kernel's errors as text, without their numbers.

use std::fmt::Display;

/// "Permission denied" of "Permission denied (os error 13)".
pub(crate) fn error_text(error: impl Display) -> String {
    let text = error.to_string();
    match text.split_once(" (os error ") {
        Some((words, _)) => words.to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_errors_are_left_out() {
        assert_eq!(error_text(std::io::Error::from_raw_os_error(libc::EACCES)), "Permission denied");
        assert_eq!(error_text(rustix::io::Errno::IO), "Input/output error");
        assert_eq!(error_text(std::io::Error::other("it is odd")), "it is odd");
    }
}
