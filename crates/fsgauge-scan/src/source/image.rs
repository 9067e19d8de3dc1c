//! Scanning a file system that is not mounted, from its own structures.

use std::sync::atomic::{AtomicUsize, Ordering};

use fsgauge_wire::{InodeChunk, Room, ScanJob, ScanSource, ScanStage};

use super::{OnDisk, Scanned, note, uuid_text};
use crate::measure::{Measure, Wanted};
use crate::problems::Problems;
use crate::reader_threads::ReaderThreads;

/// Reads space, then the parts of the files on all threads. `mounted` says where the image is
/// mounted meanwhile, and whether for writing.
pub(super) fn scan(
    job: &ScanJob,
    disk: &dyn OnDisk,
    mut problems: Problems,
    mounted: Option<(String, bool)>,
    readers: &mut ReaderThreads<'_>,
) -> Scanned {
    let info = disk.info();
    let stop = readers.stop();
    let wanted = Wanted {
        block_bytes: info.block_size_bytes.into(),
        size_bytes: info.size_bytes,
        map_order: job.map_order,
        top: job.top as usize,
        list_whole: job.list_whole,
        inode_place: info.inode_place,
        addresses: None,
    };
    let mut measure = Measure::new(wanted.clone());
    if job.space {
        readers.stage = ScanStage::FreeSpace;
        measure = Measure::with_groups(wanted.clone(), &info.groups);
        readers.run_here(|_, is_stopped| disk.read_space(&mut measure, is_stopped, &mut problems));
    }
    let space_is_known = job.space && !stop.is_set();
    readers.of_files = info.inodes_in_use;
    readers.stage = ScanStage::Files;
    let next = AtomicUsize::new(0);
    let found = readers.run(|progress, is_stopped| {
        let (mut files, mut problems) = (Measure::new(wanted.clone()), Problems::new());
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= disk.file_parts() || is_stopped() {
                return (files, problems);
            }
            disk.read_files(part, &mut files, is_stopped, &mut problems);
            progress.set(files.counts().files, files.counts().extents);
        }
    });
    for (files, more) in found {
        measure.merge_files(files);
        problems.merge(more);
    }
    let (free, groups) = measure.space();
    let places = measure.inode_places().filter(|_| space_is_known);
    readers.stage = ScanStage::Names;
    let inodes = measure.named_inodes();
    let names = readers.run_here(|_, is_stopped| disk.names(&inodes, is_stopped, &mut problems));
    let measured = measure.finish(&mut |inode| names.get(&inode).cloned());
    let room = Room {
        inode_chunk: info.room.inode_chunk.map(|chunk| InodeChunk { places, ..chunk }),
        full_folders: measured.full_folders.clone(),
        ..info.room
    };
    let mut notes = info.notes;
    if let Some((point, _)) = &mounted {
        let text =
            format!("the image is mounted at {point}: data that is only in the page cache is not seen");
        notes.push(note("image_is_mounted", text));
    }
    let space_by = match info.file_system.as_str() {
        "xfs" => "free space trees",
        "btrfs" => "extent tree",
        _ => "bitmaps",
    };
    Scanned {
        source: ScanSource {
            path: job.path.clone(),
            device: job.path.clone(),
            file_system: info.file_system,
            uuid: info.uuid.and_then(uuid_text),
            writable: mounted.as_ref().is_some_and(|(_, writable)| *writable),
            mount_point: mounted.map(|(point, _)| point),
            files_by: "on-disk".into(),
            space_by: if job.space { space_by } else { "none" }.into(),
            space_reason: None,
            block_size_bytes: info.block_size_bytes,
            size_bytes: info.size_bytes,
            address_bytes: None,
        },
        room,
        free: Some(free).filter(|_| space_is_known),
        groups: if space_is_known { groups } else { Vec::new() },
        measured,
        problems,
        notes,
    }
}
