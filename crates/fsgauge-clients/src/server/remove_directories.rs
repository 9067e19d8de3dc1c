//! Removing the directories of a file set from a server, once its files are removed.

use fsgauge_net::{Answer, ControlSession, Request, Waiting, admit, ask, message_of, wait_failure};
use fsgauge_wire::{ClientsJob, Note, Outcome};

use super::paths::directory_of;
use super::prepare::c_path;
use crate::file_set::{FileNumber, Names, PathBuffer, directories};

const GONE: Answer = -(libc::ENOENT as Answer);
const NOT_EMPTY: Answer = -(libc::ENOTEMPTY as Answer);

/// Removes the set's directories, the deepest first, and the target's own. What a mix has left in them is removed
/// too, as far as its name is one that clients give. The note gives what remains, and why.
pub(super) fn remove_directories(
    control_session: &mut dyn ControlSession,
    job: &ClientsJob,
    waiting: &Waiting,
) -> Outcome<Option<Note>> {
    admit(control_session, waiting)?;
    let root = directory_of(&job.target);
    let (names, mut path) = (Names::new(&job.files), PathBuffer::new());
    let below: Vec<String> = directories(&job.files, job.files.clients)
        .map(|which| format!("{root}/{}", names.directory(which, &mut path).to_string_lossy()))
        .collect();
    let mut left = Left::default();
    for directory in below.iter().rev().map(String::as_str).chain([root]) {
        if waiting.is_stopped() {
            break;
        }
        let answer = remove(control_session, directory, waiting)?;
        left.note(directory, answer);
    }
    Ok(left.into_note())
}

/// Removes a directory and the clients' files left in it.
fn remove(control_session: &mut dyn ControlSession, directory: &str, waiting: &Waiting) -> Outcome<Answer> {
    let path = c_path(directory);
    let mut ask =
        |request: &Request<'_>| ask(control_session, request, waiting).map_err(|error| wait_failure(&error));
    let answer = ask(&Request::RemoveDirectory { path: &path })?;
    if answer != NOT_EMPTY {
        return Ok(answer);
    }
    let listed = ask(&Request::List { path: &path })?;
    if listed < 0 {
        return Ok(listed);
    }
    for name in clients_names(control_session.names()) {
        let file = c_path(&format!("{directory}/{name}"));
        let answer = self::ask(control_session, &Request::Unlink { path: &file }, waiting);
        answer.map_err(|error| wait_failure(&error))?;
    }
    self::ask(control_session, &Request::RemoveDirectory { path: &path }, waiting)
        .map_err(|error| wait_failure(&error))
}

/// The names that a file set gives to files and to their replacements.
fn clients_names(names: &[String]) -> Vec<String> {
    let is_clients =
        |name: &&String| FileNumber::of_name(name.strip_suffix(".new").unwrap_or(name).as_bytes()).is_some();
    names.iter().filter(is_clients).cloned().collect()
}

/// Directories that remain.
#[derive(Debug, Default)]
struct Left {
    directories: u64,
    first: String,
}

impl Left {
    fn note(&mut self, directory: &str, answer: Answer) {
        if answer >= 0 || answer == GONE {
            return;
        }
        if self.directories == 0 {
            self.first = format!("{directory}: {}", message_of(-answer as i32));
        }
        self.directories += 1;
    }

    fn into_note(self) -> Option<Note> {
        (self.directories > 0).then(|| {
            let text =
                format!("{} directories remain on the server; the first is {}", self.directories, self.first);
            Note { code: "clear.left".into(), text }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_clients_make_is_removed() {
        let names = ["c00001-f000002", "c00001-f000002.new", "notes.txt", "c00001-f000003.old", ".new"];
        let names = names.map(String::from);
        assert_eq!(clients_names(&names), ["c00001-f000002", "c00001-f000002.new"]);
    }

    #[test]
    fn what_remains_is_reported_with_the_first_reason() {
        let mut left = Left::default();
        left.note("a/c00001", 0);
        left.note("a/c00000", GONE);
        assert_eq!(left.into_note(), None);
        let mut left = Left::default();
        left.note("a/c00001", NOT_EMPTY);
        left.note("a", -Answer::from(libc::EACCES));
        let note = left.into_note().unwrap();
        assert_eq!(note.code, "clear.left");
        assert!(note.text.starts_with("2 directories remain") && note.text.contains("a/c00001: "));
    }
}
