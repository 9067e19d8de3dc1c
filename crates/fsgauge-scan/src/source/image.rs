//! Scanning a file system that is not mounted, from its own structures.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use fsgauge_wire::{Outcome, ScanJob, ScanSource};

use super::{OnDisk, Scanned, note};
use crate::crew::Crew;
use crate::measure::{Measure, Wanted};
use crate::problems::Problems;

/// Reads space on one thread, then the parts of the files on all of them. `mounted` says where the image is
/// mounted meanwhile, and whether for writing.
pub(super) fn scan(
    job: &ScanJob,
    disk: &dyn OnDisk,
    mut problems: Problems,
    mounted: Option<(String, bool)>,
    crew: &mut Crew<'_>,
) -> Outcome<Scanned> {
    let facts = disk.facts();
    let stop = crew.stop();
    let wanted = Wanted {
        block_bytes: facts.block_size_bytes.into(),
        size_bytes: facts.size_bytes,
        map_order: job.map_order,
        top: job.top as usize,
        list_whole: job.list_whole,
        addresses: None,
    };
    let is_stopped = move || stop.is_set();
    let mut measure = Measure::with_groups(wanted.clone(), &facts.groups);
    if job.space {
        let found = crew.run(1, |_| {
            let (mut space, mut problems) =
                (Measure::with_groups(wanted.clone(), &facts.groups), Problems::new());
            disk.read_space(&mut space, &is_stopped, &mut problems);
            (space, problems)
        })?;
        for (space, more) in found {
            measure = space;
            problems.merge(more);
        }
    }
    let space_is_known = job.space && !stop.is_set();
    crew.of_files = facts.inodes_in_use;
    let next = AtomicUsize::new(0);
    let found = crew.run(crew.threads(), |progress| {
        let (mut files, mut problems) = (Measure::new(wanted.clone()), Problems::new());
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            if part >= disk.file_parts() || is_stopped() {
                return (files, problems);
            }
            disk.read_files(part, &mut files, &is_stopped, &mut problems);
            progress.set(files.counts().files, files.counts().extents);
        }
    })?;
    for (files, more) in found {
        measure.merge_files(files);
        problems.merge(more);
    }
    let (free, groups) = measure.space();
    let names: HashMap<_, _> = disk.names(&measure.named_inodes(), &is_stopped, &mut problems);
    let measured = measure.finish(&mut |inode| names.get(&inode).cloned());
    let mut notes = facts.notes;
    if let Some((point, _)) = &mounted {
        let text = format!("the image is mounted at {point}: what is only in the cache is not seen here");
        notes.push(note("image_is_mounted", text));
    }
    let space_by = match facts.file_system.as_str() {
        "xfs" => "free space trees",
        "btrfs" => "extent tree",
        _ => "bitmaps",
    };
    Ok(Scanned {
        source: ScanSource {
            path: job.path.clone(),
            device: job.path.clone(),
            file_system: facts.file_system,
            writable: mounted.as_ref().is_some_and(|(_, writable)| *writable),
            mount_point: mounted.map(|(point, _)| point),
            files_by: "on-disk".into(),
            space_by: if job.space { space_by } else { "none" }.into(),
            space_reason: None,
            block_size_bytes: facts.block_size_bytes,
            size_bytes: facts.size_bytes,
            address_bytes: None,
        },
        free: Some(free).filter(|_| space_is_known),
        groups: if space_is_known { groups } else { Vec::new() },
        measured,
        problems,
        notes,
    })
}
