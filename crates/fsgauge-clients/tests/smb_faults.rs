//! Clients of a share, against a real server that refuses, fails or dies.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::{Duration, Instant};

use fsgauge_wire::{
    Activity, ClientErrorKind, ClientOperation, ClientsJob, FileSizes, LoadResult, PasswordSource, Phase,
    SmbDialect, SmbTarget, WeightedActivity,
};

use crate::quota::{QUOTA_BYTES, UnderQuota};
use crate::results::assert_consistent;
use crate::shares::{READ, WRITE, assert_whole, clients, errors_of, job, network, run};
use crate::smbd::{PASSWORD, Smbd};

/// The code of what ends a job before its clients come in, and all of its words.
fn refusal(target: &SmbTarget) -> (String, String) {
    let begin = Instant::now();
    let failure = run(&job(target.clone(), WRITE)).unwrap_err();
    assert!(begin.elapsed() < Duration::from_secs(10), "{failure}");
    assert_eq!(failure.exit_code(), 3, "{failure}");
    assert!(!failure.next.is_empty() && !failure.cause.is_empty(), "{failure}");
    let words = format!("{} | {} | {}", failure.what, failure.cause, failure.next);
    assert!(!words.contains(PASSWORD) && !words.contains("wrong horse"), "{words}");
    (failure.code, words)
}

/// Errors by operation and kind, in their order.
fn sorted(result: &LoadResult) -> Vec<(ClientOperation, ClientErrorKind, u64)> {
    let mut errors = errors_of(result);
    errors.sort_unstable_by_key(|(operation, kind, _)| (*operation, *kind));
    errors
}

fn password_file(directory: &tempfile::TempDir, password: &str) -> Option<PasswordSource> {
    let path = directory.path().join("password");
    std::fs::write(&path, password).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    Some(PasswordSource::File { path: path.display().to_string() })
}

