//! A scan: the same measures as of a real file system, with the model as their source.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use fsgauge_scan::{
    Extent, FileExtents, FileName, FileSystemInfo, GroupPlace, Kinds, OnDisk, Piece, PieceKind, Problems,
    Sink, scan_on_disk,
};
use fsgauge_wire::{Listener, Outcome, Room, ScanJob, ScanResult};

use crate::folders::Held;
use crate::state::State;
use crate::volume::Volume;

/// Groups beyond so many are left out: a page could not show them.
const GROUPS_LIMIT: u64 = 1 << 16;

/// What a scan reads: free space, and the files at or below one folder.
struct View<'a> {
    volume: &'a Volume,
    files: Vec<(String, Held)>,
    info: FileSystemInfo,
}

impl OnDisk for View<'_> {
    fn info(&self) -> FileSystemInfo {
        self.info.clone()
    }

    fn read_space(&self, sink: &mut dyn Sink, _stop: &dyn Fn() -> bool, _problems: &mut Problems) {
        let block_bytes = u64::from(self.info.block_size_bytes);
        self.volume.free_runs(&mut |run| {
            sink.piece(&Piece {
                offset_bytes: run.start * block_bytes,
                length_bytes: u64::from(run.blocks) * block_bytes,
                kind: PieceKind::Free,
            });
        });
    }

    fn file_parts(&self) -> usize {
        1
    }

    fn read_files(
        &self,
        _part: usize,
        sink: &mut dyn Sink,
        stop: &dyn Fn() -> bool,
        _problems: &mut Problems,
    ) {
        let block_bytes = u64::from(self.info.block_size_bytes);
        for (path, held) in &self.files {
            if stop() {
                return;
            }
            let extents: Vec<Extent> = self
                .volume
                .extents(held.number)
                .into_iter()
                .map(|extent| {
                    Extent::plain(
                        extent.logical * block_bytes,
                        extent.physical * block_bytes,
                        u64::from(extent.blocks) * block_bytes,
                        Kinds::default(),
                    )
                })
                .collect();
            let name = FileName::Path(Path::new(path));
            sink.file(&FileExtents { name, size_bytes: held.size_bytes, extents: &extents });
        }
    }

    fn names(&self, _: &[u64], _: &dyn Fn() -> bool, _: &mut Problems) -> HashMap<u64, PathBuf> {
        HashMap::new()
    }
}

/// Scans a folder.
pub(crate) fn scan(state: &mut State<'_>, job: &ScanJob) -> Outcome<ScanResult> {
    let block_bytes = state.block_bytes();
    let group_bytes = u64::from(state.job.group_blocks) * block_bytes;
    let of_device = state.job.size_bytes.div_ceil(group_bytes);
    let groups = of_device * u64::from(state.job.devices);
    let place = |group: u64| {
        let (device, within_bytes) = (group / of_device, group % of_device * group_bytes);
        GroupPlace {
            offset_bytes: device * state.job.size_bytes + within_bytes,
            size_bytes: group_bytes.min(state.job.size_bytes - within_bytes),
        }
    };
    let view = View {
        volume: &state.volume,
        files: state.folders.below(&job.path).collect(),
        info: FileSystemInfo {
            uuid: None,
            file_system: state.policy_name().into(),
            block_size_bytes: state.job.block_size_bytes,
            size_bytes: state.size_bytes(),
            inodes_in_use: None,
            free_bytes: None,
            groups: if groups <= GROUPS_LIMIT { (0..groups).map(place).collect() } else { Vec::new() },
            inode_place: None,
            room: Room::default(),
            notes: Vec::new(),
        },
    };
    let listener: &mut dyn Listener = &mut *state.listener;
    let mut result = scan_on_disk(job, &view, state.engine.clone(), listener, state.stop)?;
    result.source.device = "a simulated device".into();
    result.source.files_by = "model".into();
    result.source.space_by = if job.space { "model" } else { "none" }.into();
    Ok(result)
}
