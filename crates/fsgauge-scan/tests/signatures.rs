//! What is not read here is refused by its name, as an image, a device and a partition alike: what mkfs and others make, and what is
//! made of signatures where this machine has no tool for it.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use fsgauge_wire::Failure;
use tempfile::TempDir;

use crate::mounts::{job, scan, text, tool, until_done};

const MIB: u64 = 1 << 20;

/// The refusal of an image, and of a loop device over it where this user may make one.
fn refused(image: &Path, name: &str) {
    check(&scan(&job(image)).unwrap_err(), name);
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let Ok(device) = tool("losetup", &["--find", "--show", text(image)]) else { return };
    let found = scan(&job(Path::new(&device)));
    // The kernel is told of a partition: not each of them reads tables.
    let sectors = (std::fs::metadata(image).unwrap().len() / 512).to_string();
    let partition = format!("{device}p1");
    let in_partition = tool("addpart", &[&device, "1", "0", &sectors]).map(|_| {
        let found = scan(&job(Path::new(&partition)));
        // Whoever looks through all devices meanwhile, as `btrfs device scan` does, holds it for a moment.
        let taken_away = until_done("delpart", &[&device, "1"]);
        (found, taken_away)
    });
    tool("losetup", &["--detach", &device]).unwrap();
    check(&found.unwrap_err(), name);
    match in_partition {
        Ok((found, taken_away)) => {
            check(&found.unwrap_err(), name);
            taken_away.unwrap();
        }
        Err(why) => eprintln!("skipped: {why}"),
    }
}

fn check(failure: &Failure, name: &str) {
    assert_eq!(failure.exit_code(), 2, "{name}: {failure}");
    assert!(failure.what.contains(name), "{name}: {failure}");
    let all = format!("{} {} {}", failure.what, failure.cause, failure.next);
    assert!(
        !all.contains("damaged") && !all.contains("contradicts") && !failure.next.is_empty(),
        "{name}: {all}"
    );
}

fn image(folder: &TempDir, size_bytes: u64) -> std::path::PathBuf {
    let path = folder.path().join("an image");
    File::create(&path).unwrap().set_len(size_bytes).unwrap();
    path
}

#[test]
fn what_tools_make_is_refused_by_name() {
    let made: [(&[&str], &str); 17] = [
        (&["mke2fs", "-q", "-F", "-O", "journal_dev"], "the journal of another ext file system"),
        (&["mkswap", "-q"], "swap"),
        (&["mkfs.f2fs", "-q", "-f"], "F2FS"),
        (&["mkfs.vfat"], "FAT"),
        (&["mkfs.exfat"], "exFAT"),
        (&["mkfs.ntfs", "-q", "-F"], "NTFS"),
        (
            &[
                "cryptsetup",
                "luksFormat",
                "-q",
                "--pbkdf",
                "pbkdf2",
                "--pbkdf-force-iterations",
                "1000",
                "--key-file",
                "/proc/version",
            ],
            "LUKS",
        ),
        (&["sfdisk", "-q", "--label", "gpt"], "a partition table"),
        (&["mkfs.nilfs2", "-q"], "NILFS2"),
        (&["mkfs.jfs", "-q"], "JFS"),
        (&["mkfs.minix", "-1"], "minix"),
        (&["mkfs.minix", "-2"], "minix"),
        (&["mkfs.minix", "-3"], "minix"),
        (&["mkfs.bfs", "-N", "48"], "BFS"),
        (&["mkfs.udf"], "UDF"),
        (&["bcachefs", "format", "-q"], "bcachefs"),
        (&["qemu-img", "create", "-q", "-f", "qcow2"], "qcow2"),
    ];
    for (command, name) in made {
        let folder = TempDir::new().unwrap();
        let path = image(&folder, 128 * MIB);
        let mut arguments = command[1..].to_vec();
        arguments.push(text(&path));
        match command[0] {
            "qemu-img" => arguments.push("64M"),
            "sfdisk" => {
                let script = folder.path().join("script");
                std::fs::write(&script, "label: gpt\nsize=32MiB\n,\n").unwrap();
                let line = format!("sfdisk -q '{}' < '{}'", text(&path), text(&script));
                if let Err(why) = tool("sh", &["-c", &line]) {
                    eprintln!("skipped: {why}");
                    continue;
                }
                refused(&path, name);
                continue;
            }
            _ => {}
        }
        match tool(command[0], &arguments) {
            Ok(_) => refused(&path, name),
            Err(why) => eprintln!("skipped: {why}"),
        }
    }
}

