//! Free space of a mounted ext2, ext3 or ext4 from its block bitmaps, where the kernel's list of free pieces lacks some.
//!
//! GETFSMAP and mb_groups show what the allocator could hand out now. They count as used what it holds for files that are
//! open or were written a moment ago (`ext4_mb_generate_from_pa`), and what was freed in a transaction that is not
//! written yet (`ext4_mb_generate_from_freelist` in fs/ext4/mballoc.c, Linux 6.18). The counter behind statfs(2) and the
//! bitmaps know better. The bitmaps are read through the device, whose cache is where ext4 changes them.

use std::fs::File;
use std::os::fd::BorrowedFd;
use std::path::PathBuf;

use fsgauge_wire::FreeSpace;

use super::geometry::Geometry;
use super::mount::{self, Mount};
use super::space::Space;
use super::{ext_counter, getfsmap};
use crate::error_text::error_text;
use crate::extent::{FileExtents, Piece, PieceKind, Sink, Unplaced};
use crate::image::Image;
use crate::measure::{Measure, Wanted};
use crate::problems::Problems;
use crate::reader_threads::IsStopped;
use crate::shown::{shown, size_words};
use crate::source::{Ext, OnDisk, note};

/// How often the bitmaps are read until they and the counter agree: others may write meanwhile.
const TRIES: u32 = 3;

/// Takes the bitmaps in place of what the kernel `listed`, where the counter says that the list is not all that is free.
/// What cannot be made to agree is a problem.
pub(super) fn in_place_of(
    listed: Space,
    open: BorrowedFd<'_>,
    mount: &Mount,
    geometry: &Geometry,
    wanted: &Wanted,
    is_stopped: IsStopped<'_>,
) -> Space {
    let counter = || ext_counter::free_bytes(open, mount, geometry);
    let (Some(listed_bytes), Some(mut counted)) = (listed.free_bytes(), counter()) else { return listed };
    if listed_bytes == counted || is_stopped() {
        return listed;
    }
    let mut nearest: Option<(u64, Space)> = None;
    for _ in 0..TRIES {
        let Some(space) = by_bitmaps(open, mount, geometry, wanted, is_stopped) else { break };
        let (read_bytes, counted_after) = (space.free_bytes().unwrap_or(0), counter().unwrap_or(counted));
        if is_between(read_bytes, counted, counted_after) {
            return Space { reason: Some(reason(listed.by, listed_bytes, read_bytes)), ..space };
        }
        counted = counted_after;
        nearest = Some((read_bytes, space));
        if is_stopped() {
            break;
        }
    }
    let was_read = nearest.is_some();
    let differ = |bytes: u64| bytes.abs_diff(counted);
    match nearest.filter(|(bytes, _)| differ(*bytes) < differ(listed_bytes)) {
        Some((read_bytes, space)) => Space {
            reason: Some(reason(listed.by, listed_bytes, read_bytes)),
            problems: not_reconciled(space.problems, counted, read_bytes, "the block bitmaps"),
            ..space
        },
        None => without_bitmaps(listed, listed_bytes, counted, (!was_read).then(|| why_unread(mount))),
    }
}

/// Whether the bitmaps agree with the counter from before and after. They are read one after the other: while others
/// write they may be off by as much as the counter moved.
fn is_between(read_bytes: u64, before: u64, after: u64) -> bool {
    let moved = before.abs_diff(after);
    let lowest = before.min(after).saturating_sub(moved);
    (lowest..=before.max(after).saturating_add(moved)).contains(&read_bytes)
}

/// The pieces stay as they are listed, as there is no better list; the sum is the counter's. A user who may not read the
/// bitmaps meets that on every file system that was just made or written to, which is no problem.
fn without_bitmaps(mut listed: Space, listed_bytes: u64, counted: u64, why_unread: Option<String>) -> Space {
    let sum = |free| FreeSpace { size_bytes: counted, device_bytes: Some(counted), ..free };
    let problems = std::mem::take(&mut listed.problems);
    let problems = match why_unread {
        None => not_reconciled(problems, counted, listed_bytes, listed.by),
        Some(why) => {
            let text = format!(
                "{}: the allocator holds some for open files, or has not taken back what was freed a moment ago; {why}",
                apart(counted, listed_bytes, listed.by)
            );
            listed.notes.push(note("free_space_differs", text));
            problems
        }
    };
    Space { free: listed.free.map(sum), problems, ..listed }
}

