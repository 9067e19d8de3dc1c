//! Mounts, as /proc/self/mountinfo lists them (proc(5)).

use std::ffi::OsString;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use fsgauge_door::open_named;
use rustix::fs::{FileType, OFlags, fstat};

const LIST_BYTES: usize = 16 << 10;

/// One mount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) id: u64,
    /// Major and minor number; of no device for file systems that span several.
    pub(super) device_number: (u32, u32),
    /// The folder of the file system that is mounted.
    pub(super) root: PathBuf,
    pub(super) point: PathBuf,
    pub(super) file_system: String,
    pub(super) source: PathBuf,
    /// The file system's own options.
    pub(super) options: String,
    /// Whether the file system takes writes, here or where else it is mounted.
    pub(super) writable: bool,
    /// Whether /proc/self/mountinfo has it.
    pub(super) is_listed: bool,
}

impl Mount {
    pub(super) fn is_ext(&self) -> bool {
        matches!(self.file_system.as_str(), "ext2" | "ext3" | "ext4")
    }

    pub(super) fn has_option(&self, wanted: &str) -> bool {
        self.options.split(',').any(|option| option == wanted)
    }
}

/// The mounts that this process sees.
pub(super) fn mounts() -> Vec<Mount> {
    // The kernel writes the list from its begin for each read: one for all of most lists.
    let mut text = Vec::with_capacity(LIST_BYTES);
    let _ = File::open("/proc/self/mountinfo").and_then(|mut list| list.read_to_end(&mut text));
    text.split(|&byte| byte == b'\n').filter_map(parse).collect()
}

/// `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`
fn parse(line: &[u8]) -> Option<Mount> {
    let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
    let dash = fields.iter().position(|field| *field == b"-")?;
    let text = |at: usize| fields.get(at).and_then(|field| std::str::from_utf8(field).ok());
    let (major, minor) = text(2)?.split_once(':')?;
    Some(Mount {
        id: text(0)?.parse().ok()?,
        device_number: (major.parse().ok()?, minor.parse().ok()?),
        root: path(fields.get(3)?),
        point: path(fields.get(4)?),
        file_system: text(dash + 1)?.to_owned(),
        source: path(fields.get(dash + 2)?),
        options: text(dash + 3)?.to_owned(),
        writable: text(dash + 3)?.split(',').any(|option| option == "rw"),
        is_listed: true,
    })
}

/// Space, tab, newline and backslash are written as a backslash and three octal digits.
fn path(field: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field;
    while let Some((&byte, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|digits| byte == b'\\' && digits.iter().all(u8::is_ascii_digit));
        let octal = digits
            .and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).unwrap_or_default(), 8).ok());
        bytes.push(octal.unwrap_or(byte));
        rest = if octal.is_some() { &after[3..] } else { after };
    }
    OsString::from_vec(bytes).into()
}

/// The kernel's name of a block device: loop0, dm-1, sda2.
pub(super) fn kernel_name((major, minor): (u32, u32)) -> Option<OsString> {
    let link = Path::new("/sys/dev/block").join(format!("{major}:{minor}"));
    Some(std::fs::read_link(link).ok()?.file_name()?.to_owned())
}

/// The file that a loop device shows.
pub(super) fn file_behind(device: (u32, u32)) -> Option<PathBuf> {
    let place = Path::new("/sys/block").join(kernel_name(device)?).join("loop/backing_file");
    let name = std::fs::read(place).ok()?;
    Some(OsString::from_vec(name.strip_suffix(b"\n")?.to_vec()).into())
}

/// The number of a block device; `None` for anything else.
pub(super) fn block_number(path: &Path) -> Option<(u32, u32)> {
    let found = open_named(path, OFlags::PATH).and_then(fstat).ok()?;
    let is_block = FileType::from_raw_mode(found.st_mode) == FileType::BlockDevice;
    is_block.then(|| (rustix::fs::major(found.st_rdev), rustix::fs::minor(found.st_rdev)))
}

/// The number of the block device that a mount is of. That of btrfs is only known by its name.
pub(super) fn block_device(mount: &Mount) -> Option<(u32, u32)> {
    if mount.device_number.0 == 0 { block_number(&mount.source) } else { Some(mount.device_number) }
}

/// The mount of a block device that shows most of it: the file system's root if that is mounted anywhere.
pub(super) fn of_device(device: &Path) -> Option<Mount> {
    let number = block_number(device)?;
    let on_it = |mount: &Mount| block_device(mount) == Some(number);
    mounts().into_iter().filter(on_it).min_by_key(|mount| (mount.root.as_os_str().len(), mount.id))
}

/// The mount of a loop device that an image file lies behind, if there is one.
pub(super) fn of_image(image: &Path) -> Option<Mount> {
    let image = image.canonicalize().ok()?;
    let loops = std::fs::read_dir("/sys/block").ok()?.filter_map(Result::ok);
    let behind = |entry: &std::fs::DirEntry| {
        let backing = std::fs::read(entry.path().join("loop/backing_file")).ok()?;
        let backing = OsString::from_vec(backing.strip_suffix(b"\n")?.to_vec());
        (Path::new(&backing) == image).then(|| Path::new("/dev").join(entry.file_name()))
    };
    loops.filter_map(|entry| behind(&entry)).find_map(|device| of_device(&device))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_and_without_optional_fields_is_read() {
        let line = b"36 35 98:0 /mnt1 /a\\040b\\134 ro,noatime master:1 shared:2 - ext3 /dev/root rw,errors=continue";
        let mount = parse(line).unwrap();
        assert_eq!((mount.id, mount.device_number, mount.writable), (36, (98, 0), true));
        assert_eq!((mount.root, mount.point), ("/mnt1".into(), "/a b\\".into()));
        assert_eq!((mount.file_system.as_str(), mount.source), ("ext3", "/dev/root".into()));
        let line = b"22 27 0:21 / /proc rw,relatime - proc proc ro";
        assert_eq!(parse(line).map(|mount| mount.writable), Some(false));
        assert_eq!(parse(b""), None);
        assert_eq!(parse(b"1 2 3 4 - x"), None);
    }

    #[test]
    fn the_mount_of_the_root_is_seen() {
        assert!(mounts().iter().any(|mount| mount.point == Path::new("/")));
    }
}
