//! A client: a small state machine that gives its next request and takes the answer.
//!
//! A client works on `outstanding` files at a time; each is a *lane*, with one operation at a time. A lane
//! takes a file through the steps of its task, and then takes the next. After an error the file is given up:
//! closed where it is open, and removed where a mix has just begun it. Ten files in a row, a full storage, or a
//! server that cannot be reached again, and the client gives up.

mod listed;
mod mix;
mod sequence;
mod steps;
#[cfg(test)]
mod tests;

use fsgauge_load::Random;
use fsgauge_net::{Answer, Handle, OUT_OF_REACH, Request, kind_of};
use fsgauge_wire::{ClientErrorKind, ClientOperation};
pub(crate) use listed::Listed;
pub(crate) use mix::Made;
pub(crate) use sequence::Sequence;
pub(crate) use steps::Step;

use super::file_set::{FileNumber, PathBuffer, Records};
use super::plan::{Course, Plan, Task};

/// So many files in a row, and a client gives up.
pub(crate) const FAILED_LIMIT: u32 = 10;
/// Choices of a mix are drawn apart from sizes and contents.
const CHOICE_STREAM: u64 = 0xc401_c401_0000_0000;

/// A client: what its lanes share.
#[derive(Debug)]
pub(crate) struct Client {
    pub(crate) number: u32,
    next_file: u32,
    /// How many it has.
    files: u32,
    /// Names that its lists have given.
    pub(crate) names: u64,
    /// None: by number.
    sequence: Option<Box<Sequence>>,
    failed_in_a_row: u32,
    pub(crate) gave_up: bool,
}

impl Client {
    pub(crate) fn new(plan: &Plan, number: u32) -> Self {
        Client::with_files(plan, number, plan.job.files.files_per_client)
    }

    /// One that has so many files.
    pub(crate) fn with_files(plan: &Plan, number: u32, files: u32) -> Self {
        let sequence = Sequence::of(&plan.job, number, files);
        Client { number, next_file: 0, files, names: 0, sequence, failed_in_a_row: 0, gave_up: false }
    }

    /// How many it has.
    pub(crate) fn files(&self) -> u32 {
        self.files
    }

    /// How many it has begun.
    pub(crate) fn begun(&self) -> u32 {
        self.next_file
    }

    /// Has no more than so many from now on.
    pub(crate) fn has_at_most(&mut self, files: u32) {
        self.files = self.files.min(files);
    }

    /// Comes to its files as a directory gives them from now on.
    pub(crate) fn follow(&mut self, listed: Box<Listed>) {
        self.sequence = Some(Box::new(Sequence::Listed(listed)));
    }

    /// Its directory, where it comes to its files as that gives them.
    pub(crate) fn listed(&mut self) -> Option<&mut Listed> {
        match self.sequence.as_deref_mut() {
            Some(Sequence::Listed(listed)) => Some(listed),
            _ => None,
        }
    }

    /// Whether a client of a directory has to read names before it knows its next file.
    #[inline]
    pub(crate) fn is_short_of_names(&self) -> bool {
        self.sequence.as_ref().is_none_or(|sequence| sequence.is_short())
    }

    /// The next file, of which there is one.
    fn take_file(&mut self) -> u32 {
        let position = self.next_file;
        self.next_file += 1;
        self.sequence.as_mut().map_or(position, |sequence| sequence.at(position))
    }
}

/// One file at a time of a client.
#[derive(Debug)]
pub(crate) struct Lane {
    /// Which client of the loop's.
    pub(crate) client: u32,
    /// Which lane of the client's.
    slot: u32,
    file: u32,
    task: Task,
    step: Step,
    handle: Handle,
    size_bytes: u64,
    offset_bytes: u64,
    record_end_bytes: u64,
    made: Made,
    random: Random,
}

/// Where paths of a request are written.
#[derive(Debug)]
pub(crate) struct Paths {
    first: PathBuffer,
    second: PathBuffer,
}

impl Paths {
    pub(crate) fn new() -> Self {
        Paths { first: PathBuffer::new(), second: PathBuffer::new() }
    }
}

/// What an answer did to the operation and to the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) operation: OperationProgress,
    pub(crate) file: FileProgress,
}

/// Whether an operation is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OperationProgress {
    /// The operation continues with another request.
    Pending,
    Done,
    Failed(ClientErrorKind),
}

/// Whether a file (of a mix: an activity) is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileProgress {
    Pending,
    Whole,
    GivenUp,
}

impl Lane {
    /// Lane `slot` of client `number`, which the loop knows as `client`.
    pub(crate) fn new(plan: &Plan, client: u32, number: u32, slot: u32) -> Self {
        let stream = CHOICE_STREAM ^ u64::from(number) << 16 ^ u64::from(slot);
        Lane {
            client,
            slot,
            file: 0,
            task: Task::Stat,
            step: Step::Begin,
            handle: 0,
            size_bytes: 0,
            offset_bytes: 0,
            record_end_bytes: 0,
            made: Made::default(),
            random: Random::new(plan.job.seed, stream),
        }
    }

