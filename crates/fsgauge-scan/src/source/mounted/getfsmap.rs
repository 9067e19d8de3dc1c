//! Free space by GETFSMAP: the kernel's own record of what each piece of the device is for (ext4, XFS).

use std::os::fd::BorrowedFd;

use rustix::io::Errno;

use super::kernel::{Fsmap, FsmapRecord};
use crate::extent::{Piece, PieceKind, Sink};
use crate::problems::Problems;
use crate::reader_threads::IsStopped;

/// Records of one call: 64 KiB. Sixteen times as many take 5 % longer by the pages that they touch first.
const RECORDS: u32 = 1 << 10;

/// Flags and owners (linux/fsmap.h, xfs/xfs_fs.h, fs/ext4/fsmap.h, Linux 6.18).
const EXTENT_MAP: u32 = 0x4;
const SPECIAL_OWNER: u32 = 0x10;
const LAST: u32 = 0x20;
const OWN_FREE: u64 = 1;
const OWN_METADATA: u64 = 3;
/// Owners of XFS and of ext4 that are not the file system's own tables: copies on write, defective blocks.
const OWN_COPIES: u64 = (b'X' as u64) << 32 | 7;
const OWN_DEFECTIVE: u64 = (b'X' as u64) << 32 | 8;
/// Which device a record is of, where it is not named by its number (XFS_DEV_DATA, Linux 6.15).
const DATA_DEVICE: u32 = 1;

/// Pours the free pieces of the device and the known tables into `sink`, and returns where the last record ended.
pub(super) fn read(
    open: BorrowedFd<'_>,
    device_number: (u32, u32),
    sink: &mut dyn Sink,
    is_stopped: IsStopped<'_>,
    problems: &mut Problems,
) -> Result<u64, Errno> {
    let mut fsmap = Fsmap::new(RECORDS);
    let mut free = Touching { sink, begin: 0, end: 0 };
    let mut reached = (0, 0);
    while !is_stopped() {
        let (records, by_number) = fsmap.next(open)?;
        let device = if by_number { encoded(device_number) } else { DATA_DEVICE };
        let (mut last, mut end) = (true, reached);
        for record in records {
            last = record.flags & LAST != 0;
            end = (record.device, record.physical_bytes.saturating_add(record.length_bytes));
            if record.device == device {
                free.record(&record);
            }
        }
        if last {
            break;
        }
        if end <= reached {
            problems.add("damaged", "The kernel's list of space does not end", format_args!("{end:?}"));
            break;
        }
        reached = end;
    }
    free.flush();
    Ok(reached.1)
}

/// Where the file system ends on a device of so many blocks, which may be longer; `None` where the kernel does not tell.
pub(super) fn end_bytes(
    open: BorrowedFd<'_>,
    device_number: (u32, u32),
    device_blocks: u64,
    block_bytes: u64,
) -> Option<u64> {
    let (mut fsmap, device) = (Fsmap::new(1), encoded(device_number));
    let mut has = |block: u64| {
        fsmap.begin_at(device, block * block_bytes);
        let (mut records, _) = fsmap.next(open).ok()?;
        Some(records.next().is_some_and(|record| record.device == device))
    };
    let (mut inside, mut outside) = (0, device_blocks);
    if !has(inside)? {
        return None;
    }
    while outside - inside > 1 {
        // The last block first: most devices are no longer.
        let block =
            if outside == device_blocks && inside == 0 { outside - 1 } else { inside.midpoint(outside) };
        if has(block)? {
            inside = block;
        } else {
            outside = block;
        }
    }
    Some(outside * block_bytes)
}

/// A device's number as the kernel hands it out (`new_encode_dev`, linux/kdev_t.h).
fn encoded((major, minor): (u32, u32)) -> u32 {
    (minor & 0xff) | (major << 8) | ((minor & !0xff) << 12)
}

/// Free pieces that touch become one.
struct Touching<'a> {
    sink: &'a mut dyn Sink,
    begin: u64,
    end: u64,
}

impl Touching<'_> {
    fn record(&mut self, record: &FsmapRecord) {
        let (offset_bytes, length_bytes) = (record.physical_bytes, record.length_bytes);
        match kind(record) {
            Some(PieceKind::Free) if offset_bytes == self.end && self.end > self.begin => {
                self.end = self.end.saturating_add(length_bytes);
            }
            Some(PieceKind::Free) => {
                self.flush();
                (self.begin, self.end) = (offset_bytes, offset_bytes.saturating_add(length_bytes));
            }
            Some(kind) => self.sink.piece(&Piece { offset_bytes, length_bytes, kind }),
            None => {}
        }
    }

    fn flush(&mut self) {
        let length_bytes = self.end - self.begin;
        if length_bytes > 0 {
            self.sink.piece(&Piece { offset_bytes: self.begin, length_bytes, kind: PieceKind::Free });
        }
        (self.begin, self.end) = (0, 0);
    }
}

/// What a record is of, where that is known: ext4 and XFS without reverse mapping do not tell files from folders.
fn kind(record: &FsmapRecord) -> Option<PieceKind> {
    let is_table = |owner: u64| owner == OWN_METADATA || owner >> 32 != 0;
    match record.owner {
        OWN_FREE if record.flags & SPECIAL_OWNER != 0 => Some(PieceKind::Free),
        OWN_COPIES | OWN_DEFECTIVE if record.flags & SPECIAL_OWNER != 0 => None,
        owner if record.flags & SPECIAL_OWNER != 0 => is_table(owner).then_some(PieceKind::Metadata),
        _ => (record.flags & EXTENT_MAP != 0).then_some(PieceKind::Metadata),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Pieces(Vec<(u64, u64, PieceKind)>);

    impl Sink for Pieces {
        fn file(&mut self, _: &crate::extent::FileExtents<'_>) {}
        fn piece(&mut self, piece: &Piece) {
            self.0.push((piece.offset_bytes, piece.length_bytes, piece.kind));
        }
    }

    fn record(physical_bytes: u64, length_bytes: u64, owner: u64, flags: u32) -> FsmapRecord {
        FsmapRecord { device: 0, flags, physical_bytes, owner, length_bytes }
    }

    #[test]
    fn free_records_that_touch_are_one_piece() {
        let mut pieces = Pieces(Vec::new());
        let mut free = Touching { sink: &mut pieces, begin: 0, end: 0 };
        let records = [
            record(0, 10, OWN_FREE, SPECIAL_OWNER),
            record(10, 10, OWN_FREE, SPECIAL_OWNER),
            record(20, 5, u64::from(b'X') << 32 | 1, SPECIAL_OWNER),
            record(25, 5, OWN_FREE, SPECIAL_OWNER),
            record(30, 5, 1, 0),
            record(35, 5, 2, SPECIAL_OWNER),
        ];
        records.iter().for_each(|record| free.record(record));
        free.flush();
        let expected = [(20, 5, PieceKind::Metadata), (0, 20, PieceKind::Free), (25, 5, PieceKind::Free)];
        assert_eq!(pieces.0, expected);
    }

    #[test]
    fn a_large_minor_number_is_spread() {
        assert_eq!(encoded((254, 0)), 0xfe00);
        assert_eq!(encoded((8, 0x123)), 0x10_0823);
    }
}
