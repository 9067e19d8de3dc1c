//! The name of a run, which is taken once: whoever repeats a call by mistake does not repeat what it does.

use std::path::Path;

use fsgauge_door::Folder;
use fsgauge_wire::{Failure, Outcome, RunName};
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

const LONGEST: usize = 64;

/// Takes the name; the directory remembers it.
pub(crate) fn take(run: &RunName) -> Outcome<()> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    if run.id.is_empty() || run.id.len() > LONGEST || !run.id.bytes().all(is_letter) {
        let what = format!("run.id {:?} is not 1 to {LONGEST} letters, digits, \"-\" and \"_\"", run.id);
        return Err(Failure::job("run_id", what, "it becomes the name of a file", "a UUID"));
    }
    let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY;
    let directory = Folder::enter(Path::new(&run.directory));
    match directory.and_then(|directory| directory.open(&run.id, flags, Mode::RUSR | Mode::WUSR)) {
        Ok(_) => Ok(()),
        Err(Errno::EXIST) => {
            let what = format!("the run {} was begun here before", run.id);
            let cause = "the call was repeated after its answer was lost; nothing was loaded again";
            Err(Failure::job("run_id", what, cause, "begin a run with another id"))
        }
        Err(error) => {
            let what = format!("the name of the run cannot be kept in {}: {error}", run.directory);
            let next = format!("mkdir -p {}", run.directory);
            Err(Failure::system("run_id", Some(error.raw_os_error()), what, "it must exist", next))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_taken_once() {
        let directory = tempfile::tempdir().unwrap();
        let run = |id: &str| RunName { id: id.into(), directory: directory.path().display().to_string() };
        take(&run("block-1_a")).unwrap();
        let again = take(&run("block-1_a")).unwrap_err();
        assert_eq!((again.code.as_str(), again.exit_code()), ("job.run_id", 2));
        take(&run("block-2_a")).unwrap();
    }

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        for id in ["", "../x", "a/b", ".", "a b", &"a".repeat(65), "ä"] {
            let run = RunName { id: id.into(), directory: directory.path().display().to_string() };
            assert_eq!(take(&run).unwrap_err().code, "job.run_id", "{id}");
        }
        let nowhere = RunName { id: "a".into(), directory: "/nowhere/at/all".into() };
        assert_eq!(take(&nowhere).unwrap_err().code, "run_id");
    }
}
