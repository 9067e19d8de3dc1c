//! Clients of a share, against a real server: what goes there comes back.

use std::process::Command;

use fsgauge_wire::{
    Activity, BackupOrder, ClientOperation, ClientsJob, ClientsTarget, Create, Dispatch, FileSizes, Phase,
    SmbDialect, SmbTarget, Tree, WeightedActivity,
};

use crate::shares::{READ, WRITE, assert_whole, clients, count, errors_of, job, network, run};
use crate::smbd::{PASSWORD, Smbd, USER};

/// Files are written, read back by other sessions and compared, looked at and cleared away.
fn goes_all_the_way(smbd: &Smbd, target: &SmbTarget, change: impl Fn(&mut ClientsJob)) -> String {
    let go = |phase| {
        let mut job = job(target.clone(), phase);
        change(&mut job);
        let result = run(&job).unwrap_or_else(|failure| panic!("{failure}: {}", smbd.log()));
        assert_whole(&result);
        let network = network(&result);
        assert_eq!((network.connections, network.reconnections), (4, 0));
        assert_eq!(count(&result, ClientOperation::Connect), 4);
        assert!(network.null_operation_ns > 0);
        assert!(!serde_json::to_string(&result).unwrap().contains(PASSWORD));
        (result.clone(), network.clone())
    };
    let (written, network) = go(WRITE);
    let bytes = written.write.as_ref().unwrap().size_bytes;
    assert_eq!(bytes, 4 * (16384 + 5000 + 100_000));
    assert!(network.sent_bytes > bytes && network.received_bytes > 0);
    let (read, _) = go(READ);
    assert_eq!(read.read.as_ref().unwrap().size_bytes, bytes);
    assert_eq!(clients(&read).checked_records, 4 * (4 + 2 + 25));
    let (seen, _) = go(Phase::Stat {});
    assert_eq!(count(&seen, ClientOperation::Stat), 16);
    assert!(smbd.files().join("below/deeper").exists());
    go(Phase::Clear {});
    assert!(!smbd.files().join("below/deeper").exists() && smbd.files().join("below").exists());
    network.protocol
}

/// Dialects, each as `protect` wants it.
fn in_dialects(dialects: &[SmbDialect], protect: impl Fn(SmbTarget) -> SmbTarget, expected: &str) {
    let Some(smbd) = Smbd::start("", "") else { return };
    for dialect in dialects {
        let protocol = goes_all_the_way(&smbd, &protect(smbd.target(*dialect)), |_| {});
        assert!(protocol.starts_with("SMB ") && protocol.contains(expected), "{protocol}");
    }
}

#[test]
fn files_go_there_and_back_unsigned_in_every_dialect() {
    use SmbDialect::{Smb202, Smb210, Smb300, Smb302, Smb311};
    in_dialects(&[Smb202, Smb210, Smb300, Smb302, Smb311], |target| target, ", unsigned");
}

/// By HMAC-SHA256, AES-CMAC and what the server chooses.
#[test]
fn files_go_there_and_back_signed_in_every_way() {
    use SmbDialect::{Smb210, Smb300, Smb311};
    in_dialects(&[Smb210, Smb300, Smb311], |target| SmbTarget { signing: true, ..target }, ", signed (");
}

#[test]
fn files_go_there_and_back_encrypted_in_every_way() {
    use SmbDialect::{Smb302, Smb311};
    let encrypted = |target| SmbTarget { encryption: true, ..target };
    in_dialects(&[Smb302], encrypted, ", encrypted (AES-128-CCM)");
    in_dialects(&[Smb311], encrypted, ", encrypted (AES-128-GCM)");
}

#[test]
fn a_guest_works_without_a_password_and_oplocks_are_asked_for() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let guest = SmbTarget { user: String::new(), password: None, ..smbd.target(SmbDialect::Smb302) };
    assert_eq!(goes_all_the_way(&smbd, &guest, |_| {}), "SMB 3.0.2, unsigned");
    let with_oplocks = SmbTarget { oplocks: true, ..smbd.target(SmbDialect::Smb210) };
    goes_all_the_way(&smbd, &with_oplocks, |_| {});
}

#[test]
fn every_shape_of_load_goes_there_and_back() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let target = smbd.target(SmbDialect::Smb302);
    goes_all_the_way(&smbd, &target, |job| (job.outstanding, job.fsync) = (3, true));
    goes_all_the_way(&smbd, &target, |job| (job.dispatch, job.threads) = (Dispatch::Threads, None));
    goes_all_the_way(&smbd, &target, |job| {
        job.files.tree = Tree::Shared { depth: 2, fan_out: 3 };
        if job.phase == WRITE {
            job.phase = Phase::Write { create: Create::ThenOpen };
        }
    });
}

/// Records of several credits, of one that is too large for a message, and of odd sizes.
#[test]
fn records_of_every_size_go_there_and_back() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let shapes = [
        (SmbDialect::Smb202, 200_000, false),
        (SmbDialect::Smb302, 1 << 20, false),
        (SmbDialect::Smb311, 9 << 20, false),
        (SmbDialect::Smb311, 100_001, true),
    ];
    for (dialect, record_size_bytes, encryption) in shapes {
        let target = SmbTarget { encryption, ..smbd.target(dialect) };
        for phase in [WRITE, READ, Phase::Clear {}] {
            let mut job = job(target.clone(), phase);
            job.time_limit_ns = 10_000_000_000;
            (job.clients, job.files.clients, job.files.record_size_bytes) = (2, 2, record_size_bytes);
            let sizes_bytes = vec![u64::from(record_size_bytes) + 777];
            (job.files.sizes, job.files.files_per_client) = (FileSizes::Cycle { sizes_bytes }, 1);
            let result = run(&job).unwrap();
            assert_whole(&result);
            if job.phase == READ {
                // What one message does not carry comes in several, each compared.
                assert!(clients(&result).checked_records >= count(&result, ClientOperation::Read));
            }
        }
    }
}

