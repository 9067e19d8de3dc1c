//! ext4 as far as it decides where blocks are: inodes, directories, extent trees, the journal's commits, and mballoc or any
//! other policy below them. It carries out an operation log as the ager does in mode `fast` (fallocate(2)), or in mode
//! `write` (delayed allocation), so that the two can be compared group by group.

mod blocks;
mod counter;
mod directory;
mod extent_tree;
mod file;
mod folder;
mod folios;
mod freed;
mod geometry;
mod inodes;
#[cfg(test)]
mod kernel_tests;
mod name_hash;
#[cfg(test)]
#[allow(unreachable_pub, reason = "integration tests have this file as well")]
#[path = "../../tests/support/profile.rs"]
mod profile;
#[cfg(test)]
mod tests;
mod volume;
mod write_back;
mod writing;

use std::collections::BTreeMap;

use fsgauge_wire::AgeOperation;

pub use geometry::Geometry;
pub use writing::Writing;

use crate::ager::{DirectoryFill, FAN_OUT, Name};
use crate::free_map::FreeMap;
use crate::open_files::OpenFiles;
use crate::operation::{Operation, Placement};
use crate::policy::{Extent, Policy, Purpose};
use blocks::Blocks;
use file::File;
use folder::Folder;
use inodes::{Inodes, Used};
use volume::{Refused, Volume};
use write_back::WriteBack;

/// What a life depends on, besides the file system and the log.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Where the files of the log are.
    pub placement: Placement,
    /// Processors of the machine: the kernel adds its counters up less often on large ones.
    pub processors: u32,
    /// How data gets into files.
    pub writing: Writing,
}

/// The model of one file system.
pub struct Ext4 {
    volume: Volume,
    fill: DirectoryFill,
    seed: [u32; 4],
    first_block: u64,
    root_blocks: u64,
    root: Folder,
    /// Directories that hold others, [`FAN_OUT`] each: all but the first so many are in one.
    groups: Vec<Folder>,
    folders: Vec<Folder>,
    files: Vec<Option<File>>,
    /// The file that each stream has open.
    open: OpenFiles,
    /// Streams whose files lie with those of another, and which.
    lies_with: BTreeMap<u32, u32>,
    writing: Writing,
    write_back: WriteBack,
    refused: u64,
}

/// Keys of directories that hold others.
const GROUP_KEY: u64 = 1 << 40;

impl Ext4 {
    /// An empty file system. Says what cannot be.
    pub fn new(geometry: &Geometry, policy: Box<dyn Policy>, setting: Setting) -> Result<Self, String> {
        let (flex_groups, processors) = (geometry.flex_groups, setting.processors);
        let block_bytes = geometry.block_bytes;
        let blocks = Blocks::new(block_bytes, geometry.space()?, policy, flex_groups, processors);
        let used = Used { inodes: &geometry.inodes_in_use, directories: &geometry.directories };
        let seed = geometry.hash_seed;
        let mut inodes = Inodes::new(
            geometry.inodes_per_group,
            flex_groups,
            geometry.group_blocks,
            seed,
            used,
            processors,
        );
        blocks.count(&mut inodes.flex);
        Ok(Ext4 {
            volume: Volume { blocks, inodes },
            fill: DirectoryFill::new(setting.placement),
            seed,
            first_block: geometry.first_block(),
            root_blocks: geometry.root_blocks,
            root: Folder::root(geometry.root_block, block_bytes, seed),
            groups: Vec::new(),
            folders: Vec::new(),
            files: Vec::new(),
            open: OpenFiles::default(),
            lies_with: BTreeMap::new(),
            writing: setting.writing,
            write_back: WriteBack::default(),
            refused: 0,
        })
    }

    /// The free space, without what was freed since the last commit.
    pub fn space(&self) -> &FreeMap {
        &self.volume.blocks.space
    }

    /// Free blocks as statfs(2) gives them.
    pub fn free_blocks(&self) -> u64 {
        self.volume.blocks.exactly_free()
    }

    /// Those of them that files of root can take: the kernel keeps some back (`s_resv_clusters`).
    pub fn takeable_blocks(&self) -> u64 {
        self.volume.blocks.exactly_free().saturating_sub(self.volume.blocks.kept_back())
    }

    /// Those of them that files of all can take, as the kernel's `f_bavail` says.
    pub fn available_blocks(&self) -> u64 {
        self.takeable_blocks().saturating_sub(self.root_blocks)
    }

    /// Bytes of a block.
    pub fn block_bytes(&self) -> u32 {
        self.volume.blocks.block_bytes
    }

    /// Where its first group begins on the device; [`Self::space`] is counted from there.
    pub fn first_block(&self) -> u64 {
        self.first_block
    }

    /// Operations that found no space.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// The extents of every file that there is.
    pub fn extents(&self) -> impl Iterator<Item = Vec<Extent>> {
        self.files.iter().flatten().map(|file| self.on_device(file))
    }

    /// The extents of one file; none if there is no such file.
    pub fn file(&self, file: u32) -> Option<Vec<Extent>> {
        self.files.get(file as usize)?.as_ref().map(|file| self.on_device(file))
    }

    fn on_device(&self, file: &File) -> Vec<Extent> {
        let mut extents = file.inode.tree.extents();
        extents.iter_mut().for_each(|extent| extent.physical += self.first_block);
        extents
    }

    /// The files of a stream lie in the directory of another's.
    pub fn lies_with(&mut self, stream: u32, other: u32) {
        self.lies_with.insert(stream, other);
    }

    /// The stream that has a file open closes it.
    pub fn close_file(&mut self, file: u32) {
        if self.is_open(file)
            && let Some(state) = &self.files[file as usize]
        {
            self.close(state.stream);
        }
    }

