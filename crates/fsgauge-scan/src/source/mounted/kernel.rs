//! The kernel's calls that say what lies where: FIEMAP, GETFSMAP, and those of XFS and btrfs.
//!
//! Unsafe code: ioctl(2) on buffers that are sized here, as the headers of Linux 6.18 lay them out
//! (linux/fiemap.h, linux/fsmap.h, linux/btrfs.h, xfs/xfs_fs.h). They are aligned to eight bytes, so they are kept
//! as words.

use std::ffi::CStr;
use std::os::fd::{AsRawFd, BorrowedFd};

use rustix::io::Errno;

use crate::source::btrfs::items::Key;
use crate::source::quota::Quota;

const FS_IOC_FIEMAP: u32 = 0xC020_660B;
const FS_IOC_GETFSMAP: u32 = 0xC0C0_583B;
const FS_IOC_GETFSUUID: u32 = 0x8011_1500;
const EXT4_IOC_GETFSUUID: u32 = 0x8008_662C;
const XFS_IOC_FSGEOMETRY_V1: u32 = 0x8070_5864;
const XFS_IOC_FSCOUNTS: u32 = 0x8020_5871;
const BTRFS_IOC_FS_INFO: u32 = 0x8400_941F;
const BTRFS_IOC_DEV_INFO: u32 = 0xD000_941E;
const BTRFS_IOC_TREE_SEARCH_V2: u32 = 0xC070_9411;

/// XFS_FSOP_GEOM_FLAGS_SPINODES.
const XFS_SPARSE_INODES: u32 = 1 << 18;
/// Q_GETQUOTA and Q_GETNEXTQUOTA of linux/quota.h.
const GET_QUOTA: u32 = 0x80_0007;
const GET_NEXT_QUOTA: u32 = 0x80_0009;
/// Q_XGETQSTAT of linux/dqblk_xfs.h, and FS_QUOTA_UDQ_ENFD, GDQ_ENFD and PDQ_ENFD of its flags.
const GET_QUOTA_STATE: u32 = 0x5805;
const LIMITS_HOLD: [u64; 3] = [1 << 1, 1 << 3, 1 << 5];

/// Little endian, as on x86 and ARM.
const _: () = assert!(cfg!(target_endian = "little"));

const FIEMAP_HEAD_WORDS: usize = 4;
const FIEMAP_EXTENT_WORDS: usize = 7;
const FSMAP_HEAD_WORDS: usize = 24;
const FSMAP_WORDS: usize = 8;
const SEARCH_HEAD_WORDS: usize = 14;
const SEARCH_ITEM_HEAD_BYTES: usize = 32;

/// Asks the kernel; it fills `words`, in which the caller has said how long they are.
fn ask(fd: BorrowedFd<'_>, request: u32, words: &mut [u64]) -> Result<(), Errno> {
    // SAFETY: the functions below are the only callers; each gives at least the bytes that its request's number
    // says, and where the kernel fills an array after these, a count of its elements that fits into `words`.
    let answer = unsafe { libc::ioctl(fd.as_raw_fd(), request.into(), words.as_mut_ptr()) };
    if answer < 0 { Err(last_error()) } else { Ok(()) }
}