/// Who reads the block bitmaps; for root, what was refused.
fn why_unread(mount: &Mount) -> String {
    let device = shown(&mount.source);
    match File::open(&mount.source) {
        _ if !rustix::process::geteuid().is_root() => "root's scan reads the block bitmaps".to_owned(),
        Err(error) => {
            format!("the block bitmaps are on {device}, which cannot be opened here: {}", error_text(error))
        }
        Ok(_) => format!("the block bitmaps on {device} could not be read"),
    }
}

fn reason(listed_by: &str, listed_bytes: u64, read_bytes: u64) -> String {
    let held = size_words(read_bytes.abs_diff(listed_bytes));
    format!(
        "the block bitmaps on the device were read: {listed_by} counts {held} as used that are free, which the \
         allocator holds for open files or which were freed a moment ago"
    )
}

fn not_reconciled(mut problems: Problems, counted: u64, found: u64, by: &str) -> Problems {
    problems.add(
        "free_space_differs",
        "Free pieces and the file system's own counter do not agree: what the allocator holds for open files counts as \
         used in the pieces, or others write meanwhile; exact is a scan of what is not written to",
        format_args!("{}", apart(counted, found, by)),
    );
    problems
}

/// "1.03 MiB more are free by statfs than in the pieces of getfsmap".
fn apart(counted: u64, listed_bytes: u64, by: &str) -> String {
    let (more, held) = (if counted > listed_bytes { "more" } else { "less" }, counted.abs_diff(listed_bytes));
    format!("{} {more} are free by statfs than in the pieces of {by}", size_words(held))
}

/// Free pieces by the bitmaps, the file system's own structures by GETFSMAP.
fn by_bitmaps(
    open: BorrowedFd<'_>,
    mount: &Mount,
    geometry: &Geometry,
    wanted: &Wanted,
    is_stopped: IsStopped<'_>,
) -> Option<Space> {
    let image = Image::open(&device(mount)?).ok()?;
    let mut problems = Problems::new();
    let ext = Ext::open(&image, &mut problems).ok()??;
    let mut measure = Measure::with_groups(wanted.clone(), &geometry.groups);
    let mut own = Only { sink: &mut measure, free: false };
    getfsmap::read(open, mount.device_number, &mut own, is_stopped, &mut Problems::new()).ok()?;
    let mut free = Only { sink: &mut measure, free: true };
    ext.read_space(&mut free, is_stopped, &mut problems);
    Some(Space::all_known(measure, "bitmaps", problems))
}

/// The device's node, when it is the one that is mounted.
pub(super) fn device(mount: &Mount) -> Option<PathBuf> {
    let by_name = mount::kernel_name(mount.device_number).map(|name| PathBuf::from("/dev").join(name));
    [Some(mount.source.clone()), by_name]
        .into_iter()
        .flatten()
        .find(|path| mount::block_number(path) == Some(mount.device_number) && File::open(path).is_ok())
}

/// Hands on what is free, or what is not.
struct Only<'a> {
    sink: &'a mut dyn Sink,
    free: bool,
}

impl Sink for Only<'_> {
    fn file(&mut self, _: &FileExtents<'_>) {}

    fn piece(&mut self, piece: &Piece) {
        if (piece.kind == PieceKind::Free) == self.free {
            self.sink.piece(piece);
        }
    }

    fn unplaced(&mut self, what: Unplaced, length_bytes: u64) {
        if self.free {
            self.sink.unplaced(what, length_bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::refusal;
    use super::*;

    #[test]
    fn root_is_told_what_was_refused_and_not_to_be_root() {
        let mount = Mount {
            id: 1,
            device_number: (7, 9),
            root: "/".into(),
            point: "/x".into(),
            file_system: "ext4".into(),
            source: "/dev/no-node-here".into(),
            options: String::new(),
            writable: true,
            is_listed: true,
        };
        let is_root = rustix::process::geteuid().is_root();
        for words in
            [why_unread(&mount), super::super::who().1.to_owned(), refusal::not_permitted().to_owned()]
        {
            assert_eq!(
                words.to_lowercase().contains("root"),
                !is_root || words.starts_with("Root"),
                "{words}"
            );
        }
        assert_eq!(why_unread(&mount).contains("/dev/no-node-here, which cannot be opened here"), is_root);
    }
}