#[test]
fn what_no_tool_here_makes_is_known_by_its_signature() {
    let cases = [
        (0, b"XFSM".as_slice(), "xfs_metadump"),
        (0, b"\x8b\x66\x95\x72\xe2\x25\x5c\xbd", "btrfs-image"),
        (0, b"\x10\xb7\x2b\x7fExt2 Image", "e2image"),
        (0x4000, b"SKUL\xba\xbe\x00\x02", "LUKS"),
        (0x204, b"!Stra0tis\x86\xff\x02^\x41rh", "Stratis"),
        (0, b"\x3a\xff\x26\xed", "Android"),
        (0, b"partclone-image", "partclone"),
        (8192, b"OCFSV2", "OCFS2"),
        (65536 + 1372, b"\x19\x01\x54\x19", "UFS"),
        (0, b"\xce\xfa\xad\x1b", "BFS"),
        (0, b"\x31\x18\x10\x06", "UBIFS"),
        (0, b"\x0b\xe5\xa9\x41", "a partition table of SGI"),
        (188, b"\x60\x0d\xde\xee", "a partition table of Sun"),
        (512, b"PM\0\0", "a partition table of Apple"),
        (512, b"\x57\x45\x56\x82", "a partition table of BSD"),
        (0, b"LUKS\xba\xbe\x00\x02", "LUKS"),
        (512 + 24, b"LVM2 001", "LVM"),
        (4096, b"\xfc\x4e\x2b\xa9\x01", "md array"),
        (4096 + 24, b"\xc6\x85\x73\xf6\x66\xce\x90\xa9\xd9\x6a\x60\xcf\x80\x3d\xf7\xef", "bcachefs"),
        (4096 + 24, b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81", "bcache"),
        (3, b"-FVE-FS-", "BitLocker"),
        (3, b"NTFS    ", "NTFS"),
        (3, b"EXFAT   ", "exFAT"),
        (82, b"FAT32   ", "FAT"),
        (0, b"hsqs", "squashfs"),
        (1024, b"\xe2\xe1\xf5\xe0", "EROFS"),
        (32769, b"CD001", "ISO 9660"),
        (0, b"QFI\xfb\0\0\0\x03", "qcow2"),
        (0, b"KDMV", "VMDK"),
        (0, b"vhdxfile", "VHDX"),
        (64, b"\x7f\x10\xda\xbe", "VDI"),
        (65536 - 10, b"SWAPSPACE2", "swap"),
        (32768 - 10, b"SWAPSPACE2", "swap"),
        (65536 - 10, b"S1SUSPEND\0", "swap with a sleeping system"),
        (4096 - 10, b"ULSUSPEND\0", "swap with a sleeping system"),
        (8192 - 10, b"\xed\xc3\x02\xe9\x98\x56\xe5\x0c", "swap with a sleeping system"),
        (0, b"HM\x01\0", "LVM1"),
        (424, b"\x3b\xd6\x67\x49\x29\x2e\xd8\x4a\x83\x99\xf6\xa3\x39\xe3\xd0\x01", "BitLocker"),
        (1024, b"OCFSV2", "OCFS2"),
        (0, b"COWD", "VMDK"),
        (0, b"\xbe\xba\xfe\xca\0\0\0\0", "VMDK"),
        (0, b"QED\0", "QED"),
        (0, b"QFI\xfb\0\0\0\x01", "(qcow)"),
        (0, b"WithoutFreeSpace", "Parallels"),
        (65536, b"ReIsEr4", "Reiser4"),
        (1 << 20, b"\x0d\xd0\x01\xc0", "VMFS"),
        (0, b"\x19\x85\x20\x03", "JFFS2"),
        (16 * MIB - 1024, b"Intel Raid ISM Cfg Sig. 1.1.00", "isw"),
        (16 * MIB - 4096 + 60, b"\x83\x74\x02\x6d", "DRBD"),
        (0, b"\xfe\xed\xba\xbe", "the log of another XFS"),
        (1024, b"H+\0\x04", "HFS+"),
        (32, b"NXSB", "APFS"),
        (0, b"bluestore block device", "Ceph"),
        (65536, b"\x01\x16\x19\x70", "GFS2"),
        (0, b"verity\0\0", "dm-verity"),
        (65536 + 52, b"ReIsEr2Fs", "ReiserFS"),
        (32, b"1SFB", "BeFS"),
        (1024, b"\xf5\xfc\x01\xa5", "VxFS"),
        (8192, b"\xa5\x01\xfc\xf5", "VxFS"),
        (8192, b"\x49\xe8\x95\xf9", "HPFS"),
        (0, b"SFOZ", "zonefs"),
        (0, b"SnAp", "snapshot"),
        (16 * MIB - 512, b"\xde\x11\xde\x11", "DDF"),
        (16 * MIB - 512, b"koly\0\0\0\x04", "DMG"),
    ];
    for (offset, magic, name) in cases {
        let folder = TempDir::new().unwrap();
        let path = image(&folder, 16 * MIB);
        OpenOptions::new().write(true).open(&path).unwrap().write_all_at(magic, offset).unwrap();
        refused(&path, name);
    }
}

#[test]
fn a_pool_of_zfs_and_members_of_stripes_are_known_and_mirrors_are_read() {
    let folder = TempDir::new().unwrap();
    let path = image(&folder, 16 * MIB);
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    for block in 0..4u64 {
        file.write_all_at(&0x00ba_b10c_u64.to_le_bytes(), (128 << 10) + (block << 10)).unwrap();
    }
    refused(&path, "ZFS");
    // Where labels at the end alone are left.
    let path = image(&folder, 16 * MIB + 4096);
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    for block in 0..4u64 {
        let label = 16 * MIB - (256 << 10);
        file.write_all_at(&0x00ba_b10c_u64.to_le_bytes(), label + (128 << 10) + (block << 10)).unwrap();
    }
    check(&scan(&job(&path)).unwrap_err(), "ZFS");
    // md of version 1.0 and of 0.90, behind an ext4.
    for (at, level_at) in [(16 * MIB - (8 << 10), 72), (16 * MIB - (64 << 10), 28)] {
        for (level, is_refused) in [(0u32, true), (5, true), (1, false)] {
            let path = image(&folder, 16 * MIB);
            if tool("mkfs.ext4", &["-q", text(&path), "12M"]).is_err() {
                return eprintln!("skipped: no mkfs.ext4");
            }
            let file = OpenOptions::new().write(true).open(&path).unwrap();
            for is_big in [false, true] {
                if is_big && level_at == 72 {
                    continue;
                }
                let of = |number: u32| if is_big { number.to_be_bytes() } else { number.to_le_bytes() };
                file.write_all_at(&of(0xa92b_4efc), at).unwrap();
                file.write_all_at(&of(level), at + level_at).unwrap();
                match is_refused {
                    true => check(&scan(&job(&path)).unwrap_err(), "md array"),
                    false => assert_eq!(scan(&job(&path)).unwrap().source.file_system, "ext4"),
                }
            }
        }
    }
}

#[test]
fn a_fat_without_the_name_of_its_type_and_hfs_are_known_by_their_fields() {
    let folder = TempDir::new().unwrap();
    let path = image(&folder, 16 * MIB);
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let mut sector = [0u8; 512];
    sector[..3].copy_from_slice(&[0xeb, 0x3c, 0x90]);
    sector[11..17].copy_from_slice(&[0, 2, 4, 1, 0, 2]);
    sector[19..24].copy_from_slice(&[0, 0x80, 0xf8, 0x20, 0]);
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    file.write_all_at(&sector, 0).unwrap();
    refused(&path, "FAT");
    sector[16] = 0;
    file.write_all_at(&sector, 0).unwrap();
    assert_eq!(scan(&job(&path)).unwrap().counts.files, 1, "a FAT has tables");
    file.write_all_at(b"BD", 1024).unwrap();
    assert_eq!(scan(&job(&path)).unwrap().counts.files, 1, "two bytes are no file system");
    file.write_all_at(&4096u32.to_be_bytes(), 1024 + 20).unwrap();
    check(&scan(&job(&path)).unwrap_err(), "HFS");
}

/// The last sector of a disk with an MBR.
const LAST: u64 = 128 * MIB / 512 - 1;

/// Writes the header and the list of a GPT into these sectors; where partitions begin and how long they are.
fn write_gpt(file: &File, at: u64, list: u64, partitions: &[(u64, u64)]) {
    let mut header = [0u8; 92];
    header[..8].copy_from_slice(b"EFI PART");
    header[12..16].copy_from_slice(&92u32.to_le_bytes());
    header[24..32].copy_from_slice(&at.to_le_bytes());
    header[72..80].copy_from_slice(&list.to_le_bytes());
    header[80..84].copy_from_slice(&128u32.to_le_bytes());
    header[84..88].copy_from_slice(&128u32.to_le_bytes());
    let mut sum = !0u32;
    for byte in header {
        sum ^= u32::from(byte);
        (0..8).for_each(|_| sum = (sum >> 1) ^ ((sum & 1) * 0xedb8_8320));
    }
    header[16..20].copy_from_slice(&(!sum).to_le_bytes());
    file.write_all_at(&header, at * 512).unwrap();
    for (number, (first, length)) in (0..).zip(partitions) {
        let mut entry = [0u8; 128];
        entry[..16].fill(7);
        entry[32..40].copy_from_slice(&first.to_le_bytes());
        entry[40..48].copy_from_slice(&(first + length - 1).to_le_bytes());
        file.write_all_at(&entry, list * 512 + number * 128).unwrap();
    }
}

/// A disk with an MBR: partitions in sectors, with their types.
fn with_mbr(folder: &TempDir, entries: &[(u8, u32, u32)]) -> (std::path::PathBuf, File) {
    let path = image(folder, 128 * MIB);
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&table(entries), 0).unwrap();
    (path, file)
}

