//! What is not read here is refused by its name, as an image and as a device alike: what mkfs and others make, and what is
//! made of signatures where this machine has no tool for it.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use fsgauge_wire::Failure;
use tempfile::TempDir;

use crate::mounts::{job, scan, text, tool};

const MIB: u64 = 1 << 20;

/// The refusal of an image, and of a loop device over it where this user may make one.
fn refused(image: &Path, name: &str) {
    check(&scan(&job(image)).unwrap_err(), name);
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let Ok(device) = tool("losetup", &["--find", "--show", text(image)]) else { return };
    let found = scan(&job(Path::new(&device)));
    tool("losetup", &["--detach", &device]).unwrap();
    check(&found.unwrap_err(), name);
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
    let made: [(&[&str], &str); 13] = [
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
        (&["mkfs.bfs"], ""),
        (&["bcachefs", "format", "-q"], "bcachefs"),
        (&["qemu-img", "create", "-q", "-f", "qcow2"], "qcow2"),
    ];
    for (command, name) in made.into_iter().filter(|(_, name)| !name.is_empty()) {
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
    let cases: [(u64, &[u8], &str); 24] = [
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
        (0, b"\xfe\xed\xba\xbe", "the log of another XFS"),
        (1024, b"H+\0\x04", "HFS+"),
        (32, b"NXSB", "APFS"),
        (0, b"bluestore block device", "Ceph"),
        (65536, b"\x01\x16\x19\x70", "GFS2"),
        (0, b"verity\0\0", "dm-verity"),
        (65536 + 52, b"ReIsEr2Fs", "ReiserFS"),
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
    // md of version 1.0 and of 0.90, behind an ext4.
    for (at, level_at) in [(16 * MIB - (8 << 10), 72), (16 * MIB - (64 << 10), 28)] {
        for (level, is_refused) in [(0u32, true), (5, true), (1, false)] {
            let path = image(&folder, 16 * MIB);
            if tool("mkfs.ext4", &["-q", text(&path), "12M"]).is_err() {
                return eprintln!("skipped: no mkfs.ext4");
            }
            let file = OpenOptions::new().write(true).open(&path).unwrap();
            file.write_all_at(b"\xfc\x4e\x2b\xa9", at).unwrap();
            file.write_all_at(&level.to_le_bytes(), at + level_at).unwrap();
            match is_refused {
                true => refused(&path, "md array"),
                false => assert_eq!(scan(&job(&path)).unwrap().source.file_system, "ext4"),
            }
        }
    }
}

#[test]
fn a_partition_is_named_with_what_it_holds() {
    let folder = TempDir::new().unwrap();
    let path = image(&folder, 64 * MIB);
    let file = OpenOptions::new().write(true).open(&path).unwrap();
    let mut sector = [0u8; 512];
    sector[446 + 4] = 0x83;
    sector[446 + 8..446 + 12].copy_from_slice(&2048u32.to_le_bytes());
    sector[446 + 12..446 + 16].copy_from_slice(&65536u32.to_le_bytes());
    sector[510..].copy_from_slice(&[0x55, 0xaa]);
    file.write_all_at(&sector, 0).unwrap();
    file.write_all_at(b"XFSB", MIB).unwrap();
    let failure = scan(&job(&path)).unwrap_err();
    check(&failure, "a partition table");
    assert_eq!(failure.cause, "partition 1 at byte 1048576 holds XFS");
    assert!(failure.next.contains("--partscan") && failure.next.contains("an image'"), "{}", failure.next);
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
