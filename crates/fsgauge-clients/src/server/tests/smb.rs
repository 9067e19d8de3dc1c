//! Clients of a share whose server is gone, or silent.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use fsgauge_net::{SmbAccess, SmbTarget, ask_for};
use fsgauge_wire::{SmbDialect, SmbTarget as Job};

use super::*;
use fake_smb::{Fate, NEGOTIATE, READ, SESSION_SETUP, Script, TREE_CONNECT, WRITE};
use smbd::Smbd;

#[path = "../../../../fsgauge-net/tests/support/fake_smb.rs"]
#[allow(unreachable_pub, reason = "another crate's tests have it, too")]
mod fake_smb;
#[path = "../../../../fsgauge-net/tests/support/smbd.rs"]
#[allow(unreachable_pub, reason = "the integration tests have it, too")]
mod smbd;

fn guest(address: SocketAddr) -> Job {
    Job {
        host: "127.0.0.1".into(),
        port: address.port(),
        share: "share".into(),
        directory: "d".into(),
        user: String::new(),
        password: None,
        dialect: SmbDialect::Smb302,
        signing: false,
        encryption: false,
        oplocks: false,
    }
}

/// The clients' target on a share, with little patience.
fn target(job: &Job) -> SmbTarget {
    let (access, _) = SmbAccess::new(job).unwrap();
    access.clients(CLIENTS, OUTSTANDING, RECORD_SIZE_BYTES).unwrap().with_patience(TRYING)
}

fn admitted(target: &mut SmbTarget) {
    for client in 0..CLIENTS {
        let started = target.admit(client);
        assert_eq!(ask_for(target, started, &Stop::never()).unwrap(), 0);
    }
}

fn moves_records(command: u16) -> bool {
    matches!(command, READ | WRITE)
}

#[test]
fn a_server_that_is_gone_for_good_ends_its_clients_in_time() {
    for phase in phases() {
        let dies: Script =
            Arc::new(|_, found| if moves_records(found) { Fate::Gone } else { Fate::Answered });
        let (address, _) = fake_smb::start(dies);
        let mut target = target(&guest(address));
        admitted(&mut target);
        clients_give_up_in_time(target, ClientsTarget::Smb(guest(address)), phase);
    }
}

/// A script of a server that hangs from the first record on: it lets clients in, and that is all.
fn hangs() -> Script {
    let hangs = AtomicBool::new(false);
    Arc::new(move |_, found| {
        hangs.fetch_or(moves_records(found), Ordering::Relaxed);
        match hangs.load(Ordering::Relaxed) && !matches!(found, NEGOTIATE | SESSION_SETUP | TREE_CONNECT) {
            true => Fate::Ignored,
            false => Fate::Answered,
        }
    })
}

#[test]
fn a_server_that_hangs_ends_its_clients_in_time() {
    for phase in phases() {
        let (address, _) = fake_smb::start(hangs());
        let named = ClientsTarget::Smb(guest(address));
        clients_give_up_silence_in_time(target(&guest(address)), named, phase, Duration::ZERO);
    }
}

#[test]
fn a_real_server_that_is_stopped_ends_its_clients_in_time() {
    let Some(smbd) = Smbd::start("", "") else { return };
    let job = smbd.target(SmbDialect::Smb302);
    let files = smbd.files().join(&job.directory);
    make_directories(&files);
    let (access, _) = SmbAccess::new(&job).unwrap();
    let mut target = access.clients(CLIENTS, OUTSTANDING, RECORD_SIZE_BYTES).unwrap();
    admitted(&mut target);
    let target = target.with_patience(TRYING);
    let [phase, ..] = phases();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            wait_for_data(&files);
            smbd.freeze();
        });
        clients_give_up_silence_in_time(target, ClientsTarget::Smb(job), phase, UNDER_WAY_BOUND);
    });
}