fn table(entries: &[(u8, u32, u32)]) -> [u8; 512] {
    let mut sector = [0u8; 512];
    for (number, (kind, first, length)) in entries.iter().enumerate() {
        let at = 446 + 16 * number;
        sector[at + 4] = *kind;
        sector[at + 8..at + 12].copy_from_slice(&first.to_le_bytes());
        sector[at + 12..at + 16].copy_from_slice(&length.to_le_bytes());
    }
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    sector
}

#[test]
fn a_partition_is_named_with_what_it_holds_and_the_next_command_is_of_one_that_can_be_scanned() {
    let folder = TempDir::new().unwrap();
    let (path, file) = with_mbr(&folder, &[(0xef, 2048, 2048), (0x83, 8192, 65536)]);
    file.write_all_at(b"FAT32   ", MIB + 82).unwrap();
    file.write_all_at(b"XFSB", 4 * MIB).unwrap();
    let failure = scan(&job(&path)).unwrap_err();
    check(&failure, "a partition table");
    assert_eq!(failure.cause, "partition 1 at byte 1048576 holds FAT, partition 2 at byte 4194304 holds XFS");
    assert_eq!(
        failure.next,
        format!(
            "fsgauge scan \"$(losetup --find --show --read-only --offset 4194304 --sizelimit 33554432 '{}')\"",
            text(&path)
        )
    );
    // The journal of an ext file system has its magic number too.
    file.write_all_at(b"\x53\xef", 4 * MIB + 1080).unwrap();
    file.write_all_at(b"\0\0\0\0", 4 * MIB).unwrap();
    assert!(scan(&job(&path)).unwrap_err().cause.ends_with("holds ext2, ext3 or ext4"));
    file.write_all_at(&[8], 4 * MIB + 1024 + 0x60).unwrap();
    assert!(scan(&job(&path)).unwrap_err().cause.ends_with("holds a journal of ext"));
}

