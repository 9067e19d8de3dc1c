//! A password: read when a server is reached, shown nowhere, and overwritten when it has served.

use std::env::VarError;
use std::fmt;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;

use fsgauge_wire::{Failure, Outcome, PasswordSource};

use super::wipe::{wipe, wipe_variable};

/// Longer ones are no passwords.
const LENGTH_LIMIT: u64 = 4096;

/// A password.
pub(crate) struct Password(String);

impl Drop for Password {
    fn drop(&mut self) {
        wipe(&mut std::mem::take(&mut self.0).into_bytes());
    }
}

impl Password {
    /// Reads the password from where the job says it is. A variable is empty afterwards: it can be read once.
    pub(crate) fn read(source: &PasswordSource) -> Outcome<Password> {
        match source {
            PasswordSource::Environment { name } => match std::env::var(name) {
                Ok(password) => {
                    wipe_variable(name);
                    Ok(Password(password))
                }
                Err(error) => {
                    let (what, cause) = match error {
                        VarError::NotPresent => ("not set", "it was not exported in this shell"),
                        VarError::NotUnicode(_) => ("not UTF-8", "it was set in another encoding"),
                    };
                    let what = format!("no password: the variable {name} is {what}");
                    Err(missing(what, cause, format!("read -rs {name}; export {name}")))
                }
            },
            PasswordSource::File { path } => of_file(path),
        }
    }

    /// The password itself, for logging in only.
    pub(crate) fn reveal(&self) -> &str {
        &self.0
    }
}

/// Nothing of it is shown, not even its length.
impl fmt::Debug for Password {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Password")
    }
}

fn of_file(path: &str) -> Outcome<Password> {
    let unread = |error: std::io::Error| {
        let what = format!("the password file {path} cannot be read: {error}");
        missing(what, "it is not there, or belongs to another user", format!("ls -l {path}"))
    };
    let file = std::fs::File::open(path).map_err(unread)?;
    let mode = file.metadata().map_err(unread)?.permissions().mode();
    if mode & 0o077 != 0 {
        let what = format!("the password file {path} has mode {:04o}", mode & 0o7777);
        let cause = "users other than its owner can read or change it";
        return Err(Failure::system("password.mode", None, what, cause, format!("chmod 600 {path}")));
    }
    // With room for all of it: what grows leaves copies behind.
    let mut password = Password(String::with_capacity(2 * LENGTH_LIMIT as usize));
    file.take(LENGTH_LIMIT).read_to_string(&mut password.0).map_err(unread)?;
    if password.0.ends_with('\n') {
        password.0.pop();
    }
    Ok(password)
}

fn missing(what: String, cause: &str, next: String) -> Failure {
    Failure::system("password.missing", None, what, cause, next)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_without_its_newline_and_shown_nowhere() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("password").display().to_string();
        std::fs::write(&path, "se cret \n").unwrap();
        let read = || Password::read(&PasswordSource::File { path: path.clone() });
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        let password = read().unwrap();
        assert_eq!(password.reveal(), "se cret ");
        assert_eq!(format!("{password:?}"), "Password");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let failure = read().unwrap_err();
        assert_eq!((failure.code.as_str(), failure.next), ("password.mode", format!("chmod 600 {path}")));
        assert!(failure.what.ends_with("has mode 0640"));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read().unwrap_err().code, "password.missing");
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let name = "FSGAUGE_NO_SUCH_PASSWORD".to_string();
        let failure = Password::read(&PasswordSource::Environment { name }).unwrap_err();
        assert_eq!((failure.code.as_str(), failure.exit_code()), ("password.missing", 3));
        assert_eq!(failure.what, "no password: the variable FSGAUGE_NO_SUCH_PASSWORD is not set");
    }
}
