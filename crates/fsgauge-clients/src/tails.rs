//! Tails: what lies behind the end of a client's file, where nothing may lie.
//!
//! A client reads its files as long as they must be, so it never sees what was appended to one. After a phase that
//! reads and compares, when all times are taken, each file is asked for its size.

use std::ffi::{CStr, CString};
use std::path::Path;
use std::time::{Duration, Instant};

use fsgauge_net::{Answer, Housekeeper, Request, Started, Target, admit, ask};
use fsgauge_wire::{BadRecord, ClientsJob, ClientsTarget, LoadResult, Note, Outcome, Phase, Stop};

use super::file_set::{FileNumber, PathBuffer};
use super::plan::Plan;
use super::target::PlainTarget;
use crate::clients_tally::BAD_LIMIT;
use crate::server::{Server, directory_of};

/// How long it may take; then a note says how many files were not asked.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// Looks for tails after a job, and adds those that it finds to its bad records. A backup on this machine reads files
/// to where they end and has seen them.
pub(crate) fn look_for_tails(plan: &Plan, server: Option<&Server>, result: &mut LoadResult, stop: &Stop) {
    let job = &plan.job;
    let clients = match (&job.phase, server) {
        (Phase::Read {} | Phase::Mix { .. }, _) if job.verify => job.clients,
        (Phase::Backup { .. }, Some(_)) if job.verify => job.files.clients,
        _ => return,
    };
    let all = u64::from(clients) * u64::from(job.files.files_per_client);
    let mut sizes = match SizesThere::of(job, server, stop) {
        Ok(Some(sizes)) => sizes,
        Ok(None) => return,
        // A server may have no room for one more session; what was measured is whole all the same.
        Err(failure) => return result.notes.push(not_asked(all, &failure.what)),
    };
    let Some(found) = result.clients.as_mut() else { return };
    let (begin, mut path) = (Instant::now(), PathBuffer::new());
    let of_client =
        |client: u32| (0..job.files.files_per_client).map(move |file| FileNumber { client, file });
    for (asked, number) in (0..clients).flat_map(of_client).enumerate() {
        if begin.elapsed() > TIME_LIMIT || stop.is_set() {
            let why = if stop.is_set() { "the run was ended" } else { "it took a minute" };
            return result.notes.push(not_asked(all - asked as u64, why));
        }
        let (name, end_bytes) = (plan.names.file(number, &mut path), plan.size_bytes(number));
        // A file that is gone, or that cannot be asked, was an error when it was read.
        if sizes.size_bytes(name, stop) > end_bytes as Answer {
            found.bad_records += 1;
            if found.bad.len() < BAD_LIMIT {
                let path = plan.shown(name);
                found.bad.push(BadRecord { path, offset_bytes: end_bytes, first_byte: end_bytes });
            }
        }
    }
}

/// What says how large files are.
enum SizesThere {
    Here(Box<PlainTarget>),
    OnServer { session: Box<dyn Housekeeper>, root: String },
}

impl SizesThere {
    /// Of the files of a job; none of the null target.
    fn of(job: &ClientsJob, server: Option<&Server>, stop: &Stop) -> Outcome<Option<Self>> {
        if let ClientsTarget::Path { directory } = &job.target {
            let target = PlainTarget::new(Path::new(directory), job.files.record_size_bytes)?;
            return Ok(Some(SizesThere::Here(Box::new(target))));
        }
        let Some(server) = server else { return Ok(None) };
        let mut session = server.access.housekeeper(job.files.record_size_bytes)?;
        admit(session.as_mut(), stop)?;
        Ok(Some(SizesThere::OnServer { session, root: directory_of(&job.target).into() }))
    }

    /// The size of a file of the set, or an error.
    fn size_bytes(&mut self, name: &CStr, stop: &Stop) -> Answer {
        match self {
            SizesThere::Here(target) => match target.start(0, &Request::Stat { path: name }) {
                Started::Done(answer) => answer,
                Started::Pending => 0,
            },
            SizesThere::OnServer { session, root } => {
                let path = CString::new(format!("{root}/{}", name.to_string_lossy())).unwrap_or_default();
                ask(session.as_mut(), &Request::Stat { path: &path }, stop).unwrap_or(0)
            }
        }
    }
}

fn not_asked(files: u64, why: &str) -> Note {
    let text = format!(
        "{files} files were not asked for their size, so what was appended to them is not known: {why}"
    );
    Note { code: "clients.tails_unknown".into(), text }
}