#[test]
fn a_mix_is_cleared_away_with_all_that_it_made() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let target = smbd.target(SmbDialect::Smb302);
    assert_whole(&run(&job(target.clone(), WRITE)).unwrap());
    let all =
        [Activity::Read, Activity::Create, Activity::Save, Activity::Delete, Activity::Stat, Activity::List];
    let activities = all.map(|activity| WeightedActivity { activity, weight: 1 }).to_vec();
    let mixed = ClientsJob { time_limit_ns: 700_000_000, ..job(target.clone(), Phase::Mix { activities }) };
    let result = run(&mixed).unwrap();
    assert_eq!((errors_of(&result), clients(&result).bad_records), (Vec::new(), 0));
    let operations = clients(&result).operations.iter().map(|found| found.operation);
    assert!(
        operations.clone().any(|found| found == ClientOperation::Rename),
        "{:?}",
        operations.collect::<Vec<_>>()
    );
    assert_whole(&run(&job(target.clone(), READ)).unwrap());
    let cleared = run(&job(target.clone(), Phase::Clear {})).unwrap();
    assert_whole(&cleared);
    assert!(cleared.notes.iter().all(|note| note.code != "clear.left"), "{:?}", cleared.notes);
    assert!(!smbd.files().join("below/deeper").exists());
    // Once more: what is not there is no error. And what is a stranger's stays.
    assert_whole(&run(&job(target.clone(), Phase::Clear {})).unwrap());
    assert_whole(&run(&job(target.clone(), WRITE)).unwrap());
    std::fs::write(smbd.files().join("below/deeper/c00001/notes.txt"), "mine").unwrap();
    let cleared = run(&job(target, Phase::Clear {})).unwrap();
    let left = cleared.notes.iter().find(|note| note.code == "clear.left").unwrap();
    assert!(left.text.contains("c00001: Directory not empty"), "{}", left.text);
    let files = smbd.files().join("below/deeper/c00001");
    assert_eq!(std::fs::read_dir(files).unwrap().count(), 1);
}

#[test]
fn a_backup_reads_what_one_on_paths_reads() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let target = smbd.target(SmbDialect::Smb311);
    assert_whole(&run(&job(target.clone(), WRITE)).unwrap());
    let phase = Phase::Backup { order: BackupOrder::Directory, block_size_bytes: 65536 };
    let over = ClientsJob { clients: 1, threads: None, ..job(target, phase) };
    let directory = smbd.files().join("below/deeper").display().to_string();
    let results = [
        run(&over).unwrap(),
        run(&ClientsJob { target: ClientsTarget::Path { directory }, ..over }).unwrap(),
    ];
    for result in &results {
        assert_whole(result);
        assert_eq!(clients(result).backup.as_ref().unwrap().files, 16);
        assert_eq!(result.read.as_ref().unwrap().size_bytes, 4 * (16384 + 5000 + 100_000));
    }
    let calls: Vec<&str> = clients(&results[0]).calls.iter().map(|call| call.call.as_str()).collect();
    assert!(calls.contains(&"SMB2 READ") && calls.contains(&"SMB2 CLOSE"), "{calls:?}");
    assert_eq!((network(&results[0]).connections, network(&results[0]).reconnections), (1, 0));
}

/// What another client has written is read here, and the other way round: smb2's own client, which shares no
/// line of the timed operations, and Samba's.
#[test]
fn other_clients_read_what_is_written_and_write_what_is_read() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let target = smbd.target(SmbDialect::Smb311);
    assert_whole(&run(&job(target.clone(), WRITE)).unwrap());
    let address = format!("127.0.0.1:{}", smbd.port);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let moved = runtime.block_on(async {
        let mut client = smb2::connect(&address, USER, PASSWORD).await.unwrap();
        let mut share = client.connect_share("share").await.unwrap();
        let mut moved = 0;
        for (owner, file) in (0..4).flat_map(|owner| (0..4).map(move |file| (owner, file))) {
            let path = format!("below/deeper/c{owner:05}/c{owner:05}-f{file:06}");
            let data = client.read_file(&mut share, &path).await.unwrap();
            assert!(data == std::fs::read(smbd.files().join(&path)).unwrap(), "{path}");
            std::fs::remove_file(smbd.files().join(&path)).unwrap();
            client.write_file(&share, &path, &data).await.unwrap();
            moved += data.len();
        }
        moved
    });
    assert_eq!(moved, 4 * (16384 + 5000 + 100_000));
    assert_whole(&run(&job(target.clone(), READ)).unwrap());

    let kept = tempfile::tempdir().unwrap();
    let copy = kept.path().join("copy");
    let command = format!("get below/deeper/c00001/c00001-f000002 {}", copy.display());
    let smbclient = Command::new("smbclient")
        .args(["-p", &smbd.port.to_string(), "-U", &format!("{USER}%{PASSWORD}"), "-s"])
        .arg("/dev/null")
        .args(["//127.0.0.1/share", "-c", &command])
        .output();
    match smbclient {
        Ok(done) if done.status.success() => {
            let written = std::fs::read(smbd.files().join("below/deeper/c00001/c00001-f000002")).unwrap();
            assert!(std::fs::read(copy).unwrap() == written);
        }
        Ok(done) => panic!("{}", String::from_utf8_lossy(&done.stdout)),
        Err(error) => eprintln!("smbclient is not compared: {error}"),
    }
}
