//! What every target must do, on a share of a real server.

use crate::tests::conformance::{a_directory_goes, files_go_their_way};

use super::smbd::Smbd;
use super::*;
use crate::password::Password;

#[test]
fn a_share_conforms() {
    let Some(smbd) = Smbd::start("", "") else { return };
    for (dialect, signing) in [(SmbDialect::Smb202, false), (SmbDialect::Smb311, true)] {
        let job = Job { signing, ..smbd.target(dialect) };
        let password = job.password.as_ref().map(|source| Password::read(source).unwrap());
        let address = Address::resolve("127.0.0.1", smbd.port).unwrap();
        let access = Arc::new(SmbAccess { job, address, password });
        let root = smbd.files().join("d");
        std::fs::create_dir_all(&root).unwrap();
        let size = Size { clients: 2, outstanding: 1, record_size_bytes: 4096 };
        let mut target = SmbTarget::new(access, size, "d").unwrap();
        // Lanes that were never let in get in with their first operation.
        files_go_their_way(&mut target, &root);
        a_directory_goes(&mut target, &root);
        assert_eq!(target.calls().len(), 11);
        std::fs::remove_dir_all(root).unwrap();
    }
}