fn last_error() -> Errno {
    Errno::from_raw_os_error(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
}

fn low(word: u64) -> u32 {
    word as u32
}

fn high(word: u64) -> u32 {
    (word >> 32) as u32
}

fn both(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// One extent as FIEMAP gives it.
#[derive(Debug, Clone, Copy)]
pub(super) struct FiemapExtent {
    pub(super) logical_bytes: u64,
    pub(super) physical_bytes: u64,
    pub(super) length_bytes: u64,
    pub(super) flags: u32,
}

/// Room for the extents of one call, made for the first and used again and again.
#[derive(Debug)]
pub(super) struct Fiemap {
    words: Vec<u64>,
    capacity: u32,
}

impl Fiemap {
    pub(super) fn new(capacity: u32) -> Self {
        Fiemap { words: Vec::new(), capacity }
    }

    /// The extents of a file from an offset on, as many as there is room for, without writing out what is only in
    /// the cache; and whether there was room for more.
    pub(super) fn read(
        &mut self,
        file: BorrowedFd<'_>,
        from_bytes: u64,
    ) -> Result<(impl Iterator<Item = FiemapExtent>, bool), Errno> {
        self.words.resize(FIEMAP_HEAD_WORDS + self.capacity as usize * FIEMAP_EXTENT_WORDS, 0);
        // Start, length, flags and extents mapped, room and reserved.
        self.words[..FIEMAP_HEAD_WORDS].copy_from_slice(&[
            from_bytes,
            u64::MAX - from_bytes,
            0,
            both(self.capacity, 0),
        ]);
        ask(file, FS_IOC_FIEMAP, &mut self.words)?;
        let mapped = high(self.words[2]).min(self.capacity) as usize;
        let extents = self.words[FIEMAP_HEAD_WORDS..].chunks_exact(FIEMAP_EXTENT_WORDS).take(mapped);
        let extent = |words: &[u64]| FiemapExtent {
            logical_bytes: words[0],
            physical_bytes: words[1],
            length_bytes: words[2],
            flags: low(words[5]),
        };
        Ok((extents.map(extent), mapped < self.capacity as usize))
    }
}

/// One record of GETFSMAP.
#[derive(Debug, Clone, Copy)]
pub(super) struct FsmapRecord {
    pub(super) device: u32,
    pub(super) flags: u32,
    pub(super) physical_bytes: u64,
    pub(super) owner: u64,
    pub(super) length_bytes: u64,
}

/// Room for the records of one call, and where the next begins.
#[derive(Debug)]
pub(super) struct Fsmap {
    words: Vec<u64>,
    capacity: u32,
}

impl Fsmap {
    pub(super) fn new(capacity: u32) -> Self {
        let mut words = vec![0; FSMAP_HEAD_WORDS + capacity as usize * FSMAP_WORDS];
        // The high key: everything. Its length and its reserved words stay 0.
        words[16..20].fill(u64::MAX);
        Fsmap { words, capacity }
    }

    /// Begins at a byte of a device.
    pub(super) fn begin_at(&mut self, device: u32, physical_bytes: u64) {
        self.words[8..16].fill(0);
        (self.words[8], self.words[9]) = (device.into(), physical_bytes);
    }

    /// The next records: none at the end. The second value: whether devices are named by their numbers.
    pub(super) fn next(
        &mut self,
        folder: BorrowedFd<'_>,
    ) -> Result<(impl Iterator<Item = FsmapRecord>, bool), Errno> {
        (self.words[0], self.words[1]) = (0, both(self.capacity, 0));
        ask(folder, FS_IOC_GETFSMAP, &mut self.words)?;
        let entries = high(self.words[1]).min(self.capacity) as usize;
        if let Some(last) = entries.checked_sub(1) {
            let from = FSMAP_HEAD_WORDS + last * FSMAP_WORDS;
            self.words.copy_within(from..from + FSMAP_WORDS, 8);
        }
        let record = |words: &[u64]| FsmapRecord {
            device: low(words[0]),
            flags: high(words[0]),
            physical_bytes: words[1],
            owner: words[2],
            length_bytes: words[4],
        };
        let records = self.words[FSMAP_HEAD_WORDS..].chunks_exact(FSMAP_WORDS).take(entries).map(record);
        Ok((records, high(self.words[0]) & 1 != 0))
    }
}

/// What tells a file system from all others, by its own call: that for all, since Linux 6.9, says zeros of an ext4 whose
/// UUID was set while it was mounted.
pub(super) fn uuid(open: BorrowedFd<'_>, file_system: &str) -> Option<[u8; 16]> {
    let own = || match file_system {
        "xfs" => {
            let mut words = [0; 14];
            ask(open, XFS_IOC_FSGEOMETRY_V1, &mut words).ok()?;
            Some(both_words(&words[8..10]))
        }
        "btrfs" => Some(btrfs_info(open).ok()?.identity),
        "ext2" | "ext3" | "ext4" => {
            // How long it may be, then it.
            let mut words = [16, 0, 0];
            ask(open, EXT4_IOC_GETFSUUID, &mut words).ok()?;
            Some(both_words(&words[1..3]))
        }
        _ => None,
    };
    own().or_else(|| {
        let mut words = [0u64; 3];
        ask(open, FS_IOC_GETFSUUID, &mut words).ok()?;
        let bytes = words.map(u64::to_le_bytes).concat();
        bytes.get(1..17).filter(|_| bytes.first() == Some(&16))?.try_into().ok()
    })
}

fn both_words(words: &[u64]) -> [u8; 16] {
    (u128::from(words[0]) | u128::from(words[1]) << 64).to_le_bytes()
}

/// What XFS says of its geometry, to everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct XfsGeometry {
    pub(super) block_bytes: u32,
    pub(super) group_blocks: u32,
    pub(super) groups: u32,
    pub(super) inode_bytes: u32,
    pub(super) has_sparse_inodes: bool,
    pub(super) data_blocks: u64,
    pub(super) realtime_blocks: u64,
}

pub(super) fn xfs_geometry(folder: BorrowedFd<'_>) -> Result<XfsGeometry, Errno> {
    let mut words = [0; 14];
    ask(folder, XFS_IOC_FSGEOMETRY_V1, &mut words)?;
    Ok(XfsGeometry {
        block_bytes: low(words[0]),
        group_blocks: low(words[1]),
        groups: high(words[1]),
        inode_bytes: low(words[3]),
        has_sparse_inodes: high(words[11]) & XFS_SPARSE_INODES != 0,
        data_blocks: words[4],
        realtime_blocks: words[5],
    })
}

/// Inodes of an XFS that are made and have no file.
pub(super) fn xfs_free_inodes(folder: BorrowedFd<'_>) -> Result<u64, Errno> {
    let mut words = [0; 4];
    ask(folder, XFS_IOC_FSCOUNTS, &mut words)?;
    Ok(words[2])
}

/// The quota of `id`, or, with `next`, of the first from there on that has one. Kinds are 0 user, 1 group, 2 project.
pub(super) fn quota(device: &CStr, kind: u32, id: u32, next: bool) -> Result<Quota, Errno> {
    let command = (if next { GET_NEXT_QUOTA } else { GET_QUOTA }) << 8 | kind & 0xff;
    let mut words = [0u64; 10];
    // SAFETY: the kernel fills a struct dqblk of 72 bytes, or a struct if_nextdqblk of as many; there is room for 80.
    let answer =
        unsafe { libc::quotactl(command as i32, device.as_ptr(), id as i32, words.as_mut_ptr().cast()) };
    if answer < 0 {
        return Err(last_error());
    }
    // Limits of bytes are in KiB.
    Ok(Quota {
        id: if next { high(words[8]) } else { id },
        hard_bytes: words[0].saturating_mul(1024),
        soft_bytes: words[1].saturating_mul(1024),
        used_bytes: words[2],
        hard_inodes: words[3],
        soft_inodes: words[4],
        used_inodes: words[5],
        bytes_until: words[6],
        inodes_until: words[7],
    })
}

/// Of which kinds of quotas the limits hold, and use is not counted alone: of all where the kernel does not tell, of
/// none where it has none.
pub(super) fn limits_hold(device: &CStr) -> [bool; 3] {
    let command = GET_QUOTA_STATE << 8;
    let mut words = [0u64; 16];
    // SAFETY: the kernel fills a struct fs_quota_stat of 80 bytes; there is room for 128.
    let answer = unsafe { libc::quotactl(command as i32, device.as_ptr(), 0, words.as_mut_ptr().cast()) };
    if answer < 0 {
        return [last_error() != Errno::NOSYS; 3];
    }
    // The flags, of all kinds, are the second two bytes.
    LIMITS_HOLD.map(|flag| words[0] >> 16 & flag != 0)
}

/// What btrfs says of itself, to everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BtrfsInfo {
    pub(super) last_device: u64,
    pub(super) identity: [u8; 16],
    pub(super) devices: u64,
    pub(super) node_bytes: u32,
    pub(super) sector_bytes: u32,
}

