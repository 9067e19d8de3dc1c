//! Sources: one file or folder for each way to know what lies where.

mod backup_superblock;
mod btrfs;
mod ext;
mod host_file;
mod image;
mod mounted;
mod on_disk;
mod partitions;
mod quota;
mod rotational;
mod signatures;
mod xfs;

use std::path::Path;

use fsgauge_door::open_named;
use fsgauge_wire::{Failure, FreeSpace, Group, Note, Outcome, Room, ScanJob, ScanSource};
use rustix::fs::{FileType, OFlags, fstat};

use crate::error_text::error_text;
use crate::image::Image;
use crate::measure::Measured;
use crate::problems::Problems;
use crate::reader_threads::ReaderThreads;
use crate::shown::{quoted, shown};
use backup_superblock::BackupSuperblock;
use host_file::host_file;

pub use btrfs::Btrfs;
pub use ext::Ext;
pub use on_disk::OnDisk;
pub use xfs::Xfs;

/// Tells whether an image holds the file system that it reads.
type Opener = for<'a> fn(&'a Image, &mut Problems) -> Outcome<Option<Box<dyn OnDisk + 'a>>>;

/// Every reader of on-disk structures.
const OPENERS: [Opener; 3] = [
    |image, problems| Ok(boxed(Ext::open(image, problems)?)),
    |image, problems| Ok(boxed(Xfs::open(image, problems)?)),
    |image, problems| Ok(boxed(Btrfs::open(image, problems)?)),
];

fn boxed<'a>(found: Option<impl OnDisk + 'a>) -> Option<Box<dyn OnDisk + 'a>> {
    found.map(|disk| Box::new(disk) as Box<dyn OnDisk>)
}

/// What a source found.
#[derive(Debug)]
pub(crate) struct Scanned {
    pub(crate) source: ScanSource,
    pub(crate) measured: Measured,
    /// `None` when it was not asked for or is not known.
    pub(crate) free: Option<FreeSpace>,
    pub(crate) room: Room,
    pub(crate) groups: Vec<Group>,
    pub(crate) problems: Problems,
    pub(crate) notes: Vec<Note>,
}

pub(crate) fn note(code: &str, text: impl Into<String>) -> Note {
    Note { code: code.into(), text: text.into() }
}