#[test]
fn a_superblock_from_before_the_table_is_not_what_the_disk_holds() {
    let folder = TempDir::new().unwrap();
    let (path, _) = with_mbr(&folder, &[]);
    if tool("mkfs.ext4", &["-q", text(&path)]).is_err() {
        return eprintln!("skipped: no mkfs.ext4");
    }
    assert_eq!(scan(&job(&path)).unwrap().source.file_system, "ext4");
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&table(&[(0x83, 8192, 65536)]), 0).unwrap();
    assert_eq!(scan(&job(&path)).unwrap().source.file_system, "ext4", "nothing is in the partition");
    file.write_all_at(b"XFSB", 4 * MIB).unwrap();
    check(&scan(&job(&path)).unwrap_err(), "a partition table");
}

#[test]
fn logical_partitions_are_followed_and_a_chain_that_is_a_circle_ends() {
    let folder = TempDir::new().unwrap();
    let (path, file) = with_mbr(&folder, &[(0x83, 2048, 2048), (0x0f, 8192, 100_000)]);
    file.write_all_at(&table(&[(0x83, 2048, 4096), (0x05, 16384, 8192)]), 8192 * 512).unwrap();
    file.write_all_at(&table(&[(0x83, 2048, 6144), (0x05, 16384, 8192)]), 24576 * 512).unwrap();
    file.write_all_at(b"XFSB", (24576 + 2048) * 512).unwrap();
    let logical = scan(&job(&path)).unwrap_err();
    assert!(
        logical.cause.ends_with(
            "partition 5 at byte 5242880 holds nothing that is known, partition 6 at byte 13631488 holds XFS"
        ),
        "{logical}"
    );
    assert!(logical.next.contains("--offset 13631488 --sizelimit 3145728"), "{logical}");
    file.write_all_at(&table(&[(0x83, 2048, 6144), (0x05, 1, 8192)]), 24576 * 512).unwrap();
    assert_eq!(scan(&job(&path)).unwrap_err().cause, logical.cause);
}

