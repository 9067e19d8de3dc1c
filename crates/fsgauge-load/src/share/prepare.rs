//! The first session: whether the server lets this user in, and whether the target's files are as they have to be.

use std::ffi::CStr;

use fsgauge_net::{Access, Answer, Handle, Housekeeper, Request, admit, ask, make_directories, wait_failure};
use fsgauge_wire::{Failure, Note, Outcome, ShareTarget, Stop, Target};

use super::failure::{file_failure, no_share};
use crate::target::{Geometry, path_in, shown};

/// What files have to be before jobs open them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Files {
    /// There, and as large as the target says.
    Whole,
    /// There; what is missing is made, in directories that are made.
    Made,
    /// New and empty: what is there is removed.
    Emptied,
}

/// Sees to the target's files. The notes say by which protocol, and what was made.
pub(crate) fn prepare(access: &Access, target: &Target, wanted: Files, stop: &Stop) -> Outcome<Vec<Note>> {
    let share = target.share().ok_or_else(no_share)?;
    let mut session = access.housekeeper(0)?;
    admit(session.as_mut(), stop)?;
    let mut notes = vec![protocol_note(session.as_ref(), access)];
    if wanted != Files::Whole {
        make_directories(session.as_mut(), share.directory(), access.address(), stop)?;
    }
    let mut first_made = None;
    for number in 0..Geometry::of(target).files {
        let mut file = File { session: session.as_mut(), share, target, number, stop };
        let is_made = file.see_to(wanted)?;
        first_made = first_made.or(is_made.then_some(number));
    }
    if let Some(number) = first_made.filter(|_| wanted == Files::Made) {
        let path = shown(share, target, number);
        let text = format!("the load only writes, so missing files are made: {} and so on", path.display());
        notes.push(Note { code: "target.created".into(), text });
    }
    Ok(notes)
}

fn protocol_note(session: &dyn Housekeeper, access: &Access) -> Note {
    let text = format!("through {} at {}", session.protocol(), access.address());
    Note { code: "share.protocol".into(), text }
}

/// A file, as the first session has it before it.
struct File<'a> {
    session: &'a mut dyn Housekeeper,
    share: &'a ShareTarget,
    target: &'a Target,
    number: u32,
    stop: &'a Stop,
}

impl File<'_> {
    /// Makes it what it has to be; whether it was made.
    fn see_to(&mut self, wanted: Files) -> Outcome<bool> {
        let path = path_in(self.share, self.target, self.number);
        let missing = -Answer::from(libc::ENOENT);
        if wanted == Files::Emptied {
            match self.ask(&Request::Unlink { path: &path })? {
                answer if answer < 0 && answer != missing => return Err(self.failure("emptied", answer)),
                _ => return self.make(&path).map(|()| true),
            }
        }
        match self.ask(&Request::Stat { path: &path })? {
            answer if answer == missing && wanted == Files::Made => self.make(&path).map(|()| true),
            answer if answer < 0 => Err(self.failure("opened", answer)),
            found => self.check_size(found as u64, wanted).map(|()| false),
        }
    }

    fn make(&mut self, path: &CStr) -> Outcome<()> {
        let handle = self.ask(&Request::Create { path })?;
        if handle < 0 {
            return Err(self.failure("made", handle));
        }
        match self.ask(&Request::Close { handle: handle as Handle })? {
            answer if answer < 0 => Err(self.failure("made", answer)),
            _ => Ok(()),
        }
    }

    fn check_size(&self, found_bytes: u64, wanted: Files) -> Outcome<()> {
        let size_bytes = Geometry::of(self.target).file_size_bytes;
        if found_bytes >= size_bytes || wanted != Files::Whole {
            return Ok(());
        }
        let path = shown(self.share, self.target, self.number);
        let what = format!("{} has {found_bytes} bytes, the job says {size_bytes}", path.display());
        let cause = "it was not laid out, or with another size";
        let next = "run a job of kind layout on this target first";
        Err(Failure::system("target.size", None, what, cause, next))
    }

    fn ask(&mut self, request: &Request<'_>) -> Outcome<Answer> {
        ask(self.session, request, self.stop).map_err(|error| wait_failure(&error))
    }

    fn failure(&self, done: &str, answer: Answer) -> Failure {
        file_failure(self.share, self.target, self.number, (done, answer))
    }
}
