//! What is on a device or image that is not read here, known by its signature: each is refused by name, with what can be
//! done instead.
//!
//! Source: libblkid of util-linux 2.41 (libblkid/src/superblocks and src/partitions), and the formats' own descriptions.

use fsgauge_wire::Failure;

use crate::bytes::Bytes;
use crate::shown::{quoted, shown};
use crate::{Image, Problems};

/// What can be done with what a signature stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Encrypted: what it opens to can be scanned.
    Open(&'static str),
    /// Part of something larger, which can be scanned when it is put together.
    Assemble(&'static str),
    /// A disk or what tools took of one, in a format of its own, which the command writes out.
    Unpack(&'static str),
    /// A table of partitions that is not read here.
    Parted,
    /// Written once: nothing in it is ever moved, and nothing is free.
    Sealed,
    /// A file system that tells where its files are when it is mounted.
    Mount,
    /// A file system that does not (no FIEMAP).
    Untold,
    /// It holds no files.
    Nothing(&'static str),
}

/// A magic number: where it is, what it is, what it stands for.
type Signature = (u64, &'static [u8], &'static str, Way);

const LVM: Way = Way::Assemble("vgchange --activate y, then scan its volumes (lvs -o lv_path)");
const LVM1: Way =
    Way::Assemble("vgconvert -M2 of an LVM2 before 2.03, then scan its volumes (lvs -o lv_path)");
const BITLOCKER: Way = Way::Open("cryptsetup open --type bitlk --readonly");
const MD: Way = Way::Assemble("mdadm --assemble --readonly --scan, then scan /dev/md...");
const LUKS: Way = Way::Open("cryptsetup open --readonly");

/// What lies around other things: told before any file system, whose superblock may be left from before or be that of
/// what is inside.
const AROUND: [Signature; 18] = [
    (0, b"LUKS\xba\xbe", "a LUKS volume", LUKS),
    // The second header of version 2, where the first is lost.
    (0x4000, b"SKUL\xba\xbe", "a LUKS volume", LUKS),
    (
        0x204,
        b"!Stra0tis\x86\xff\x02^\x41rh",
        "a device of a Stratis pool",
        Way::Assemble("stratis pool start, then scan the mount points of its file systems"),
    ),
    (0x218, b"LVM2 001", "a physical volume of LVM", LVM),
    (0x018, b"LVM2 001", "a physical volume of LVM", LVM),
    (0x418, b"LVM2 001", "a physical volume of LVM", LVM),
    (0x618, b"LVM2 001", "a physical volume of LVM", LVM),
    (4096, b"\xfc\x4e\x2b\xa9", "a member of an md array", MD),
    (0, b"\xfc\x4e\x2b\xa9", "a member of an md array", MD),
    (
        4096 + 24,
        b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
        "a device of bcache",
        Way::Assemble("echo DEVICE > /sys/fs/bcache/register, then scan /dev/bcache0"),
    ),
    (
        0,
        b"bluestore block device",
        "an object store of Ceph (BlueStore)",
        Way::Nothing("this machine sees none of its objects as a file"),
    ),
    (0, b"dmvdo001", "a VDO volume", Way::Assemble("lvchange --activate y, then scan its volume")),
    (0, b"HM\x01\0", "a physical volume of LVM1", LVM1),
    (0, b"HM\x02\0", "a physical volume of LVM1", LVM1),
    (3, b"-FVE-FS-", "a BitLocker volume", BITLOCKER),
    // To Go: it begins like a FAT.
    (
        424,
        b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01",
        "a BitLocker volume",
        BITLOCKER,
    ),
    (0, b"verity\0\0", "hashes of dm-verity", Way::Nothing("they protect another device: scan that")),
    (0, b"integrt\0", "a volume of dm-integrity", Way::Open("integritysetup open")),
];

const QCOW: &str = "a disk in a file of QEMU (qcow2)";
const VMDK: &str = "a disk in a file of VMware (VMDK)";
const QEMU: Way = Way::Unpack("qemu-img convert -O raw");
const SWAP: Way = Way::Nothing("swap holds pages of memory; swapon --show tells how much of it is in use");

/// What is told when no reader knows what is there.
const OTHERS: [Signature; 79] = [
    (0, b"QFI\xfb\0\0\0\x01", "a disk in a file of QEMU (qcow)", QEMU),
    (0, b"QFI\xfb", QCOW, QEMU),
    (0, b"QED\0", "a disk in a file of QEMU (QED)", QEMU),
    (0, b"KDMV", VMDK, QEMU),
    (0, b"COWD", VMDK, QEMU),
    (0, b"\xbe\xba\xfe\xca\0\0\0\0", VMDK, QEMU),
    (0, b"WithoutFreeSpace", "a disk in a file of Parallels", QEMU),
    (0, b"WithouFreSpacExt", "a disk in a file of Parallels", QEMU),
    (0, b"# Disk DescriptorFile", "the description of a disk of VMware (VMDK)", QEMU),
    (0, b"vhdxfile", "a disk in a file of Hyper-V (VHDX)", QEMU),
    (0, b"conectix", "a disk in a file of Virtual PC (VHD)", QEMU),
    (64, b"\x7f\x10\xda\xbe", "a disk in a file of VirtualBox (VDI)", QEMU),
    (0, b"\x3a\xff\x26\xed", "a disk in a sparse file of Android", Way::Unpack("simg2img")),
    (0, b"XFSM", "the metadata of an XFS (xfs_metadump)", Way::Unpack("xfs_mdrestore")),
    (0, b"XMD2", "the metadata of an XFS (xfs_metadump)", Way::Unpack("xfs_mdrestore")),
    (
        0,
        b"\x8b\x66\x95\x72\xe2\x25\x5c\xbd",
        "the metadata of a btrfs (btrfs-image)",
        Way::Unpack("btrfs-image -r"),
    ),
    (
        0,
        b"\x10\xb7\x2b\x7fExt2 Image",
        "the metadata of an ext file system (e2image)",
        Way::Nothing("e2image -r DEVICE raw.img makes one that can be scanned"),
    ),
    (
        0,
        b"partclone-image",
        "a file system in a file of partclone",
        Way::Nothing("partclone.restore --restore_raw_file writes it out; scan what it wrote"),
    ),
    (
        0,
        b"\xfe\xed\xba\xbe",
        "the log of another XFS",
        Way::Nothing("it was given to mkfs.xfs -l logdev: scan the XFS where it is mounted"),
    ),
    // In a log of zones the first superblock is at the begin.
    (64, b"_BHRfS_M", "a btrfs for a zoned device", Way::Mount),
    (4096 + 24, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef", "bcachefs", Way::Mount),
    (1024, b"\x10\x20\xf5\xf2", "F2FS", Way::Mount),
    (4096 + 1024, b"\x10\x20\xf5\xf2", "F2FS", Way::Mount),
    (3, b"NTFS    ", "NTFS", Way::Mount),
    (3, b"ReFS\0\0\0\0", "ReFS", Way::Untold),
    (3, b"EXFAT   ", "exFAT", Way::Untold),
    (82, b"FAT32   ", "FAT", Way::Untold),
    (54, b"FAT16   ", "FAT", Way::Untold),
    (54, b"FAT12   ", "FAT", Way::Untold),
    (54, b"FAT     ", "FAT", Way::Untold),
    (0, b"hsqs", "squashfs", Way::Sealed),
    (0, b"sqsh", "squashfs", Way::Sealed),
    (1024, b"\xe2\xe1\xf5\xe0", "EROFS", Way::Sealed),
    (32769, b"CD001", "ISO 9660", Way::Sealed),
    (32769, b"BEA01", "UDF", Way::Untold),
    (0, b"\x45\x3d\xcd\x28", "cramfs", Way::Sealed),
    (0, b"-rom1fs-", "romfs", Way::Sealed),
    (1024, b"H+", "HFS+", Way::Mount),
    (1024, b"HX", "HFS+", Way::Mount),
    (32, b"NXSB", "APFS", Way::Untold),
    (65536 + 52, b"ReIsEr", "ReiserFS", Way::Untold),
    (65536, b"ReIsEr4", "Reiser4", Way::Untold),
    (1 << 20, b"\x0d\xd0\x01\xc0", "a volume of VMFS", Way::Untold),
    (2 << 20, b"\x5e\xf1\xab\x2f", "VMFS", Way::Untold),
    // Nodes of either order of bytes: of an erased block, of a name, of an inode.
    (0, b"\x85\x19\x03\x20", "JFFS2", Way::Untold),
    (0, b"\x85\x19\x01\xe0", "JFFS2", Way::Untold),
    (0, b"\x85\x19\x02\xe0", "JFFS2", Way::Untold),
    (0, b"\x19\x85\x20\x03", "JFFS2", Way::Untold),
    (0, b"\x19\x85\xe0\x01", "JFFS2", Way::Untold),
    (0, b"\x19\x85\xe0\x02", "JFFS2", Way::Untold),
    (32768, b"JFS1", "JFS", Way::Untold),
    (1030, b"\x34\x34", "NILFS2", Way::Mount),
    (65536, b"\x01\x16\x19\x70", "GFS2", Way::Mount),
    (0, b"UBI#", "UBI", Way::Untold),
    (0, b"\x31\x18\x10\x06", "UBIFS", Way::Untold),
    // In the third block, of 512 bytes to 4 KiB.
    (1024, b"OCFSV2", "OCFS2", Way::Mount),
    (2048, b"OCFSV2", "OCFS2", Way::Mount),
    (4096, b"OCFSV2", "OCFS2", Way::Mount),
    (8192, b"OCFSV2", "OCFS2", Way::Mount),
    (65536 + 1372, b"\x19\x01\x54\x19", "UFS", Way::Untold),
    (8192 + 1372, b"\x54\x19\x01\0", "UFS", Way::Untold),
    (0, b"\xce\xfa\xad\x1b", "BFS", Way::Untold),
    (32, b"1SFB", "BeFS", Way::Untold),
    (32, b"BFS1", "BeFS", Way::Untold),
    // Of either order of bytes, which have it at places of their own.
    (1024, b"\xf5\xfc\x01\xa5", "VxFS", Way::Untold),
    (8192, b"\xa5\x01\xfc\xf5", "VxFS", Way::Untold),
    (8192, b"\x49\xe8\x95\xf9", "HPFS", Way::Untold),
    (0, b"SFOZ", "zonefs", Way::Untold),
    (0, b"\x28\xcd\x3d\x45", "cramfs", Way::Sealed),
    (
        0,
        b"SnAp",
        "what a snapshot of a volume keeps",
        Way::Nothing("scan the snapshot itself: lvs -o lv_path"),
    ),
    // The largest size that a file may have stands before minix's magic number of two bytes.
    (1034, b"\0\0\0\x1c\x08\x10\x7f\x13", "minix", Way::Untold),
    (1034, b"\0\0\0\x1c\x08\x10\x8f\x13", "minix", Way::Untold),
    (1034, b"\0\0\xff\xff\xff\x7f\x68\x24", "minix", Way::Untold),
    (1034, b"\0\0\xff\xff\xff\x7f\x78\x24", "minix", Way::Untold),
    (1038, b"\0\0\xff\xff\xff\x7f", "minix", Way::Untold),
    (0, b"\x0b\xe5\xa9\x41", "a partition table of SGI", Way::Parted),
    (188, b"\x60\x0d\xde\xee", "a partition table of Sun", Way::Parted),
    (512, b"PM\0\0", "a partition table of Apple", Way::Parted),
    (512, b"\x57\x45\x56\x82", "a partition table of BSD", Way::Parted),
];

/// What a kernel writes at the end of the first page of swap; of what sleeps in it, in place of it.
const SWAP_MARKS: [(&[u8], &str); 7] = [
    (b"SWAPSPACE2", "swap"),
    (b"SWAP-SPACE", "swap"),
    (b"S1SUSPEND", SLEEPING),
    (b"S2SUSPEND", SLEEPING),
    (b"ULSUSPEND", SLEEPING),
    (b"LINHIB0001", SLEEPING),
    // TuxOnIce.
    (b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c", SLEEPING),
];
const SLEEPING: &str = "swap with a sleeping system";
const PAGES: [u64; 5] = [4096, 8192, 16384, 32768, 65536];

/// The four labels of ZFS, two at either end: uberblocks of each begin here, in steps.
const LABEL: u64 = 256 << 10;
const UBERBLOCKS: (u64, u64, u64) = (128 << 10, 1 << 10, 128);
const ZFS: Way =
    Way::Assemble("zpool import -o readonly=on; zpool list -v tells how fragmented its free space is");
const UBERBLOCK: u64 = 0x00ba_b10c;
/// Of ext's superblock: where its incompatible features are, and the one that says that it is a journal alone.
const JOURNAL_AT: (u64, u32) = (1024 + 0x60, 8);
/// `level` of md's superblock of version 1, and of version 0.90; mirrors can be read as what they mirror.
const MD_MAGIC: u32 = 0xa92b_4efc;
const MIRROR: u32 = 1;

/// Refuses what lies around a file system.
pub(super) fn refuse_around(image: &Image) -> Result<(), Failure> {
    let found = AROUND.iter().find(|signature| is_at(image, 0, signature)).map(|found| (found.2, found.3));
    match found.or_else(|| is_striped_at_end(image).then_some(("a member of an md array", MD))) {
        Some((name, way)) => Err(refusal(image, name, way)),
        None => Ok(()),
    }
}

/// Refuses what no reader here knows, where it is known what it is.
pub(super) fn refuse_others(image: &Image) -> Result<(), Failure> {
    let known = OTHERS.iter().find(|signature| is_at(image, 0, signature)).map(|found| (found.2, found.3));
    let known = known
        .or_else(|| by_fields(image, 0))
        .or_else(|| is_zfs(image).then_some(("a device of a ZFS pool", ZFS)));
    match known.or_else(|| at_end(image)) {
        Some((name, way)) => Err(refusal(image, name, way)),
        None => Ok(()),
    }
}

/// What begins at a byte: for partitions.
pub(super) struct Known {
    pub(super) name: &'static str,
    /// What is worth a look first is low: what can be scanned, then what can be opened or put together.
    pub(super) rank: u8,
}

/// Names what begins at a byte.
pub(super) fn known_at(image: &Image, offset: u64) -> Known {
    const READ_HERE: [(u64, &[u8], &str); 3] =
        [(1080, b"\x53\xef", "ext2, ext3 or ext4"), (0, b"XFSB", "XFS"), (65536 + 64, b"_BHRfS_M", "btrfs")];
    let others = |found: &[Signature]| {
        let found = found.iter().find(|signature| is_at(image, offset, signature))?;
        let rank = match found.3 {
            Way::Open(_) | Way::Assemble(_) => 1,
            Way::Mount => 2,
            _ => 3,
        };
        Some(Known { name: found.2, rank })
    };
    let read_here = || {
        let (_, _, name) =
            READ_HERE.iter().find(|(at, magic, _)| has(image, offset.saturating_add(*at), magic))?;
        let is_journal = word(image, offset.saturating_add(JOURNAL_AT.0)).unwrap_or(0) & JOURNAL_AT.1 != 0;
        let is_journal = is_journal && name.starts_with("ext");
        Some(if is_journal { Known { name: "a journal of ext", rank: 3 } } else { Known { name, rank: 0 } })
    };
    others(&AROUND)
        .or_else(read_here)
        .or_else(|| others(&OTHERS))
        .or_else(|| by_fields(image, offset).map(|(name, _)| Known { name, rank: 3 }))
        .unwrap_or(Known { name: "nothing that is known", rank: 4 })
}

fn is_at(image: &Image, base: u64, (at, magic, _, _): &Signature) -> bool {
    has(image, base.saturating_add(*at), magic)
}

fn has(image: &Image, at: u64, magic: &[u8]) -> bool {
    let mut bytes = [0; 32];
    let Some(room) = bytes.get_mut(..magic.len()) else { return false };
    image.read(at, room, &mut Problems::new(), "signature") == magic.len() && room == magic
}

fn word(image: &Image, at: u64) -> Option<u32> {
    let mut bytes = [0; 4];
    (image.read(at, &mut bytes, &mut Problems::new(), "signature") == 4).then(|| u32::from_le_bytes(bytes))
}

/// Swap, and what has no magic number that is long enough: FAT without the name of its type, and HFS.
fn by_fields(image: &Image, base: u64) -> Option<(&'static str, Way)> {
    let is_swap = |(mark, _): &&(&[u8], &str)| {
        PAGES.iter().any(|page| has(image, base.saturating_add(page - 10), mark))
    };
    if let Some((_, name)) = SWAP_MARKS.iter().find(is_swap) {
        return Some((name, SWAP));
    }
    let mut bytes = [0; 2048];
    if image.read(base, &mut bytes, &mut Problems::new(), "signature") < bytes.len() {
        return None;
    }
    if is_fat(&bytes) {
        return Some(("FAT", Way::Untold));
    }
    let block = bytes.be32(1024 + 20).filter(|block| *block > 0 && block % 512 == 0);
    (bytes.be16(1024) == Some(0x4244) && block.is_some()).then_some(("HFS", Way::Mount))
}

/// A boot sector whose every field is one of FAT, as libblkid asks for.
fn is_fat(bytes: &[u8]) -> bool {
    let fields = || {
        let jumps = matches!(bytes.u8(0)?, 0xeb | 0xe9) && bytes.le16(510)? == 0xaa55;
        let (sector, cluster) = (bytes.le16(11)?, bytes.u8(13)?);
        let sizes = sector.is_power_of_two() && (512..=4096).contains(&sector) && cluster.is_power_of_two();
        let tables = bytes.le16(14)? > 0 && (1..=2).contains(&bytes.u8(16)?);
        let medium = matches!(bytes.u8(21)?, 0xf0 | 0xf8..);
        let lengths =
            (bytes.le16(19)? > 0 || bytes.le32(32)? > 0) && (bytes.le16(22)? > 0 || bytes.le32(36)? > 0);
        Some(jumps && sizes && tables && medium && lengths)
    };
    fields().unwrap_or(false)
}

/// What stands at the end alone, behind what may be anything.
fn at_end(image: &Image) -> Option<(&'static str, Way)> {
    let size = image.size_bytes();
    let drbd = size.checked_sub(4096).is_some_and(|at| has(image, at + 60, b"\x83\x74\x02"));
    if drbd {
        return Some(("a device of DRBD", Way::Assemble("drbdadm up RESOURCE, then scan /dev/drbd...")));
    }
    let of_intel = |sector: u64| {
        size.checked_sub(2 * sector).is_some_and(|at| has(image, at, b"Intel Raid ISM Cfg Sig. "))
    };
    if [512, 4096].into_iter().any(of_intel) {
        return Some(("a member of an array of Intel (isw)", MD));
    }
    let ends_with = |magic: &[u8]| size.checked_sub(512).is_some_and(|at| has(image, at, magic));
    if ends_with(b"\xde\x11\xde\x11") {
        return Some(("a member of an array of a controller (DDF)", MD));
    }
    ends_with(b"koly").then_some(("a disk in a file of Apple (DMG)", QEMU))
}

/// md's superblocks of versions 1.0 and 0.90 lie at the end, behind what a mirror shows as it is.
fn is_striped_at_end(image: &Image) -> bool {
    let size = image.size_bytes();
    let newer = (size & !511).saturating_sub(8 << 10) & !4095;
    let older = (size & !0xffff).saturating_sub(64 << 10);
    // Version 0.90 is in the order of bytes of its machine.
    let level = |at: u64, level_at: u64, order: fn(u32) -> u32| {
        let is_one = at > 0 && word(image, at).map(order) == Some(MD_MAGIC);
        is_one.then(|| word(image, at + level_at)).flatten().map(order)
    };
    level(newer, 72, |word| word)
        .or_else(|| level(older, 28, |word| word))
        .or_else(|| level(older, 28, u32::swap_bytes))
        .is_some_and(|level| level != MIRROR)
}

/// Several uberblocks, in either order of bytes.
fn is_zfs(image: &Image) -> bool {
    let (first, step, count) = UBERBLOCKS;
    let end = image.size_bytes() & !(LABEL - 1);
    [Some(0), Some(LABEL), end.checked_sub(2 * LABEL), end.checked_sub(LABEL)].into_iter().flatten().any(
        |label| {
            let is_one = |number: &u64| {
                let mut bytes = [0; 8];
                let at = label + first + number * step;
                let read = image.read(at, &mut bytes, &mut Problems::new(), "uberblock");
                read == 8 && [u64::from_le_bytes(bytes), u64::from_be_bytes(bytes)].contains(&UBERBLOCK)
            };
            (0..count).filter(is_one).take(4).count() == 4
        },
    )
}

fn refusal(image: &Image, name: &str, way: Way) -> Failure {
    let (path, word) = (shown(image.path()), quoted(image.path()));
    let mount = if image.is_device() { "mount -o ro" } else { "mount -o ro,loop" };
    let (cause, next) = match way {
        Way::Open(command) => (
            "what is in it can be read when it is open".to_owned(),
            format!("{command} {word} opened; fsgauge scan /dev/mapper/opened"),
        ),
        Way::Assemble(command) => ("it is a part: only the whole holds files".to_owned(), command.to_owned()),
        Way::Unpack(command) => (
            "the format orders its blocks in its own way".to_owned(),
            format!("{command} {word} raw.img; fsgauge scan raw.img"),
        ),
        Way::Parted => (
            "a partition is what can be scanned".to_owned(),
            format!("partx --show {word} tells where they begin; scan the device of one"),
        ),
        Way::Sealed => (
            "it was written at once and never changes: its files lie one after the other, and nothing is free".to_owned(),
            "nothing needs to be done".to_owned(),
        ),
        Way::Mount => (
            "this file system is read where it is mounted".to_owned(),
            format!("{mount} {word} /mnt; fsgauge scan /mnt"),
        ),
        Way::Untold => (
            "Linux does not tell where its files lie (no FIEMAP)".to_owned(),
            format!("its own tools: fsck -n {word}"),
        ),
        Way::Nothing(why) => ("it holds no files".to_owned(), why.to_owned()),
    };
    let of_file = if image.is_device() {
        String::new()
    } else {
        format!("; how the file itself lies: filefrag -v {word}")
    };
    Failure::job(
        "not_read_here",
        format!("{path} holds {name}, which is not scanned"),
        cause,
        format!("{next}{of_file}"),
    )
}
