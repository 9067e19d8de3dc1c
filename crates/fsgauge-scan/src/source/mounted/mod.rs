//! A mounted file system: extents by FIEMAP, free space by what the kernel reports to this user.

mod below;
mod btrfs;
mod btrfs_counters;
mod btrfs_devices;
mod btrfs_items;
mod compressed;
mod emptied_folders;
mod ext_bitmaps;
mod ext_counter;
mod extents;
mod folder;
mod free_space;
mod full_folders;
mod geometry;
mod getfsmap;
mod hard_links;
mod kernel;
mod mb_groups;
mod mount;
mod quotas;
mod refusal;
mod room;
mod space;
mod unlisted;
mod walk;
mod work_queue;

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fsgauge_door::open_named;
use fsgauge_wire::{Failure, Note, Outcome, Room, ScanJob, ScanSource, ScanStage};
use rustix::fs::{OFlags, fstat, fstatvfs};
use rustix::io::Errno;

use self::emptied_folders::EmptiedFolders;
use self::folder::{Folder, MountedAs, mounted_as};
use self::full_folders::LargeFolders;
use self::geometry::{Geometry, geometry};
use self::mount::Mount;
use self::walk::{Found, Walk};
use super::{Scanned, note, uuid_text};
use crate::error_text::error_text;
use crate::extent::{FileExtents, FileName, Sink};
use crate::measure::{Measure, Wanted};
use crate::problems::Problems;
use crate::reader_threads::ReaderThreads;
use crate::shown::{quoted, shown};

/// File systems known to have no FIEMAP (Linux 6.18): an empty folder there is an error too.
const WITHOUT_FIEMAP: [&str; 8] = ["tmpfs", "ramfs", "devtmpfs", "proc", "sysfs", "cgroup2", "nfs", "nfs4"];

/// Where a block device is mounted, if it is.
pub(super) fn mount_point_of(device: &Path) -> Option<PathBuf> {
    mount::of_device(device).map(|mount| mount.point)
}

/// The number of a block device; `None` for anything else.
pub(super) fn block_number(path: &Path) -> Option<(u32, u32)> {
    mount::block_number(path)
}

/// The file that a loop device shows.
pub(super) fn file_behind(device: (u32, u32)) -> Option<PathBuf> {
    mount::file_behind(device)
}

/// Where an image or device is mounted, and whether for writing.
pub(super) fn image_is_mounted(image: &Path) -> Option<(String, bool)> {
    let mount = mount::of_image(image)?;
    Some((mount.point.display().to_string(), mount.writable))
}

/// What is read: a tree or one file.
#[derive(Debug)]
enum Root {
    Tree(Folder),
    File(File),
}

impl Root {
    fn fd(&self) -> BorrowedFd<'_> {
        match self {
            Root::Tree(folder) => folder.fd.as_fd(),
            Root::File(file) => file.as_fd(),
        }
    }
}

