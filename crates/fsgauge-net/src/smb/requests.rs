//! Requests of clients as messages (MS-SMB2 2.2.13 to 2.2.39).
//!
//! What has no handle of its own is one frame of several messages, as Windows and Linux send them: a directory is
//! made by CREATE and CLOSE, a name changes by CREATE, SET_INFO and CLOSE, a size comes with the reply to CREATE.

use std::ffi::CStr;

use super::files::FileId;
use super::message::{Command, Frame};
use crate::target::{NAME_LIMIT_BYTES, Opening};

/// The file of the message before, in the same frame.
const RELATED_FILE: FileId = [0xFF; 16];

const DELETE: u32 = 0x0001_0000;
const READ_CONTROL: u32 = 0x0002_0000;
const SYNCHRONIZE: u32 = 0x0010_0000;
const READ_DATA: u32 = 0x1;
const WRITE_DATA: u32 = 0x2;
const APPEND_DATA: u32 = 0x4;
const READ_ATTRIBUTES: u32 = 0x80;
const WRITE_ATTRIBUTES: u32 = 0x100;
const FOR_READING: u32 = READ_DATA | READ_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE;
const FOR_WRITING: u32 =
    WRITE_DATA | APPEND_DATA | READ_ATTRIBUTES | WRITE_ATTRIBUTES | READ_CONTROL | SYNCHRONIZE;

const SHARED_WITH_ALL: u32 = 0x7;
const OPEN: u32 = 1;
const CREATE: u32 = 2;
const OPEN_OR_CREATE: u32 = 3;
const IS_DIRECTORY: u32 = 0x1;
/// The server writes through to its storage before it answers, as Linux and Windows ask for files of O_SYNC and
/// FILE_FLAG_WRITE_THROUGH.
const WRITE_THROUGH: u32 = 0x2;
const IS_NO_DIRECTORY: u32 = 0x40;
const DELETE_ON_CLOSE: u32 = 0x1000;

const IMPERSONATION: u32 = 2;
const NO_OPLOCK: u8 = 0;
const BATCH_OPLOCK: u8 = 9;

/// As Windows and Linux list a directory: names with attributes (FileIdBothDirectoryInformation).
const LISTING_CLASS: u8 = 37;
/// Where the name's length and the name lie in an entry of that class.
const ENTRY_NAME_LENGTH_AT: usize = 60;
const ENTRY_NAME_AT: usize = 104;
/// Names of one reply.
pub(super) const LISTING_BYTES: u32 = 65536;
const FILE_INFORMATION: u8 = 1;
const RENAME_CLASS: u8 = 10;
const DISPOSITION_CLASS: u8 = 13;

/// How a path is opened.
#[derive(Debug, Clone, Copy)]
struct Create {
    access: u32,
    disposition: u32,
    options: u32,
    oplock: u8,
}

/// Writes requests; paths are below a directory of the share.
#[derive(Debug)]
pub(super) struct Requests {
    /// In UTF-16, with a backslash at its end; empty for the share's root.
    root: Vec<u8>,
    oplock: u8,
    for_writing: u32,
    open_options: u32,
}

impl Requests {
    pub(super) fn new(directory: &str, oplocks: bool) -> Self {
        let mut root = Vec::new();
        if !directory.is_empty() {
            directory.replace('/', "\\").encode_utf16().for_each(|unit| root.extend(unit.to_le_bytes()));
            root.extend(*b"\\\0");
        }
        let oplock = if oplocks { BATCH_OPLOCK } else { NO_OPLOCK };
        Requests { root, oplock, for_writing: FOR_WRITING, open_options: 0 }
    }

    /// The same, where files that are written are opened so.
    pub(super) fn opening_so(mut self, opening: Opening) -> Self {
        if opening.also_reads {
            self.for_writing |= READ_DATA;
        }
        if opening.is_durable {
            self.open_options |= WRITE_THROUGH;
        }
        self
    }

