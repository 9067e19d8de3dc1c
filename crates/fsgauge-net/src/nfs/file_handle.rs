//! What a server calls a file.

use super::xdr::{Decoder, Malformed, put_opaque};

/// The longest handle of version 3.
const LIMIT_BYTES: usize = 64;

/// A handle of a file or directory; it stays the same for as long as the file is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct FileHandle {
    length: u8,
    bytes: [u8; LIMIT_BYTES],
}

impl FileHandle {
    #[inline]
    pub(super) fn of(decoder: &mut Decoder<'_>) -> Result<Self, Malformed> {
        let given = decoder.opaque(LIMIT_BYTES)?;
        let mut bytes = [0; LIMIT_BYTES];
        bytes[..given.len()].copy_from_slice(given);
        Ok(FileHandle { length: given.len() as u8, bytes })
    }

    #[inline]
    pub(super) fn put(&self, message: &mut Vec<u8>) {
        put_opaque(message, &self.bytes[..usize::from(self.length)]);
    }
}

impl std::fmt::Debug for FileHandle {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.bytes[..usize::from(self.length)].iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}
