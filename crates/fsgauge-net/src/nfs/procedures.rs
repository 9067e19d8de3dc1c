//! The procedures of NFS version 3 (RFC 1813) that clients need: arguments, and what comes back.

use super::file_handle::FileHandle;
use super::rpc::Procedure;
use super::status::errno_of;
use super::xdr::{Decoder, Malformed, put_opaque, put_u32, put_u64};
use crate::target::{Answer, ListedNames, NAME_LIMIT_BYTES, TooManyNames};

/// What the server may say of a file after an operation: fattr3.
const ATTRIBUTES_BYTES: usize = 84;
/// What it was before: size and two times.
const BEFORE_BYTES: usize = 24;

const DIRECTORY: u32 = 2;
/// Who may do what with a new file, and with a new directory; as on paths.
const FILE_MODE: u32 = 0o644;
const DIRECTORY_MODE: u32 = 0o755;

/// What may be done with a file (ACCESS).
pub(super) const MAY_READ: u32 = 1;
pub(super) const MAY_WRITE: u32 = 4 | 8;

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    Null,
    Attributes,
    Lookup,
    Access,
    Read,
    Write,
    Create,
    MakeDirectory,
    Remove,
    RemoveDirectory,
    Rename,
    List,
    Limits,
    Commit,
}

impl Call {
    #[inline]
    pub(super) fn procedure(self) -> Procedure {
        let number = match self {
            Call::Null => 0,
            Call::Attributes => 1,
            Call::Lookup => 3,
            Call::Access => 4,
            Call::Read => 6,
            Call::Write => 7,
            Call::Create => 8,
            Call::MakeDirectory => 9,
            Call::Remove => 12,
            Call::RemoveDirectory => 13,
            Call::Rename => 14,
            Call::List => 16,
            Call::Limits => 19,
            Call::Commit => 21,
        };
        Procedure { program: 100_003, version: 3, number }
    }
}

/// A name in a directory.
#[inline]
pub(super) fn put_name(message: &mut Vec<u8>, directory: &FileHandle, name: &[u8]) {
    directory.put(message);
    put_opaque(message, name);
}

#[inline]
pub(super) fn put_access(message: &mut Vec<u8>, file: &FileHandle, wanted: u32) {
    file.put(message);
    put_u32(message, wanted);
}

#[inline]
pub(super) fn put_read(message: &mut Vec<u8>, file: &FileHandle, offset_bytes: u64, size_bytes: u32) {
    file.put(message);
    put_u64(message, offset_bytes);
    put_u32(message, size_bytes);
}

/// How durable a write is when it is answered (stable_how): not before a commit, or wholly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Stability {
    Unstable = 0,
    FileSync = 2,
}

/// The data follow.
#[inline]
pub(super) fn put_write(
    message: &mut Vec<u8>,
    file: &FileHandle,
    offset_bytes: u64,
    size_bytes: u32,
    stability: Stability,
) {
    put_read(message, file, offset_bytes, size_bytes);
    put_u32(message, stability as u32);
    put_u32(message, size_bytes);
}

/// A new file, guarded: an error where it exists.
#[inline]
pub(super) fn put_create(message: &mut Vec<u8>, directory: &FileHandle, name: &[u8]) {
    const GUARDED: u32 = 1;
    put_name(message, directory, name);
    put_u32(message, GUARDED);
    put_mode(message, FILE_MODE);
}

#[inline]
pub(super) fn put_make_directory(message: &mut Vec<u8>, directory: &FileHandle, name: &[u8]) {
    put_name(message, directory, name);
    put_mode(message, DIRECTORY_MODE);
}

/// Attributes of something new: its mode, and nothing else.
#[inline]
fn put_mode(message: &mut Vec<u8>, mode: u32) {
    for word in [1, mode, 0, 0, 0, 0, 0] {
        put_u32(message, word);
    }
}

/// The names after a cookie, in a reply of at most so many bytes.
#[inline]
pub(super) fn put_list(
    message: &mut Vec<u8>,
    directory: &FileHandle,
    cookie: u64,
    verifier: u64,
    size_bytes: u32,
) {
    directory.put(message);
    put_u64(message, cookie);
    put_u64(message, verifier);
    put_u32(message, size_bytes);
}

/// All of a file.
#[inline]
pub(super) fn put_commit(message: &mut Vec<u8>, file: &FileHandle) {
    put_read(message, file, 0, 0);
}

/// What the server says of a file, as far as it matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Attributes {
    pub(super) is_directory: bool,
    pub(super) size_bytes: u64,
}

impl Attributes {
    /// The size as an answer, of which no negative one is a size.
    pub(super) fn size(self) -> Answer {
        self.size_bytes.min(Answer::MAX as u64) as Answer
    }
}

/// What came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reply {
    Done,
    Attributes(Attributes),
    Found {
        file: FileHandle,
        attributes: Option<Attributes>,
    },
    Allowed(u32),
    Read {
        size_bytes: u32,
        /// How many bytes of the record follow the first of the data.
        behind: usize,
    },
    Written {
        size_bytes: u32,
        is_durable: bool,
        verifier: u64,
    },
    Made(Option<FileHandle>),
    Listed {
        names: u32,
        /// None when there are no more.
        cookie: Option<u64>,
        verifier: u64,
    },
    Limits {
        read_bytes: u32,
        write_bytes: u32,
    },
    Committed {
        verifier: u64,
    },
}

