//! The files of a set that belong to one job: which there are, how long they are, and their directories.

use std::sync::Arc;

use fsgauge_door::Folder;
use fsgauge_wire::{Failure, LoadJob, Target};

use super::names::{directories, directory_name, write_name};
use crate::file_sizes::SizeLaw;
use crate::random::Random;
use crate::target::{Geometry, open_failure};

/// Sizes and what jobs do are drawn apart.
const SIZE_STREAM: u64 = 0x512e_512e_512e_512e;

/// One file of a job.
#[derive(Debug, Clone, Copy)]
pub(crate) struct File {
    pub(crate) number: u32,
    /// As the set has it, and as it is now.
    pub(crate) set_bytes: u64,
    pub(crate) size_bytes: u64,
    pub(crate) is_there: bool,
    pub(crate) has_second_name: bool,
}

/// A job's files, and the directories of the whole set.
pub(crate) struct FileSet {
    pub(crate) files: Vec<File>,
    directories: Vec<Folder>,
    name: String,
    second: String,
}

/// The law of a set's sizes; without one all have the target's.
pub(crate) fn size_of(load: &LoadJob) -> impl Fn(u32) -> u64 + use<> {
    let law = load.file_sizes.as_ref().map(SizeLaw::new);
    let (seed, equal_bytes) = (load.seed ^ SIZE_STREAM, Geometry::of(&load.target).file_size_bytes);
    move |number| match &law {
        Some(law) => law.size_bytes(u64::from(number), || Random::new(seed, u64::from(number))),
        None => equal_bytes,
    }
}

/// The directories of a set, which are there.
pub(crate) fn enter_directories(target: &Target, folder: &Folder) -> Result<Vec<Folder>, Failure> {
    let Target::Files { prefix, count, .. } = target else { return Ok(Vec::new()) };
    let enter = |directory| {
        let path = folder.path().join(directory_name(prefix, directory));
        let flags = rustix::fs::OFlags::DIRECTORY | rustix::fs::OFlags::RDONLY;
        let opened = folder.open(folder.name_of(&path), flags, rustix::fs::Mode::empty());
        let opened = opened.map_err(|errno| open_failure(&path, errno, false))?;
        Ok(Folder::passed_on(&path, opened))
    };
    (0..directories(*count)).map(enter).collect()
}

impl FileSet {
    /// Of job `job`: every `jobs`-th file from its number on.
    pub(crate) fn enter(
        load: &LoadJob,
        job: u32,
        target: &Target,
        folder: &Arc<Folder>,
    ) -> Result<Self, Failure> {
        let size_of = size_of(load);
        let file = |number| {
            let size_bytes = size_of(number);
            let (set_bytes, is_there, has_second_name) = (size_bytes, true, false);
            File { number, set_bytes, size_bytes, is_there, has_second_name }
        };
        let count = Geometry::of(&load.target).files;
        let files = (job..count).step_by(load.jobs as usize).map(file).collect();
        let directories = enter_directories(target, folder)?;
        Ok(FileSet { files, directories, name: String::new(), second: String::new() })
    }

    /// The directory of a file, and its name there.
    pub(crate) fn at(&mut self, index: usize) -> (&Folder, &str) {
        let file = self.files[index];
        write_name(&mut self.name, file.number, file.has_second_name);
        (&self.directories[file.number as usize % self.directories.len()], &self.name)
    }

    /// The same with the name that it does not have now.
    pub(crate) fn both_names(&mut self, index: usize) -> (&Folder, &str, &str) {
        let file = self.files[index];
        write_name(&mut self.name, file.number, file.has_second_name);
        write_name(&mut self.second, file.number, !file.has_second_name);
        (&self.directories[file.number as usize % self.directories.len()], &self.name, &self.second)
    }
}
