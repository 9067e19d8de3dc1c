//! Clearing up on a server: what is left of a file set once its files are removed.

use fsgauge_net::{Answer, Housekeeper, Request, admit, ask, message_of, wait_failure};
use fsgauge_wire::{ClientsJob, Note, Outcome, Stop};

use super::paths::directory_of;
use super::prepare::c_path;
use crate::file_set::{FileNumber, Names, PathBuffer, directories};

const GONE: Answer = -(libc::ENOENT as Answer);
const NOT_EMPTY: Answer = -(libc::ENOTEMPTY as Answer);

/// Removes the set's directories, the deepest first, and the target's own. What a mix has left in them is removed
/// too, as far as names say that it is a client's. Says what stays, and why.
pub(super) fn clear(
    housekeeper: &mut dyn Housekeeper,
    job: &ClientsJob,
    stop: &Stop,
) -> Outcome<Option<Note>> {
    admit(housekeeper, stop)?;
    let root = directory_of(&job.target);
    let (names, mut path) = (Names::new(&job.files), PathBuffer::new());
    let below: Vec<String> = directories(&job.files, job.files.clients)
        .map(|which| format!("{root}/{}", names.directory(which, &mut path).to_string_lossy()))
        .collect();
    let mut left = Left::default();
    for directory in below.iter().rev().map(String::as_str).chain([root]) {
        if stop.is_set() {
            break;
        }
        let answer = remove(housekeeper, directory, stop)?;
        left.note(directory, answer);
    }
    Ok(left.into_note())
}

/// Removes a directory, with what clients have left in it.
fn remove(housekeeper: &mut dyn Housekeeper, directory: &str, stop: &Stop) -> Outcome<Answer> {
    let path = c_path(directory);
    let mut ask =
        |request: &Request<'_>| ask(housekeeper, request, stop).map_err(|error| wait_failure(&error));
    let answer = ask(&Request::RemoveDirectory { path: &path })?;
    if answer != NOT_EMPTY {
        return Ok(answer);
    }
    let listed = ask(&Request::List { path: &path })?;
    if listed < 0 {
        return Ok(listed);
    }
    for name in clients_names(housekeeper.names()) {
        let file = c_path(&format!("{directory}/{name}"));
        let answer = self::ask(housekeeper, &Request::Unlink { path: &file }, stop);
        answer.map_err(|error| wait_failure(&error))?;
    }
    self::ask(housekeeper, &Request::RemoveDirectory { path: &path }, stop)
        .map_err(|error| wait_failure(&error))
}

/// Names of files that a file set gives, and of what is to replace them.
fn clients_names(names: &[String]) -> Vec<String> {
    let is_clients =
        |name: &&String| FileNumber::of_name(name.strip_suffix(".new").unwrap_or(name).as_bytes()).is_some();
    names.iter().filter(is_clients).cloned().collect()
}

/// Directories that stay.
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
                format!("{} directories stay on the server; the first is {}", self.directories, self.first);
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
    fn what_stays_is_told_with_the_first_reason() {
        let mut left = Left::default();
        left.note("a/c00001", 0);
        left.note("a/c00000", GONE);
        assert_eq!(left.into_note(), None);
        let mut left = Left::default();
        left.note("a/c00001", NOT_EMPTY);
        left.note("a", -Answer::from(libc::EACCES));
        let note = left.into_note().unwrap();
        assert_eq!(note.code, "clear.left");
        assert!(note.text.starts_with("2 directories stay") && note.text.contains("a/c00001: "));
    }
}