#[test]
fn a_chain_of_tables_without_partitions_is_left_before_its_end() {
    let folder = TempDir::new().unwrap();
    let (path, file) = with_mbr(&folder, &[(0x83, 2048, 2048), (0x0f, 8192, 100_000)]);
    for number in 0..200u32 {
        let at = (8192 + u64::from(number)) * 512;
        file.write_all_at(&table(&[(0x05, number + 1, 8192)]), at).unwrap();
    }
    file.write_all_at(&table(&[(0x83, 2048, 4096)]), (8192 + 200) * 512).unwrap();
    let cause = scan(&job(&path)).unwrap_err().cause;
    assert!(cause.starts_with("partition 1 ") && !cause.contains("partition 5"), "{cause}");
}

#[test]
fn a_gpt_is_read_from_its_copy_and_a_table_without_partitions_is_one() {
    let folder = TempDir::new().unwrap();
    let (path, file) = with_mbr(&folder, &[(0xee, 1, 262_143)]);
    let lost = scan(&job(&path)).unwrap_err();
    check(&lost, "a partition table");
    assert!(lost.cause.contains("its list is lost") && lost.next.starts_with("fdisk -l"), "{lost}");
    write_gpt(&file, LAST, LAST - 32, &[(2048, 2048)]);
    file.write_all_at(b"LUKS\xba\xbe", MIB).unwrap();
    for first in [&table(&[(0xee, 1, 262_143)]), &[0; 512]] {
        file.write_all_at(first, 0).unwrap();
        let copy = scan(&job(&path)).unwrap_err();
        assert_eq!(copy.cause, "partition 1 at byte 1048576 holds a LUKS volume");
        assert!(copy.next.contains("--offset 1048576 --sizelimit 1048576"), "{copy}");
    }
    let (path, file) = with_mbr(&folder, &[]);
    file.write_all_at(b"\x12\x34\x56\x78", 440).unwrap();
    check(&scan(&job(&path)).unwrap_err(), "a partition table");
}

