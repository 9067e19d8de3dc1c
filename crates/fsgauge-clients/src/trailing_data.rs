//! Trailing data: bytes beyond the expected end of a client's file.
//!
//! A client reads each file up to its expected size and never sees what was appended. After a phase that reads and
//! verifies, when all timing is done, the size of each file is checked.

use std::ffi::{CStr, CString};
use std::time::Duration;

use fsgauge_door::Folder;
use fsgauge_net::{Answer, BESIDE_LIMIT, ControlSession, Request, Started, Target, Waiting, admit, ask};
use fsgauge_wire::{BadRecord, ClientsJob, LoadResult, Note, Outcome, Phase, Stop};

use super::file_set::{FileNumber, PathBuffer};
use super::plan::Plan;
use super::target::PlainTarget;
use crate::clients_tally::BAD_LIMIT;
use crate::server::{Server, directory_of};

/// How long it may take; then a note gives the number of files not checked.
const TIME_LIMIT: Duration = BESIDE_LIMIT;

/// Checks for trailing data after a job, and adds what it finds to the bad records. A backup on this machine reads
/// files to their end and has already seen it.
pub(crate) fn check_for_trailing_data(
    plan: &Plan,
    (server, folder): (Option<&Server>, Option<&Folder>),
    result: &mut LoadResult,
    stop: &Stop,
) {
    let job = &plan.job;
    let clients = match (&job.phase, server) {
        (Phase::Read {} | Phase::Mix { .. }, _) if job.verify => job.clients,
        (Phase::Backup { .. }, Some(_)) if job.verify => job.files.clients,
        _ => return,
    };
    let all = u64::from(clients) * u64::from(job.files.files_per_client);
    let waiting = Waiting::within(TIME_LIMIT, stop);
    let mut sizes = match FileSizes::of(job, (server, folder), &waiting) {
        Ok(Some(sizes)) => sizes,
        Ok(None) => return,
        // A server may refuse one more session; the measurement is complete without it.
        Err(failure) => return result.notes.push(not_asked(all, &failure.what)),
    };
    let Some(found) = result.clients.as_mut() else { return };
    let mut path = PathBuffer::new();
    let of_client =
        |client: u32| (0..job.files.files_per_client).map(move |file| FileNumber { client, file });
    for (asked, number) in (0..clients).flat_map(of_client).enumerate() {
        if waiting.is_over() || stop.is_set() {
            let why = if stop.is_set() { "the run was stopped" } else { "the limit of 30 s was reached" };
            return result.notes.push(not_asked(all - asked as u64, why));
        }
        let (name, end_bytes) = (plan.names.file(number, &mut path), plan.size_bytes(number));
        // A missing or unreadable file was an error when it was read.
        if sizes.size_bytes(name, &waiting) > end_bytes as Answer {
            found.bad_records += 1;
            if found.bad.len() < BAD_LIMIT {
                let path = plan.shown(name);
                found.bad.push(BadRecord { path, offset_bytes: end_bytes, first_byte: end_bytes });
            }
        }
    }
}

/// Where file sizes come from.
enum FileSizes {
    Local(Box<PlainTarget>),
    OnServer { session: Box<dyn ControlSession>, root: String },
}

impl FileSizes {
    /// Of the files of a job; none of the null target.
    fn of(
        job: &ClientsJob,
        (server, folder): (Option<&Server>, Option<&Folder>),
        waiting: &Waiting,
    ) -> Outcome<Option<Self>> {
        if let Some(folder) = folder {
            let target = PlainTarget::new(folder, job.files.record_size_bytes)?;
            return Ok(Some(FileSizes::Local(Box::new(target))));
        }
        let Some(server) = server else { return Ok(None) };
        let mut session = server.access.control_session(job.files.record_size_bytes)?;
        admit(session.as_mut(), waiting)?;
        Ok(Some(FileSizes::OnServer { session, root: directory_of(&job.target).into() }))
    }

    /// The size of a file of the set, or an error.
    fn size_bytes(&mut self, name: &CStr, waiting: &Waiting) -> Answer {
        match self {
            FileSizes::Local(target) => match target.start(0, &Request::Stat { path: name }) {
                Started::Done(answer) => answer,
                Started::Pending => 0,
            },
            FileSizes::OnServer { session, root } => {
                let path = CString::new(format!("{root}/{}", name.to_string_lossy())).unwrap_or_default();
                ask(session.as_mut(), &Request::Stat { path: &path }, waiting).unwrap_or(0)
            }
        }
    }
}

fn not_asked(files: u64, why: &str) -> Note {
    let text =
        format!("the size of {files} files was not checked, so data appended to them is not detected: {why}");
    Note { code: "clients.tails_unknown".into(), text }
}