pub(super) fn btrfs_info(folder: BorrowedFd<'_>) -> Result<BtrfsInfo, Errno> {
    let mut words = [0; 128];
    ask(folder, BTRFS_IOC_FS_INFO, &mut words)?;
    let (node_bytes, sector_bytes) = (low(words[4]), high(words[4]));
    let identity = u128::from(words[2]) | u128::from(words[3]) << 64;
    Ok(BtrfsInfo {
        last_device: words[0],
        identity: identity.to_le_bytes(),
        devices: words[1],
        node_bytes,
        sector_bytes,
    })
}

/// What btrfs says of one of its devices, to everybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BtrfsDeviceInfo {
    pub(super) size_bytes: u64,
    /// What chunks have of it.
    pub(super) taken_bytes: u64,
    /// Of the file system that it belongs to, for a seed another one; zeros before Linux 6.3.
    pub(super) identity: [u8; 16],
}

pub(super) fn btrfs_device(folder: BorrowedFd<'_>, number: u64) -> Result<BtrfsDeviceInfo, Errno> {
    let mut words = [0; 512];
    words[0] = number;
    ask(folder, BTRFS_IOC_DEV_INFO, &mut words)?;
    let identity = both_words(&words[5..7]);
    Ok(BtrfsDeviceInfo { taken_bytes: words[3], size_bytes: words[4], identity })
}

