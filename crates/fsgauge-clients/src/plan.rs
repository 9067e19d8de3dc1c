//! What all clients of a job share: the file set, and what is done with it. Read only.

use fsgauge_wire::{Activity, ClientsJob, ClientsTarget, Create, Dispatch, Phase};

use super::file_set::{Contents, FileNumber, Names, Records, Sizes};

/// The plan of a job.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) job: ClientsJob,
    pub(crate) names: Names,
    pub(crate) sizes: Sizes,
    pub(crate) contents: Contents,
    pub(crate) course: Course,
    /// Reads on nothing are compared with records made for it: nothing has no memory.
    pub(crate) makes_reads: bool,
}

/// What clients do with their files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Course {
    /// The same to every file, one after the other.
    Files(Task),
    /// One activity after the other.
    Mix(Draws),
}

/// What is done to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Created, written, closed.
    Write,
    /// Created and closed, opened, written, closed.
    WriteInTwoSteps,
    /// One more file of a mix is created, written and closed.
    Make,
    /// Written again beside itself and renamed over.
    Save,
    Read,
    Stat,
    /// Given another name, and its own again.
    Rename,
    /// Its directory is listed.
    List,
    Unlink,
    /// Removed, if it is there.
    Clear,
    /// A file that the mix made is removed.
    Drop,
}

/// The activities of a mix, by weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Draws {
    /// Draws below the first number that are not below the one before it mean the task.
    tasks: Vec<(u64, Task)>,
}

impl Task {
    fn writes(self) -> bool {
        match self {
            Task::Write | Task::WriteInTwoSteps | Task::Make | Task::Save => true,
            Task::Read | Task::Stat | Task::Rename | Task::List | Task::Unlink | Task::Clear | Task::Drop => {
                false
            }
        }
    }
}

impl Course {
    fn writes(&self) -> bool {
        match self {
            Course::Files(task) => task.writes(),
            Course::Mix(draws) => draws.tasks.iter().any(|(_, task)| task.writes()),
        }
    }
}

impl Draws {
    /// The task for a draw of 64 random bits.
    #[inline]
    pub(crate) fn task(&self, draw: u64) -> Task {
        let total = self.tasks.last().map_or(0, |(end, _)| *end);
        let draw = ((u128::from(draw) * u128::from(total)) >> 64) as u64;
        self.tasks.iter().find(|(end, _)| draw < *end).map_or(Task::Stat, |(_, task)| *task)
    }

    /// What is done where there is nothing to remove, however often is drawn.
    pub(crate) fn instead_of_drop(&self) -> Task {
        self.tasks.iter().map(|(_, task)| *task).find(|task| *task != Task::Drop).unwrap_or(Task::Stat)
    }
}

impl Plan {
    /// The plan of a job that has been checked.
    pub(crate) fn new(job: &ClientsJob) -> Self {
        Plan {
            names: Names::new(&job.files),
            sizes: Sizes::new(&job.files, job.seed),
            contents: Contents::new(job.data, job.seed),
            course: course(&job.phase),
            makes_reads: job.verify && matches!(job.target, ClientsTarget::Null {}),
            job: job.clone(),
        }
    }

    /// Where the records of one event loop, or of a client's thread, come from.
    pub(crate) fn records(&self) -> Records {
        let record_size_bytes = self.job.files.record_size_bytes;
        if !self.makes_reads && !self.course.writes() {
            return Records::none();
        }
        match self.job.dispatch {
            Dispatch::EventLoop => Records::in_place(&self.contents, record_size_bytes),
            // Thousands of threads with a pool each would take gigabytes.
            Dispatch::Threads => Records::copied(&self.contents, record_size_bytes),
        }
    }

    pub(crate) fn size_bytes(&self, number: FileNumber) -> u64 {
        self.sizes.size_bytes(number)
    }

    /// A path below the target, as a person knows it.
    pub(crate) fn shown(&self, path: &std::ffi::CStr) -> String {
        let path = path.to_string_lossy();
        match &self.job.target {
            ClientsTarget::Null {} => path.into_owned(),
            ClientsTarget::Path { directory } => format!("{}/{path}", directory.trim_end_matches('/')),
            ClientsTarget::Smb(smb) => format!("//{}/{}/{}/{path}", smb.host, smb.share, smb.directory),
            ClientsTarget::Nfs(nfs) => format!("{}:{}/{}/{path}", nfs.host, nfs.export, nfs.directory),
        }
    }
}

fn course(phase: &Phase) -> Course {
    match phase {
        Phase::Write { create: Create::AndWrite } => Course::Files(Task::Write),
        Phase::Write { create: Create::ThenOpen } => Course::Files(Task::WriteInTwoSteps),
        Phase::Read {} | Phase::Backup { .. } => Course::Files(Task::Read),
        Phase::Stat {} => Course::Files(Task::Stat),
        Phase::Rename {} => Course::Files(Task::Rename),
        Phase::List {} => Course::Files(Task::List),
        Phase::Delete {} => Course::Files(Task::Unlink),
        Phase::Clear {} => Course::Files(Task::Clear),
        Phase::Mix { activities } => {
            let mut end = 0;
            let tasks = activities.iter().map(|weighted| {
                end += u64::from(weighted.weight);
                (end, task(weighted.activity))
            });
            Course::Mix(Draws { tasks: tasks.collect() })
        }
    }
}

fn task(activity: Activity) -> Task {
    match activity {
        Activity::Read => Task::Read,
        Activity::Create => Task::Make,
        Activity::Save => Task::Save,
        Activity::Delete => Task::Drop,
        Activity::Stat => Task::Stat,
        Activity::List => Task::List,
    }
}
