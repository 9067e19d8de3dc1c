//! The names that one call of getdents64(2) gives.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::fs::RawDir;
use rustix::io::Errno;

use super::interrupted::INTERRUPT_LIMIT;

/// Room for the names of one call, as the C library has it.
pub(super) const NAMES_BYTES: usize = 32 << 10;

/// Hands the next names of a directory to `each`, but "." and "..": how many there were, or none at its end.
pub(super) fn names_of_call(
    directory: &OwnedFd,
    room: &mut [MaybeUninit<u8>],
    each: &mut dyn FnMut(&CStr),
) -> Result<Option<u32>, Errno> {
    let mut entries = RawDir::new(directory, room);
    let (mut names, mut interrupts) = (0, 0);
    loop {
        match entries.next() {
            None => return Ok(None),
            Some(Err(Errno::INTR)) if interrupts < INTERRUPT_LIMIT => {
                interrupts += 1;
                continue;
            }
            Some(Err(errno)) => return Err(errno),
            Some(Ok(entry)) if matches!(entry.file_name().to_bytes(), b"." | b"..") => {}
            Some(Ok(entry)) => {
                names += 1;
                each(entry.file_name());
            }
        }
        if entries.is_buffer_empty() {
            return Ok(Some(names));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs::File;

    #[test]
    fn calls_give_every_name_once_and_then_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let expected: BTreeSet<String> = (0..300).map(|file| format!("file-{file}")).collect();
        expected.iter().for_each(|name| drop(File::create(directory.path().join(name)).unwrap()));
        let open = OwnedFd::from(File::open(directory.path()).unwrap());
        let (mut room, mut found, mut calls) = ([MaybeUninit::uninit(); 1024], Vec::new(), 0);
        let mut each = |name: &CStr| found.push(name.to_str().unwrap().to_string());
        while names_of_call(&open, &mut room, &mut each).unwrap().is_some() {
            calls += 1;
        }
        assert!(calls > 3, "{calls}");
        assert_eq!(found.len(), expected.len());
        assert_eq!(found.into_iter().collect::<BTreeSet<_>>(), expected);
    }
}