/// The kernel goes by the GPT of a hybrid MBR too, and by its copy where the first header does not hold.
#[test]
fn of_a_gpt_both_headers_are_looked_at_and_a_hybrid_mbr_does_not_hide_them() {
    let folder = TempDir::new().unwrap();
    let said = "partition 1 at byte 1048576 holds FAT, partition 2 at byte 4194304 holds XFS";
    let mbrs: [&[(u8, u32, u32)]; 2] = [&[(0xee, 1, 262_143)], &[(0x83, 8192, 2048), (0xee, 1, 2047)]];
    for entries in mbrs {
        let (path, file) = with_mbr(&folder, entries);
        let cause = || scan(&job(&path)).unwrap_err().cause;
        file.write_all_at(b"FAT32   ", MIB + 82).unwrap();
        file.write_all_at(b"XFSB", 4 * MIB).unwrap();
        let partitions = [(2048, 2048), (8192, 65536)];
        write_gpt(&file, 1, 2, &partitions);
        assert_eq!(cause(), said);
        // A header that is a little broken would name others: here of entries half as long.
        file.write_all_at(&[64], 512 + 84).unwrap();
        assert!(!cause().contains("holds FAT"), "there is no copy");
        write_gpt(&file, LAST, LAST - 32, &partitions);
        assert_eq!(cause(), said);
        file.write_all_at(&[0; 512], 512).unwrap();
        assert_eq!(cause(), said, "nothing is left of it");
        assert!(scan(&job(&path)).unwrap_err().next.contains("--offset 4194304 --sizelimit 33554432"));
        file.write_all_at(&[64], LAST * 512 + 84).unwrap();
        assert!(!cause().contains("holds FAT"), "both are lost");
    }
    // One without an entry for it is newer.
    let (path, file) = with_mbr(&folder, &[(0x83, 16384, 2048)]);
    write_gpt(&file, 1, 2, &[(2048, 2048)]);
    assert!(scan(&job(&path)).unwrap_err().cause.starts_with("partition 1 at byte 8388608 "));
}

#[test]
fn a_superblock_from_before_a_gpt_is_not_what_the_disk_holds_though_its_first_header_is_lost() {
    let folder = TempDir::new().unwrap();
    let (path, file) = with_mbr(&folder, &[]);
    if tool("mkfs.ext4", &["-q", text(&path)]).is_err() {
        return eprintln!("skipped: no mkfs.ext4");
    }
    file.write_all_at(b"XFSB", 4 * MIB).unwrap();
    write_gpt(&file, LAST, LAST - 32, &[(8192, 65536)]);
    assert_eq!(scan(&job(&path)).unwrap().source.file_system, "ext4", "the copy alone is left from before");
    file.write_all_at(&table(&[(0xee, 1, 262_143)]), 0).unwrap();
    check(&scan(&job(&path)).unwrap_err(), "a partition table");
}

/// What is said to do is done, with the nodes of partitions and without.
#[test]
fn a_partition_of_a_device_is_scanned_as_the_refusal_says() {
    if !crate::support::can_mount() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let (path, file) = with_mbr(&folder, &[(0xee, 1, 262_143)]);
    let inside = folder.path().join("inside");
    File::create(&inside).unwrap().set_len(32 * MIB).unwrap();
    tool("mkfs.ext4", &["-q", text(&inside)]).unwrap();
    file.write_all_at(&std::fs::read(&inside).unwrap(), 4 * MIB).unwrap();
    write_gpt(&file, 1, 2, &[(8192, 65536)]);
    let device = tool("losetup", &["--find", "--show", text(&path)]).unwrap();
    let refused = || scan(&job(Path::new(&device))).map(|found| found.source.file_system).unwrap_err();
    let without = refused();
    let with = tool("addpart", &[&device, "1", "8192", "65536"]).map(|_| {
        let found = (refused(), scan(&job(Path::new(&format!("{device}p1")))));
        until_done("delpart", &[&device, "1"]).unwrap();
        found
    });
    let command = without.next.split(['(', ')']).nth(1).map(|command| tool("sh", &["-c", command]));
    let at_offset = command.map(|made| {
        let made = made.unwrap();
        let found = scan(&job(Path::new(&made)));
        tool("losetup", &["--detach", &made]).unwrap();
        found
    });
    tool("losetup", &["--detach", &device]).unwrap();
    check(&without, "a partition table");
    assert_eq!(at_offset.unwrap().unwrap().source.file_system, "ext4");
    match with {
        Ok((refused, found)) => {
            assert_eq!(refused.next, format!("fsgauge scan {device}p1"));
            assert_eq!(found.unwrap().source.file_system, "ext4");
        }
        Err(why) => eprintln!("skipped: {why}"),
    }
}

#[test]
fn a_boot_sector_and_a_magic_number_in_the_middle_are_no_refusal() {
    let folder = TempDir::new().unwrap();
    let path = image(&folder, 16 * MIB);
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    file.write_all_at(&[0x55, 0xaa], 510).unwrap();
    file.write_all_at(b"hsqs", 4096).unwrap();
    assert_eq!(scan(&job(&path)).unwrap().counts.files, 1, "the extents of a file that is no image");
}