/// Scans a folder or a file. `device` is what was asked for when that is the mounted device.
pub(super) fn scan(
    job: &ScanJob,
    path: &Path,
    device: Option<&Path>,
    readers: &mut ReaderThreads<'_>,
) -> Outcome<Scanned> {
    let refused = |errno| cannot_be_read(path, errno);
    let root = open(path).map_err(refused)?;
    let mount = mount_of(root.fd(), path)?;
    let mut geometry = geometry(root.fd(), &mount).map_err(refused)?;
    let wanted = Wanted {
        block_bytes: geometry.block_bytes.into(),
        size_bytes: geometry.address_bytes.unwrap_or(geometry.size_bytes),
        map_order: if geometry.is_placed { job.map_order } else { 0 },
        top: job.top as usize,
        list_whole: job.list_whole,
        inode_place: geometry.inode_place,
        addresses: geometry.addresses.take().map(Arc::new),
    };
    let mut notes = before(&mount, &mut geometry, device);
    if job.map_order > wanted.map_order {
        let text = "there is no map: the device offsets of extents are unknown, or not readable by this user";
        notes.push(note("no_map", text));
    }
    let uuid = kernel::uuid(root.fd(), &mount.file_system);
    readers.of_files = if path == mount.point { inodes_in_use(root.fd()) } else { None };

    let mut space = match job.space {
        true => free_space::read(root.fd(), &mount, &geometry, &wanted, readers),
        false => space::none(&wanted),
    };
    notes.append(&mut space.notes);
    readers.stage = ScanStage::Files;
    let pieces_are_known = space.free.as_ref().is_some_and(|free| free.largest_bytes.is_some());
    let mut room = match job.space {
        true => room::read(root.fd(), &mount, &geometry, &space.measure, pieces_are_known),
        false => Room::default(),
    };
    notes.extend(quotas::untold(root.fd(), &mount).filter(|_| job.space));
    let (mut measure, mut problems) = (space.measure, space.problems);
    match root {
        Root::Tree(folder) => {
            let files = walk_tree(folder, &wanted, (path, &mount), readers, &mut notes)?;
            let (mut large, mut emptied) = (LargeFolders::default(), EmptiedFolders::default());
            let mut taken_bytes = 0u64;
            for found in files {
                taken_bytes = taken_bytes.saturating_add(found.taken_bytes);
                measure.merge_files(found.measure);
                problems.merge(found.problems);
                large.merge(found.large_folders);
                emptied.merge(found.emptied_folders);
            }
            notes.extend(full_folders::read(&mount, &large, &mut measure));
            room.taken_bytes = Some(taken_bytes).filter(|_| job.space);
            room.emptied_folders = if mount.is_ext() { emptied.into_list() } else { Vec::new() };
        }
        Root::File(file) => {
            let reader = extents::ExtentReader::new(&mount.file_system);
            read_file(&file, path, reader, &mut measure, &mut problems).map_err(refused)?;
        }
    }
    let has_none = WITHOUT_FIEMAP.contains(&mount.file_system.as_str());
    if measure.counts().files == 0 && (has_none || problems.count("no_fiemap") > 0) {
        return Err(no_fiemap(path, &mount));
    }
    notes.extend(after(&measure));
    let measured = measure.finish(&mut |_| None);
    notes.extend(below::note(&mount).map(|text| note("lies_below", text)));
    Ok(Scanned {
        source: ScanSource {
            path: job.path.clone(),
            device: mount.source.display().to_string(),
            file_system: mount.file_system,
            mount_point: Some(mount.point.display().to_string()),
            uuid: uuid.and_then(uuid_text),
            writable: mount.writable,
            files_by: "fiemap".into(),
            space_by: space.by.into(),
            space_reason: space.reason,
            block_size_bytes: geometry.block_bytes,
            size_bytes: geometry.size_bytes,
            address_bytes: geometry.address_bytes,
        },
        free: space.free,
        room: Room { full_folders: measured.full_folders.clone(), ..room },
        measured,
        groups: space.groups,
        problems,
        notes,
    })
}

fn open(path: &Path) -> Result<Root, Errno> {
    match Folder::open_named(path) {
        Err(Errno::NOTDIR) => {
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            open_named(path, flags).map(|fd| Root::File(fd.into()))
        }
        opened => opened.map(Root::Tree),
    }
}

/// The mount that something open is in.
fn mount_of(open: BorrowedFd<'_>, path: &Path) -> Outcome<Mount> {
    let refused = |errno| cannot_be_read(path, errno);
    let device = fstat(open).map_err(refused)?.st_dev;
    let numbers = (rustix::fs::major(device), rustix::fs::minor(device));
    let found = mounted_as(open, device).map_err(refused)?;
    let is_it = |mount: &Mount| match found {
        MountedAs::Mount(id) => mount.id == id,
        MountedAs::Device(_) => mount.device_number == numbers,
    };
    match mount::mounts().into_iter().rfind(is_it) {
        Some(mount) => Ok(mount),
        None => unlisted::mount(open, path, found, numbers).map_err(refused),
    }
}

/// Inodes in use, where the file system counts them.
fn inodes_in_use(open: BorrowedFd<'_>) -> Option<u64> {
    let statistics = fstatvfs(open).ok()?;
    statistics.f_files.checked_sub(statistics.f_ffree).filter(|inodes| *inodes > 0)
}

/// What is known before anything is read.
fn before(mount: &Mount, geometry: &mut Geometry, device: Option<&Path>) -> Vec<Note> {
    let mut notes: Vec<Note> = geometry.notes.drain(..).map(|(code, text)| note(code, text)).collect();
    if !mount.is_listed {
        let text = "/proc/self/mountinfo does not list the mount, as below a root that is no mount point (chroot): its \
                    file system and device are those that statfs and statx name, and ext2 and ext3 go by the name of ext4";
        notes.push(note("mount_not_listed", text));
    }
    if let Some(device) = device {
        let how = if mount.writable { "read-write" } else { "read-only" };
        let (device, point) = (device.display(), mount.point.display());
        let text = format!("{device} is mounted {how} at {point}: the mounted file system was scanned");
        notes.push(note("device_is_mounted", text));
        if mount.root != Path::new("/") {
            let text = format!(
                "only {} of the file system is mounted: files outside it are not scanned",
                mount.root.display()
            );
            notes.push(note("part_is_mounted", text));
        }
    }
    notes
}

