//! Operations on the files of a set, drawn by weight, one call at a time: a job's loop and what it works on.

mod calls;
mod counted;
mod draws;
mod file_set;
mod lay_out;
mod mapped;
mod names;
mod run;

pub(crate) use lay_out::lay_out_set;

use std::sync::Arc;

use fsgauge_door::Folder;
use fsgauge_wire::{Failure, FileOperation, LoadJob, Target};

use crate::instruments::Clock;
use crate::random::Random;
use crate::target::Ground;
use calls::FileCalls;
use draws::Draws;
use file_set::FileSet;

/// Streams of random numbers from here on belong to what jobs draw from their sets.
const DRAW_STREAM: u64 = 3 << 32;

/// One job's loop over its part of a file set.
pub(crate) struct FileLoop {
    job: u32,
    draws: Draws,
    random: Random,
    work: Work,
}

/// What operations are carried out on.
enum Work {
    /// Nothing: each succeeds at once.
    Nothing {
        block_size_bytes: u32,
    },
    Files(Box<FileCalls>),
}

/// What an operation did.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Done {
    size_bytes: u64,
    /// Whether a full file system refused it.
    refused: bool,
    /// How long its own calls of open and close took; 0 where it made none.
    open_ns: u64,
    close_ns: u64,
}

impl FileLoop {
    /// Enters the folders of the set. The files are there: a mix lays them out.
    pub(crate) fn prepare(load: &LoadJob, job: u32, ground: &Ground) -> Result<Self, Failure> {
        let work = match (&load.target, ground.folder()) {
            (Target::Null { .. }, _) | (_, None) => return Self::on_nothing(load),
            (target, Some(folder)) => Work::Files(Box::new(Self::calls(load, job, target, folder)?)),
        };
        Ok(FileLoop { work, ..Self::of(load, job) })
    }

    fn calls(load: &LoadJob, job: u32, target: &Target, folder: &Arc<Folder>) -> Result<FileCalls, Failure> {
        FileCalls::new(load, job, FileSet::enter(load, job, target, folder)?)
    }

    /// The same without files.
    pub(crate) fn on_nothing(load: &LoadJob) -> Result<Self, Failure> {
        Ok(Self::of(load, 0))
    }

    fn of(load: &LoadJob, job: u32) -> Self {
        FileLoop {
            job,
            draws: Draws::new(&load.operations),
            random: Random::new(load.seed, DRAW_STREAM + u64::from(job)),
            work: Work::Nothing { block_size_bytes: load.largest_block_bytes() },
        }
    }
}

impl Work {
    /// Carries an operation out; none where no file lets it be done now.
    #[inline]
    fn carry_out(
        &mut self,
        operation: FileOperation,
        random: &mut Random,
        clock: &Clock,
    ) -> Result<Option<Done>, Failure> {
        match self {
            Work::Nothing { block_size_bytes } => {
                // Where it would be done is drawn all the same.
                std::hint::black_box(random.next());
                Ok(Some(Done { size_bytes: u64::from(*block_size_bytes), ..Done::default() }))
            }
            Work::Files(files) => files.carry_out(operation, random, clock),
        }
    }
}
