//! What a share must be before its server is asked.

use fsgauge_wire::{Failure, NfsTarget, ShareTarget, SmbDialect, SmbTarget};

/// Longer names are refused by servers, with names of files behind them.
const DIRECTORY_LIMIT: usize = 800;

type Check = Result<(), Failure>;

fn refuse(key: &str, what: String, cause: &str, next: &str) -> Check {
    Err(Failure::job(key, what, cause, next))
}

/// Checks a share or an export.
pub fn check_share(share: &ShareTarget) -> Check {
    match share {
        ShareTarget::Smb(smb) => check_smb(smb),
        ShareTarget::Nfs(nfs) => check_nfs(nfs),
    }
}

/// Checks a share.
pub fn check_smb(smb: &SmbTarget) -> Check {
    check_host(&smb.host, smb.port)?;
    check_directory(&smb.directory)?;
    if smb.share.is_empty() || smb.share.contains(['/', '\\', '\0']) {
        let what = format!("{:?} is not the name of a share", smb.share);
        return refuse(
            "target",
            what,
            "a share is one name without slashes",
            "smbclient -L HOST lists shares",
        );
    }
    if smb.user.is_empty() != smb.password.is_none() {
        let what = match smb.user.is_empty() {
            true => "a password without a user".to_string(),
            false => format!("the user {} without a password", smb.user),
        };
        let cause = "a guest has neither user nor password, others have both";
        return refuse("target", what, cause, "give both, or none");
    }
    if smb.encryption && smb.dialect < SmbDialect::Smb300 {
        let what = "encryption with a dialect before 3.0".to_string();
        return refuse("target", what, "SMB has it from 3.0 on", "choose dialect 3.0.2 or 3.1.1");
    }
    if smb.user.is_empty() && (smb.encryption || smb.signing) {
        let what = "a guest who signs or encrypts".to_string();
        return refuse(
            "target",
            what,
            "a guest has no key",
            "give a user, or leave signing and encryption out",
        );
    }
    Ok(())
}

/// Checks an export.
pub fn check_nfs(nfs: &NfsTarget) -> Check {
    check_host(&nfs.host, nfs.port)?;
    check_directory(&nfs.directory)?;
    if !nfs.export.starts_with('/') || nfs.export.contains('\0') {
        let what = format!("{:?} is not the path of an export", nfs.export);
        return refuse(
            "target",
            what,
            "an export's path begins with a slash",
            "showmount -e HOST lists exports",
        );
    }
    Ok(())
}

fn check_host(host: &str, port: u16) -> Check {
    if host.is_empty() || host.contains(['\0', '/', ' ']) {
        let what = format!("{host:?} is not the name of a server");
        return refuse("target", what, "it is a name or an address", "give for example 127.0.0.1");
    }
    if port == 0 {
        return refuse("target", "port 0".into(), "no server has it", "SMB has 445, NFS 2049");
    }
    Ok(())
}

fn check_directory(directory: &str) -> Check {
    let is_name = |name: &str| !matches!(name, "" | "." | "..");
    let is_fine = directory.split('/').all(is_name)
        && !directory.contains(['\\', '\0', ':', '*', '?', '"', '<', '>', '|'])
        && directory.len() <= DIRECTORY_LIMIT;
    if !is_fine {
        let what = format!("{directory:?} is no directory below a share");
        let cause = "it is one or more names with slashes between, below the root";
        return refuse("target", what, cause, "give for example fsgauge/run-1");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsgauge_wire::PasswordSource;

    fn smb() -> SmbTarget {
        SmbTarget {
            host: "127.0.0.1".into(),
            port: 1445,
            share: "s".into(),
            directory: "a/b".into(),
            user: "u".into(),
            password: Some(PasswordSource::Environment { name: "P".into() }),
            dialect: SmbDialect::Smb302,
            signing: true,
            encryption: true,
            oplocks: false,
        }
    }

    #[test]
    fn what_no_server_could_serve_is_refused() {
        assert_eq!(check_smb(&smb()), Ok(()));
        let guest = SmbTarget { user: String::new(), password: None, ..smb() };
        let wrong = [
            SmbTarget { host: String::new(), ..smb() },
            SmbTarget { port: 0, ..smb() },
            SmbTarget { share: "a/b".into(), ..smb() },
            SmbTarget { password: None, ..smb() },
            SmbTarget { user: String::new(), ..smb() },
            SmbTarget { dialect: SmbDialect::Smb210, ..smb() },
            guest.clone(),
        ];
        for wrong in wrong {
            let failure = check_smb(&wrong).unwrap_err();
            assert_eq!((failure.code.as_str(), failure.exit_code()), ("job.target", 2), "{}", failure.what);
        }
        assert_eq!(check_smb(&SmbTarget { signing: false, encryption: false, ..guest }), Ok(()));
    }

    #[test]
    fn a_directory_stays_below_the_share() {
        for fine in ["a", "fsgauge/run 1", "ä/b.c"] {
            assert_eq!(check_directory(fine), Ok(()), "{fine}");
        }
        for wrong in ["", "/a", "a/", "a//b", "..", "a/../b", "a\\b", "a:b", &"x".repeat(801)] {
            assert!(check_directory(wrong).is_err(), "{wrong}");
        }
    }
}