    /// Random bits for whatever concerns this lane.
    pub(crate) fn random(&mut self) -> &mut Random {
        &mut self.random
    }

    /// Whether there is another file after this one.
    pub(crate) fn has_more(&self, plan: &Plan, client: &Client) -> bool {
        let more = match plan.course {
            Course::Files(_) => client.next_file < client.files,
            Course::Mix(_) => true,
        };
        more && !client.gave_up
    }

    /// What the lane wants next; none when there is no more.
    #[inline(always)]
    pub(crate) fn next<'given>(
        &mut self,
        plan: &Plan,
        client: &mut Client,
        paths: &'given mut Paths,
        records: &'given mut Records,
    ) -> Option<Request<'given>> {
        if self.step == Step::Begin && !self.begin(plan, client) {
            return None;
        }
        Some(self.request(plan, client, paths, records))
    }

    /// Takes the next file; false when there is none.
    #[inline(always)]
    fn begin(&mut self, plan: &Plan, client: &mut Client) -> bool {
        if !self.has_more(plan, client) {
            return false;
        }
        match &plan.course {
            Course::Files(task) => {
                (self.task, self.file) = (*task, client.take_file());
            }
            Course::Mix(draws) => self.draw(plan, draws),
        }
        self.step = Step::first(self.task);
        true
    }

    #[inline(always)]
    fn request<'given>(
        &self,
        plan: &Plan,
        client: &Client,
        paths: &'given mut Paths,
        records: &'given mut Records,
    ) -> Request<'given> {
        let (number, handle) = (self.number(client), self.handle);
        let size_bytes = (self.record_end_bytes - self.offset_bytes) as u32;
        match self.step {
            Step::Write => {
                let data = records.record(&plan.contents, number, self.offset_bytes, size_bytes as usize);
                Request::Write { handle, offset_bytes: self.offset_bytes, data }
            }
            Step::Read => Request::Read { handle, offset_bytes: self.offset_bytes, size_bytes },
            Step::Fsync => Request::Fsync { handle },
            Step::Close | Step::CloseCreated | Step::CloseFailed => Request::Close { handle },
            Step::Create => Request::Create { path: self.written_path(plan, number, &mut paths.first) },
            Step::OpenToWrite => {
                Request::Open { path: plan.names.file(number, &mut paths.first), write: true }
            }
            Step::OpenToRead => {
                Request::Open { path: plan.names.file(number, &mut paths.first), write: false }
            }
            Step::Stat | Step::Begin => Request::Stat { path: plan.names.file(number, &mut paths.first) },
            Step::List => Request::List { path: plan.names.directory_of(number, &mut paths.first) },
            Step::RenameAway => Request::Rename {
                from: plan.names.file(number, &mut paths.first),
                to: plan.names.replacement(number, &mut paths.second),
            },
            Step::Rename => Request::Rename {
                from: plan.names.replacement(number, &mut paths.first),
                to: plan.names.file(number, &mut paths.second),
            },
            Step::Unlink | Step::UnlinkFailed => {
                Request::Unlink { path: self.written_path(plan, number, &mut paths.first) }
            }
        }
    }

    /// What is written: the file itself, or what is to replace it.
    fn written_path<'path>(
        &self,
        plan: &Plan,
        number: FileNumber,
        path: &'path mut PathBuffer,
    ) -> &'path std::ffi::CStr {
        match self.task {
            Task::Save => plan.names.replacement(number, path),
            _ => plan.names.file(number, path),
        }
    }

    /// The file that the lane works on, or has just worked on.
    #[inline]
    pub(crate) fn number(&self, client: &Client) -> FileNumber {
        FileNumber { client: client.number, file: self.file }
    }

    /// Where the record that is asked for begins.
    #[inline]
    pub(crate) fn offset_bytes(&self) -> u64 {
        self.offset_bytes
    }

    /// The operation that is asked for.
    #[inline]
    pub(crate) fn operation(&self) -> ClientOperation {
        self.step.operation()
    }

    /// The path that an operation of this file concerns.
    #[cold]
    pub(crate) fn path(&self, plan: &Plan, client: &Client, operation: ClientOperation) -> String {
        let (number, mut path) = (self.number(client), PathBuffer::new());
        plan.shown(match operation {
            ClientOperation::List => plan.names.directory_of(number, &mut path),
            ClientOperation::Open | ClientOperation::Stat => plan.names.file(number, &mut path),
            _ => self.written_path(plan, number, &mut path),
        })
    }

    /// Takes the answer to what was asked for.
    #[inline(always)]
    pub(crate) fn answer(&mut self, plan: &Plan, client: &mut Client, answer: Answer) -> Progress {
        if answer < 0 && !self.is_gone(answer) {
            client.gave_up |= answer == OUT_OF_REACH;
            return self.failed(client, kind_of(-answer as i32));
        }
        let more_of_file = |operation| Progress { operation, file: FileProgress::Pending };
        match self.step {
            Step::Write | Step::Read => {
                if answer == 0 {
                    return self.failed(client, ClientErrorKind::Short);
                }
                self.offset_bytes += answer as u64;
                if self.offset_bytes < self.record_end_bytes {
                    return more_of_file(OperationProgress::Pending);
                }
                self.next_record(plan);
                more_of_file(OperationProgress::Done)
            }
            Step::Create if self.task == Task::WriteInTwoSteps => {
                (self.handle, self.step) = (answer as Handle, Step::CloseCreated);
                more_of_file(OperationProgress::Pending)
            }
            Step::Create | Step::OpenToWrite | Step::OpenToRead => {
                self.handle = answer as Handle;
                (self.size_bytes, self.offset_bytes) = (plan.size_bytes(self.number(client)), 0);
                self.next_record(plan);
                more_of_file(OperationProgress::Done)
            }
            Step::CloseCreated => {
                self.step = Step::OpenToWrite;
                more_of_file(OperationProgress::Done)
            }
            Step::Fsync => {
                self.step = Step::Close;
                more_of_file(OperationProgress::Done)
            }
            Step::RenameAway => {
                self.step = Step::Rename;
                more_of_file(OperationProgress::Done)
            }
            Step::Close if self.task == Task::Save => {
                self.step = Step::Rename;
                more_of_file(OperationProgress::Done)
            }
            Step::CloseFailed if self.leaves_behind() => {
                self.step = Step::UnlinkFailed;
                more_of_file(OperationProgress::Done)
            }
            Step::CloseFailed | Step::UnlinkFailed => {
                Progress { operation: OperationProgress::Done, file: self.given_up(client) }
            }
            Step::List => {
                client.names += answer as u64;
                self.whole(client)
            }
            Step::Close | Step::Rename | Step::Stat | Step::Unlink | Step::Begin => self.whole(client),
        }
    }

    #[inline(always)]
    fn whole(&mut self, client: &mut Client) -> Progress {
        client.failed_in_a_row = 0;
        self.made.whole(self.task);
        self.step = Step::Begin;
        Progress { operation: OperationProgress::Done, file: FileProgress::Whole }
    }

    /// The step after a record, or after the file was opened.
    #[inline]
    fn next_record(&mut self, plan: &Plan) {
        let writes = self.task != Task::Read;
        if self.offset_bytes < self.size_bytes {
            let record_end_bytes = self.offset_bytes + u64::from(plan.job.files.record_size_bytes);
            self.record_end_bytes = record_end_bytes.min(self.size_bytes);
            self.step = if writes { Step::Write } else { Step::Read };
        } else {
            self.step = if writes && plan.job.fsync { Step::Fsync } else { Step::Close };
        }
    }

    /// Whether a file that is to be cleared away is not there.
    #[cold]
    fn is_gone(&self, answer: Answer) -> bool {
        self.task == Task::Clear && kind_of(-answer as i32) == ClientErrorKind::Missing
    }

    #[cold]
    fn failed(&mut self, client: &mut Client, kind: ClientErrorKind) -> Progress {
        client.gave_up |= matches!(kind, ClientErrorKind::NoSpace | ClientErrorKind::Quota);
        if self.step == Step::Create && kind == ClientErrorKind::Exists {
            self.made.in_the_way(self.task);
        }
        self.step = self.step.after_failure(self.leaves_behind());
        let file = if self.step == Step::Begin { self.given_up(client) } else { FileProgress::Pending };
        Progress { operation: OperationProgress::Failed(kind), file }
    }

    fn given_up(&mut self, client: &mut Client) -> FileProgress {
        self.step = Step::Begin;
        client.failed_in_a_row += 1;
        client.gave_up |= client.failed_in_a_row >= FAILED_LIMIT;
        self.made.given_up(self.task);
        FileProgress::GivenUp
    }

    /// Whether a file that is given up is removed: it belongs to no set.
    fn leaves_behind(&self) -> bool {
        matches!(self.task, Task::Make | Task::Save)
    }

    /// Gives up what is under way, because the time is up: only what tidies up is asked for now, until the lane
    /// is idle. Nothing that it has asked for is unanswered.
    pub(crate) fn abandon(&mut self) {
        self.step = self.step.after_abandoning(self.leaves_behind());
    }

    /// Whether nothing is left to be tidied up.
    pub(crate) fn is_idle(&self) -> bool {
        self.step == Step::Begin
    }
}
