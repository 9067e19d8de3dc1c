//! The backup of what lies on a server: one session, which lists each directory of the file set and reads, to its
//! end, every file of a client's that the listing names, before the next directory.
//!
//! A file's size is known by the formula, as an operating system's client knows it from opening: no read asks for
//! what is behind the end. A block that is more than the server gives at a time comes in several reads.

use std::ffi::CString;
use std::time::Duration;

use fsgauge_load::instruments::RunQueue;
use fsgauge_load::instruments::cpu::thread_user_system_ns;
use fsgauge_net::{Answer, ControlSession, Handle, Request, Traffic, admit, ask};
use fsgauge_wire::{BadRecord, ClientOperation, ClientsJob, Cpu, Ended, Outcome, Stop};
use rustix::io::Errno;

use super::check::BackupPlan;
use super::outcome::{BackupOutcome, OverNetwork};
use super::stopwatch::Stopwatch;
use super::verify::Verifier;
use crate::file_set::{Directory, FileNumber, Names, PathBuffer, Sizes, directories};
use crate::result::network;
use crate::server::{Server, directory_of, shown};

/// How often in a row a server may ask to retry later, and the delay each time.
const RETRY_LIMIT: u32 = 100;
const PATIENCE: Duration = Duration::from_millis(50);

/// The session that reads, and what it knows of the file set.
pub(super) struct ServerReader {
    session: Box<dyn ControlSession>,
    server: Server,
    job: ClientsJob,
    block_size_bytes: u32,
    names: Names,
    sizes: Sizes,
    verifier: Option<Verifier>,
    stop: Stop,
    before: Traffic,
    found: Found,
}

#[derive(Debug, Default)]
struct Found {
    files: u64,
    directories: u64,
    listing_ns: u64,
    strangers: u64,
}

/// What an operation came to.
enum Came {
    /// Its answer, which is no error.
    Answer(u64),
    Failed,
    OperationProgress(Ended),
}

/// Goes on with an answer, or returns what else it came to.
macro_rules! answer_or {
    ($came:expr, $failed:expr) => {
        match $came {
            Came::Answer(answer) => answer,
            Came::Failed => return $failed,
            Came::OperationProgress(ended) => return Some(ended),
        }
    };
}

impl ServerReader {
    /// Reaches the server of a job and lets the reading session in.
    pub(super) fn new(job: &ClientsJob, plan: &BackupPlan, server: Server, stop: Stop) -> Outcome<Self> {
        let mut session = server.access.control_session(plan.block_size_bytes)?;
        admit(session.as_mut(), &stop)?;
        Ok(ServerReader {
            before: session.traffic().unwrap_or_default(),
            session,
            server,
            job: job.clone(),
            block_size_bytes: plan.block_size_bytes,
            names: Names::new(&job.files),
            sizes: Sizes::new(&job.files, job.seed),
            verifier: Verifier::of(job),
            stop,
            found: Found::default(),
        })
    }

    /// Backs the file set up.
    pub(super) fn back_up(mut self, mut watch: Stopwatch) -> Outcome<BackupOutcome> {
        let ((user_ns, system_ns), run_queue) = (thread_user_system_ns(), RunQueue::of_thread());
        let ended = self.read_all(&mut watch).unwrap_or(Ended::SizeLimit);
        let timed = watch.finish();
        let (user_end_ns, system_end_ns) = thread_user_system_ns();
        let cpu = Cpu { user_ns: user_end_ns - user_ns, system_ns: system_end_ns - system_ns, threads: 1 };
        let traffic = self.session.traffic().unwrap_or_default().since(self.before);
        let over_network =
            OverNetwork { network: network(&self.server, traffic), calls: self.session.calls() };
        Ok(BackupOutcome {
            files: self.found.files,
            directories: self.found.directories,
            left_out: 0,
            listing_ns: self.found.listing_ns,
            extents: None,
            ended,
            timed,
            changed_access_times: false,
            unchecked_files: 0,
            strangers: self.found.strangers,
            cpu,
            starved_ns: run_queue.waited_ns(),
            over_network: Some(over_network),
            common_start: None,
        })
    }

    /// Directory after directory; why it ended before the last.
    fn read_all(&mut self, watch: &mut Stopwatch) -> Option<Ended> {
        let mut path = PathBuffer::new();
        let root = directory_of(&self.job.target).to_owned();
        for which in directories(&self.job.files, self.job.files.clients) {
            let directory = format!("{root}/{}", self.names.directory(which, &mut path).to_string_lossy());
            if let Some(ended) = self.read_directory(which, &directory, watch) {
                return Some(ended);
            }
        }
        None
    }

    fn read_directory(&mut self, which: Directory, directory: &str, watch: &mut Stopwatch) -> Option<Ended> {
        let (path, begin_ns) = (c_path(directory), watch.begin());
        let request = Request::List { path: &path };
        let names = answer_or!(self.ask(ClientOperation::List, &request, directory, watch), None);
        self.found.directories += 1;
        self.found.listing_ns += watch.begin() - begin_ns;
        let files: Vec<String> =
            self.session.names().iter().filter(|name| number_of(name).is_some()).cloned().collect();
        self.found.files += files.len() as u64;
        if self.has_files(which) {
            self.found.strangers += names.saturating_sub(files.len() as u64);
        }
        files.iter().find_map(|name| self.read_file(&format!("{directory}/{name}"), number_of(name)?, watch))
    }