#[test]
fn what_the_server_refuses_is_told_before_anything_begins() {
    let Some(smbd) = Smbd::start("server min protocol = SMB2_10\nserver max protocol = SMB3_02", "") else {
        return;
    };
    let target = smbd.target(SmbDialect::Smb302);
    let kept = tempfile::tempdir().unwrap();
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let wrong = SmbTarget { password: password_file(&kept, "wrong horse"), ..target.clone() };
    let expected = [
        (SmbTarget { port: closed, ..target.clone() }, "network.refused", format!("127.0.0.1:{closed}")),
        (wrong.clone(), "network.login", "0xc000006d".into()),
        // Samba takes whom it does not know for a guest.
        (SmbTarget { user: "nobody-knows".into(), ..target.clone() }, "network.login", "to guest".into()),
        (SmbTarget { share: "gone".into(), ..target.clone() }, "network.share", "//127.0.0.1/gone".into()),
        (SmbTarget { dialect: SmbDialect::Smb202, ..target.clone() }, "network.dialect", "2.0.2".into()),
        (SmbTarget { dialect: SmbDialect::Smb311, ..target.clone() }, "network.dialect", "3.1.1".into()),
        (SmbTarget { host: "nowhere.invalid".into(), ..target.clone() }, "network.resolve", "getent".into()),
    ];
    for (target, code, words) in expected {
        let (found, told) = refusal(&target);
        assert_eq!(found, code, "{told}");
        assert!(told.contains(&words), "{told}");
    }
    std::fs::set_permissions(kept.path().join("password"), std::fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(refusal(&wrong).0, "password.mode");
    // Where a directory should be made lies a file.
    std::fs::write(smbd.files().join("below"), "").unwrap();
    assert_eq!(refusal(&target).0, "network.directory");
}

#[test]
fn a_server_that_wants_more_protection_is_understood() {
    let Some(smbd) = Smbd::start("server signing = mandatory", "") else { return };
    let target = smbd.target(SmbDialect::Smb302);
    assert_eq!(refusal(&target).0, "network.signing");
    assert_whole(&run(&job(SmbTarget { signing: true, ..target }, WRITE)).unwrap());
    let Some(smbd) = Smbd::start("", "smb encrypt = required") else { return };
    let target = smbd.target(SmbDialect::Smb311);
    let (code, words) = refusal(&target);
    assert!(code == "network.share" && words.contains("smb_encryption"), "{code}: {words}");
    assert_whole(&run(&job(SmbTarget { encryption: true, ..target }, WRITE)).unwrap());
    let Some(smbd) = Smbd::start("server smb encrypt = required", "") else { return };
    for (dialect, next) in
        [(SmbDialect::Smb210, "smb_dialect=3"), (SmbDialect::Smb302, "smb_encryption=true")]
    {
        let (code, words) = refusal(&smbd.target(dialect));
        assert!(code == "network.encryption" && words.contains(next), "{code}: {words}");
        // Nobody is told that a user or a password is wrong.
        assert!(!words.contains("password"), "{words}");
    }
    // Guests have no key.
    let guest = SmbTarget { user: String::new(), password: None, ..smbd.target(SmbDialect::Smb302) };
    let (code, words) = refusal(&guest);
    assert!(code == "network.encryption" && words.contains("log in as a user"), "{code}: {words}");
    // A wrong password is, with encryption, told as that.
    let mut target = SmbTarget { encryption: true, ..smbd.target(SmbDialect::Smb302) };
    assert_whole(&run(&job(target.clone(), WRITE)).unwrap());
    let kept = tempfile::tempdir().unwrap();
    target.password = password_file(&kept, "wrong horse");
    assert_eq!(refusal(&target).0, "network.login");
    let Some(smbd) = Smbd::start("server smb encrypt = off", "") else { return };
    let (code, words) = refusal(&SmbTarget { encryption: true, ..smbd.target(SmbDialect::Smb311) });
    assert_eq!(code, "network.encryption", "{words}");
}

#[test]
fn a_server_of_something_else_is_no_server() {
    let target = |port| SmbTarget {
        host: "127.0.0.1".into(),
        port,
        share: "share".into(),
        directory: "d".into(),
        user: String::new(),
        password: None,
        dialect: SmbDialect::Smb302,
        signing: false,
        encryption: false,
        oplocks: false,
    };
    // Takes connections and closes them; the test's end ends it, and the next one.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    assert_eq!(refusal(&target(port)).0, "network.lost");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for mut socket in listener.incoming().map_while(Result::ok) {
            // Read first: closing with something unread would reset the answer away.
            let _ = socket.read(&mut [0; 4096]);
            let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let (code, words) = refusal(&target(port));
    assert_eq!(code, "network.protocol", "{words}");
    assert!(words.starts_with(&format!("the service on 127.0.0.1:{port} is not an SMB server")), "{words}");
}

/// It closes the connection at the first message that it does not understand.
#[test]
fn a_server_that_is_too_old_is_told_as_that() {
    let Some(smbd) = Smbd::start("server min protocol = LANMAN1\nserver max protocol = NT1", "") else {
        return;
    };
    let (code, words) = refusal(&smbd.target(SmbDialect::Smb302));
    assert_eq!(code, "network.lost", "{words}");
    assert!(words.contains("speaks only SMB 1 (too old)"), "{words}");
}

#[test]
fn errors_are_counted_by_kind() {
    let Some(smbd) = Smbd::start("", "force user = daemon") else { return };
    let target = smbd.target(SmbDialect::Smb302);
    let open_to_all = std::fs::Permissions::from_mode(0o777);
    // The server's user may not write there.
    assert_eq!(refusal(&target).0, "network.directory");
    std::fs::set_permissions(smbd.files(), open_to_all).unwrap();
    assert_whole(&run(&job(target.clone(), WRITE)).unwrap());

    let again = run(&job(target.clone(), WRITE)).unwrap();
    assert_eq!(errors_of(&again), [(ClientOperation::Create, ClientErrorKind::Exists, 16)]);
    assert!(clients(&again).errors[0].first_path.starts_with("//127.0.0.1/share/below/deeper/c0000"));

    let file = |name: &str| smbd.files().join("below/deeper/c00001").join(name);
    std::fs::set_permissions(file("c00001-f000000"), std::fs::Permissions::from_mode(0o0)).unwrap();
    std::fs::remove_file(file("c00001-f000001")).unwrap();
    std::fs::File::options().write(true).open(file("c00001-f000002")).unwrap().set_len(4096).unwrap();
    let other = smbd.files().join("below/deeper/c00002/c00002-f000001");
    let mut bytes = std::fs::read(&other).unwrap();
    bytes[4099] ^= 1;
    std::fs::write(&other, bytes).unwrap();
    let read = run(&job(target, READ)).unwrap();
    let expected = [
        (ClientOperation::Open, ClientErrorKind::PermissionDenied, 1),
        (ClientOperation::Open, ClientErrorKind::Missing, 1),
        (ClientOperation::Read, ClientErrorKind::Short, 1),
    ];
    assert_eq!(sorted(&read), expected);
    let bad = &clients(&read).bad;
    assert_eq!((bad.len(), bad[0].first_byte, bad[0].offset_bytes), (1, 4099, 4096));
}

/// A tmpfs of 2 MiB over a directory; gone with its value.
struct SmallDisk(std::path::PathBuf);

impl SmallDisk {
    fn mount(directory: std::path::PathBuf) -> SmallDisk {
        let mut mount = Command::new("mount");
        let mounted = mount.args(["-t", "tmpfs", "-o", "size=2m", "tmpfs"]).arg(&directory).status();
        assert!(mounted.unwrap().success());
        SmallDisk(directory)
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

#[test]
fn a_full_share_is_told_as_that() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let mounted = SmallDisk::mount(smbd.files());
    let mut job = job(smbd.target(SmbDialect::Smb302), WRITE);
    job.files.sizes = FileSizes::Cycle { sizes_bytes: vec![1 << 20] };
    let result = run(&job).unwrap();
    drop(mounted);
    let clients = clients(&result);
    assert!(!clients.errors.is_empty());
    assert!(
        clients.errors.iter().all(|error| error.kind == ClientErrorKind::NoSpace),
        "{:?}",
        clients.errors
    );
    assert_eq!(clients.clients_gave_up, 4);
}

/// Samba calls the end of a quota a full disk (source3/lib/errmap_unix.c), so no client can tell them apart.
#[test]
fn a_quota_ends_the_clients_as_a_full_share_does() {
    let Some(mut smbd) = Smbd::start("", "") else { return };
    let Some(limited) = UnderQuota::mount(&smbd.files()) else { return };
    let mut job = job(smbd.target(SmbDialect::Smb302), WRITE);
    // Nothing is refused before it is on its way to the disk.
    (job.fsync, job.files.sizes) = (true, FileSizes::Cycle { sizes_bytes: vec![1 << 20] });
    job.files.files_per_client = 8;
    let result = run(&job).unwrap();
    let clients = clients(&result);
    assert!(
        clients.errors.iter().all(|error| error.kind == ClientErrorKind::NoSpace),
        "{:?}",
        clients.errors
    );
    assert!(!clients.errors.is_empty());
    assert_eq!(clients.clients_gave_up, 4);
    assert!(clients.files << 20 <= QUOTA_BYTES && clients.files > 0, "{}", clients.files);
    smbd.kill();
    drop(limited);
}

/// What stands where a client's file or directory should be costs that one, and the others work.
#[test]
fn names_that_are_taken_are_counted_and_the_others_work() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let target = smbd.target(SmbDialect::Smb302);
    let base = smbd.files().join("below/deeper");
    std::fs::create_dir_all(base.join("c00001/c00001-f000002")).unwrap();
    std::fs::write(base.join("c00003"), "a file").unwrap();
    let result = run(&job(target.clone(), WRITE)).unwrap();
    let expected = [
        (ClientOperation::Connect, ClientErrorKind::Exists, 1),
        (ClientOperation::Create, ClientErrorKind::Exists, 1),
        (ClientOperation::Create, ClientErrorKind::Missing, 4),
    ];
    assert_eq!(sorted(&result), expected);
    assert_eq!((clients(&result).files, clients(&result).clients_gave_up), (11, 0));
    let read = run(&job(target, READ)).unwrap();
    let expected = [
        (ClientOperation::Open, ClientErrorKind::Missing, 4),
        // A directory is opened, and cannot be read.
        (ClientOperation::Read, ClientErrorKind::Other, 1),
    ];
    assert_eq!(sorted(&read), expected);
}

/// Every connection is lost under load, and nobody listens for a moment.
#[test]
fn a_server_that_dies_and_comes_back_is_counted_and_survived() {
    let Some(mut smbd) = Smbd::start("", "") else { return };
    for (signing, outstanding) in [(false, 1), (true, 3)] {
        let target = SmbTarget { signing, ..smbd.target(SmbDialect::Smb302) };
        let whole = ClientsJob { outstanding, ..job(target.clone(), WRITE) };
        assert_whole(&run(&whole).unwrap());
        let activities = vec![
            WeightedActivity { activity: Activity::Create, weight: 3 },
            WeightedActivity { activity: Activity::Read, weight: 1 },
        ];
        let phase = Phase::Mix { activities };
        let (time_limit_ns, interval_ns) = (2_500_000_000, 100_000_000);
        let mixed = ClientsJob { phase, time_limit_ns, interval_ns, ..whole.clone() };
        let load = std::thread::spawn(move || run(&mixed));
        std::thread::sleep(Duration::from_millis(900));
        smbd.kill();
        std::thread::sleep(Duration::from_millis(300));
        smbd.start_again();
        let result = load.join().unwrap().unwrap();
        assert_consistent(&result);
        let found = clients(&result);
        let count = |wanted: (ClientOperation, ClientErrorKind)| {
            let errors = found.errors.iter().filter(|error| (error.operation, error.kind) == wanted);
            errors.map(|error| error.count).sum::<u64>()
        };
        let lost: u64 = errors_of(&result)
            .iter()
            .filter(|(_, kind, _)| *kind == ClientErrorKind::ConnectionLost)
            .map(|(_, _, count)| count)
            .sum();
        // A file may have been made although the answer was lost: its client finds it there.
        let made = count((ClientOperation::Create, ClientErrorKind::Exists));
        assert!(
            made <= count((ClientOperation::Create, ClientErrorKind::ConnectionLost)),
            "{:?}",
            found.errors
        );
        let all: u64 = found.errors.iter().map(|error| error.count).sum();
        assert!(lost > 0 && all == lost + made, "{:?}", found.errors);
        assert_eq!((found.bad_records, found.clients_gave_up), (0, 0));
        // A server that has only begun to listen may reset a connection that it took: that client comes again.
        let (connections, again) = (network(&result).connections, network(&result).reconnections);
        assert!(connections == 4 && (4..=8).contains(&again), "{connections}, {again}");
        // It went on afterwards.
        let last = result.intervals.iter().rev().nth(1).unwrap();
        assert!(last.read.operations + last.write.operations > 0, "{last:?}");
        assert_whole(&run(&ClientsJob { phase: READ, ..whole.clone() }).unwrap());
        let cleared = run(&ClientsJob { phase: Phase::Clear {}, ..whole }).unwrap();
        assert!(errors_of(&cleared).is_empty() && !smbd.files().join("below/deeper").exists());
    }
}

/// One that never comes back is given up, and the clients' time ends when it should.
#[test]
fn a_server_that_stays_away_does_not_hold_the_clients() {
    let Some(mut smbd) = Smbd::start("", "") else { return };
    let mut writing = job(smbd.target(SmbDialect::Smb302), WRITE);
    writing.files.sizes = FileSizes::Cycle { sizes_bytes: vec![40 << 20] };
    writing.time_limit_ns = 2_500_000_000;
    let begin = Instant::now();
    let load = std::thread::spawn(move || run(&writing));
    std::thread::sleep(Duration::from_millis(1000));
    smbd.kill();
    let result = load.join().unwrap().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(9), "{:?}", begin.elapsed());
    assert!(clients(&result).errors.iter().all(|error| error.kind == ClientErrorKind::ConnectionLost));
    assert!(!clients(&result).errors.is_empty());
}