/// As blkid(8) shows it; zeros tell nothing.
fn uuid_text(uuid: [u8; 16]) -> Option<String> {
    let digits = Some(u128::from_be_bytes(uuid)).filter(|digits| *digits != 0)?;
    let part = |from: u32, bits: u32| digits >> from & ((1 << bits) - 1);
    let [a, b, c, d, e] =
        [(96, 32), (80, 16), (64, 16), (48, 16), (0, 48)].map(|(from, bits)| part(from, bits));
    Some(format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{e:012x}"))
}

/// Scans what the job's path names: a folder or a file of a mounted file system, a device, or an image.
pub(crate) fn scan(job: &ScanJob, readers: &mut ReaderThreads<'_>) -> Outcome<Scanned> {
    let path = Path::new(&job.path);
    let looked = open_named(path, OFlags::PATH).and_then(fstat);
    let kind = looked
        .map(|found| FileType::from_raw_mode(found.st_mode))
        .map_err(|errno| not_there(path, &errno.into()))?;
    if kind.is_dir() {
        return mounted::scan(job, path, None, readers);
    }
    if kind == FileType::BlockDevice {
        return match mounted::mount_point_of(path) {
            Some(point) => mounted::scan(job, &point, Some(path), readers),
            None => scan_image(job, path, readers)?.ok_or_else(|| unknown_file_system(path)),
        };
    }
    if !kind.is_file() {
        return Err(Failure::job(
            "path",
            format!("{} cannot be scanned", shown(path)),
            "it is neither a folder, a file nor a block device",
            format!("ls -l {}", quoted(path)),
        ));
    }
    match scan_image(job, path, readers)? {
        Some(scanned) => Ok(scanned),
        None => {
            let mut scanned = mounted::scan(job, path, None, readers)?;
            look_for_lost(&Image::open(path)?, &mut scanned.problems);
            Ok(scanned)
        }
    }
}

/// Adds a problem when `image`, in which no file system begins, holds a copy of a superblock. Reads a few sectors at
/// places that are known: a file is never searched.
fn look_for_lost(image: &Image, problems: &mut Problems) {
    let ways = [ext::lost_superblock, xfs::lost_superblock, btrfs::lost_superblock];
    if let Some(BackupSuperblock { file_system, offset_bytes, next }) =
        ways.into_iter().find_map(|way| way(image))
    {
        problems.add(
            "lost_superblock",
            "The superblock of this image is destroyed: the extents of the image file were scanned, not its contents",
            format_args!("there is a copy of a superblock of {file_system} at byte {offset_bytes}: {next}"),
        );
    }
}

/// Scans what is read by a reader that is there already.
pub(crate) fn scan_disk(job: &ScanJob, disk: &dyn OnDisk, readers: &mut ReaderThreads<'_>) -> Scanned {
    image::scan(job, disk, Problems::new(), None, readers)
}

/// `None` when no reader knows what is on it.
fn scan_image(job: &ScanJob, path: &Path, readers: &mut ReaderThreads<'_>) -> Outcome<Option<Scanned>> {
    let image = Image::open(path)?;
    refuse_empty(&image)?;
    signatures::refuse_around(&image)?;
    partitions::refuse_filled(&image)?;
    let mut problems = Problems::new();
    for opener in OPENERS {
        if let Some(disk) = opener(&image, &mut problems)? {
            let mounted = mounted::image_is_mounted(path);
            let mut scanned = image::scan(job, &*disk, problems, mounted, readers);
            scanned.room.device_bytes = Some(image.size_bytes());
            let number = mounted::block_number(path);
            scanned.room.is_rotational = number.and_then(rotational::is_rotational);
            let file = number.map_or_else(|| Some(path.to_owned()), mounted::file_behind);
            scanned.room.host_file = file.and_then(|file| host_file(&file, image.size_bytes()));
            return Ok(Some(scanned));
        }
    }
    signatures::refuse_others(&image)?;
    partitions::refuse(&image)?;
    Ok(None)
}

/// Of nothing, its host's numbers would be the answer.
fn refuse_empty(image: &Image) -> Outcome<()> {
    if image.size_bytes() > 0 {
        return Ok(());
    }
    let place = quoted(image.path());
    let (cause, next) = if image.is_device() {
        ("nothing is attached to it, or it went away", format!("lsblk {place}; dmesg | tail"))
    } else {
        ("it was cut, or never written", format!("ls -l {place}; of a file system, scan the folder"))
    };
    Err(Failure::job("empty", format!("{} is empty: it has 0 bytes", shown(image.path())), cause, next))
}

fn not_there(path: &Path, error: &std::io::Error) -> Failure {
    let cause = match error.kind() {
        std::io::ErrorKind::NotFound => "no such file",
        std::io::ErrorKind::PermissionDenied => "this user may not search a folder on the path",
        _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => {
            "its symbolic links lead in a circle"
        }
        _ => "the kernel refused",
    };
    let what = format!("{} cannot be scanned: {}", shown(path), error_text(error));
    Failure::job("path", what, cause, format!("ls -ld {}", quoted(path)))
}

fn unknown_file_system(path: &Path) -> Failure {
    Failure::job(
        "file_system",
        format!("{} holds no file system that can be scanned", shown(path)),
        "it is not mounted, and it is not ext2, ext3, ext4, XFS or btrfs; encrypted without a header it looks like noise",
        format!(
            "blkid {word}; mount it and scan the mount point; of LUKS with its header elsewhere: cryptsetup open --readonly \
             --header FILE {word} opened; fsgauge scan /dev/mapper/opened",
            word = quoted(path)
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::uuid_text;

    #[test]
    fn a_uuid_is_shown_as_others_show_it_and_zeros_are_none() {
        let uuid = std::array::from_fn(|at| 0x11 * at as u8);
        assert_eq!(uuid_text(uuid).as_deref(), Some("00112233-4455-6677-8899-aabbccddeeff"));
        assert_eq!(uuid_text([0; 16]), None);
    }
}