/// An item of a btrfs tree: its key and its contents.
pub(super) type Item = (Key, Vec<u8>);

/// Room for the items of one call of TREE_SEARCH_V2; root alone may make it.
#[derive(Debug)]
pub(super) struct TreeSearch {
    words: Vec<u64>,
    found: Vec<Item>,
}

impl TreeSearch {
    pub(super) fn new(room_bytes: usize) -> Self {
        TreeSearch { words: vec![0; SEARCH_HEAD_WORDS + room_bytes / 8], found: Vec::new() }
    }

    /// The items of a tree between two keys, in their order, as many as there is room for. Object, kind and
    /// offset are one long number for the kernel: items of other kinds may lie between.
    pub(super) fn read(
        &mut self,
        folder: BorrowedFd<'_>,
        tree: u64,
        from: Key,
        to: Key,
    ) -> Result<&[Item], Errno> {
        self.words.fill(0);
        // Tree, objects, offsets, transactions, kinds, how many items; then the room.
        self.words[..9].copy_from_slice(&[
            tree,
            from.object,
            to.object,
            from.offset,
            to.offset,
            0,
            u64::MAX,
            both(from.kind.into(), to.kind.into()),
            both(u32::MAX, 0),
        ]);
        self.words[13] = (self.words.len() - SEARCH_HEAD_WORDS) as u64 * 8;
        ask(folder, BTRFS_IOC_TREE_SEARCH_V2, &mut self.words)?;
        let items = low(self.words[8]);
        let bytes: Vec<u8> = self.words[SEARCH_HEAD_WORDS..].iter().flat_map(|w| w.to_ne_bytes()).collect();
        self.found.clear();
        let mut rest = bytes.as_slice();
        for _ in 0..items {
            let Some((item, after)) = first_item(rest) else { break };
            self.found.push(item);
            rest = after;
        }
        Ok(&self.found)
    }
}

/// The first item of a search's answer: transaction, object, offset, kind, length, contents.
fn first_item(bytes: &[u8]) -> Option<(Item, &[u8])> {
    let (head, rest) = bytes.split_at_checked(SEARCH_ITEM_HEAD_BYTES)?;
    let word = |at: usize| {
        head.get(at..at + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_ne_bytes)
    };
    let key = Key { object: word(8), kind: low(word(24)) as u8, offset: word(16) };
    let (contents, after) = rest.split_at_checked(high(word(24)) as usize)?;
    Some(((key, contents.to_vec()), after))
}