/// The results of a call; an error of the server's, or of what it sent, as an error number.
#[inline]
pub(super) fn results(call: Call, mut decoder: Decoder<'_>) -> Result<Reply, i32> {
    if call != Call::Null {
        let status = decoder.u32().map_err(|Malformed| libc::EPROTO)?;
        if status != 0 {
            return Err(errno_of(status));
        }
    }
    decode(call, &mut decoder).map_err(|Malformed| libc::EPROTO)
}

#[inline]
fn decode(call: Call, decoder: &mut Decoder<'_>) -> Result<Reply, Malformed> {
    Ok(match call {
        Call::Null | Call::Remove | Call::RemoveDirectory | Call::Rename => Reply::Done,
        Call::Attributes => Reply::Attributes(attributes(decoder)?),
        Call::Lookup => {
            let file = FileHandle::of(decoder)?;
            Reply::Found { file, attributes: attributes_after(decoder)? }
        }
        Call::Access => {
            attributes_after(decoder)?;
            Reply::Allowed(decoder.u32()?)
        }
        Call::Read => {
            attributes_after(decoder)?;
            let size_bytes = decoder.u32()?;
            let _is_end = decoder.is_true()?;
            let length = decoder.u32()?;
            let behind = decoder.left();
            if length != size_bytes || behind < length as usize {
                return Err(Malformed);
            }
            Reply::Read { size_bytes, behind }
        }
        Call::Write => {
            attributes_around(decoder)?;
            let size_bytes = decoder.u32()?;
            let is_durable = decoder.u32()? != 0;
            Reply::Written { size_bytes, is_durable, verifier: decoder.u64()? }
        }
        Call::Create | Call::MakeDirectory => {
            Reply::Made(if decoder.is_true()? { Some(FileHandle::of(decoder)?) } else { None })
        }
        Call::List => listed(decoder)?,
        Call::Limits => {
            attributes_after(decoder)?;
            let (read_bytes, _preferred, _multiple) = (decoder.u32()?, decoder.u32()?, decoder.u32()?);
            Reply::Limits { read_bytes, write_bytes: decoder.u32()? }
        }
        Call::Commit => {
            attributes_around(decoder)?;
            Reply::Committed { verifier: decoder.u64()? }
        }
    })
}

#[inline]
fn attributes(decoder: &mut Decoder<'_>) -> Result<Attributes, Malformed> {
    let mut all = Decoder::new(decoder.bytes(ATTRIBUTES_BYTES)?);
    let is_directory = all.u32()? == DIRECTORY;
    // Mode, links, user, group.
    all.bytes(16)?;
    Ok(Attributes { is_directory, size_bytes: all.u64()? })
}

#[inline]
fn attributes_after(decoder: &mut Decoder<'_>) -> Result<Option<Attributes>, Malformed> {
    if decoder.is_true()? { attributes(decoder).map(Some) } else { Ok(None) }
}

/// Before and after: wcc_data.
#[inline]
fn attributes_around(decoder: &mut Decoder<'_>) -> Result<(), Malformed> {
    if decoder.is_true()? {
        decoder.bytes(BEFORE_BYTES)?;
    }
    attributes_after(decoder).map(|_| ())
}

fn listed(decoder: &mut Decoder<'_>) -> Result<Reply, Malformed> {
    attributes_after(decoder)?;
    let verifier = decoder.u64()?;
    let (mut names, mut last) = (0, None);
    while decoder.is_true()? {
        let _file_number = decoder.u64()?;
        let name = decoder.opaque(NAME_LIMIT_BYTES)?;
        last = Some(decoder.u64()?);
        names += u32::from(!matches!(name, b"." | b".."));
    }
    let is_end = decoder.is_true()?;
    if !is_end && matches!(last, None | Some(0)) {
        // Neither names nor an end, or the beginning once more: it would be asked for ever.
        return Err(Malformed);
    }
    Ok(Reply::Listed { names, cookie: last.filter(|_| !is_end), verifier })
}

/// Keeps the names of a listing that is well formed; others are refused elsewhere.
pub(super) fn listed_names(mut decoder: Decoder<'_>, names: &mut ListedNames) -> Result<(), TooManyNames> {
    let mut kept = Ok(());
    let mut keep = || {
        decoder.u32()?;
        attributes_after(&mut decoder)?;
        decoder.u64()?;
        while kept.is_ok() && decoder.is_true()? {
            decoder.u64()?;
            let name = decoder.opaque(NAME_LIMIT_BYTES)?;
            decoder.u64()?;
            if !matches!(name, b"." | b"..") {
                kept = names.keep(String::from_utf8_lossy(name).into_owned());
            }
        }
        Ok::<(), Malformed>(())
    };
    // A listing that ends early gives what it has.
    let _ = keep();
    kept
}