    pub(super) fn create(&self, frame: &mut Frame, path: &CStr) {
        let (access, oplock) = (FOR_WRITING, self.oplock);
        self.open_as(frame, path, Create { access, disposition: CREATE, options: IS_NO_DIRECTORY, oplock });
    }

    pub(super) fn open(&self, frame: &mut Frame, path: &CStr, write: bool) {
        let (access, options) = if write { (self.for_writing, self.open_options) } else { (FOR_READING, 0) };
        self.open_as(frame, path, Create { access, disposition: OPEN, options, oplock: self.oplock });
    }

    pub(super) fn make_directory(&self, frame: &mut Frame, path: &CStr) {
        let (access, options) = (READ_ATTRIBUTES | SYNCHRONIZE, IS_DIRECTORY);
        let opening = Create { access, disposition: OPEN_OR_CREATE, options, oplock: NO_OPLOCK };
        self.open_as(frame, path, opening);
        close(frame, None);
    }

    pub(super) fn stat(&self, frame: &mut Frame, path: &CStr) {
        let (access, oplock) = (READ_ATTRIBUTES | SYNCHRONIZE, NO_OPLOCK);
        self.open_as(frame, path, Create { access, disposition: OPEN, options: 0, oplock });
        close(frame, None);
    }

    pub(super) fn unlink(&self, frame: &mut Frame, path: &CStr) {
        let (access, options) = (DELETE | READ_ATTRIBUTES | SYNCHRONIZE, IS_NO_DIRECTORY | DELETE_ON_CLOSE);
        self.open_as(frame, path, Create { access, disposition: OPEN, options, oplock: NO_OPLOCK });
        close(frame, None);
    }

    /// Says that it is to go before it closes it: a directory that is not empty is told then, and by Samba not when
    /// it is closed.
    pub(super) fn remove_directory(&self, frame: &mut Frame, path: &CStr) {
        let (access, options) = (DELETE | READ_ATTRIBUTES | SYNCHRONIZE, IS_DIRECTORY);
        self.open_as(frame, path, Create { access, disposition: OPEN, options, oplock: NO_OPLOCK });
        set_information(frame, DISPOSITION_CLASS, 1);
        frame.put(&[1]);
        close(frame, None);
    }

    pub(super) fn rename(&self, frame: &mut Frame, from: &CStr, to: &CStr) {
        let access = DELETE | READ_ATTRIBUTES | SYNCHRONIZE;
        self.open_as(frame, from, Create { access, disposition: OPEN, options: 0, oplock: NO_OPLOCK });
        let name_bytes = self.root.len() + utf16_bytes(to);
        set_information(frame, RENAME_CLASS, 20 + name_bytes as u32);
        // Replaces what is there.
        frame.put_u64(1);
        frame.put_u64(0);
        frame.put_u32(name_bytes as u32);
        self.put_path(frame, to);
        close(frame, None);
    }

    /// Opens a directory and asks for its first names.
    pub(super) fn list(&self, frame: &mut Frame, path: &CStr) {
        let (access, options) = (FOR_READING, IS_DIRECTORY);
        self.open_as(frame, path, Create { access, disposition: OPEN, options, oplock: NO_OPLOCK });
        names(frame, None);
    }

    fn open_as(&self, frame: &mut Frame, path: &CStr, opening: Create) {
        frame.begin(Command::Create, false, 1);
        frame.put_u16(57);
        frame.put(&[0, opening.oplock]);
        frame.put_u32(IMPERSONATION);
        frame.put_zeros(16);
        frame.put_u32(opening.access);
        frame.put_u32(0);
        frame.put_u32(SHARED_WITH_ALL);
        frame.put_u32(opening.disposition);
        frame.put_u32(opening.options);
        frame.put_u16(120);
        frame.put_u16((self.root.len() + utf16_bytes(path)) as u16);
        frame.put_zeros(8);
        self.put_path(frame, path);
    }

