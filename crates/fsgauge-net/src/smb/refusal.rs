//! Why a client was not let in.

use fsgauge_wire::{Failure, SmbDialect, SmbTarget as Job};

use super::access::{SmbAccess, name_of};
use super::status;
use super::status::{Status, errno_of};
use crate::target::message_of;

/// Where it ended, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The connection was not made, broke or was not answered in time: a (positive) error number.
    Connection(i32),
    /// The server takes no dialect that was offered, or another one.
    Dialect(Option<u16>),
    /// It wants every message signed, and this is not to be.
    WantsSigning,
    /// It does not encrypt.
    NoEncryption,
    /// A login without encryption is refused before anyone looks at who it is.
    WantsEncryption,
    /// User or password.
    Login(Status),
    /// A user was taken for a guest.
    TakenForGuest,
    /// The share.
    Share(Status),
    /// Something else than the protocol has.
    Protocol(&'static str),
}

impl Refusal {
    /// The (positive) error number that the client is answered.
    pub(super) fn errno(self) -> i32 {
        match self {
            Refusal::Connection(errno) => errno,
            Refusal::Login(status) if status::is_login(status) => libc::EKEYREJECTED,
            Refusal::TakenForGuest => libc::EKEYREJECTED,
            Refusal::Login(status) | Refusal::Share(status) => errno_of(status),
            Refusal::WantsEncryption => libc::EACCES,
            Refusal::Dialect(_) | Refusal::WantsSigning | Refusal::NoEncryption | Refusal::Protocol(_) => {
                libc::EPROTO
            }
        }
    }

    /// Whether another try would be refused in the same way.
    pub(super) fn is_final(self) -> bool {
        match self {
            Refusal::Connection(_) => false,
            Refusal::Login(status) => status::is_login(status),
            // A server that just came up may not have its shares yet.
            Refusal::Share(_) => false,
            _ => true,
        }
    }

    /// As a failure of the whole job.
    pub(super) fn failure(self, access: &SmbAccess) -> Failure {
        let (address, job) = (&access.address, &access.job);
        let at = format!("{}:{}", job.host, job.port);
        let share = format!("//{}/{}", job.host, job.share);
        let list = match access.is_guest() {
            true => format!("smbclient -N -p {} -L {}", job.port, job.host),
            false => format!("smbclient -U {} -p {} -L {}", job.user, job.port, job.host),
        };
        let failure = |code: &str, what: String, cause: &str, next: String| {
            Failure::system(code, Some(self.errno()), what, cause, next)
        };
        match self {
            Refusal::Connection(errno @ (libc::ECONNREFUSED | libc::EHOSTUNREACH | libc::ENETUNREACH)) => {
                let what = format!("{address} accepts no connection: {}", message_of(errno));
                let next = format!("start the server, or give its port; ss -ltn | grep :{}", job.port);
                failure("network.refused", what, "no server listens there, or a firewall is between", next)
            }
            Refusal::Connection(libc::ETIMEDOUT) => {
                let what = format!("{address} did not answer within half a minute");
                failure("network.timeout", what, "the server hangs, or a firewall drops packets", list)
            }
            Refusal::Connection(libc::EPROTO) => {
                let what = format!("the service on {address} is not an SMB server");
                let cause = "another service listens there, or a proxy answers in the server's place";
                failure("network.protocol", what, cause, list)
            }
            Refusal::Connection(errno) => {
                let what = format!("{address} closed the connection: {}", message_of(errno));
                let cause = "it is no SMB server or speaks only SMB 1 (too old), has too many connections, or \
                             does not allow this host";
                failure("network.lost", what, cause, format!("see the server's log; {list}"))
            }
            Refusal::Dialect(found) => {
                let asked = name_of(job.dialect);
                let what = match found {
                    Some(found) => format!("{address} answers SMB {asked} with dialect {found:#06x}"),
                    None => format!("{address} does not speak SMB {asked}"),
                };
                let cause = "its minimum and maximum dialects exclude that one";
                let next = "choose another smb_dialect; testparm -s -v | grep protocol".to_string();
                failure("network.dialect", what, cause, next)
            }
            Refusal::WantsSigning => {
                let what = format!("{address} requires signing");
                let next =
                    "--set access.smb_signing=true, or \"server signing\" of the server to auto".to_string();
                failure("network.signing", what, "its \"server signing\" is mandatory", next)
            }
            Refusal::NoEncryption => {
                let what = format!("{address} offers no cipher");
                let next = "leave smb_encryption out; testparm -s -v | grep encrypt".to_string();
                failure("network.encryption", what, "encryption is switched off there", next)
            }
            Refusal::WantsEncryption => {
                let status = status::ACCESS_DENIED;
                let what = format!("{at} refuses a login without encryption (status {status:#010x})");
                let cause = "its \"server smb encrypt\" is required, or this user may not log in";
                failure("network.encryption", what, cause, encrypting(job))
            }
            Refusal::Login(status) => {
                let user =
                    if access.is_guest() { "a guest".to_string() } else { format!("the user {}", job.user) };
                let what = format!("{at} refuses {user} (status {status:#010x})");
                let cause = "the user is unknown or disabled there, or the password is wrong";
                failure(
                    "network.login",
                    what,
                    cause,
                    format!("smbclient -p {} -U {} {share}", job.port, job.user),
                )
            }
            Refusal::TakenForGuest => {
                let what = format!("{at} maps the user {} to guest", job.user);
                let cause = "it does not know the user and maps unknown users to guests";
                failure("network.login", what, cause, "smbpasswd -a USER on the server".to_string())
            }
            Refusal::Share(status::BAD_NETWORK_NAME) => {
                failure("network.share", format!("there is no share {share}"), "the name is misspelt", list)
            }
            Refusal::Share(status) => {
                let what = format!("{at} refuses the share {} (status {status:#010x})", job.share);
                let cause = "this user has no access, or the share requires encryption";
                failure("network.share", what, cause, format!("{}, or choose another user", encrypting(job)))
            }
            Refusal::Protocol(words) => {
                let what = format!("{address} violates the SMB protocol: {words}");
                failure(
                    "network.protocol",
                    what,
                    "another service listens there, or the server has a bug",
                    list,
                )
            }
        }
    }
}

/// How a job gets encryption.
fn encrypting(job: &Job) -> String {
    let older = if job.dialect < SmbDialect::Smb300 { " --set access.smb_dialect=3.0.2" } else { "" };
    let guest = if job.user.is_empty() { "log in as a user, and " } else { "" };
    format!("{guest}--set access.smb_encryption=true{older}")
}