/// To whom the kernel does not tell something, and whose scan knows it: in a container root lacks capabilities.
fn who() -> (&'static str, &'static str) {
    if rustix::process::geteuid().is_root() {
        ("root here, who lacks CAP_SYS_ADMIN,", "a scan outside of this container")
    } else {
        ("this user", "root's scan")
    }
}

/// What the counts should be read with.
fn after(measure: &Measure) -> Vec<Note> {
    let counts = measure.counts();
    let delayed = (counts.delayed_extents > 0).then(|| {
        let many = counts.delayed_extents;
        let are = if many == 1 { "extent is" } else { "extents are" };
        let text = format!(
            "{many} {are} in the page cache only (delayed allocation); sync(1) allocates what is there"
        );
        note("delayed_extents", text)
    });
    let compressed = (counts.compressed_extents > 0).then(|| {
        let text =
            "lengths of compressed extents are those of their contents; on the device they are shorter";
        note("compressed_lengths", text)
    });
    let undecided = (counts.undecided_extents > 0).then(|| {
        let (who, whose) = who();
        let text = format!(
            "of {} compressed extents is not told to {who} whether they go on where the one before them ends: {whose} \
             reads it from the trees",
            counts.undecided_extents
        );
        note("undecided_extents", text)
    });
    [delayed, compressed, undecided].into_iter().flatten().collect()
}

fn walk_tree(
    folder: Folder,
    wanted: &Wanted,
    (path, mount): (&Path, &Mount),
    readers: &mut ReaderThreads<'_>,
    notes: &mut Vec<Note>,
) -> Outcome<Vec<Found>> {
    allow_open_files();
    let large = full_folders::least_bytes(mount, wanted.block_bytes).unwrap_or(u64::MAX);
    let walk = Walk::new(folder, (path, &mount.file_system), large, readers.threads())
        .map_err(|errno| cannot_be_read(path, errno))?;
    let found =
        readers.run(|progress, is_stopped| walk.work(Measure::new(wanted.clone()), progress, is_stopped));
    let left_out: u64 = found.iter().map(|found| found.left_out).sum();
    if left_out > 0 {
        let are = if left_out == 1 {
            "1 folder or file below is another mount and was".to_owned()
        } else {
            format!("{left_out} folders or files below are other mounts and were")
        };
        notes.push(note("other_mounts", format!("{are} skipped")));
    }
    Ok(found)
}

/// A deep tree needs an open file for each level: up to the hard limit.
fn allow_open_files() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    // Refused only where the hard limit is below the soft one; then the soft one stays.
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
}

fn read_file(
    file: &File,
    path: &Path,
    mut reader: extents::ExtentReader,
    measure: &mut Measure,
    problems: &mut Problems,
) -> Result<(), Errno> {
    let stat = fstat(file)?;
    match reader.read(file.as_fd(), &stat) {
        Ok(read) => {
            let name = FileName::Path(path);
            measure.file(&FileExtents { name, size_bytes: stat.st_size as u64, extents: &reader.extents });
            walk::add_reading(problems, read, path);
        }
        Err(errno) => refusal::add(problems, errno, path.display()),
    }
    Ok(())
}

fn cannot_be_read(path: &Path, errno: Errno) -> Failure {
    let what = format!("{} cannot be read: {}", shown(path), error_text(errno));
    let word = quoted(path);
    let (cause, next) = match rustix::process::geteuid().is_root() {
        true => (refusal::not_permitted(), format!("ls -ld {word}; findmnt --target {word}")),
        false => ("this user may not read it", format!("ls -ld {word}; or run as root")),
    };
    match errno {
        // Another path or user is needed, not another machine.
        Errno::ACCESS | Errno::PERM => Failure::job("not_permitted", what, cause, next),
        Errno::NOENT => Failure::job("path", what, "it went away", next),
        Errno::IO => {
            let cause = "its device is gone or fails, or the file system was shut down for an error";
            Failure::system("path", Some(errno.raw_os_error()), what, cause, "dmesg | tail")
        }
        _ => Failure::system("path", Some(errno.raw_os_error()), what, "the kernel refused", next),
    }
}

fn no_fiemap(path: &Path, mount: &Mount) -> Failure {
    Failure::job(
        "no_fiemap",
        format!("the extents of files in {} are unknown", shown(path)),
        below::why_untold(mount),
        below::next(mount),
    )
}