    fn put_path(&self, frame: &mut Frame, path: &CStr) {
        frame.put(&self.root);
        let path = path.to_bytes();
        if path.is_ascii() {
            path.iter().for_each(|byte| frame.put(&[if *byte == b'/' { b'\\' } else { *byte }, 0]));
        } else {
            let text = String::from_utf8_lossy(path).replace('/', "\\");
            text.encode_utf16().for_each(|unit| frame.put_u16(unit));
        }
    }
}

/// Sets what is known of the file that the message before opens: so many bytes follow.
fn set_information(frame: &mut Frame, class: u8, size_bytes: u32) {
    frame.begin(Command::SetInfo, true, 1);
    frame.put_u16(33);
    frame.put(&[FILE_INFORMATION, class]);
    frame.put_u32(size_bytes);
    frame.put_u16(96);
    frame.put_zeros(6);
    frame.put(&RELATED_FILE);
}

/// How long a path is in UTF-16.
fn utf16_bytes(path: &CStr) -> usize {
    let path = path.to_bytes();
    2 * if path.is_ascii() { path.len() } else { String::from_utf8_lossy(path).encode_utf16().count() }
}

/// Asks for (more) names of a directory; of none: of the one that the message before opens.
pub(super) fn names(frame: &mut Frame, directory: Option<&FileId>) {
    frame.begin(Command::QueryDirectory, directory.is_none(), 1);
    frame.put_u16(33);
    frame.put(&[LISTING_CLASS, 0]);
    frame.put_u32(0);
    frame.put(directory.unwrap_or(&RELATED_FILE));
    frame.put_u16(96);
    frame.put_u16(2);
    frame.put_u32(LISTING_BYTES);
    frame.put(b"*\0");
}

/// Closes a file; of none: the one that the message before opens.
pub(super) fn close(frame: &mut Frame, file: Option<&FileId>) {
    frame.begin(Command::Close, file.is_none(), 1);
    frame.put_u16(24);
    frame.put_zeros(6);
    frame.put(file.unwrap_or(&RELATED_FILE));
}

pub(super) fn read(frame: &mut Frame, file: &FileId, offset_bytes: u64, size_bytes: u32) {
    frame.begin(Command::Read, false, charge(size_bytes));
    frame.put_u16(49);
    // Data begins at 80 in the reply, as Windows asks.
    frame.put(&[80, 0]);
    frame.put_u32(size_bytes);
    frame.put_u64(offset_bytes);
    frame.put(file);
    frame.put_zeros(17);
}

pub(super) fn write(frame: &mut Frame, file: &FileId, offset_bytes: u64, data: &[u8]) {
    frame.begin(Command::Write, false, charge(data.len() as u32));
    frame.put_u16(49);
    frame.put_u16(112);
    frame.put_u32(data.len() as u32);
    frame.put_u64(offset_bytes);
    frame.put(file);
    frame.put_zeros(16);
    frame.put(data);
}

pub(super) fn flush(frame: &mut Frame, file: &FileId) {
    frame.begin(Command::Flush, false, 1);
    frame.put_u16(24);
    frame.put_zeros(6);
    frame.put(file);
}

pub(super) fn echo(frame: &mut Frame) {
    frame.begin(Command::Echo, false, 1);
    frame.put_u16(4);
    frame.put_u16(0);
}

/// Gives an oplock back that the server wants.
pub(super) fn no_oplock(frame: &mut Frame, file: &FileId) {
    frame.begin(Command::OplockBreak, false, 1);
    frame.put_u16(24);
    frame.put(&[NO_OPLOCK, 0]);
    frame.put_u32(0);
    frame.put(file);
}

/// Credits that a message with so many bytes of data takes; dialect 2.0.2 sends none larger than one.
#[inline]
pub(super) fn charge(size_bytes: u32) -> u16 {
    (size_bytes.saturating_sub(1) / 65536 + 1) as u16
}