    /// Carries out one operation.
    pub fn apply(&mut self, operation: &Operation) {
        let &Operation { stream, kind, file, offset_bytes, size_bytes, .. } = operation;
        let done = match kind {
            AgeOperation::Create => self.create(stream, file, size_bytes),
            AgeOperation::Append => {
                self.turn_to(stream, file);
                self.append(file, size_bytes)
            }
            AgeOperation::Truncate => {
                self.turn_to(stream, file);
                self.dirty(file);
                self.with(file, |state, volume| {
                    state.cut(volume, offset_bytes);
                    Ok(())
                })
            }
            AgeOperation::Delete => {
                self.delete(file);
                Ok(())
            }
            AgeOperation::Fsync => {
                self.turn_to(stream, file);
                let done = self.write_back(file);
                self.volume.blocks.commit();
                done
            }
            // In place.
            AgeOperation::Overwrite => {
                self.turn_to(stream, file);
                self.dirty(file);
                Ok(())
            }
        };
        self.refused += u64::from(done.is_err());
    }

    /// What waits is written back, and the journal committed: what was freed can be taken again.
    pub fn sync(&mut self) {
        self.write_back_all();
        self.volume.blocks.commit();
    }

    /// Closes every file, writes back what waits, and gives back what is set aside.
    pub fn unmount(&mut self) {
        for file in self.open.close_all() {
            self.closed(file);
        }
        self.sync();
        let Blocks { space, policy, .. } = &mut self.volume.blocks;
        policy.release_all(space);
    }

    /// Blocks that are promised to data in memory.
    pub fn promised_blocks(&self) -> u64 {
        self.volume.blocks.promised()
    }

    fn with(
        &mut self,
        file: u32,
        work: impl FnOnce(&mut File, &mut Volume) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        match self.files.get_mut(file as usize).and_then(Option::as_mut) {
            Some(state) => work(state, &mut self.volume),
            None => Ok(()),
        }
    }

    /// A stream has one file open: the one before is closed.
    fn turn_to(&mut self, stream: u32, file: u32) {
        if let Some(before) = self.open.turn_to(stream, file) {
            self.closed(before);
        }
    }

    fn close(&mut self, stream: u32) {
        if let Some(file) = self.open.close(stream) {
            self.closed(file);
        }
    }

    /// The last writer has closed a file. The stream may have turned to another already.
    fn closed(&mut self, file: u32) {
        let Some(state) = self.files.get_mut(file as usize).and_then(Option::as_mut) else { return };
        if std::mem::take(&mut state.flushes_at_close) {
            let done = state.write_back(&mut self.volume, Purpose::Data);
            self.refused += u64::from(done.is_err());
        }
        if state.waiting_blocks() == 0 {
            self.volume.release(&state.inode);
        }
    }

    fn is_open(&self, file: u32) -> bool {
        let state = self.files.get(file as usize).and_then(Option::as_ref);
        state.is_some_and(|state| self.open.has(state.stream, file))
    }

    fn create(&mut self, stream: u32, file: u32, size_bytes: u64) -> Result<(), Refused> {
        self.close(stream);
        let home = self.lies_with.get(&stream).copied().unwrap_or(stream);
        let folder = loop {
            match self.fill.with_room(home) {
                Some(folder) => break folder,
                None => self.make_folder(home)?,
            }
        };
        let place = &mut self.folders[folder as usize];
        let inode =
            self.volume.new_file(&mut place.parent, self.writing.tree(self.volume.blocks.block_bytes))?;
        let name = Name::file(file);
        if place.insert(&mut self.volume, file.into(), name.as_c_str().to_bytes()).is_err() {
            self.volume.inodes.give(inode.number);
            return Err(Refused);
        }
        if self.files.len() <= file as usize {
            self.files.resize_with(file as usize + 1, || None);
        }
        self.files[file as usize] = Some(File::new(inode, folder, stream, self.volume.blocks.block_bytes));
        self.fill.add_file(folder);
        self.turn_to(stream, file);
        if size_bytes == 0 {
            return Ok(());
        }
        let done = self.append(file, size_bytes);
        self.close(stream);
        if done.is_err() {
            self.delete(file);
        }
        done
    }

    fn delete(&mut self, file: u32) {
        self.close_file(file);
        let Some(mut state) = self.files.get_mut(file as usize).and_then(Option::take) else { return };
        state.cut(&mut self.volume, 0);
        if let Some(turn) = state.turn {
            self.write_back.remove(turn);
        }
        let name = Name::file(file);
        self.folders[state.folder as usize].remove(file.into(), name.as_c_str().to_bytes());
        self.fill.remove_file(state.folder);
        self.volume.inodes.give(state.inode.number);
    }

    /// One more directory, and first the one that holds it, if that is new.
    fn make_folder(&mut self, stream: u32) -> Result<(), Refused> {
        let index = self.fill.count();
        let path = Name::directory(index);
        let path = path.as_c_str().to_bytes();
        let name = path.rsplit(|letter| *letter == b'/').next().unwrap_or(path);
        let number = (index / FAN_OUT) as usize;
        if let Some(group) = Name::group(index)
            && self.groups.len() < number
        {
            let (key, group) = (GROUP_KEY + number as u64, group.as_c_str().to_bytes());
            let made = Folder::new(&mut self.volume, &mut self.root, key, group, self.seed)?;
            self.groups.push(made);
        }
        let parent = match number.checked_sub(1) {
            None => &mut self.root,
            Some(place) => &mut self.groups[place],
        };
        let made = Folder::new(&mut self.volume, parent, index.into(), name, self.seed)?;
        self.folders.push(made);
        self.fill.add_directory(stream);
        Ok(())
    }
}
