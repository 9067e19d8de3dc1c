//! The main thread's own session on an export, and why it is refused.

use fsgauge_wire::Failure;

use super::NfsTarget;
use super::session::State;
use crate::target::{Answer, ControlSession, message_of};

impl ControlSession for NfsTarget {
    fn refusal(&self, answer: Answer) -> Failure {
        let errno = -answer as i32;
        let (address, export) = (&self.export.address, &self.export.path);
        let service = match self.refused {
            State::Locating => "the portmapper (port 111)".to_string(),
            State::Mounting => match self.mount_port {
                Some(port) => format!("the MOUNT service (port {port})"),
                None => "the MOUNT service".to_string(),
            },
            _ => "the NFS service".to_string(),
        };
        let (at, ports) = match self.refused {
            State::Locating => (
                address.host().to_string(),
                format!("rpcinfo -p {}; or name the port of MOUNT: access.nfs_mount_port", address.host()),
            ),
            _ => (address.to_string(), format!("rpcinfo -p {}", address.host())),
        };
        let (code, what, cause, next) = match errno {
            libc::ECONNREFUSED | libc::EHOSTUNREACH | libc::ENETUNREACH => (
                "network.refused",
                format!("{service} of {at} accepts no connection: {}", message_of(errno)),
                "no NFS server listens there, or a firewall is between",
                ports,
            ),
            libc::ETIMEDOUT => (
                "network.timeout",
                format!("{service} of {at} did not answer within 30 s"),
                "the server hangs, or a firewall drops packets",
                ports,
            ),
            libc::EKEYREJECTED => (
                "network.login",
                format!("{address} does not accept user {} (AUTH_SYS)", self.export.user_id),
                "the export requires Kerberos",
                "export it with sec=sys".to_string(),
            ),
            libc::ENOENT | libc::ENOTDIR | libc::EINVAL => (
                "network.share",
                format!("{address} has no export {export}: {}", message_of(errno)),
                "the path is not exported, or misspelt",
                format!("showmount -e {}", address.host()),
            ),
            libc::EACCES | libc::EPERM => (
                "network.share",
                format!("{address} does not let this machine mount {export}: {}", message_of(errno)),
                "no such export, it is for other machines, or it requires ports below 1024",
                format!("showmount -e {}; let clients of any port in (exports: insecure)", address.host()),
            ),
            libc::EPROTO => (
                "network.dialect",
                format!("{service} of {at} does not speak NFS version 3"),
                "it is another service, or the server has only version 4",
                ports,
            ),
            _ => (
                "network.lost",
                format!("{service} of {at} ended the first session: {}", message_of(errno)),
                "the server failed, or another service listens there",
                "see the server's log".to_string(),
            ),
        };
        Failure::system(code, Some(errno), what, cause, next)
    }

    fn protocol(&self) -> String {
        "NFS 3".into()
    }

    fn names(&self) -> &[String] {
        self.names.all()
    }
}