/// The names in a listing, without the directory's own and its parent's; none when it is not well formed.
pub(super) fn for_each_name(listing: &[u8], mut each: impl FnMut(&[u8])) -> Option<()> {
    let mut rest = listing;
    while !rest.is_empty() {
        let length = super::message::u32_at(rest, ENTRY_NAME_LENGTH_AT) as usize;
        if length > NAME_LIMIT_BYTES {
            return None;
        }
        let end = ENTRY_NAME_AT + length;
        let name = rest.get(ENTRY_NAME_AT..end)?;
        if !matches!(name, b".\0" | b".\0.\0") {
            each(name);
        }
        match super::message::u32_at(rest, 0) as usize {
            0 => return Some(()),
            // Entries lie one behind the other, each with its own bytes.
            next if next < end => return None,
            next => rest = rest.get(next..)?,
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use smb2::msg::create::{CreateDisposition, CreateRequest};
    use smb2::msg::read::ReadRequest;
    use smb2::msg::write::WriteRequest;
    use smb2::pack::{ReadCursor, Unpack};

    fn body(frame: &Frame) -> ReadCursor<'_> {
        ReadCursor::new(&frame.body()[64..])
    }

    #[test]
    fn another_client_reads_what_is_written() {
        let requests = Requests::new("dir/deeper", false);
        let mut frame = Frame::new();
        requests.create(&mut frame, c"c00001/c00001-f000002");
        let create = CreateRequest::unpack(&mut body(&frame)).unwrap();
        assert_eq!(create.name, "dir\\deeper\\c00001\\c00001-f000002");
        assert_eq!(create.create_disposition, CreateDisposition::FileCreate);
        assert_eq!(create.create_options, IS_NO_DIRECTORY);

        frame.clear();
        read(&mut frame, &[7; 16], 1 << 33, 100_000);
        let read = ReadRequest::unpack(&mut body(&frame)).unwrap();
        assert_eq!((read.offset, read.length), (1 << 33, 100_000));
        assert_eq!(frame.body()[6], 2, "credits");

        frame.clear();
        write(&mut frame, &[7; 16], 4096, b"data");
        let write = WriteRequest::unpack(&mut body(&frame)).unwrap();
        assert_eq!((write.offset, write.data.as_slice()), (4096, &b"data"[..]));
    }

    #[test]
    fn names_beyond_ascii_are_utf16() {
        let requests = Requests::new("", false);
        let mut frame = Frame::new();
        requests.open(&mut frame, c"\u{e4}/\u{1f642}", false);
        assert_eq!(CreateRequest::unpack(&mut body(&frame)).unwrap().name, "\u{e4}\\\u{1f642}");
    }

    fn entry(name: &str, is_last: bool) -> Vec<u8> {
        let mut entry = vec![0; ENTRY_NAME_AT];
        let name: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        entry[ENTRY_NAME_LENGTH_AT..][..4].copy_from_slice(&(name.len() as u32).to_le_bytes());
        entry.extend(name);
        entry.resize(entry.len().next_multiple_of(8), 0);
        let next = if is_last { 0 } else { entry.len() as u32 };
        entry[..4].copy_from_slice(&next.to_le_bytes());
        entry
    }

    #[test]
    fn names_are_counted_and_damage_is_seen() {
        let listing = [entry(".", false), entry("..", false), entry("a", false), entry("bcd", true)].concat();
        let mut found = Vec::new();
        for_each_name(&listing, |name| found.push(name.to_vec())).unwrap();
        assert_eq!(found, [b"a\0".to_vec(), b"b\0c\0d\0".to_vec()]);
        for cut in [1, 60, 110, 230, listing.len() - 8] {
            assert_eq!(for_each_name(&listing[..cut], |_| {}), None, "{cut}");
        }
        // An entry that begins in the middle of another: sixty thousand names of one reply, each of its size.
        let mut overlapping = listing.clone();
        overlapping[..4].copy_from_slice(&1u32.to_le_bytes());
        assert_eq!(for_each_name(&overlapping, |_| {}), None);
        let mut damaged = listing.clone();
        damaged[ENTRY_NAME_LENGTH_AT + 3] = 0xFF;
        assert_eq!(for_each_name(&damaged, |_| {}), None);
    }
}