    /// Whether clients have files in it: a shared tree has them in its lowest directories.
    fn has_files(&self, which: Directory) -> bool {
        match (which, &self.job.files.tree) {
            (Directory::Shared { level, .. }, fsgauge_wire::Tree::Shared { depth, .. }) => level == *depth,
            _ => true,
        }
    }

    fn read_file(&mut self, shown: &str, number: FileNumber, watch: &mut Stopwatch) -> Option<Ended> {
        let path = c_path(shown);
        let request = Request::Open { path: &path, write: false };
        let handle = match self.ask(ClientOperation::Open, &request, shown, watch) {
            Came::Answer(handle) => handle,
            Came::Failed => {
                watch.tally.files_given_up += 1;
                return None;
            }
            Came::OperationProgress(ended) => return Some(ended),
        };
        let (is_whole, ended) = self.read_contents(handle, shown, number, watch);
        let closed = self.ask_on(ClientOperation::Close, &Request::Close { handle }, shown, watch);
        match (is_whole, closed) {
            (true, Came::Answer(_)) => watch.tally.files += 1,
            (false, Came::Answer(_)) | (_, Came::Failed) if ended.is_none() => {
                watch.tally.files_given_up += 1
            }
            (_, Came::OperationProgress(over)) => return Some(ended.unwrap_or(over)),
            _ => {}
        }
        ended
    }

    /// Reads to the end; whether it is whole, and why the backup is over.
    fn read_contents(
        &mut self,
        handle: Handle,
        shown: &str,
        number: FileNumber,
        watch: &mut Stopwatch,
    ) -> (bool, Option<Ended>) {
        let (end_bytes, mut offset_bytes) = (self.sizes.size_bytes(number), 0);
        while offset_bytes < end_bytes {
            let size_bytes = (end_bytes - offset_bytes).min(self.block_size_bytes.into()) as u32;
            let request = Request::Read { handle, offset_bytes, size_bytes };
            let length = match self.ask(ClientOperation::Read, &request, shown, watch) {
                Came::Answer(0) => {
                    let missing_bytes = end_bytes - offset_bytes;
                    let message = format!("it ends after {offset_bytes} bytes, {missing_bytes} too early");
                    watch.short(|| (self.shown(shown), message));
                    return (false, None);
                }
                Came::Answer(length) => length,
                Came::Failed => return (false, None),
                Came::OperationProgress(ended) => return (false, Some(ended)),
            };
            self.compare(number, offset_bytes, length as usize, shown, watch);
            offset_bytes += length;
        }
        (true, None)
    }

    fn compare(
        &self,
        number: FileNumber,
        offset_bytes: u64,
        length: usize,
        shown: &str,
        watch: &mut Stopwatch,
    ) {
        let Some(verifier) = &self.verifier else { return };
        let block = &self.session.incoming(0)[..length];
        watch.aside(|tally| {
            tally.checked_records += 1;
            if let Some(first_byte) = verifier.first_difference(number, offset_bytes, block) {
                tally.bad_record(|| BadRecord { path: self.shown(shown), offset_bytes, first_byte });
            }
        });
    }

    /// One operation, timed, unless the backup is over.
    fn ask(
        &mut self,
        operation: ClientOperation,
        request: &Request<'_>,
        shown: &str,
        watch: &mut Stopwatch,
    ) -> Came {
        match watch.over() {
            Some(ended) => Came::OperationProgress(ended),
            None => self.ask_on(operation, request, shown, watch),
        }
    }

    /// One operation, timed, also when the time is up.
    fn ask_on(
        &mut self,
        operation: ClientOperation,
        request: &Request<'_>,
        shown: &str,
        watch: &mut Stopwatch,
    ) -> Came {
        for _ in 0..RETRY_LIMIT {
            let begin_ns = watch.begin();
            // That the kernel does not wait for sockets any more ends what hangs on them.
            let answer = ask(self.session.as_mut(), request, &self.stop);
            let answer = answer.unwrap_or(-Answer::from(libc::ECONNABORTED));
            if answer >= 0 {
                let size_bytes = if operation == ClientOperation::Read { answer as u64 } else { 0 };
                match (operation, answer) {
                    // It only found the end.
                    (ClientOperation::Read, 0) => watch.spent(begin_ns),
                    _ => watch.done(operation, begin_ns, size_bytes),
                }
                return Came::Answer(answer as u64);
            }
            if self.stop.is_set() {
                watch.spent(begin_ns);
                return Came::OperationProgress(Ended::Interrupted);
            }
            let errno = Errno::from_raw_os_error(-answer as i32);
            if !matches!(errno, Errno::AGAIN | Errno::INTR) {
                watch.failed(operation, begin_ns, errno, || self.shown(shown));
                return Came::Failed;
            }
            watch.retry(begin_ns);
            std::thread::sleep(PATIENCE);
            if let Some(ended) = watch.over() {
                return Came::OperationProgress(ended);
            }
        }
        watch.failed(operation, watch.begin(), Errno::AGAIN, || self.shown(shown));
        Came::Failed
    }

    /// A path below the share or the export, as a person knows it.
    fn shown(&self, path: &str) -> String {
        shown(&self.job, path)
    }
}

fn number_of(name: &str) -> Option<FileNumber> {
    FileNumber::of_name(name.as_bytes())
}

/// Jobs whose paths have a zero in them are refused, and no server names one.
fn c_path(path: &str) -> CString {
    CString::new(path).unwrap_or_default()
}
