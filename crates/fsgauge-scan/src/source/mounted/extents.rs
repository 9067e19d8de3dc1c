//! The extents of one open file, by FIEMAP.

use std::os::fd::BorrowedFd;

use rustix::fs::{AtFlags, Stat, StatxAttributes, StatxFlags, fstat, statx};
use rustix::io::Errno;

use super::compressed::DeviceLengths;
use super::kernel::{Fiemap, FiemapExtent};
use crate::extent::{Extent, FILE_EXTENTS_LIMIT, Kinds};

/// Extents of one call: enough for nearly every file.
const EXTENTS_OF_A_CALL: u32 = 4096;

/// Flags of FIEMAP (linux/fiemap.h, Linux 6.18) and the kinds they stand for.
const LAST: u32 = 0x1;
const UNKNOWN: u32 = 0x2;
const KINDS: [(u32, Kinds); 7] = [
    (0x4, Kinds::DELAYED),
    (0x8, Kinds::COMPRESSED),
    (0x80, Kinds::ENCRYPTED),
    (0x200, Kinds::INLINE),
    (0x400, Kinds::INLINE),
    (0x800, Kinds::UNWRITTEN),
    (0x2000, Kinds::SHARED),
];

/// What reading a file's extents came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Read {
    Whole,
    /// The file changed meanwhile: its extents are of several moments.
    Changed,
    /// It has more extents than are read.
    TooMany,
}

/// Room for the extents of one file, used again and again.
#[derive(Debug)]
pub(super) struct ExtentReader {
    fiemap: Fiemap,
    /// FIEMAP was answered here, so there is no need to ask it about nothing.
    works: bool,
    pub(super) extents: Vec<Extent>,
    /// What knows how long compressed extents are on the device.
    lengths: Option<DeviceLengths>,
}

impl ExtentReader {
    /// For files of one file system.
    pub(super) fn new(file_system: &str) -> Self {
        ExtentReader {
            fiemap: Fiemap::new(EXTENTS_OF_A_CALL),
            works: false,
            extents: Vec::new(),
            lengths: (file_system == "btrfs").then(DeviceLengths::new),
        }
    }

    /// Reads the extents of a file whose status is `before` into `extents`. Each call goes on behind the last
    /// extent, so there is an end.
    pub(super) fn read(&mut self, file: BorrowedFd<'_>, before: &Stat) -> Result<Read, Errno> {
        self.extents.clear();
        // Nothing is allocated, inside or beyond the end: inline contents have a size.
        if self.works && before.st_size == 0 && before.st_blocks == 0 {
            return Ok(Read::Whole);
        }
        let mut from_bytes = 0;
        loop {
            let (found, last) = self.fiemap.read(file, from_bytes)?;
            self.works = true;
            let mut is_last = last;
            let mut end = from_bytes;
            for extent in found {
                is_last |= extent.flags & LAST != 0;
                let next = extent.logical_bytes.saturating_add(extent.length_bytes);
                if extent.length_bytes > 0 && extent.logical_bytes >= end {
                    end = next;
                    self.extents.push(kept(&extent));
                }
            }
            if is_last || end <= from_bytes {
                return self.whole(file, before, from_bytes > 0);
            }
            if self.extents.len() >= FILE_EXTENTS_LIMIT {
                return Ok(Read::TooMany);
            }
            from_bytes = end;
        }
    }

    /// Adds what FIEMAP does not tell, where some extents need it.
    fn complete(&mut self, file: BorrowedFd<'_>, stat: &Stat) {
        let any = |kind: Kinds, extents: &[Extent]| extents.iter().any(|extent| extent.kinds.has(kind));
        if any(Kinds::COMPRESSED, &self.extents)
            && let Some(lengths) = &mut self.lengths
        {
            lengths.fill(file, stat.st_ino, &mut self.extents);
        }
        if let Some(last) = self.extents.last_mut()
            && last.logical_bytes > stat.st_size as u64
            && is_verity(file)
        {
            last.kinds = last.kinds.with(Kinds::VERITY);
        }
    }

    /// One call is of one moment; several are not when the file changed between them.
    fn whole(&mut self, file: BorrowedFd<'_>, before: &Stat, several_calls: bool) -> Result<Read, Errno> {
        self.complete(file, before);
        if !several_calls {
            return Ok(Read::Whole);
        }
        let after = fstat(file)?;
        let moment = |stat: &Stat| (stat.st_size, stat.st_blocks, stat.st_ctime, stat.st_ctime_nsec);
        Ok(if moment(&after) == moment(before) { Read::Whole } else { Read::Changed })
    }
}

/// Whether fs-verity protects a file.
fn is_verity(file: BorrowedFd<'_>) -> bool {
    let found = statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::TYPE);
    found.is_ok_and(|found| found.stx_attributes.contains(StatxAttributes::VERITY))
}

fn kept(extent: &FiemapExtent) -> Extent {
    // Nearly every extent has no flag but the last one.
    let kinds = if extent.flags & !LAST == 0 { Kinds::default() } else { kinds(extent.flags) };
    let ends_unknown = kinds.has(Kinds::COMPRESSED.with(Kinds::NOWHERE));
    Extent {
        logical_bytes: extent.logical_bytes,
        physical_bytes: extent.physical_bytes,
        length_bytes: extent.length_bytes,
        device_bytes: if ends_unknown { 0 } else { extent.length_bytes },
        kinds,
    }
}

fn kinds(flags: u32) -> Kinds {
    let set = KINDS.iter().filter(|(flag, _)| flags & flag != 0);
    let kinds = set.fold(Kinds::default(), |kinds, (_, kind)| kinds.with(*kind));
    // Encryption is done by encoding too: only what is not encrypted is compressed.
    let kinds = if kinds.has(Kinds::ENCRYPTED) { Kinds(kinds.0 & !Kinds::COMPRESSED.0) } else { kinds };
    let is_nowhere = flags & UNKNOWN != 0 && !kinds.has(Kinds::DELAYED);
    if is_nowhere { kinds.with(Kinds::NOWHERE) } else { kinds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_become_kinds() {
        assert_eq!(kinds(0x1), Kinds::default());
        assert_eq!(kinds(0x6), Kinds::DELAYED);
        assert_eq!(kinds(0x2), Kinds::NOWHERE);
        assert_eq!(kinds(0x88), Kinds::ENCRYPTED);
        assert_eq!(kinds(0x300), Kinds::INLINE);
        assert_eq!(kinds(0x2808), Kinds::UNWRITTEN.with(Kinds::COMPRESSED).with(Kinds::SHARED));
    }
}
